// The hone command, on the ladders that come with Hone.

#include "examples/ladders/ladders.h"
#include "tools/cli/command_line.h"

int main(int argc, char** argv) { return hone::run_command(argc, argv, hone::shipped_ladders()); }
