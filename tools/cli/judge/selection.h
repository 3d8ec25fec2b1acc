// The meaning of the words of a command line: rungs, sizes, devices.
#pragma once

#include "runtime/device.h"
#include "runtime/error.h"
#include "tools/cli/arguments.h"
#include "tools/cli/ladder.h"

namespace hone {

/// A rung of a ladder, which both outlive it.
struct RungRef {
  const Ladder* ladder;
  const Rung* rung;

  /// "matmul/naive"
  std::string name() const { return ladder->name + "/" + rung->name; }
};

/// Throws UsageError where there is no such ladder.
const Ladder& find_ladder(llvm::ArrayRef<Ladder> ladders, std::string_view name);

/// The rung that "matmul/naive" names. Throws UsageError where there is none.
RungRef find_rung(llvm::ArrayRef<Ladder> ladders, const std::string& path);

/// The program of a ladder. Throws RuntimeError where the ladder has none.
Program program_of(const Ladder& ladder, const Sizes& fixed);
/// The program that a rung schedules: its own, or its ladder's.
Program program_of(const RungRef& rung, const Sizes& fixed);

/// The program that names the arguments of a rung: that of the ladder, else the rung's own.
Function program_for(const RungRef& rung, const Sizes& expected);

/// The sizes of the options "-D NAME=SIZE". Throws UsageError for a name that the ladder lacks, one
/// that is given twice, and what is no size.
Sizes given_sizes(const Arguments& arguments, const Ladder& ladder);
/// Those of them that the ladder has, where each name is one of a size of some of `ladders`.
Sizes given_sizes(const Arguments& arguments, llvm::ArrayRef<const Ladder*> ladders,
                  const Ladder& ladder);
/// The same, where `known` are the names that `where` has, and of another option than -D.
Sizes given_sizes(const Arguments& arguments, llvm::ArrayRef<std::string> known,
                  std::string_view where, std::string_view option = "-D");

/// The sizes that a rung is built for.
struct BuildSizes {
  Sizes fixed;     ///< constants of the program, by "-D"; the others stay params
  Sizes expected;  ///< of all: those, then those of "--expect", else the ladder's own
};

/// Throws UsageError as given_sizes does, and for a size that both options give.
BuildSizes build_sizes(const Arguments& arguments, const Ladder& ladder);

Schedule build(const RungRef& rung, const BuildSizes& sizes);

/// `base`, with the values of `more` where it has any.
Sizes overlaid(Sizes base, const Sizes& more);

/// The sizes of `all` that are params of the program.
Sizes sizes_of_params(const Function& program, const Sizes& all);

/// The ladder's own sizes; on the simulated device the largest ones are halved until a run
/// takes a fraction of a second.
Sizes default_sizes(const Ladder& ladder, const Device& device);

/// Those at which the simulated device takes seconds for the ladder's rungs that use tensor cores:
/// the ladder's own, or smaller ones. Their tiles are large, and stick out of sizes that suit
/// others.
Sizes sizes_for_tensor_cores(const Ladder& ladder);

/// Operations of `Ladder::flops`, or words that are moved where those are more.
double work(const Ladder& ladder, const Sizes& sizes);

/// True if a run takes more than a fraction of a second.
bool takes_a_while(const Ladder& ladder, const Sizes& sizes, const Device& device);

/// `sizes` without pitches, the largest ones halved until a run takes a fraction of a second.
Sizes tried_sizes(const Ladder& ladder, const Sizes& sizes, const Device& device);

/// The same for the interpreter, which computes what is expected in about a second. Sizes with one
/// of the names stay.
Sizes checked_sizes(const Ladder& ladder, const Sizes& sizes,
                    llvm::ArrayRef<std::string> constants = {});

/// "K=256 M=256 N=256"
std::string to_text(const Sizes& sizes);

/// The words of "--device" without a number, and those of devices that run kernels of a GPU.
std::vector<std::string> names_of_devices();
std::vector<std::string> names_of_kernel_devices();
/// The device of "--device", by default the best one. Throws UsageError for an unknown word,
/// RuntimeError where a GPU is asked for and none answers.
Device chosen_device(const Arguments& arguments);

/// The same for one rung: what runs on the host runs there unless another device is asked for,
/// which throws UsageError.
Device device_for(const Arguments& arguments, const RungRef& rung);

/// The same for a kernel of a file, by default the simulated device; never the host.
Device device_for_file(const Arguments& arguments);

/// The number of "--seed", by default 1. Throws UsageError where it is none.
uint64_t chosen_seed(const Arguments& arguments);
/// The number of "--order", of the order in which warps take turns; 0: no random one.
uint64_t chosen_order(const Arguments& arguments);

}  // namespace hone
