#include "ir/text/meaning.h"

#include <map>
#include <mutex>

#include "ir/text/parser.h"

namespace hone {

const Function& meaning_of(const Opcode& opcode) {
  static std::mutex mutex;
  static std::map<const Opcode*, Function> meanings;
  const std::lock_guard lock(mutex);
  const auto [known, is_new] = meanings.try_emplace(&opcode);
  if (is_new) known->second = parse_function(opcode.rules.meaning);
  return known->second;
}

}  // namespace hone
