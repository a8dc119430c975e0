#include "experiments/datasets/readers/idx_file.hpp"

#include <bit>
#include <cstdint>

#include "experiments/files/gzip_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < size; ++i) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

/// Bytes of one number of an IDX type; 0 if there is no such type.
std::size_t size_of(unsigned type) {
  switch (type) {
    case 0x08:
    case 0x09: return 1;
    case 0x0B: return 2;
    case 0x0C:
    case 0x0D: return 4;
    case 0x0E: return 8;
    default: return 0;
  }
}

float number(unsigned type, std::uint64_t bits) {
  switch (type) {
    case 0x08: return static_cast<float>(bits);
    case 0x09: return static_cast<float>(static_cast<std::int8_t>(bits));
    case 0x0B: return static_cast<float>(static_cast<std::int16_t>(bits));
    case 0x0C: return static_cast<float>(static_cast<std::int32_t>(bits));
    case 0x0D: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return static_cast<float>(std::bit_cast<double>(bits));
  }
}

}  // namespace

FeatureMatrix parse_idx(std::string_view bytes, const std::string& name) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const bool begins = bytes.size() >= 4 && byte(0) == 0 && byte(1) == 0 && size_of(byte(2)) > 0 && byte(3) > 0;
  require<DataError>(begins, "'{}' is not an IDX file: its first four bytes are wrong. Download it again.", name);
  const unsigned type = byte(2);
  const std::size_t size = size_of(type), dimensions = byte(3), header = 4 + 4 * dimensions;
  require<DataError>(bytes.size() >= header, "'{}' ends inside its header. Download it again.", name);
  const std::uint64_t rows = big_endian(bytes, 4, 4);
  std::uint64_t columns = 1;
  const std::uint64_t there = (bytes.size() - header) / size;
  for (std::size_t d = 1; d < dimensions; ++d) {
    const std::uint64_t length = big_endian(bytes, 4 + 4 * d, 4);
    // Sizes beyond the file's length need not be exact: they are too large anyway.
    columns = length > 0 && columns > there / length ? there + 1 : columns * length;
  }
  require<DataError>(rows > 0 && columns > 0, "'{}' is empty by its header ({} x {}). Download it again.", name, rows,
                     columns);
  const bool fits = columns <= there / rows && (bytes.size() - header) == rows * columns * size;
  require<DataError>(fits,
                     "'{}' has {} bytes of numbers, which do not fit the {} rows that its header "
                     "announces. Download or copy it again.",
                     name, bytes.size() - header, rows);
  FeatureMatrix out(static_cast<Index>(rows), static_cast<Index>(columns));
  for (std::size_t i = 0; i < rows * columns; ++i)
    out.data()[i] = number(type, big_endian(bytes, header + i * size, size));
  return out;
}

FeatureMatrix read_idx(const std::filesystem::path& path) { return parse_idx(read_text(path), path.string()); }

}  // namespace alidade::datasets
