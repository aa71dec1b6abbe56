#include "app/compile/faults.h"

namespace stele {

std::span<const Fault> all_faults() {
  static const std::vector<Fault> table(core_faults().begin(), core_faults().end());
  return table;
}

}  // namespace stele
