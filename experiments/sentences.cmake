# The headers <sentences/ROOM.hpp>: what a room's sentences.txt says, as constants of namespace alidade::words, so that the
# compiler checks each sentence against what is filled in. They are each source's own: two rooms may use one name. In such a
# file a name at the margin is followed by its sentence in lines that begin with two blanks; what begins with # heads a
# topic. Escapes are those of C++; a first _ is a blank.
file(GLOB rooms RELATIVE "${CMAKE_CURRENT_LIST_DIR}" CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/sentences.txt")
foreach(room IN LISTS rooms)
  cmake_path(GET room PARENT_PATH room)
  set(file "${CMAKE_CURRENT_LIST_DIR}/${room}/sentences.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(REGEX REPLACE "(^|\n)#[^\n]*" "" text "\n${text}")
  string(REPLACE "\n  " " " text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REGEX REPLACE "\n+(k[A-Za-z0-9]+) ([^\n]*)" "\nconstexpr char \\1[] = \"\\2\";" text "${text}")
  string(REPLACE "= \"_" "= \" " text "${text}")
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/sentences/${room}.hpp" @ONLY
       CONTENT "// From ${room}/sentences.txt\n#pragma once\nnamespace alidade::words {${text}\n}\n")
endforeach()
include_directories("${CMAKE_CURRENT_BINARY_DIR}")
