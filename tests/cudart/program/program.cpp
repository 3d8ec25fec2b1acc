// A program as nvcc makes them: `program KERNEL THREADS [LAUNCHES [GRID]]` runs a kernel on 64
// numbers, and prints the first and the last of them. Exits with 0 where no call fails.
#include <cstdio>
#include <cstdlib>

#include "tests/cudart/kernels.h"

int main(int count, char** words) {
  hone::register_kernels();
  constexpr int n = 64;
  int numbers[n];
  for (int i = 0; i < n; ++i) numbers[i] = i;
  int* data = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&data), sizeof numbers);
  cudaMemcpy(data, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  const char kind = words[1][0];
  const unsigned threads = std::atoi(words[2]);
  const int launches = count > 3 ? std::atoi(words[3]) : 1;
  const unsigned grid = count > 4 ? std::atoi(words[4]) : 1;
  for (int launch = 0; launch < launches; ++launch) {
    if (kind == 'a') hone::launch(hone::address_of(hone::scale_add), grid, threads, data, n);
    if (kind == 's') hone::launch(hone::address_of(hone::stray), grid, threads, data);
    if (kind == 'r') hone::launch(hone::address_of(hone::race), grid, threads, data);
  }
  if (const cudaError_t e = cudaGetLastError(); e != cudaSuccess) {
    std::puts(cudaGetErrorName(e));
    return 3;
  }
  cudaMemcpy(numbers, data, sizeof numbers, cudaMemcpyDeviceToHost);
  std::printf("%d %d, counter %d\n", numbers[0], numbers[n - 1], *hone::counter);
  cudaFree(data);
  return 0;
}
