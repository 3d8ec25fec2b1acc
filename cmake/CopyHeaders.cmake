# cmake -D HEADERS=<list> -D SOURCE=<folder> -D INCLUDE=<folder> -P CopyHeaders.cmake
#
# Copies headers to INCLUDE/hone, where each includes the others as "hone/...". A copy that is right
# already keeps its time.
foreach(header ${HEADERS})
  file(READ ${SOURCE}/${header} text)
  string(REPLACE "#include \"tools/draw/draw.h\"" "#include \"hone/draw.h\"" text "${text}")
  string(REGEX REPLACE "#include \"(tools|examples)/" "#include \"hone/" text "${text}")
  string(REGEX REPLACE "#include \"(ir|dsl|codegen|runtime)/" "#include \"hone/\\1/" text "${text}")
  string(REGEX REPLACE "^(tools|examples)/" "" name ${header})
  string(REGEX REPLACE "^draw/draw.h$" "draw.h" name ${name})
  string(REGEX REPLACE "^cli/command/" "cli/" name ${name})
  set(copy ${INCLUDE}/hone/${name})
  set(old "")
  if(EXISTS ${copy})
    file(READ ${copy} old)
  endif()
  if(NOT "${old}" STREQUAL "${text}")
    file(WRITE ${copy} "${text}")
  endif()
endforeach()
