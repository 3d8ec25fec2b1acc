#include "runtime/cudart/call_error.h"

#include <map>

#include "llvm/ADT/StringExtras.h"

namespace hone::cudart {
namespace {

struct ErrorName {
  int code;
  const char* name;
};

constexpr ErrorName error_names[] = {
#include "cudart_error_names.inc"
};

/// The words of programs' output that people know. Others are made of the names.
constexpr ErrorName known_texts[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInitializationError, "initialization error"},
    {cudaErrorInvalidConfiguration, "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "invalid device function"},
    {cudaErrorNoDevice, "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"},
    {cudaErrorInvalidPtx, "a PTX JIT compilation failed"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "misaligned address"},
    {cudaErrorLaunchOutOfResources, "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "the launch timed out and was terminated"},
    {cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"},
    {cudaErrorLaunchFailure, "unspecified launch failure"},
    {cudaErrorAssert, "device-side assert triggered"},
    {cudaErrorNotSupported, "operation not supported"},
    {cudaErrorUnknown, "unknown error"},
};

template <size_t count>
const char* find_text(const ErrorName (&table)[count], cudaError_t error) {
  for (const ErrorName& row : table)
    if (row.code == error) return row.name;
  return nullptr;
}

/// "cudaErrorPeerAccessNotEnabled" as "peer access not enabled".
std::string words_of_name(llvm::StringRef name) {
  name.consume_front("cudaError");
  std::string words;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z' && !words.empty()) words += ' ';
    words += llvm::toLower(c);
  }
  return words;
}

}  // namespace

const char* name_of_error(cudaError_t error) {
  const char* const name = find_text(error_names, error);
  return name ? name : "unrecognized error code";
}

const char* text_of_error(cudaError_t error) {
  if (const char* const text = find_text(known_texts, error)) return text;
  if (!find_text(error_names, error)) return "unrecognized error code";
  static const auto* const texts = [] {
    auto* const made = new std::map<int, std::string>;
    for (const ErrorName& row : error_names) (*made)[row.code] = words_of_name(row.name);
    return made;
  }();
  return texts->at(error).c_str();
}

}  // namespace hone::cudart
