// The arguments that calls of primitives take, to and from C++ text: ir/schedule/text/ has the
// functions.
#pragma once

#include "ir/schedule/step.h"

namespace hone::argument {

using Text = std::string(const Step& step, const StepPrinter& printer);
using Read = bool(StepReader& reader, Step& step);

Text axes_text, axis_list_text, factors_text, factor_list_text, tensor_text, element_text,
    split_text, fuse_text, names_text, binding_text, combine_text, count_text, name_text,
    layout_text, direction_text, scope_text, cache_text, bound_axes_text, outer_axis_text,
    inner_axes_text, roles_text, engine_text, numbers_text;
Read read_axis, read_any_axis, read_two_axes, read_axis_list, read_factor, read_factor_list,
    read_tensor, read_any_tensor, read_element, read_split, read_fuse, read_names, read_binding,
    read_combine, read_count, read_any_count, read_name, read_layout, read_any_layout,
    read_direction, read_scope, read_cache, read_bound_axes, read_roles, read_engine, read_numbers;

inline constexpr StepArgument axis = {axes_text, read_axis, 1};
inline constexpr StepArgument any_axis = {axes_text, read_any_axis};  ///< where the step has one
inline constexpr StepArgument two_axes = {axes_text, read_two_axes, 2};
inline constexpr StepArgument axes = {axis_list_text, read_axis_list};             ///< {i, j}
inline constexpr StepArgument bound_axes = {bound_axes_text, read_bound_axes, 1};  ///< i, or {i, j}
inline constexpr StepArgument outer_axis = {outer_axis_text, read_axis, 1};    ///< the first axis
inline constexpr StepArgument inner_axes = {inner_axes_text, read_axis_list};  ///< {j, k}: others
/// The condition of assume as well.
inline constexpr StepArgument factor = {factors_text, read_factor, 0, 1};
inline constexpr StepArgument factors = {factor_list_text, read_factor_list};  ///< {32, 8}
inline constexpr StepArgument tensor = {tensor_text, read_tensor};
inline constexpr StepArgument any_tensor = {tensor_text, read_any_tensor};  ///< where there is one
inline constexpr StepArgument element = {element_text, read_element};       ///< A(i, k), or A
/// {.tail = Tail::exact, .names = {"row", nullptr}}
inline constexpr StepArgument split = {split_text, read_split};
inline constexpr StepArgument fuse = {fuse_text, read_fuse};     ///< {.name = "row"}
inline constexpr StepArgument names = {names_text, read_names};  ///< {.names = {"row", nullptr}}
inline constexpr StepArgument binding = {binding_text, read_binding};  ///< block.x
inline constexpr StepArgument combine = {combine_text, read_combine};  ///< Combine::shuffle
inline constexpr StepArgument count = {count_text, read_count};
inline constexpr StepArgument any_count = {count_text, read_any_count};  ///< where there is one
inline constexpr StepArgument name = {name_text, read_name};             ///< "row"
inline constexpr StepArgument layout = {layout_text,
                                        read_layout};  ///< Layout::order({1, 0}).pad(1)
inline constexpr StepArgument any_layout = {layout_text, read_any_layout};
inline constexpr StepArgument direction = {direction_text, read_direction};  ///< Direction::fill
inline constexpr StepArgument scope = {scope_text, read_scope};        ///< {.scope = Scope::shared}
inline constexpr StepArgument cache = {cache_text, read_cache};        ///< {.vectorize = 4}
inline constexpr StepArgument roles = {roles_text, read_roles};        ///< {.producer_warps = 4}
inline constexpr StepArgument numbers = {numbers_text, read_numbers};  ///< Numbers::run_to_run
inline constexpr StepArgument engine = {engine_text, read_engine};     ///< CopyEngine::boxes

}  // namespace hone::argument
