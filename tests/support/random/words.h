// Names that mean something elsewhere.
#pragma once

#include <string>

#include "tests/support/random/random.h"

namespace hone {

/// A word of C, C++, CUDA or libc, a name that generated code makes, or `plain` with something
/// behind it.
std::string random_word(Random& random, const std::string& plain);

}  // namespace hone
