// A user's sources, compiled and linked with this Hone as often as they change.
#pragma once

#include <set>

#include "tools/watch/precompiled.h"

namespace hone {

class UserProgram {
 public:
  /// The first source gives the program its name. Objects and the program are made in `folder`,
  /// precompiled headers in `headers`. Throws RuntimeError where there is no compiler.
  UserProgram(const std::vector<std::string>& sources, std::string folder,
              const std::string& headers);

  /// Compiles what has changed, and links. Returns what the compiler says; the program is there
  /// where `is_built()`. `in_colour`: as on a terminal.
  std::string build(bool in_colour);
  bool is_built() const { return is_built_; }
  const std::string& path() const { return program_; }

  /// The sources, and the files that they include which are neither Hone's nor the system's.
  std::set<std::string> files() const;
  /// A file has another text.
  void mark_changed(const std::string& file);

  /// True where build() begins with the headers of Hone.
  bool lacks_headers() const;

 private:
  struct Source {
    std::string path, object;
    std::set<std::string> files;
    bool is_compiled = false;
  };

  std::string compile(Source& source, bool in_colour);
  std::string link(bool in_colour);

  BuildFlags flags_;
  PrecompiledHeaders headers_;
  std::string folder_, program_;
  std::vector<Source> sources_;
  bool is_built_ = false;
};

}  // namespace hone
