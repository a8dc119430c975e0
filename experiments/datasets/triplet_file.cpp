#include "experiments/datasets/triplet_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "experiments/datasets/delimited_text.hpp"
#include "experiments/datasets/gzip_file.hpp"
#include "experiments/datasets/id_table.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::size_t kAnchor = 0, kNear = 1, kFar = 2, kAspect = 3, kWeight = 4;
const std::array<std::string, 5> kColumnNames = {"anchor", "near", "far", "aspect", "weight"};
constexpr std::string_view kNotRead = "-";

/// Where the columns stand in a row of `count` fields.
struct Columns {
  std::array<std::optional<std::size_t>, 5> at;
  std::size_t count = 0;
  [[nodiscard]] bool operator==(const Columns&) const = default;
};

Columns columns_of_order(std::string_view order) {
  Columns columns;
  for (std::string_view rest = order;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = trim(rest.substr(0, comma));
    if (name != kNotRead) {
      const auto known = std::ranges::find(kColumnNames, name);
      if (known == kColumnNames.end())
        throw ConfigError(
            fmt::format("The order '{}' has a column '{}'.{} A column that is not read is '{}'.",
                        order, name, suggestion(name, kColumnNames), kNotRead));
      auto& place = columns.at[static_cast<std::size_t>(known - kColumnNames.begin())];
      require<ConfigError>(!place, "The order '{}' names '{}' twice.", order, name);
      place = columns.count;
    }
    ++columns.count;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  for (const std::size_t c : {kAnchor, kNear, kFar})
    require<ConfigError>(columns.at[c].has_value(),
                         "The order '{}' lacks '{}'; it names at least anchor, near and far.",
                         order, kColumnNames[c]);
  return columns;
}

/// The columns that a header names; nothing if the row is no header (it names none of the three).
std::optional<Columns> columns_of_header(std::span<const std::string_view> row,
                                         const std::string& place) {
  Columns columns;
  columns.count = row.size();
  bool any = false;
  for (std::size_t c = 0; c < kColumnNames.size(); ++c) {
    columns.at[c] = find_column(row, kColumnNames[c], place);
    any = any || (c <= kFar && columns.at[c]);
  }
  if (!any) return std::nullopt;
  for (const std::size_t c : {kAnchor, kNear, kFar}) {
    if (columns.at[c]) continue;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (std::ranges::find(columns.at, std::optional(i)) == columns.at.end())
        others.emplace_back(row[i]);
    const auto near = nearest_name(kColumnNames[c], others);
    throw DataError(
        fmt::format("{}: The header has no column '{}'.{} Name the columns anchor, near and far.",
                    place, kColumnNames[c], near ? fmt::format(" Is it '{}'?", shown(*near)) : ""));
  }
  return columns;
}

/// The whole number that all of `text` spells.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool all_whole_numbers(std::span<const std::string_view> row, const Columns& columns) {
  return std::ranges::all_of(std::array{kAnchor, kNear, kFar}, [&](std::size_t c) {
    return whole_number(row[*columns.at[c]]).has_value();
  });
}

bool no_whole_number(std::span<const std::string_view> row, const Columns& columns) {
  return std::ranges::none_of(std::array{kAnchor, kNear, kFar}, [&](std::size_t c) {
    return whole_number(row[*columns.at[c]]).has_value();
  });
}

/// The ids in use, in the order in which they will be numbered, and where each went.
struct Numbering {
  std::vector<std::uint32_t> order;  // old numbers
  std::vector<std::uint32_t> place;  // old number -> new number
};

Numbering renumber(const std::vector<std::string_view>& ids, const std::vector<bool>& used,
                   bool by_value) {
  Numbering out;
  for (std::uint32_t i = 0; i < ids.size(); ++i)
    if (used[i]) out.order.push_back(i);
  if (by_value) {
    std::vector<std::int64_t> values(ids.size());
    for (const std::uint32_t i : out.order) {
      const auto value = whole_number(ids[i]);
      if (!value) {
        by_value = false;
        break;
      }
      values[i] = *value;
    }
    if (by_value)
      std::ranges::stable_sort(out.order, {}, [&](std::uint32_t i) { return values[i]; });
  }
  out.place.assign(ids.size(), 0);
  for (std::uint32_t i = 0; i < out.order.size(); ++i) out.place[out.order[i]] = i;
  return out;
}

struct RawRow {
  std::array<std::uint32_t, 3> ids;
  std::uint32_t aspect;
};

template <class Key>
AnswerCounts count_keys(const TripletList& triplets, unsigned id_bits) {
  std::vector<Key> keys(triplets.size());
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    const Triplet t = triplets.at(i);
    // The question (aspect, anchor, the smaller, the larger), then which of the two was nearer.
    Key key = t.aspect;
    for (const ObjectId id : {t.anchor, std::min(t.near, t.far), std::max(t.near, t.far)})
      key = static_cast<Key>(key << id_bits | id);
    keys[i] = static_cast<Key>(key << 1 | static_cast<Key>(t.near < t.far ? 1 : 0));
  }
  std::ranges::sort(keys);
  AnswerCounts counts;
  counts.rows = keys.size();
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i;
    while (end < keys.size() && keys[end] >> 1 == keys[i] >> 1) ++end;
    const bool both = keys[i] != keys[end - 1];
    counts.distinct += both ? 2 : 1;
    if (both) {
      ++counts.opposed_pairs;
      counts.opposed_rows += end - i;
      const auto middle = static_cast<std::size_t>(
          std::upper_bound(keys.begin() + static_cast<std::ptrdiff_t>(i),
                           keys.begin() + static_cast<std::ptrdiff_t>(end), keys[i]) -
          keys.begin());
      counts.forced_errors += std::min(middle - i, end - middle);
    }
    i = end;
  }
  return counts;
}

}  // namespace

AnswerCounts count_answers(const TripletList& triplets) {
  const auto bits = [](Index count) {
    return static_cast<unsigned>(
        std::bit_width(static_cast<std::uint64_t>(std::max<Index>(count, 2) - 1)));
  };
  const unsigned id_bits = bits(triplets.object_count());
  if (3 * id_bits + 1 + bits(triplets.aspect_count()) <= 64)
    return count_keys<std::uint64_t>(triplets, id_bits);
  return count_keys<unsigned __int128>(triplets, id_bits);
}

std::vector<std::string> describe(const AnswerCounts& counts) {
  std::vector<std::string> notes;
  if (counts.distinct < counts.rows)
    notes.push_back(fmt::format("{} of {} answers are distinct; repeated ones are kept.",
                                counts.distinct, counts.rows));
  if (counts.opposed_pairs > 0)
    notes.push_back(
        fmt::format("{} questions are answered in both ways, so that every map violates at least "
                    "{} of {} answers.",
                    counts.opposed_pairs, counts.forced_errors, counts.rows));
  return notes;
}

TripletFile parse_triplets(std::string_view text, const std::string& name,
                           const TripletFileOptions& options) {
  TripletFile out;
  const bool ordered = !options.order.empty();
  const Columns wanted = ordered ? columns_of_order(options.order) : Columns{};
  RowReader reader(text, name, detect_separator(text, ordered ? wanted.count : 3));
  require<DataError>(reader.next(), "'{}' has no rows; give a file with triplets.", name);

  // The first line: a header that names the columns, or the first answer.
  const std::vector<std::string_view> first(reader.fields().begin(), reader.fields().end());
  const std::optional<Columns> named = columns_of_header(first, reader.place());
  bool pending = false;  // whether the row in the reader is an answer still to be taken
  if (!ordered) {
    if (!named)
      throw DataError(
          fmt::format("{}: The first line does not name the columns. Say what they are, such as "
                      "--order anchor,near,far, or put a line 'anchor,near,far' on top.",
                      reader.place()));
    for (std::size_t c = 0; c < first.size(); ++c)
      if (std::ranges::find(named->at, std::optional(c)) == named->at.end())
        out.notes.push_back(fmt::format("Column '{}' was not read.", shown(first[c])));
  } else if (named) {
    require<DataError>(
        *named == wanted,
        "{}: The header says other columns than the order '{}'; leave the order out, "
        "or remove the header.",
        reader.place(), options.order);
  } else {
    pending = true;
  }
  const Columns columns = ordered ? wanted : *named;
  const std::string why_count =
      ordered ? fmt::format("the order '{}' has", options.order) : std::string("the header has");

  IdTable objects, aspects;
  std::vector<std::string> listed;
  if (options.objects) {
    listed = options.objects->names;
    for (const std::string& id : listed) static_cast<void>(objects.number(id));
    require<DataError>(objects.ids().size() == listed.size(),
                       "The list of objects for '{}' names one of them twice.", name);
  }
  std::vector<RawRow> rows;
  std::vector<double> weights;
  double weight_sum = 0;
  std::size_t answers = 0;
  bool maybe_header = pending;

  while (pending || reader.next()) {
    pending = false;
    const std::span<const std::string_view> fields = reader.fields();
    if (fields.size() != columns.count)
      throw DataError(fmt::format("{}: {} column{} where {} {}; {}.", reader.place(), fields.size(),
                                  fields.size() == 1 ? "" : "s", why_count, columns.count,
                                  fields.size() == 1
                                      ? "separate columns by comma, tab or semicolon"
                                      : fmt::format("correct the row (columns are separated by {})",
                                                    separator_name(reader.separator()))));
    if (maybe_header) {
      // A header in other words: no id of the first line is a whole number, all of the second are.
      maybe_header = false;
      RowReader ahead = reader;
      if (no_whole_number(fields, columns) && ahead.next() &&
          ahead.fields().size() == columns.count && all_whole_numbers(ahead.fields(), columns)) {
        out.notes.push_back(
            "The first line was taken for a header, for the ids below are numbers.");
        continue;
      }
    }
    ++answers;

    RawRow row{};
    for (const std::size_t c : {kAnchor, kNear, kFar}) {
      const std::string_view id = fields[*columns.at[c]];
      require<DataError>(!id.empty(), "{}: Column '{}' is empty; name an object or remove the row.",
                         reader.place(), kColumnNames[c]);
      row.ids[c] = objects.number(id);
      if (options.objects && row.ids[c] >= listed.size()) {
        const std::string unknown = shown(id);
        const auto near = nearest_name(unknown, listed);
        throw DataError(fmt::format("{}: There is no object '{}' among the {} listed.{}",
                                    reader.place(), unknown, listed.size(),
                                    near ? fmt::format(" Did you mean '{}'?", shown(*near))
                                         : " Correct it or add it to the list."));
      }
    }
    if (columns.at[kAspect]) {
      const std::string_view id = fields[*columns.at[kAspect]];
      require<DataError>(!id.empty(), "{}: Column 'aspect' is empty; name an aspect.",
                         reader.place());
      row.aspect = aspects.number(id);
    }
    double weight = 1;
    if (columns.at[kWeight]) {
      const std::string_view field = fields[*columns.at[kWeight]];
      const auto value = parse_double(field);
      require<DataError>(
          value && std::isfinite(*value) && *value >= 0,
          "{}: The weight '{}' is not a finite number >= 0; correct it or remove the "
          "row.",
          reader.place(), shown(field));
      weight = *value;
    }
    const auto& [anchor, near, far] = row.ids;
    if (anchor == near || anchor == far || near == far) {
      const std::size_t one = anchor == near || anchor == far ? kAnchor : kNear;
      const std::size_t other = anchor == near ? kNear : kFar;
      if (options.degenerate == Degenerate::error)
        throw DataError(fmt::format(
            "{}: {} and {} are both '{}', but a triplet needs three different objects; correct the "
            "row, or leave such rows out with degenerate = drop.",
            reader.place(), kColumnNames[one], kColumnNames[other],
            shown(fields[*columns.at[one]])));
      ++out.dropped;
      continue;
    }
    rows.push_back(row);
    if (columns.at[kWeight]) {
      weights.push_back(weight);
      weight_sum += weight;
    }
  }

  require<DataError>(answers > 0, "'{}' has a header but no rows; give a file with triplets.",
                     name);
  require<DataError>(!rows.empty(),
                     "'{}' names three different objects in none of its {} rows; a map needs at "
                     "least 3 objects.",
                     name, answers);
  require<DataError>(weights.empty() || weight_sum > 0,
                     "'{}' gives weight 0 to every row; give some a weight > 0.", name);

  std::vector<bool> used(objects.ids().size()), used_aspects(aspects.ids().size());
  for (const RawRow& row : rows) {
    for (const std::uint32_t id : row.ids) used[id] = true;
    if (!used_aspects.empty()) used_aspects[row.aspect] = true;
  }
  const Numbering numbers = renumber(objects.ids(), used, !options.objects);
  const Numbering aspect_numbers = renumber(aspects.ids(), used_aspects, true);
  for (const std::uint32_t id : numbers.order) {
    out.objects.emplace_back(objects.ids()[id]);
    if (options.objects) out.labels.push_back(options.objects->labels[id]);
  }
  for (const std::uint32_t id : aspect_numbers.order) out.aspects.emplace_back(aspects.ids()[id]);

  auto triplets = std::make_shared<TripletList>(static_cast<Index>(out.objects.size()));
  triplets->reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RawRow& row = rows[i];
    triplets->add({.anchor = numbers.place[row.ids[kAnchor]],
                   .near = numbers.place[row.ids[kNear]],
                   .far = numbers.place[row.ids[kFar]],
                   .aspect = out.aspects.empty() ? 0 : aspect_numbers.place[row.aspect],
                   .weight = weights.empty() ? 1.0 : weights[i]});
  }

  if (out.dropped > 0)
    out.notes.push_back(fmt::format("{} row{} that name{} one object twice {} left out.",
                                    out.dropped, out.dropped == 1 ? "" : "s",
                                    out.dropped == 1 ? "s" : "",
                                    out.dropped == 1 ? "was" : "were"));
  if (listed.size() > out.objects.size()) {
    std::vector<std::string> absent;
    for (std::size_t i = 0; i < listed.size(); ++i)
      if (!used[i]) absent.push_back(shown(listed[i]));
    const std::size_t count = absent.size();
    constexpr std::size_t kShown = 20;
    if (count > kShown) {
      absent.resize(kShown);
      absent.emplace_back("...");
    }
    out.notes.push_back(
        fmt::format("{} of {} listed objects occur in no triplet and are left out: {}.", count,
                    listed.size(), join(absent, ", ")));
  }
  for (std::string& note : describe(count_answers(*triplets))) out.notes.push_back(std::move(note));
  out.triplets = std::move(triplets);
  return out;
}

TripletFile read_triplets(const std::filesystem::path& path, const TripletFileOptions& options) {
  return parse_triplets(read_text(path), path.string(), options);
}

LabelList parse_labels(std::string_view text, const std::string& name,
                       const std::string& name_column, const std::string& label_column) {
  RowReader reader(text, name, detect_separator(text, 2));
  require<DataError>(reader.next(), "'{}' has no rows; give a file with names and labels.", name);
  const std::size_t count = reader.fields().size();
  auto name_at = find_column(reader.fields(), name_column, reader.place());
  auto label_at = find_column(reader.fields(), label_column, reader.place());
  bool pending = false;
  if (!name_at && !label_at && count == 2) {
    name_at = 0;
    label_at = 1;
    pending = true;
  } else if (!name_at || !label_at) {
    const std::vector<std::string> header(reader.fields().begin(), reader.fields().end());
    const std::string& missing = name_at ? label_column : name_column;
    throw DataError(fmt::format("{}: The first line has no column '{}'.{}", reader.place(), missing,
                                suggestion(missing, shown(header))));
  }
  LabelList out;
  IdTable known;
  while (pending || reader.next()) {
    pending = false;
    const auto fields = reader.fields();
    require<DataError>(fields.size() == count,
                       "{}: {} columns where the first line has {}; correct "
                       "the row.",
                       reader.place(), fields.size(), count);
    const std::string_view id = fields[*name_at];
    require<DataError>(!id.empty(), "{}: The name is empty; name an object or remove the row.",
                       reader.place());
    require<DataError>(known.number(id) == out.names.size(),
                       "{}: '{}' is listed a second time; keep one row for each name.",
                       reader.place(), shown(id));
    out.names.emplace_back(id);
    out.labels.emplace_back(fields[*label_at]);
  }
  require<DataError>(!out.names.empty(), "'{}' lists no objects below its header.", name);
  return out;
}

LabelList read_labels(const std::filesystem::path& path, const std::string& name_column,
                      const std::string& label_column) {
  return parse_labels(read_text(path), path.string(), name_column, label_column);
}

}  // namespace alidade::datasets
