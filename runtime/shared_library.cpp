#include "runtime/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include "runtime/error.h"

namespace hone {
namespace {

std::string path_of(void* handle, const std::string& name) {
  link_map* map = nullptr;
  const bool known = ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name;
  return known ? map->l_name : name;
}

}  // namespace

SharedLibrary::SharedLibrary(void* handle, const std::string& name)
    : handle_(handle), path_(path_of(handle, name)) {}

SharedLibrary SharedLibrary::open(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw RuntimeError("{}", ::dlerror());
  return SharedLibrary(handle, name);
}

std::optional<SharedLibrary> SharedLibrary::already_loaded(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!handle) return std::nullopt;
  return SharedLibrary(handle, name);
}

void* SharedLibrary::find(const char* symbol) const { return ::dlsym(handle_, symbol); }

void* SharedLibrary::require(const char* symbol) const {
  void* address = find(symbol);
  if (!address) throw RuntimeError("{} has no symbol {}", path_, symbol);
  return address;
}

}  // namespace hone
