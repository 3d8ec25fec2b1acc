#include "tools/cli/command/kernel_files.h"

#include "llvm/Support/JSON.h"
#include "runtime/files.h"
#include "tools/cli/cuda/kernel_choice.h"
#include "tools/cli/cuda/kernel_counts.h"
#include "tools/cli/cuda/kernel_result.h"
#include "tools/cli/cuda/kernel_view.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/selection.h"
#include "tools/cli/profile/profile.h"

namespace hone {
namespace {

constexpr Option kernel = {"--kernel", "NAME",
                           "the kernel; of a template an instance, 'gemm<128, float>'"};
constexpr Option grid = {"--grid", "X[,Y[,Z]]", "blocks; formulas of sizes, as in 'cdiv(N, 256)'"};
constexpr Option block = {"--block", "X[,Y[,Z]]", "threads of a block"};
constexpr Option cluster = {"--cluster", "X[,Y[,Z]]",
                            "blocks of a cluster; default: what the kernel says, else 1"};
constexpr Option shared = {"--shared", "BYTES", "dynamic shared memory of a block; default 0"};
constexpr Option argument = {"--arg", "VALUE", "an argument, in the kernel's order; see above",
                             true};
constexpr Option variable = {"--set", "NAME=VALUE",
                             "the value of a __constant__ or __device__ variable, as for --arg",
                             true};
constexpr Option named_size = {"-D", "NAME=SIZE", "a size for formulas", true};
constexpr Option launch = {"--launch", "FILE.json",
                           "the launch; default: NAME.launch.json beside NAME.cu, if it is there"};
constexpr Option file_arch = {"--arch", "sm_XY",
                              "what the text is compiled for; default sm_90a, or that of the GPU"};
constexpr Option folder = {"-I", "FOLDER", "where headers are looked up", true};
constexpr Option define = {"--define", "NAME[=VALUE]", "a macro", true};
constexpr Option standard = {"--std", "c++17", "the language; default c++17"};
constexpr Option nvrtc = {"--nvrtc", "OPTION", "an option of NVRTC, as in --nvrtc=-use_fast_math",
                          true};
constexpr Option file_gpu = {
    "--gpu", "NAME", "whose time it would take, or a FILE.json; default: H100 SXM, or by --arch"};
constexpr Option file_blocks = {"--blocks", "N",
                                "run N blocks, spread over the grid; default: all. All run in any "
                                "case where they wait for each other, as in grid.sync()"};
constexpr Option file_seed = {"--seed", "N", "of random elements; default 1"};
constexpr Option file_device = {"--device", "DEVICE", "sim, cuda, cuda:N or auto; default sim",
                                false, names_of_kernel_devices};
constexpr Option file_help = {"--help", "", "show this text"};

/// Of all commands: the kernel, its launch, and how its text is compiled.
constexpr Option launch_options[] = {kernel,   grid,       block,     cluster,   shared, argument,
                                     variable, named_size, launch,    file_arch, folder, define,
                                     standard, nvrtc,      file_seed, file_help};

std::vector<Option> with_launch(std::vector<Option> own) {
  own.insert(own.begin(), std::begin(launch_options), std::end(launch_options));
  return own;
}

const std::vector<Option>& check_options() {
  static const std::vector<Option> all = with_launch(
      {file_blocks,
       trace_option,
       trace_limit_option,
       break_option,
       {"--html", "FILE", "write a page: the source with what its lines cost, and findings"},
       {"--json", "", "an array with one object; docs/json.md"}});
  return all;
}

const std::vector<Option>& run_options() {
  static const std::vector<Option> all =
      with_launch({{"--save", "FOLDER", "write the arrays that are written, NAME.npy each"},
                   {"--expect", "NAME=FILE.npy[:TOLERANCE]",
                    "what an array should be; floats may differ by TOLERANCE, default 1e-5", true},
                   file_device,
                   trace_option,
                   trace_limit_option,
                   break_option,
                   {"--json", "", "one object; docs/json.md"}});
  return all;
}

const std::vector<Option>& count_options() {
  static const std::vector<Option> all =
      with_launch({file_blocks, file_gpu, ncu_option, {"--json", "", "one object; docs/json.md"}});
  return all;
}

constexpr std::string_view about_arguments =
    "An argument is TYPE:VALUE, or for an array TYPE:FILL:EXTENTS, which is memory of its own and "
    "a\n"
    "pointer to it. FILL is random, zeros, ones, arange, unset (an output that nothing has "
    "written)\n"
    "or a number; TYPE:@FILE.npy takes the elements of a file. Types are f64, f32, f16, bf16,\n"
    "f8e4m3, f8e5m2, i64 ... i8, u64 ... u8 and bool; values and extents are formulas of sizes.\n"
    "Behind an array @BYTES is the place in it where the pointer leads, as in f32:random:N@12.\n"
    "ptr:0 is null, alias:NAME+BYTES leads into the array of another argument. A struct has its\n"
    "members, as in struct:(i32:N, f32:ones:N), or its bytes, bytes:HEX. In the text nothing\n"
    "needs a change: host code is left out.\n"
    "\n"
    "  hone check saxpy.cu --grid='cdiv(N, 256)' --block=256 -D N=1000 \\\n"
    "    --arg=i32:N --arg=f32:2 --arg=f32:random:N --arg=f32:random:N";

constexpr std::string_view about_check =
    "Runs the kernel on the simulated device by the rules of a GPU, and tells of races, accesses\n"
    "out of bounds, reads of what nothing has written, barriers that threads miss and deadlocks,\n"
    "with the lines of the file. Exits with 1 where there are findings.";
constexpr std::string_view about_run =
    "Runs the kernel on the simulated device, or with --device=cuda on a GPU of this machine, and\n"
    "prints its output and the arrays that it has written. Exits with 1 where the launch fails or\n"
    "an array is not what is expected.";

constexpr std::string_view about_count =
    "Runs the kernel on the simulated device, and counts what its warps ask of memory: requests,\n"
    "sectors, wavefronts and bank conflicts of each line, with the names that Nsight Compute has.\n"
    "Counted are the accesses of machine code, which ptxas makes of PTX; of a file of PTX, those\n"
    "that it has.";

}  // namespace

int64_t chosen_blocks(const Arguments& arguments) {
  const auto text = arguments.value("--blocks");
  int64_t blocks = 0;
  if (text && (llvm::StringRef(*text).getAsInteger(10, blocks) || blocks < 0))
    throw UsageError("--blocks takes a number from 0 on, got '{}'", *text);
  return blocks;
}

void tell_notes(const KernelRun& run, Output& out) {
  if (run.report.overrules_sample)
    out.complain(
        fmt::format("note: all {} blocks run: they wait for each other\n", run.report.blocks));
  for (const std::string& note : run.chosen.text.notes)
    out.complain(fmt::format("note: {}\n", note));
  for (const ptx::LeftOut& one : run.chosen.text.left_out)
    if (one.is_for_device)
      out.complain(fmt::format("note: {} is left out, {}:{}: {}\n", one.what, short_path(one.file),
                               one.line, one.why));
}

void tell_findings(const KernelRun& run, Output& out) {
  SourceLines lines;
  const char* const kind = run.report.has_failed ? "error" : "warning";
  for (const ptx::Report::Finding& finding : run.report.findings)
    out.complain(fmt::format("{}: {}\n", kind, finding_text(finding, lines)));
}

KernelRun count_file(const std::string& path, const Arguments& arguments, const Arguments* over,
                     const Gpu* gpu, Output& out) {
  LaunchText text = read_launch_text(path, arguments, Device::simulated(), over);
  if (arguments.has("--gpu")) text.arch = gpu->arch;
  ptx::LaunchOptions options;
  options.most_blocks = chosen_blocks(arguments);
  KernelRun run = count_kernel(path, text, chosen_seed(arguments), options, gpu);
  tell_notes(run, out);
  tell_findings(run, out);
  return run;
}

namespace {

// ---- check --------------------------------------------------------------------------------------

struct FindingCount {
  int64_t kinds = 0, all = 0, hints = 0;
};

FindingCount count(const ptx::Report& report) {
  FindingCount count;
  for (const ptx::Report::Finding& finding : report.findings) {
    if (is_hint(finding.kind)) {
      ++count.hints;
      continue;
    }
    ++count.kinds;
    count.all += finding.count;
  }
  return count;
}

std::string verdict(const KernelRun& run) {
  const FindingCount found = count(run.report);
  const std::string where = launch_text(run);
  if (found.kinds == 0) return fmt::format("no findings in {}", where);
  return fmt::format("{} kind{} of findings, {} in all, in {}", found.kinds,
                     found.kinds == 1 ? "" : "s", found.all, where);
}

int check_file(const Arguments& arguments, const Session& session) {
  const std::string& path = arguments.positional()[0];
  ptx::LaunchOptions options;
  options.check = true;
  options.most_blocks = chosen_blocks(arguments);
  const KernelView view(arguments);
  view.watch(options);
  const LaunchText text = read_launch_text(path, arguments);
  const KernelRun run = run_kernel(path, text, chosen_seed(arguments), options);
  if (arguments.has("--html"))
    write_kernel_page(run,
                      {launch_text(run), verdict(run), options.most_blocks, chosen_seed(arguments)},
                      text, arguments, session.out);
  const bool is_clean = count(run.report).kinds == 0;
  if (arguments.has("--json")) {
    llvm::json::Object object = launch_json(run);
    object["verdict"] = verdict(run);
    object["is_clean"] = is_clean;
    object["findings"] = findings_json(run.report);
    print_json(llvm::json::Array{std::move(object)}, session.out);
    return is_clean ? exit_success : exit_failure;
  }
  tell_notes(run, session.out);
  session.out.print(view.text(run));
  session.out.print(run.report.output);
  SourceLines lines;
  for (const ptx::Report::Finding& finding : run.report.findings)
    session.out.print(finding_text(finding, lines) + "\n");
  session.out.print(fmt::format("{}: {}\n", run.title(), verdict(run)));
  return is_clean ? exit_success : exit_failure;
}

// ---- run ----------------------------------------------------------------------------------------

/// The differences from what is expected, a line each.
std::vector<std::string> differences(const KernelRun& run,
                                     const std::vector<std::string>& expectations) {
  std::vector<std::string> lines;
  for (const std::string& text : expectations) {
    std::string line = difference(read_expected_result(run, text));
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

void print_run(const KernelRun& run, const LaunchText& text, const std::vector<std::string>& wrong,
               Output& out) {
  out.print(run.report.output);
  out.print(fmt::format("{} ran {}{}{}\n", run.title(), launch_text(run),
                        run.device.is_cuda() ? fmt::format(" on {}", run.device) : "",
                        text.expectations.empty() || !wrong.empty() ? "" : ": as expected"));
  for (const RunArgument& argument : run.arguments)
    if (argument.is_written) out.print(result_text(argument) + "\n");
  for (const std::string& line : wrong) out.complain(fmt::format("error: {}\n", line));
}

int run_file(const Arguments& arguments, const Session& session) {
  const std::string& path = arguments.positional()[0];
  const Device device = device_for_file(arguments);
  const LaunchText text = read_launch_text(path, arguments, device);
  const KernelView view(arguments);
  ptx::LaunchOptions options;
  if (device.is_cuda() && (arguments.has("--trace") || arguments.has("--break")))
    throw UsageError("--trace and --break look into the simulated device");
  view.watch(options);
  const KernelRun run = run_kernel(path, text, chosen_seed(arguments), options, device);
  tell_notes(run, session.out);
  session.out.print(view.text(run));
  if (run.report.has_failed) session.out.print(run.report.output);
  tell_findings(run, session.out);
  if (run.report.has_failed) return exit_failure;
  const std::vector<std::string> wrong = differences(run, text.expectations);
  if (const auto folder = arguments.value("--save")) save_results(run, *folder);
  if (arguments.has("--json")) {
    llvm::json::Object object = launch_json(run);
    object["arrays"] = results_json(run);
    object["differences"] = to_json(wrong);
    print_json(std::move(object), session.out);
  } else {
    print_run(run, text, wrong, session.out);
  }
  return wrong.empty() ? exit_success : exit_failure;
}

// ---- counters -----------------------------------------------------------------------------------

int print_counts(const Arguments& arguments, const Session& session) {
  const std::string& path = arguments.positional()[0];
  const Gpu* const gpu = chosen_target(arguments).gpu;
  const std::vector<MeasuredLaunch> launches = given_launches(arguments);
  const KernelRun run = count_file(path, arguments, nullptr, gpu, session.out);
  if (arguments.has("--json"))
    print_json(counts_json(run, gpu, launches), session.out);
  else
    session.out.print(fmt::format("{}: {}", path, counts_text(run, gpu, launches)));
  return run.report.has_failed ? exit_failure : exit_success;
}

// ---- explain ------------------------------------------------------------------------------------

constexpr Option before = {
    "--before", "OPTIONS",
    "options of the launch that the first one has in their place, as '--kernel=naive --block=32'"};

const std::vector<Option>& explain_options() {
  static const std::vector<Option> all =
      with_launch({before, file_blocks, file_gpu, {"--json", "", "one object; docs/json.md"}});
  return all;
}

constexpr std::string_view about_explain =
    "Runs the kernel on the simulated device, counts, estimates the time that it takes on the GPU "
    "of\n"
    "--gpu, and says what binds it, what it does in vain, and which lines cost most. With a "
    "second\n"
    "file, or with --before, the second launch is compared with the first: options are those of\n"
    "both, but for what --before says, and for what files of launches say beside them.";

int explain_file(const Arguments& arguments, const Session& session) {
  return explain_files(arguments, session, launch_options);
}

std::string joined(std::string_view first, std::string_view second) {
  return fmt::format("{}\n\n{}", first, second);
}

llvm::ArrayRef<Command> kernel_file_commands() {
  static const std::string check_text = joined(about_check, about_arguments),
                           run_text = joined(about_run, about_arguments),
                           count_text = joined(about_count, about_arguments),
                           explain_text = joined(about_explain, about_arguments);
  static const Command commands[] = {
      {"check", "FILE.cu|FILE.ptx", 1, 1, "what is wrong with a kernel of anybody's CUDA text",
       check_text, check_file, check_options()},
      {"run", "FILE.cu|FILE.ptx", 1, 1, "run a kernel of anybody's CUDA text", run_text, run_file,
       run_options()},
      {"counters", "FILE.cu|FILE.ptx", 1, 1,
       "requests of a kernel of anybody's CUDA text to memory", count_text, print_counts,
       count_options()},
      {"explain", "FILE.cu|FILE.ptx [FILE.cu|FILE.ptx]", 1, 2,
       "what a kernel of anybody's CUDA text takes its time for, alone or against another one",
       explain_text, explain_file, explain_options()}};
  return commands;
}

bool takes_value(llvm::ArrayRef<Option> options, const std::string& word) {
  return llvm::any_of(
      options, [&](const Option& option) { return option.name == word && !option.value.empty(); });
}

}  // namespace

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

}  // namespace hone
