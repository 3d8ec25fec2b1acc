// Reverses an array in place, and forgets a barrier.
#include <cstdio>

__global__ void reverse(int *data, int n) {
  __shared__ int tile[256];
  const int i = threadIdx.x;
  if (i < n) tile[i] = data[i];
  if (i < n) data[i] = tile[n - 1 - i];
}

int main() {
  const int n = 200;
  int host[n], *device;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  reverse<<<1, 256>>>(device, n);
  cudaMemcpy(host, device, sizeof host + 4, cudaMemcpyDeviceToHost);
  std::printf("%d ... %d, %s\n", host[0], host[n - 1], cudaGetErrorString(cudaGetLastError()));
}
