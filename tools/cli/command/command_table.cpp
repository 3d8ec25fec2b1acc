#include "tools/cli/command/command_table.h"

#include "tools/cli/command/steps.h"
#include "tools/cli/judge/forms.h"
#include "tools/cli/measured_launch.h"
#include "tools/cli/tune/measure_desk.h"

namespace hone {
namespace {

constexpr Option help = {"--help", "", "show this text"};
constexpr Option device = {
    "--device", "DEVICE",
    "auto, cuda, cuda:N, sim or host; auto: a GPU where one answers, else sim", false,
    names_of_devices};
constexpr Option emit = {"--emit", "FORM", "what to show", false, names_of_forms};
constexpr Option seed = {"--seed", "N", "of the random inputs; default 1"};
constexpr Option arch = {
    "--arch", "sm_XY", "what ptx, cubin and sass are for; default: this machine's GPU, else sm_90"};
constexpr Option constant = {"-D", "NAME=SIZE", "makes a size a constant of the program", true};
constexpr Option expected = {"--expect", "NAME=SIZE",
                             "a size to build for that stays a param; default: the ladder's", true};
constexpr Option size = {"-D", "NAME=SIZE", "gives a size its value", true};

constexpr Option ring = {
    "--ring", "",
    "elements of a ring in the place of floats: results are equal in any order of sums"};

constexpr Option one_object = {"--json", "", "one object; docs/json.md"};
constexpr Option rows = {"--json", "", "an array of rows; docs/json.md"};
constexpr Option list_options[] = {{"--json", "", "an array of ladders; docs/json.md"}, help};
constexpr Option show_options[] = {
    emit,
    {"--steps", "", "what each step of the schedule does to the loops"},
    {"--whole", "", "with --steps: the loops after each step"},
    constant,
    expected,
    arch,
    {"-o", "FILE", "write to a file"},
    {"--json", "", "an object with the text; docs/json.md"},
    help};
/// The same option in the words of another command.
constexpr Option with_help(Option option, std::string_view text) {
  option.help = text;
  return option;
}
constexpr Option steps_to_try = with_help(
    steps_option,
    "the schedule: steps as `show --emit=schedule` has them; -: standard input; default: none");
constexpr Option emit_to_try = with_help(emit, "what to show, as in `show`");
constexpr Option emit_to_compare = with_help(emit, "what to compare, as in `show`");
constexpr Option try_options[] = {steps_to_try,
                                  watch_option,
                                  emit_to_try,
                                  constant,
                                  expected,
                                  arch,
                                  {"-o", "FILE", "write to a file"},
                                  {"--json", "", "an object with the text; docs/json.md"},
                                  help};
constexpr Option export_options[] = {
    constant,
    expected,
    steps_option,
    {"--to", "FOLDER", "where to write; made where it is missing"},
    {"--name", "NAME", "what files and symbols start with; default: the program's name"},
    {"--index-bits", "BITS", "32 or 64; default: what the constant sizes need"},
    {"--minimal", "", "a library of one source, and an operator of PyTorch"},
    {"--arch", "sm_XY", "of the cubin; default: this machine's GPU, else sm_90"},
    one_object,
    help};
constexpr Option diff_options[] = {emit_to_compare, constant,     expected,   arch,
                                   steps_option,    watch_option, one_object, help};
constexpr Option run_options[] = {
    size,
    steps_option,
    watch_option,
    device,
    {"--input", "TENSOR=FILE.npy", "an input, or FILE.npz with it; the others are random", true},
    {"--output", "TENSOR=FILE.npy", "where to write an output", true},
    {"--check", "", "compare with the program without a schedule, on the host"},
    ring,
    {"--kernel", "FILE", "kernels to run instead, as `show --emit=kernel` prints them"},
    {"--replace-source", "FILE", "CUDA to run instead, as `show --emit=cuda` prints it"},
    seed,
    one_object,
    help};
constexpr Option check_options[] = {
    size,
    steps_option,
    watch_option,
    seed,
    {"--all", "", "every rung of every ladder, a line each"},
    {"--kernel", "FILE",
     "kernels as `show --emit=kernel` prints them, alone or in the rung's place"},
    {"--replace-source", "FILE", "CUDA as `show --emit=cuda` prints it, in the rung's place"},
    {"--order", "N", "warps take turns in a random order of that seed; default 0: in step"},
    {"--unneeded-barriers", "", "also tell of barriers that nothing needs"},
    ring,
    {"--json", "", "an array, an object for each rung; docs/json.md"},
    help};
constexpr Option blocks = {"--blocks", "N", "count N blocks, spread over the grid; default: all"};
constexpr Option gpu = {"--gpu", "NAME",
                        "whose time and roofline it is, or a FILE.json; default: H100 SXM"};
constexpr Option profile_arch = {"--arch", "sm_XY",
                                 "of the machine code; default: that of the GPU"};
constexpr Option counters_options[] = {
    size,
    steps_option,
    watch_option,
    {"--all", "", "every counter, and every access"},
    ncu_option,
    {"--kernel", "FILE", "kernels to count instead, as `show --emit=kernel` prints them"},
    blocks,
    profile_arch,
    gpu,
    one_object,
    seed,
    help};
constexpr Option explain_options[] = {
    size,         steps_option,
    watch_option, blocks,
    profile_arch, gpu,
    seed,         {"--json", "", "an object, or of a ladder an array; docs/json.md"},
    help};
constexpr Option numbers_options[] = {size, steps_option, seed, one_object, help};
constexpr Option draw_options[] = {
    size,
    steps_option,
    watch_option,
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
    ring,
    device,
    {"--gpu", "NAME", "whose peaks shares are of; default: the GPU that runs"},
    limit,
    seed,
    rows,
    {"--html", "FILE", "write a page about the ladder: one file, which needs no network"},
    {"--markdown", "FOLDER", "the same as LADDER.md with pictures beside it"},
    {"--figures", "FILE.json", "measured figures for the page; default: those of the ladder"},
    help};
constexpr Option measure_options[] = {log_option,
                                      limit_option,
                                      workers_option,
                                      worker_option,
                                      {"--worker", "", "measures one job; for this command alone"},
                                      help};
constexpr Option tune_options[] = {
    size,
    {"--constant", "", "the sizes are constants of the program, not params"},
    {"--device", "DEVICE", "auto, cuda, cuda:N or sim; auto: a GPU where one answers, else sim",
     false, names_of_kernel_devices},
    {"--gpu", "NAME",
     "whose time the model estimates, or a FILE.json; default: the GPU that measures, or H100 SXM"},
    {"--blocks", "N", "blocks of a launch that the model counts; 0: all; default 4"},
    {"--top", "N",
     "schedules to measure, those of the best estimates; default 8. Without a GPU, where some "
     "schedules have a formula, the model ranks N of these, and all that have none"},
    {"--others", "N",
     "schedules of the rest to measure, at equal distances in the model's order; default 0"},
    {"--rounds", "N", "samples of each of them, taken in turns; default 5"},
    {"--budget", "SECONDS", "for all of it, half of that for estimates; default 120"},
    limit_option,
    log_option,
    workers_option,
    worker_option,
    seed,
    {"-o", "FILE", "write the steps to a file"},
    {"--table", "FILE",
     "add the steps to a table, which programs ask by size; those that it has win ties"},
    {"--json", "", "an object with all candidates; docs/json.md"},
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
    {"try", "LADDER[/RUNG]", 1, 1, "a schedule of your own, as text: what becomes of it",
     "The steps of FILE schedule the program of the ladder, or of the rung. They are calls as C++ "
     "has\n"
     "them, `auto [y, x] = s.split(i, 32);`, or shorter ones: `y, x = split(i, 32)`. FORM is what "
     "it\n"
     "is for `show`. The commands export, diff, run, check, counters, explain and draw take "
     "--steps,\n"
     "too.",
     show_rung, try_options},
    {"export", "LADDER/RUNG", 1, 1, "a rung as files that need no Hone: CUDA, C++, PyTorch",
     "Writes NAME.cu, the kernels; NAME.h, a C++ function that checks sizes and pointers and\n"
     "launches them on a stream; NAME.json, the launch contract; NAME.py, for tensors of PyTorch;\n"
     "and, where there is NVRTC, NAME.cubin and NAME.ptx. Several exports go into one program,\n"
     "each under a name of its own. With --minimal: NAME.cu, the kernels and their launch; "
     "NAME.h,\n"
     "which declares it; CMakeLists.txt, which builds both as a library; and NAME.py, an operator\n"
     "of torch.library, which loads that and allocates its outputs.",
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
    {"numbers", "LADDER/RUNG [LADDER/RUNG]", 1, 2,
     "the orders of a rung's sums, and who else has its bits",
     "Prints each update of a sum with the loops that bring its terms, from the innermost on, and\n"
     "says whether results have the same bits in every run, at other sizes, and next to the "
     "program\n"
     "or to another rung, which are run on the simulated device at five sizes, or at that of -D, "
     "on\n"
     "inputs whose floats have all digits. Where bits differ, the step is named that changes the\n"
     "order.",
     tell_numbers, numbers_options},
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
    {"measure", "[JOBS.jsonl]", 0, 1, "time schedules that are given as text, each by itself",
     "Reads jobs, a line of JSON each, from the file or from standard input, and prints the "
     "results,\n"
     "a line each, as they come; docs/json.md names the fields. A process of its own measures a "
     "job:\n"
     "one that crashes or hangs costs its job alone. A GPU measures one job at a time. On the\n"
     "simulated device the figure is the model's estimate. Exits with 1 where a job has no figure.",
     measure_jobs, measure_options},
    {"tune", "LADDER/RUNG", 1, 1, "the fastest schedule of a rung's parameters, at your sizes",
     "Tries all combinations of the rung's parameters, ranks what the schedule does not refuse by "
     "the\n"
     "model, and measures the best and the rung's own schedule in turns. Prints the winner as "
     "steps,\n"
     "which --steps reads. The rung's own schedule wins ties, differences within the spread; with "
     "a "
     "line of\n"
     "--table for these sizes, the one of the line does. Without a GPU nothing is measured, and "
     "the "
     "winner\n"
     "is the model's. --log goes on where a run was ended.",
     tune_rung, tune_options},
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

}  // namespace

llvm::ArrayRef<Command> command_table() { return own_commands; }

}  // namespace hone
