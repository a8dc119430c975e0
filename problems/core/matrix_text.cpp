#include "problems/core/matrix_text.hpp"

#include <array>
#include <bit>

#include "problems/core/error.hpp"

namespace alidade {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes base64 of exactly `count` bytes; false if `text` is not that.
bool from_base64(std::string_view text, unsigned char* bytes, std::size_t count) {
  static const std::array<int, 256> kValue = [] {
    std::array<int, 256> out{};
    out.fill(-1);
    for (std::size_t k = 0; k < kAlphabet.size(); ++k)
      out[static_cast<unsigned char>(kAlphabet[k])] = static_cast<int>(k);
    return out;
  }();
  if (text.size() != (count + 2) / 3 * 4) return false;
  for (std::size_t k = 0, from = 0; k < count; k += 3, from += 4) {
    const std::size_t there = std::min<std::size_t>(3, count - k);
    std::uint32_t group = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      const auto letter = static_cast<unsigned char>(text[from + c]);
      if (c > there ? letter != '=' : kValue[letter] < 0) return false;
      group = group << 6 | (c > there ? 0U : static_cast<std::uint32_t>(kValue[letter]));
    }
    for (std::size_t b = 0; b < there; ++b) bytes[k + b] = static_cast<unsigned char>(group >> (16 - 8 * b) & 255U);
  }
  return true;
}

template <class Real>
constexpr std::string_view kType = sizeof(Real) == 8 ? "f64" : "f32";

template <class Real>
ValueTable to_table(const RowMajorMatrix<Real>& matrix) {
  ValueTable out;
  out.set("rows", static_cast<std::int64_t>(matrix.rows()));
  out.set("cols", static_cast<std::int64_t>(matrix.cols()));
  out.set("type", std::string(kType<Real>));
  out.set("base64", base64(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(Real)));
  return out;
}

template <class Real>
RowMajorMatrix<Real> from_table(const Value* value, std::string_view name) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const ValueTable* table = value ? value->get_if<ValueTable>() : nullptr;
  require<DataError>(table != nullptr, "'{}' is missing, or not a matrix.", name);
  const auto whole = [&](std::string_view key) {
    const Value* entry = table->find(key);
    const auto* number = entry ? entry->get_if<std::int64_t>() : nullptr;
    require<DataError>(number && *number >= 0 && *number < kMost, "'{}' has no valid '{}'.", name, key);
    return static_cast<Index>(*number);
  };
  const auto text = [&](std::string_view key) -> const std::string& {
    const Value* entry = table->find(key);
    const auto* letters = entry ? entry->get_if<std::string>() : nullptr;
    require<DataError>(letters != nullptr, "'{}' has no '{}'.", name, key);
    return *letters;
  };
  const Index rows = whole("rows"), cols = whole("cols");
  require<DataError>(text("type") == kType<Real>, "'{}' is of type '{}' instead of '{}'.", name, text("type"),
                     kType<Real>);
  const std::string& letters = text("base64");
  // Checked before anything of that size is allocated.
  const auto least = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  require<DataError>(cols == 0 || least / static_cast<std::uint64_t>(cols) == static_cast<std::uint64_t>(rows),
                     "'{}' has no valid 'rows'.", name);
  require<DataError>(least <= letters.size(), "'{}' announces {} x {} numbers but holds fewer.", name, rows, cols);
  RowMajorMatrix<Real> out(rows, cols);
  require<DataError>(from_base64(letters, reinterpret_cast<unsigned char*>(out.data()),
                                 static_cast<std::size_t>(out.size()) * sizeof(Real)),
                     "'{}' is not the base64 code of {} x {} numbers.", name, rows, cols);
  require<DataError>(out.allFinite(), "'{}' has a number that is not finite.", name);
  return out;
}

}  // namespace

std::string base64(const void* data, std::size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((count + 2) / 3 * 4);
  for (std::size_t k = 0; k < count; k += 3) {
    const std::size_t there = std::min<std::size_t>(3, count - k);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b) group = group << 8 | (b < there ? bytes[k + b] : 0U);
    for (std::size_t c = 0; c < 4; ++c) out += c <= there ? kAlphabet[group >> (18 - 6 * c) & 63U] : '=';
  }
  return out;
}

ValueTable matrix_to_table(const Eigen::Ref<const Matrix>& matrix) { return to_table<double>(matrix); }
ValueTable matrix_to_table(const Eigen::Ref<const FeatureMatrix>& matrix) { return to_table<float>(matrix); }
Matrix matrix_from_table(const Value* value, std::string_view name) { return from_table<double>(value, name); }
FeatureMatrix features_from_table(const Value* value, std::string_view name) { return from_table<float>(value, name); }

}  // namespace alidade
