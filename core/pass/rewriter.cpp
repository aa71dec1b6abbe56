#include "core/pass/rewriter.h"

namespace stele {

void Rewrite::replace(Operation* op, const std::vector<Value*>& values) {
  if (values.size() != op->result_count()) {
    fail("{}: replaced by {} values, expected {}", op->describe(), values.size(), op->result_count());
  }
  for (unsigned i = 0; i < values.size(); ++i) {
    Value* old = op->result(i);
    do_replace_uses(old, values[i]);
    if (values[i]->name().empty() && !old->name().empty()) set_name(values[i], old->name());
  }
  erase(op);
}

void Rewrite::erase(Operation* op) {
  event_.erased.push_back(op->id());
  for (unsigned i = 0; i < op->region_count(); ++i) {
    walk(op->region(i), [&](const Operation& inner) { event_.erased.push_back(inner.id()); });
  }
  do_erase(op);
}

bool Rewriter::apply(std::string_view rule, const std::vector<Operation*>& matched, const std::function<void(Rewrite&)>& change) {
  if (exhausted()) return false;
  RewriteEvent event;
  event.number = log_.size() + 1;
  event.rule = rule;
  for (const Operation* op : matched) event.matched.push_back(op->id());
  Rewrite rewrite(module_, event);
  if (!matched.empty()) {
    rewrite.set_origin(event.matched, matched.front()->label());
    rewrite.before(matched.front());
  }
  change(rewrite);
  if (listener_) listener_(rewrite, event);
  log_.push_back(std::move(event));
  return true;
}

}  // namespace stele
