// Assertions in programs: what `stele test` and the conformance programs hold results to.
#pragma once

#include "core/ir/error.h"

namespace stele {

// A program's own check does not hold: a mismatch, not bad input.
class CheckFailed : public Error {
 public:
  using Error::Error;
};

}  // namespace stele
