#include "experiments/datasets/readers/triplet_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/id_table.hpp"
#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// The whole number that all of `text` spells.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_whole_number(const NamedObject& object) { return whole_number(object.name).has_value(); }

/// The kind of answers, other than `format`, whose columns a first line names.
const AnswerFormat* other_kind(std::span<const std::string_view> row, const AnswerFormat& format,
                               const std::string& place) {
  for (const AnswerFormat& other : answer_formats()) {
    if (other.kind == format.kind) continue;
    try {
      if (AnswerColumns::of_header(other, row, place)) return &other;
    } catch (const DataError&) {  // some of its columns, not all
    }
  }
  return nullptr;
}

/// The columns that the first line names, if it does.
std::optional<AnswerColumns> columns_of_first(const AnswerFormat& format, const RowReader& reader) {
  try {
    return AnswerColumns::of_header(format, reader.fields(), reader.place());
  } catch (const DataError& error) {
    const AnswerFormat* other = other_kind(reader.fields(), format, reader.place());
    if (other == nullptr) throw;
    throw DataError(fmt::format("{} Or is the kind of answers = {}?", error.what(), other->name));
  }
}

/// The separator of a file. Lists in fields may hold semicolons, so that there the other two go first.
char separator_of(std::string_view text, const AnswerFormat& format, std::size_t count) {
  if (std::ranges::any_of(format.roles, &AnswerRole::many))
    for (const char separator : {'\t', ','}) {
      RowReader reader(text, "", separator);
      try {
        if (reader.next() && reader.fields().size() == count) return separator;
      } catch (const DataError&) {
        continue;  // reported by the reading itself
      }
    }
  return detect_separator(text, count);
}

/// The ids in use, in the order in which they will be numbered, and where each went.
struct Numbering {
  std::vector<std::uint32_t> order;  // old numbers
  std::vector<std::uint32_t> place;  // old number -> new number
};

/// The used ids, by value if all are whole numbers, else by first appearance.
Numbering renumber(const std::vector<std::string_view>& ids, const std::vector<bool>& used) {
  Numbering out;
  for (std::uint32_t i = 0; i < ids.size(); ++i)
    if (used[i]) out.order.push_back(i);
  std::vector<std::int64_t> values(ids.size());
  const bool numbers = std::ranges::all_of(out.order, [&](std::uint32_t i) {
    const auto value = whole_number(ids[i]);
    values[i] = value.value_or(0);
    return value.has_value();
  });
  if (numbers) std::ranges::stable_sort(out.order, {}, [&](std::uint32_t i) { return values[i]; });
  out.place.assign(ids.size(), 0);
  for (std::uint32_t i = 0; i < out.order.size(); ++i) out.place[out.order[i]] = i;
  return out;
}

struct RawTriplet {
  ImpliedTriplet ids;
  std::uint32_t aspect;
};

/// Why an answer names objects in a way that it can not mean: two of them alike.
std::optional<std::string> degeneracy(const AnswerFormat& format,
                                      const std::vector<NamedObject>& objects,
                                      const std::vector<std::uint32_t>& ids) {
  const auto both = [&](std::size_t a, std::size_t b) {
    const std::string_view one = format.roles[objects[a].role].name,
                           other = format.roles[objects[b].role].name;
    return one == other
               ? fmt::format("{} names '{}' twice", one, shown(objects[a].name))
               : fmt::format("{} and {} are both '{}'", one, other, shown(objects[a].name));
  };
  if (format.kind == AnswerKind::quadruplets) {
    if (ids[0] == ids[1]) return both(0, 1);
    if (ids[2] == ids[3]) return both(2, 3);
    if (std::minmax(ids[0], ids[1]) == std::minmax(ids[2], ids[3]))
      return fmt::format("i, j and k, l are both the pair '{}', '{}'", shown(objects[0].name),
                         shown(objects[1].name));
    return std::nullopt;
  }
  for (std::size_t b = 1; b < ids.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (ids[a] == ids[b]) return both(a, b);
  return std::nullopt;
}

std::string_view needs(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::triplets: return "a triplet needs three different objects";
    case AnswerKind::quadruplets: return "it compares two pairs of different objects";
    default: return "an answer names each object once";
  }
}

/// "1 row that names ... was", "3 rows that name ... were".
std::string left_out(std::uint64_t count) {
  return count == 1 ? "1 row names one object twice and was left out."
                    : fmt::format("{} rows name one object twice and were left out.", count);
}

/// Tells whether a first line that was read as an answer is a header in other words: none of its names
/// occurs in any other row.
class FirstLine {
 public:
  enum class Verdict { answer, maybe_header, header };

  /// To be told the objects of every row in turn, from the first line on.
  void take(const std::vector<std::uint32_t>& ids) {
    const std::size_t row = names_in_row_.size();
    names_in_row_.push_back(0);
    for (const std::uint32_t id : ids) {
      if (id >= only_row_.size()) only_row_.resize(id + 1, kNone);
      if (only_row_[id] == row) continue;
      ++names_in_row_[row];
      only_row_[id] = only_row_[id] == kNone ? row : kSeveral;
    }
  }

  /// Other rows may stand alone too. Were the first line an answer like the others, it would be one of these
  /// by chance alone; where that is improbable, it is a header.
  [[nodiscard]] Verdict verdict() const {
    constexpr double kImprobable = 0.05;
    const std::size_t rows = names_in_row_.size();
    std::vector<std::uint32_t> own(rows, 0);
    for (const std::size_t row : only_row_)
      if (row < kSeveral) ++own[row];
    std::size_t alone = 0;
    for (std::size_t row = 0; row < rows; ++row) alone += own[row] == names_in_row_[row] ? 1 : 0;
    if (rows < 2 || own[0] != names_in_row_[0]) return Verdict::answer;
    return static_cast<double>(alone) <= kImprobable * static_cast<double>(rows)
               ? Verdict::header
               : Verdict::maybe_header;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max(),
                               kSeveral = kNone - 1;
  std::vector<std::uint32_t> names_in_row_;
  std::vector<std::size_t> only_row_;  // of each id: the one row that has it, or one of these two
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

std::vector<std::string> describe(const AnswerCounts& counts, std::string_view what) {
  std::vector<std::string> notes;
  if (counts.distinct < counts.rows)
    notes.push_back(fmt::format("{} of {} {} are distinct. Repeated ones are kept.",
                                counts.distinct, counts.rows, what));
  if (counts.opposed_pairs > 0)
    notes.push_back(
        fmt::format("{} questions received both answers. Every map violates at least {} of {} {}.",
                    counts.opposed_pairs, counts.forced_errors, counts.rows, what));
  return notes;
}

TripletFile parse_triplets(std::string_view text, const std::string& name,
                           const TripletFileOptions& options) {
  TripletFile out;
  const AnswerFormat& format = answer_format(options.answers);
  const std::string standard = format.default_order();
  const bool ordered = !options.order.empty();
  std::optional<AnswerColumns> wanted;
  if (ordered) wanted = AnswerColumns::of_order(format, options.order);
  RowReader reader(text, name,
                   separator_of(text, format, wanted ? wanted->count() : format.roles.size()));
  require<DataError>(reader.next(), "'{}' has no rows. Give a file with {}.", name,
                     format.kind == AnswerKind::triplets ? "triplets" : "answers");

  // The first line: a header that names the columns, or the first answer.
  const std::optional<AnswerColumns> named = columns_of_first(format, reader);
  bool pending = false;  // whether the row in the reader is an answer still to be taken
  if (!ordered) {
    if (!named) {
      const AnswerFormat* other = other_kind(reader.fields(), format, reader.place());
      throw DataError(fmt::format(
          "{0}: The first line does not name the columns {1}. If it is a header with other names, "
          "replace it by '{2}'. If it is an answer, name the columns, such as --order {2}.{3}",
          reader.place(), format.role_names(), standard,
          other ? fmt::format(" Or is the kind of answers = {}?", other->name) : ""));
    }
    for (std::size_t c = 0; c < reader.fields().size(); ++c)
      if (!named->reads(c))
        out.notes.push_back(fmt::format("Column '{}' was not read.", shown(reader.fields()[c])));
  } else if (named) {
    require<DataError>(
        *named == *wanted,
        "{}: The header names other columns than the order '{}'. Leave the order out, or remove "
        "the header.",
        reader.place(), shown(options.order));
  } else {
    pending = true;
  }
  const AnswerColumns columns = ordered ? *wanted : *named;
  const std::string why_count = ordered ? fmt::format("the order '{}' has", shown(options.order))
                                        : std::string("the header has");

  IdTable objects, aspects, annotators;
  const std::vector<std::string> listed =
      options.objects ? options.objects->names : std::vector<std::string>{};
  IdTable listed_ids;
  for (const std::string& id : listed) static_cast<void>(listed_ids.number(id));
  require<DataError>(listed_ids.ids().size() == listed.size(),
                     "The list of objects for '{}' names one of them twice.", name);
  std::vector<std::uint32_t> list_place;  // of each object, if there is a list
  const auto find_in_list = [&](std::string_view id, std::uint32_t number) {
    if (!options.objects || number < list_place.size()) return;
    list_place.push_back(listed_ids.number(id));
    if (list_place.back() < listed.size()) return;
    const std::string unknown = shown(id);
    const auto near = nearest_name(unknown, listed);
    throw DataError(fmt::format("{}: The object '{}' is not among the {} listed.{}", reader.place(),
                                unknown, listed.size(),
                                near ? fmt::format(" Did you mean '{}'?", shown(*near))
                                     : " Correct it or add it to the list."));
  };
  const auto tag_of = [&](Extra which, std::string_view column, IdTable& table) {
    const std::string_view id = reader.fields()[*columns.extra(which)];
    require<DataError>(!id.empty(), "{}: '{}' is empty. Name an {}.", reader.place(), column,
                       column);
    return table.number(id);
  };
  const bool heavy = columns.extra(Extra::weight).has_value() ||
                     (options.weight_by_answer && format.kind != AnswerKind::triplets);
  std::vector<RawTriplet> triplets;
  std::vector<double> weights;
  std::vector<std::uint32_t> answer_of, annotator_of;  // answers counted without those left out
  double weight_sum = 0;
  std::size_t answers = 0, without_anchor = 0, all_tied = 0;
  std::uint32_t kept = 0;
  bool maybe_header = pending;
  std::optional<FirstLine> first_line;  // where it may be a header in other words
  std::string first_place, first_names;

  std::vector<NamedObject> named_objects;
  std::vector<std::uint32_t> ids, ranks;
  std::vector<ImpliedTriplet> implied;
  while (pending || reader.next()) {
    pending = false;
    const std::span<const std::string_view> fields = reader.fields();
    if (fields.size() != columns.count())
      throw DataError(fmt::format(
          "{}: The row has {} column{} where {} {}. {}.", reader.place(), fields.size(),
          fields.size() == 1 ? "" : "s", why_count, columns.count(),
          fields.size() == 1 ? "Separate columns by comma, tab or semicolon"
                             : fmt::format("Correct the row (columns are separated by {})",
                                           separator_name(reader.separator()))));
    columns.names_of(reader, named_objects);
    if (maybe_header) {
      // A header in other words: no id of the first line is a whole number, all of the second are.
      maybe_header = false;
      RowReader ahead = reader;
      if (std::ranges::none_of(named_objects, is_whole_number) && ahead.next() &&
          ahead.fields().size() == columns.count()) {
        std::vector<NamedObject> next;
        columns.names_of(ahead, next);
        if (std::ranges::all_of(next, is_whole_number)) {
          out.notes.push_back(
              "The first line was read as a header, because the ids below are numbers.");
          continue;
        }
      }
      const bool number = std::ranges::any_of(named_objects, [](const NamedObject& object) {
        return parse_double(object.name).has_value();
      });
      if (!number && !options.objects) {
        first_line.emplace();
        first_place = reader.place();
        std::vector<std::string> shown_names;
        for (const NamedObject& object : named_objects)
          shown_names.push_back(fmt::format("'{}'", shown(object.name)));
        first_names = join(shown_names, ", ");
      }
    }
    ++answers;

    ids.clear();
    for (const NamedObject& object : named_objects) {
      ids.push_back(objects.number(object.name));
      find_in_list(object.name, ids.back());
    }
    if (first_line) first_line->take(ids);
    const std::uint32_t aspect =
        columns.extra(Extra::aspect) ? tag_of(Extra::aspect, "aspect", aspects) : 0;
    const std::uint32_t annotator =
        columns.extra(Extra::annotator) ? tag_of(Extra::annotator, "annotator", annotators) : 0;
    double weight = 1;
    if (columns.extra(Extra::weight)) {
      const std::string_view field = fields[*columns.extra(Extra::weight)];
      const auto value = parse_double(field);
      require<DataError>(
          value && std::isfinite(*value) && *value >= 0,
          "{}: The weight '{}' is not a finite number >= 0. Correct it or remove the row.",
          reader.place(), shown(field));
      weight = *value;
    }
    if (const auto why = degeneracy(format, named_objects, ids)) {
      if (options.degenerate == Degenerate::error)
        throw DataError(
            fmt::format("{}: {}, but {}. Correct the row, or drop such rows with degenerate = "
                        "drop (--drop-degenerate).",
                        reader.place(), *why, needs(format.kind)));
      ++out.dropped;
      continue;
    }

    implied.clear();
    switch (format.kind) {
      case AnswerKind::triplets: implied.push_back({ids[0], ids[1], ids[2]}); break;
      case AnswerKind::odd_one_out: imply_odd_one_out(ids[0], ids[1], ids[2], implied); break;
      case AnswerKind::most_central: imply_most_central(ids[0], ids[1], ids[2], implied); break;
      case AnswerKind::pick: {
        const auto rest = std::ranges::find(named_objects, 2U, &NamedObject::role);
        const auto split = static_cast<std::size_t>(rest - named_objects.begin());
        imply_pick(ids[0], std::span(ids).subspan(1, split - 1), std::span(ids).subspan(split),
                   implied);
        break;
      }
      case AnswerKind::ranked:
        require<DataError>(ids.size() > 2,
                           "{}: The ranking names only one object, but a comparison needs two. "
                           "Correct or remove the row.",
                           reader.place());
        ranks.clear();
        for (const NamedObject& object : named_objects) ranks.push_back(object.rank);
        imply_ranked(ids[0], std::span(ids).subspan(1), std::span(ranks).subspan(1),
                     options.adjacent_ranks_only, implied);
        if (implied.empty()) ++all_tied;
        break;
      case AnswerKind::quadruplets:
        if (!imply_quadruplet(ids[0], ids[1], ids[2], ids[3], implied)) {
          require<DataError>(
              options.drop_quadruplets_without_anchor,
              "{}: The pairs '{}', '{}' and '{}', '{}' share no object, so the answer is not a "
              "triplet, and problems learn from triplets only. Remove the row, or drop such rows "
              "with quadruplets_without_anchor = drop.",
              reader.place(), shown(fields[0]), shown(fields[1]), shown(fields[2]),
              shown(fields[3]));
          ++without_anchor;
        }
        break;
    }
    if (implied.empty()) continue;
    if (options.weight_by_answer) weight /= static_cast<double>(implied.size());
    for (const ImpliedTriplet& t : implied) {
      triplets.push_back({t, aspect});
      if (heavy) weights.push_back(weight);
      weight_sum += weight;
      if (format.kind != AnswerKind::triplets) answer_of.push_back(kept);
      if (columns.extra(Extra::annotator)) annotator_of.push_back(annotator);
    }
    ++kept;
  }

  require<DataError>(answers > 0, "'{}' has a header but no rows. Give a file with {}.", name,
                     format.kind == AnswerKind::triplets ? "triplets" : "answers");
  if (format.kind == AnswerKind::triplets)
    require<DataError>(!triplets.empty(),
                       "'{}' has {} rows, but none names three different objects. A map needs at "
                       "least 3 objects.",
                       name, answers);
  require<DataError>(!triplets.empty(),
                     "None of the {} answers of '{}' implies a triplet. Add answers.", answers,
                     name);
  require<DataError>(weights.empty() || weight_sum > 0,
                     "'{}' gives weight 0 to every row. Give some rows a weight > 0.", name);

  const auto verdict = first_line ? first_line->verdict() : FirstLine::Verdict::answer;
  require<DataError>(
      verdict != FirstLine::Verdict::header,
      "{}: None of the names {} occurs in any other row, so this line looks like a header. If it "
      "is one, replace it by '{}'. If it is an answer, put that line above it.",
      first_place, first_names, shown(options.order));
  if (verdict == FirstLine::Verdict::maybe_header)
    out.notes.push_back(
        fmt::format("Is the first line a header? None of its names {} occurs in any other row. If "
                    "it is a header, replace it by '{}'.",
                    first_names, shown(options.order)));

  std::vector<bool> used(objects.ids().size()), used_aspects(aspects.ids().size()),
      used_annotators(annotators.ids().size());
  for (const RawTriplet& t : triplets) {
    for (const std::uint32_t id : t.ids) used[id] = true;
    if (!used_aspects.empty()) used_aspects[t.aspect] = true;
  }
  for (const std::uint32_t id : annotator_of) used_annotators[id] = true;
  const Numbering numbers = renumber(objects.ids(), used);
  const Numbering aspect_numbers = renumber(aspects.ids(), used_aspects);
  const Numbering annotator_numbers = renumber(annotators.ids(), used_annotators);
  for (const std::uint32_t id : numbers.order) {
    out.objects.emplace_back(objects.ids()[id]);
    if (options.objects) out.labels.push_back(options.objects->labels[list_place[id]]);
  }
  for (const std::uint32_t id : aspect_numbers.order) out.aspects.emplace_back(aspects.ids()[id]);
  for (const std::uint32_t id : annotator_numbers.order)
    out.annotators.emplace_back(annotators.ids()[id]);

  std::ranges::move(notes_on_names(out.objects), std::back_inserter(out.notes));

  auto list = std::make_shared<TripletList>(static_cast<Index>(out.objects.size()));
  list->reserve(triplets.size());
  for (std::size_t i = 0; i < triplets.size(); ++i) {
    const RawTriplet& t = triplets[i];
    list->add({.anchor = numbers.place[t.ids[0]],
               .near = numbers.place[t.ids[1]],
               .far = numbers.place[t.ids[2]],
               .aspect = aspects.ids().empty() ? 0 : aspect_numbers.place[t.aspect],
               .weight = weights.empty() ? 1.0 : weights[i]});
  }
  if (triplets.size() > kept)
    out.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(answer_of));
  if (columns.extra(Extra::annotator)) {
    for (std::uint32_t& id : annotator_of) id = annotator_numbers.place[id];
    out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(annotator_of));
  }

  if (format.kind != AnswerKind::triplets)
    out.notes.push_back(fmt::format("{} of the kind {} {} {}.", counted(kept, "answer"),
                                    format.name, kept == 1 ? "implies" : "imply",
                                    counted(triplets.size(), "triplet")));
  if (out.dropped > 0) out.notes.push_back(left_out(out.dropped));
  if (without_anchor > 0)
    out.notes.push_back(
        fmt::format("{} of {} quadruplets compare pairs that share no object and were left out.",
                    without_anchor, answers));
  if (all_tied > 0)
    out.notes.push_back(fmt::format(
        "{} of {} rankings tie all objects they name and imply no triplet.", all_tied, answers));
  if (listed.size() > out.objects.size()) {
    std::vector<bool> present(listed.size());
    for (const std::uint32_t id : numbers.order) present[list_place[id]] = true;
    std::vector<std::string> absent;
    for (std::size_t i = 0; i < listed.size(); ++i)
      if (!present[i]) absent.push_back(shown(listed[i]));
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
  for (std::string& note :
       describe(count_answers(*list), format.kind == AnswerKind::triplets ? "answers" : "triplets"))
    out.notes.push_back(std::move(note));
  out.triplets = std::move(list);
  return out;
}

TripletFile read_triplets(const std::filesystem::path& path, const TripletFileOptions& options) {
  return parse_triplets(read_text(path), path.string(), options);
}

LabelList parse_labels(std::string_view text, const std::string& name,
                       const std::string& name_column, const std::string& label_column) {
  RowReader reader(text, name, detect_separator(text, 2));
  require<DataError>(reader.next(), "'{}' has no rows. Give a file with names and labels.", name);
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
                       "{}: The row has {} columns where the first line has {}. Correct the row.",
                       reader.place(), fields.size(), count);
    const std::string_view id = fields[*name_at];
    require<DataError>(!id.empty(), "{}: The name is empty. Name an object or remove the row.",
                       reader.place());
    require<DataError>(known.number(id) == out.names.size(),
                       "{}: '{}' is listed a second time. Keep one row for each name.",
                       reader.place(), shown(id));
    out.names.emplace_back(id);
    out.labels.emplace_back(fields[*label_at]);
    out.lines.push_back(reader.line());
  }
  require<DataError>(!out.names.empty(), "'{}' lists no objects below its header. Add rows.", name);
  return out;
}

LabelList read_labels(const std::filesystem::path& path, const std::string& name_column,
                      const std::string& label_column) {
  return parse_labels(read_text(path), path.string(), name_column, label_column);
}

}  // namespace alidade::datasets
