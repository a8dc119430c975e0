#include "experiments/datasets/readers/array_files.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/npy_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr StoredKind<> kIdxKinds[] = {stored_kind<std::uint8_t>(0x08), stored_kind<std::int8_t>(0x09),
                                      stored_kind<std::int16_t>(0x0B), stored_kind<std::int32_t>(0x0C),
                                      stored_kind<float>(0x0D),        stored_kind<double>(0x0E)};

}  // namespace

FeatureMatrix parse_idx(std::string_view bytes, const std::string& name) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto length_at = [&](std::size_t at) { return stored_number<std::uint32_t, std::uint64_t>(&bytes[at], true); };
  const StoredKind<> kind = bytes.size() >= 4 ? kind_of_code(kIdxKinds, byte(2)) : StoredKind<>();
  const bool begins = kind.size > 0 && byte(0) == 0 && byte(1) == 0 && byte(3) > 0;
  require<DataError>(begins, words::kNoIdx, name);
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
  require<DataError>(fits, words::kIdxLength, name, bytes.size() - header, rows);
  FeatureMatrix out(static_cast<Index>(rows), static_cast<Index>(columns));
  for (std::size_t i = 0; i < rows * columns; ++i)
    out.data()[i] = static_cast<float>(kind.read(&bytes[header + i * size], true));
  return out;
}

FeatureMatrix read_idx(const std::filesystem::path& path) { return parse_idx(read_text(path), path.string()); }

namespace {

constexpr std::size_t kHeaderSize = 128;
constexpr std::size_t kTagSize = 8;  // type and length

/// Types of elements, by their numbers in files.
constexpr std::uint32_t kMatrix = 14, kCompressed = 15;
constexpr StoredKind<> kMatlabKinds[] = {stored_kind<std::int8_t>(1),   stored_kind<std::uint8_t>(2),
                                         stored_kind<std::int16_t>(3),  stored_kind<std::uint16_t>(4),
                                         stored_kind<std::int32_t>(5),  stored_kind<std::uint32_t>(6),
                                         stored_kind<float>(7),         stored_kind<double>(9),
                                         stored_kind<std::int64_t>(12), stored_kind<std::uint64_t>(13)};
/// Classes of variables; the others are structures, text, objects and sparse matrices.
constexpr std::uint32_t kCellClass = 1;
constexpr std::uint32_t kFirstNumericClass = 6, kLastNumericClass = 15;
constexpr std::uint32_t kComplexFlag = 0x800;

std::uint32_t word(std::string_view bytes, std::size_t at, bool little) {
  return stored_number<std::uint32_t>(&bytes[at], !little);
}

struct Element {
  std::uint32_t type = 0;
  std::string_view data{};
};

/// Splits the first element off `bytes`; nothing if it does not fit.
std::optional<Element> cut_element(std::string_view& bytes, bool little, bool padded) {
  if (bytes.size() < kTagSize) return std::nullopt;
  const std::uint32_t first = word(bytes, 0, little), length = word(bytes, 4, little);
  if (first > 0xffffU) {  // a small element: length and type in one word, data in the next
    if (first >> 16 > 4) return std::nullopt;
    const Element out{first & 0xffffU, bytes.substr(4, first >> 16)};
    bytes.remove_prefix(kTagSize);
    return out;
  }
  if (length > bytes.size() - kTagSize) return std::nullopt;
  const Element out{first, bytes.substr(kTagSize, length)};
  const std::size_t whole = kTagSize + (padded ? (std::size_t{length} + 7) / 8 * 8 : length);
  bytes.remove_prefix(std::min(whole, bytes.size()));
  return out;
}

/// A variable: name, class and flags, sizes, and the place of its numbers. A cell array contains variables. For other
/// classes only the name is read.
struct Variable {
  std::string name{};
  bool is_cell = false;
  std::vector<Variable> cells{};
  bool real = false;  // numeric, and without an imaginary part
  std::vector<std::uint32_t> shape{};
  Element numbers{};
};

/// The variable whose parts are in `content`. Nothing if they do not fit, or if a numeric variable has another number
/// of values than its sizes say. Nested cells are not read.
std::optional<Variable> variable_in(std::string_view content, bool little, bool cells_are_read) {
  std::vector<Element> parts;
  while (!content.empty()) {
    const auto part = cut_element(content, little, true);
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  if (parts.size() < 3 || parts[0].data.size() < 4) return std::nullopt;
  const std::uint32_t flags = word(parts[0].data, 0, little), kind = flags & 0xffU;
  Variable out{.name = std::string(parts[2].data)};
  if (kind == kCellClass && cells_are_read) {
    out.is_cell = true;
    // An empty cell has no parts; a request for it is told that it is no matrix.
    for (std::size_t i = 3; i < parts.size(); ++i)
      out.cells.push_back(variable_in(parts[i].data, little, false).value_or(Variable()));
    return out;
  }
  if (kind < kFirstNumericClass || kind > kLastNumericClass) return out;
  if (parts.size() < 4) return std::nullopt;
  out.real = (flags & kComplexFlag) == 0;
  out.numbers = parts[3];
  std::uint64_t count = 1;
  const std::size_t size = kind_of_code(kMatlabKinds, out.numbers.type).size;
  const std::uint64_t there = size > 0 ? out.numbers.data.size() / size : 0;
  for (std::size_t at = 0; at + 4 <= parts[1].data.size(); at += 4) {
    const std::uint32_t length = word(parts[1].data, at, little);
    count = length > 0 && count > there / length ? there + 1 : count * length;
    out.shape.push_back(length);
  }
  if (size == 0 || count != there) return std::nullopt;
  return out;
}

/// Whether the file's numbers are little endian. @throws DataError unless it is of version 5
bool is_little_endian(std::string_view bytes, const std::string& name) {
  require<DataError>(!bytes.starts_with("\x89HDF") && !bytes.starts_with("MATLAB 7.3"), words::kMatlab73, name);
  const std::string_view order = bytes.size() < kHeaderSize ? "" : bytes.substr(126, 2);
  const bool little = order == "IM";
  const auto version = [&](std::size_t i) { return static_cast<unsigned char>(bytes[124 + i]); };
  require<DataError>((little || order == "MI") && version(little ? 1 : 0) == 1, words::kNoMatlab5, name);
  return little;
}

/// Calls use(variable) for each variable of the file; all must be well-formed, even those not requested.
void for_each_variable(std::string_view bytes, bool little, const std::string& name,
                       const std::function<void(const Variable&)>& use) {
  std::string_view rest = bytes.substr(kHeaderSize);
  while (!rest.empty()) {
    const std::size_t at = bytes.size() - rest.size();
    auto element = cut_element(rest, little, false);
    require<DataError>(element.has_value(), words::kMatlabIncomplete, name, at);
    std::optional<std::string> content;
    if (element->type == kCompressed) {
      content = unpack_zlib(element->data, name);
      std::string_view inner = content ? std::string_view(*content) : std::string_view();
      element = cut_element(inner, little, false);
    }
    const auto variable =
        element && element->type == kMatrix ? variable_in(element->data, little, true) : std::optional<Variable>();
    require<DataError>(variable.has_value(), words::kMatlabDamaged, name, at);
    use(*variable);
  }
}

/// Columns in sequence, as MATLAB stores them.
Matrix matrix_of(const Variable& variable, bool little) {
  Matrix out(static_cast<Index>(variable.shape[0]), static_cast<Index>(variable.shape[1]));
  const auto& [type, data] = variable.numbers;
  const StoredKind<> kind = kind_of_code(kMatlabKinds, type);
  std::size_t at = 0;
  for (Index c = 0; c < out.cols(); ++c)
    for (Index r = 0; r < out.rows(); ++r, at += kind.size) out(r, c) = kind.read(&data[at], !little);
  return out;
}

/// @throws DataError unless `variable` is a matrix; `what` names it in messages
Matrix real_matrix(const Variable& variable, bool little, const std::string& what, const std::string& name) {
  require<DataError>(variable.real && variable.shape.size() == 2,
                     "{} of '{}' is not a matrix of real numbers. Save it as one.", what, name);
  require<DataError>(variable.shape[0] > 0 && variable.shape[1] > 0,
                     "{} of '{}' is empty ({} x {}). Save a matrix with numbers.", what, name, variable.shape[0],
                     variable.shape[1]);
  return matrix_of(variable, little);
}

/// The result of `take(variable, little)` for the first variable of that name. @throws DataError if there is none
template <class Take>
auto read_variable(const std::string& name, const std::string& bytes, const std::string& variable, Take take) {
  const bool little = is_little_endian(bytes, name);
  std::vector<std::string> names;
  std::optional<decltype(take(Variable(), little))> out;
  for_each_variable(bytes, little, name, [&](const Variable& candidate) {
    names.push_back(shown(candidate.name));
    if (candidate.name == variable && !out) out = take(candidate, little);
  });
  require<DataError>(out.has_value(), "'{}' has no variable '{}'.{}", name, variable,
                     names.empty() ? " It has none that can be read. Download it again." : suggestion(variable, names));
  return *std::move(out);
}

}  // namespace

Matrix read_matlab(const std::filesystem::path& path, const std::string& variable) {
  const std::string name = path.string();
  return read_variable(name, read_bytes(path), variable, [&](const Variable& candidate, bool little) {
    return real_matrix(candidate, little, fmt::format("Variable '{}'", variable), name);
  });
}

std::vector<Matrix> read_matlab_cells(const std::filesystem::path& path, const std::string& variable) {
  const std::string name = path.string();
  return read_variable(name, read_bytes(path), variable, [&](const Variable& candidate, bool little) {
    require<DataError>(candidate.is_cell && !candidate.cells.empty(), words::kNoCellArray, variable, name);
    std::vector<Matrix> out;
    for (std::size_t i = 0; i < candidate.cells.size(); ++i)
      out.push_back(
          real_matrix(candidate.cells[i], little, fmt::format("Cell {} of variable '{}'", i + 1, variable), name));
    return out;
  });
}

namespace {

constexpr std::int32_t kMostSteps = 360;  // of a turntable or a camera

/// A matrix of one of NORB's files: of bytes, which are read in parts, or of whole numbers of four bytes.
class NorbMatrix {
 public:
  NorbMatrix(const std::filesystem::path& path, std::size_t dimensions, bool of_bytes)
      : path_(path.string()), width_(of_bytes ? 1 : 4), in_(path, std::ios::binary) {
    constexpr std::size_t kLeastSizes = 3;  // that a header has, whatever the number of dimensions
    constexpr std::uint32_t kBytes = 0x1E3D4C55, kWholeNumbers = 0x1E3D4C54, kMostSize = 1U << 24;
    constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 39;  // times a size these are no more than 64 bits hold
    begin_ = 8 + 4 * std::max(dimensions, kLeastSizes);
    require<DataError>(in_.good(), "'{}' cannot be read. Give the path of the file of pictures.", path_);
    std::string start(begin_, '\0');
    in_.read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(in_.gcount()));
    in_.clear();
    if (is_gzip(start)) start = unpacked_ = read_text(path);
    const std::uint64_t length = unpacked_.empty() ? std::filesystem::file_size(path) : unpacked_.size();
    const auto number = [&](std::size_t at) {
      return at + 4 <= start.size() ? stored_number<std::uint32_t>(&start[at], false) : 0;
    };
    bool sound = number(0) == (of_bytes ? kBytes : kWholeNumbers) && number(4) == dimensions;
    for (std::size_t d = 0; d < dimensions; ++d) {
      sizes.push_back(number(8 + 4 * d));
      sound = sound && sizes.back() >= 1 && sizes.back() <= kMostSize && entries_ <= kMostEntries;
      if (sound) entries_ *= sizes.back();
    }
    require<DataError>(sound && length == begin_ + width_ * entries_, words::kNoNorbMatrix, path_,
                       of_bytes ? "bytes" : "whole numbers", counted(dimensions, "dimension"));
  }

  /// The bytes of `count` entries from one on.
  [[nodiscard]] std::string read(std::uint64_t first, std::uint64_t count) {
    if (!unpacked_.empty()) return unpacked_.substr(begin_ + width_ * first, width_ * count);
    std::string out(width_ * count, '\0');
    in_.seekg(static_cast<std::streamoff>(begin_ + width_ * first));
    in_.read(out.data(), static_cast<std::streamsize>(out.size()));
    require<DataError>(in_.good(), "'{}' cannot be read to its end. Download it again.", path_);
    return out;
  }
  [[nodiscard]] std::vector<std::int32_t> whole_numbers() {
    const std::string bytes = read(0, entries_);
    std::vector<std::int32_t> out;
    for (std::size_t at = 0; at < bytes.size(); at += width_)
      out.push_back(stored_number<std::int32_t>(&bytes[at], false));
    return out;
  }

  std::vector<std::uint64_t> sizes{};

 private:
  std::string path_;
  std::uint64_t width_, begin_ = 0, entries_ = 1;
  std::ifstream in_;
  std::string unpacked_{};  // content of a gzip file
};

std::filesystem::path sibling(const std::filesystem::path& dat, std::string_view what) {
  std::string name = dat.filename().string();
  const std::size_t at = name.rfind("-dat");
  require<ConfigError>(at != name.npos, words::kNoDatInName, dat.string());
  name.replace(at, 4, what);
  const std::filesystem::path as_named = dat.parent_path() / name;
  // Each of the three may be packed or not.
  if (std::filesystem::exists(as_named)) return as_named;
  const std::filesystem::path other = as_named.extension() == ".gz" ? dat.parent_path() / as_named.stem()
                                                                    : std::filesystem::path(as_named.string() + ".gz");
  return std::filesystem::exists(other) ? other : as_named;
}

}  // namespace

NorbViews read_norb(const std::filesystem::path& dat, const NorbChoice& choice) {
  const std::filesystem::path info_path = sibling(dat, "-info");
  NorbMatrix pictures(dat, 4, true), categories(sibling(dat, "-cat"), 1, false), poses(info_path, 2, false);
  const std::uint64_t count = pictures.sizes[0], cameras = pictures.sizes[1];
  require<DataError>(categories.sizes[0] == count && poses.sizes[0] == count && poses.sizes[1] == 4,
                     words::kNorbFilesDiffer, dat.string(), count, categories.sizes[0], poses.sizes[0], poses.sizes[1]);
  require<ConfigError>(choice.camera >= 0 && static_cast<std::uint64_t>(choice.camera) < cameras,
                       "camera = {}: '{}' has {} cameras, numbered from 0.", choice.camera, dat.string(), cameras);
  const std::vector<std::int32_t> category = categories.whole_numbers(), info = poses.whole_numbers();
  std::map<std::pair<int, int>, std::uint64_t> at;  // elevation, azimuth
  std::set<int> azimuths, elevations;
  std::set<std::int32_t> instances;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (category[i] != choice.category) continue;
    const std::int32_t* row = info.data() + 4 * i;
    instances.insert(row[0]);
    if (row[0] != choice.instance || row[3] != choice.lighting) continue;
    // Elevations start at 30 degrees in steps of 5; azimuths have steps of 10.
    const bool sound = row[1] >= 0 && row[1] <= kMostSteps && row[2] >= 0 && row[2] <= kMostSteps;
    require<DataError>(sound && at.emplace(std::pair(30 + 5 * row[1], 10 * row[2]), i).second, words::kNoPose,
                       info_path.string(), i + 1, row[1], row[2]);
    elevations.insert(30 + 5 * row[1]);
    azimuths.insert(10 * row[2]);
  }
  const auto names = mapped(instances, [](std::int32_t instance) { return std::to_string(instance); });
  const std::string what =
      fmt::format("of category {}, instance {}, lighting {}", choice.category, choice.instance, choice.lighting);
  require<DataError>(!at.empty(), words::kNoSuchPicture, dat.string(), what,
                     names.empty() ? "none" : join(names, ", "));
  require<DataError>(at.size() == azimuths.size() * elevations.size(), words::kPosesIncomplete, dat.string(), at.size(),
                     what, azimuths.size(), elevations.size());
  NorbViews out;
  out.azimuths.assign(azimuths.begin(), azimuths.end());
  out.elevations.assign(elevations.begin(), elevations.end());
  out.height = static_cast<Index>(pictures.sizes[2]);
  out.width = static_cast<Index>(pictures.sizes[3]);
  const std::uint64_t size = pictures.sizes[2] * pictures.sizes[3];
  out.pictures.resize(std::ssize(at), out.height * out.width);
  Index row = 0;
  for (const auto& [pose, index] : at) {
    const std::string bytes = pictures.read((index * cameras + static_cast<std::uint64_t>(choice.camera)) * size, size);
    for (std::size_t p = 0; p < bytes.size(); ++p)
      out.pictures(row, static_cast<Index>(p)) = static_cast<float>(static_cast<unsigned char>(bytes[p]));
    ++row;
  }
  return out;
}

std::vector<std::filesystem::path> norb_files(const std::filesystem::path& dat) {
  return {dat, sibling(dat, "-cat"), sibling(dat, "-info")};
}

}  // namespace alidade::datasets
