// A file of CUDA text with all of the user's files that it includes.
#pragma once

#include <map>
#include <memory>

#include "runtime/cuda_text/host_text.h"

namespace hone::ptx {

/// Text that was left out.
struct LeftOut {
  std::string what;  ///< "main", "#include <vector>"
  std::string file;
  int line = 0;
  std::string why;             ///< an error of NVRTC; empty: it was for the host alone
  bool is_for_device = false;  ///< the text says that device code uses it
  bool is_missing = false;     ///< a header that neither the user's folders nor the toolkit have
};

/// A line for each of these that the text has in quotes, each behind a line end: the error for
/// which it was left out, and then what that error has in quotes.
std::string reasons_in(const std::string& text, const std::vector<LeftOut>& left_out);

class Sources {
 public:
  /// Reads the file, and what it includes from its own folder and from `folders`; leaves out what
  /// is for the host alone. Throws RuntimeError where the file cannot be read.
  Sources(const std::string& path, std::vector<std::string> folders);

  const Unit& main() const { return *units_.front(); }
  const Annotations& annotations() const { return annotations_; }
  const std::vector<LeftOut>& left_out() const { return left_out_; }
  const std::vector<std::unique_ptr<Unit>>& units() const { return units_; }
  /// By the path; null where it is none of the user's files.
  Unit* find(llvm::StringRef path) const;

  void leave_out(Unit& unit, const Declaration& declaration, std::string why);
  /// False where it was left out before.
  bool leave_out(Unit& unit, const Include& include, std::string why);

  /// The texts by path, for NVRTC.
  std::map<std::string, std::string> texts() const;

 private:
  Unit* read(const std::string& path);
  void resolve_includes(Unit& unit);
  void resolve(Unit& unit, const Include& include);
  std::string find_user_file(const Unit& unit, const Include& include) const;

  std::vector<std::string> folders_;
  std::vector<std::unique_ptr<Unit>> units_;
  Annotations annotations_;
  std::vector<LeftOut> left_out_;
};

}  // namespace hone::ptx
