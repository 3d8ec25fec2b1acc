#include "tools/serve/serve.h"

#include "ir/schedule/step.h"
#include "tools/cli/judge/selection.h"
#include "tools/page/assets.h"
#include "tools/serve/assets.h"
#include "tools/serve/server.h"

namespace hone {
namespace {

/// Text that is the program of a ladder for `parse_program`, as far as definitions are text.
std::string text_of(const Function& program) {
  std::string arguments;
  for (const TensorPtr& argument : program.arguments)
    arguments += fmt::format("{}{}: {}[{}]", arguments.empty() ? "" : ", ", argument->name,
                             name(argument->type).str(), fmt::join(argument->shape, ", "));
  return fmt::format("{}({}) ->\n{}", program.name, arguments, fmt::join(program.history, "\n"));
}

llvm::json::Object to_json(const RungRef& rung) {
  const bool is_schedule = !is_given_as_text(*rung.rung);
  const std::string steps = is_schedule ? build(rung, {{}, rung.ladder->sizes}).trace_text() : "";
  return llvm::json::Object{{"name", rung.rung->name},
                            {"title", rung.rung->title},
                            {"idea", rung.rung->idea},
                            {"steps", steps},
                            {"is_schedule", is_schedule}};
}

llvm::json::Object to_json(const Ladder& ladder) {
  llvm::json::Array rungs;
  for (const Rung& rung : ladder.rungs) rungs.push_back(to_json(RungRef{&ladder, &rung}));
  const std::string program = ladder.program ? text_of(program_of(ladder, {}).function()) : "";
  return llvm::json::Object{{"name", ladder.name},
                            {"title", ladder.title},
                            {"program", program},
                            {"rungs", std::move(rungs)}};
}

/// What there is to start from, and the words of the language.
std::string catalog_of(llvm::ArrayRef<Ladder> ladders) {
  llvm::json::Array known, primitives;
  for (const Ladder& ladder : ladders)
    if (!ladder.is_broken) known.push_back(to_json(ladder));
  for (const Primitive* primitive : all_primitives())
    primitives.push_back(std::string(primitive->name));
  return llvm::formatv("{0}",
                       llvm::json::Value(llvm::json::Object{{"ladders", std::move(known)},
                                                            {"primitives", std::move(primitives)}}))
      .str();
}

std::string page() {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>Hone playground</title>\n<style>\n{}{}</style>\n</head>\n"
      "{}<script>\n{}</script>\n</html>\n",
      page_theme, playground_style, playground_body, playground_script);
}

int chosen_port(const Arguments& arguments) {
  const std::string text = arguments.value("--port").value_or("0");
  int port = 0;
  if (llvm::StringRef(text).getAsInteger(10, port) || port < 0 || port > 65535)
    throw UsageError("--port takes a number from 0 to 65535, got '{}'", text);
  return port;
}

int serve(const Arguments& arguments, const Session& session) {
  Server server({page(), catalog_of(session.ladders)}, chosen_port(arguments));
  session.out.print(fmt::format("{}\n", server.address()));
  if (session.out.is_terminal())
    session.out.complain("open it in a browser of this machine; Ctrl-C ends it\n");
  server.run();
  return exit_success;
}

constexpr Option serve_options[] = {{"--port", "N", "to listen on; default: any that is free"},
                                    {"--help", "", "show this text"}};
constexpr Command commands[] = {
    {"serve", "", 0, 0, "a playground in the browser: schedules that are tried as you type",
     "Prints the address of a page, for a browser of this machine; nothing else can reach it, and\n"
     "it reaches nothing else. A program and a schedule stand on its left, and what becomes of "
     "them\n"
     "on its right: loops, CUDA, findings, counters, drawings, and what changed.",
     serve, serve_options}};

}  // namespace

llvm::ArrayRef<Command> serve_commands() { return commands; }

}  // namespace hone
