// The C++ by which exports launch kernels: parts of a header, or of the file of the kernels.
#pragma once

#include "codegen/contract/launch_contract.h"

namespace hone {

/// True if kernels leave memory to each other.
bool has_workspace(const LaunchContract& contract);

/// Headers of the arguments' types.
std::string element_includes(const LaunchContract& contract);
/// All headers that launch_functions() needs.
std::string launch_includes(const LaunchContract& contract);

/// The functions workspace_bytes(), plan() and launch(), for a namespace that has the types of
/// status_support.h. `entry` declares, or defines, detail::entry(int kernel).
std::string launch_functions(const LaunchContract& contract, const std::string& entry);

/// "cudaStream_t stream, const float* A, float* C, Size M, void* workspace, std::size_t
/// workspace_size"
std::string launch_parameters(const LaunchContract& contract, const char* size_type);
/// "long long M, long long N"; without a type, the arguments of a call.
std::string size_parameters(const LaunchContract& contract, const char* type);

/// Definitions of what a header declares of a namespace whose member `launches` has
/// launch_functions(); and of NAME_workspace_bytes() and NAME_launch(), which any language can
/// call.
std::string public_functions(const LaunchContract& contract);

/// The contract as comments.
std::string comment_of(const LaunchContract& contract);
/// The comment of launch().
std::string comment_on_launch(const LaunchContract& contract);

}  // namespace hone
