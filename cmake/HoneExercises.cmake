# How `hone exercise` and `hone watch` compile a source: exercise.flags, a word a line, from the
# compiler to the last library; @SOURCE@ stands for the source, @HERE@ for the folder of the file.
# One is for the build tree, one for an installation.
set(exercise_libraries exercises lessons cli draw cuda_text ptx runtime codegen dsl ir)
separate_arguments(llvm_words UNIX_COMMAND "-L${LLVM_LIBRARY_DIR} ${llvm_libraries} ${system_libraries}")
set(before ${CMAKE_CXX_COMPILER} -std=c++20 -O0)
if(HONE_ASSERTS)
  list(APPEND before -D_GLIBCXX_ASSERTIONS)
endif()
if(HONE_SANITIZE)
  list(APPEND before -fsanitize=${HONE_SANITIZE})
endif()
list(APPEND before -isystem ${LLVM_INCLUDE_DIRS})

set(words ${before} -I${hone_include} @SOURCE@)
foreach(library ${exercise_libraries})
  list(APPEND words $<TARGET_FILE:hone_${library}>)
endforeach()
if(HONE_FMT_ARCHIVE)
  list(APPEND words ${HONE_FMT_ARCHIVE})
else()
  list(APPEND words $<TARGET_FILE:hone_fmt>)
endif()
list(APPEND words ${llvm_words} -lpthread -ldl)
list(JOIN words "\n" text)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/exercise.flags CONTENT "${text}\n")

set(flags_folder ${CMAKE_INSTALL_LIBDIR}/hone)
file(RELATIVE_PATH to_headers /${flags_folder} /${CMAKE_INSTALL_INCLUDEDIR})
set(words ${before} -I@HERE@/${to_headers} @SOURCE@ -L@HERE@/..)
foreach(library ${exercise_libraries})
  list(APPEND words -lhone_${library})
endforeach()
list(APPEND words ${hone_fmt_flag} ${llvm_words} -lpthread -ldl)
list(JOIN words "\n" text)
file(WRITE ${PROJECT_BINARY_DIR}/installed/exercise.flags "${text}\n")
install(FILES ${PROJECT_BINARY_DIR}/installed/exercise.flags DESTINATION ${flags_folder} COMPONENT dev)
install(TARGETS hone_exercises hone_lessons ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT dev)

file(RELATIVE_PATH to_flags /${CMAKE_INSTALL_BINDIR} /${flags_folder}/exercise.flags)
target_compile_definitions(hone_exercises PRIVATE
  HONE_INSTALLED_FLAGS="${to_flags}" HONE_BUILD_FLAGS="${PROJECT_BINARY_DIR}/exercise.flags")
