#include "bench/gpu/contest.h"
#include "bench/gpu/library.h"
#include "bench/gpu/workload.h"
#include "gmock/gmock.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace contests_test {

const Contest& find_contest(const std::string& name) {
  static const std::vector<Contest> contests = all_contests();
  return *llvm::find_if(contests, [&](const Contest& contest) { return contest.name == name; });
}

/// One element of C = A B or C = A B^T, summed in single precision.
template <class Element>
float element_of(bool transposed, const Sizes& sizes, llvm::ArrayRef<void*> tensors, int64_t i,
                 int64_t j) {
  const auto* A = static_cast<const Element*>(tensors[0]);
  const auto* B = static_cast<const Element*>(tensors[1]);
  const int64_t N = sizes.at("N"), K = sizes.at("K");
  float sum = 0;
  for (int64_t k = 0; k < K; ++k)
    sum += static_cast<float>(A[i * K + k]) *
           static_cast<float>(transposed ? B[j * K + k] : B[k * N + j]);
  return sum;
}

/// The same of floats of 8 bits, with scales of blocks of 128.
float block_scaled_element(const Sizes& sizes, llvm::ArrayRef<void*> tensors, int64_t i,
                           int64_t j) {
  const auto* A = static_cast<const Float8E4M3*>(tensors[0]);
  const auto* B = static_cast<const Float8E4M3*>(tensors[1]);
  const auto* A_scale = static_cast<const float*>(tensors[3]);
  const auto* B_scale = static_cast<const float*>(tensors[4]);
  const int64_t K = sizes.at("K"), blocks = (K + 127) / 128;
  float sum = 0;
  for (int64_t k = 0; k < K; ++k)
    sum += A_scale[i * blocks + k / 128] * B_scale[j / 128 * blocks + k / 128] *
           static_cast<float>(A[i * K + k]) * static_cast<float>(B[j * K + k]);
  return sum;
}

/// With the scales, which are the fourth tensor and those behind.
float element_of(const Contest& contest, const Sizes& sizes, llvm::ArrayRef<void*> tensors,
                 int64_t i, int64_t j) {
  if (contest.name == "gemm-fp8-blocks") return block_scaled_element(sizes, tensors, i, j);
  const bool transposed = contest.library_work != LibraryWork::product;
  const DType type = contest.input_type;
  float element = type == tf32     ? element_of<TensorFloat32>(transposed, sizes, tensors, i, j)
                  : type == f8e4m3 ? element_of<Float8E4M3>(transposed, sizes, tensors, i, j)
                                   : element_of<BFloat16>(transposed, sizes, tensors, i, j);
  for (void* scale : tensors.drop_front(3)) element *= *static_cast<const float*>(scale);
  return element;
}

/// The first `count` elements of the product, computed on the host.
Contender host_product(const Contest& contest, const Sizes& sizes, int64_t count) {
  Stage stage{{"host", {"A", "B", "C"}, {}, {}}};
  llvm::append_range(stage.tensors, contest.scales);
  stage.call = [&contest, sizes, count](llvm::ArrayRef<void*> tensors) {
    const int64_t N = sizes.at("N");
    for (int64_t e = 0; e < count; ++e) {
      const float sum = element_of(contest, sizes, tensors, e / N, e % N);
      if (contest.output_type == DType::f32)
        static_cast<float*>(tensors[2])[e] = sum;
      else
        static_cast<BFloat16*>(tensors[2])[e] = BFloat16(sum);
    }
  };
  Contender contender;
  contender.stages.push_back(std::move(stage));
  return contender;
}

TEST(Contests, ProductsOfNarrowFloatsAreCheckedWithinTheirRounding) {
  for (const char* name : {"hgemm", "hgemm-nt", "gemm-tf32", "gemm-fp8", "gemm-fp8-blocks"})
    for (const Sizes& sizes : find_contest(name).edge_problems) {
      SCOPED_TRACE(fmt::format("{} {}", name, describe(sizes)));
      const Contest& contest = find_contest(name);
      const int64_t elements = sizes.at("M") * sizes.at("N");
      const Contender product = host_product(contest, sizes, elements);
      const Contender part = host_product(contest, sizes, elements - 1);
      Workload workload(contest, sizes, Device::simulated(), /*rotated=*/false);
      const Check check = workload.check(product, product);
      EXPECT_TRUE(check.right()) << check.hone_error << " > " << check.tolerance;
      EXPECT_EQ(check.apart, 0);
      EXPECT_FALSE(workload.check(part, product).right()) << "an element is missing";
    }
}

TEST(Contests, ARoundingMayBeAsLargeAsTheTypeOfTheResultHasIt) {
  const Sizes sizes = {{"M", 1}, {"N", 1}, {"K", 8192}};
  EXPECT_DOUBLE_EQ(find_contest("matmul").tolerance(sizes), 1e-5);
  EXPECT_DOUBLE_EQ(find_contest("hgemm").tolerance(sizes), 1e-5 + 0x1p-13 + 0x1p-8);
  EXPECT_EQ(find_contest("histogram").tolerance({{"n", 8}}), 0);
}

TEST(Contests, LibrariesCompeteWhereTheyDoTheSame) {
  const auto names_of = [](Library::Kind kind) {
    std::vector<std::string> names;
    for (const Contest& contest : all_contests())
      if (Library{kind, ""}.is_comparable(contest)) names.push_back(contest.name);
    return names;
  };
  EXPECT_THAT(names_of(Library::Kind::cub), testing::ElementsAre("reduce"));
  EXPECT_THAT(names_of(Library::Kind::cublas),
              testing::ElementsAre("matmul", "hgemm", "hgemm-nt", "hgemm-f16", "igemm-s8",
                                   "gemm-tf32", "hgemm-batched"));
  EXPECT_THAT(names_of(Library::Kind::cublaslt),
              testing::ElementsAre("matmul", "hgemm", "hgemm-nt", "hgemm-f16", "igemm-s8",
                                   "gemm-tf32", "gemm-fp8", "gemm-bias-gelu", "hgemm-batched"));
}

}  // namespace contests_test
}  // namespace hone
