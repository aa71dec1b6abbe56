// A cursor over IR text: skips blanks and comments, knows its line and column, fails with them.
#pragma once

#include <string>
#include <string_view>

#include "core/ir/error.h"

namespace stele {

class Cursor {
 public:
  Cursor(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool done() {
    skip();
    return at_ >= text_.size();
  }
  size_t offset() const { return at_; }
  void rewind(size_t offset) { at_ = offset; }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  // True and past it where the text goes on with `token`; a word is matched whole.
  bool eat(std::string_view token);
  bool ahead(std::string_view token) {
    const size_t start = at_;
    const bool found = eat(token);
    at_ = start;
    return found;
  }
  void expect(std::string_view token) {
    if (!eat(token)) error("expected '" + std::string(token) + "'");
  }
  // [A-Za-z0-9_.$]+ and '-' where asked for; empty where there is none.
  std::string_view word(bool dashes = false);
  std::string_view expect_word(const char* what);
  std::string string();           // a quoted string with MLIR's escapes
  int64_t integer();              // decimal, with a sign
  std::string_view number();      // the characters of a number: 1, -1.5e+00, 0x7FC00000
  std::string_view until_balanced(char close);  // up to the matching closer of a bracket already eaten, which is eaten too

  [[noreturn]] void error(const std::string& message) const { error_at(at_, message); }
  [[noreturn]] void error_at(size_t offset, const std::string& message) const;

 private:
  void skip();
  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
};

}  // namespace stele
