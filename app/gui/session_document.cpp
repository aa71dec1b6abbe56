#include "app/gui/session_document.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/session/session.h"
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

class SessionSource : public SnapshotSource {
 public:
  explicit SessionSource(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  Snapshot snapshot(std::size_t pass) override {
    const int index = static_cast<int>(pass);
    for (; births_known_ <= index; ++births_known_) births_.add(session_->ops(births_known_));
    const std::string text = session_->text(index);
    return {viz::session_graph({session_->ops(index), session_->edges(index), viz::argument_names(text)}, births_),
            ir_lines(text)};
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

}  // namespace

std::vector<IrLine> ir_lines(const std::string& text) {
  std::vector<IrLine> lines;
  std::vector<std::size_t> open;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const viz::OpId op = take_identity(line);
    if (closes_region(line) && !open.empty()) {
      if (op != 0 && lines[open.back()].op == 0) lines[open.back()].op = op;
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
  document.title = std::filesystem::path(session->title()).filename().string();
  if (document.title.empty()) document.title = std::filesystem::path(path).filename().string();
  document.stack = session->stack();
  document.subtitle = session->stack();
  if (const auto target = session->meta("target"); target && !target->empty()) document.subtitle += " · " + *target;
  if (const auto binding = session->meta("binding"); binding && !binding->empty())
    document.subtitle += " · " + *binding;
  if (!session->complete()) document.subtitle += " · cut short";
  for (const SnapshotRow& row : session->snapshots()) document.passes.push_back(pass_row(row));
  document.source = std::make_shared<SessionSource>(std::move(session));
  return document;
}

}  // namespace stele::app
