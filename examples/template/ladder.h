// The ladder of this project.
#pragma once

#include <hone/cli/ladder.h>

/// D = (A + B) / 2, element by element, in three rungs.
hone::Ladder blend_ladder();

/// The output of `blend ladder blend --json` on some machine; empty without figures.json.
extern const char* const blend_figures;
