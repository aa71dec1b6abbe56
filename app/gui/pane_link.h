// Keeps the two graph panes on the same part of the program.
#pragma once

#include "app/gui/app_state.h"

namespace stele::app {

/// Where state.align_to names a side and the panes are linked: moves the other pane so that the counterpart of the op
/// nearest to the middle of that side stands at the same place of the screen. Where nothing has a counterpart, the
/// other pane stays. Clears align_to.
void align_panes(AppState& state);

}  // namespace stele::app
