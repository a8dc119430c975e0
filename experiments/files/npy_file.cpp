#include "experiments/files/npy_file.hpp"

#include <type_traits>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// The dictionary in Python that a header is; empty if it is none.
ValueTable header_of(std::string_view text) {
  const std::string json = replaced(trim(text), {{"'", "\""},
                                                 {",)", "]"},
                                                 {", )", "]"},
                                                 {"(", "["},
                                                 {")", "]"},
                                                 {",}", "}"},
                                                 {", }", "}"},
                                                 {"True", "true"},
                                                 {"False", "false"}});
  try {
    const Value out = parse_json(json, "");
    return out.get_if<ValueTable>() ? *out.get_if<ValueTable>() : ValueTable();
  } catch (const DataError&) {
    return {};
  }
}

template <class T>
T value_of(const ValueTable& header, std::string_view key) {
  const Value* value = header.find(key);
  return value && value->get_if<T>() ? *value->get_if<T>() : T();
}

using Code = std::string_view;  // without the order of bytes
constexpr StoredKind<Code> kKinds[] = {stored_kind<float, Code>("f4"),        stored_kind<double, Code>("f8"),
                                       stored_kind<std::uint8_t, Code>("b1"), stored_kind<std::uint8_t, Code>("u1"),
                                       stored_kind<std::int8_t, Code>("i1"),  stored_kind<std::uint16_t, Code>("u2"),
                                       stored_kind<std::int16_t, Code>("i2"), stored_kind<std::uint32_t, Code>("u4"),
                                       stored_kind<std::int32_t, Code>("i4"), stored_kind<std::uint64_t, Code>("u8"),
                                       stored_kind<std::int64_t, Code>("i8")};
constexpr double kLargestExact = 9007199254740992;  // 2^53: doubles hold all integers up to it

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(kMagic); }

namespace {

/// A matrix as its file describes it, not yet read.
struct NumberArray {
  StoredKind<Code> kind;
  bool swapped, columns_first;
  std::uint64_t rows, columns;
  std::string_view data;
  std::uint64_t matrices;  // that lie below each other

  /// All numbers, each by read(bytes, swapped).
  template <class Real, class Read>
  [[nodiscard]] RowMajorMatrix<Real> filled(const Read& read) const {
    RowMajorMatrix<Real> out(static_cast<Index>(rows), static_cast<Index>(columns));
    const char* at = data.data();
    for (std::uint64_t i = 0; i < rows * columns; ++i, at += kind.size) {
      const auto value = static_cast<Real>(read(at, swapped));
      if (columns_first)
        out(static_cast<Index>(i % rows), static_cast<Index>(i / rows)) = value;
      else
        out.data()[i] = value;
    }
    return out;
  }
};

NumberArray array_of(std::string_view bytes, const std::string& name, std::size_t most_dimensions = 2,
                     std::size_t least_dimensions = 2) {
  static_assert(std::endian::native == std::endian::little);
  require<DataError>(is_npy(bytes) && bytes.size() >= 10, "'{}' is not a .npy file. Write one with numpy.save.", name);
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t version = byte(6), prefix = version == 1 ? 10 : 12;
  require<DataError>(version >= 1 && version <= 3,
                     "'{}' is a .npy file of version {}; only 1 to 3 are supported. Write it "
                     "again with numpy.save.",
                     name, version);
  require<DataError>(bytes.size() >= prefix, "'{}' ends inside its header. Copy it again.", name);
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  require<DataError>(length <= bytes.size() - prefix, "'{}' ends inside its header. Copy it again.", name);
  const ValueTable header = header_of(bytes.substr(prefix, length));
  const std::string_view data = bytes.substr(prefix + length);

  const Value *order = header.find("fortran_order"), *sizes = header.find("shape");
  std::vector<std::uint64_t> shape;
  bool sound = order && order->get_if<bool>() && sizes && sizes->get_if<ValueArray>();
  for (const Value& one : value_of<ValueArray>(header, "shape")) {
    sound = sound && one.get_if<std::int64_t>() && *one.get_if<std::int64_t>() >= 0;
    shape.push_back(sound ? static_cast<std::uint64_t>(*one.get_if<std::int64_t>()) : 0);
  }
  require<DataError>(sound, "'{}' has a header without a shape. Write it again with numpy.save.", name);
  const auto code = value_of<std::string>(header, "descr");
  const bool ordered = !code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos;
  const StoredKind<Code> kind = kind_of_code(kKinds, ordered ? Code(code).substr(1) : "");
  require<DataError>(
      value_of<ValueArray>(header, "descr").empty(),
      "'{0}' holds records with named fields. Write their numbers as a matrix: python3 -c \"import numpy; from "
      "numpy.lib import recfunctions; numpy.save('{0}.f8.npy', "
      "recfunctions.structured_to_unstructured(numpy.load('{0}')).astype('f8'))\"",
      name);
  require<DataError>(
      !(ordered && code.substr(1).starts_with('c')),
      "'{0}' holds complex numbers ('{1}'). Write real and imaginary parts as columns: python3 -c \"import numpy; x = "
      "numpy.load('{0}'); numpy.save('{0}.f8.npy', numpy.hstack([x.real, x.imag]).astype('f8'))\"",
      name, shown(code));
  require<DataError>(
      kind.size > 0,
      "'{0}' holds numbers of type '{1}'. Give float32, float64 or an integer type: python3 -c \"import numpy; "
      "numpy.save('{0}.f8.npy', numpy.load('{0}'{2}).astype('f8'))\"",
      name, shown(code), code.ends_with('O') ? ", allow_pickle=True" : "");
  const bool columns_first = *order->get_if<bool>();
  if (shape.size() == 1 && least_dimensions == 1) shape.push_back(1);
  const bool several = shape.size() == 3 && most_dimensions == 3;
  require<DataError>(!several || !columns_first, "'{}' is in Fortran order. Write numpy.ascontiguousarray(array).",
                     name);
  require<DataError>(shape.size() == 2 || several,
                     "'{}' has {}. Give a matrix with one object per row (use array.reshape(len(array), -1)).", name,
                     counted(shape.size(), "dimension"));
  const std::uint64_t matrices = several ? shape.front() : 1, columns = shape.back();
  const std::uint64_t most_rows = data.size() / std::max<std::uint64_t>(matrices, 1) + 1;  // against an overflow
  const std::uint64_t rows = several ? matrices * std::min(shape[1], most_rows) : shape.front();
  require<DataError>(rows > 0 && columns > 0, "'{}' is empty ({} x {}). Give a file with data.", name, rows, columns);
  const bool fits = columns <= data.size() / kind.size / rows && data.size() == rows * columns * kind.size;
  require<DataError>(fits,
                     "'{}' has {} bytes of numbers, but its header announces {} x {} of {} bytes. "
                     "Write or copy it again.",
                     name, data.size(), rows, columns, kind.size);
  return {kind, code[0] == '>', columns_first, rows, columns, data, matrices};
}

}  // namespace

FeatureMatrix parse_npy(std::string_view bytes, const std::string& name, Matrix* precise, bool may_be_list) {
  const NumberArray array = array_of(bytes, name, 2, may_be_list ? 1 : 2);
  const StoredKind<Code>& kind = array.kind;
  FeatureMatrix out = array.filled<float>(kind.read);
  if (kind.read_whole != nullptr && kind.size == 8)
    require<DataError>(
        out.array().abs().maxCoeff() < static_cast<float>(kLargestExact),
        "'{0}' holds integers of 2^53 or more, which are not exact as real numbers. Subtract a constant "
        "from each column: python3 -c \"import numpy; x = numpy.load('{0}'); numpy.save('{0}.f8.npy', (x - "
        "x.min(axis=0)).astype('f8'))\"",
        name);
  if (precise && kind.size >= 4 && kind.code != "f4") {
    *precise = array.filled<double>(kind.read);
    if (precise->cast<float>().cast<double>() == *precise) precise->resize(0, 0);
  } else if (precise) {
    precise->resize(0, 0);
  }
  return out;
}

NpyNumbers::NpyNumbers(std::string_view bytes, const std::string& name) {
  const NumberArray array = array_of(bytes, name);
  const auto size = static_cast<Index>(array.kind.size);
  rows_ = static_cast<Index>(array.rows);
  cols_ = static_cast<Index>(array.columns);
  row_bytes_ = array.columns_first ? size : size * cols_;
  column_bytes_ = array.columns_first ? size * rows_ : size;
  data_ = array.data.data();
  swapped_ = array.swapped;
  read_ = array.kind.read;
  read_whole_ = array.kind.read_whole;
  for (Index i = 0; i < rows_ && array.kind.code == "u8"; ++i)
    for (Index c = 0; c < cols_; ++c)
      require<DataError>(whole(i, c) >= 0, "'{}' holds integers of 2^63 or more. Give smaller numbers.", name);
}

std::vector<Matrix> parse_npy_matrices(std::string_view bytes, const std::string& name) {
  const NumberArray array = array_of(bytes, name, 3);
  const Matrix all = array.filled<double>(array.kind.read);
  const Index rows = all.rows() / static_cast<Index>(array.matrices);
  std::vector<Matrix> out;
  for (Index first = 0; first < all.rows(); first += rows) out.emplace_back(all.middleRows(first, rows));
  return out;
}

std::string npy_header(std::string_view code, std::uint64_t rows, Index columns) {
  static_assert(std::endian::native == std::endian::little);
  const std::string shape = columns == 0 ? fmt::format("({},)", rows) : fmt::format("({}, {})", rows, columns);
  std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': {}, }}", code, shape);
  constexpr std::size_t kPrefix = 10;  // magic, version, length
  header.resize((kPrefix + header.size() + 64) / 64 * 64 - kPrefix - 1, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header;
}

}  // namespace alidade
