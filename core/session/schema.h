// What a session file is: its mark, its version, its tables.
#pragma once

#include <string>

namespace stele {

constexpr int session_application_id = 0x5374456c;  // "StEl", in the header of every session
constexpr int session_version = 1;                  // PRAGMA user_version

// Makes the tables.
extern const char* const session_schema;
// Makes what only readers need, when everything is written: keeping indexes up to date costs more than building them.
extern const char* const session_indexes;

// Looks at the header of the file. Throws Error naming the file and why it is no session this program can read.
void check_session_header(const std::string& path);

}  // namespace stele
