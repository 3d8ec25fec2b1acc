namespace detail {

// ---- Ranges of index arithmetic -----------------------------------------------------------------
// All values from low to high; `least` and `largest` stand for open ends.

struct Range {
  long long low = largest, high = least;  // empty

  bool is_empty() const { return low > high; }
};

constexpr Range anything{least, largest};

inline long long ends_sum(long long a, long long b, long long open) {
  long long sum = 0;
  return a == open || b == open || !add(a, b, sum) ? open : sum;
}

inline long long ends_product(long long a, long long b, long long open) {
  long long product = 0;
  return multiply(a, b, product) ? product : open;
}

inline Range scaled(Range a, long long factor) {
  if (factor == 0) return {0, 0};
  const bool turns = factor < 0;
  const long long low = turns ? a.high : a.low, high = turns ? a.low : a.high;
  return {low == (turns ? largest : least) ? least : ends_product(low, factor, least),
          high == (turns ? least : largest) ? largest : ends_product(high, factor, largest)};
}

inline Range range(long long low, long long high) { return {low, high}; }
inline Range size(long long value) { return {value, value}; }
inline Range copy(Range a) { return a; }
inline Range hull(Range a, Range b) {
  return {a.low < b.low ? a.low : b.low, a.high < b.high ? b.high : a.high};
}
inline Range both(Range a, Range b) {
  return {a.low < b.low ? b.low : a.low, a.high < b.high ? a.high : b.high};
}
inline Range add(Range a, Range b) {
  return {ends_sum(a.low, b.low, least), ends_sum(a.high, b.high, largest)};
}
inline Range subtract(Range a, Range b) { return add(a, scaled(b, -1)); }
inline Range multiply(Range a, Range b) {
  if (a.low == a.high) return scaled(b, a.low);
  if (b.low == b.high) return scaled(a, b.low);
  if (a.low >= 0 && b.low >= 0)
    return {ends_product(a.low, b.low, 0), a.high != largest && b.high != largest
                                               ? ends_product(a.high, b.high, largest)
                                               : largest};
  const bool is_finite = b.low != least && b.high != largest;
  return is_finite ? hull(scaled(a, b.low), scaled(a, b.high)) : anything;
}
inline Range divide(Range a, Range b) {
  const long long low = a.low < 0 ? 0 : a.low, high = a.high < 0 ? 0 : a.high;
  return {b.high != largest && b.high > 0 ? low / b.high : 0,
          a.high != largest ? high / (b.low < 1 ? 1 : b.low) : largest};
}
inline Range modulo(Range a, Range b) {
  const long long low = a.low < 0 ? 0 : a.low;
  if (a.high < b.low) return {low, a.high < low ? low : a.high};
  const long long most = ends_sum(b.high, -1, largest);
  return {0, a.high < most ? a.high : most};
}
inline Range minimum(Range a, Range b) {
  return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}
inline Range maximum(Range a, Range b) {
  return {a.low < b.low ? b.low : a.low, a.high < b.high ? b.high : a.high};
}
inline Range within_bits(Range a, Range b) {
  const bool is_positive = a.low >= 0 && b.low >= 0;
  const long long ends[] = {a.low, a.high, b.low, b.high};
  long long bits = 0;
  for (const long long end : ends) {
    if (end == least || end == largest) return is_positive ? Range{0, largest} : anything;
    while (bits < (end < 0 ? -(end + 1) : end)) bits = 2 * bits + 1;
  }
  return {is_positive ? 0 : -bits - 1, bits};
}
inline Range bit_and(Range a, Range b) {
  if (a.low < 0 && b.low < 0) return within_bits(a, b);
  if (a.low < 0) return {0, b.high};
  return {0, b.low < 0 || a.high < b.high ? a.high : b.high};
}
inline Range shift_right(Range a, Range) { return {0, a.high}; }
inline Range shift_left(Range a, Range b) {
  if (a.high == largest || b.high == largest || b.high >= 62) return {0, largest};
  const long long most = b.high < 0 ? 0 : b.high;
  const long long high = ends_product(a.high, 1LL << most, largest);
  if (high == largest) return {0, largest};
  const long long by = b.low < 0 ? 0 : b.low > most ? most : b.low;
  const long long low = ends_product(a.low < 0 ? 0 : a.low, 1LL << by, largest);
  return {low < high ? low : high, high};
}
inline Range up_to(Range a) { return {least, a.high}; }
inline Range from(Range a) { return {a.low, largest}; }
inline Range below(Range a) { return {0, subtract(a, {1, 1}).high}; }
inline Range counted(Range a, Range b) { return {a.low, subtract(b, {1, 1}).high}; }
inline Range ends(Range a, Range b) { return {a.low, b.high}; }
inline Range factors(Range a, long long factor) {
  return {a.low == least ? least : -floor_of(-a.low, factor),
          a.high == largest ? largest : floor_of(a.high, factor)};
}
inline Range on_steps(Range a, long long first, long long step) {
  if (a.is_empty()) return a;
  if (a.high != largest) a.high -= (a.high - first) % step;
  a.low += (step - (a.low - first) % step) % step;
  return a;
}
inline Range last_step(Range a, Range first, long long step) {
  const bool is_exact = first.low == first.high && a.high != largest && !a.is_empty();
  if (is_exact) a.high -= (a.high - first.low) % step;
  return a;
}
inline Range shifted(Range a, Range by, long long bits) { return by.high >= bits ? anything : a; }
inline Range wanted(Range factor, Range product) {
  return factor.low >= 1 ? hull(product, {0, 0}) : anything;
}

/// A check that index arithmetic of so many bits holds the range; of 0 bits, that it has a divisor.
inline bool allows(Range a, int bits) {
  if (a.is_empty()) return true;
  if (bits == 0) return a.high > 0;
  const bool is_open = a.low == least || a.high == largest;
  return !is_open && (bits == 64 || (a.low >= -2147483648LL && a.high <= 2147483647LL));
}

inline Status refuse_range(Range a, int bits, const char* high, const char* low, const char* open,
                           std::vector<Text> sizes) {
  const bool is_high = a.high > 2147483647LL;
  const long long end = is_high ? a.high : a.low;
  if (bits != 32 || end == largest || end == least) return refuse(Error::limit, open, sizes);
  sizes.insert(sizes.begin(), end);
  return refuse(Error::limit, is_high ? high : low, sizes);
}

}  // namespace detail
