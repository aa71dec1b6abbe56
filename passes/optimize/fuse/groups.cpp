// Which ops belong in one kernel.
#include <set>

#include "passes/optimize/fuse/fuse.h"
#include "passes/optimize/fuse/kinds.h"

namespace stele::fusion {
namespace {

// The op of `region` that a use stands in: the user, or the op around it.
Operation* at_level(Operation* user, const Region* region) {
  while (user && user->parent() != region) user = user->parent_op();
  return user;
}

// Ops in program order.
struct Earlier {
  const Order* order;
  bool operator()(const Operation* a, const Operation* b) const { return order->at(a) < order->at(b); }
};
using Queue = std::set<Operation*, Earlier>;

class Planner {
 public:
  Planner(Operation& root, const Order& order, const Kind& kind) : root_(root), order_(order), kind_(kind) {}

  Group plan() {
    find_consumers();
    keep_single_output();
    Group group{kind_.name, &root_, {}};
    for (size_t i = 1; i < members_.size(); ++i) group.steps.push_back({members_[i], Join::consumer, kind_.consumer_rule});
    find_producers(group);
    return group;
  }

 private:
  void enqueue_users(const Operation& op, Queue& queue) const {
    for (const Value* result : op.results()) {
      for (const Use& use : result->uses()) queue.insert(at_level(use.user, root_.parent()));
    }
  }

  bool reads(const Operation& op, const std::set<const Operation*>& ops) const {
    return std::any_of(op.operands().begin(), op.operands().end(),
                       [&](const Value* operand) { return operand->definition() && ops.contains(operand->definition()); });
  }

  // Users of members, users of users …, in program order. What depends on the group without being of it may not be read
  // by a later member: the group would need its own result.
  void find_consumers() {
    const Earlier earlier{&order_};
    Queue queue(earlier);
    std::set<const Operation*> members = {&root_}, outside;
    members_ = {&root_};
    enqueue_users(root_, queue);
    const Operation* horizon = queue.empty() ? nullptr : *queue.rbegin();
    while (!queue.empty()) {
      Operation* op = *queue.begin();
      queue.erase(queue.begin());
      if (earlier(horizon, op)) return;  // no user of a member lies beyond
      Queue users(earlier);
      enqueue_users(*op, users);
      if (reads(*op, members) && !reads(*op, outside) && kind_.takes_consumer(*op, root_, members)) {
        members.insert(op);
        members_.push_back(op);
        if (!users.empty() && earlier(horizon, *users.rbegin())) horizon = *users.rbegin();
      } else {
        outside.insert(op);
      }
      queue.insert(users.begin(), users.end());
    }
  }

  // The longest beginning of the members that has one result: then all that reads it comes after it.
  void keep_single_output() {
    std::unordered_map<const Operation*, size_t> position;
    for (size_t i = 0; i < members_.size(); ++i) position.emplace(members_[i], i);
    // change[k]: how many more results a beginning that ends with member k has than the one before.
    std::vector<int> change(members_.size() + 1, 0);
    for (size_t i = 0; i < members_.size(); ++i) {
      ++change[i];
      --change[last_use(*members_[i], position)];
    }
    size_t best = 1;
    int outputs = 0;
    for (size_t k = 0; k < members_.size(); ++k) {
      outputs += change[k];
      if (outputs == 1) best = k + 1;
    }
    while (best > 1 && has_trait(*members_[best - 1], Trait::view)) --best;  // a view at the end is free where it is
    members_.resize(best);
  }

  // Position of the last member that reads op; one past the end where others read it too.
  size_t last_use(const Operation& op, const std::unordered_map<const Operation*, size_t>& position) const {
    size_t last = 0;
    for (const Value* result : op.results()) {
      for (const Use& use : result->uses()) {
        auto found = position.find(use.user);
        if (found == position.end()) return members_.size();
        last = std::max(last, found->second);
      }
    }
    return last == 0 ? members_.size() : last;
  }

  // Operands of members, last first, so that an op is looked at when all that reads it has joined.
  void find_producers(Group& group) {
    std::set<const Operation*> members(members_.begin(), members_.end());
    // What is copied stays where it was too: what it reads is read outside.
    std::set<const Operation*> moved = members;
    const Earlier earlier{&order_};
    Queue queue(earlier);
    for (Operation* member : members_) enqueue_operands(*member, queue);
    while (!queue.empty()) {
      Operation* op = *std::prev(queue.end());
      queue.erase(std::prev(queue.end()));
      if (members.contains(op)) continue;
      const bool all_inside = all_users_in(*op, moved);
      if (all_inside && kind_.takes_producer(*op, root_, members)) {
        group.steps.push_back({op, Join::producer, kind_.producer_rule});
        moved.insert(op);
      } else if (!all_inside && is_cheap_to_copy(*op) && kind_.takes_producer(*op, root_, members)) {
        group.steps.push_back({op, Join::copy, "copy-cheap"});
      } else {
        continue;
      }
      members.insert(op);
      enqueue_operands(*op, queue);
    }
  }

  void enqueue_operands(const Operation& op, Queue& queue) const {
    for (const Value* operand : op.operands()) {
      Operation* producer = operand->definition();
      if (producer && producer->parent() == root_.parent()) queue.insert(producer);
    }
  }

  static bool all_users_in(const Operation& op, const std::set<const Operation*>& members) {
    for (const Value* result : op.results()) {
      for (const Use& use : result->uses()) {
        if (!members.contains(use.user)) return false;
      }
    }
    return true;
  }

  Operation& root_;
  const Order& order_;
  const Kind& kind_;
  std::vector<Operation*> members_;  // in program order
};

}  // namespace

Group plan_contraction(Operation& root, const Order& order) { return Planner(root, order, contraction_kind).plan(); }
Group plan_row(Operation& root, const Order& order) { return Planner(root, order, row_kind).plan(); }
Group plan_loop(Operation& root, const Order& order) { return Planner(root, order, loop_kind).plan(); }

}  // namespace stele::fusion
