#include "experiments/datasets/readers/idx_file.hpp"

#include <cstdint>

#include "experiments/files/gzip_file.hpp"
#include "experiments/files/stored_number.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

constexpr StoredKind kIdxKinds[] = {stored_kind<std::uint8_t>(0x08), stored_kind<std::int8_t>(0x09),
                                    stored_kind<std::int16_t>(0x0B), stored_kind<std::int32_t>(0x0C),
                                    stored_kind<float>(0x0D),        stored_kind<double>(0x0E)};

}  // namespace

FeatureMatrix parse_idx(std::string_view bytes, const std::string& name) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto length_at = [&](std::size_t at) { return stored_number<std::uint32_t, std::uint64_t>(&bytes[at], true); };
  const StoredKind kind = bytes.size() >= 4 ? kind_of_code(kIdxKinds, byte(2)) : StoredKind();
  const bool begins = kind.size > 0 && byte(0) == 0 && byte(1) == 0 && byte(3) > 0;
  require<DataError>(begins, "'{}' is not an IDX file: its first four bytes are wrong. Download it again.", name);
  const std::size_t size = kind.size, dimensions = byte(3), header = 4 + 4 * dimensions;
  require<DataError>(bytes.size() >= header, "'{}' ends inside its header. Download it again.", name);
  const std::uint64_t rows = length_at(4);
  std::uint64_t columns = 1;
  const std::uint64_t there = (bytes.size() - header) / size;
  for (std::size_t d = 1; d < dimensions; ++d) {
    const std::uint64_t length = length_at(4 + 4 * d);
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
    out.data()[i] = static_cast<float>(kind.read(&bytes[header + i * size], true));
  return out;
}

FeatureMatrix read_idx(const std::filesystem::path& path) { return parse_idx(read_text(path), path.string()); }

}  // namespace alidade::datasets
