#include "core/ir/dim.h"

#include <algorithm>
#include <cctype>
#include <functional>

#include "core/ir/error.h"

namespace stele {
namespace {

int64_t checked_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) fail("dimension overflows: {} + {}", a, b);
  return r;
}

int64_t checked_mul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) fail("dimension overflows: {} * {}", a, b);
  return r;
}

int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) fail("dimension divides {} by zero", a);
  if (b == -1) return checked_mul(a, -1);
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

enum class AtomKind { symbol, floor_div, mod, max, min };

// What a monomial is a product of: a symbol, or an operation that is no polynomial.
struct Atom {
  AtomKind kind;
  Dim lhs, rhs;
  std::string key;  // the text, which is the identity
};
using AtomRef = std::shared_ptr<const Atom>;

struct Term {
  int64_t coefficient;
  std::vector<AtomRef> atoms;  // sorted by key; empty: the constant term
  std::string key;             // product of the atoms' keys
};

std::string product_key(const std::vector<AtomRef>& atoms) {
  std::string key;
  for (const AtomRef& atom : atoms) key += (key.empty() ? "" : "*") + atom->key;
  return key;
}

}  // namespace

// Terms sorted by key, the constant last; no zero coefficient; never a lone constant.
struct DimPolynomial {
  std::vector<Term> terms;
  std::string text;

  static std::vector<Term> terms_of(const Dim& dim) {
    if (dim.expression_) return dim.expression_->terms;
    if (dim.constant_ == 0) return {};
    return {Term{dim.constant_, {}, ""}};
  }

  static Dim make(std::vector<Term> terms) {
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
      if (a.key.empty() != b.key.empty()) return b.key.empty();
      return a.key < b.key;
    });
    std::vector<Term> merged;
    for (Term& term : terms) {
      if (!merged.empty() && merged.back().key == term.key) {
        merged.back().coefficient = checked_add(merged.back().coefficient, term.coefficient);
      } else {
        merged.push_back(std::move(term));
      }
      if (merged.back().coefficient == 0) merged.pop_back();
    }
    if (merged.empty()) return Dim(0);
    if (merged.size() == 1 && merged[0].atoms.empty()) return Dim(merged[0].coefficient);
    auto polynomial = std::make_shared<DimPolynomial>();
    for (const Term& term : merged) polynomial->text += term_text(term, polynomial->text.empty());
    polynomial->terms = std::move(merged);
    Dim dim;
    dim.expression_ = std::move(polynomial);
    return dim;
  }

  static std::string term_text(const Term& term, bool first) {
    const int64_t c = term.coefficient;
    const std::string sign = first ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    const std::string magnitude = c < 0 ? std::to_string(c).substr(1) : std::to_string(c);
    if (term.atoms.empty()) return sign + magnitude;
    return sign + (magnitude == "1" ? "" : magnitude + "*") + term.key;
  }

  static Dim atom(AtomKind kind, Dim lhs, Dim rhs, std::string key) {
    auto ref = std::make_shared<const Atom>(Atom{kind, std::move(lhs), std::move(rhs), key});
    return make({Term{1, {ref}, std::move(key)}});
  }

  static Dim symbol(const std::string& name) { return atom(AtomKind::symbol, 0, 0, name); }
};

namespace {

std::string operand_text(const Dim& dim) {
  const std::string text = dim.str();
  const bool simple = std::all_of(text.begin(), text.end(), [](char c) { return std::isalnum(c) || c == '_' || c == '.'; });
  return simple ? text : "(" + text + ")";
}

Dim rebuild(const Atom& atom, const Dim& a, const Dim& b) {
  switch (atom.kind) {
    case AtomKind::floor_div: return Dim::floor_div(a, b);
    case AtomKind::mod: return Dim::mod(a, b);
    case AtomKind::max: return Dim::max(a, b);
    case AtomKind::min: return Dim::min(a, b);
    case AtomKind::symbol: break;
  }
  return Dim::symbol(atom.key);
}

// Recursive descent over: sum := term (('+'|'-') term)*; term := unary (('*'|floordiv|ceildiv|mod) unary)*.
class DimParser {
 public:
  explicit DimParser(std::string_view text) : text_(text) {}

  Dim parse() {
    Dim dim = sum();
    skip();
    if (at_ != text_.size()) fail("dimension '{}': unexpected '{}'", text_, text_.substr(at_));
    return dim;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool eat(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  Dim sum() {
    if (++depth_ > 200) fail("dimension '{}' is nested too deeply", text_.substr(0, 40));
    Dim dim = eat("-") ? Dim(0) - term() : term();
    while (true) {
      if (eat("+")) {
        dim = dim + term();
      } else if (eat("-")) {
        dim = dim - term();
      } else {
        --depth_;
        return dim;
      }
    }
  }
  Dim term() {
    Dim dim = primary();
    while (true) {
      if (eat("*")) {
        dim = dim * primary();
      } else if (eat("floordiv ")) {
        dim = Dim::floor_div(dim, primary());
      } else if (eat("mod ")) {
        dim = Dim::mod(dim, primary());
      } else {
        return dim;
      }
    }
  }
  Dim primary() {
    if (eat("(")) {
      Dim dim = sum();
      expect(")");
      return dim;
    }
    if (eat("max(")) return pair(Dim::max);
    if (eat("min(")) return pair(Dim::min);
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.')) ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (word.empty()) fail("dimension '{}': expected a number or a symbol", text_);
    if (!std::isdigit(static_cast<unsigned char>(word[0]))) return Dim::symbol(word);
    int64_t value = 0;
    for (char c : word) {
      if (!std::isdigit(static_cast<unsigned char>(c))) fail("dimension '{}': '{}' is not a number", text_, word);
      value = checked_add(checked_mul(value, 10), c - '0');
    }
    return value;
  }
  Dim pair(Dim (*combine)(const Dim&, const Dim&)) {
    Dim a = sum();
    expect(",");
    Dim b = sum();
    expect(")");
    return combine(a, b);
  }
  void expect(std::string_view token) {
    if (!eat(token)) fail("dimension '{}': expected '{}'", text_, token);
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Dim Dim::symbol(const std::string& name) { return DimPolynomial::symbol(name); }

int64_t Dim::value() const {
  if (!is_static()) fail("dimension '{}' is not static", str());
  return constant_;
}

int64_t Dim::evaluate(const Binding& binding) const {
  if (is_static()) return constant_;
  int64_t total = 0;
  for (const Term& term : expression_->terms) {
    int64_t product = term.coefficient;
    for (const AtomRef& atom : term.atoms) {
      int64_t value;
      if (atom->kind == AtomKind::symbol) {
        auto found = binding.find(atom->key);
        if (found == binding.end()) fail("dimension '{}' has no value (give it with --dim {}=N)", atom->key, atom->key);
        value = found->second;
      } else {
        value = rebuild(*atom, atom->lhs.evaluate(binding), atom->rhs.evaluate(binding)).value();
      }
      product = checked_mul(product, value);
    }
    total = checked_add(total, product);
  }
  return total;
}

Dim Dim::substitute(const std::map<std::string, Dim>& replacements) const {
  if (is_static()) return *this;
  Dim total = 0;
  for (const Term& term : expression_->terms) {
    Dim product = term.coefficient;
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind == AtomKind::symbol) {
        auto found = replacements.find(atom->key);
        product = product * (found == replacements.end() ? symbol(atom->key) : found->second);
      } else {
        product = product * rebuild(*atom, atom->lhs.substitute(replacements), atom->rhs.substitute(replacements));
      }
    }
    total = total + product;
  }
  return total;
}

void Dim::collect_symbols(std::set<std::string>& symbols) const {
  if (is_static()) return;
  for (const Term& term : expression_->terms) {
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind == AtomKind::symbol) symbols.insert(atom->key);
      atom->lhs.collect_symbols(symbols);
      atom->rhs.collect_symbols(symbols);
    }
  }
}

std::string Dim::str() const { return is_static() ? std::to_string(constant_) : expression_->text; }

Dim Dim::parse(std::string_view text) { return DimParser(text).parse(); }

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return checked_add(a.constant_, b.constant_);
  std::vector<Term> terms = DimPolynomial::terms_of(a);
  for (Term& term : DimPolynomial::terms_of(b)) terms.push_back(std::move(term));
  return DimPolynomial::make(std::move(terms));
}

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return checked_mul(a.constant_, b.constant_);
  std::vector<Term> terms;
  const std::vector<Term> right = DimPolynomial::terms_of(b);
  for (const Term& x : DimPolynomial::terms_of(a)) {
    for (const Term& y : right) {
      Term term{checked_mul(x.coefficient, y.coefficient), x.atoms, ""};
      term.atoms.insert(term.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::sort(term.atoms.begin(), term.atoms.end(), [](const AtomRef& p, const AtomRef& q) { return p->key < q->key; });
      term.key = product_key(term.atoms);
      terms.push_back(std::move(term));
    }
  }
  return DimPolynomial::make(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

bool operator==(const Dim& a, const Dim& b) {
  if (a.is_static() || b.is_static()) return a.is_static() && b.is_static() && a.constant_ == b.constant_;
  return a.expression_ == b.expression_ || a.expression_->text == b.expression_->text;
}

bool operator<(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return a.constant_ < b.constant_;
  if (a.is_static() != b.is_static()) return a.is_static();
  return a.expression_->text < b.expression_->text;
}

Dim Dim::floor_div(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return floor_divide(a.constant_, b.constant_);
  if (auto exact = exact_div(a, b)) return *exact;
  return DimPolynomial::atom(AtomKind::floor_div, a, b, "(" + operand_text(a) + " floordiv " + operand_text(b) + ")");
}

Dim Dim::ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - 1, b); }

Dim Dim::mod(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return a.constant_ - floor_divide(a.constant_, b.constant_) * b.constant_;
  if (exact_div(a, b)) return 0;
  return DimPolynomial::atom(AtomKind::mod, a, b, "(" + operand_text(a) + " mod " + operand_text(b) + ")");
}

Dim Dim::max(const Dim& a, const Dim& b) {
  const Dim difference = a - b;
  if (difference.is_static()) return difference.constant_ >= 0 ? a : b;
  const bool swap = b < a;
  const Dim &x = swap ? b : a, &y = swap ? a : b;
  return DimPolynomial::atom(AtomKind::max, x, y, "max(" + x.str() + ", " + y.str() + ")");
}

Dim Dim::min(const Dim& a, const Dim& b) {
  const Dim difference = a - b;
  if (difference.is_static()) return difference.constant_ <= 0 ? a : b;
  const bool swap = b < a;
  const Dim &x = swap ? b : a, &y = swap ? a : b;
  return DimPolynomial::atom(AtomKind::min, x, y, "min(" + x.str() + ", " + y.str() + ")");
}

std::optional<Dim> Dim::exact_div(const Dim& a, const Dim& b) {
  if (b.is(0)) return std::nullopt;
  const std::vector<Term> divisor = DimPolynomial::terms_of(b);
  if (divisor.size() != 1) return a == b ? std::optional<Dim>(1) : std::nullopt;
  std::vector<Term> quotient;
  if (divisor[0].coefficient == -1) return exact_div(Dim(0) - a, Dim(0) - b);
  for (const Term& term : DimPolynomial::terms_of(a)) {
    if (term.coefficient % divisor[0].coefficient != 0) return std::nullopt;
    Term q{term.coefficient / divisor[0].coefficient, term.atoms, ""};
    for (const AtomRef& atom : divisor[0].atoms) {
      auto found = std::find_if(q.atoms.begin(), q.atoms.end(), [&](const AtomRef& x) { return x->key == atom->key; });
      if (found == q.atoms.end()) return std::nullopt;
      q.atoms.erase(found);
    }
    q.key = product_key(q.atoms);
    quotient.push_back(std::move(q));
  }
  return DimPolynomial::make(std::move(quotient));
}

bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_static(); });
}

Dim element_count(const Shape& shape) {
  Dim count = 1;
  for (const Dim& d : shape) count = count * d;
  return count;
}

std::vector<int64_t> evaluate(const Shape& shape, const Binding& binding) {
  std::vector<int64_t> sizes;
  for (const Dim& d : shape) sizes.push_back(d.evaluate(binding));
  return sizes;
}

std::vector<int64_t> static_sizes(const Shape& shape) { return evaluate(shape, {}); }

Shape make_shape(const std::vector<int64_t>& sizes) { return Shape(sizes.begin(), sizes.end()); }

}  // namespace stele
