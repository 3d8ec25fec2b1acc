// Three exports in one program of plain CUDA: scripts/check-exports compares its results with those
// of `hone run`, bit for bit. Reads and writes .npy files of the current folder.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "product.h"
#include "total.h"
#include "tree.h"

namespace {

void require(bool holds, const char* message) {
  if (holds) return;
  std::printf("%s\n", message);
  std::exit(1);
}

template <typename Status>
void expect_launched(const Status& status) {
  require(bool(status), status.message);
}

void require(cudaError_t error) { require(error == cudaSuccess, cudaGetErrorString(error)); }

/// The elements of an .npy file, which are its last bytes.
std::vector<char> read(const std::string& path, size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> all((std::istreambuf_iterator<char>(file)), {});
  require(all.size() > bytes, (path + " is too short").c_str());
  return {all.end() - static_cast<std::ptrdiff_t>(bytes), all.end()};
}

/// Memory of the GPU in which every byte is 0xff: floats are NaN.
float* unset(size_t bytes) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, bytes + 1));
  require(cudaMemset(memory, 0xff, bytes));
  return static_cast<float*>(memory);
}

float* on_gpu(const std::string& path, size_t count) {
  float* memory = unset(count * sizeof(float));
  const auto bytes = read(path, count * sizeof(float));
  require(cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  return memory;
}

bool expect_same(const char* name, const float* result, const std::string& path, size_t count) {
  std::vector<char> found(count * sizeof(float));
  require(cudaMemcpy(found.data(), result, found.size(), cudaMemcpyDeviceToHost));
  const bool same = found == read(path, found.size());
  std::printf("plain CUDA: %s: %s, %zu floats\n", name,
              same ? "bit for bit that of hone run" : "DIFFERS from hone run", count);
  return same;
}

template <typename Status>
bool expect_refused(const Status& status) {
  std::printf("refused: %s\n", status ? "NOT, it was launched" : status.message);
  return !status;
}

}  // namespace

int main() {
  const size_t M = 301, N = 257, K = 129, n = 1000004, m = 100003;
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  const float *A = on_gpu("A.npy", M * K), *B = on_gpu("B.npy", K * N);
  const float *V = on_gpu("V.npy", n), *W = on_gpu("W.npy", m);
  float *C = unset(M * N * sizeof(float)), *S = unset(sizeof(float)), *T = unset(sizeof(float));
  const size_t total_bytes = total::workspace_bytes(n), tree_bytes = tree::workspace_bytes(m);
  float *total_memory = unset(total_bytes), *tree_memory = unset(tree_bytes);

  bool good = true;
  for (int round = 0; round < 3; ++round) {
    expect_launched(product::launch(stream, A, B, C, M, N, K));
    expect_launched(total::launch(stream, V, S, n, total_memory, total_bytes));
    expect_launched(tree::launch(stream, W, T, m, tree_memory, tree_bytes));
    require(cudaStreamSynchronize(stream));
    good &= expect_same("product", C, "C.npy", M * N);
    good &= expect_same("total", S, "S.npy", 1);
    good &= expect_same("tree", T, "T.npy", 1);
  }
  good &= expect_refused(total::launch(stream, V + 1, S, n, total_memory, total_bytes));
  good &= expect_refused(total::launch(stream, V, S, n - 1, total_memory, total_bytes));
  good &= expect_refused(total::launch(stream, V, S, n, total_memory, 7));
  return good ? 0 : 1;
}
