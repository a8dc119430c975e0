#include "experiments/report/figures.hpp"

#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/program_path.hpp"
#include "problems/core/error.hpp"

namespace alidade::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "rsvg-convert";

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(value >> shift & 0xFFU);
  return out;
}

}  // namespace

void require_converter(std::string_view option) {
  require<ConfigError>(program_path(kProgram).has_value(), words::kConverterMissing, kProgram, option);
}

std::optional<std::string> missing_characters(std::string_view svg) {
  constexpr std::uint32_t kPlain = 0x17F;  // every font has Latin letters
  // Marks on letters, and characters that say how others are drawn.
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 4> kWithoutShape = {
      {{0x300, 0x36F}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0xFE00, 0xFE0F}}};
  std::map<std::uint32_t, std::string> wanted;
  for (std::size_t at = 0; at < svg.size();) {
    const auto first = static_cast<unsigned char>(svg[at]);
    const std::size_t length = first < 0x80U ? 1 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
    std::uint32_t character = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length && at + i < svg.size(); ++i)
      character = character << 6U | (static_cast<unsigned char>(svg[at + i]) & 0x3FU);
    const bool shapeless = std::ranges::any_of(
        kWithoutShape, [&](const auto& range) { return character >= range.first && character <= range.second; });
    if (character > kPlain && !shapeless) wanted.emplace(character, svg.substr(at, length));
    at += length;
  }
  if (wanted.empty()) return std::nullopt;
  // One line for each font: "20-7e a0-17f 192".
  const std::unique_ptr<FILE, int (*)(FILE*)> fonts(::popen("fc-list : charset 2>/dev/null", "r"), ::pclose);
  std::string listed;
  std::array<char, 65536> room;
  for (std::size_t count = 0; fonts && (count = std::fread(room.data(), 1, room.size(), fonts.get())) > 0;)
    listed.append(room.data(), count);
  if (listed.find('-') == listed.npos) return std::nullopt;
  const auto hexadecimal = [](std::string_view text) {
    std::uint32_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out, 16);
    return out;
  };
  for (std::size_t at = 0; (at = listed.find_first_of("0123456789abcdef", at)) < listed.size();) {
    const std::size_t end = std::min(listed.find_first_not_of("0123456789abcdef-", at), listed.size());
    const std::string_view range = std::string_view(listed).substr(at, end - at);
    const std::size_t dash = range.find('-');
    const std::uint32_t first = hexadecimal(range),
                        last = dash == range.npos ? first : hexadecimal(range.substr(dash + 1));
    if (last >= first) wanted.erase(wanted.lower_bound(first), wanted.upper_bound(last));
    at = end;
  }
  if (wanted.empty()) return std::nullopt;
  std::vector<std::string> shown;
  for (const auto& [character, text] : wanted) shown.push_back(fmt::format("{} (U+{:04X})", text, character));
  const std::size_t count = shown.size();
  return fmt::format(words::kFontMissing, counted(count, "character", "characters"), join_first(std::move(shown), 10));
}

// [PNG, 11.3.5.3] pHYs: pixels a metre across and up, then the unit, before the first IDAT; here after IHDR.
std::string with_resolution(std::string png, double dpi) {
  constexpr std::size_t kAfterHeader = 33;  // the signature and IHDR
  const std::string rate = big_endian(static_cast<std::uint32_t>(std::lround(dpi / 0.0254)));
  const std::string chunk = "pHYs" + rate + rate + '\1';
  png.insert(kAfterHeader, big_endian(9) + chunk + big_endian(crc32_of(chunk)));
  return png;
}

std::optional<std::string> convert_svg(const fs::path& svg, const fs::path& to, double dpi) {
  constexpr double kPixelsAnInch = 96;
  const bool png = to.extension() == ".png";
  const fs::path part = fs::absolute(to).string() + ".part";
  std::vector<std::string> options = {kProgram, png ? "--format=png" : "--format=pdf", "--output=" + part.string()};
  if (png) options.insert(options.end(), {fmt::format("--zoom={}", dpi / kPixelsAnInch), "--background-color=white"});
  options.push_back(fs::absolute(svg).string());  // absolute, so that no file name is taken for an option
  std::error_code error;
  if (!succeeds(kProgram, std::move(options))) {
    fs::remove(part, error);
    return fmt::format("{}: {} failed. The SVG is in {}.", to.string(), kProgram, svg.filename().string());
  }
  if (png) write_whole_file(part, with_resolution(read_bytes(part), dpi));
  fs::rename(part, to, error);
  return error ? std::optional(fmt::format("Cannot write {}: {}.", to.string(), error.message())) : std::nullopt;
}

}  // namespace alidade::report
