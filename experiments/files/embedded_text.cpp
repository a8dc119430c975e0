#include "experiments/files/embedded_text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

extern "C" const char alidade_texts[];  // of texts.S, which embedded_texts.cmake writes

namespace alidade {

std::string_view embedded_text(std::string_view name) {
  for (const char* at = alidade_texts; *at != '\0';) {
    const std::string_view found(at);
    at += found.size() + 1;
    std::uint64_t size = 0;
    std::memcpy(&size, at, sizeof size);
    at += sizeof size;
    if (found == name) return {at, size};
    at += size;
  }
  return {};
}

std::string_view embedded_line(std::string_view name, std::string_view begin) {
  for (std::string_view rest = embedded_text(name); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(begin)) return line.substr(begin.size());
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return {};
}

std::string embedded_text(std::string_view name, const std::vector<std::pair<std::string_view, std::string>>& marks) {
  std::string out(embedded_text(name));
  for (const auto& [mark, text] : marks) out.replace(out.find(mark), mark.size(), text);
  return out;
}

}  // namespace alidade
