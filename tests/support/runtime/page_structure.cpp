#include "tests/support/runtime/page_structure.h"

#include <cstdlib>

#include "runtime/environment.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {

std::string page_problems(const std::string& html) {
  const TemporaryFolder folder;
  const std::string page = folder.file("page.html"), answer = folder.file("answer");
  write_new_file(page, html);
  const std::string python = environment("HONE_PYTHON").value_or("/usr/bin/python3");
  const std::string command =
      python + " tests/support/runtime/page_structure.py " + page + " >" + answer + " 2>&1";
  if (std::system(command.c_str()) != 0) return "the check failed: " + command;
  return read_small_file(answer, 1 << 20).value_or("no answer");
}

}  // namespace hone
