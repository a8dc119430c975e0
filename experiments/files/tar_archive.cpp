#include "experiments/files/tar_archive.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

constexpr std::size_t kBlock = 512;

std::string_view header_field(std::string_view header, std::size_t begin, std::size_t size) {
  const std::string_view all = header.substr(begin, size);
  return all.substr(0, all.find('\0'));
}

/// Octal digits between blanks; nothing for any other text.
std::optional<std::uint64_t> octal(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty() || text.size() > 20) return std::nullopt;
  std::uint64_t out = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return std::nullopt;
    out = 8 * out + static_cast<std::uint64_t>(digit - '0');
  }
  return out;
}

/// The sum of the header's bytes, with the sum's own bytes counted as blanks.
std::uint64_t sum_of(std::string_view header) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < kBlock; ++i)
    out += i >= 148 && i < 156 ? std::uint64_t{' '} : static_cast<unsigned char>(header[i]);
  return out;
}

}  // namespace

std::vector<ArchivedFile> read_tar(std::string_view bytes, std::string_view name) {
  std::vector<ArchivedFile> out;
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) {
    const std::string_view header = bytes.substr(at, kBlock);
    if (std::ranges::all_of(header, [](char c) { return c == '\0'; })) return out;
    const auto sum = octal(header_field(header, 148, 8)), size = octal(header_field(header, 124, 12));
    require<DataError>(sum && *sum == sum_of(header) && size,
                       "'{}' is not a tar archive, or is damaged at byte {}. Download it again.", name, at);
    require<DataError>(*size <= bytes.size() - at - kBlock, "'{}' ends inside the file '{}'. Download it again.", name,
                       shown(header_field(header, 0, 100)));
    const char type = header[156];
    require<DataError>(type != 'L' && type != 'x', "'{}' has names that are too long. Pack it as ustar.", name);
    if (type == '0' || type == '\0') {
      const std::string_view folder = header.substr(257, 5) == "ustar" ? header_field(header, 345, 155) : "";
      out.push_back({(folder.empty() ? "" : std::string(folder) + "/") + std::string(header_field(header, 0, 100)),
                     bytes.substr(at + kBlock, static_cast<std::size_t>(*size))});
    }
    at += static_cast<std::size_t>((*size + kBlock - 1) / kBlock * kBlock);
  }
  require<DataError>(!out.empty() && at >= bytes.size(),
                     "'{}' is not a tar archive, or is incomplete. Download it again.", name);
  return out;
}

}  // namespace alidade
