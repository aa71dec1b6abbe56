#include "app/gui/code_view.h"

#include <algorithm>
#include <sstream>

#include "viz/session_graph.h"

namespace stele::app {
namespace {

const viz::Attribute* find_attribute(const viz::Node& node, const std::string& name) {
  const auto found = std::find_if(node.attributes.begin(), node.attributes.end(),
                                  [&](const viz::Attribute& a) { return a.name == name; });
  return found == node.attributes.end() ? nullptr : &*found;
}

// The op in this snapshot, if it holds code.
const viz::Node* kernel_in(const SnapshotPicture* snapshot, viz::OpId op) {
  if (snapshot == nullptr) return nullptr;
  const auto found = snapshot->nodes_of.find(op);
  if (found == snapshot->nodes_of.end()) return nullptr;
  const viz::Node& node = snapshot->graph.nodes[found->second.front()];
  return find_attribute(node, "assembly") != nullptr || find_attribute(node, "bitcode") != nullptr ? &node : nullptr;
}

CodeTarget target(const AppState& state, const viz::Node& kernel, std::size_t pass) {
  const viz::Attribute* symbol = find_attribute(kernel, "symbol");
  const std::string name = symbol != nullptr ? viz::plain_attribute(symbol->text) : kernel.title;
  const char* form = find_attribute(kernel, "assembly") != nullptr ? "assembly" : "LLVM IR";
  return {kernel, name + "   " + form + ", after " + state.document->passes[pass].name};
}

}  // namespace

std::optional<CodeTarget> code_target(const AppState& state) {
  const auto& selection = state.selection;
  if (!selection) return std::nullopt;
  const SnapshotPicture* here = side_of(current_picture(state), selection->side);
  const std::size_t pass = selection->side == Side::before && state.pass > 0 ? state.pass - 1 : state.pass;
  if (const viz::Node* kernel = kernel_in(here, selection->op)) return target(state, *kernel, pass);
  for (auto step = state.lifeline.rbegin(); step != state.lifeline.rend(); ++step) {
    for (const viz::OpId op : step->ops) {
      const viz::Node* kernel = kernel_in(side_of(state.pictures[step->snapshot], Side::after), op);
      if (kernel != nullptr) return target(state, *kernel, step->snapshot);
    }
  }
  return std::nullopt;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::string spaced;
    for (const char c : line) spaced += c == '\t' ? std::string(8 - spaced.size() % 8, ' ') : std::string(1, c);
    lines.push_back(std::move(spaced));
  }
  return lines;
}

}  // namespace stele::app
