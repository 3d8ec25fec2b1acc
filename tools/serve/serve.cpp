#include "tools/serve/serve.h"

#include "tools/page/assets.h"
#include "tools/serve/assets.h"
#include "tools/serve/catalog.h"
#include "tools/serve/server.h"

namespace hone {
namespace {

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
