#include "examples/exercises/judgement_file.h"

#include "llvm/Support/JSON.h"
#include "runtime/files.h"

namespace hone {

void write_judgement(const std::string& path, const Judgement& judgement) {
  const llvm::json::Value value = llvm::json::Object{{"has_passed", judgement.has_passed},
                                                     {"text", llvm::json::fixUTF8(judgement.text)}};
  std::string text;
  llvm::raw_string_ostream(text) << value;
  write_new_file(path, text);
}

std::optional<Judgement> read_judgement(const std::string& path) {
  const auto text = read_small_file(path, most_printed_bytes);
  if (!text) return std::nullopt;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const llvm::json::Object* object = value->getAsObject();
  if (!object) return std::nullopt;
  const auto has_passed = object->getBoolean("has_passed");
  const auto sentence = object->getString("text");
  if (!has_passed || !sentence) return std::nullopt;
  return Judgement{*has_passed, sentence->str()};
}

}  // namespace hone
