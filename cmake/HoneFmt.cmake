# hone::fmt: the fmt library, static. Debian and Ubuntu ship only the shared one, and header-only
# use costs over two seconds per source, so its one source file is compiled here.
find_package(fmt 9 REQUIRED CONFIG)
message(STATUS "fmt ${fmt_VERSION}")

find_library(HONE_FMT_ARCHIVE libfmt.a)
get_target_property(fmt_includes fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
if(HONE_FMT_ARCHIVE)
  add_library(hone_fmt INTERFACE)
  target_link_libraries(hone_fmt INTERFACE ${HONE_FMT_ARCHIVE})
  target_include_directories(hone_fmt SYSTEM INTERFACE ${fmt_includes})
else()
  add_library(hone_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
  target_include_directories(hone_fmt SYSTEM PUBLIC ${fmt_includes})
endif()
add_library(hone::fmt ALIAS hone_fmt)
