// Stele's own pipeline, as data.
#pragma once

#include "core/pass/pipeline.h"

namespace stele {

const Pipeline& stele_pipeline();

}  // namespace stele
