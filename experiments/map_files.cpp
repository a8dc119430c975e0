#include "experiments/map_files.hpp"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string map_to_csv(const Matrix& coordinates, const std::vector<std::string>& objects,
                       const std::vector<std::string>& labels) {
  std::string out = "object,label";
  for (Index c = 0; c < coordinates.cols(); ++c) out += fmt::format(",x{}", c + 1);
  out += '\n';
  for (Index i = 0; i < coordinates.rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    out += csv_field(objects[k]);
    out += ',';
    if (!labels.empty()) out += csv_field(labels[k]);
    for (Index c = 0; c < coordinates.cols(); ++c) {
      out += ',';
      out += shortest(coordinates(i, c));
    }
    out += '\n';
  }
  return out;
}

std::string ellipses_to_csv(const MapUncertainty& uncertainty, const std::vector<std::string>& objects) {
  const Index entries = uncertainty.covariance.cols();
  Index d = 0;
  while (d * (d + 1) / 2 < entries) ++d;
  std::string out = "object,replicates";
  for (Index a = 0; a < d; ++a) out += fmt::format(",sd{}", a + 1);
  for (Index a = 0; a < d; ++a)
    for (Index b = a; b < d; ++b) out += d < 10 ? fmt::format(",cov{}{}", a + 1, b + 1) : fmt::format(",cov{}_{}", a + 1, b + 1);
  if (d == 2) out += ",semi_major,semi_minor,angle";
  out += '\n';
  const auto field = [&](bool known, double value) { out += ',' + (known ? shortest(value) : std::string()); };
  for (Index i = 0; i < uncertainty.covariance.rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool known = std::isfinite(uncertainty.covariance(i, 0));
    out += csv_field(objects[k]) + fmt::format(",{}", uncertainty.replicates[k]);
    for (Index a = 0, diagonal = 0; a < d; diagonal += d - a, ++a)
      field(known, std::sqrt(uncertainty.covariance(i, diagonal)));
    for (Index c = 0; c < entries; ++c) field(known, uncertainty.covariance(i, c));
    if (d == 2) {
      const Ellipse ellipse = ellipse_of(uncertainty.covariance(i, 0), uncertainty.covariance(i, 1), uncertainty.covariance(i, 2));
      for (const double value : {ellipse.semi_major, ellipse.semi_minor, ellipse.angle}) field(known, value);
    }
    out += '\n';
  }
  return out;
}

std::string map_to_npy(const Matrix& coordinates) {
  static_assert(std::endian::native == std::endian::little);
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   coordinates.rows(), coordinates.cols());
  constexpr std::size_t kPrefix = 10;  // magic, version, length
  while ((kPrefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  const auto length = static_cast<std::uint16_t>(header.size());
  out += static_cast<char>(length & 0xff);
  out += static_cast<char>(length >> 8);
  out += header;
  const auto bytes = static_cast<std::size_t>(coordinates.size()) * sizeof(double);
  const std::size_t begin = out.size();
  out.resize(begin + bytes);
  if (bytes > 0) std::memcpy(out.data() + begin, coordinates.data(), bytes);
  return out;
}

}  // namespace alidade
