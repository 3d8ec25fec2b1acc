#include "runtime/ptx/machine/builtins.h"

#include "fmt/format.h"
#include "llvm/ADT/StringMap.h"
#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

using Builtin = void (*)(Warp& warp, const CallDetail& call, const Function& function);

/// The parameter of a call in a lane.
template <class T>
T param(const Warp& warp, const CallDetail& call, const Function& function, size_t n, int lane) {
  T value;
  const int64_t bytes = std::max<int64_t>(function.params[n].bytes, sizeof value);
  std::memcpy(&value, warp.at<std::byte>(call.params[n]) + lane * bytes, sizeof value);
  return value;
}

template <class T>
void set_result(const Warp& warp, const CallDetail& call, int lane, T value) {
  if (call.returns.empty() || !call.returns.front().exists()) return;
  std::memcpy(warp.at<std::byte>(call.returns.front()) + lane * sizeof value, &value, sizeof value);
}

/// A string of the device's memory.
std::string text_at(Warp& warp, int lane, uint64_t address) {
  std::string text;
  for (;; ++address) {
    const auto byte = static_cast<char>(*find_bytes(warp, lane, address, 1));
    if (byte == 0) return text;
    text += byte;
  }
}

// ---- printf -------------------------------------------------------------------------------------

/// The arguments of a printf: as C passes them to a variadic function, each at a multiple of its
/// size.
class Arguments {
 public:
  Arguments(Warp& warp, int lane, uint64_t address) : warp_(warp), lane_(lane), address_(address) {}

  template <class T>
  T take() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, find_bytes(warp_, lane_, address_, sizeof value), sizeof value);
    address_ += sizeof value;
    return value;
  }

 private:
  Warp& warp_;
  int lane_;
  uint64_t address_;
};

template <class T>
std::string print(const std::string& conversion, T value) {
  std::array<char, 512> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), conversion.c_str(), value);
  return std::string(buffer.data(), std::min<size_t>(std::max(length, 0), buffer.size() - 1));
}

bool is_long(const std::string& conversion) {
  return conversion.find_first_of("lzjt") != std::string::npos;
}

/// One conversion of a format, "%5.2f", of which `*` takes its number from the arguments.
std::string convert(Warp& warp, int lane, std::string conversion, Arguments& arguments) {
  for (size_t star; (star = conversion.find('*')) != std::string::npos;)
    conversion.replace(star, 1, std::to_string(arguments.take<int>()));
  switch (conversion.back()) {
    case '%':
      return "%";
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return is_long(conversion) ? print(conversion, arguments.take<int64_t>())
                                 : print(conversion, arguments.take<int>());
    case 'c':
      return print(conversion, arguments.take<int>());
    case 's':
      return print(conversion, text_at(warp, lane, arguments.take<uint64_t>()).c_str());
    case 'p':
      return print(conversion, arguments.take<void*>());
    default:
      return print(conversion, arguments.take<double>());
  }
}

std::string formatted(Warp& warp, int lane, const std::string& format, uint64_t address) {
  Arguments arguments(warp, lane, address);
  std::string text;
  for (size_t n = 0; n < format.size();) {
    const size_t end =
        format[n] == '%' ? format.find_first_of("diuxXocspfFeEgGaA%", n + 1) : std::string::npos;
    if (end == std::string::npos) {
      text += format[n++];
      continue;
    }
    text += convert(warp, lane, format.substr(n, end + 1 - n), arguments);
    n = end + 1;
  }
  return text;
}

void call_printf(Warp& warp, const CallDetail& call, const Function& function) {
  for_each_lane(warp.active, [&](int lane) {
    const auto format = param<uint64_t>(warp, call, function, 0, lane);
    const auto address = param<uint64_t>(warp, call, function, 1, lane);
    warp.block->output += formatted(warp, lane, text_at(warp, lane, format), address);
    set_result(warp, call, lane, int32_t{1});
  });
}

// ---- Others -------------------------------------------------------------------------------------

void call_malloc(Warp& warp, const CallDetail& call, const Function& function) {
  for_each_lane(warp.active, [&](int lane) {
    const auto bytes = param<int64_t>(warp, call, function, 0, lane);
    set_result(warp, call, lane,
               warp.block->run.module.memory().allocate(
                   bytes, fmt::format("malloc of {} bytes in a kernel", bytes)));
  });
}

void call_free(Warp& warp, const CallDetail& call, const Function& function) {
  for_each_lane(warp.active, [&](int lane) {
    const auto address = param<uint64_t>(warp, call, function, 0, lane);
    warp.block->ranges = {};
    if (address == 0 || warp.block->run.module.memory().free(address)) return;
    fail(warp, lane,
         {FindingKind::invalid_operation,
          fmt::format("free of {:#x}, where no allocation begins", address), "frees memory"});
  });
}

/// message, file, line, function, the size of a character
void call_assert(Warp& warp, const CallDetail& call, const Function& function) {
  const int lane = std::countr_zero(warp.active);
  const auto text = [&](size_t n) {
    return text_at(warp, lane, param<uint64_t>(warp, call, function, n, lane));
  };
  fail(warp, lane,
       {FindingKind::assertion,
        fmt::format("{}:{}: {}: assertion `{}` failed", text(1),
                    param<uint32_t>(warp, call, function, 2, lane), text(3), text(0)),
        "asserts"});
}

const llvm::StringMap<Builtin>& builtins() {
  static const llvm::StringMap<Builtin> all = {{"vprintf", call_printf},
                                               {"malloc", call_malloc},
                                               {"free", call_free},
                                               {"__assertfail", call_assert}};
  return all;
}

}  // namespace

bool is_builtin(llvm::StringRef name) { return builtins().count(name) > 0; }

void call_builtin(Warp& warp, const CallDetail& call, const Function& function) {
  builtins().lookup(function.name)(warp, call, function);
}

}  // namespace hone::ptx
