// Results of each rung, at sizes around those of its blocks.
#include "ladder.h"

#include <hone/hone.h>

#include <cstdio>

using namespace hone;

namespace {

bool is_right(const Rung& rung, int64_t n) {
  std::vector<float> a(n), b(n);
  for (int64_t i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = static_cast<float>(n - i);
  const Array<float> d({n});
  const Sizes sizes = {{"n", n}};
  compile(rung.build({}, sizes), {.device = Device::simulated()})(Array<float>(a, {n}),
                                                                  Array<float>(b, {n}), d);
  return d.to_vector() == std::vector<float>(n, static_cast<float>(n) / 2);
}

}  // namespace

int main() {
  int failures = 0;
  for (const Rung& rung : blend_ladder().rungs)
    for (const int64_t n : {1, 3, 4, 255, 256, 257, 1024, 1031})
      if (!is_right(rung, n)) {
        std::printf("%s is wrong at n = %d\n", rung.name.c_str(), static_cast<int>(n));
        ++failures;
      }
  return failures;
}
