#include "runtime/cudart/findings.h"

#include <cxxabi.h>

#include <cstdio>
#include <memory>

#include "fmt/format.h"

namespace hone::cudart {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

void say(const std::string& text) {
  std::fflush(stdout);  // so that both are in order where they go to one place
  fmt::print(stderr, "hone: {}\n", text);
}

void Findings::add(const std::string& kernel, const ptx::Report::Finding& finding) {
  std::string key = kernel + ' ' + to_string(finding.kind);
  for (const ptx::Site& site : finding.sites)
    key += fmt::format(" {}:{}", site.file, site.line != 0 ? site.line : site.ptx_line);
  if (!said_.insert(key).second) return;
  ++(is_hint(finding.kind) ? hints_ : count_);
  say(fmt::format("in {}:\n{}", demangled(kernel), to_string(finding)));
}

void Findings::add_host(const std::string& text) {
  if (!said_.insert(text).second) return;
  ++count_;
  say(text);
}

void Findings::add_hint(const std::string& text) {
  if (!said_.insert(text).second) return;
  ++hints_;
  say("hint: " + text);
}

void Findings::say_once(const std::string& text) {
  if (said_.insert(text).second) say(text);
}

}  // namespace hone::cudart
