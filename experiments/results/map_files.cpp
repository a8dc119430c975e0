#include "experiments/results/map_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/npy_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

/// The first bytes of a text of UTF-8, of which a file system takes at most 255 in a name; no character is cut.
std::string shortened(std::string name) {
  constexpr std::size_t kMost = 100;
  if (name.size() <= kMost) return name;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  name.resize(end);
  return name;
}

}  // namespace

std::vector<std::string> map_stems(const std::string& stem, const Embedding& embedding) {
  std::vector<std::string> out;
  // In small letters: on some disks, files whose names differ in case alone are one file.
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> next;  // number to try, of names that are the same without
  const auto small = [](std::string text) {
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return text;
  };
  for (const AspectMap& map : embedding.maps) {
    std::string name = shortened(map.name);
    for (char& c : name)
      if (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
    const std::string plain = name.empty() ? stem : stem + "." + name;
    std::string unique = plain;
    for (int& number = next.try_emplace(small(plain), 2).first->second; !taken.insert(small(unique)).second; ++number)
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
constexpr std::string_view kTimeHeader = ",median_response_time";
constexpr std::size_t kEstimateColumns = 7, kErrorColumns = 4;
constexpr std::string_view kGuesser = "likely guesser", kReversed = "reversed", kOwnGroup = "own group";

/// A field of a row: a number, or nothing.
std::optional<double> number_in(const RowReader& reader, std::size_t at) {
  const std::string_view field = reader.fields()[at];
  const auto value = parse_double(field);
  require<DataError>(value.has_value() || field.empty(), "{}: '{}' is not a number. Make the map again.",
                     reader.place(), shown(field));
  return value;
}

std::uint64_t count_in(const RowReader& reader, std::size_t at) {
  return static_cast<std::uint64_t>(std::clamp(number_in(reader, at).value_or(0), 0.0, 1e15));
}

/// Reads the header, then calls `take(reader)` for each row.
template <class Take>
void read_annotators(std::string_view text, const std::string& file, const Take& take) {
  RowReader reader(text, file, ',');
  const bool any = reader.next();
  const std::string header =
      any ? join(std::vector<std::string>(reader.fields().begin(), reader.fields().end()), ",") : "";
  const std::string with_errors = fmt::format("{}{}", kAnnotatorHeader, kErrorHeader);
  require<DataError>(
      header == kAnnotatorHeader || header == with_errors || header == fmt::format("{}{}", with_errors, kTimeHeader),
      "{}: The header is not {}. Make the map again.", at_line(file, 1), kAnnotatorHeader);
  const std::size_t columns = reader.fields().size();
  while (reader.next()) {
    require<DataError>(reader.fields().size() == columns,
                       "{}: The row has {} values, but the header has {}. Make the map again.", reader.place(),
                       reader.fields().size(), columns);
    take(reader);
  }
}

}  // namespace

std::string annotators_to_csv(const AnnotatorEstimates* estimates, const std::vector<AnnotatorErrors>& errors) {
  std::string out(kAnnotatorHeader);
  const bool timed = std::ranges::any_of(errors, [](const auto& one) { return one.median_time.has_value(); });
  if (!errors.empty()) out += kErrorHeader;
  if (timed) out += kTimeHeader;
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
    if (a < errors.size() && errors[a].own_group) verdict.emplace_back(kOwnGroup);
    out += csv_field(join(verdict, ", "));
    if (a < errors.size()) {
      const AnnotatorErrors& counts = errors[a];
      out += fmt::format(",{}", counts.heldout);
      field(counts.heldout > 0, counts.error().value_or(0));
      out += fmt::format(",{}", counts.repeated);
      field(counts.repeated > 0,
            static_cast<double>(counts.alike) / static_cast<double>(std::max<std::uint64_t>(counts.repeated, 1)));
      if (timed) field(counts.median_time.has_value(), counts.median_time.value_or(0));
    }
    out += '\n';
  }
  return out;
}

AnnotatorEstimates parse_annotators_csv(std::string_view text, const std::string& file) {
  AnnotatorEstimates out;
  read_annotators(text, file, [&](const RowReader& reader) {
    const auto fields = reader.fields();
    AnnotatorEstimate one{.name = std::string(fields[0])};
    one.answers = static_cast<Index>(count_in(reader, 1));
    one.guess_rate = number_in(reader, 2).value_or(0);
    one.standard_error = number_in(reader, 3).value_or(0);
    one.sharpness = number_in(reader, 4);
    one.agreement = number_in(reader, 5).value_or(0);
    one.likely_guesser = fields[6].find(kGuesser) != std::string_view::npos;
    one.reversed = fields[6].find(kReversed) != std::string_view::npos;
    out.annotators.push_back(std::move(one));
  });
  return out;
}

std::vector<AnnotatorErrors> parse_annotator_errors(std::string_view text, const std::string& file) {
  std::vector<AnnotatorErrors> out;
  read_annotators(text, file, [&](const RowReader& reader) {
    if (reader.fields().size() == kEstimateColumns) return;
    AnnotatorErrors one{.name = std::string(reader.fields()[0]), .answers = count_in(reader, 1)};
    one.own_group = reader.fields()[6].find(kOwnGroup) != std::string_view::npos;
    one.heldout = count_in(reader, kEstimateColumns);
    one.violated = static_cast<std::uint64_t>(
        std::clamp(number_in(reader, kEstimateColumns + 1).value_or(0), 0.0, 1.0) * static_cast<double>(one.heldout) +
        0.5);
    one.repeated = count_in(reader, kEstimateColumns + 2);
    one.alike = static_cast<std::uint64_t>(std::clamp(number_in(reader, kEstimateColumns + 3).value_or(0), 0.0, 1.0) *
                                               static_cast<double>(one.repeated) +
                                           0.5);
    if (reader.fields().size() > kEstimateColumns + kErrorColumns)
      one.median_time = number_in(reader, kEstimateColumns + kErrorColumns);
    out.push_back(std::move(one));
  });
  return out;
}

AnnotatorEstimates read_annotators_csv(const std::filesystem::path& file) {
  return parse_annotators_csv(read_bytes(file), file.string());
}

std::string map_to_npy(const Matrix& coordinates) {
  std::string out = npy_header("f8", static_cast<std::uint64_t>(coordinates.rows()), coordinates.cols());
  out.append(reinterpret_cast<const char*>(coordinates.data()),
             static_cast<std::size_t>(coordinates.size()) * sizeof(double));
  return out;
}

MapTable parse_map_csv(std::string_view text, const std::string& file) {
  RowReader reader(text, file, ',');
  const bool any = reader.next();
  const auto header = reader.fields();
  require<DataError>(any && header.size() >= 3 && header[0] == "object" && header[1] == "label",
                     "{}: The header is not object,label,x1,x2,... of a map. Make the map again.", at_line(file, 1));
  MapTable out;
  out.columns.resize(header.size() - 2);
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == out.columns.size() + 2,
                       "{0}: The row has {2} values, but the header has {1}. Make the map again.", reader.place(),
                       out.columns.size() + 2, fields.size());
    for (std::size_t c = 0; c < out.columns.size(); ++c) {
      const auto value = parse_double(fields[c + 2]);
      require<DataError>(value.has_value(), "{}: '{}' is not a number. Make the map again.", reader.place(),
                         shown(fields[c + 2]));
      out.columns[c].push_back(std::isfinite(*value) ? *value : std::nan(""));
    }
    out.objects.emplace_back(fields[0]);
    out.labels.emplace_back(fields[1]);
    out.lines.push_back(reader.line());
  }
  return out;
}

MapTable read_map_csv(const std::filesystem::path& file) { return parse_map_csv(read_bytes(file), file.string()); }

std::vector<std::string> shown_names(std::vector<std::string> names) {
  constexpr std::array kStimuli = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp",
                                   ".wav", ".mp3", ".ogg",  ".mp4", ".webm", ".mov", ".avi"};
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::filesystem::path file(name);
    if (std::ranges::find(kStimuli, lower_ascii(file.extension().string())) == kStimuli.end()) return names;
    out.push_back(file.stem().string());
  }
  return std::set<std::string_view>(out.begin(), out.end()).size() == out.size() ? out : names;
}

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

CovarianceTable parse_ellipses_csv(std::string_view text, const std::string& file) {
  RowReader reader(text, file, ',');
  const bool any = reader.next();
  const auto header = reader.fields();
  constexpr std::array<std::string_view, 3> kColumns = {"cov11", "cov12", "cov22"};
  std::array<std::size_t, 3> places{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto position = std::ranges::find(header, kColumns[c]);
    require<DataError>(any && header[0] == "object" && position != header.end(),
                       "{}: The header is not object,... with {} of the ellipses of a planar map. "
                       "Make the map again.",
                       at_line(file, 1), kColumns[c]);
    places[c] = static_cast<std::size_t>(position - header.begin());
  }
  const std::size_t width = header.size();
  CovarianceTable out;
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == width,
                       "{0}: The row has {2} values, but the header has {1}. Make the map again.", reader.place(),
                       width, fields.size());
    for (std::size_t c = 0; c < 3; ++c) {
      const std::string_view field = fields[places[c]];
      const auto value = parse_double(field);
      require<DataError>(value.has_value() || field.empty(), "{}: '{}' is not a number. Make the map again.",
                         reader.place(), shown(field));
      const auto single = static_cast<float>(value.value_or(std::nan("")));
      out.columns[c].push_back(std::isfinite(single) ? single : std::nanf(""));
    }
    out.objects.emplace_back(fields[0]);
  }
  return out;
}

CovarianceTable read_ellipses_csv(const std::filesystem::path& file) {
  return parse_ellipses_csv(read_bytes(file), file.string());
}

SpreadTable parse_spreads_csv(std::string_view text, const std::string& file) {
  RowReader reader(text, file, ',');
  const bool any = reader.next();
  const auto header = reader.fields();
  std::vector<std::size_t> places;
  for (bool more = any; more;) {
    const auto position = std::ranges::find(header, fmt::format("sd{}", places.size() + 1));
    more = position != header.end();
    if (more) places.push_back(static_cast<std::size_t>(position - header.begin()));
  }
  require<DataError>(any && header[0] == "object" && !places.empty(),
                     "{}: The header is not object,... with sd1 of the ellipses of a map. Make "
                     "the map again.",
                     at_line(file, 1));
  const std::size_t width = header.size();
  SpreadTable out;
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == width,
                       "{0}: The row has {2} values, but the header has {1}. Make the map again.", reader.place(),
                       width, fields.size());
    double squares = 0;
    for (const std::size_t place : places) {
      const auto value = parse_double(fields[place]);
      require<DataError>(value.has_value() || fields[place].empty(), "{}: '{}' is not a number. Make the map again.",
                         reader.place(), shown(fields[place]));
      squares += value ? *value * *value : std::nan("");
    }
    const auto spread = static_cast<float>(std::sqrt(squares / static_cast<double>(places.size())));
    out.spreads.push_back(std::isfinite(spread) ? spread : std::nanf(""));
    out.objects.emplace_back(fields[0]);
  }
  return out;
}

SpreadTable read_spreads_csv(const std::filesystem::path& file) {
  return parse_spreads_csv(read_bytes(file), file.string());
}

}  // namespace alidade
