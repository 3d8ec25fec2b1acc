#include "tools/cli/cuda/launch_text.h"

#include <filesystem>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "runtime/error.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tools/cli/user_text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using llvm::StringRef;

/// A field of the file and of LaunchText, with its option.
struct TextField {
  StringRef name, option;
  std::string LaunchText::*text;
};
struct ListField {
  StringRef name, option;
  std::vector<std::string> LaunchText::*texts;
  StringRef prefix = "";  ///< of the words that it becomes
  /// Behind it a word has the name of a file; "" where all of it is one, null where none is.
  const char* file_behind = nullptr;
};

constexpr TextField text_fields[] = {
    {"kernel", "--kernel", &LaunchText::kernel}, {"grid", "--grid", &LaunchText::grid},
    {"block", "--block", &LaunchText::block},    {"cluster", "--cluster", &LaunchText::cluster},
    {"shared", "--shared", &LaunchText::shared}, {"arch", "--arch", &LaunchText::arch}};

constexpr ListField list_fields[] = {{"args", "--arg", &LaunchText::arguments, "", "@"},
                                     {"set", "--set", &LaunchText::variables, "", "@"},
                                     {"expect", "--expect", &LaunchText::expectations, "", "="},
                                     {"include", "-I", &LaunchText::folders, "", ""},
                                     {"define", "--define", &LaunchText::compiler_options, "-D"},
                                     {"nvrtc", "--nvrtc", &LaunchText::compiler_options}};

/// A launch in a file of JSON.
class LaunchFile {
 public:
  explicit LaunchFile(std::string path) : path_(std::move(path)) {}

  LaunchText read() const {
    auto value = llvm::json::parse(read_user_file(path_).text);
    if (!value) throw RuntimeError("{}: {}", path_, llvm::toString(value.takeError()));
    const llvm::json::Object* const object = value->getAsObject();
    if (!object) throw RuntimeError("{}: an object is expected", path_);
    LaunchText launch;
    for (const auto& [key, field] : *object) read_field(key, field, launch);
    return launch;
  }

 private:
  void read_field(StringRef key, const llvm::json::Value& value, LaunchText& launch) const {
    if (key == "sizes") return read_sizes(value, launch);
    for (const TextField& field : text_fields)
      if (field.name == key) {
        launch.*field.text = joined(key, value);
        return;
      }
    for (const ListField& field : list_fields)
      if (field.name == key) {
        for (const std::string& word : words_of(key, value))
          (launch.*field.texts).push_back(field.prefix.str() + placed(field, word));
        return;
      }
    std::vector<std::string> known = {"sizes"};
    for (const TextField& field : text_fields) known.push_back(field.name.str());
    for (const ListField& field : list_fields) known.push_back(field.name.str());
    throw RuntimeError("{}: {}", path_, unknown("field", key.str(), known).what());
  }

  [[noreturn]] void refuse(StringRef key, const char* wanted) const {
    throw RuntimeError("{}: the field {} is {}", path_, key.str(), wanted);
  }

  void read_sizes(const llvm::json::Value& value, LaunchText& launch) const {
    const llvm::json::Object* const sizes = value.getAsObject();
    if (!sizes) refuse("sizes", "an object of numbers");
    for (const auto& [name, number] : *sizes) {
      const auto size = number.getAsInteger();
      if (!size) refuse("sizes", "an object of numbers");
      launch.sizes[llvm::StringRef(name).str()] = *size;
    }
  }

  std::string word_of(StringRef key, const llvm::json::Value& value) const {
    if (const auto text = value.getAsString()) return text->str();
    if (const auto number = value.getAsInteger()) return fmt::format("{}", *number);
    refuse(key, "a text, a number, or an array of these");
  }
  std::vector<std::string> words_of(StringRef key, const llvm::json::Value& value) const {
    std::vector<std::string> words;
    if (const llvm::json::Array* const array = value.getAsArray())
      for (const llvm::json::Value& one : *array) words.push_back(word_of(key, one));
    else
      words.push_back(word_of(key, value));
    return words;
  }
  std::string joined(StringRef key, const llvm::json::Value& value) const {
    std::string text;
    for (const std::string& word : words_of(key, value)) text += (text.empty() ? "" : ",") + word;
    return text;
  }

  /// With its files at the folder of this one.
  std::string placed(const ListField& field, std::string word) const {
    const fs::path folder = fs::path(path_).parent_path() / "";
    if (!field.file_behind || folder.empty()) return word;
    for (size_t at = word.size(); at-- > 0;)
      if (word[at] != '/' && begins_file(StringRef(word).take_front(at), field.file_behind))
        word.insert(at, folder.string());
    return word;
  }
  /// An @ behind a number or a file has the offset of a pointer behind it.
  static bool begins_file(StringRef before, StringRef mark) {
    if (mark.empty()) return before.empty();
    if (!before.consume_back(mark)) return false;
    if (mark == "=") return !before.contains('=');
    return before.empty() ||
           !(llvm::isAlnum(before.back()) || StringRef("_)").contains(before.back()));
  }

  std::string path_;
};

void read_options(const Arguments& arguments, LaunchText& launch) {
  for (const TextField& field : text_fields)
    if (const auto value = arguments.value(field.option)) launch.*field.text = *value;
  for (const ListField& field : list_fields) {
    const std::vector<std::string> words = arguments.values(field.option);
    const bool adds = field.texts != &LaunchText::arguments;
    if (!words.empty() && !adds) (launch.*field.texts).clear();
    for (const std::string& word : words)
      (launch.*field.texts).push_back(field.prefix.str() + word);
  }
  std::set<std::string> given;
  for (const std::string& text : arguments.values("-D")) {
    const auto [name, digits] = split_assignment("-D", text);
    int64_t size = 0;
    if (StringRef(digits).getAsInteger(10, size) || size < 0)
      throw UsageError("the size {} is a number from 0 on, got '{}'", name, digits);
    if (!given.insert(name).second)
      throw UsageError("the size {} is given twice, {} and {}", name, launch.sizes[name], size);
    launch.sizes[name] = size;
  }
  if (const auto standard = arguments.value("--std"))
    launch.compiler_options.push_back("--std=" + *standard);
}

std::string default_arch(const Device& device) {
  constexpr const char* simulated = "sm_90a";
  const NvrtcInfo* const nvrtc = nvrtc_info();
  if (!device.is_cuda() || !nvrtc || device.properties().arch == "sm_90") return simulated;
  return nvrtc_target(*nvrtc, device.properties().arch);
}

}  // namespace

std::string launch_file_beside(const std::string& path) {
  return fs::path(path).replace_extension(".launch.json").string();
}

LaunchText read_launch_text(const std::string& path, const Arguments& arguments,
                            const Device& device, const Arguments* over) {
  auto file = over ? over->value("--launch") : std::nullopt;
  if (!file) file = arguments.value("--launch");
  if (const std::string beside = launch_file_beside(path); !file && fs::exists(beside))
    file = beside;
  LaunchText launch = file ? LaunchFile(*file).read() : LaunchText();
  read_options(arguments, launch);
  if (over) read_options(*over, launch);
  if (launch.arch.empty()) launch.arch = default_arch(device);
  return launch;
}

}  // namespace hone
