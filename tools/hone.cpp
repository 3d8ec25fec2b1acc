// The hone command, on the ladders that come with Hone, and with its exercises.

#include "examples/exercises/command.h"
#include "examples/ladders/ladders.h"
#include "tools/cli/command/command_line.h"
#include "tools/serve/serve.h"
#include "tools/watch/watch.h"

int main(int argc, char** argv) {
  std::vector<hone::Command> more;
  llvm::append_range(more, hone::exercise_commands());
  llvm::append_range(more, hone::serve_commands());
  llvm::append_range(more, hone::watch_commands());
  return hone::run_command(argc, argv, hone::shipped_ladders(), more);
}
