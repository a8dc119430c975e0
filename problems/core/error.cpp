#include "problems/core/error.hpp"

#include <cstdio>
#include <cstdlib>

#include "problems/core/printable.hpp"

namespace alidade {

Error::Error(const std::string& message, std::source_location where)
    : std::runtime_error(printable(message)), where_(where) {}

std::string at_line(std::string_view file, std::size_t line) { return fmt::format("{}:{}", file, line); }

void assertion_failed(const char* text, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, text);
  std::abort();
}

}  // namespace alidade
