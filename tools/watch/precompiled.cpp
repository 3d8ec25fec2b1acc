#include "tools/watch/precompiled.h"

#include <filesystem>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/xxhash.h"
#include "runtime/files.h"
#include "runtime/process.h"

namespace hone {
namespace fs = std::filesystem;
namespace {

using llvm::StringRef;

constexpr size_t most_key_bytes = 1 << 16;

/// The lines that include headers of Hone.
std::string includes_in(StringRef text) {
  std::string found;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (!line.consume_front("#")) continue;
    line = line.ltrim();
    if (!line.consume_front("include")) continue;
    line = line.ltrim();
    if (line.startswith("<hone/"))
      found += fmt::format("#include {}>\n", line.split('>').first.str());
  }
  return found;
}

/// The newest time of a file below the folder.
int64_t newest_time(const fs::path& folder) {
  std::error_code error;
  fs::file_time_type newest = fs::file_time_type::min();
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    newest = std::max(newest, entry.last_write_time(error));
  return newest.time_since_epoch().count();
}

/// The compiler and the headers, as files.
std::string state_of(const BuildFlags& flags) {
  std::error_code error;
  const fs::path compiler = fs::canonical(flags.compiler, error);
  std::string state =
      fmt::format("{} {} bytes of {}\n", compiler.string(), fs::file_size(compiler, error),
                  fs::last_write_time(compiler, error).time_since_epoch().count());
  for (const StringRef option : flags.options)
    if (option.startswith("-I"))
      state += fmt::format("{} of {}\n", option.str(), newest_time(option.drop_front(2).str()));
  return state;
}

std::string suffix_of(const std::string& compiler) {
  return StringRef(fs::path(compiler).filename().string()).contains("clang") ? ".pch" : ".gch";
}

}  // namespace

/// The folder of a header, and its contents as text.
struct PrecompiledHeaders::Place {
  std::string folder, includes, state;

  std::string header() const { return folder + "/headers.h"; }
  bool is_made() const { return read_small_file(folder + "/state", most_key_bytes) == state; }
};

std::vector<std::string> header_options(const BuildFlags& flags) {
  std::vector<std::string> options;
  for (const StringRef option : flags.options)
    if (option.startswith("-I"))
      options.insert(options.end(), {"-isystem", option.drop_front(2).str()});
    else
      options.push_back(option.str());
  return options;
}

PrecompiledHeaders::PrecompiledHeaders(BuildFlags flags, std::string folder)
    : flags_(std::move(flags)), folder_(std::move(folder)) {}

std::optional<PrecompiledHeaders::Place> PrecompiledHeaders::place_for(StringRef text) const {
  const std::string includes = includes_in(text);
  if (includes.empty()) return std::nullopt;
  const std::string key =
      fmt::format("{}\n{}\n{}", flags_.compiler, fmt::join(flags_.options, "\n"), includes);
  return Place{fmt::format("{}/headers-{:016x}", folder_, llvm::xxHash64(key)), includes,
               state_of(flags_)};
}

bool PrecompiledHeaders::is_missing_for(StringRef text) const {
  const auto place = place_for(text);
  return place && !place->is_made();
}

/// Compilers remember where the header lies, so it is precompiled there, under another name until
/// it is whole.
std::optional<std::string> PrecompiledHeaders::header_for(StringRef text) const {
  const auto place = place_for(text);
  if (!place) return std::nullopt;
  const std::string header = place->header();
  if (place->is_made()) return header;
  std::error_code error;
  fs::create_directories(place->folder, error);
  const ScopedFolder making(make_private_folder(place->folder, "making-"));
  if (read_small_file(header, most_key_bytes) != place->includes)
    replace_file(header, {place->includes});
  std::vector<std::string> command = {flags_.compiler};
  llvm::append_range(command, header_options(flags_));
  const std::string made = making.path() + "/headers";
  command.insert(command.end(), {"-x", "c++-header", header, "-o", made});
  if (!run_program(command, making.path() + "/log", most_compile_seconds).success)
    return std::nullopt;
  fs::rename(made, header + suffix_of(flags_.compiler), error);
  if (error) return std::nullopt;
  replace_file(place->folder + "/state", {place->state});
  return header;
}

}  // namespace hone
