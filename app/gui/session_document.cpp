#include "app/gui/session_document.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/session/session.h"
#include "passes/codegen/jit.h"
#include "viz/session_graph.h"

namespace stele::app {
namespace {

std::optional<double> known(std::int64_t value) {
  return value < 0 ? std::nullopt : std::optional(static_cast<double>(value));
}

PassRow pass_row(const SnapshotRow& row) {
  PassRow result;
  result.name = row.name;
  result.stage = row.stage;
  result.level = row.level;
  result.summary = row.contract.empty() ? "" : "contract: " + row.contract;
  result.changed = row.changed;
  result.elapsed_ms = row.ms;
  result.rewrites = static_cast<std::size_t>(row.rewrites);
  result.score = {known(row.score.kernels), known(row.score.hbm_bytes), known(row.score.peak_bytes),
                  known(row.score.flops)};
  return result;
}

// Weights carry their names as value names of the text: "%layers.0.weight = …".
void name_constants(Snapshot& snapshot) {
  std::map<viz::OpId, std::string> names;
  for (const IrLine& line : snapshot.ir) {
    const auto start = line.text.find_first_not_of(' '), equals = line.text.find(" = ");
    if (line.op == 0 || start == std::string::npos || equals == std::string::npos || line.text[start] != '%') continue;
    const std::string name = line.text.substr(start + 1, equals - start - 1);
    if (name.find_first_not_of("0123456789") != std::string::npos) names[line.op] = name;
  }
  for (viz::Node& node : snapshot.graph.nodes) {
    const bool unnamed = node.role == viz::Role::constant && node.title == "constant";
    if (const auto found = names.find(node.id); unnamed && found != names.end()) node.label = found->second;
  }
}

class SessionSource : public SnapshotSource {
 public:
  explicit SessionSource(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  Snapshot snapshot(std::size_t pass) override {
    const int index = static_cast<int>(pass);
    for (; births_known_ <= index; ++births_known_) births_.add(session_->ops(births_known_));
    const std::string text = session_->text(index);
    Snapshot result;
    result.ir = ir_lines(text);
    result.graph =
        viz::session_graph({session_->ops(index), session_->edges(index), viz::argument_names(text)}, births_);
    name_constants(result);
    return result;
  }

  std::string code(const viz::Node& kernel) override {
    for (const viz::Attribute& attribute : kernel.attributes) {
      if (attribute.name != "assembly" && attribute.name != "bitcode") continue;
      const auto open = attribute.text.find('<'), close = attribute.text.find('>');
      if (open == std::string::npos || close == std::string::npos) continue;
      const BlobRef blob = session_->blob(attribute.text.substr(open + 1, close - open - 1));
      if (!blob) continue;
      if (attribute.name == "bitcode") return llvm_text(blob);
      const auto bytes = blob->bytes();
      return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    return "";
  }

  std::vector<RewriteRow> rewrites(std::size_t pass) override {
    std::vector<RewriteRow> rows;
    for (stele::RewriteRow& row : session_->rewrites(static_cast<int>(pass))) {
      rows.push_back(
          {static_cast<std::size_t>(row.number), std::move(row.rule), std::move(row.matched), std::move(row.created)});
    }
    return rows;
  }

 private:
  std::unique_ptr<Session> session_;
  viz::Births births_;
  int births_known_ = 0;
};

// Cuts " loc(#stele<id = 12, …>)" off the line and returns the id; 0 where there is none.
viz::OpId take_identity(std::string& line) {
  constexpr std::string_view mark = " loc(#stele<";
  const auto at = line.rfind(mark);
  if (at == std::string::npos) return 0;
  const auto id = line.find("id = ", at);
  const viz::OpId op = id == std::string::npos ? 0 : std::strtoull(line.c_str() + id + 5, nullptr, 10);
  line.erase(at);
  return op;
}

bool opens_region(const std::string& line) { return !line.empty() && (line.back() == '{' || line.ends_with("{ ")); }

bool closes_region(const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  return first != std::string::npos && line[first] == '}';
}

// The model's file, with its folder where the file is called as all of them are.
std::string title_of(const Session& session, const std::string& path) {
  const std::filesystem::path model = session.meta("model").value_or(session.title());
  const std::string file = model.filename().string(), folder = model.parent_path().filename().string();
  if (file.empty()) return std::filesystem::path(path).filename().string();
  return file.starts_with("model.") && !folder.empty() ? folder + "/" + file : file;
}

}  // namespace

std::vector<IrLine> ir_lines(const std::string& text) {
  std::vector<IrLine> lines;
  std::vector<std::size_t> open;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const viz::OpId op = take_identity(line);
    if (closes_region(line) && !open.empty()) {
      // What leads up to the region's opening on lines of its own is the op's too: "%0 = stablehlo.reduce(…)",
      // "reducer(…) {".
      for (std::size_t i = open.back(); op != 0 && lines[i].op == 0; --i) {
        lines[i].op = op;
        if (i == 0 || lines[i].text.find(" = ") != std::string::npos) break;
      }
      if (!opens_region(line)) open.pop_back();
    } else if (opens_region(line)) {
      open.push_back(lines.size());
    }
    lines.push_back({std::move(line), op});
  }
  return lines;
}

Document open_session(const std::string& path) {
  std::unique_ptr<Session> session = Session::open(path);
  Document document;
  document.title = title_of(*session, path);
  document.stack = session->stack();
  document.subtitle = session->stack();
  if (const auto target = session->meta("target"); target && !target->empty()) document.subtitle += " · " + *target;
  if (const auto binding = session->meta("binding"); binding && !binding->empty())
    document.subtitle += " · " + *binding;
  if (!session->complete()) document.subtitle += " · cut short";
  document.stopped = session->meta("stopped").value_or("");
  for (const SnapshotRow& row : session->snapshots()) document.passes.push_back(pass_row(row));
  document.source = std::make_shared<SessionSource>(std::move(session));
  return document;
}

}  // namespace stele::app
