#include "tools/cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "tools/cli/colour.h"

namespace hone {
namespace {

/// As https://no-color.org has it.
bool has_colours(int stream) {
  return ::isatty(stream) == 1 && !environment("NO_COLOR") && environment("TERM") != "dumb";
}

}  // namespace

void StandardOutput::print(std::string_view text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0 || written != text.size())
    throw RuntimeError("cannot write to standard output: {}", error_text(errno));
}

void StandardOutput::complain(std::string_view text) {
  const std::string shown = has_colours(STDERR_FILENO) ? coloured(text) : std::string(text);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

bool StandardOutput::is_terminal() const { return ::isatty(STDOUT_FILENO) == 1; }

bool StandardOutput::shows_progress() const { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace hone
