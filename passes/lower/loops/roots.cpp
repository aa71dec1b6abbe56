#include "passes/lower/loops/roots.h"

#include <algorithm>
#include <functional>

#include "core/ops/rules.h"
#include "passes/lower/loops/subscripts.h"

namespace stele::loops {
namespace {

// Where element `index` of a value goes in the buffer of its root.
using Place = std::function<Index(const Index& index)>;

struct Part {
  const Value* value;
  Value* buffer;
  Place place;
  std::set<size_t> apart;  // dims that must keep a subscript of their own
};

// Which joints of a shape (between axis and axis + 1) all parts can keep.
std::vector<bool> joints(const Elements& elements, const std::vector<Part>& parts) {
  const std::set<const Value*> known = elements.in_memory();
  std::vector<bool> joined;
  for (size_t axis = 0; axis + 1 < parts[0].value->shape().size(); ++axis) {
    joined.push_back(std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
      return !part.apart.contains(axis) && !part.apart.contains(axis + 1) && can_join(part.value, axis, known);
    }));
  }
  return joined;
}

// Opens loops over the axes [first, last) of shape; joined dims take one loop.
int open_axes(Nest& nest, const Shape& shape, size_t first, size_t last, const std::vector<bool>& joined, Index& index) {
  int opened = 0;
  Dim extent = 1;
  for (size_t axis = first; axis < last; ++axis) {
    extent = extent * shape[axis];
    if (axis + 1 < last && axis < joined.size() && joined[axis]) {
      index.push_back(nullptr);
      continue;
    }
    if (extent.is(1)) {
      index.push_back(nest.integer(0));
    } else {
      index.push_back(nest.open(nest.integer(0), nest.dim(extent)).iv);
      ++opened;
    }
    extent = 1;
  }
  return opened;
}

void close_axes(Nest& nest, int opened) {
  for (; opened > 0; --opened) nest.close();
}

void store_part(Elements& elements, const Part& part, const Index& index) {
  elements.nest().store(elements.element(part.value, index), part.buffer, part.place(index));
}

// Parts of one shape: one nest.
void emit_together(Elements& elements, const std::vector<Part>& parts) {
  Nest& nest = elements.nest();
  const Shape& shape = parts[0].value->shape();
  Index index;
  const int opened = open_axes(nest, shape, 0, shape.size(), joints(elements, parts), index);
  for (const Part& part : parts) store_part(elements, part, index);
  close_axes(nest, opened);
}

// Parts of several shapes: loops over the dims that all begin with, then one nest a part in the body.
void emit_apart(Elements& elements, const std::vector<Part>& parts) {
  Nest& nest = elements.nest();
  size_t common = parts[0].value->shape().size();
  for (const Part& part : parts) {
    const Shape &a = parts[0].value->shape(), &b = part.value->shape();
    size_t same = 0;
    while (same < std::min({common, a.size(), b.size()}) && a[same] == b[same]) ++same;
    common = same;
  }
  Index outer;
  const int opened = open_axes(nest, parts[0].value->shape(), 0, common, {}, outer);
  for (const Part& part : parts) {
    Index index = outer;
    const Shape& shape = part.value->shape();
    const int inner = open_axes(nest, shape, common, shape.size(), {}, index);
    store_part(elements, part, index);
    close_axes(nest, inner);
  }
  close_axes(nest, opened);
}

// Reshape merges or splits dims: a place can be said without division where each dim of the result is made of whole dims
// of the operand.
bool merges_only(const Shape& from, const Shape& to) {
  size_t i = 0;
  for (const Dim& dim : to) {
    Dim product = 1;
    while (product != dim && i < from.size()) product = product * from[i++];
    if (product != dim) return false;
  }
  return std::all_of(from.begin() + static_cast<long>(i), from.end(), [](const Dim& dim) { return dim.is(1); });
}

// A reshape or concatenation at the end of a kernel is where elements are put, not arithmetic on subscripts.
void peel(Elements& elements, const Part& part, std::vector<Part>& parts) {
  Nest& nest = elements.nest();
  const Operation* op = elements.buffer(part.value) ? nullptr : part.value->definition();
  if (op && op->is("stablehlo.reshape") && part.apart.empty() && merges_only(op->operand(0)->shape(), part.value->shape())) {
    const Value* from = op->operand(0);
    const auto place = [&nest, part, from](const Index& index) {
      return part.place(reshaped_index(nest, part.value->shape(), from->shape(), index));
    };
    return peel(elements, {from, part.buffer, place, {}}, parts);
  }
  if (op && op->is("stablehlo.concatenate")) {
    const auto along = static_cast<size_t>(op->get<int64_t>("dimension"));
    Dim start = 0;
    for (const Value* piece : op->operands()) {
      Value* offset = nest.dim(start);
      start = start + piece->shape()[along];
      if (piece->shape()[along].is(0)) continue;
      const auto place = [&nest, part, along, offset](const Index& index) {
        Index at = index;
        at[along] = nest.add(at[along], offset);
        return part.place(at);
      };
      std::set<size_t> apart = part.apart;
      apart.insert(along);
      peel(elements, {piece, part.buffer, place, apart}, parts);
    }
    return;
  }
  parts.push_back(part);
}

}  // namespace

void emit_roots(Elements& elements, const std::vector<Root>& roots) {
  std::vector<Part> parts;
  const Place here = [](const Index& index) { return index; };
  if (roots.size() == 1) {
    peel(elements, {roots[0].value, roots[0].buffer, here, {}}, parts);
    if (parts.size() == 1) return emit_together(elements, parts);
    for (const Part& part : parts) emit_together(elements, {part});
    return;
  }
  for (const Root& root : roots) parts.push_back({root.value, root.buffer, here, {}});
  const bool same = std::all_of(parts.begin(), parts.end(), [&](const Part& part) { return part.value->shape() == parts[0].value->shape(); });
  if (same) return emit_together(elements, parts);
  emit_apart(elements, parts);
}

}  // namespace stele::loops
