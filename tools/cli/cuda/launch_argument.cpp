#include "tools/cli/cuda/launch_argument.h"

#include <limits>
#include <random>

#include "llvm/ADT/StringExtras.h"
#include "runtime/cuda_text/declaration.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr int64_t most_array_bytes = int64_t{64} << 30;

ElementValue random_value(const ElementType& type, std::mt19937_64& engine) {
  const auto bits = [&](int count) { return static_cast<int64_t>(engine() >> (64 - count)); };
  if (type.is_real()) return {static_cast<double>(bits(8) - 128) / 128, 0};
  if (type.kind == ElementKind::boolean) return {0, bits(1)};
  return {0, bits(4) - (type.kind == ElementKind::signed_integer ? 8 : 0)};
}

int64_t align_up(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The members of a struct: a comma may also be one between the extents of an array.
std::vector<std::string> split_members(StringRef text) {
  std::vector<std::string> members;
  for (const StringRef part : ptx::split_at_commas(text)) {
    const bool is_extent = !part.contains(':') && !part.startswith("@") && !members.empty();
    if (is_extent)
      members.back() += "," + part.str();
    else
      members.push_back(part.str());
  }
  return members;
}

/// One argument that is read.
class ArgumentReader {
 public:
  ArgumentReader(const std::string& text, const Sizes& sizes, uint64_t seed, unsigned number)
      : text_(text), sizes_(sizes), seed_(seed), number_(number) {
    result_.text = text;
  }

  LaunchArgument run() {
    const auto [head, rest] = StringRef(text_).split(':');
    if (head.startswith("@")) {
      read_file(StringRef(text_).drop_front(), nullptr);
    } else if (head == "ptr") {
      if (rest != "0")
        refuse(
            "of pointers it gives null alone, ptr:0; an array has its type, as in "
            "f32:random:N");
      result_.bytes.resize(sizeof(uint64_t));
    } else if (head == "alias") {
      read_alias(rest);
    } else if (head == "bytes") {
      read_bytes(rest);
    } else if (head == "struct") {
      read_struct(rest);
    } else {
      read_typed(head, rest);
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError("the argument '{}': {}", text_, what);
  }

  void read_alias(StringRef rest) {
    result_.kind = ArgumentKind::alias;
    const auto [target, offset] = rest.split('+');
    if (target.empty()) refuse("an alias names an argument, as in alias:1+64");
    result_.target = target.str();
    result_.offset = offset.empty() ? 0 : value_of_formula(offset, sizes_);
  }

  void read_bytes(StringRef digits) {
    std::string bytes;
    if (digits.empty() || digits.size() % 2 != 0 || !llvm::tryGetFromHex(digits, bytes))
      refuse("bytes are pairs of hexadecimal digits, as in bytes:0000803f");
    for (const char byte : bytes) result_.bytes.push_back(static_cast<std::byte>(byte));
  }

  /// Each member lies behind the one before, where its alignment lets it.
  void read_struct(StringRef rest) {
    result_.kind = ArgumentKind::structure;
    if (!rest.consume_front("(") || !rest.consume_back(")") || rest.trim().empty())
      refuse("a struct has its members in parentheses, as in struct:(i32:N, f32:random:N)");
    unsigned number = number_;
    for (const std::string& text : split_members(rest)) {
      // Numbers of arguments and variables are below those of members.
      LaunchArgument member = ArgumentReader(text, sizes_, seed_, number += 1 << 16).run();
      const int64_t end = result_.members.empty()
                              ? 0
                              : result_.members.back().place + result_.members.back().size();
      member.place = align_up(end, member.alignment());
      result_.members.push_back(std::move(member));
    }
  }

  void read_typed(StringRef head, StringRef rest) {
    result_.type = find_element_type(head);
    if (!result_.type)
      refuse("it starts with a type, ptr, alias, struct, bytes or @FILE.npy; types are " +
             names_of_element_types());
    if (rest.startswith("@")) return read_file(rest.drop_front(), result_.type);
    const auto [first, extents] = rest.split(':');
    if (extents.empty()) return read_scalar(first);
    read_array(first, extents);
  }

  void read_scalar(StringRef text) {
    result_.bytes.resize(result_.type->bytes);
    write_element(*result_.type, number(text), result_.bytes.data());
  }

  /// A number, or of integers a formula.
  ElementValue number(StringRef text) const {
    if (const auto value = parse_element(*result_.type, text)) return *value;
    if (text.empty() || (result_.type->is_real() && !is_formula(text)))
      refuse("'" + text.str() + "' is no " + result_.type->name.str() +
             "; an array has a fill and extents, as in " + result_.type->name.str() + ":random:N");
    const int64_t whole = value_of_formula(text, sizes_);
    if (result_.type->is_real()) return {static_cast<double>(whole), 0};
    const auto value = parse_element(*result_.type, std::to_string(whole));
    if (!value) refuse(std::to_string(whole) + " does not fit in " + result_.type->name.str());
    return *value;
  }
  bool is_formula(StringRef text) const {
    const StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    return sizes_.count(word.str()) != 0 || text.contains('(');
  }

  /// The pointer leads behind the begin of the array, as in "f32:random:N@12".
  void read_offset(StringRef offset) {
    if (!offset.empty()) result_.offset = value_of_formula(offset, sizes_);
  }

  void read_array(StringRef fill, StringRef extents) {
    result_.kind = ArgumentKind::array;
    read_offset(extents.split('@').second);
    extents = extents.split('@').first;
    result_.array.type = result_.type;
    result_.array.shape = values_of_formulas(extents, sizes_);
    int64_t bytes = result_.type->bytes;
    for (const int64_t extent : result_.array.shape) {
      if (extent < 0) refuse("an extent of " + std::to_string(extent));
      if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > most_array_bytes)
        refuse("it has more than 64 GiB");
    }
    result_.array.bytes.resize(bytes);
    this->fill(fill);
  }

  void fill(StringRef how) {
    if (how == "unset")
      poison();
    else if (how == "random")
      fill_randomly();
    else if (how == "arange")
      fill_with([&](int64_t n) { return ElementValue{static_cast<double>(n), n}; });
    else if (how != "zeros")
      fill_with([value = constant(how)](int64_t) { return value; });
  }
  void poison() {
    result_.is_unset = true;
    const auto byte = std::byte{static_cast<uint8_t>(result_.type->is_real() ? 0xff : 0x5a)};
    std::fill(result_.array.bytes.begin(), result_.array.bytes.end(), byte);
  }
  ElementValue constant(StringRef how) const {
    if (how == "ones") return {1, 1};
    if (const auto value = parse_element(*result_.type, how)) return *value;
    refuse("there is no fill '" + how.str() +
           "'; there are random, zeros, ones, arange, unset, a number, and @FILE.npy");
  }
  template <class Value>
  void fill_with(const Value& value) {
    for (int64_t n = 0; n < result_.array.size(); ++n) result_.array.set(n, value(n));
  }
  void fill_randomly() {
    std::seed_seq sequence = {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32),
                              number_};
    std::mt19937_64 engine(sequence);
    fill_with([&](int64_t) { return random_value(*result_.type, engine); });
  }

  void read_file(StringRef path, const ElementType* type) {
    const size_t behind = path.rfind(".npy@");
    if (behind != StringRef::npos) {
      read_offset(path.substr(behind + StringRef(".npy@").size()));
      path = path.take_front(behind + StringRef(".npy").size());
    }
    result_.kind = ArgumentKind::array;
    result_.array = read_element_array(path.str(), type);
    result_.type = result_.array.type;
  }

  const std::string& text_;
  const Sizes& sizes_;
  uint64_t seed_;
  unsigned number_;
  LaunchArgument result_;
};

}  // namespace

int64_t LaunchArgument::size() const {
  if (kind == ArgumentKind::structure)
    return align_up(members.back().place + members.back().size(), alignment());
  return kind == ArgumentKind::scalar ? static_cast<int64_t>(bytes.size())
                                      : static_cast<int64_t>(sizeof(uint64_t));
}

int64_t LaunchArgument::alignment() const {
  if (kind == ArgumentKind::scalar && StringRef(text).startswith("bytes:")) return 1;
  if (kind != ArgumentKind::structure) return size();
  int64_t most = 1;
  for (const LaunchArgument& member : members) most = std::max(most, member.alignment());
  return most;
}

LaunchArgument read_launch_argument(const std::string& text, const Sizes& sizes, uint64_t seed,
                                    unsigned number) {
  return ArgumentReader(text, sizes, seed, number).run();
}

}  // namespace hone
