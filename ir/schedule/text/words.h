// The words of enumerations, in their order, for the text of steps.
#pragma once

namespace hone::argument {

inline constexpr const char* tail_words[] = {"guard", "exact", "pad", "peel"};
inline constexpr const char* direction_words[] = {"fill", "write_back"};
inline constexpr const char* engine_words[] = {"load_store", "async", "boxes"};

}  // namespace hone::argument
