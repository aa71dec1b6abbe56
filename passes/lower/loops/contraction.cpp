// The nest of a contraction with its epilogue: a block of rows at a time, so that what is read of the other operand is
// used for each of them; and a convolution's interior apart from its borders, so that it needs no checks.
#include <algorithm>

#include "core/ops/rules.h"
#include "core/ops/window.h"
#include "passes/lower/loops/roots.h"
#include "passes/lower/loops/subscripts.h"

namespace stele::loops {
namespace {

constexpr int64_t rows_at_once = 4;

bool is_elementwise_path(const Value* value, const Value* target, std::set<const Value*>& seen) {
  if (value == target || !value->definition() || !seen.insert(value).second) return true;
  const Operation& op = *value->definition();
  std::set<const Value*> below;
  const auto uses_target = [&](const Value* from, auto&& self) -> bool {
    if (from == target) return true;
    if (!from->definition() || !below.insert(from).second) return false;
    const auto& operands = from->definition()->operands();
    return std::any_of(operands.begin(), operands.end(), [&](const Value* operand) { return self(operand, self); });
  };
  if (!uses_target(value, uses_target)) return true;
  if (!has_trait(op, Trait::elementwise)) return false;
  return std::all_of(op.operands().begin(), op.operands().end(), [&](const Value* operand) { return is_elementwise_path(operand, target, seen); });
}

// A convolution's spatial axis where positions [first, last) see no padding.
struct Interior {
  bool splits = false;
  int64_t first = 0, last = 0;
};

class Contraction {
 public:
  Contraction(Elements& elements, const Operation& op, const std::vector<Root>& roots, bool is_dear)
      : elements_(elements), nest_(elements.nest()), op_(op), roots_(roots), shape_(op.result()->shape()), is_dear_(is_dear) {
    is_convolution_ = op.is("stablehlo.convolution");
    if (is_convolution_) {
      plan_convolution();
    } else {
      plan_dot();
    }
  }

  void emit() { emit_axis(0, {Index{}}); }

 private:
  void plan_dot() {
    const int lhs = op_.operand(0)->rank();
    const Ints batch = ints_attribute_or(op_, "lhs_batching_dimensions", {});
    const size_t summed = op_.is("stablehlo.dot") ? 1 : ints_attribute_or(op_, "lhs_contracting_dimensions", {}).size();
    const int free = lhs - static_cast<int>(batch.size()) - static_cast<int>(summed);
    if (free > 0) block_axis_ = static_cast<int>(batch.size()) + free - 1;
  }

  void plan_convolution() {
    const Ints& spatial = op_.get<Ints>("output_spatial_dimensions");
    if (op_.get_or<int64_t>("feature_group_count", 1) == 1) block_axis_ = static_cast<int>(op_.get<int64_t>("output_feature_dimension"));
    inside_.assign(spatial.size(), false);
    plan_joints(spatial);
    for (size_t i = 0; i < spatial.size(); ++i) plan_interior(i, static_cast<size_t>(spatial[i]));
  }

  // A window of one element at a stride of one, without padding: positions need not be told apart.
  void plan_joints(const Ints& spatial) {
    const size_t rank = spatial.size();
    const Ints ones(rank, 1);
    const Shape padding = padding_of(op_, rank);
    const Ints& x_spatial = op_.get<Ints>("input_spatial_dimensions");
    const Ints& w_spatial = op_.get<Ints>("kernel_spatial_dimensions");
    joined_.assign(shape_.size(), false);
    const bool pointwise = ints_attribute_or(op_, "window_strides", ones) == ones && ints_attribute_or(op_, "lhs_dilation", ones) == ones &&
                           std::all_of(padding.begin(), padding.end(), [](const Dim& d) { return d.is(0); }) &&
                           std::all_of(w_spatial.begin(), w_spatial.end(), [&](int64_t axis) { return op_.operand(1)->shape()[static_cast<size_t>(axis)].is(1); });
    if (!pointwise) return;
    std::set<const Value*> known = elements_.in_memory();
    known.insert(op_.result());
    for (size_t i = 0; i + 1 < rank; ++i) {
      const auto axis = static_cast<size_t>(spatial[i]);
      const bool adjacent = spatial[i + 1] == spatial[i] + 1 && x_spatial[i + 1] == x_spatial[i] + 1;
      joined_[axis] = adjacent && can_join(op_.operand(0), static_cast<size_t>(x_spatial[i]), elements_.in_memory()) &&
                      std::all_of(roots_.begin(), roots_.end(), [&](const Root& root) { return can_join(root.value, axis, known); });
    }
  }

  void plan_interior(size_t i, size_t axis) {
    const size_t rank = inside_.size();
    const Ints ones(rank, 1);
    const Shape padding = padding_of(op_, rank);
    const Dim extent = op_.operand(0)->shape()[static_cast<size_t>(op_.get<Ints>("input_spatial_dimensions")[i])];
    const Dim window = op_.operand(1)->shape()[static_cast<size_t>(op_.get<Ints>("kernel_spatial_dimensions")[i])];
    if (ints_attribute_or(op_, "lhs_dilation", ones)[i] != 1) return;
    if (!extent.is_static() || !window.is_static() || !padding[2 * i].is_static() || !shape_[axis].is_static()) return;
    if (padding[2 * i].is(0) && padding[2 * i + 1].is(0)) return;
    const int64_t stride = ints_attribute_or(op_, "window_strides", ones)[i], dilation = ints_attribute_or(op_, "rhs_dilation", ones)[i];
    const int64_t low = padding[2 * i].value(), room = extent.value() + low - (window.value() - 1) * dilation - 1;
    Interior& interior = interior_[axis];
    interior.first = std::clamp<int64_t>((std::max<int64_t>(low, 0) + stride - 1) / stride, 0, shape_[axis].value());
    interior.last = std::clamp<int64_t>(room < 0 ? 0 : room / stride + 1, interior.first, shape_[axis].value());
    interior.splits = interior.last > interior.first;
    interior_window_[axis] = i;
  }

  using Block = std::vector<Index>;

  void emit_axis(size_t axis, const Block& block) {
    if (axis == shape_.size()) return emit_elements(block);
    if (static_cast<int>(axis) == block_axis_) return emit_rows(axis, block);
    if (axis < joined_.size() && joined_[axis]) {
      Block next = block;
      for (Index& index : next) index.push_back(nullptr);
      extent_ = extent_ * shape_[axis];
      return emit_axis(axis + 1, next);
    }
    const Dim extent = std::exchange(extent_, Dim(1)) * shape_[axis];
    auto found = interior_.find(axis);
    if (found == interior_.end() || !found->second.splits) return emit_range(axis, block, nest_.integer(0), nest_.dim(extent));
    const Interior interior = found->second;
    const size_t window = interior_window_[axis];
    emit_range(axis, block, nest_.integer(0), nest_.integer(interior.first));
    inside_[window] = true;
    emit_range(axis, block, nest_.integer(interior.first), nest_.integer(interior.last));
    inside_[window] = false;
    emit_range(axis, block, nest_.integer(interior.last), nest_.dim(extent));
  }

  void emit_range(size_t axis, const Block& block, Value* lower, Value* upper) {
    int64_t first = 0, last = 0;
    const bool is_static = nest_.is_integer(lower, &first) && nest_.is_integer(upper, &last);
    if (is_static && last <= first) return;
    const bool one = is_static && last == first + 1;
    Value* at = one ? lower : nest_.open(lower, upper).iv;
    Block next = block;
    for (Index& index : next) index.push_back(at);
    emit_axis(axis + 1, next);
    if (!one) nest_.close();
  }

  // `rows_at_once` rows in each iteration, then those that remain one by one.
  void emit_rows(size_t axis, const Block& block) {
    if (is_dear_ && can_stage(axis)) return emit_staged_rows(axis, block);
    const Dim& size = shape_[axis];
    const int64_t rows = size.is_static() ? std::min(rows_at_once, size.value()) : rows_at_once;
    if (rows <= 1) return emit_range(axis, block, nest_.integer(0), nest_.dim(size));
    Value* end = nest_.dim(size);
    Value* whole = nest_.subtract(end, nest_.remainder(end, nest_.integer(rows)));
    const bool once = size.is(rows);
    Value* first = once ? nest_.integer(0) : nest_.open(nest_.integer(0), whole, {}, rows).iv;
    Block next;
    for (int64_t row = 0; row < rows; ++row) {
      Index index = block.front();
      index.push_back(nest_.add(first, nest_.integer(row)));
      next.push_back(index);
    }
    emit_axis(axis + 1, next);
    if (!once) nest_.close();
    if (!size.is_static() || size.value() % rows != 0) emit_range(axis, block, whole, end);
  }

  bool can_stage(size_t axis) const {
    const Dim inner = element_count(Shape(shape_.begin() + static_cast<long>(axis) + 1, shape_.end()));
    return inner.is_static() && inner.value() * rows_at_once <= most_row_elements;
  }

  // Sums of a block go to scratch first, and what is computed from them follows in loops of its own: the code of a dear
  // function stands there once, not once a row.
  void emit_staged_rows(size_t axis, const Block& block) {
    const Dim& size = shape_[axis];
    const int64_t rows = size.is_static() ? std::max<int64_t>(1, std::min(rows_at_once, size.value())) : rows_at_once;
    Value* end = nest_.dim(size);
    Value* whole = nest_.subtract(end, nest_.remainder(end, nest_.integer(rows)));
    emit_staged_block(axis, block, rows, nest_.integer(0), whole);
    if (rows > 1 && (!size.is_static() || size.value() % rows != 0)) emit_staged_block(axis, block, 1, whole, end);
  }

  void emit_staged_block(size_t axis, const Block& block, int64_t rows, Value* lower, Value* upper) {
    Value* first = nest_.open(lower, upper, {}, rows).iv;
    Shape shape = {rows};
    shape.insert(shape.end(), shape_.begin() + static_cast<long>(axis) + 1, shape_.end());
    stage_ = nest_.alloc(Type::buffer(op_.result()->dtype(), shape));
    stage_axis_ = axis;
    Block next;
    for (int64_t row = 0; row < rows; ++row) {
      Index index = block.front();
      index.push_back(nest_.add(first, nest_.integer(row)));
      next.push_back(index);
    }
    emit_axis(axis + 1, next);
    Value* const stage = std::exchange(stage_, nullptr);
    Value* row = rows == 1 ? nest_.integer(0) : nest_.open(nest_.integer(0), nest_.integer(rows)).iv;
    Index index = block.front(), staged = {row};
    index.push_back(nest_.add(first, row));
    int opened = rows == 1 ? 0 : 1;
    Dim extent = 1;
    for (size_t inner = axis + 1; inner < shape_.size(); ++inner) {
      extent = extent * shape_[inner];
      Value* at = nullptr;
      if (inner >= joined_.size() || !joined_[inner]) {
        at = extent.is(1) ? nest_.integer(0) : nest_.open(nest_.integer(0), nest_.dim(extent)).iv;
        opened += extent.is(1) ? 0 : 1;
        extent = 1;
      }
      index.push_back(at);
      staged.push_back(at);
    }
    elements_.know(op_.result(), index, nest_.load(stage, staged, nest_.depth()));
    for (const Root& root : roots_) nest_.store(elements_.element(root.value, index), root.buffer, index);
    for (; opened > 0; --opened) nest_.close();
    nest_.close();
  }

  void emit_elements(const Block& block) {
    const std::vector<Value*> values = elements_.contract(op_, block, inside_);
    if (stage_) {
      for (size_t i = 0; i < block.size(); ++i) {
        Index staged = {nest_.integer(static_cast<int64_t>(i))};
        staged.insert(staged.end(), block[i].begin() + static_cast<long>(stage_axis_) + 1, block[i].end());
        nest_.store(values[i], stage_, staged);
      }
      return;
    }
    for (size_t i = 0; i < block.size(); ++i) elements_.know(op_.result(), block[i], values[i]);
    for (const Index& index : block) {
      for (const Root& root : roots_) nest_.store(elements_.element(root.value, index), root.buffer, index);
    }
  }

  Elements& elements_;
  Nest& nest_;
  const Operation& op_;
  const std::vector<Root>& roots_;
  const Shape shape_;
  const bool is_dear_;        // what follows holds dear functions
  Value* stage_ = nullptr;    // scratch of the block being computed
  size_t stage_axis_ = 0;
  bool is_convolution_ = false;
  int block_axis_ = -1;
  std::vector<bool> joined_;  // axis with the next
  std::vector<bool> inside_;  // by window axis
  std::map<size_t, Interior> interior_;
  std::map<size_t, size_t> interior_window_;
  Dim extent_ = 1;  // of joined dims so far
};

}  // namespace

bool is_epilogue(const Operation& contraction, const std::vector<Root>& roots) {
  std::set<const Value*> seen;
  return std::all_of(roots.begin(), roots.end(), [&](const Root& root) {
    return root.value->shape() == contraction.result()->shape() && is_elementwise_path(root.value, contraction.result(), seen);
  });
}

void emit_contraction(Elements& elements, const Operation& contraction, const std::vector<Root>& roots, bool is_dear) {
  Contraction(elements, contraction, roots, is_dear).emit();
}

}  // namespace stele::loops
