// The style sheet and the script of pages: tools/page/page.css and page.js.
#pragma once

namespace hone {

extern const char* const page_style;
extern const char* const page_script;

}  // namespace hone
