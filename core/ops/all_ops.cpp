#include "core/ops/all_ops.h"

namespace stele {

std::span<OpFamily* const> op_families() {
  static OpFamily* const families[] = {
      control_ops,
      // One line a family, as its file lands.
  };
  return families;
}

}  // namespace stele
