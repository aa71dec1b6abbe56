// Frames without any window system: EGL without a surface, drawing into a framebuffer object.
#define GL_GLEXT_PROTOTYPES
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <backends/imgui_impl_opengl3.h>

#include <array>
#include <thread>

#include "app/gui/window.h"
#include "app/gui/window_frame.h"

namespace stele::app {
namespace {

class MemoryContext {
 public:
  MemoryContext() {
    display_ = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display_ == EGL_NO_DISPLAY || eglInitialize(display_, nullptr, nullptr) == EGL_FALSE)
      throw NoWindow("EGL without a surface is not to be had here");
    eglBindAPI(EGL_OPENGL_API);
    constexpr std::array<EGLint, 7> wanted = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    context_ = eglCreateContext(display_, nullptr, EGL_NO_CONTEXT, wanted.data());
    if (context_ == EGL_NO_CONTEXT || eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_FALSE) {
      eglTerminate(display_);
      throw NoWindow("EGL gives no OpenGL 3.3 context");
    }
  }
  ~MemoryContext() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
  }
  MemoryContext(const MemoryContext&) = delete;
  MemoryContext& operator=(const MemoryContext&) = delete;

 private:
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

void make_framebuffer(int width, int height) {
  GLuint framebuffer = 0, pixels = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glGenRenderbuffers(1, &pixels);
  glBindRenderbuffer(GL_RENDERBUFFER, pixels);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw NoWindow("no framebuffer of this size");
  glViewport(0, 0, width, height);
}

class ImGuiSession {
 public:
  explicit ImGuiSession(App& app, const WindowOptions& options) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
    io.DeltaTime = 1.0F / 60;
    io.MousePos = {-1000, -1000};
    map_keys();
    prepare_context(app, options.scale > 0 ? options.scale : 1);
    ImGui_ImplOpenGL3_Init("#version 330");
  }
  ~ImGuiSession() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
  }
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;
};

void frame(App& app, const WindowOptions& options) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  draw_frame(app);
  ImGui::Render();
  // Frames that nobody sees are not painted, but a step counts to its end; the first one makes the shaders, as in a
  // window.
  const bool is_first = ImGui::GetFrameCount() == 1;
  if (app.wants_screenshot.empty() && !app.is_stepping() && !is_first) return;
  clear_picture(*app.state.theme);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glFinish();
  app.frame_drawn();
  if (app.wants_screenshot.empty()) return;
  save_picture(options.pictures / (std::exchange(app.wants_screenshot, {}) + ".png"), options.width, options.height);
}

}  // namespace

void run_in_memory(App& app, const WindowOptions& options, ScriptRunner script) {
  const MemoryContext context;
  make_framebuffer(options.width, options.height);
  const ImGuiSession session(app, options);
  while (!app.wants_quit) {
    app.update();
    script.step(app);
    frame(app, options);
    if (script.finished() && app.wants_screenshot.empty()) break;
    // Until a job ends there is nothing new to draw.
    if (!app.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace stele::app
