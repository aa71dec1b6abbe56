// Graphviz's dot, in a child process: libgvc is not thread-safe and cannot be interrupted, and a graph that it dislikes
// can take minutes. A forked child inherits the graph for nothing, can be killed at the deadline, and takes no thread
// of ours with it.
#include <graphviz/gvc.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>

#include "viz/layout.h"

namespace stele::viz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr float points_per_inch = 72;
constexpr float node_gap = 18, rank_gap = 26;

void set(void* object, const char* name, const char* value) {
  agsafeset(object, const_cast<char*>(name), const_cast<char*>(value), const_cast<char*>(""));
}

void set(void* object, const char* name, float value) { set(object, name, std::to_string(value).c_str()); }

void declare(Agraph_t* g, int kind, const char* name, const char* value) {
  agattr(g, kind, const_cast<char*>(name), const_cast<char*>(value));
}

// The limits cost a little beauty and save two thirds of the time.
void declare_attributes(Agraph_t* g) {
  declare(g, AGRAPH, "nslimit", "1");
  declare(g, AGRAPH, "nslimit1", "1");
  declare(g, AGRAPH, "mclimit", "0.2");
  declare(g, AGRAPH, "searchsize", "8");
  declare(g, AGRAPH, "nodesep", std::to_string(node_gap / points_per_inch).c_str());
  declare(g, AGRAPH, "ranksep", std::to_string(rank_gap / points_per_inch).c_str());
  declare(g, AGNODE, "shape", "box");
  declare(g, AGNODE, "fixedsize", "true");
  declare(g, AGNODE, "label", "");
  declare(g, AGNODE, "width", "1");
  declare(g, AGNODE, "height", "1");
  declare(g, AGEDGE, "arrowhead", "none");
  declare(g, AGEDGE, "weight", "1");
}

struct Built {
  Agraph_t* g = nullptr;
  std::vector<Agnode_t*> nodes;
  std::vector<Agedge_t*> edges;
};

bool is_leaf(const Node& node) { return node.role == Role::constant; }

// Nodes and edges are declared in birth order: dot breaks ties by it, so the picture stays put between passes.
Built build(const Graph& graph) {
  Built built;
  built.g = agopen(const_cast<char*>("g"), Agdirected, nullptr);
  declare_attributes(built.g);
  std::vector<std::size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return graph.nodes[a].order < graph.nodes[b].order; });
  built.nodes.resize(graph.nodes.size());
  for (const std::size_t i : order) {
    Agnode_t* node = agnode(built.g, const_cast<char*>(("n" + std::to_string(i)).c_str()), 1);
    const Point size = box_size(graph.nodes[i]);
    set(node, "width", size.x / points_per_inch);
    set(node, "height", size.y / points_per_inch);
    built.nodes[i] = node;
  }
  std::vector<std::size_t> edge_order(graph.edges.size());
  std::iota(edge_order.begin(), edge_order.end(), 0);
  std::stable_sort(edge_order.begin(), edge_order.end(), [&](std::size_t a, std::size_t b) {
    return graph.nodes[graph.edges[a].to].order < graph.nodes[graph.edges[b].to].order;
  });
  built.edges.resize(graph.edges.size());
  for (const std::size_t i : edge_order) {
    const Edge& edge = graph.edges[i];
    built.edges[i] = agedge(built.g, built.nodes[edge.from], built.nodes[edge.to], nullptr, 1);
    if (is_leaf(graph.nodes[edge.from])) set(built.edges[i], "weight", "2");
  }
  return built;
}

// What the child tells its parent: centre of each node, then for each edge the number of points and the points.
std::vector<float> measured(const Built& built) {
  std::vector<float> numbers;
  for (Agnode_t* node : built.nodes) {
    numbers.push_back(static_cast<float>(ND_coord(node).x));
    numbers.push_back(static_cast<float>(-ND_coord(node).y));
  }
  for (Agedge_t* edge : built.edges) {
    const splines* path = ED_spl(edge);
    const bezier* curve = path != nullptr && path->size > 0 ? &path->list[0] : nullptr;
    const int count = curve != nullptr ? static_cast<int>(curve->size) : 0;
    numbers.push_back(static_cast<float>(count));
    for (int i = 0; i < count; ++i) {
      numbers.push_back(static_cast<float>(curve->list[i].x));
      numbers.push_back(static_cast<float>(-curve->list[i].y));
    }
  }
  return numbers;
}

bool write_all(int pipe, const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = write(pipe, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

// Graphviz with its plugins loaded, which a forked child inherits: a child that loads them itself finds the loader's
// tables as another thread of ours may have left them, half changed. Made once, at the first layout; the parent does
// nothing else with it.
GVC_t* loaded_context() {
  static GVC_t* const context = [] {
    GVC_t* made = gvContext();
    Agraph_t* g = agopen(const_cast<char*>("warm"), Agdirected, nullptr);
    agnode(g, const_cast<char*>("n"), 1);
    gvLayout(made, g, "dot");
    gvFreeLayout(made, g);
    agclose(g);
    return made;
  }();
  return context;
}

[[noreturn]] void run_child(GVC_t* context, const Graph& graph, int pipe) {
  const Built built = build(graph);
  if (gvLayout(context, built.g, "dot") != 0) _exit(1);
  const std::vector<float> numbers = measured(built);
  const bool written = write_all(pipe, numbers.data(), numbers.size() * sizeof(float));
  _exit(written ? 0 : 1);
}

// Reads until the child closes the pipe; empty where the deadline passes or there is hurry.
std::vector<float> read_until(int pipe, Clock::time_point deadline, const std::atomic<bool>* hurry) {
  constexpr std::int64_t slice_ms = 10;
  std::vector<char> bytes;
  std::array<char, 65536> chunk{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{pipe, POLLIN, 0};
    if (left <= 0 || (hurry != nullptr && *hurry)) return {};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, slice_ms)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return {};
    const ssize_t got = read(pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.insert(bytes.end(), chunk.data(), chunk.data() + got);
  }
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::copy_n(bytes.data(), numbers.size() * sizeof(float), reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

std::unique_ptr<GraphLayout> from_numbers(const Graph& graph, const std::vector<float>& numbers) {
  auto result = std::make_unique<GraphLayout>();
  result->engine = Engine::dot;
  std::size_t at = 0;
  const auto left = [&] { return numbers.size() - at; };
  for (const Node& node : graph.nodes) {
    if (left() < 2) return nullptr;
    const Point half{box_size(node).x / 2, box_size(node).y / 2};
    const Point centre{numbers[at], numbers[at + 1]};
    at += 2;
    result->boxes.push_back({{centre.x - half.x, centre.y - half.y}, {centre.x + half.x, centre.y + half.y}});
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (left() < 1) return nullptr;
    const auto count = static_cast<std::size_t>(numbers[at++]);
    if (left() < 2 * count) return nullptr;
    Spline spline;
    for (std::size_t p = 0; p < count; ++p, at += 2) spline.points.push_back({numbers[at], numbers[at + 1]});
    result->splines.push_back(std::move(spline));
  }
  update_bounds(*result);
  return result;
}

}  // namespace

std::unique_ptr<GraphLayout> layout_dot(const Graph& graph, std::chrono::milliseconds deadline,
                                        const std::atomic<bool>* hurry) {
  const auto end = Clock::now() + deadline;
  GVC_t* context = loaded_context();
  int ends[2];
  if (pipe(ends) != 0) return nullptr;
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return nullptr;
  }
  if (child == 0) {
    close(ends[0]);
    // What can be hurried is made ahead: whoever waits for a frame goes first.
    constexpr int behind_the_window = 10;
    if (hurry != nullptr && nice(behind_the_window) == -1) errno = 0;
    run_child(context, graph, ends[1]);
  }
  close(ends[1]);
  const std::vector<float> numbers = read_until(ends[0], end, hurry);
  close(ends[0]);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return from_numbers(graph, numbers);
}

}  // namespace stele::viz
