#include "experiments/results/map_files.hpp"

#include <fmt/core.h>
#include <sentences/results.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <unordered_set>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/npy_file.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/text.hpp"

namespace alidade {

std::string_view first_bytes(std::string_view text, std::size_t most) {
  std::size_t end = std::min(most, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::vector<std::string> map_stems(const std::string& stem, const Embedding& embedding) {
  std::vector<std::string> out;
  // In small letters: on some disks, files whose names differ in case alone are one file.
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> next;  // number to try, of names that are the same without
  for (const AspectMap& map : embedding.maps) {
    std::string name(first_bytes(map.name, 100));
    for (char& c : name)
      if (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
    const std::string plain = name.empty() ? stem : stem + "." + name;
    std::string unique = plain;
    for (int& number = next.try_emplace(lower_ascii(plain), 2).first->second; !taken.insert(lower_ascii(unique)).second;
         ++number)
      unique = fmt::format("{}_{}", plain, number);
    out.push_back(std::move(unique));
  }
  return out;
}

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
  const bool replicated = !uncertainty.replicates.empty();
  std::string out = replicated ? "object,replicates" : "object";
  for (Index a = 0; a < d; ++a) out += fmt::format(",sd{}", a + 1);
  for (Index a = 0; a < d; ++a)
    for (Index b = a; b < d; ++b)
      out += d < 10 ? fmt::format(",cov{}{}", a + 1, b + 1) : fmt::format(",cov{}_{}", a + 1, b + 1);
  if (d == 2) out += ",semi_major,semi_minor,angle";
  out += '\n';
  const auto field = [&](bool present, double value) { out += ',' + (present ? shortest(value) : std::string()); };
  for (Index i = 0; i < uncertainty.covariance.rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool finite = std::isfinite(uncertainty.covariance(i, 0));
    out += csv_field(objects[k]);
    if (replicated) out += fmt::format(",{}", uncertainty.replicates[k]);
    for (Index a = 0, diagonal = 0; a < d; diagonal += d - a, ++a)
      field(finite, std::sqrt(uncertainty.covariance(i, diagonal)));
    for (Index c = 0; c < entries; ++c) field(finite, uncertainty.covariance(i, c));
    if (d == 2) {
      const Ellipse ellipse =
          ellipse_of(uncertainty.covariance(i, 0), uncertainty.covariance(i, 1), uncertainty.covariance(i, 2));
      for (const double value : {ellipse.semi_major, ellipse.semi_minor, ellipse.angle}) field(finite, value);
    }
    out += '\n';
  }
  return out;
}

namespace {

constexpr std::string_view kAnnotatorHeader = "annotator,answers,guess_rate,standard_error,sharpness,agreement,verdict";
constexpr std::string_view kErrorHeader = ",heldout_answers,heldout_error,repeated_answers,repeated_alike";
constexpr std::string_view kTimeHeader = ",median_response_time", kGroupHeader = ",group";
constexpr std::string_view kViolatedHeader = "anchor,near,far,times,violated,triplets";
constexpr std::size_t kEstimateColumns = 7, kErrorColumns = 4;
constexpr std::string_view kGuesser = "likely guesser", kReversed = "reversed";

/// The header and the rows of one of the files, each as long as the header.
class FileRows {
 public:
  FileRows(std::string_view text, const std::string& file) : reader_(text, file, ',') {
    if (!reader_.next()) return;
    header_.assign(reader_.fields().begin(), reader_.fields().end());
  }
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  /// Where a column is; header().size() if there is none.
  [[nodiscard]] std::size_t column(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(header_, name) - header_.begin());
  }
  bool next() {
    if (!reader_.next()) return false;
    require<DataError>(reader_.fields().size() == header_.size(), words::kRowLength, reader_.place(),
                       reader_.fields().size(), header_.size());
    return true;
  }
  [[nodiscard]] std::string_view text(std::size_t at) const { return reader_.fields()[at]; }
  [[nodiscard]] std::size_t line() const { return reader_.line(); }
  [[nodiscard]] std::string place() const { return reader_.place(); }
  /// A number, or nothing.
  [[nodiscard]] std::optional<double> number(std::size_t at) const {
    return text(at).empty() ? std::nullopt : std::optional(needed_number(at));
  }
  [[nodiscard]] double needed_number(std::size_t at) const {
    const auto value = parse_double(text(at));
    require<DataError>(value.has_value(), words::kNotNumber, reader_.place(), shown(text(at)));
    return *value;
  }
  [[nodiscard]] std::uint64_t count(std::size_t at) const {
    return static_cast<std::uint64_t>(std::clamp(number(at).value_or(0), 0.0, 1e15));
  }

 private:
  RowReader reader_;
  std::vector<std::string> header_{};
};

}  // namespace

std::string annotators_to_csv(const AnnotatorEstimates* estimates, const std::vector<AnnotatorErrors>& errors) {
  std::string out(kAnnotatorHeader);
  const bool timed = std::ranges::any_of(errors, [](const auto& one) { return one.median_time.has_value(); });
  if (!errors.empty()) out += kErrorHeader;
  if (timed) out += kTimeHeader;
  const bool grouped =
      estimates && std::ranges::any_of(estimates->annotators, [](const auto& one) { return one.group > 0; });
  if (grouped) out += kGroupHeader;
  out += '\n';
  const std::size_t count = estimates ? estimates->annotators.size() : errors.size();
  for (std::size_t a = 0; a < count; ++a) {
    const AnnotatorEstimate one =
        estimates ? estimates->annotators[a]
                  : AnnotatorEstimate{.name = errors[a].name, .answers = static_cast<Index>(errors[a].answers)};
    out += csv_field(one.name) + fmt::format(",{}", one.answers);
    const auto field = [&](bool present, double value) { out += ',' + (present ? shortest(value) : std::string()); };
    const bool estimated = estimates && one.answers > 0;
    field(estimated, one.guess_rate);
    field(estimated, one.standard_error);
    field(estimated && one.sharpness, one.sharpness.value_or(0));
    field(estimated, one.agreement);
    out += ',';
    std::vector<std::string> verdict;
    if (one.likely_guesser) verdict.emplace_back(kGuesser);
    if (one.reversed) verdict.emplace_back(kReversed);
    out += csv_field(join(verdict, ", "));
    if (a < errors.size()) {
      const AnnotatorErrors& counts = errors[a];
      out += fmt::format(",{}", counts.heldout);
      field(counts.error.has_value(), counts.error.value_or(0));
      out += fmt::format(",{}", counts.repeated);
      field(counts.alike.has_value(), counts.alike.value_or(0));
      if (timed) field(counts.median_time.has_value(), counts.median_time.value_or(0));
    }
    if (grouped) field(one.group > 0, static_cast<double>(one.group));
    out += '\n';
  }
  return out;
}

std::vector<JudgedAnnotator> parse_annotators_csv(std::string_view text, const std::string& file) {
  FileRows rows(text, file);
  std::string header = join(rows.header(), ",");
  const std::string with_errors = fmt::format("{}{}", kAnnotatorHeader, kErrorHeader);
  const bool grouped = header.ends_with(kGroupHeader);
  if (grouped) header.resize(header.size() - kGroupHeader.size());
  require<DataError>(
      header == kAnnotatorHeader || header == with_errors || header == fmt::format("{}{}", with_errors, kTimeHeader),
      "{}: The header is not {}. Make the map again.", at_line(file, 1), kAnnotatorHeader);
  const auto says = [&](std::string_view verdict) { return rows.text(6).find(verdict) != std::string_view::npos; };
  std::vector<JudgedAnnotator> out;
  while (rows.next()) {
    JudgedAnnotator& one = out.emplace_back(JudgedAnnotator{{.name = std::string(rows.text(0)),
                                                             .answers = static_cast<Index>(rows.count(1)),
                                                             .guess_rate = rows.number(2).value_or(0),
                                                             .standard_error = rows.number(3).value_or(0),
                                                             .sharpness = rows.number(4),
                                                             .agreement = rows.number(5).value_or(0),
                                                             .likely_guesser = says(kGuesser),
                                                             .reversed = says(kReversed)}});
    if (grouped) one.estimate.group = rows.count(rows.header().size() - 1);
    if (header == kAnnotatorHeader) continue;
    one.errors = {one.estimate.name,
                  rows.count(1),
                  rows.count(kEstimateColumns),
                  rows.number(kEstimateColumns + 1),
                  rows.count(kEstimateColumns + 2),
                  rows.number(kEstimateColumns + 3),
                  header.ends_with(kTimeHeader) ? rows.number(kEstimateColumns + kErrorColumns) : std::nullopt};
  }
  return out;
}

std::string map_to_npy(const Matrix& coordinates) {
  std::string out = npy_header("f8", static_cast<std::uint64_t>(coordinates.rows()), coordinates.cols());
  out.append(reinterpret_cast<const char*>(coordinates.data()),
             static_cast<std::size_t>(coordinates.size()) * sizeof(double));
  return out;
}

MapTable parse_map_csv(std::string_view text, const std::string& file) {
  FileRows rows(text, file);
  require<DataError>(rows.header().size() >= 3 && rows.header()[0] == "object" && rows.header()[1] == "label",
                     words::kMapHeader, at_line(file, 1));
  MapTable out;
  out.columns.resize(rows.header().size() - 2);
  while (rows.next()) {
    for (std::size_t c = 0; c < out.columns.size(); ++c) {
      const double value = rows.needed_number(c + 2);
      out.columns[c].push_back(std::isfinite(value) ? value : std::nan(""));
    }
    out.objects.emplace_back(rows.text(0));
    out.labels.emplace_back(rows.text(1));
    out.lines.push_back(rows.line());
  }
  return out;
}

MapTable read_map_csv(const std::filesystem::path& file) { return parse_map_csv(read_bytes(file), file.string()); }

std::vector<std::pair<Index, Index>> places_in_both(std::span<const std::string> first,
                                                    std::span<const std::string> second) {
  std::unordered_map<std::string_view, Index> places;
  for (Index i = 0; i < std::ssize(second); ++i) places.emplace(second[static_cast<std::size_t>(i)], i);
  std::vector<std::pair<Index, Index>> out;
  for (Index i = 0; i < std::ssize(first); ++i)
    if (const auto at = places.find(first[static_cast<std::size_t>(i)]); at != places.end())
      out.emplace_back(i, at->second);
  if (!out.empty()) return out;
  const auto shown = shown_names({first.begin(), first.end()}), others = shown_names({second.begin(), second.end()});
  const bool none_shorter = std::ranges::equal(shown, first) && std::ranges::equal(others, second);
  return none_shorter ? out : places_in_both(shown, others);
}

float finite_or_nan(double value) {
  const auto single = static_cast<float>(value);
  return std::isfinite(single) ? single : std::nanf("");
}

CovarianceTable parse_ellipses_csv(std::string_view text, const std::string& file) {
  FileRows rows(text, file);
  constexpr std::array<std::string_view, 3> kColumns = {"cov11", "cov12", "cov22"};
  for (const std::string_view name : kColumns)
    require<DataError>(rows.column("object") == 0 && rows.column(name) < rows.header().size(), words::kEllipsesHeader,
                       at_line(file, 1), name);
  CovarianceTable out;
  while (rows.next()) {
    for (std::size_t c = 0; c < 3; ++c)
      out.columns[c].push_back(finite_or_nan(rows.number(rows.column(kColumns[c])).value_or(std::nan(""))));
    out.objects.emplace_back(rows.text(0));
  }
  return out;
}

SpreadTable parse_spreads_csv(std::string_view text, const std::string& file) {
  FileRows rows(text, file);
  std::vector<std::size_t> places;
  for (std::size_t at = 0; (at = rows.column(fmt::format("sd{}", places.size() + 1))) < rows.header().size();)
    places.push_back(at);
  require<DataError>(rows.column("object") == 0 && !places.empty(), words::kSpreadsHeader, at_line(file, 1));
  SpreadTable out;
  while (rows.next()) {
    double squares = 0;
    for (const std::size_t place : places) {
      const double value = rows.number(place).value_or(std::nan(""));
      squares += value * value;
    }
    out.spreads.push_back(finite_or_nan(std::sqrt(squares / static_cast<double>(places.size()))));
    out.objects.emplace_back(rows.text(0));
  }
  return out;
}

Ellipse ellipse_of(double variance1, double covariance12, double variance2, double share) {
  const double middle = 0.5 * (variance1 + variance2);
  const double half = std::hypot(0.5 * (variance1 - variance2), covariance12);
  const double quantile = -2 * std::log1p(-share);  // of chi squared with two degrees of freedom
  double angle = 0.5 * std::atan2(2 * covariance12, variance1 - variance2) * 180 / std::numbers::pi;
  if (angle <= -90) angle += 180;
  return {std::sqrt(quantile * (middle + half)), std::sqrt(quantile * std::max(0.0, middle - half)), angle};
}

std::string violated_to_csv(const ViolatedTriplets& violated, const std::vector<std::string>& objects) {
  std::string out = std::string(kViolatedHeader) + "\n";
  for (const ViolatedTriplets::Anchor& anchor : violated.anchors)
    for (const ViolatedTriplets::Violated& one : anchor.listed)
      out += fmt::format("{},{},{},{},{},{}\n", csv_field(objects[anchor.object]), csv_field(objects[one.near]),
                         csv_field(objects[one.far]), one.times, anchor.violated, anchor.triplets);
  return out;
}

ViolatedTriplets parse_violated_csv(std::string_view text, const std::string& file,
                                    const std::vector<std::string>& objects) {
  std::unordered_map<std::string_view, ObjectId> places;
  for (std::size_t i = 0; i < objects.size(); ++i) places.emplace(objects[i], static_cast<ObjectId>(i));
  FileRows rows(text, file);
  require<DataError>(join(rows.header(), ",") == kViolatedHeader, "{}: The header is not {}. Make the map again.",
                     at_line(file, 1), kViolatedHeader);
  const auto object = [&](std::size_t at) {
    const auto entry = places.find(rows.text(at));
    require<DataError>(entry != places.end(), words::kNoObjectOfMap, rows.place(), shown(rows.text(at)));
    return entry->second;
  };
  const auto count = [&](std::size_t at) {
    const auto value = parse_double(rows.text(at));
    require<DataError>(value && *value >= 1 && *value < 9e15 && *value == std::floor(*value),
                       "{}: '{}' is no count. Make the map again.", rows.place(), shown(rows.text(at)));
    return static_cast<std::uint64_t>(*value);
  };
  ViolatedTriplets out;
  while (rows.next()) {
    const ObjectId anchor = object(0);
    if (out.anchors.empty() || out.anchors.back().object != anchor)
      out.anchors.push_back({anchor, count(4), count(5), {}});
    out.anchors.back().listed.push_back({object(1), object(2), count(3)});
  }
  return out;
}

namespace {

constexpr std::string_view kFormat = "alidade projector";
constexpr std::int64_t kVersion = 1;

std::optional<FeatureScaling> scaling_from(const ValueTable& file, const char* key, Index feature_count) {
  const Value* held = file.find(key);
  if (!held) return std::nullopt;
  const ValueTable* table = held->get_if<ValueTable>();
  require<DataError>(table != nullptr, "'{}' is no table.", key);
  const auto column = [&](const char* name) {
    const Matrix numbers = matrix_from_table(table->find(name), name);
    require<DataError>(numbers.cols() == 1 && numbers.rows() == feature_count && numbers.allFinite(),
                       words::kScalingSize, name, numbers.rows(), numbers.cols(), feature_count);
    return Vector(numbers.col(0));
  };
  const Value* of_double = table->find("of_double");
  return FeatureScaling{column("shift"), column("width"), of_double && *of_double == Value(true)};
}

}  // namespace

std::string projector_to_json(const Projector& projector, const ProjectedFeatures& features) {
  ValueTable out;
  out.set("format", std::string(kFormat));
  out.set("version", kVersion);
  if (!features.names.empty()) out.set("features", ValueArray(features.names.begin(), features.names.end()));
  for (const auto& [key, scaling] : {std::pair("scaling", &features.scaling), {"range", &features.range}}) {
    if (!*scaling) continue;
    ValueTable table;
    table.set("shift", matrix_to_table(Eigen::Ref<const Matrix>(Matrix((*scaling)->shift))));
    table.set("width", matrix_to_table(Eigen::Ref<const Matrix>(Matrix((*scaling)->width))));
    table.set("of_double", (*scaling)->of_double);
    out.set(key, std::move(table));
  }
  out.set("projector", projector.description());
  return to_json(out) + "\n";
}

std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file, ProjectedFeatures* features) {
  return parse_projector(read_text(file), file.string(), features);
}

std::shared_ptr<const Projector> parse_projector(const std::string& text, const std::string& file,
                                                 ProjectedFeatures* features) {
  const Value value = parse_json(text, file);
  const ValueTable* table = value.get_if<ValueTable>();
  const Value* format = table ? table->find("format") : nullptr;
  require<DataError>(format && *format == Value(std::string(kFormat)), words::kNoProjector, file);
  const Value* version = table->find("version");
  require<DataError>(version && *version == Value(kVersion), words::kOtherProjector, file);
  const Value* held = table->find("projector");
  const ValueTable* description = held ? held->get_if<ValueTable>() : nullptr;
  require<DataError>(description != nullptr, "{}: 'projector' is missing. Make the map again.", file);
  if (features) {
    *features = {};
    const Value* names = table->find("features");
    if (const ValueArray* list = names ? names->get_if<ValueArray>() : nullptr)
      for (const Value& name : *list)
        if (const auto* one = name.get_if<std::string>()) features->names.push_back(*one);
  }
  try {
    auto out = projector_from(*description);
    if (features) features->scaling = scaling_from(*table, "scaling", out->feature_count());
    if (features) features->range = scaling_from(*table, "range", out->feature_count());
    return out;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{} is damaged: {} Make the map again.", file, error.what()));
  }
}

}  // namespace alidade
