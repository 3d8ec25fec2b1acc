// The page of the playground: tools/serve/playground.html, .css and .js.
#pragma once

namespace hone {

extern const char *const playground_body, *const playground_style, *const playground_script;

}  // namespace hone
