// Where tests find files, and how a test says that it cannot run here.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace stele::test {

// The root of this checkout.
std::filesystem::path source_dir();

// A file or folder of the team's shared material (models, cases, dumps): $STELE_SHARED, or the folder `shared` beside
// the checkout. Nothing when it is not there, as in a newcomer's clone: then call skip() and return.
std::optional<std::filesystem::path> shared(std::string_view relative);

// ONNX's own test cases (Debian's libonnx-testdata), for example onnx_testdata("node/test_add").
std::optional<std::filesystem::path> onnx_testdata(std::string_view relative);

// Whether $STELE_LONG asks for the long form of a test (tests/run.sh --long).
bool long_mode();

// Prints "SKIPPED <name>: <why>". The caller returns; a skipped test is seen in the log, and is no failure.
void skip(std::string_view name, std::string_view why);

}  // namespace stele::test
