# What users of the libraries get, from the build tree (add_subdirectory) and from an installation
# (find_package): headers under hone/, targets under hone::.

# The headers that users may include, and all that these include.
set(HONE_HEADERS
  codegen/emit/emit.h codegen/lower.h
  dsl/operator.h dsl/schedule.h dsl/tune.h dsl/tune_table.h
  ir/interpret/interpreter.h ir/text/parser.h ir/text/printer.h
  runtime/compile.h runtime/io/dlpack.h runtime/io/npy.h runtime/io/npz.h runtime/pitch.h
  runtime/timing.h
  tools/cli/command/command_line.h tools/cli/ladder.h tools/draw/draw.h
  examples/exercises/answer.h examples/exercises/own.h)

# What hone.h includes of them: commands and exercises are apart.
set(hone_includes "")
foreach(header ${HONE_HEADERS})
  if(NOT header MATCHES "^(tools|examples)/")
    string(APPEND hone_includes "#include \"hone/${header}\"\n")
  endif()
endforeach()

function(hone_add_included_headers list)
  set(headers ${${list}})
  set(position 0)
  list(LENGTH headers count)
  while(position LESS count)
    list(GET headers ${position} header)
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"(ir|dsl|codegen|runtime|tools|examples)/")
    foreach(line ${lines})
      string(REGEX REPLACE ".*\"(.*)\".*" "\\1" included "${line}")
      list(APPEND headers ${included})
    endforeach()
    list(REMOVE_DUPLICATES headers)
    list(LENGTH headers count)
    math(EXPR position "${position} + 1")
  endwhile()
  set(${list} ${headers} PARENT_SCOPE)
endfunction()
hone_add_included_headers(HONE_HEADERS)

# Copies of them under include/hone, where they find each other by that name: no folder of ours is
# on the include path of a user.
set(hone_include ${PROJECT_BINARY_DIR}/include)
list(TRANSFORM HONE_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE header_files)
set(header_copies ${HONE_HEADERS})
list(TRANSFORM header_copies REPLACE "^(tools|examples)/" "")
list(TRANSFORM header_copies REPLACE "^draw/draw.h$" "draw.h")
list(TRANSFORM header_copies REPLACE "^cli/command/" "cli/")
list(TRANSFORM header_copies PREPEND ${hone_include}/hone/)
configure_file(${CMAKE_CURRENT_LIST_DIR}/hone.h.in ${hone_include}/hone/hone.h @ONLY)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/hone-headers.stamp
  COMMAND ${CMAKE_COMMAND}
          -D "HEADERS=${HONE_HEADERS}" -D SOURCE=${PROJECT_SOURCE_DIR} -D INCLUDE=${hone_include}
          -P ${CMAKE_CURRENT_LIST_DIR}/CopyHeaders.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/hone-headers.stamp
  BYPRODUCTS ${header_copies}
  DEPENDS ${header_files} ${CMAKE_CURRENT_LIST_DIR}/CopyHeaders.cmake
  COMMENT "Copying the headers for users"
  VERBATIM)
add_custom_target(hone_headers ALL DEPENDS ${PROJECT_BINARY_DIR}/hone-headers.stamp)
add_dependencies(hone_ir hone_headers)
target_include_directories(hone_ir INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(NOT PROJECT_IS_TOP_LEVEL)
  target_include_directories(hone_ir INTERFACE $<BUILD_INTERFACE:${hone_include}>)
endif()
target_compile_features(hone_ir PUBLIC cxx_std_20)

# hone::hone: all but the drawings, hone::draw, and the commands, hone::cli.
add_library(hone_all INTERFACE)
add_library(hone::hone ALIAS hone_all)
target_link_libraries(hone_all INTERFACE hone_dsl hone_runtime)

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hone)
foreach(library ir dsl codegen runtime ptx cuda_text draw cli fmt llvm)
  set_target_properties(hone_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()
set_target_properties(hone_all PROPERTIES EXPORT_NAME hone)
install(
  TARGETS hone_all hone_cli hone_codegen hone_cuda_text hone_draw hone_dsl hone_fmt hone_ir hone_llvm
          hone_ptx hone_runtime
  EXPORT hone ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(EXPORT hone NAMESPACE hone:: FILE hone-targets.cmake DESTINATION ${package_folder}
        COMPONENT dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/hone-config.cmake.in
  ${PROJECT_BINARY_DIR}/hone-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hone-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/hone-config.cmake ${PROJECT_BINARY_DIR}/hone-config-version.cmake
  DESTINATION ${package_folder} COMPONENT dev)
install(DIRECTORY ${hone_include}/hone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/docs/licences.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT hone)

# For builds without CMake.
set(hone_fmt_flag -lhone_fmt)
if(HONE_FMT_ARCHIVE)
  set(hone_fmt_flag ${HONE_FMT_ARCHIVE})
endif()
execute_process(COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libs support
                OUTPUT_VARIABLE llvm_libraries OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --system-libs
                OUTPUT_VARIABLE system_libraries OUTPUT_STRIP_TRAILING_WHITESPACE)
# From where the file lies, so that the installation can be moved.
file(RELATIVE_PATH hone_prefix_of_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/hone.pc.in ${PROJECT_BINARY_DIR}/hone.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT dev)

# `cpack -G DEB` in the build folder makes hone, the command, and libhone-dev, for the distribution
# that it runs on: programs are built with its LLVM.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Hone developers <hone@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_COMPONENTS_ALL hone dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_HONE_PACKAGE_NAME hone)
set(CPACK_DEBIAN_HONE_PACKAGE_DEPENDS "libc6")
set(CPACK_DEBIAN_HONE_PACKAGE_RECOMMENDS "gcc, libhone-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libhone-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "g++ (>= 4:12), cmake (>= 3.25), libfmt-dev (>= 9), llvm-${LLVM_VERSION_MAJOR}-dev, zlib1g-dev, libzstd-dev, libncurses-dev")
include(CPack)
