// The tree is what the design says: every #include keeps to the layer table, every library of others stays in the
// folders that may use it, and the top level holds nothing unexpected.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace fs = std::filesystem;

namespace {

// What a folder may include besides itself, the longest prefix of the file's path deciding. The host Tensor and the
// numerics live in core/ir, because an op's record in core/ops carries its reference semantics.
const std::map<std::string, std::vector<std::string>> layers = {
    {"core/ir", {}},
    {"core/ops", {"core/ir"}},
    {"core/eval", {"core/ir", "core/ops"}},
    {"core/pass", {"core/ir", "core/ops"}},
    {"core/session", {"core/ir"}},
    {"core/runtime", {"core/ir"}},
    {"core/debug", {"core"}},
    {"passes/capture", {"core"}},
    {"passes/represent", {"core"}},
    {"passes/optimize", {"core"}},
    {"passes/lower", {"core"}},
    {"passes/codegen", {"core"}},
    {"passes/stacks", {"core", "passes"}},
    {"profiler", {"core"}},
    {"viz", {"core"}},
    {"app", {"core", "passes", "profiler", "viz"}},
    {"samples", {"core", "passes", "profiler", "viz"}},
    {"tests", {"core", "passes", "profiler", "viz", "app"}},
};

// Headers of others, and the only folders whose files may include them.
const std::vector<std::pair<std::string, std::vector<std::string>>> others = {
    {"llvm/", {"passes/codegen"}},
    {"llvm-c/", {"passes/codegen"}},
    {"onnx/", {"passes/capture", "tests"}},
    {"google/protobuf/", {"passes/capture", "tests"}},
    {"sqlite3.h", {"core/session", "tests"}},
    {"graphviz/", {"viz"}},
    {"CLI/", {"app/cli", "app/gui"}},
    {"imgui", {"app/gui", "tests/app"}},
    {"backends/imgui", {"app/gui"}},
    {"GLFW/", {"app/gui", "tests/app"}},
    {"EGL/", {"app/gui"}},
    {"GL/", {"app/gui"}},
};

const std::set<std::string> top_level = {
    "core",
    "passes",
    "profiler",
    "viz",
    "app",
    "samples",
    "tests",
    "assets",
    "CMakeLists.txt",
    "CMakePresets.json",
    "README.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "CHANGELOG.md",
    "build",  // what a build makes; git ignores it
};

struct Include {
  std::string file;  // from the root
  int line;
  bool quoted;
  std::string header;
};

bool inside(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

bool inside_any(const std::string& path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [&](const std::string& folder) { return inside(path, folder); });
}

std::vector<std::string> source_files() {
  std::vector<std::string> files;
  for (const char* folder : {"core", "passes", "profiler", "viz", "app", "samples", "tests"}) {
    const fs::path top = stele::test::source_dir() / folder;
    if (!fs::exists(top)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".h" || extension == ".cpp" || extension == ".inc") {
        files.push_back(fs::relative(entry.path(), stele::test::source_dir()).generic_string());
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Include> includes() {
  const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> found;
  for (const std::string& file : source_files()) {
    std::ifstream stream(stele::test::source_dir() / file);
    std::string text;
    for (int line = 1; std::getline(stream, text); ++line) {
      std::smatch match;
      if (std::regex_search(text, match, pattern)) {
        found.push_back({file, line, match[1].str() == "\"", match[2].str()});
      }
    }
  }
  return found;
}

// The name of the layer a file belongs to, or nothing.
std::string layer_of(const std::string& file) {
  for (const auto& [layer, allowed] : layers) {
    if (inside(file, layer)) return layer;
  }
  return "";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("tree/every include keeps to the layer table", "[tree]") {
  std::vector<std::string> wrong;
  for (const Include& include : includes()) {
    if (!include.quoted) continue;
    const std::string place = fmt::format("{}:{}: \"{}\"", include.file, include.line, include.header);
    const std::string layer = layer_of(include.file);
    if (layer.empty()) {
      wrong.push_back(fmt::format("{}: the file's folder is in no layer", place));
    } else if (!fs::exists(stele::test::source_dir() / include.header)) {
      wrong.push_back(fmt::format("{}: no such file from the root (others' headers take <>)", place));
    } else if (!inside(include.header, layer) && !inside_any(include.header, layers.at(layer))) {
      wrong.push_back(fmt::format("{}: {} may not include it", place, layer));
    }
  }
  INFO(joined(wrong));
  CHECK(wrong.empty());
}

TEST_CASE("tree/libraries stay in the folders that may use them", "[tree]") {
  std::vector<std::string> wrong;
  for (const Include& include : includes()) {
    for (const auto& [prefix, folders] : others) {
      if (!include.quoted && include.header.starts_with(prefix) && !inside_any(include.file, folders)) {
        wrong.push_back(fmt::format("{}:{}: <{}> is for {} alone", include.file, include.line, include.header,
                                    fmt::join(folders, ", ")));
      }
    }
  }
  INFO(joined(wrong));
  CHECK(wrong.empty());
}

TEST_CASE("tree/the top level holds only what it should", "[tree]") {
  std::vector<std::string> wrong;
  for (const fs::directory_entry& entry : fs::directory_iterator(stele::test::source_dir())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && !top_level.contains(name)) wrong.push_back(name);
  }
  INFO(joined(wrong));
  CHECK(wrong.empty());
}
