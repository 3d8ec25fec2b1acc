// A program in one file, for a build without CMake, by the flags of pkg-config (Debian's pkgconf):
//
//   export PKG_CONFIG_PATH=~/hone-installed/lib/pkgconfig    # where Hone is installed
//   g++ $(pkg-config --cflags hone) one_file.cpp $(pkg-config --libs hone) -o one_file
#include <hone/hone.h>

#include <cstdio>
#include <thread>

using namespace std;
using namespace hone;

int main() {
  const Param n("n");
  const Tensor A("A", f32, {n}), C("C", f32, {n});
  const Axis i("i", n);
  Schedule s(Program("twice", C(i) = 2 * A(i)));
  const auto [chunk, lane] = s.split(i, 32);
  s.bind(chunk, block_x);
  s.bind(lane, thread_x);  // `thread` alone may be std::thread
  const Array<float> c({3});
  compile(s, {.device = Device::simulated()})(Array<float>({1, 2, 3}, {3}), c);
  for (const float value : c.to_vector()) printf("%g\n", value);
  return c.to_vector() == vector<float>{2, 4, 6} ? 0 : 1;
}
