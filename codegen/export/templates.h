// Parts of every export: texts that are files of this folder.
#pragma once

namespace hone {

extern const char* const status_support;  ///< status_support.h: what a launch returns
extern const char* const launch_support;  ///< launch_support.h: C++ for all launches
extern const char* const early_support;   ///< early_support.h: for those whose kernels overlap
extern const char* const map_support;     ///< map_support.h: for those whose kernels take maps
extern const char* const
    python_loader;  ///< formulas.py, torch_types.py and torch_program.py: a module
extern const char* const operator_support;  ///< torch_types.py and torch_operator.py

}  // namespace hone
