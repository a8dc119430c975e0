# The object library alidade_texts: the files that embedded_text() of files/embedded_text.hpp gives by name, as bytes of
# the program, for a project with the language ASM. Of each file its name, a zero byte, its size in eight bytes, and what
# is in it; an empty name ends them.
file(GLOB texts CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/texts/*" "${CMAKE_CURRENT_LIST_DIR}/adapters/*.py"
     "${CMAKE_CURRENT_LIST_DIR}/adapters/*.R" "${CMAKE_CURRENT_LIST_DIR}/report/*.html"
     "${CMAKE_CURRENT_LIST_DIR}/report/*.css" "${CMAKE_CURRENT_LIST_DIR}/report/*.bib"
     "${CMAKE_CURRENT_LIST_DIR}/report/script/*.js" "${CMAKE_CURRENT_LIST_DIR}/guide/row.md"
     "${CMAKE_CURRENT_LIST_DIR}/datasets/*/*.csv" "${CMAKE_CURRENT_LIST_DIR}/datasets/*/*.json")
set(names "")
set(assembly "  .section .rodata\n  .global alidade_texts\nalidade_texts:\n")
foreach(file IN LISTS texts)
  cmake_path(GET file FILENAME name)
  if(name IN_LIST names)
    message(FATAL_ERROR "Two files that the program holds are called ${name}: call one otherwise")
  endif()
  list(APPEND names "${name}")
  string(APPEND assembly "  .asciz \"${name}\"\n  .8byte 2f - 1f\n1:\n  .incbin \"${file}\"\n2:\n")
endforeach()
# It leaves an unchanged file alone, so nothing is built again for nothing.
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/texts.S" @ONLY
     CONTENT "${assembly}  .byte 0\n  .section .note.GNU-stack,\"\",%progbits\n")
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/texts.S" PROPERTIES OBJECT_DEPENDS "${texts}")
add_library(alidade_texts OBJECT "${CMAKE_CURRENT_BINARY_DIR}/texts.S")
set_target_properties(alidade_texts PROPERTIES POSITION_INDEPENDENT_CODE ON)
