// A judgement on its way from the program of an answer to the command.
#pragma once

#include <optional>

#include "examples/exercises/exercise.h"

namespace hone {

/// The largest output of an answer; more ends it.
inline constexpr size_t most_printed_bytes = 1 << 20;

/// Throws RuntimeError where the file exists or cannot be written.
void write_judgement(const std::string& path, const Judgement& judgement);
/// Nothing where there is no such file, or another one.
std::optional<Judgement> read_judgement(const std::string& path);

}  // namespace hone
