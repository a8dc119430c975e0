#include "experiments/datasets/matlab_file.hpp"

#include <matio.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/datasets/delimited_text.hpp"
#include "experiments/datasets/gzip_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::size_t kHeaderSize = 128;
constexpr std::size_t kTagSize = 8;  // type and length

struct CloseFile {
  void operator()(mat_t* file) const noexcept { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const noexcept { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

std::uint32_t word(std::string_view bytes, std::size_t at, bool little) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i)
    out |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]))
           << (8 * (little ? i : 3 - i));
  return out;
}

/// The content of a zlib stream; nothing if it is damaged.
std::optional<std::string> unpacked(std::string_view packed) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  // zlib reads through this pointer and never writes.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK) {
    out.resize(stream.total_out + std::max<std::size_t>(4 * packed.size(), 1024));
    const std::size_t room = out.size() - stream.total_out;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + stream.total_out);
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(room, 1U << 30));
    code = inflate(&stream, Z_NO_FLUSH);
  }
  out.resize(stream.total_out);
  inflateEnd(&stream);
  if (code != Z_STREAM_END) return std::nullopt;
  return out;
}

struct Element {
  std::uint32_t type = 0;
  std::string_view data{};
};

/// Cuts the first element off `bytes`; nothing if it does not fit.
std::optional<Element> cut_element(std::string_view& bytes, bool little, bool padded) {
  if (bytes.size() < kTagSize) return std::nullopt;
  const std::uint32_t first = word(bytes, 0, little), length = word(bytes, 4, little);
  if (first > 0xffffU) {  // a small one: length and type in one word, data in the next
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

/// Bytes of a number as stored; 0 if the type is none.
std::size_t stored_size(std::uint32_t type) {
  switch (type) {
    case MAT_T_INT8:
    case MAT_T_UINT8: return 1;
    case MAT_T_INT16:
    case MAT_T_UINT16: return 2;
    case MAT_T_INT32:
    case MAT_T_UINT32:
    case MAT_T_SINGLE: return 4;
    case MAT_T_DOUBLE:
    case MAT_T_INT64:
    case MAT_T_UINT64: return 8;
    default: return 0;
  }
}

/// Whether the parts of a matrix fit in it, and a numeric one has as many numbers as its size says.
bool sound_matrix(std::string_view content, bool little) {
  std::vector<Element> parts;
  while (!content.empty()) {
    const auto part = cut_element(content, little, true);
    if (!part) return false;
    parts.push_back(*part);
  }
  if (parts.size() < 3 || parts[0].data.size() < 4) return false;
  const std::uint32_t kind = word(parts[0].data, 0, little) & 0xffU;
  if (kind < MAT_C_DOUBLE || kind > MAT_C_UINT64) return true;
  if (parts.size() < 4) return false;
  std::uint64_t count = 1;
  const std::size_t size = stored_size(parts[3].type);
  const std::uint64_t there = size > 0 ? parts[3].data.size() / size : 0;
  for (std::size_t at = 0; at + 4 <= parts[1].data.size(); at += 4) {
    const std::uint64_t length = word(parts[1].data, at, little);
    count = length > 0 && count > there / length ? there + 1 : count * length;
  }
  return size > 0 && count == there;
}

/// matio believes what a file says of its sizes, so they are looked through before it is asked.
void check_outline(std::string_view bytes, const std::string& name) {
  require<DataError>(!bytes.starts_with("\x89HDF") && !bytes.starts_with("MATLAB 7.3"),
                     "'{}' is a MATLAB file of version 7.3; save it again by save(..., '-v7').",
                     name);
  const std::string_view order = bytes.size() < kHeaderSize ? "" : bytes.substr(126, 2);
  const bool little = order == "IM";
  const auto version = [&](std::size_t i) { return static_cast<unsigned char>(bytes[124 + i]); };
  require<DataError>((little || order == "MI") && version(little ? 1 : 0) == 1,
                     "'{}' is no MATLAB file of version 5; save it again by save(..., '-v7').",
                     name);
  std::string_view rest = bytes.substr(kHeaderSize);
  while (!rest.empty()) {
    const std::size_t at = bytes.size() - rest.size();
    auto element = cut_element(rest, little, false);
    require<DataError>(element.has_value(),
                       "'{}' is cut short in or after byte {}; fetch or copy it again.", name, at);
    std::optional<std::string> content;
    if (element->type == MAT_T_COMPRESSED) {
      content = unpacked(element->data);
      std::string_view inner = content ? std::string_view(*content) : std::string_view();
      element = cut_element(inner, little, false);
    }
    require<DataError>(
        element && element->type == MAT_T_MATRIX && sound_matrix(element->data, little),
        "'{}' is damaged in or after byte {}; fetch or copy it again.", name, at);
  }
}

template <class Number>
void copy_columns(const void* from, Matrix& to) {
  const auto* numbers = static_cast<const Number*>(from);
  for (Index c = 0; c < to.cols(); ++c)
    for (Index r = 0; r < to.rows(); ++r) to(r, c) = static_cast<double>(*numbers++);
}

bool copy(const matvar_t& variable, Matrix& to) {
  switch (variable.class_type) {
    case MAT_C_DOUBLE: copy_columns<double>(variable.data, to); return true;
    case MAT_C_SINGLE: copy_columns<float>(variable.data, to); return true;
    case MAT_C_INT8: copy_columns<std::int8_t>(variable.data, to); return true;
    case MAT_C_UINT8: copy_columns<std::uint8_t>(variable.data, to); return true;
    case MAT_C_INT16: copy_columns<std::int16_t>(variable.data, to); return true;
    case MAT_C_UINT16: copy_columns<std::uint16_t>(variable.data, to); return true;
    case MAT_C_INT32: copy_columns<std::int32_t>(variable.data, to); return true;
    case MAT_C_UINT32: copy_columns<std::uint32_t>(variable.data, to); return true;
    case MAT_C_INT64: copy_columns<std::int64_t>(variable.data, to); return true;
    case MAT_C_UINT64: copy_columns<std::uint64_t>(variable.data, to); return true;
    default: return false;
  }
}

bool numeric(const matvar_t& variable) {
  return variable.class_type >= MAT_C_DOUBLE && variable.class_type <= MAT_C_UINT64 &&
         variable.isComplex == 0;
}

}  // namespace

Matrix read_matlab(const std::filesystem::path& path, const std::string& variable) {
  const std::string name = path.string();
  const std::string bytes = read_bytes(path);
  check_outline(bytes, name);
  const std::unique_ptr<mat_t, CloseFile> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  require<DataError>(file != nullptr, "'{}' can not be read as a MATLAB file; fetch it again.",
                     name);
  std::vector<std::string> known;
  Variable found;
  for (;;) {
    found.reset(Mat_VarReadNextInfo(file.get()));
    if (!found || (found->name && found->name == variable)) break;
    if (found->name) known.push_back(shown(found->name));
  }
  require<DataError>(found != nullptr, "'{}' has no variable '{}'.{}", name, variable,
                     known.empty() ? " It has none that can be read; fetch it again."
                                   : suggestion(variable, known));
  require<DataError>(found->rank == 2 && found->dims != nullptr && numeric(*found),
                     "Variable '{}' of '{}' is no matrix of real numbers; save one as such.",
                     variable, name);
  const std::size_t rows = found->dims[0], columns = found->dims[1];
  require<DataError>(rows > 0 && columns > 0, "Variable '{}' of '{}' is empty ({} x {}).", variable,
                     name, rows, columns);
  require<DataError>(Mat_VarReadDataAll(file.get(), found.get()) == 0 && found->data != nullptr,
                     "Variable '{}' of '{}' can not be read; fetch or copy the file again.",
                     variable, name);
  Matrix out(static_cast<Index>(rows), static_cast<Index>(columns));
  require<DataError>(copy(*found, out), "Variable '{}' of '{}' is no matrix of real numbers.",
                     variable, name);
  return out;
}

}  // namespace alidade::datasets
