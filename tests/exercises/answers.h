// The answers to exercises that are C++, compiled into the test.
#pragma once

#include "examples/exercises/answer.h"

namespace hone {

struct AnswerFile {
  std::string path;  ///< from the root: "examples/exercises/5_1/wrong_no_tile.cpp"
  Answer answer;
};

const std::vector<AnswerFile>& answer_files();

}  // namespace hone
