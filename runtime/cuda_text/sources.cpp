#include "runtime/cuda_text/sources.h"

#include <filesystem>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/cuda_text/stand_ins.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone::ptx {
namespace {

constexpr size_t most_bytes = 16 << 20;
constexpr size_t most_units = 4000;

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string canonical_path(const fs::path& path) {
  std::error_code error;
  const fs::path result = fs::weakly_canonical(path, error);
  return error ? path.string() : result.string();
}

bool is_stand_in(const std::string& name) {
  static const std::map<std::string, std::string> headers = stand_in_headers(false);
  return headers.count(name) != 0;
}

bool is_of_toolkit(const std::string& name) {
  const NvrtcInfo* const info = nvrtc_info();
  return info && !info->headers.empty() &&
         (is_file(fs::path(info->headers) / name) ||
          is_file(fs::path(info->headers) / "cccl" / name));
}

}  // namespace

std::string reasons_in(const std::string& text, const std::vector<LeftOut>& left_out) {
  std::string reasons;
  // A cause was left out before what it is the cause of.
  for (const LeftOut& one : llvm::reverse(left_out)) {
    const std::string quoted = "\"" + one.what + "\"";
    if (one.why.empty() || (text + reasons).find(quoted) == std::string::npos) continue;
    reasons += fmt::format("\n  {}:{}: {} is left out for its own error: {}", short_path(one.file),
                           one.line, one.what, one.why);
  }
  return reasons;
}

Sources::Sources(const std::string& path, std::vector<std::string> folders)
    : folders_(std::move(folders)) {
  if (!is_file(path)) throw RuntimeError("cannot read {}: there is no such file", path);
  if (read(canonical_path(path)) == nullptr)
    throw RuntimeError("cannot read {}: it has more than {} bytes", path, most_bytes);
  for (size_t n = 0; n < units_.size(); ++n) resolve_includes(*units_[n]);
  // The headers of a file may define its macros, and come later in the list.
  for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit) annotations_.add(**unit);
  for (const auto& unit : units_)
    leave_out_host_text(*unit, annotations_, [&](const Declaration& declaration) {
      left_out_.push_back({declaration.name.str(), unit->path(), declaration.line, ""});
    });
}

Unit* Sources::find(llvm::StringRef path) const {
  for (const auto& unit : units_)
    if (unit->path() == path) return unit.get();
  return nullptr;
}

/// Of UTF-8, as some editors write it.
static constexpr llvm::StringLiteral byte_order_mark = "\xef\xbb\xbf";

Unit* Sources::read(const std::string& path) {
  if (Unit* const known = find(path)) return known;
  if (units_.size() >= most_units) return nullptr;
  auto source = read_small_file(path, most_bytes);
  if (!source) return nullptr;
  if (llvm::StringRef(*source).startswith(byte_order_mark))
    source->erase(0, byte_order_mark.size());
  units_.push_back(std::make_unique<Unit>(path, std::move(*source)));
  return units_.back().get();
}

void Sources::resolve_includes(Unit& unit) {
  for (const Include& include : unit.includes())
    if (!include.name.empty()) resolve(unit, include);
}

void Sources::resolve(Unit& unit, const Include& include) {
  const std::string file = find_user_file(unit, include);
  if (!file.empty() && read(file) != nullptr) {
    unit.replace(include, fmt::format("#include \"{}\"", file));
    return;
  }
  const bool is_known = is_stand_in(include.name) || is_for_kernels(include.name);
  if (is_known) return;
  leave_out(unit, include, "");
  left_out_.back().is_missing = !is_of_toolkit(include.name);
}

std::string Sources::find_user_file(const Unit& unit, const Include& include) const {
  std::vector<fs::path> places;
  if (include.is_quoted) places.push_back(fs::path(unit.path()).parent_path());
  places.insert(places.end(), folders_.begin(), folders_.end());
  for (const fs::path& place : places)
    if (is_file(place / include.name)) return canonical_path(place / include.name);
  return "";
}

void Sources::leave_out(Unit& unit, const Declaration& declaration, std::string why) {
  unit.leave_out(declaration);
  left_out_.push_back({declaration.name.str(), unit.path(), declaration.line, std::move(why),
                       is_device_code(declaration, annotations_)});
}

bool Sources::leave_out(Unit& unit, const Include& include, std::string why) {
  if (!unit.replace(include, "")) return false;
  left_out_.push_back({include.text.rtrim().str(), unit.path(), include.line, std::move(why)});
  return true;
}

std::map<std::string, std::string> Sources::texts() const {
  std::map<std::string, std::string> texts;
  for (const auto& unit : units_) texts[unit->path()] = unit->text();
  return texts;
}

}  // namespace hone::ptx
