// Colours of a terminal, for the words that a reader looks for in a complaint.
#pragma once

#include <string>
#include <string_view>

namespace hone {

/// The text with "error:", "warning:" and "note:" in colours where they begin a message, behind its
/// place in a file, too, and the mark "<-- here".
std::string coloured(std::string_view text);

}  // namespace hone
