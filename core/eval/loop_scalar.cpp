#include "core/eval/loop_scalar.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ir/numerics.h"
#include "core/ir/tensor.h"

namespace stele {
namespace {

int64_t wrapped(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::i32: return static_cast<int32_t>(value);
    case DType::i16: return static_cast<int16_t>(value);
    case DType::i8: return static_cast<int8_t>(value);
    case DType::u32: return static_cast<uint32_t>(value);
    case DType::u16: return static_cast<uint16_t>(value);
    case DType::u8: return static_cast<uint8_t>(value);
    case DType::boolean: return value != 0;
    default: return value;
  }
}

void normalize(DType dtype, Cell* cells, int lanes) {
  if (is_float(dtype)) {
    if (dtype == DType::f64) return;
    for (int i = 0; i < lanes; ++i) cells[i].f = round_to(dtype, cells[i].f);
  } else {
    for (int i = 0; i < lanes; ++i) cells[i].i = wrapped(dtype, cells[i].i);
  }
}

void apply_function(const ScalarOp& op, Cell* result, const Cell* const inputs[3], int lanes) {
  op.function(op.to, lanes, inputs[0], inputs[1], result);
  normalize(op.to, result, lanes);
}

const Cell& lane_of(const ScalarOp& op, const Cell* const inputs[3], int operand, int lane) {
  return inputs[operand][op.broadcast[operand] ? 0 : lane];
}

enum Direction { eq, ne, ge, gt, le, lt };

template <typename Number>
bool holds(int direction, Number a, Number b) {
  switch (direction) {
    case eq: return a == b;
    case ne: return a != b;
    case ge: return a >= b;
    case gt: return a > b;
    case le: return a <= b;
    default: return a < b;
  }
}

// -NaN < -inf < … < -0 < +0 < … < inf < NaN
int64_t total_order_key(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? std::numeric_limits<int64_t>::min() - bits - 1 : bits;
}

void apply_compare(const ScalarOp& op, Cell* result, const Cell* const inputs[3], int lanes) {
  for (int lane = 0; lane < lanes; ++lane) {
    const Cell a = inputs[0][lane], b = inputs[1][lane];
    if (is_float(op.from) && op.total_order) {
      result[lane].i = holds(op.direction, total_order_key(a.f), total_order_key(b.f));
    } else if (is_float(op.from)) {
      result[lane].i = holds(op.direction, a.f, b.f);
    } else if (is_unsigned_int(op.from)) {
      result[lane].i = holds(op.direction, static_cast<uint64_t>(a.i), static_cast<uint64_t>(b.i));
    } else {
      result[lane].i = holds(op.direction, a.i, b.i);
    }
  }
}

void apply_select(const ScalarOp& op, Cell* result, const Cell* const inputs[3], int lanes) {
  for (int lane = 0; lane < lanes; ++lane) {
    result[lane] = lane_of(op, inputs, 0, lane).i ? inputs[1][lane] : inputs[2][lane];
  }
}

void apply_clamp(const ScalarOp& op, Cell* result, const Cell* const inputs[3], int lanes) {
  for (int lane = 0; lane < lanes; ++lane) {
    const Cell low = lane_of(op, inputs, 0, lane), x = inputs[1][lane], high = lane_of(op, inputs, 2, lane);
    if (is_float(op.to)) {
      const bool nan = std::isnan(x.f) || std::isnan(low.f) || std::isnan(high.f);
      result[lane].f = nan ? NAN : std::min(std::max(x.f, low.f), high.f);
    } else if (is_unsigned_int(op.to)) {
      const auto u = [](Cell c) { return static_cast<uint64_t>(c.i); };
      result[lane].i = static_cast<int64_t>(std::min(std::max(u(x), u(low)), u(high)));
    } else {
      result[lane].i = std::min(std::max(x.i, low.i), high.i);
    }
  }
}

void apply_is_finite(const ScalarOp&, Cell* result, const Cell* const inputs[3], int lanes) {
  for (int lane = 0; lane < lanes; ++lane) result[lane].i = std::isfinite(inputs[0][lane].f);
}

void apply_convert(const ScalarOp& op, Cell* result, const Cell* const inputs[3], int lanes) {
  for (int lane = 0; lane < lanes; ++lane) {
    const Cell x = inputs[0][lane];
    if (is_float(op.from) && is_float(op.to)) {
      result[lane].f = round_to(op.to, x.f);
    } else if (is_float(op.from)) {
      // Truncates and saturates as a tensor's conversion does.
      result[lane].i = op.to == DType::boolean ? x.f != 0 : Tensor::scalar(DType::f64, x.f).converted(op.to == DType::index ? DType::i64 : op.to).get_int(0);
    } else if (is_float(op.to)) {
      const bool wide_unsigned = op.from == DType::u64;
      result[lane].f = round_to(op.to, wide_unsigned ? static_cast<double>(static_cast<uint64_t>(x.i)) : static_cast<double>(x.i));
    } else {
      result[lane].i = wrapped(op.to, x.i);
    }
  }
}

int direction_of(const Operation& op) {
  constexpr std::string_view names[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const auto& given = op.get<std::string>("comparison_direction");
  for (int i = 0; i < 6; ++i) {
    if (given == names[i]) return i;
  }
  fail("{}: comparison_direction is '{}'", op.describe(), given);
}

}  // namespace

double round_to(DType dtype, double value) {
  switch (dtype) {
    case DType::f32: return static_cast<float>(value);
    case DType::f16: return f16_to_double(double_to_f16(value));
    case DType::bf16: return bf16_to_double(double_to_bf16(value));
    default: return value;
  }
}

ScalarOp scalar_op(const Operation& op, bool wide) {
  const auto widened = [&](DType dtype) { return wide && is_float(dtype) ? DType::f64 : dtype; };
  ScalarOp scalar;
  scalar.from = op.operand_count() > 0 ? widened(op.operand(0)->dtype()) : DType::f32;
  scalar.to = widened(op.result()->dtype());
  if (op.is("stablehlo.compare")) {
    scalar.apply = apply_compare;
    scalar.direction = direction_of(op);
    scalar.total_order = op.get_or<std::string>("compare_type", "") == "TOTALORDER";
  } else if (op.is("stablehlo.select")) {
    scalar.apply = apply_select;
  } else if (op.is("stablehlo.clamp")) {
    scalar.apply = apply_clamp;
  } else if (op.is("stablehlo.convert")) {
    scalar.apply = apply_convert;
  } else if (op.is("stablehlo.is_finite")) {
    scalar.apply = apply_is_finite;
  } else {
    scalar.apply = apply_function;
    scalar.function = op_def(op).lanes;
    if (!scalar.function) fail("{}: has no meaning on scalars and vectors", op.describe());
  }
  return scalar;
}

ScalarOp scalar_reduction(std::string_view kind, DType dtype, bool wide) {
  ScalarOp scalar;
  scalar.from = scalar.to = wide && is_float(dtype) ? DType::f64 : dtype;
  scalar.apply = apply_function;
  const OpDef* def = find_op("stablehlo." + std::string(kind));
  scalar.function = def ? def->lanes : nullptr;
  if (!scalar.function) fail("loop.reduce: kind '{}' is not known", kind);
  return scalar;
}

namespace {

template <typename T>
void load_as(const std::byte* data, int64_t at, int lanes, Cell* to) {
  for (int lane = 0; lane < lanes; ++lane) {
    T value;
    std::memcpy(&value, data + (at + lane) * static_cast<int64_t>(sizeof(T)), sizeof(T));
    to[lane].i = static_cast<int64_t>(value);
  }
}

template <typename T>
void store_as(std::byte* data, int64_t at, int lanes, const Cell* from) {
  for (int lane = 0; lane < lanes; ++lane) {
    const T value = static_cast<T>(from[lane].i);
    std::memcpy(data + (at + lane) * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

template <typename T, typename Read>
void load_float(const std::byte* data, int64_t at, int lanes, Cell* to, Read read) {
  for (int lane = 0; lane < lanes; ++lane) {
    T value;
    std::memcpy(&value, data + (at + lane) * static_cast<int64_t>(sizeof(T)), sizeof(T));
    to[lane].f = read(value);
  }
}

template <typename T, typename Write>
void store_float(std::byte* data, int64_t at, int lanes, const Cell* from, Write write) {
  for (int lane = 0; lane < lanes; ++lane) {
    const T value = write(from[lane].f);
    std::memcpy(data + (at + lane) * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

}  // namespace

void load_cells(DType dtype, const std::byte* data, int64_t at, int lanes, Cell* to) {
  switch (dtype) {
    case DType::f64: return load_float<double>(data, at, lanes, to, [](double v) { return v; });
    case DType::f32: return load_float<float>(data, at, lanes, to, [](float v) { return double{v}; });
    case DType::f16: return load_float<uint16_t>(data, at, lanes, to, f16_to_double);
    case DType::bf16: return load_float<uint16_t>(data, at, lanes, to, bf16_to_double);
    case DType::i64:
    case DType::index:
    case DType::u64: return load_as<int64_t>(data, at, lanes, to);
    case DType::i32: return load_as<int32_t>(data, at, lanes, to);
    case DType::i16: return load_as<int16_t>(data, at, lanes, to);
    case DType::i8: return load_as<int8_t>(data, at, lanes, to);
    case DType::u32: return load_as<uint32_t>(data, at, lanes, to);
    case DType::u16: return load_as<uint16_t>(data, at, lanes, to);
    case DType::u8:
    case DType::boolean: return load_as<uint8_t>(data, at, lanes, to);
    default: fail("loops cannot read elements of {}", name(dtype));
  }
}

void store_cells(DType dtype, std::byte* data, int64_t at, int lanes, const Cell* from) {
  switch (dtype) {
    case DType::f64: return store_float<double>(data, at, lanes, from, [](double v) { return v; });
    case DType::f32: return store_float<float>(data, at, lanes, from, [](double v) { return static_cast<float>(v); });
    case DType::f16: return store_float<uint16_t>(data, at, lanes, from, double_to_f16);
    case DType::bf16: return store_float<uint16_t>(data, at, lanes, from, double_to_bf16);
    case DType::i64:
    case DType::index:
    case DType::u64: return store_as<int64_t>(data, at, lanes, from);
    case DType::i32:
    case DType::u32: return store_as<uint32_t>(data, at, lanes, from);
    case DType::i16:
    case DType::u16: return store_as<uint16_t>(data, at, lanes, from);
    case DType::i8:
    case DType::u8:
    case DType::boolean: return store_as<uint8_t>(data, at, lanes, from);
    default: fail("loops cannot write elements of {}", name(dtype));
  }
}

}  // namespace stele
