// The file dialog's model: a folder's entries, no window.
#pragma once

#include <string>

#include "app/gui/app_state.h"

namespace stele::app::open_dialog {

/// Opens the dialog in the folder where it was last, or the current one.
void show(OpenDialogState& state);

/// Goes to a folder and lists it: folders, then models and sessions. A folder that cannot be read is listed as empty.
void enter(OpenDialogState& state, const std::string& folder);

/// Whether the file's ending is one that Stele opens.
bool is_openable(const std::string& name);

}  // namespace stele::app::open_dialog
