#include <hone/cli/command_line.h>

#include "ladder.h"

int main(int argc, char** argv) { return hone::run_command(argc, argv, {blend_ladder()}); }
