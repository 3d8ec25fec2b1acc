// The ladder of this project.
#pragma once

#include <hone/cli/ladder.h>
#include <hone/exercises/own.h>

/// D = (A + B) / 2, element by element, in three rungs.
hone::Ladder blend_ladder();

/// Its exercises.
std::vector<hone::OwnExercise> blend_exercises();

/// The output of `blend ladder blend --json` on some machine; empty without figures.json.
extern const char* const blend_figures;
