#include "tools/cli/command/completion.h"

#include "llvm/ADT/StringRef.h"
#include "tools/cli/command/kernel_files.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

Words names_of_commands(llvm::ArrayRef<Command> commands) {
  Words words = {"help", "completion"};
  for (const Command& command : commands) words.emplace_back(command.name);
  return words;
}

/// "--emit=" of an option with a value.
Words names_of_options(const Command& command) {
  Words words;
  for (const Option& option : command.options) {
    const bool is_joined = !option.value.empty() && option.name.starts_with("--");
    words.push_back(std::string(option.name) + (is_joined ? "=" : ""));
  }
  return words;
}

/// "matmul" and "matmul/naive"
Words names_of_rungs(llvm::ArrayRef<Ladder> ladders) {
  Words words;
  for (const Ladder& ladder : ladders) {
    words.push_back(ladder.name);
    for (const Rung& rung : ladder.rungs) words.push_back(ladder.name + "/" + rung.name);
  }
  return words;
}

/// An option whose value is typed, and what stands before the value in its word: "--emit=", or
/// nothing where the option is the word before.
struct ValuePlace {
  const Option* option;
  std::string prefix;
};

std::optional<ValuePlace> place_of_value(llvm::ArrayRef<std::string> words,
                                         const Command& command) {
  const llvm::StringRef last = words.back();
  const bool is_joined = last.startswith("--") && last.contains('=');
  const std::string name = is_joined ? last.split('=').first.str() : *std::prev(words.end(), 2);
  for (const Option& option : command.options)
    if (option.name == name && !option.value.empty())
      return ValuePlace{&option, is_joined ? name + "=" : ""};
  return std::nullopt;
}

/// "--emit=cuda", or "cuda".
Words values_at(const ValuePlace& place) {
  Words words = place.option->words ? place.option->words() : Words();
  for (std::string& word : words) word.insert(0, place.prefix);
  return words;
}

Words all_words(llvm::ArrayRef<std::string> words, llvm::ArrayRef<Command> commands,
                llvm::ArrayRef<Ladder> ladders) {
  if (words.size() < 2 || words[0] == "help") return names_of_commands(commands);
  const auto* named =
      llvm::find_if(commands, [&](const Command& one) { return one.name == words[0]; });
  if (named == commands.end()) return {};
  const Command& command = variant_for(*named, words.drop_front());
  if (const auto place = place_of_value(words, command)) return values_at(*place);
  if (words.back().starts_with("-")) return names_of_options(command);
  const bool takes_ladders = command.operands.find("LADDER") != std::string_view::npos;
  return takes_ladders ? names_of_rungs(ladders) : Words();
}

/// Words are what blanks separate: bash itself cuts options at "=", too, and takes what stands
/// behind that. Where no word is found, its default offers files.
constexpr const char* bash_script = R"(_{0}() {{
  local line=${{COMP_LINE:0:COMP_POINT}} words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  mapfile -t COMPREPLY < <({0} complete -- "${{words[@]:1}}" 2>/dev/null)
  [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  local word=${{words[-1]}}
  [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${{COMPREPLY[@]#"${{word%%=*}}="}}")
}}
complete -o default -F _{0} {0}
)";

constexpr const char* zsh_script = R"(#compdef {0}
_{0}() {{
  local -a found
  found=("${{(@f)$({0} complete -- "${{(@)words[2,CURRENT]}}" 2>/dev/null)}}")
  compadd -S '' -- ${{(M)found:#*=}}
  compadd -- ${{found:#*=}}
  (( compstate[nmatches] )) || {{ compset -P '*='; _files }}
}}
compdef _{0} {0}
)";

}  // namespace

std::vector<std::string> completions(llvm::ArrayRef<std::string> words,
                                     llvm::ArrayRef<Command> commands,
                                     llvm::ArrayRef<Ladder> ladders) {
  const std::string begin = words.empty() ? "" : words.back();
  Words found = all_words(words, commands, ladders);
  llvm::erase_if(found, [&](const std::string& word) { return !word.starts_with(begin); });
  return found;
}

std::string completion_script(const std::string& shell, const std::string& tool) {
  if (shell == "bash") return fmt::format(fmt::runtime(bash_script), tool);
  if (shell == "zsh") return fmt::format(fmt::runtime(zsh_script), tool);
  throw UsageError("completion is for bash and zsh, not {}", shell);
}

}  // namespace hone
