# The source of the functions of files/embedded_text.hpp.
file(GLOB texts CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/texts/*" "${CMAKE_CURRENT_LIST_DIR}/adapters/*.py" "${CMAKE_CURRENT_LIST_DIR}/adapters/*.R")
set(cases "")
foreach(file IN LISTS texts)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  cmake_path(GET file FILENAME name)
  string(APPEND cases "  if (name == \"${name}\") return R\"bytes(${text})bytes\";\n")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/embedded_texts.cpp" @ONLY CONTENT
"#include \"experiments/files/embedded_text.hpp\"

std::string_view alidade::embedded_text(std::string_view name) {
${cases}  return {};
}

std::string alidade::embedded_text(std::string_view name,
                                   const std::vector<std::pair<std::string_view, std::string>>& marks) {
  std::string out(embedded_text(name));
  for (const auto& [mark, text] : marks) out.replace(out.find(mark), mark.size(), text);
  return out;
}
")
