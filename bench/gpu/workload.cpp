#include "bench/gpu/workload.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <type_traits>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "runtime/cuda/cuda_driver.h"

namespace hone {
namespace {

constexpr uint64_t seed = 1;

/// Uniform over [-1, 1), or over [0, 1) where they are to be positive, with all 24 bits of a float
/// in use: round numbers would cost less power.
std::vector<float> random_floats(int64_t count, uint64_t stream, bool positive) {
  std::vector<float> values(static_cast<size_t>(count));
  uint64_t state = stream << 40;
  for (float& value : values) {  // splitmix64
    uint64_t bits = (state += 0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    const float symmetric = static_cast<float>(static_cast<int64_t>(bits) >> 39) * 0x1p-24f;
    value = positive ? std::abs(symmetric) : symmetric;
  }
  return values;
}

/// Integers that a byte of the type holds.
std::vector<float> random_bytes(DType type, int64_t count, uint64_t stream) {
  std::vector<float> values = random_floats(count, stream, /*positive=*/true);
  const float least = type == DType::i8 ? -128 : 0;
  for (float& value : values) value = std::min(std::floor(value * 256), 255.0f) + least;
  return values;
}

/// Integers from 0 on, so many of them, the least first.
std::vector<float> random_indices(int64_t extent, int64_t count, uint64_t stream) {
  std::vector<float> values = random_floats(count, stream, /*positive=*/true);
  for (float& value : values) value = std::floor(value * static_cast<float>(extent));
  llvm::sort(values);
  return values;
}

/// Rounds to numbers that elements of type T can hold.
template <class T>
void round_to(std::vector<float>& values) {
  for (float& value : values) value = static_cast<float>(T(value));
}

/// Random inputs that elements of `type` can hold.
std::vector<float> random_inputs(DType type, int64_t count, uint64_t stream, bool positive) {
  if (!is_float(type)) return random_bytes(type, count, stream);
  std::vector<float> values = random_floats(count, stream, positive);
  if (type == DType::f16) round_to<Half>(values);
  if (type == DType::bf16) round_to<BFloat16>(values);
  if (type == DType::tf32) round_to<TensorFloat32>(values);
  if (type == DType::f8e4m3) round_to<Float8E4M3>(values);
  return values;
}

/// Some of so many numbers, with the first and the last.
std::set<int64_t> sample_of(int64_t size, int count) {
  std::set<int64_t> numbers = {0, size - 1};
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<int64_t> any(0, size - 1);
  for (int n = 0; n < count; ++n) numbers.insert(any(engine));
  return numbers;
}

/// Elements as the numbers that a contest speaks of.
template <class T>
std::vector<double> numbers_of(const std::vector<T>& elements) {
  if constexpr (std::is_arithmetic_v<T>) {
    return {elements.begin(), elements.end()};
  } else {
    std::vector<double> numbers;
    numbers.reserve(elements.size());
    for (const T& element : elements) numbers.push_back(double{static_cast<float>(element)});
    return numbers;
  }
}

std::vector<double> numbers_of(const std::vector<std::pair<float, int32_t>>& pairs) {
  std::vector<double> numbers;
  for (const auto& [first, second] : pairs) numbers.insert(numbers.end(), {first, double(second)});
  return numbers;
}

/// ||x - y|| / ||y||; NaN where any x is.
class Distance {
 public:
  void add(double x, double y) {
    differences_ += (x - y) * (x - y);
    norm_ += y * y;
  }
  double value() const { return differences_ == 0 ? 0 : std::sqrt(differences_ / norm_); }

 private:
  double differences_ = 0, norm_ = 0;
};

double distance(const std::vector<double>& lhs, const std::vector<double>& rhs) {
  Distance distance;
  for (size_t n = 0; n < lhs.size(); ++n) distance.add(lhs[n], rhs[n]);
  return distance.value();
}

/// The number of copies of data of so many bytes that leave none of it in the L2 cache. It has a
/// limit: launches on tiny data measure something else.
int64_t copies_needed(int64_t bytes, const Device& device) {
  const int64_t copies = tiles(4 * device.properties().l2_bytes, std::max<int64_t>(bytes, 1));
  return std::clamp<int64_t>(copies, 2, 256);
}

int64_t bytes_of(const DeviceTensors& tensors) {
  int64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += static_cast<int64_t>(tensor.bytes());
  return bytes;
}

/// An array of so many floats, filled with those of `pattern` over and over.
Array<float> repeated(const AnyArray& pattern, int64_t size) {
  Array<float> array({size}, pattern.device(), Fill::uninitialized);
  const size_t step = std::max<size_t>(pattern.bytes(), 1);
  for (size_t offset = 0; offset < array.bytes(); offset += step)
    pattern.device().context().copy_on_device(static_cast<char*>(array.data()) + offset,
                                              pattern.data(),
                                              std::min(step, array.bytes() - offset));
  return array;
}

template <class T>
Array<T> array_of(const std::vector<float>& values, const Device& device) {
  return Array<T>(std::vector<T>(values.begin(), values.end()),
                  {static_cast<int64_t>(values.size())}, device);
}

DeviceTensors copy_of(const DeviceTensors& tensors) {
  DeviceTensors copy;
  for (const auto& [name, tensor] : tensors) copy.emplace(name, tensor.clone());
  return copy;
}

}  // namespace

bool Check::right() const {
  return apart <= tolerance && hone_error <= tolerance && hand_error <= tolerance;
}

Workload::Workload(const Contest& contest, const Sizes& sizes, const Device& device, bool rotated)
    : contest_(contest), sizes_(sizes), device_(device) {
  const auto elements = [&](const std::string& tensor) { return contest.elements(tensor, sizes); };
  DeviceTensors tensors;
  for (const std::string& name : contest.inputs) {
    const uint64_t stream = seed + inputs_.size();
    const DType type = contest.type_of_input(name);
    const auto index = contest.indices.find(name);
    auto values = index == contest.indices.end()
                      ? random_inputs(type, elements(name), stream, contest.positive)
                      : random_indices(sizes.at(index->second), elements(name), stream);
    tensors.emplace(name, upload(type, values));
    inputs_.emplace(name, std::move(values));
  }
  const int64_t outputs = elements(contest.output);
  tensors.emplace(contest.output, AnyArray(contest.output_type, {outputs}, device));
  const int64_t numbers = is_tuple(contest.output_type) ? 2 * outputs : outputs;
  for (int64_t number : sample_of(numbers, contest.samples)) add_sample(number);

  copies_.push_back(tensors);
  const int64_t copies = rotated ? copies_needed(bytes_of(tensors), device) : 1;
  while (static_cast<int64_t>(copies_.size()) < copies) copies_.push_back(copy_of(tensors));
}

AnyArray Workload::upload(DType type, const std::vector<float>& values) const {
  switch (type) {
    case DType::f64:
      return array_of<double>(values, device_);
    case DType::f32:
      return array_of<float>(values, device_);
    case DType::f16:
      return array_of<Half>(values, device_);
    case DType::bf16:
      return array_of<BFloat16>(values, device_);
    case DType::tf32:
      return array_of<TensorFloat32>(values, device_);
    case DType::f8e4m3:
      return array_of<Float8E4M3>(values, device_);
    case DType::i32:
      return array_of<int32_t>(values, device_);
    case DType::u8:
      return array_of<uint8_t>(values, device_);
    case DType::i8:
      return array_of<int8_t>(values, device_);
    default:
      llvm_unreachable("no contest has inputs of that type");
  }
}

void Workload::add_sample(int64_t number) {
  if (contest_.is_padding && contest_.is_padding(sizes_, number)) return;
  sample_.push_back({number, contest_.reference(inputs_, sizes_, number)});
}

Launches Workload::launches(const Contender& contender) const {
  const DeviceTensors temporaries = make_temporaries(contender, device_);
  Launches launches;
  for (const DeviceTensors& tensors : copies_)
    launches.emplace_back(Launch(contender, tensors, temporaries, sizes_));
  return launches;
}

Launches Workload::copy_launches() const {
  const AnyArray& pattern = copies_.front().at(contest_.inputs.front());
  const auto bytes = static_cast<int64_t>(contest_.work(sizes_));
  const auto floats = static_cast<int64_t>(bytes / 2 / sizeof(float));
  Launches launches;
  for (int64_t copies = copies_needed(bytes, device_); copies > 0; --copies)
    launches.emplace_back([from = repeated(pattern, floats), to = Array<float>({floats}, device_)] {
      from.device().context().copy_on_device(to.data(), from.data(), from.bytes());
    });
  return launches;
}

template <class T>
std::vector<double> Workload::result_after(const Contender& contender, T before) {
  Array<T> output(copies_.front().at(contest_.output));
  const std::vector<T> poison(static_cast<size_t>(output.size()), before);
  const Launch launch(contender, copies_.front(), make_temporaries(contender, device_), sizes_);
  for (int run = 0; run < 2; ++run) {  // the second one finds what all later ones find
    output.copy_from_host(poison.data());
    launch();
  }
  output.device().synchronize();
  return numbers_of(output.to_vector());
}

std::vector<double> Workload::result_over_poison(const Contender& contender) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  if (contest_.output_type == f32_i32) return result_after(contender, std::pair{nan, int32_t{-1}});
  switch (contest_.output_type) {
    case DType::f32:
      return result_after(contender, nan);
    case DType::f64:
      return result_after(contender, double{nan});
    case DType::f16:
      return result_after(contender, Half(nan));
    case DType::bf16:
      return result_after(contender, BFloat16(nan));
    case DType::i32:
      return result_after(contender, int32_t{-1});
    default:
      llvm_unreachable("no contest has outputs of that type");
  }
}

std::vector<double> Workload::result_of(const Contender& contender) {
  std::vector<double> result = result_over_poison(contender);
  if (!contest_.is_padding) return result;
  for (size_t number = 0; number < result.size(); ++number) {
    if (!contest_.is_padding(sizes_, static_cast<int64_t>(number))) continue;
    if (!std::isnan(result[number]))
      throw RuntimeError("{} writes between the rows of {}, at element {}", contender.entries(),
                         contest_.output, number);
    result[number] = 0;
  }
  return result;
}

double Workload::distance_from_exact(const std::vector<double>& result) const {
  Distance distance;
  for (const auto& [number, exact] : sample_) distance.add(result[number], exact);
  return distance.value();
}

Check Workload::check(const Contender& hone, const Contender& hand) {
  const std::vector<double> honed = result_of(hone);
  const std::vector<double> written = result_of(hand);
  return {distance(honed, written), distance_from_exact(honed), distance_from_exact(written),
          contest_.tolerance(sizes_)};
}

}  // namespace hone
