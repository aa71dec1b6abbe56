#include "core/ir/cursor.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace stele {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }

}  // namespace

void Cursor::skip() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool Cursor::eat(std::string_view token) {
  skip();
  if (text_.substr(at_, token.size()) != token) return false;
  const size_t end = at_ + token.size();
  if (is_word(token.back()) && end < text_.size() && is_word(text_[end])) return false;
  at_ = end;
  return true;
}

std::string_view Cursor::word(bool dashes) {
  skip();
  const size_t start = at_;
  while (at_ < text_.size() && (is_word(text_[at_]) || (dashes && text_[at_] == '-'))) ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view Cursor::expect_word(const char* what) {
  const std::string_view found = word();
  if (found.empty()) error("expected " + std::string(what));
  return found;
}

std::string Cursor::string() {
  expect("\"");
  const size_t start = at_;
  std::string out;
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '\\' && at_ < text_.size()) {
      c = text_[at_++];
      unsigned value = 0;
      if (c == 'n') {
        c = '\n';
      } else if (c == 't') {
        c = '\t';
      } else if (std::isxdigit(static_cast<unsigned char>(c)) && at_ < text_.size()) {
        const char pair[] = {c, text_[at_]};
        if (std::from_chars(pair, pair + 2, value, 16).ptr == pair + 2) {
          ++at_;
          c = static_cast<char>(value);
        }
      }
    }
    out += c;
  }
  if (at_ >= text_.size()) error_at(start, "string has no end");
  ++at_;
  return out;
}

int64_t Cursor::integer() {
  skip();
  int64_t value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (status != std::errc()) error("expected an integer");
  at_ += static_cast<size_t>(end - begin);
  return value;
}

std::string_view Cursor::number() {
  skip();
  const size_t start = at_;
  if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool exponent_sign = (c == '+' || c == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
                               text_.substr(start, 2) != "0x";
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && !exponent_sign) break;
    ++at_;
  }
  if (at_ == start) error("expected a number");
  return text_.substr(start, at_ - start);
}

std::string_view Cursor::until_balanced(char close) {
  const size_t start = at_;
  std::string stack(1, close);
  while (at_ < text_.size()) {
    if (text_.substr(at_, 2) == "//") skip();
    if (at_ >= text_.size()) break;
    const char c = text_[at_++];
    if (c == '"') {
      --at_;
      string();
      continue;
    }
    if (c == '(') stack += ')';
    if (c == '[') stack += ']';
    if (c == '{') stack += '}';
    if (c == '<') stack += '>';
    if (c == '>' && at_ >= 2 && text_[at_ - 2] == '-') continue;  // an arrow
    if (c == stack.back()) {
      stack.pop_back();
      if (stack.empty()) return text_.substr(start, at_ - 1 - start);
    }
  }
  error_at(start, std::string("'") + close + "' is missing");
}

void Cursor::error_at(size_t offset, const std::string& message) const {
  const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t start = before.rfind('\n');
  const auto column = static_cast<int>(start == std::string_view::npos ? before.size() : before.size() - start - 1) + 1;
  throw Error(SourceLocation{file_, line, column}, message);
}

}  // namespace stele
