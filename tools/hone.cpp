// The hone command, on the ladders that come with Hone, and with its exercises.

#include "examples/exercises/command.h"
#include "examples/ladders/ladders.h"
#include "tools/cli/command/command_line.h"

int main(int argc, char** argv) {
  return hone::run_command(argc, argv, hone::shipped_ladders(), hone::exercise_commands());
}
