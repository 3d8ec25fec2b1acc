// The commands: each takes its arguments and returns an exit status.
#pragma once

#include "llvm/Support/JSON.h"
#include "runtime/device.h"
#include "tools/cli/arguments.h"
#include "tools/cli/ladder.h"
#include "tools/cli/output.h"

namespace hone {

/// The ladders, the output and the name of the tool, for every command.
struct Session {
  llvm::ArrayRef<Ladder> ladders;
  Output& out;
  const std::string& tool;   ///< the program's name
  std::string program = {};  ///< its file, to start it again; empty where it is none
};

struct Command {
  std::string_view name;
  std::string_view operands;  ///< as in the usage line
  size_t least, most;         ///< numbers of operands
  std::string_view summary;   ///< a line
  std::string_view more;      ///< a paragraph for the command's own help
  int (*run)(const Arguments&, const Session&);
  llvm::ArrayRef<Option> options;
};

inline constexpr int exit_success = 0, exit_failure = 1, exit_usage = 2;

int list_rungs(const Arguments& arguments, const Session& session);
int show_rung(const Arguments& arguments, const Session& session);
int export_rung(const Arguments& arguments, const Session& session);
int diff_rungs(const Arguments& arguments, const Session& session);
int run_rung(const Arguments& arguments, const Session& session);
int run_ladder(const Arguments& arguments, const Session& session);
/// `ladder` with "--html" or "--markdown".
int write_ladder_page(const Arguments& arguments, const Session& session);
int run_demo(const Arguments& arguments, const Session& session);
int check_rung(const Arguments& arguments, const Session& session);
int count_rung(const Arguments& arguments, const Session& session);
int draw_rung(const Arguments& arguments, const Session& session);
int explain_rung(const Arguments& arguments, const Session& session);
int tell_numbers(const Arguments& arguments, const Session& session);
int measure_jobs(const Arguments& arguments, const Session& session);
int tune_rung(const Arguments& arguments, const Session& session);
int run_cuda(const Arguments& arguments, const Session& session);
int examine_machine(const Arguments& arguments, const Session& session);

/// The rows that `ladder --json` prints, of all rungs, without printing any.
llvm::json::Array measured_rows(const Ladder& ladder, const Device& device,
                                const Arguments& arguments, Output& out);

/// Version and build of Hone: "0.1.0, build 3f2a".
std::string version_text();

}  // namespace hone
