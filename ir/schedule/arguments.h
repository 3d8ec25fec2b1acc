// The arguments that calls of primitives take, as C++ text.
#pragma once

#include "ir/schedule/step.h"

namespace hone::argument {

using Text = std::string(const Step& step, const StepPrinter& printer);

Text axes_text, axis_list_text, factors_text, factor_list_text, tensor_text, element_text,
    tail_text, binding_text, combine_text, count_text, name_text, layout_text, direction_text,
    scope_text, cache_text, bound_axes_text, outer_axis_text, inner_axes_text, roles_text,
    engine_text;

inline constexpr StepArgument axis = {axes_text, 1};
inline constexpr StepArgument any_axis = {axes_text};  ///< where the step has one
inline constexpr StepArgument two_axes = {axes_text, 2};
inline constexpr StepArgument axes = {axis_list_text};            ///< {i, j}
inline constexpr StepArgument bound_axes = {bound_axes_text, 1};  ///< i, or {i, j}
inline constexpr StepArgument outer_axis = {outer_axis_text, 1};  ///< the first axis
inline constexpr StepArgument inner_axes = {inner_axes_text};     ///< {j, k}: the others
inline constexpr StepArgument factor = {factors_text, 0, 1};  ///< the condition of assume as well
inline constexpr StepArgument factors = {factor_list_text};   ///< {32, 8}
inline constexpr StepArgument tensor = {tensor_text};
inline constexpr StepArgument element = {element_text};  ///< A(i, k), or the tensor: A
inline constexpr StepArgument tail = {tail_text};        ///< {.tail = Tail::exact}
inline constexpr StepArgument binding = {binding_text};  ///< block.x
inline constexpr StepArgument combine = {combine_text};  ///< Combine::shuffle
inline constexpr StepArgument count = {count_text};
inline constexpr StepArgument name = {name_text};            ///< "row"
inline constexpr StepArgument layout = {layout_text};        ///< Layout::order({1, 0}).pad(1)
inline constexpr StepArgument direction = {direction_text};  ///< Direction::write_back
inline constexpr StepArgument scope = {scope_text};          ///< {.scope = Scope::shared}
inline constexpr StepArgument cache = {cache_text};          ///< {.vectorize = 4}
inline constexpr StepArgument roles = {roles_text};          ///< {.producer_warps = 4}
inline constexpr StepArgument engine = {engine_text};        ///< CopyEngine::boxes

}  // namespace hone::argument
