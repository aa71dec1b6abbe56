// Every fault this build can inject: those of core/debug, and those of the codegen stage.
#pragma once

#include <span>

#include "core/debug/faults.h"

namespace stele {

std::span<const Fault> all_faults();

}  // namespace stele
