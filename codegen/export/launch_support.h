/// A launch of one kernel. Without blocks or threads there is nothing to do.
struct Shape {
  const char* kernel;
  long long grid[3], block[3];
  std::size_t shared_bytes;  // dynamic ones

  bool is_empty() const {
    for (int dim = 0; dim < 3; ++dim)
      if (grid[dim] == 0 || block[dim] == 0) return true;
    return false;
  }
};

namespace detail {

// ---- Formulas over sizes ------------------------------------------------------------------------
// A value beyond 64 bits is the largest or the smallest number, and stays so in sums, differences
// and products; a division by 0 is 0.

constexpr long long largest = 9223372036854775807, least = -largest - 1;

inline bool is_beyond(long long a) { return a == least || a == largest; }
inline long long opposite(long long a) { return a == least ? largest : a == largest ? least : -a; }

/// These are true where the result fits.
inline bool add(long long a, long long b, long long& sum) {
  sum = static_cast<long long>(static_cast<unsigned long long>(a) +
                               static_cast<unsigned long long>(b));
  return (a < 0) != (b < 0) || (sum < 0) == (a < 0);
}

inline bool multiply(long long a, long long b, long long& product) {
  product = static_cast<long long>(static_cast<unsigned long long>(a) *
                                   static_cast<unsigned long long>(b));
  if (a == 0 || b == 0) return true;
  if (a == -1) return b != least;
  if (b == -1) return a != least;
  return product / b == a;
}

inline long long floor_of(long long a, long long b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace detail

/// A size, or a number that is computed from sizes.
struct Size {
  long long value;
  constexpr Size(long long value) : value(value) {}

  friend Size operator+(Size a, Size b) {
    if (detail::is_beyond(a.value) || detail::is_beyond(b.value))
      return detail::is_beyond(a.value) ? a : b;
    long long sum = 0;
    return detail::add(a.value, b.value, sum) ? sum : a.value < 0 ? detail::least : detail::largest;
  }
  friend Size operator-(Size a, Size b) { return a + detail::opposite(b.value); }
  friend Size operator*(Size a, Size b) {
    long long product = 0;
    const bool is_beyond = detail::is_beyond(a.value) || detail::is_beyond(b.value);
    const bool fits = detail::multiply(a.value, b.value, product) && !is_beyond;
    if (fits || a.value == 0 || b.value == 0) return product;
    return (a.value < 0) == (b.value < 0) ? detail::largest : detail::least;
  }
  friend Size operator/(Size a, Size b) {
    if (b.value == 0) return 0;
    const bool is_least = a.value == detail::least && b.value == -1;
    return is_least ? detail::largest : detail::floor_of(a.value, b.value);
  }
  friend Size operator%(Size a, Size b) {
    if (b.value == 0 || b.value == -1) return 0;
    const long long rest = a.value % b.value;
    return rest != 0 && (rest < 0) != (b.value < 0) ? rest + b.value : rest;
  }
  friend Size operator&(Size a, Size b) { return a.value & b.value; }
  friend Size operator|(Size a, Size b) { return a.value | b.value; }
  friend Size operator^(Size a, Size b) { return a.value ^ b.value; }
  friend Size operator<<(Size a, Size b) {
    return b.value < 0 || b.value > 62 ? Size(0) : a * (1LL << b.value);
  }
  friend Size operator>>(Size a, Size b) {
    return b.value < 0 || b.value > 62 ? 0 : a.value >> b.value;
  }
  friend bool operator==(Size a, Size b) { return a.value == b.value; }
  friend bool operator!=(Size a, Size b) { return a.value != b.value; }
  friend bool operator<(Size a, Size b) { return a.value < b.value; }
  friend bool operator<=(Size a, Size b) { return a.value <= b.value; }
  friend bool operator>(Size a, Size b) { return a.value > b.value; }
  friend bool operator>=(Size a, Size b) { return a.value >= b.value; }
};

namespace detail {

inline Size min(Size a, Size b) { return a < b ? a : b; }
inline Size max(Size a, Size b) { return a < b ? b : a; }

// ---- Refusals -----------------------------------------------------------------------------------

/// A value in a message.
struct Text {
  char characters[24];
  Text(long long value) { std::snprintf(characters, sizeof characters, "%lld", value); }
  Text(Size count) : Text(count.value) {}
  Text(const void* address) {
    std::snprintf(characters, sizeof characters, "0x%llx",
                  static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)));
  }
};

/// `message` with the values for its "{}".
inline Status refuse(Error error, const char* message, const std::vector<Text>& values = {}) {
  Status status;
  status.error = error;
  char *out = status.message, *const end = out + sizeof status.message - 1;
  auto value = values.begin();
  for (; *message && out < end; ++message) {
    if (message[0] == '{' && message[1] == '}' && value != values.end()) {
      for (const char* c = value->characters; *c && out < end; ++c) *out++ = *c;
      ++value, ++message;
    } else {
      *out++ = *message;
    }
  }
  *out = '\0';
  return status;
}

inline Status refuse(cudaError_t error, const char* call) {
  Status status;
  status.error = Error::cuda;
  status.cuda = error;
  std::snprintf(status.message, sizeof status.message, "%s: %s", call, cudaGetErrorString(error));
  return status;
}

inline bool is_aligned(const void* address, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

inline bool overlap(const void* a, Size a_bytes, const void* b, Size b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a),
             second = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes > 0 && b_bytes > 0 &&
         first < second + static_cast<std::uintptr_t>(b_bytes.value) &&
         second < first + static_cast<std::uintptr_t>(a_bytes.value);
}

// ---- Launches -----------------------------------------------------------------------------------

inline dim3 dims(const long long (&extents)[3]) {
  dim3 result;
  result.x = static_cast<unsigned>(extents[0]);
  result.y = static_cast<unsigned>(extents[1]);
  result.z = static_cast<unsigned>(extents[2]);
  return result;
}

inline Status allow_shared_bytes(const void* kernel, const Shape& shape) {
  if (shape.shared_bytes == 0) return {};
  const cudaError_t error = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes));
  return error == cudaSuccess ? Status() : refuse(error, "cudaFuncSetAttribute");
}

inline Status start(const void* kernel, const Shape& shape, void** arguments, cudaStream_t stream) {
  if (shape.is_empty()) return {};
  if (Status status = allow_shared_bytes(kernel, shape); !status) return status;
  const cudaError_t error = cudaLaunchKernel(kernel, dims(shape.grid), dims(shape.block), arguments,
                                             shape.shared_bytes, stream);
  return error == cudaSuccess ? Status() : refuse(error, "cudaLaunchKernel");
}

}  // namespace detail
