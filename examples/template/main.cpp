#include <hone/cli/command_line.h>

#include "ladder.h"

int main(int argc, char** argv) {
  hone::use_exercises(blend_exercises());
  return hone::run_command(argc, argv, {blend_ladder()}, hone::exercise_commands());
}
