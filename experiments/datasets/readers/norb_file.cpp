#include "experiments/datasets/readers/norb_file.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/files/gzip_file.hpp"
#include "experiments/files/stored_number.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::uint32_t kBytes = 0x1E3D4C55, kWholeNumbers = 0x1E3D4C54;
constexpr std::int32_t kMostSteps = 360;  // of a turntable or a camera
constexpr std::size_t kLeastSizes = 3;    // that a header has, whatever the number of dimensions

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  return stored_number<std::uint32_t>(&bytes[at], false);
}

struct Header {
  std::vector<std::uint64_t> sizes;
  std::size_t length = 0;  // bytes before the data
  std::uint64_t entries = 1;
};

Header header_of(std::string_view bytes, const std::string& file, std::uint32_t magic, std::size_t dimensions) {
  require<DataError>(bytes.size() >= 8 && number_at(bytes, 0) == magic,
                     "'{}' is not a NORB matrix of {}: its first bytes are wrong. Give the file as it was "
                     "published.",
                     file, magic == kBytes ? "bytes" : "whole numbers");
  const std::uint32_t count = number_at(bytes, 4);
  require<DataError>(count == dimensions, "'{}' has {} dimensions, not {}. Give the right one of the three files.",
                     file, count, dimensions);
  Header out;
  out.length = 8 + 4 * std::max<std::size_t>(count, kLeastSizes);
  require<DataError>(bytes.size() >= out.length, "'{}' ends inside its header. Download it again.", file);
  constexpr std::uint32_t kMost = 1U << 24;
  constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 39;
  for (std::size_t d = 0; d < count; ++d) {
    out.sizes.push_back(number_at(bytes, 8 + 4 * d));
    require<DataError>(out.sizes.back() >= 1 && out.sizes.back() <= kMost,
                       "'{}': By its header, dimension {} has the size {}. Download it again.", file, d + 1,
                       out.sizes.back());
    out.entries *= out.sizes.back();
    // Four sizes may multiply to more than 64 bits.
    require<DataError>(out.entries <= kMostEntries,
                       "'{}': By its header, it has more than {} numbers, the limit. Download it "
                       "again.",
                       file, kMostEntries);
  }
  return out;
}

std::filesystem::path sibling(const std::filesystem::path& dat, std::string_view what) {
  std::string name = dat.filename().string();
  const std::size_t at = name.rfind("-dat");
  require<ConfigError>(at != name.npos,
                       "'{}' is not the file of pictures: its name has no '-dat'. Give the file under the name it "
                       "was published with.",
                       dat.string());
  name.replace(at, 4, what);
  const std::filesystem::path as_named = dat.parent_path() / name;
  // Each of the three may be packed or not.
  if (std::filesystem::exists(as_named)) return as_named;
  const std::filesystem::path other = as_named.extension() == ".gz" ? dat.parent_path() / as_named.stem()
                                                                    : std::filesystem::path(as_named.string() + ".gz");
  return std::filesystem::exists(other) ? other : as_named;
}

struct WholeNumbers {
  Header header;
  std::vector<std::int32_t> values;
};

WholeNumbers read_whole_numbers(const std::filesystem::path& path, std::size_t dimensions) {
  const std::string bytes = read_text(path);
  WholeNumbers out{header_of(bytes, path.string(), kWholeNumbers, dimensions), {}};
  const std::uint64_t count = out.header.entries;
  require<DataError>(bytes.size() == out.header.length + 4 * count,
                     "'{}' has {} bytes where its header announces {}. Download it again.", path.string(), bytes.size(),
                     out.header.length + 4 * count);
  for (std::size_t i = 0; i < count; ++i)
    out.values.push_back(static_cast<std::int32_t>(number_at(bytes, out.header.length + 4 * i)));
  return out;
}

/// The pictures of a file, one at a time.
class Pictures {
 public:
  explicit Pictures(const std::filesystem::path& path) : path_(path.string()), in_(path, std::ios::binary) {
    require<DataError>(in_.good(), "'{}' cannot be read. Give the path of the file of pictures.", path_);
    std::string start(8 + 4 * 4, '\0');
    in_.read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(in_.gcount()));
    in_.clear();
    std::uint64_t length = 0;
    if (is_gzip(start)) {
      unpacked_ = read_text(path);
      length = unpacked_.size();
      header_ = header_of(unpacked_, path_, kBytes, 4);
    } else {
      length = std::filesystem::file_size(path);
      header_ = header_of(start, path_, kBytes, 4);
    }
    require<DataError>(length == header_.length + header_.entries,
                       "'{}' has {} bytes where its header announces {}. Download it again.", path_, length,
                       header_.length + header_.entries);
  }
  [[nodiscard]] const Header& header() const { return header_; }
  /// height x width bytes of picture `index` by `camera`.
  [[nodiscard]] std::string read(std::uint64_t index, std::uint64_t camera) {
    const std::uint64_t size = header_.sizes[2] * header_.sizes[3];
    const std::uint64_t at = header_.length + (index * header_.sizes[1] + camera) * size;
    if (!unpacked_.empty()) return unpacked_.substr(at, size);
    std::string out(size, '\0');
    in_.seekg(static_cast<std::streamoff>(at));
    in_.read(out.data(), static_cast<std::streamsize>(size));
    require<DataError>(in_.good(), "'{}' cannot be read to its end. Download it again.", path_);
    return out;
  }

 private:
  std::string path_;
  std::ifstream in_;
  std::string unpacked_;  // content of a gzip file
  Header header_;
};

}  // namespace

NorbViews read_norb(const std::filesystem::path& dat, const NorbChoice& choice) {
  const std::filesystem::path info_path = sibling(dat, "-info");
  const WholeNumbers categories = read_whole_numbers(sibling(dat, "-cat"), 1);
  const WholeNumbers info = read_whole_numbers(info_path, 2);
  Pictures pictures(dat);
  const std::uint64_t count = pictures.header().sizes[0];
  require<DataError>(categories.header.sizes[0] == count && info.header.sizes[0] == count && info.header.sizes[1] == 4,
                     "'{}' has {} pictures, but its -cat file {} and its -info file {} rows of "
                     "{}. Give three files that belong together.",
                     dat.string(), count, categories.header.sizes[0], info.header.sizes[0], info.header.sizes[1]);
  const std::uint64_t cameras = pictures.header().sizes[1];
  require<ConfigError>(choice.camera >= 0 && static_cast<std::uint64_t>(choice.camera) < cameras,
                       "camera = {}: '{}' has {} cameras, numbered from 0.", choice.camera, dat.string(), cameras);
  std::map<std::pair<int, int>, std::uint64_t> at;  // elevation, azimuth
  std::set<int> azimuths, elevations;
  std::set<std::int32_t> instances;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (categories.values[i] != choice.category) continue;
    const std::int32_t* row = info.values.data() + 4 * i;
    instances.insert(row[0]);
    if (row[0] != choice.instance || row[3] != choice.lighting) continue;
    require<DataError>(row[1] >= 0 && row[1] <= kMostSteps && row[2] >= 0 && row[2] <= kMostSteps,
                       "'{}', row {}: A picture has the elevation {} and the azimuth {}. Give the file as it was "
                       "published.",
                       info_path.string(), i + 1, row[1], row[2]);
    // Elevations start at 30 degrees in steps of 5; azimuths have steps of 10.
    const int elevation = 30 + 5 * row[1], azimuth = 10 * row[2];
    require<DataError>(at.emplace(std::pair(elevation, azimuth), i).second,
                       "'{}' has two pictures of category {}, instance {}, lighting {} at "
                       "elevation {} and azimuth {}. Give the file as it was published.",
                       info_path.string(), choice.category, choice.instance, choice.lighting, elevation, azimuth);
    azimuths.insert(azimuth);
    elevations.insert(elevation);
  }
  std::vector<std::string> names;
  for (const std::int32_t instance : instances) names.push_back(std::to_string(instance));
  require<DataError>(!at.empty(),
                     "'{}' has no picture of category {}, instance {}, lighting {}. Of that category it has the "
                     "instances {}.",
                     dat.string(), choice.category, choice.instance, choice.lighting,
                     names.empty() ? "none" : join(names, ", "));
  require<DataError>(at.size() == azimuths.size() * elevations.size(),
                     "'{}' has {} pictures of category {}, instance {}, lighting {}, not one of "
                     "each of {} x {} poses. Give the file as it was published.",
                     dat.string(), at.size(), choice.category, choice.instance, choice.lighting, azimuths.size(),
                     elevations.size());
  NorbViews out;
  out.azimuths.assign(azimuths.begin(), azimuths.end());
  out.elevations.assign(elevations.begin(), elevations.end());
  out.height = static_cast<Index>(pictures.header().sizes[2]);
  out.width = static_cast<Index>(pictures.header().sizes[3]);
  out.pictures.resize(static_cast<Index>(at.size()), out.height * out.width);
  Index row = 0;
  for (const auto& [pose, index] : at) {
    const std::string bytes = pictures.read(index, static_cast<std::uint64_t>(choice.camera));
    for (std::size_t p = 0; p < bytes.size(); ++p)
      out.pictures(row, static_cast<Index>(p)) = static_cast<float>(static_cast<unsigned char>(bytes[p]));
    ++row;
  }
  return out;
}

std::vector<std::filesystem::path> norb_files_beside(const std::filesystem::path& dat) {
  return {sibling(dat, "-cat"), sibling(dat, "-info")};
}

}  // namespace alidade::datasets
