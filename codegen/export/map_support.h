// ---- Tensor maps --------------------------------------------------------------------------------

/// A tensor as the copy engine knows it: a parameter of kernels.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

/// Memory of a zero, for tensors without elements; from the file of the kernels.
void* zeros();

using EncodeTiled = CUresult(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                             const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                             const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                             CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// The driver's; null where it has none.
inline EncodeTiled* encode_tiled() {
  static EncodeTiled* const found = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                               12000, cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &result);
#endif
    return error == cudaSuccess ? reinterpret_cast<EncodeTiled*>(entry) : nullptr;
  }();
  return found;
}

/// Extents in elements, and strides in bytes of all dimensions but the first, which is the fastest.
inline Status encode(TensorMap& map, int element_bytes, const void* address,
                     const std::vector<Size>& extents, const std::vector<Size>& strides,
                     const std::vector<cuuint32_t>& box, int swizzle) {
  std::vector<cuuint64_t> lengths, steps;
  bool is_empty = false;
  for (const Size& extent : extents) {
    is_empty = is_empty || extent == 0;
    if (extent > 2147483647)
      return refuse(Error::size, "{} elements along one dimension have no coordinates", {extent});
  }
  for (const Size& extent : extents) lengths.push_back(is_empty ? 1 : extent.value);
  for (const Size& stride : strides) steps.push_back(is_empty ? 16 : stride.value);
  if (!encode_tiled()) return refuse(Error::cuda, "the driver makes no tensor maps; CUDA 12 does");
  const std::vector<cuuint32_t> ones(box.size(), 1);
  const CUtensorMapDataType type = element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                   : element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                   : element_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                                        : CU_TENSOR_MAP_DATA_TYPE_UINT64;
  const CUtensorMapSwizzle pattern = swizzle == 32    ? CU_TENSOR_MAP_SWIZZLE_32B
                                     : swizzle == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : swizzle == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                                      : CU_TENSOR_MAP_SWIZZLE_NONE;
  const CUresult result = encode_tiled()(
      reinterpret_cast<CUtensorMap*>(&map), type, static_cast<cuuint32_t>(box.size()),
      is_empty ? zeros() : const_cast<void*>(address), lengths.data(), steps.data(), box.data(),
      ones.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, pattern, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return {};
  return refuse(Error::cuda, "cuTensorMapEncodeTiled answers {}", {static_cast<long long>(result)});
}
