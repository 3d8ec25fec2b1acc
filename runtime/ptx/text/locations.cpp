#include "runtime/ptx/text/locations.h"

#include "runtime/ptx/text/constant.h"
#include "runtime/ptx/text/demangle.h"

namespace hone::ptx {
void Locations::parse_file(Lexer& lexer) {
  const int index = index_of_file(parse_integer(lexer));
  files_[index] = lexer.expect(TokenKind::string, "the name of a file").text.str();
  while (lexer.accept(',')) parse_integer(lexer);  // its time and its size
}

int Locations::index_of_file(int64_t number) {
  const auto [place, is_new] = file_numbers_.try_emplace(number, files_.size());
  if (is_new) files_.emplace_back();
  return place->second;
}

Locations::Place Locations::parse_place(Lexer& lexer) {
  Place result;
  result.file = parse_integer(lexer);
  result.line = parse_integer(lexer);
  result.column = parse_integer(lexer);
  return result;
}

Locations::Label Locations::parse_label(Lexer& lexer) {
  Label result;
  if (!lexer.at(TokenKind::word) && !lexer.at(TokenKind::dotted)) lexer.fail_expecting("a label");
  result.name = lexer.next().text;
  if (lexer.accept('+')) result.offset = parse_integer(lexer);
  return result;
}

int Locations::parse_location(Lexer& lexer) {
  const Place place = parse_place(lexer);
  Label function;
  int caller = -1;
  while (lexer.accept(',')) {
    if (lexer.accept(TokenKind::word, "function_name"))
      function = parse_label(lexer);
    else if (lexer.accept(TokenKind::word, "inlined_at"))
      caller = find(parse_place(lexer));
    else
      lexer.fail_expecting("function_name or inlined_at");
  }
  return add(place, caller, function);
}

uint64_t Locations::key_of(const Place& place) const {
  return static_cast<uint64_t>(place.file) << 54 ^ static_cast<uint64_t>(place.column) << 32 ^
         static_cast<uint64_t>(place.line);
}

int Locations::find(const Place& place) {
  const auto found = latest_.find(key_of(place));
  return found == latest_.end() ? add(place, -1, {}) : found->second;
}

int Locations::add(const Place& place, int caller, const Label& function) {
  const auto [known, is_new] = latest_.try_emplace(key_of(place), locations_.size());
  const bool is_same = !is_new && locations_[known->second].caller == caller &&
                       functions_[known->second] == function;
  if (is_same) return known->second;
  known->second = static_cast<int>(locations_.size());
  functions_.push_back(function);
  locations_.push_back({index_of_file(place.file),
                        static_cast<int>(place.line),
                        static_cast<int>(place.column),
                        caller,
                        {}});
  return known->second;
}

void Locations::parse_section(Lexer& lexer) {
  const Token name = lexer.next();
  while (!lexer.at('{') && !lexer.at(TokenKind::end)) lexer.next();
  if (!name.text.endswith("debug_str")) return lexer.skip_braces();
  string_labels_.try_emplace("debug_str", strings_.size());
  lexer.expect('{');
  while (!lexer.accept('}')) parse_strings(lexer);
}

/// A label, or ".b8" and bytes.
void Locations::parse_strings(Lexer& lexer) {
  if (lexer.at(TokenKind::word)) {
    string_labels_.try_emplace(lexer.next().text, strings_.size());
    return lexer.expect(':');
  }
  if (!lexer.accept(TokenKind::dotted, "b8")) lexer.fail_expecting("'.b8'");
  do strings_ += static_cast<char>(parse_integer(lexer));
  while (lexer.accept(','));
}

std::string Locations::name_at(const Label& label) const {
  const auto found = string_labels_.find(label.name);
  if (found == string_labels_.end()) return {};
  const size_t at = found->second + static_cast<size_t>(label.offset);
  return at < strings_.size() ? demangled(strings_.c_str() + at) : std::string();
}

void Locations::finish(Module& module) {
  llvm::DenseMap<std::pair<llvm::StringRef, int64_t>, std::string> names;
  for (size_t i = 0; i < locations_.size(); ++i) {
    const Label& label = functions_[i];
    if (label.name.empty()) continue;
    const auto [known, is_new] = names.try_emplace({label.name, label.offset});
    if (is_new) known->second = name_at(label);
    locations_[i].function = known->second;
  }
  module.files = std::move(files_);
  module.locations = std::move(locations_);
}

}  // namespace hone::ptx
