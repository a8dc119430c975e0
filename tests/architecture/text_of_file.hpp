// The text of a source or a document, whole.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace alidade::testing {

inline std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), file.string());
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace alidade::testing
