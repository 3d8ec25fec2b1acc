# hone_cudart: libcudart.so.13, which programs that nvcc has made load in the place of CUDA's own. It
# has all of its functions; those that runtime/cudart does not define are made here, of the names in
# CUDA's headers, and say that they are not supported.

set(cudart_api ${cuda_root}/include/cuda_runtime_api.h)
set(cudart_major 0)
if(EXISTS ${cudart_api})
  file(STRINGS ${cudart_api} cudart_version REGEX "#define CUDART_VERSION +[0-9]+")
  string(REGEX REPLACE ".* ([0-9]+)[0-9][0-9][0-9]$" "\\1" cudart_major "${cudart_version}")
endif()

# Those that no header declares.
set(cudart_names __cudaGetProcAddress __cudaRegisterHostVar __cudaRegisterUnifiedTable)

# cudart_read(<header>): the names of functions in a header, and of those for threads with a default
# stream of their own, "cudaMemcpy_ptds".
macro(cudart_read header)
  file(READ ${header} cudart_text)
  string(REGEX MATCHALL "CUDARTAPI +cuda[A-Za-z0-9_]+\\(" cudart_found "${cudart_text}")
  foreach(declaration ${cudart_found})
    string(REGEX REPLACE "CUDARTAPI +(.*)\\(" "\\1" name "${declaration}")
    list(APPEND cudart_names ${name})
  endforeach()
  string(REGEX MATCHALL "define cuda[A-Za-z0-9_]+ +__CUDART_API_PT[DS][SZ]" cudart_found
         "${cudart_text}")
  foreach(definition ${cudart_found})
    string(REGEX REPLACE "define (cuda[A-Za-z0-9_]+) .*_(PT[DS][SZ])$" "\\1;\\2" parts
           "${definition}")
    list(GET parts 0 name)
    list(GET parts 1 suffix)
    string(TOLOWER ${suffix} suffix)
    list(APPEND cudart_thread_names ${name}_${suffix})
  endforeach()
endmacro()

# The functions that runtime/cudart leaves out, and the names of errors.
function(cudart_generate folder)
  file(GLOB headers ${cuda_root}/include/cuda_*_interop.h)
  set(cudart_thread_names "")
  foreach(header ${cudart_api} ${headers})
    cudart_read(${header})
  endforeach()
  list(REMOVE_DUPLICATES cudart_names)
  list(REMOVE_DUPLICATES cudart_thread_names)
  list(TRANSFORM cudart_names REPLACE "(.+)" "HONE_REFUSED(\\1)\n")
  list(TRANSFORM cudart_thread_names REPLACE "(.+)_(pt[ds][sz])" "HONE_OF_THREAD(\\1, \\1_\\2)\n")
  list(JOIN cudart_names "" refused)
  list(JOIN cudart_thread_names "" of_thread)
  file(CONFIGURE OUTPUT ${folder}/cudart_stubs.cpp
       CONTENT "#include \"runtime/cudart/stub.h\"\n\n${refused}\n${of_thread}")

  file(READ ${cuda_root}/include/driver_types.h text)
  string(FIND "${text}" "enum __device_builtin__ cudaError\n" begin)
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "};" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  string(REGEX MATCHALL "cuda[A-Za-z0-9]+ *= *[0-9]+" errors "${text}")
  list(TRANSFORM errors REPLACE "(cuda[A-Za-z0-9]+) *= *([0-9]+)" "{\\2, \"\\1\"},\n")
  list(JOIN errors "" errors)
  file(CONFIGURE OUTPUT ${folder}/cudart_error_names.inc CONTENT "${errors}")
endfunction()
