// The window without a window: frames on a null backend, driven by the mouse, keys and commands; what is looked at is
// the state.
#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <thread>

#include "app/gui/canvas.h"
#include "app/gui/window.h"
#include "app/gui/window_frame.h"
#include "tests/app/fixture.h"

using namespace stele;
using namespace stele::app;

namespace {

class Window {
 public:
  explicit Window(int layers = 1, float scale = 1, ImVec2 size = {1600, 1000})
      : app([](const std::string&) -> Document { throw std::runtime_error("not a session"); },
            [](const std::string&, Progress& progress) -> std::string {
              while (!progress.cancelled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
              throw std::runtime_error("cancelled");
            }) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size;
    io.DeltaTime = 1.0F / 60;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    map_keys();
    prepare_context(app, scale);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    if (layers > 0) app.show(testing::transformer_document(layers));
    settle();
  }
  ~Window() { ImGui::DestroyContext(); }

  void frame() {
    app.update();
    ImGui::NewFrame();
    draw_frame(app);
    ImGui::Render();
    app.frame_drawn();
  }
  void settle() {
    for (int i = 0; i < 5000 && !app.idle(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      app.update();
    }
    REQUIRE(app.idle());
    for (int i = 0; i < 4; ++i) frame();
  }
  void press(int key, bool with_shift = false, bool with_control = false) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyShift = with_shift;
    io.KeyCtrl = with_control;
    io.KeysDown[key] = true;
    frame();
    io.KeysDown[key] = io.KeyShift = io.KeyCtrl = false;
    frame();
    frame();
  }
  void click(ImVec2 at) {
    move(at);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    ImGui::GetIO().MouseDown[0] = false;
    frame();
    frame();
  }
  void drag(ImVec2 from, ImVec2 by) {
    move(from);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    move({from.x + by.x / 2, from.y + by.y / 2});
    move({from.x + by.x, from.y + by.y});
    ImGui::GetIO().MouseDown[0] = false;
    frame();
  }
  void move(ImVec2 to) {
    ImGui::GetIO().MousePos = to;
    frame();
  }
  void run(const std::string& id, const std::string& argument = "") {
    app.run(id, argument);
    frame();
    frame();
  }
  PaneState& pane(Side side) { return app.state.panes[static_cast<std::size_t>(side)]; }
  // The middle of an op's box on the screen.
  ImVec2 place_of(Side side, viz::OpId op) {
    const PassPictureRef picture = current_picture(app.state);
    const SnapshotPicture* snapshot = side_of(picture, side);
    const Canvas canvas{pane(side).view, pane(side).camera, app.state.scale};
    return canvas.to_screen(snapshot->layout->boxes[snapshot->nodes_of.at(op).front()].centre());
  }

  App app;
};

}  // namespace

TEST_CASE("keys step through the passes", "[app][window]") {
  Window window;
  CHECK(window.app.state.pass == 0);
  window.press(GLFW_KEY_DOWN);
  window.press(GLFW_KEY_DOWN);
  CHECK(window.app.state.pass == 2);
  window.press(GLFW_KEY_DOWN, true);  // to the next one that changed something
  CHECK(window.app.state.pass == 3);
  window.press(GLFW_KEY_END);
  CHECK(window.app.state.pass == 9);
  window.press(GLFW_KEY_DOWN);
  CHECK(window.app.state.pass == 9);
  window.press(GLFW_KEY_UP, true);
  CHECK(window.app.state.pass == 6);
  CHECK(window.app.steps.size() == 5);
}

TEST_CASE("hidden passes are stepped over", "[app][window]") {
  Window window;
  window.press(GLFW_KEY_U);
  window.press(GLFW_KEY_DOWN);
  CHECK(window.app.state.pass == 3);
}

TEST_CASE("a click selects an op and marks what it stands for on the other side", "[app][window]") {
  Window window;
  window.run("select-pass", "strength-reduce");
  window.run("select-op", "before:11");  // only to bring it into view
  window.run("focus");
  window.run("clear-selection");
  CHECK_FALSE(window.app.state.selection);
  window.click(window.place_of(Side::before, 11));
  REQUIRE(window.app.state.selection);
  CHECK(window.app.state.selection->side == Side::before);
  CHECK(window.app.state.selection->op == 11);
  CHECK(marked_ops(window.app.state, Side::after) == std::vector<viz::OpId>{5000});
  CHECK(window.app.state.lifeline.size() >= 2);
  window.press(GLFW_KEY_ESCAPE);
  CHECK_FALSE(window.app.state.selection);
}

TEST_CASE("the selection follows its op from pass to pass", "[app][window]") {
  Window window;
  window.run("select-pass", "2");
  window.run("select-op", "after:11");
  window.run("next-pass");
  REQUIRE(window.app.state.selection);
  CHECK(window.app.state.selection->op == 11);
  CHECK(window.app.state.selection->side == Side::before);
  window.run("next-pass");
  REQUIRE(window.app.state.selection);
  CHECK(window.app.state.selection->op == 5000);
}

TEST_CASE("dragging moves a graph, and the other one with it", "[app][window]") {
  Window window;
  window.run("select-pass", "3");
  const Camera left = window.pane(Side::before).camera, right = window.pane(Side::after).camera;
  const viz::Point middle = window.pane(Side::after).view.centre();
  window.drag({middle.x - 150, middle.y + 150}, {0, -80});
  CHECK(window.pane(Side::after).camera.centre.y > right.centre.y + 10);
  CHECK(window.pane(Side::before).camera.centre.y > left.centre.y + 10);
  CHECK_FALSE(window.app.state.selection);

  window.run("link");
  const Camera still = window.pane(Side::before).camera;
  window.drag({middle.x - 150, middle.y + 150}, {0, 60});
  CHECK(window.pane(Side::before).camera.centre.y == still.centre.y);
}

TEST_CASE("the wheel zooms around the mouse", "[app][window]") {
  Window window;
  const viz::Point middle = window.pane(Side::after).view.centre();
  const ImVec2 at{middle.x + 60, middle.y + 40};
  window.move(at);
  const float zoom = window.pane(Side::after).camera.zoom;
  const viz::Point under = Canvas{window.pane(Side::after).view, window.pane(Side::after).camera, 1}.to_layout(at);
  ImGui::GetIO().MouseWheel = 2;
  window.frame();
  ImGui::GetIO().MouseWheel = 0;
  const PaneState& pane = window.pane(Side::after);
  CHECK(pane.camera.zoom > zoom);
  CHECK(Canvas{pane.view, pane.camera, 1}.to_layout(at).x == Approx(under.x).margin(0.1));
}

TEST_CASE("changes are visited in turn", "[app][window]") {
  Window window;
  window.run("select-pass", "3");
  window.press(GLFW_KEY_N);
  REQUIRE(window.app.state.selection);
  const viz::OpId first = window.app.state.selection->op;
  window.press(GLFW_KEY_N);
  CHECK(window.app.state.selection->op != first);
  window.press(GLFW_KEY_N, true);
  CHECK(window.app.state.selection->op == first);
}

TEST_CASE("every command runs on an open document", "[app][window]") {
  Window window;
  for (const Command& command : all_commands()) {
    const std::string id = command.id;
    if (command.argument[0] != '\0' || id == "quit" || id == "wait" || !command.enabled(window.app)) continue;
    INFO(id);
    CHECK_NOTHROW(window.run(id));
    window.settle();
  }
  CHECK_THROWS_WITH(window.run("select-pass", "no-such-pass"), Catch::Contains("no-such-pass"));
  CHECK_THROWS_WITH(window.run("no-such-command"), Catch::Contains("no-such-command"));
}

TEST_CASE("ids of commands and their keys are unique", "[app][window]") {
  std::set<std::string> ids, keys;
  for (const Command& command : all_commands()) {
    CHECK(ids.insert(command.id).second);
    if (command.key.code != 0) CHECK(keys.insert(key_text(command.key)).second);
  }
}

TEST_CASE("the palette runs what is typed", "[app][window]") {
  Window window;
  window.press(GLFW_KEY_P, false, true);
  CHECK(window.app.state.palette.open);
  for (const char c : std::string("select-pass 6")) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
  window.frame();
  window.press(GLFW_KEY_ENTER);
  CHECK_FALSE(window.app.state.palette.open);
  CHECK(window.app.state.pass == 6);
}

TEST_CASE("Ctrl+F asks what to find", "[app][window]") {
  Window window;
  window.press(GLFW_KEY_F, false, true);
  CHECK(window.app.state.palette.open);
  for (const char c : std::string("logistic")) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
  window.frame();
  CHECK(window.app.state.palette.query == "find logistic");
  window.press(GLFW_KEY_ENTER);
  CHECK(window.app.state.selection);
  CHECK(window.app.state.message == "");
}

TEST_CASE("find goes from one fitting op to the next", "[app][window]") {
  Window window;
  window.run("find", "SLIC");
  REQUIRE(window.app.state.selection);
  const viz::OpId first = window.app.state.selection->op;
  window.run("find", "SLIC");
  CHECK(window.app.state.selection->op != first);
  window.run("find", "layers.0.wq");
  CHECK(window.app.state.selection->op != first);
  CHECK_THROWS_WITH(window.run("find", "nonsense"), Catch::Contains("nonsense"));
}

TEST_CASE("what cannot be opened is said, and the document stays", "[app][window]") {
  Window window;
  window.run("open", "/no/such/model.onnx");
  window.settle();
  CHECK(window.app.state.message_is_error);
  CHECK(window.app.state.message == "/no/such/model.onnx: no such file");
  CHECK(window.app.state.document);
}

TEST_CASE("a long job shows progress and can be cancelled", "[app][window]") {
  Window window;
  window.run("open", "/proc/self/exe");
  CHECK(window.app.state.busy);
  CHECK(window.app.state.progress_text.find("Compiling") == 0);
  window.run("cancel");
  CHECK_FALSE(window.app.state.busy);
  CHECK(window.app.state.message == "Cancelled");
}

TEST_CASE("all pages draw at other sizes and scales", "[app][window]") {
  for (const float scale : {0.75F, 2.0F}) {
    Window window(2, scale, {1024, 700});
    for (const char* page : {"rosetta", "rewrites", "ir"}) window.run("show", page);
    window.run("select-pass", "6");
    window.run("toggle-theme");
    window.run("help");
    CHECK(ImGui::GetDrawData()->TotalVtxCount > 1000);
  }
}

TEST_CASE("without a document there is a page to start from", "[app][window]") {
  Window window(0);
  window.press(GLFW_KEY_DOWN);
  CHECK_FALSE(window.app.state.document);
  window.press(GLFW_KEY_R);
  CHECK(window.app.state.page == Page::rosetta);
  window.press(GLFW_KEY_O, false, true);
  CHECK(window.app.state.open_dialog.open);
  window.press(GLFW_KEY_ESCAPE);
  CHECK_FALSE(window.app.state.open_dialog.open);
}

TEST_CASE("a script names the line of what it cannot do", "[app][script]") {
  CHECK_THROWS_WITH(parse_script("walk", "wait\n\nfly\n"), "walk:3: unknown command fly");
  const auto lines = parse_script("walk", "# a comment\n  zoom 1.5  \n");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].command == "zoom");
  CHECK(lines[0].argument == "1.5");
  Window window;
  ScriptRunner runner("walk", parse_script("walk", "select-pass nowhere"));
  CHECK_THROWS_WITH(runner.step(window.app), Catch::Contains("walk:1: ") && Catch::Contains("nowhere"));
}
