// A document without a file: a transformer through eleven passes, as the app tests open it.
#pragma once

#include "app/gui/document.h"

namespace stele::app::testing {

/// Passes over a decoder of `layers` layers: capture, cleanups, decomposition, fusion … Some change nothing.
Document transformer_document(int layers);

}  // namespace stele::app::testing
