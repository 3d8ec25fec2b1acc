# hone::cuda_headers: cuda.h and nvrtc.h. libcuda and libnvrtc are opened at run time, never linked.
#
# The root that is used, in this order: HONE_CUDA_ROOT; a toolkit (CUDA_HOME, CUDA_PATH,
# /usr/local/cuda, the newest /usr/local/cuda-*, /usr), unless the environment has
# HONE_NO_TOOLKIT=1; the PyPI wheels that scripts/setup puts in HONE_CUDA_WHEELS. It is looked up at
# every configure.
set(HONE_CUDA_ROOT "" CACHE PATH "A CUDA toolkit to use; empty: look for one")
set(HONE_CUDA_WHEELS ${PROJECT_SOURCE_DIR}/build/cuda-wheels
    CACHE PATH "Where pip put CUDA's wheels: it holds nvidia/cu13")

set(toolkits "")
if(NOT "$ENV{HONE_NO_TOOLKIT}")
  file(GLOB numbered LIST_DIRECTORIES true /usr/local/cuda-*)
  list(SORT numbered COMPARE NATURAL ORDER DESCENDING)
  set(toolkits $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda ${numbered} /usr)
endif()

set(cuda_root "")
foreach(root ${HONE_CUDA_ROOT} ${toolkits} ${HONE_CUDA_WHEELS}/nvidia/cu13)
  if(EXISTS ${root}/include/cuda.h AND EXISTS ${root}/include/nvrtc.h)
    set(cuda_root ${root})
    break()
  endif()
endforeach()
if(NOT cuda_root)
  message(FATAL_ERROR "cuda.h and nvrtc.h are in none of: ${HONE_CUDA_ROOT} ${toolkits} "
                      "${HONE_CUDA_WHEELS}; scripts/setup installs them")
endif()
message(STATUS "CUDA headers in ${cuda_root}")

add_library(hone_cuda_headers INTERFACE)
add_library(hone::cuda_headers ALIAS hone_cuda_headers)
target_include_directories(hone_cuda_headers SYSTEM INTERFACE ${cuda_root}/include)
