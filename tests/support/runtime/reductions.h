// Reductions that threads and blocks share, of every kind, on every device.
#pragma once

#include <random>
#include <vector>

#include "dsl/schedule.h"
#include "runtime/array.h"
#include "runtime/compile.h"

namespace hone {

/// An operator and a type that it takes. Of tuples there are three: argmax makes pairs with an i32,
/// sums of a float and its square are (f32, f32), and those of three and four components are a sum,
/// how many values there are, the largest magnitude, and whether one is positive.
struct TypedUpdate {
  Update update = Update::add;
  DType type = f32;
};
/// The type of what is reduced.
DType input_type(const TypedUpdate& operation);

/// "sum of f32"
std::string to_string(const TypedUpdate& operation);
/// sum, product, min and max of all floats and of i32 and i64, any and all, and those of tuples.
std::vector<TypedUpdate> all_operations();

/// Ways for the threads of a block to combine elements of a type; shuffles are not for more
/// than 32.
std::vector<CombineLevels> all_thread_combines(int64_t threads, DType type = f32);
/// True where a single instruction exchanges elements of a type.
bool is_exchanged_at_once(DType type);

/// The reduction of a vector A of N elements to S.
struct VectorReduction {
  TypedUpdate operation = {};
  int64_t threads = 64;       ///< of a block
  CombineLevels within = {};  ///< the way threads combine
  int64_t blocks = 1;         ///< if several, each takes a part of A
  CombineLevels across = {};  ///< the way blocks combine: none for one block

  Program program() const;
  Schedule schedule() const;
  /// The subject of a failure.
  std::string describe() const;
};

/// Memory for the arguments, with values whose results are exact in any order: small integers.
Buffers exact_inputs(const TypedUpdate& operation, int64_t size, std::mt19937& random);

/// The simulated device, and a GPU where there is one.
std::vector<Device> parallel_devices();

/// The arguments after a run of the kernel.
Buffers run_kernel(const Kernel& kernel, const Sizes& sizes, const Buffers& inputs);

/// Expects that the schedule leaves on all those devices what the program means, to the bit, and
/// that check mode has nothing to say.
void expect_as_meant(const Program& program, const Schedule& schedule, const Sizes& sizes,
                     const Buffers& inputs);
/// The same for vectors of these lengths.
void expect_as_meant(const VectorReduction& reduction, llvm::ArrayRef<int64_t> lengths);

}  // namespace hone
