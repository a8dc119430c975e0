# Tables that the program holds: the source of the functions of embedded_tables.hpp. A changed table configures the build
# again.

set(alidade_embedded_tables "")
foreach(table IN ITEMS chemical_elements.csv europe_cities.csv sdplib.csv datasets.json ../readers/column_words.json)
  set(file "${CMAKE_CURRENT_LIST_DIR}/${table}")
  cmake_path(GET table FILENAME table)
  string(REPLACE "." "_" function "${table}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(APPEND alidade_embedded_tables
         "std::string_view ${function}() {\n  return R\"bytes(${text})bytes\";\n}\n")
endforeach()
file(
  CONFIGURE
  OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/embedded_tables.cpp"
  CONTENT
    "#include \"experiments/datasets/sets/embedded_tables.hpp\"

namespace alidade::datasets {

${alidade_embedded_tables}
}  // namespace alidade::datasets
"
  @ONLY)
