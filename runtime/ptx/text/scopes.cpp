#include "runtime/ptx/text/scopes.h"

#include "llvm/ADT/StringExtras.h"

namespace hone::ptx {

Scopes::Scopes() : parents_{-1} {}

void Scopes::open() {
  open_.push_back({current_, hidden_.size()});
  parents_.push_back(current_);
  current_ = static_cast<int>(parents_.size()) - 1;
}

void Scopes::close() {
  const Open scope = open_.back();
  open_.pop_back();
  for (; hidden_.size() > scope.hidden; hidden_.pop_back())
    (*hidden_.back().names)[hidden_.back().key] = hidden_.back().name;
  current_ = scope.parent;
}

void Scopes::add(Names& names, llvm::StringRef key, const Token& token, Name name) {
  Name& known = names[key];
  if (known.kind != Name::Kind::none && known.scope == current_)
    fail_at(token.line, "{} is declared twice", token.text.str());
  hidden_.push_back({&names, key, known});
  name.scope = current_;
  name.depth = static_cast<int>(open_.size());
  known = name;
}

void Scopes::add_registers(const Token& name, Name registers, bool is_range) {
  registers.kind = Name::Kind::reg;
  add(is_range ? ranges_ : names_, name.text, name, registers);
}

void Scopes::add_variable(const Token& name, std::string unique) {
  const auto number = static_cast<uint32_t>(variable_names_.size());
  add(names_, name.text, name, {.kind = Name::Kind::variable, .number = number});
  variable_names_.push_back(std::move(unique));
}

/// %r12 of %r<25>.
Name Scopes::find_in_range(llvm::StringRef name) const {
  if (!llvm::isDigit(name.back())) return {};
  const llvm::StringRef prefix = name.rtrim("0123456789");
  Name result = ranges_.lookup(prefix);
  uint32_t number = 0;
  if (name.drop_front(prefix.size()).getAsInteger(10, number) || number >= result.count) return {};
  result.number += number * result.width;
  return result;
}

Name Scopes::find(llvm::StringRef name) const {
  const Name in_range = find_in_range(name);
  if (in_range.kind == Name::Kind::reg && in_range.scope == current_) return in_range;
  const Name alone = names_.lookup(name);
  const bool is_nearer = alone.kind != Name::Kind::none && alone.depth >= in_range.depth;
  return is_nearer || in_range.kind == Name::Kind::none ? alone : in_range;
}

std::string Scopes::add_label(const Token& name) {
  const auto [place, is_new] = labels_.try_emplace({name.text, current_});
  if (!is_new) fail_at(name.line, "label {} is declared twice", name.text.str());
  const int uses = ++label_uses_[name.text];
  place->second = uses == 1 ? name.text.str() : fmt::format("{}.{}", name.text.str(), uses);
  return place->second;
}

const std::string* Scopes::find_label(llvm::StringRef name, int scope) const {
  for (; scope >= 0; scope = parents_[scope]) {
    const auto found = labels_.find({name, scope});
    if (found != labels_.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace hone::ptx
