// The structure of ladder pages, as an XML parser sees it.
#pragma once

#include <string>

namespace hone {

/// The problems of a page, a line each: see page_structure.py.
std::string page_problems(const std::string& html);

}  // namespace hone
