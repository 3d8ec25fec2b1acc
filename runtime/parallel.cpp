#include "runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hone {
namespace {

/// The error of the least number, of those that were thrown.
class FirstError {
 public:
  void catch_current(size_t number) {
    const std::lock_guard lock(mutex_);
    if (error_ && number_ < number) return;
    number_ = number;
    error_ = std::current_exception();
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  size_t number_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void parallel_for(size_t count, llvm::function_ref<void(size_t)> work) {
  FirstError failure;
  std::atomic<size_t> next{0};
  const auto take_all = [&] {
    for (size_t n = next++; n < count; n = next++) {
      try {
        work(n);
      } catch (...) {
        failure.catch_current(n);
      }
    }
  };
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (size_t n = 1; n < std::min(cores, count); ++n) helpers.emplace_back(take_all);
  take_all();
  for (std::thread& helper : helpers) helper.join();
  failure.rethrow();
}

}  // namespace hone
