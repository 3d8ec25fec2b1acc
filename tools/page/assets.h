// The colours of all pages, and the style sheet and the script of those of ladders and kernels:
// tools/page/theme.css, page.css and page.js. The glossary and
// the primitives are pages of the guide.
#pragma once

namespace hone {

extern const char* const page_theme;
extern const char* const page_style;
extern const char* const page_script;
extern const char* const page_glossary;
extern const char* const page_primitives;

}  // namespace hone
