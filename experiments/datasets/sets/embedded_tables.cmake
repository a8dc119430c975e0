# The source of the functions of embedded_tables.hpp, made when the build is configured: tables that the program holds, and
# which configurations use which data set, read from their [[dataset]] tables. A new or changed one configures the build again.

file(GLOB alidade_configs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/configs/*.toml")
set(alidade_dataset_uses "")
foreach(config IN LISTS alidade_configs)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${config}")
  get_filename_component(name "${config}" NAME)
  file(READ "${config}" text)
  # Brackets and semicolons mean something to lists.
  string(REPLACE ";" "," text "${text}")
  string(REGEX REPLACE "#[^\n]*" "" text "${text}")
  string(REPLACE "[[dataset]]" "@dataset" text "${text}")
  string(REGEX REPLACE "[][]" "@" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(in_dataset FALSE)
  set(seen "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^[ \t]*@dataset")
      set(in_dataset TRUE)
    elseif(line MATCHES "^[ \t]*@")
      set(in_dataset FALSE)
    elseif(in_dataset AND line MATCHES "^[ \t]*name[ \t]*=[ \t]*\"([a-z0-9_]+)\"")
      if(NOT CMAKE_MATCH_1 IN_LIST seen)
        list(APPEND seen "${CMAKE_MATCH_1}")
        string(APPEND alidade_dataset_uses "    {\"${CMAKE_MATCH_1}\", \"${name}\"},\n")
      endif()
    endif()
  endforeach()
endforeach()
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

#include <array>

namespace alidade::datasets {

std::span<const DatasetUse> dataset_uses() {
  static constexpr auto kUses = std::to_array<DatasetUse>({
${alidade_dataset_uses}  });
  return kUses;
}

${alidade_embedded_tables}
}  // namespace alidade::datasets
"
  @ONLY)
