#include "experiments/results/row_checksum.hpp"

#include "experiments/files/sha256.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::string_view kBegin = ",\"check\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kSize = kBegin.size() + kDigits + kEnd.size();

std::string digits_of(std::string_view line) { return sha256(line).substr(0, kDigits); }

}  // namespace

std::string with_text_field(std::string_view line, std::string_view name, std::string_view text) {
  std::string out(line.substr(0, line.size() - 1));
  out.append(",\"").append(name).append("\":\"").append(text).append(kEnd);
  return out;
}

std::string with_checksum(std::string_view line) { return with_text_field(line, "check", digits_of(line)); }

LineChecksum checksum_of(std::string_view line) {
  line = trim(line);
  if (line.size() <= kSize) return LineChecksum::none;
  const std::string_view end = line.substr(line.size() - kSize);
  if (!end.starts_with(kBegin) || !end.ends_with(kEnd)) return LineChecksum::none;
  const std::string without = std::string(line.substr(0, line.size() - kSize)) + "}";
  return end.substr(kBegin.size(), kDigits) == digits_of(without) ? LineChecksum::right : LineChecksum::wrong;
}

}  // namespace alidade
