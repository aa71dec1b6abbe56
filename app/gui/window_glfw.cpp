// The window on the desktop.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include "app/gui/window.h"
#include "app/gui/window_frame.h"

namespace stele::app {
namespace {

class Window {
 public:
  Window(App& app, const WindowOptions& options) {
    if (glfwInit() == GLFW_FALSE) throw NoWindow("no display to open a window on");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, options.scale > 0 ? GLFW_FALSE : GLFW_TRUE);
    window_ = glfwCreateWindow(options.width, options.height, "Stele", nullptr, nullptr);
    if (window_ == nullptr) {
      glfwTerminate();
      throw NoWindow("no OpenGL 3.3 window to be had");
    }
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(window_, &app);
    glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
      if (count > 0) static_cast<App*>(glfwGetWindowUserPointer(window))->commands.push("open", paths[0]);
    });
  }
  ~Window() {
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  GLFWwindow* get() const { return window_; }
  float scale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return x;
  }

 private:
  GLFWwindow* window_ = nullptr;
};

class ImGuiSession {
 public:
  ImGuiSession(App& app, GLFWwindow* window, float scale) {
    ImGui::CreateContext();
    prepare_context(app, scale);
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 330");
  }
  ~ImGuiSession() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;
};

void frame(App& app, GLFWwindow* window, const WindowOptions& options) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  const double start = glfwGetTime();
  ImGui::NewFrame();
  draw_frame(app);
  ImGui::Render();
  app.state.frame_ms = (glfwGetTime() - start) * 1000;
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  glViewport(0, 0, width, height);
  clear_picture(*app.state.theme);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (!app.wants_screenshot.empty()) {
    const std::filesystem::path file = options.pictures / (std::exchange(app.wants_screenshot, {}) + ".png");
    save_picture(file, width, height);
    app.notice("Saved " + file.string(), false);
  }
  glfwSwapBuffers(window);
  app.frame_drawn();
}

}  // namespace

void run_in_window(App& app, const WindowOptions& options, ScriptRunner script) {
  const Window window(app, options);
  const ImGuiSession session(app, window.get(), options.scale > 0 ? options.scale : window.scale());
  double last_busy = glfwGetTime();
  while (glfwWindowShouldClose(window.get()) == GLFW_FALSE && !app.wants_quit) {
    // A still picture costs nothing: after half a second without input or work, wait for an event.
    constexpr double patience = 0.5, longest_wait = 0.25;
    const double now = glfwGetTime();
    if (!app.idle() || !script.finished()) last_busy = now;
    if (now - last_busy > patience) {
      glfwWaitEventsTimeout(longest_wait);
      if (glfwGetTime() - now < longest_wait) last_busy = glfwGetTime();
    } else {
      glfwPollEvents();
    }
    app.update();
    script.step(app);
    frame(app, window.get(), options);
  }
}

}  // namespace stele::app
