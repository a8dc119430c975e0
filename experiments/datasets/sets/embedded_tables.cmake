# The source of dataset_uses() of embedded_tables.hpp, made when the build is configured: which configurations use which
# data set, read from their [[dataset]] tables. A new or changed one configures the build again.

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

}  // namespace alidade::datasets
"
  @ONLY)
