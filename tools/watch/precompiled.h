// The headers of Hone that a source includes, precompiled: reading them takes a compiler longer
// than all else in a schedule.
#pragma once

#include <optional>
#include <string>

#include "examples/exercises/build_flags.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

inline constexpr unsigned most_compile_seconds = 180;

/// The options by which the compiler finds the headers of Hone. Their warnings are no user's.
std::vector<std::string> header_options(const BuildFlags& flags);

/// Precompiled headers by what a source includes: `#include <hone/hone.h>` and others of hone/.
class PrecompiledHeaders {
 public:
  /// In `folder`, which other processes use as well.
  PrecompiledHeaders(BuildFlags flags, std::string folder);

  /// A header for `-include`, beside which its precompiled form lies: exactly those headers that
  /// the text includes, so the text compiles with it only if it does without. Made where it is
  /// missing or older than the compiler or the headers, which takes seconds. Nothing where the text
  /// includes none, and where the compiler refuses them.
  std::optional<std::string> header_for(llvm::StringRef text) const;

  /// True where header_for() would make one.
  bool is_missing_for(llvm::StringRef text) const;

 private:
  struct Place;
  std::optional<Place> place_for(llvm::StringRef text) const;

  BuildFlags flags_;
  std::string folder_;
};

}  // namespace hone
