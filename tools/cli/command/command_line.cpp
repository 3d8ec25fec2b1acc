#include "tools/cli/command/command_line.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "ir/core/error.h"
#include "llvm/Support/Path.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/command/kernel_files.h"
#include "tools/cli/cuda/kernel_choice.h"

namespace hone {
namespace {

constexpr Option help = {"--help", "", "show this text"};
constexpr Option device = {
    "--device", "DEVICE",
    "auto, cuda, cuda:N, sim or host; auto: a GPU where one answers, else sim"};
constexpr Option seed = {"--seed", "N", "of the random inputs; default 1"};
constexpr Option arch = {
    "--arch", "sm_XY", "what ptx, cubin and sass are for; default: this machine's GPU, else sm_90"};
constexpr Option constant = {"-D", "NAME=SIZE", "makes a size a constant of the program", true};
constexpr Option expected = {"--expect", "NAME=SIZE",
                             "a size to build for that stays a param; default: the ladder's", true};
constexpr Option size = {"-D", "NAME=SIZE", "gives a size its value", true};

constexpr Option one_object = {"--json", "", "one object; docs/json.md"};
constexpr Option rows = {"--json", "", "an array of rows; docs/json.md"};
constexpr Option list_options[] = {{"--json", "", "an array of ladders; docs/json.md"}, help};
constexpr Option show_options[] = {
    {"--emit", "FORM", "what to show"},
    {"--steps", "", "what each step of the schedule does to the loops"},
    {"--whole", "", "with --steps: the loops after each step"},
    constant,
    expected,
    arch,
    {"-o", "FILE", "write to a file"},
    {"--json", "", "an object with the text; docs/json.md"},
    help};
constexpr Option export_options[] = {
    constant,
    expected,
    {"--to", "FOLDER", "where to write; made where it is missing"},
    {"--name", "NAME", "what files and symbols start with; default: the program's name"},
    {"--index-bits", "BITS", "32 or 64; default: what the constant sizes need"},
    {"--arch", "sm_XY", "of the cubin; default: this machine's GPU, else sm_90"},
    one_object,
    help};
constexpr Option diff_options[] = {{"--emit", "FORM", "what to compare, as in `show`"},
                                   constant,
                                   expected,
                                   arch,
                                   one_object,
                                   help};
constexpr Option run_options[] = {
    size,
    device,
    {"--input", "TENSOR=FILE.npy", "an input, or FILE.npz with it; the others are random", true},
    {"--output", "TENSOR=FILE.npy", "where to write an output", true},
    {"--check", "", "compare with the program without a schedule, on the host"},
    {"--kernel", "FILE", "kernels to run instead, as `show --emit=kernel` prints them"},
    {"--replace-source", "FILE", "CUDA to run instead, as `show --emit=cuda` prints it"},
    seed,
    one_object,
    help};
constexpr Option check_options[] = {
    size,
    seed,
    {"--all", "", "every rung of every ladder, a line each"},
    {"--kernel", "FILE",
     "kernels as `show --emit=kernel` prints them, alone or in the rung's place"},
    {"--replace-source", "FILE", "CUDA as `show --emit=cuda` prints it, in the rung's place"},
    {"--order", "N", "warps take turns in a random order of that seed; default 0: in step"},
    {"--unneeded-barriers", "", "also tell of barriers that nothing needs"},
    {"--json", "", "an array, an object for each rung; docs/json.md"},
    help};
constexpr Option blocks = {"--blocks", "N", "count N blocks, spread over the grid; default: all"};
constexpr Option gpu = {"--gpu", "NAME",
                        "whose time and roofline it is, or a FILE.json; default: H100 SXM"};
constexpr Option profile_arch = {"--arch", "sm_XY",
                                 "of the machine code; default: that of the GPU"};
constexpr Option counters_options[] = {
    size,
    {"--all", "", "every counter, and every access"},
    {"--kernel", "FILE", "kernels to count instead, as `show --emit=kernel` prints them"},
    blocks,
    profile_arch,
    gpu,
    one_object,
    seed,
    help};
constexpr Option explain_options[] = {
    size, blocks, profile_arch,
    gpu,  seed,   {"--json", "", "an object, or of a ladder an array; docs/json.md"},
    help};
constexpr Option draw_options[] = {
    size,
    {"--access", "TENSOR", "drawings of this tensor alone"},
    {"--all", "", "a drawing for each shape of a request, not for the most frequent alone"},
    {"--svg", "FILE", "write SVG; of several drawings FILE-1.svg and so on"},
    {"--blocks", "N", "run N blocks, spread over the grid; 0 runs all; default 64"},
    seed,
    {"--json", "", "an object with the data; docs/json.md"},
    help};
constexpr Option limit = {"--limit", "SECONDS",
                          "rungs that would take longer are checked at smaller sizes; default 20"};
constexpr Option demo_limit = {
    "--limit", "SECONDS", "rungs that would take longer are checked at smaller sizes; default 1"};
constexpr Option ladder_options[] = {
    size,
    {"--sizes", "N,...", "a table for each number, which all sizes but those of -D have"},
    {"--rungs", "RUNG,...", "these rungs alone"},
    {"--constant", "", "the sizes are constants of the programs, not params"},
    device,
    {"--gpu", "NAME", "whose peaks shares are of; default: the GPU that runs"},
    limit,
    seed,
    rows,
    {"--html", "FILE", "write a page about the ladder: one file, which needs no network"},
    {"--markdown", "FOLDER", "the same as LADDER.md with pictures beside it"},
    {"--figures", "FILE.json", "measured figures for the page; default: those of the ladder"},
    help};
constexpr Option demo_options[] = {device, demo_limit, seed, rows, help};
constexpr Option cuda_options[] = {
    {"--blocks", "N",
     "check N blocks of each launch; default: all, a sample of very large launches"},
    {"--launches", "N",
     "check the first N equal launches of a kernel; default: all, one after much checking"},
    {"--all", "", "check all blocks of all launches"},
    {"--run", "", "only run, check nothing"},
    {"--count", "", "count requests to memory, check nothing"},
    {"--fail", "", "exit with 1 where there are findings"},
    {"--nvcc-options", "OPTIONS", "for nvcc: more sources, -I, -D, -arch=compute_90a, in one word"},
    {"--env", "", "print what makes nvcc and its programs in this shell do the same"},
    help};
constexpr Option doctor_options[] = {one_object, help};

constexpr Command own_commands[] = {
    {"list", "[LADDER]", 0, 1, "ladders and their rungs",
     "With a ladder, what the idea of each of its rungs is.", list_rungs, list_options},
    {"show", "LADDER/RUNG", 1, 1, "what becomes of a rung: schedule, loops, CUDA, machine code",
     "FORM is schedule (the calls, as C++), dependences (which loops may run in parallel, and "
     "what\n"
     "the others carry), loops, kernel (one thread's program), cuda, c, ptx, cubin, sass (where "
     "there\n"
     "is cuobjdump or nvdisasm), or launch (what a launch has to know).\n"
     "The default is cuda, for the host c.",
     show_rung, show_options},
    {"export", "LADDER/RUNG", 1, 1, "a rung as files that need no Hone: CUDA, C++, PyTorch",
     "Writes NAME.cu, the kernels; NAME.h, a C++ function that checks sizes and pointers and\n"
     "launches them on a stream; NAME.json, the launch contract; NAME.py, for tensors of PyTorch;\n"
     "and, where there is NVRTC, NAME.cubin and NAME.ptx. Several exports go into one program,\n"
     "each under a name of its own.",
     export_rung, export_options},
    {"diff", "LADDER/RUNG [LADDER/RUNG]", 1, 2,
     "what one rung changes against another, or the one that it builds on",
     "A unified diff of what `show` shows of the two.", diff_rungs, diff_options},
    {"run", "LADDER/RUNG", 1, 1, "run a rung, on your arrays or on random ones, and check it",
     "Sizes come from -D, from the shapes of the inputs, and else from the ladder; on the\n"
     "simulated device those are made small where neither -D nor an input is given. Outputs are\n"
     "written when everything has gone well. What --kernel and --replace-source run instead of "
     "the\n"
     "rung's kernels has their arguments and is always checked; CUDA keeps the names and the\n"
     "parameters of the functions and is launched as they are. `run FILE.cu --help` tells of\n"
     "kernels in files of CUDA.",
     run_rung, run_options},
    {"check", "[LADDER[/RUNG]]", 0, 1, "what is wrong with a rung's kernels: races, stray accesses",
     "Runs on the simulated device, on random inputs, by the rules of a GPU: threads are "
     "concurrent\n"
     "but for barriers, blocks always are. A finding names the accesses with their lines in what\n"
     "`show` prints with --emit=kernel and --emit=cuda, and the step of the schedule that "
     "they\n"
     "are owed to. Sizes that are not given are small. A ladder is checked rung by rung. With a\n"
     "rung, the kernels of --kernel are compared with its program, and have its arguments and "
     "sizes;\n"
     "without one nobody knows what they should compute. Exits with 1 where there are findings; a\n"
     "barrier that nothing needs is none. `check FILE.cu --help` tells of kernels in files of "
     "CUDA.",
     check_rung, check_options},
    {"counters", "LADDER/RUNG", 1, 1, "what a rung asks of a GPU: sectors, wavefronts, occupancy",
     "Counted on the simulated device, with the names that Nsight Compute has for it: as written,\n"
     "and, where NVRTC is at hand, as compiled, which is read from PTX. Registers come from the\n"
     "assembler. The roofline is what the launch takes at least: all arrays pass DRAM once, and "
     "all\n"
     "sectors that are asked for pass L2. It ranks no rungs. Sizes that are not given are small. "
     "Of a\n"
     "rung of the host the operations are counted.",
     count_rung, counters_options},
    {"draw", "LADDER/RUNG [WHAT]", 1, 2,
     "pictures of a rung: threads and their elements, sectors, banks",
     "WHAT is threads (which thread of a block writes each element), lanes (addresses and sectors "
     "of a\n"
     "warp's accesses to global memory), banks (of shared memory; where the rung changes their "
     "conflicts,\n"
     "beside the one that it builds on), halo (what neighbouring blocks read too), walk (the way "
     "of a\n"
     "block over tiles of its operands), reduction (threads that put their values together), or "
     "space\n"
     "(the iterations of the program, and the dependences between them). Without WHAT, a list of "
     "the\n"
     "drawings that the rung has. Drawn is what the simulated device does, at sizes that are "
     "small\n"
     "where they are not given.",
     draw_rung, draw_options},
    {"explain", "LADDER[/RUNG] [LADDER/RUNG]", 1, 2,
     "what makes a rung faster or slower than another one",
     "A rung against the one that it builds on, the second of two against the first, or a ladder\n"
     "rung by rung. Counts both, reads from the compiled code which accesses are left, and says\n"
     "what changed, beginning with what costs or saves a multiprocessor most.",
     explain_rung, explain_options},
    {"ladder", "LADDER", 1, 1, "run and check all rungs of a ladder: a table",
     "The columns first and before say how many times as fast a rung is as the first one and as "
     "the\n"
     "one before it, and peak what share of the GPU's peak it reaches, of operations or of bytes.\n"
     "The simulated device is slow: where no size is given, it runs small ones, and its times say\n"
     "nothing about a GPU. A page has each rung's idea, schedule, loops and CUDA with what "
     "changed,\n"
     "counters, occupancy, and a chart of the speeds that are stored with the ladder and, where "
     "there\n"
     "is a GPU, of those that it has here.",
     run_ladder, ladder_options},
    {"demo", "", 0, 0, "run and check all rungs of all ladders",
     "Exits with 0 only if every rung passes its check.", run_demo, demo_options},
    {"cuda", "PROGRAM.cu|PROGRAM [ARGUMENT]...", 0, SIZE_MAX,
     "run and check any CUDA program, host code included, without a GPU",
     "Compiles it as it is, with nvcc of CUDA 13, and runs it: the host's code on this machine, "
     "its\n"
     "kernels on the simulated device, where races, stray accesses, values that nobody set and\n"
     "barriers that do not meet are found, as well as copies that leave their memory. Findings go "
     "to\n"
     "standard error, with a summary at the end. The status is the program's own, unless --fail "
     "is\n"
     "given. Arguments that begin with a dash stand behind `--`. For programs that a makefile "
     "builds:\n"
     "eval \"$(hone cuda --env)\"; make; ./program",
     run_cuda, cuda_options},
    {"doctor", "", 0, 0, "what of this machine Hone can use, and how to get the rest",
     "Exits with 0 if kernels run on the host and on the simulated device.", examine_machine,
     doctor_options},
};

/// The commands of every tool, and those that this one adds.
using Commands = llvm::SmallVector<Command, 24>;

std::string overview(const Commands& commands, const std::string& tool) {
  std::string text = fmt::format("usage: {} COMMAND ...\n\n", tool);
  for (const Command& command : commands)
    text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  return text + fmt::format(
                    "\n`{0} COMMAND --help` says more about a command, `{0} --version` "
                    "which Hone this is.\n",
                    tool);
}

std::string usage(const Command& command, const std::string& tool) {
  return fmt::format("usage: {} {}{}{} [OPTION]...", tool, command.name,
                     command.operands.empty() ? "" : " ", command.operands);
}

std::string help_text(const Command& command, const std::string& tool) {
  std::string text =
      fmt::format("{}\n\n{}\n\n{}\n\n", usage(command, tool), command.summary, command.more);
  size_t width = 0;
  for (const Option& option : command.options) width = std::max(width, spelling(option).size());
  for (const Option& option : command.options)
    text += fmt::format("  {:<{}}  {}{}\n", spelling(option), width, option.help,
                        option.repeated ? "; can be repeated" : "");
  return text;
}

const Command& find_command(const Commands& commands, const std::string& name) {
  std::vector<std::string> known;
  for (const Command& command : commands) {
    if (command.name == name) return command;
    known.emplace_back(command.name);
  }
  throw unknown("command", name, known);
}

bool takes_value(llvm::ArrayRef<Option> options, const std::string& word) {
  return llvm::any_of(
      options, [&](const Option& option) { return option.name == word && !option.value.empty(); });
}

/// The variant of the command for a file of kernels, where the first operand is one.
const Command& variant_for(const Command& command, llvm::ArrayRef<std::string> words) {
  for (const Command& variant : kernel_file_commands()) {
    if (variant.name != command.name) continue;
    for (size_t n = 0; n < words.size(); ++n) {
      if (!llvm::StringRef(words[n]).startswith("-"))
        return is_kernel_file(words[n]) ? variant : command;
      n += takes_value(command.options, words[n]) || takes_value(variant.options, words[n]) ? 1 : 0;
    }
  }
  return command;
}

int dispatch(llvm::ArrayRef<std::string> words, const Commands& commands, const Session& session) {
  if (words.empty()) throw UsageError("no command is given; `{} --help` lists them", session.tool);
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    session.out.print(overview(commands, session.tool));
    return exit_success;
  }
  if (words[0] == "--version") {
    session.out.print(fmt::format("hone {}\n", version_text()));
    return exit_success;
  }
  const Command& command = variant_for(find_command(commands, words[0]), words.drop_front());
  const Arguments arguments(words.drop_front(), command.options);
  if (arguments.has("--help")) {
    session.out.print(help_text(command, session.tool));
    return exit_success;
  }
  const size_t operands = arguments.positional().size();
  if (operands < command.least || operands > command.most)
    throw UsageError("{} is given {} names; {}", command.name, operands,
                     usage(command, session.tool));
  return command.run(arguments, session);
}

}  // namespace

int run_command(llvm::ArrayRef<std::string> arguments, const std::vector<Ladder>& ladders,
                Output& out, const std::string& tool, llvm::ArrayRef<Command> more) {
  Commands commands(std::begin(own_commands), std::end(own_commands));
  commands.append(more.begin(), more.end());
  try {
    return dispatch(arguments, commands, {ladders, out, tool});
  } catch (const UsageError& error) {
    out.complain(fmt::format("error: {}\n", error.what()));
    return exit_usage;
  } catch (const std::bad_alloc&) {
    out.complain("error: out of memory\n");
  } catch (const std::out_of_range&) {  // of Sizes::at, which names nothing
    out.complain(
        "error: a ladder asks for a size that is not given; a problem gets no sizes where its "
        "program alone is asked for\n");
  } catch (const std::exception& error) {
    out.complain(report_of(error) + "\n");
  }
  return exit_failure;
}

int run_command(int argc, const char* const* argv, const std::vector<Ladder>& ladders,
                llvm::ArrayRef<Command> more) {
  StandardOutput out;
  const std::string tool = argc > 0 ? llvm::sys::path::filename(argv[0]).str() : "hone";
  return run_command(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), ladders, out,
                     tool, more);
}

}  // namespace hone
