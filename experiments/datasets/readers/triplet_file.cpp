#include "experiments/datasets/readers/triplet_file.hpp"

#include <fmt/format.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "experiments/datasets/readers/answer_folder.hpp"
#include "experiments/datasets/readers/answer_layouts.hpp"
#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/readers/responses.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/npy_file.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/terminal_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

bool is_number(const NamedObject& object) { return plain_number(object.name).has_value(); }

/// A kind of answers, other than `but`, whose columns the first line names.
const AnswerFormat* other_kind(std::span<const std::string_view> row, const AnswerFormat* but,
                               const std::string& place) {
  for (const AnswerFormat& other : answer_formats()) {
    if (&other == but) continue;
    try {
      if (AnswerColumns::of_header(other, row, place)) return &other;
    } catch (const DataError&) {  // only some of its columns
    }
  }
  return nullptr;
}

/// "Or are these ...?"
std::string is_it(const AnswerFormat& kind) {
  return fmt::format("Or are these answers of the kind {0} (--answers {0})?", kind.name);
}

/// What kinds of answers have as many columns, if another than `format` has.
std::string kinds_of_width(std::size_t count, const AnswerFormat& format) {
  std::vector<std::string> kinds;
  for (const AnswerFormat& kind : answer_formats())
    if (kind.roles.size() == count && std::ranges::none_of(kind.roles, &AnswerRole::many))
      kinds.push_back(fmt::format("{} ({})", kind.name, kind.default_order()));
  if (kinds.empty() || (kinds.size() == 1 && format.roles.size() == count)) return "";
  return fmt::format(" Kinds of answers (--answers) with {} columns: {}.", count, join(kinds, "; "));
}

/// The columns named by the first line, if it is a header.
std::optional<AnswerColumns> columns_of_first(const AnswerFormat& format, const RowReader& reader) {
  try {
    return AnswerColumns::of_header(format, reader.fields(), reader.place());
  } catch (const DataError& error) {
    const AnswerFormat* other = other_kind(reader.fields(), &format, reader.place());
    if (other == nullptr) throw;
    throw DataError(fmt::format("{} {}", error.what(), is_it(*other)));
  }
}

/// The separator of a file. Lists in fields may contain semicolons; then tab and comma go first.
char separator_of(std::string_view text, const AnswerFormat& format, std::size_t count) {
  if (std::ranges::any_of(format.roles, &AnswerRole::many))
    for (const char separator : {'\t', ','}) {
      RowReader reader(text, "", separator);
      try {
        if (reader.next() && reader.fields().size() == count) return separator;
      } catch (const DataError&) {
        continue;  // reading reports it
      }
    }
  return detect_separator(text, count);
}

/// What all triplets of a file say together. `kept` answers name `mentioned` objects.
void add_notes_on_list(Observations& out, bool are_triplets, std::size_t kept, std::size_t mentioned) {
  const auto& list = static_cast<const TripletList&>(*out.triplets);
  add_note(out, describe(count_answers(list), are_triplets ? "answers" : "triplets"));
  if (kept >= out.objects.size()) add_guess(out, note_on_two_kinds(list, out.objects));
  if (kept >= mentioned) add_note(out, notes_on_unplaced(list, out.objects));
}

struct RawTriplet {
  ImpliedTriplet ids;
  std::uint32_t aspect;
};

/// The role of the objects that were chosen among those shown.
constexpr std::size_t chosen_role(AnswerKind kind) {
  return kind == AnswerKind::odd_one_out || kind == AnswerKind::most_central ? 0 : 1;
}

/// Columns such as shown1, shown2, ..., which may say where each object stood, and where each person chose one.
struct Shown {
  std::vector<std::size_t> columns{};
  std::vector<ChosenPlaces> chosen{};  // of each annotator
};

/// Sets of columns whose names differ by numbers, from 0 or 1 on; not those of the chosen objects.
std::vector<Shown> shown_columns(std::span<const std::string_view> header, const AnswerColumns& columns,
                                 std::size_t chosen) {
  std::map<std::string, std::map<double, std::size_t>> numbered;
  for (std::size_t c = 0; c < header.size(); ++c) {
    const std::size_t end = header[c].find_last_not_of("0123456789") + 1;
    if (const auto number = parse_double(header[c].substr(end)); number && end > 0 && !columns.holds(chosen, c))
      numbered[lower_ascii(header[c].substr(0, end))][*number] = c;
  }
  std::vector<Shown> out;
  for (const auto& [stem, places] : numbered) {
    const double first = places.begin()->first, last = places.rbegin()->first;
    if (places.size() < 2 || first > 1 || last - first + 1 != static_cast<double>(places.size())) continue;
    for (Shown& one = out.emplace_back(); const auto& [number, column] : places) one.columns.push_back(column);
  }
  return out;
}

/// Why an answer is impossible: it names two equal objects.
std::optional<std::string> degeneracy(const AnswerFormat& format, const std::vector<NamedObject>& objects,
                                      const std::vector<std::uint32_t>& ids) {
  const auto both = [&](std::size_t a, std::size_t b) {
    const std::string_view one = format.roles[objects[a].role].name, other = format.roles[objects[b].role].name;
    return one == other ? fmt::format("{} names '{}' twice", one, shown(objects[a].name))
                        : fmt::format("{} and {} are both '{}'", one, other, shown(objects[a].name));
  };
  if (format.kind == AnswerKind::quadruplets) {
    if (ids[0] == ids[1]) return both(0, 1);
    if (ids[2] == ids[3]) return both(2, 3);
    if (std::minmax(ids[0], ids[1]) == std::minmax(ids[2], ids[3]))
      return fmt::format("i, j and k, l are both the pair '{}', '{}'", shown(objects[0].name), shown(objects[1].name));
    return std::nullopt;
  }
  for (std::size_t b = 1; b < ids.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (ids[a] == ids[b]) return both(a, b);
  return std::nullopt;
}

/// The given order of the columns, if there is one.
std::optional<AnswerColumns> order_of(const TripletFileOptions& options, const AnswerFormat& format,
                                      const std::string& name) {
  if (options.order.empty()) return std::nullopt;
  require<ConfigError>(options.columns.empty(), words::kOrderAndNames, name);
  return AnswerColumns::of_order(format, options.order);
}

/// By which rules names of objects, aspects and annotators are one.
using NameRules = std::array<NameRule, 3>;

/// Reads a file row by row, then numbers what its triplets name. Once all names are known, some may turn out to be one:
/// then it reads the file again.
class TripletReader {
 public:
  TripletReader(const RowReader& rows, const TripletFileOptions& options, const ExportLayout& layout,
                std::optional<NameRules> rules = std::nullopt)
      : rows_(rows),
        name_(rows.file()),
        options_(options),
        layout_(layout),
        rules_(rules),
        format_(answer_format(options.answers)),
        wanted_(order_of(options, format_, name_)),
        reader_(rows) {
    for (std::size_t kind = 0; rules && kind < names_.size(); ++kind) names_[kind] = NameTable((*rules)[kind]);
  }

  Observations read() {
    read_first_line();
    take_listed_objects();
    read_rows();
    if (const auto rules = better_rules()) return TripletReader(rows_, options_, layout_, rules).read();
    if (!unrelated_pairs_.empty()) throw DataError(unrelated_pairs_);
    if (filter_) filter_->require_known_values(name_);
    choose_sides();
    require_triplets();
    judge_first_line();
    number_all();
    add_notes();
    return std::move(out_);
  }

 private:
  /// Whether an answer is one triplet.
  [[nodiscard]] bool are_triplets() const { return format_.kind == AnswerKind::triplets || is_two_choice(); }
  [[nodiscard]] bool is_two_choice() const { return format_.kind == AnswerKind::two_choice; }
  [[nodiscard]] const AnswerColumns& columns() const { return *columns_; }

  /// The first line is a header that names the columns, or the first answer.
  void read_first_line() {
    require<DataError>(reader_.next(), "'{}' has no rows. Give a file with {}.", name_,
                       are_triplets() ? "triplets" : "answers");
    std::optional<AnswerColumns> named;
    try {
      named = options_.columns.empty()
                  ? columns_of_first(format_, reader_)
                  : AnswerColumns::of_names(format_, options_.columns, reader_.fields(), reader_.place());
    } catch (const DataError& error) {
      const bool triplets = options_.answers == AnswerKind::triplets && options_.columns.empty();
      throw DataError(error.what() + (triplets ? fitting_readings(rows_) : ""));
    }
    if (!wanted_ && !named) throw DataError(nameless_columns());
    columns_ = wanted_ ? wanted_ : named;
    if (is_two_choice() && named) {
      const std::string_view response = columns().response(reader_.fields());
      responses_ = {reader_.fields()[columns().column_of(1)], reader_.fields()[columns().column_of(2)], response};
      chosen_is_farther_ = chosen_is_farther(response).value_or(false);
      if (chosen_is_farther_) add_guess(out_, words::kChosenIsFarther, shown(response));
    }
    pending_ = !named;
    if (!wanted_) return begin_below_header();
    require<DataError>(!named || *named == *wanted_, words::kHeaderAgainstOrder, reader_.place(),
                       shown(options_.order));
  }

  void begin_below_header() {
    reader_.take_header();
    if (const std::string& conditions = layout_.rows.conditions; !conditions.empty())
      filter_.emplace(conditions, reader_.fields(), reader_.place());
    if (columns().extra(Extra::annotator) && !is_two_choice() && format_.kind != AnswerKind::quadruplets)
      shown_ = shown_columns(reader_.fields(), columns(), chosen_role(format_.kind));
    for (std::size_t c = 0; c < reader_.fields().size(); ++c)
      has_further_columns_ = has_further_columns_ || !columns().reads(c);
    further_headers_ = further_headers_of(reader_);
    for (std::size_t line = 0; line < further_headers_ && reader_.next(); ++line) reader_.take_header();
  }

  /// Before all other notes.
  void note_unread_columns() {
    RowReader first = rows_;
    if (wanted_ || !first.next()) return;
    std::vector<std::string> notes;
    std::string people, group, number;
    for (std::size_t c = 0; c < first.fields().size(); ++c) {
      if (columns().reads(c)) continue;
      const std::string_view name = first.fields()[c];
      if (people.empty() && is_about_people(name)) people = shown(name);
      if (group.empty() && tells_groups_of_people(name)) group = shown(name);
      if (number.empty() && means("numbers of answers", plain_column(name))) number = shown(name);
    }
    const auto says_places = [&](std::size_t c) {
      return !is_two_choice() &&
             std::ranges::any_of(shown_, [c](const Shown& one) { return contains(one.columns, c); });
    };
    add_note(notes, note_on_unread(first.fields(), [&](std::size_t c) {
               return columns().reads(c) || (filter_ && filter_->reads(c)) || says_places(c) ||
                      plain_column(first.fields()[c]).starts_with("shown");
             }));
    if (!number.empty() && !columns().extra(Extra::weight)) add_note(notes, words::kMaybeWeight, number);
    if (!group.empty() && !columns().extra(Extra::aspect) && !options_.groups) {
      const std::string& read = layout_.columns.empty() ? options_.columns : layout_.columns;
      const std::string all = fmt::format("{}{}aspect={}", read, read.empty() ? "" : ",", group);
      add_note(notes, words::kMaybeGroups, group, format_.name, shell_word(all));
    }
    if (!people.empty() && !columns().extra(Extra::annotator)) add_note(notes, words::kMaybeAnnotator, people);
    out_.notes.insert(out_.notes.begin(), notes.begin(), notes.end());
  }

  [[nodiscard]] std::string nameless_columns() const {
    const std::string readings = options_.answers == AnswerKind::triplets ? fitting_readings(rows_) : "";
    if (!readings.empty())
      return fmt::format("{}: The first line does not name the columns {}.{}", reader_.place(), format_.role_names(),
                         readings);
    const AnswerFormat* other = other_kind(reader_.fields(), &format_, reader_.place());
    return fmt::format(words::kNamelessColumns, reader_.place(), format_.role_names(), format_.default_order(),
                       other ? " " + is_it(*other) : kinds_of_width(reader_.fields().size(), format_));
  }

  void take_listed_objects() {
    if (!options_.objects) return;
    listed_ = options_.objects->names;
    IdTable distinct;
    for (const std::string& id : listed_) static_cast<void>(distinct.number(id));
    require<DataError>(distinct.ids().size() == listed_.size(), "The list of objects for '{}' names one of them twice.",
                       name_);
    matcher_.emplace(listed_, options_.merge_names);
  }

  void read_rows() {
    bool maybe_header = pending_;
    if (!wanted_ && !options_.objects) first_line_.emplace();
    while (pending_ || reader_.next()) {
      pending_ = false;
      require_column_count();
      if ((!options_.columns.empty() || has_further_columns_) && columns().is_empty(reader_.fields())) {
        ++empty_rows_;
        continue;
      }
      if (filter_ && !filter_->keeps(reader_.fields())) continue;
      columns().names_of(reader_, named_objects_);
      if (std::exchange(maybe_header, false) && is_header_in_other_words()) continue;
      ++answers_;
      read_row();
    }
  }

  void require_column_count() const {
    const std::size_t count = reader_.fields().size();
    // A last column to be skipped may be gone, as an empty one is.
    if (count == columns().count() || (wanted_ && count + 1 == columns().count() && !columns().reads(count))) return;
    refuse_width(reader_, columns().count(),
                 wanted_ ? fmt::format("the order '{}'", shown(options_.order)) : "the header",
                 count == 1 ? "Separate columns by comma, tab or semicolon" : "");
  }

  /// Whether no id of the first line is a number while all of the second line are. Keeps a line that later rows
  /// may decide.
  bool is_header_in_other_words() {
    RowReader ahead = reader_;
    if (std::ranges::none_of(named_objects_, is_number) && ahead.next() && ahead.fields().size() == columns().count()) {
      std::vector<NamedObject> next;
      columns().names_of(ahead, next);
      if (std::ranges::all_of(next, is_number)) {
        add_guess(out_, words::kHeaderAboveNumbers);
        return true;
      }
    }
    const bool number = std::ranges::any_of(
        named_objects_, [](const NamedObject& object) { return parse_double(object.name).has_value(); });
    if (number || options_.objects) return false;
    first_line_.emplace();
    first_place_ = reader_.place();
    const auto name = [](const NamedObject& object) { return fmt::format("'{}'", shown(object.name)); };
    first_names_ = join(mapped(named_objects_, name), ", ");
    return false;
  }

  void read_row() {
    const double weight = weight_of_row();
    if (weight == 0) {  // says nothing, and no error counts it
      ++weightless_;
      return;
    }
    ids_.clear();
    for (const NamedObject& object : named_objects_)
      ids_.push_back(options_.objects ? listed_number(object.name) : names_[kObjects].number(object.name));
    if (first_line_) first_line_->take(ids_);
    if (!wanted_ && first_lines_.size() < kLinesShown) first_lines_.push_back(reader_.line());
    const std::uint32_t annotator = tag_of(Extra::annotator, "annotator", names_[kAnnotators]);
    const std::string_view group = options_.groups ? group_of(annotator) : std::string_view();
    if (options_.groups && group.empty()) {
      ++ungrouped_;
      return;
    }
    const std::uint32_t aspect =
        options_.groups ? names_[kAspects].number(group) : tag_of(Extra::aspect, "aspect", names_[kAspects]);
    if (is_degenerate() || is_unanswered()) return;
    implied_.clear();
    imply();
    if (!implied_.empty()) keep(aspect, annotator, weight);
  }

  /// Empty for who is in none.
  [[nodiscard]] std::string_view group_of(std::uint32_t annotator) {
    require<ConfigError>(columns().extra(Extra::annotator) && !columns().extra(Extra::aspect),
                         words::kGroupsNeedAnnotators, name_);
    if (!grouped_) grouped_.emplace(options_.groups->names, options_.merge_names);
    for (std::size_t a = group_of_.size(); a <= annotator; ++a)
      group_of_.push_back(grouped_->find(names_[kAnnotators].names()[a]));
    return group_of_[annotator] ? std::string_view(options_.groups->labels[*group_of_[annotator]]) : "";
  }

  /// The number of an object that the list must have.
  std::uint32_t listed_number(std::string_view name) {
    const std::uint32_t spelling = spellings_.number(name);
    if (spelling < number_of_spelling_.size()) return number_of_spelling_[spelling];
    const auto place = matcher_->find(name);
    if (!place) {
      const std::string unknown = shown(name);
      const auto near = nearest_name(unknown, listed_);
      throw DataError(
          fmt::format("{}: The object '{}' is not among the {} listed.{}", reader_.place(), unknown, listed_.size(),
                      near ? fmt::format(" Did you mean '{}'?", shown(*near)) : " Correct it or add it to the list."));
    }
    return number_of_spelling_.emplace_back(names_[kObjects].number(listed_[*place]));
  }

  /// By which the file is to be read again; nothing if it is read rightly.
  [[nodiscard]] std::optional<NameRules> better_rules() const {
    NameRules out{};
    bool any = false;
    // Listed objects are found in their list.
    for (std::size_t kind = options_.objects ? kAspects : kObjects; !rules_ && kind < names_.size(); ++kind)
      if (const auto better = names_[kind].better_rule(options_.merge_names)) out[kind] = *better, any = true;
    return any ? std::optional(out) : std::nullopt;
  }

  /// 0 without such a column.
  std::uint32_t tag_of(Extra which, std::string_view column, NameTable& table) {
    if (!columns().extra(which)) return 0;
    const std::string_view id = reader_.fields()[*columns().extra(which)];
    if (!lacks_category(id)) return table.number(id);
    const bool unasked = which == Extra::annotator && layout_.found_people;
    if (unasked && !people_gap_) people_gap_ = reader_.line();
    require<DataError>(unasked, words::kNobodyNamed, reader_.place(), column,
                       id.empty() ? "empty" : fmt::format("'{}'", shown(id)), where_not(*columns().extra(which), id));
    return table.number(id);
  }

  /// The advice that leaves out rows that have the value in the column; empty without a header.
  [[nodiscard]] std::string where_not(std::size_t column, std::string_view value) const {
    RowReader first = rows_;
    if (wanted_ || !first.next()) return "";
    return fmt::format(", or leave such rows out: --where {}",
                       shell_word(fmt::format("{}!={}", first.fields()[column], value)));
  }

  /// Not a number where it is not known.
  [[nodiscard]] double time_of_row() const {
    const std::string_view field = reader_.fields()[*columns().extra(Extra::response_time)];
    const auto value = parse_double(field);
    return value && *value >= 0 ? *value : std::nan("");
  }

  [[nodiscard]] double weight_of_row() const {
    if (!columns().extra(Extra::weight)) return 1;
    const std::string_view field = reader_.fields()[*columns().extra(Extra::weight)];
    const auto value = parse_double(field);
    require<DataError>(value && std::isfinite(*value) && *value >= 0, words::kNoWeight, reader_.place(), shown(field));
    return options_.ignore_weights ? 1 : *value;
  }

  bool is_degenerate() {
    const auto why = degeneracy(format_, named_objects_, ids_);
    if (!why) return false;
    if (options_.degenerate == Degenerate::error)
      throw DataError(fmt::format(words::kDegenerate, reader_.place(), *why, format_.needs));
    ++dropped_;
    return true;
  }

  /// Whether the row has a question without a response; else keeps the response.
  bool is_unanswered() {
    if (!is_two_choice()) return false;
    const std::string_view response = columns().response(reader_.fields());
    if (responses_.add(response, named_objects_[1].name, named_objects_[2].name, reader_.line())) return false;
    ++unanswered_;
    if (!marks_missing(response) && !contains(unanswered_codes_, response)) unanswered_codes_.emplace_back(response);
    return true;
  }

  /// Adds the triplets that the answer implies.
  void imply() {
    const bool ranked = format_.kind == AnswerKind::ranked;
    require<DataError>(!ranked || ids_.size() > 2, words::kRankingOfOne, reader_.place());
    format_.imply({named_objects_, ids_, options_.adjacent_ranks_only}, implied_);
    if (!implied_.empty()) return;
    ++(ranked ? all_tied_ : without_anchor_);
    const std::span<const std::string_view> fields = reader_.fields();
    // Names may turn out to be one, and the pairs to share an object: an error waits until all are read.
    if (!ranked && !options_.drop_quadruplets_without_anchor && unrelated_pairs_.empty())
      unrelated_pairs_ = fmt::format(words::kUnrelatedPairs, reader_.place(), shown(fields[0]), shown(fields[1]),
                                     shown(fields[2]), shown(fields[3]));
  }

  /// Counts where the chosen objects stood; columns that do not say it of every row say it of none.
  void count_places(std::uint32_t annotator) {
    std::erase_if(shown_, [&](Shown& shown) {
      std::vector<std::size_t> places;
      for (const NamedObject& object : named_objects_) {
        if (object.role != chosen_role(format_.kind) || (format_.kind == AnswerKind::ranked && object.rank > 0))
          continue;
        const auto at = std::ranges::find(shown.columns, object.name,
                                          [&](std::size_t column) { return trim(reader_.fields()[column]); });
        if (at == shown.columns.end()) return true;
        places.push_back(static_cast<std::size_t>(at - shown.columns.begin()));
      }
      shown.chosen.resize(std::max<std::size_t>(shown.chosen.size(), annotator + 1));
      shown.chosen[annotator].add(places, shown.columns.size());
      return false;
    });
  }

  void keep(std::uint32_t aspect, std::uint32_t annotator, double weight) {
    count_places(annotator);
    const bool heavy = columns().extra(Extra::weight).has_value() || (options_.weight_by_answer && !are_triplets());
    if (options_.weight_by_answer) weight /= static_cast<double>(implied_.size());
    for (const ImpliedTriplet& t : implied_) {
      triplets_.push_back({t, aspect});
      if (heavy) weights_.push_back(weight);
      if (!are_triplets()) answer_of_.push_back(kept_);
      if (columns().extra(Extra::annotator)) annotator_of_.push_back(annotator);
    }
    if (columns().extra(Extra::annotator) && columns().extra(Extra::response_time))
      times_.emplace_back(annotator, time_of_row());
    ++kept_;
  }

  /// With all rows read: takes the chosen side of each row as the near one, or the far one where its column says so.
  void choose_sides() {
    if (!is_two_choice() || triplets_.empty()) return;
    const TwoChoiceResponses::Sides sides = responses_.sides(name_);
    for (std::size_t i = 0; i < triplets_.size(); ++i)
      if (sides.right[i] != chosen_is_farther_) std::swap(triplets_[i].ids[1], triplets_[i].ids[2]);
    add_note(out_, sides.how);
    if (annotator_of_.empty()) return;
    shown_ = {{{1, 2}, std::vector<ChosenPlaces>(names_[kAnnotators].names().size())}};
    for (std::size_t i = 0; i < annotator_of_.size(); ++i)
      shown_[0].chosen[annotator_of_[i]].add(std::array{std::size_t{sides.right[i] ? 1U : 0U}}, 2);
  }

  void require_triplets() const {
    require<DataError>(answers_ == 0 || unanswered_ < answers_, "No row of '{}' has a response. Add responses.", name_);
    require<DataError>(answers_ > 0, "'{}' has a header but no rows. Give a file with {}.", name_,
                       are_triplets() ? "triplets" : "answers");
    require<DataError>(answers_ == 0 || weightless_ < answers_, words::kAllWeightless, name_);
    require<DataError>(ungrouped_ < answers_, words::kNobodyInGroup, name_);
    if (are_triplets()) require<DataError>(!triplets_.empty(), words::kNoTriplet, name_, answers_);
    require<DataError>(!triplets_.empty(), words::kNoAnswerImplies, answers_, name_);
  }

  /// With all rows read: decides whether the line that was taken as the first answer is a header.
  void judge_first_line() {
    if (!wanted_ && first_line_) first_line_->refuse_further_headers(2, name_, first_lines_);
    if (!wanted_) return;
    const auto verdict = first_line_ ? first_line_->verdict() : FirstRows::Verdict::data;
    require<DataError>(verdict != FirstRows::Verdict::header, words::kHeaderBelowOrder, first_place_, first_names_,
                       shown(options_.order));
    if (verdict == FirstRows::Verdict::maybe_header)
      add_note(out_, words::kMaybeHeader, first_names_, shown(options_.order));
  }

  /// Numbers the objects, aspects and annotators in triplets, and makes the list.
  void number_all() {
    std::array<std::vector<bool>, 3> used;
    for (std::size_t kind = 0; kind < names_.size(); ++kind) used[kind].resize(names_[kind].names().size());
    for (const RawTriplet& t : triplets_) {
      for (const std::uint32_t id : t.ids) used[kObjects][id] = true;
      if (!used[kAspects].empty()) used[kAspects][t.aspect] = true;
    }
    for (const std::uint32_t id : annotator_of_) used[kAnnotators][id] = true;
    const auto ordered = [&](NameKind kind) { return OrderedNames(names_[kind].names(), used[kind]); };
    const OrderedNames objects = ordered(kObjects), aspects = ordered(kAspects), annotators = ordered(kAnnotators);
    out_.objects = objects.names;
    mentioned_ = out_.objects.size();
    if (options_.objects) take_labels();
    out_.aspects = aspects.names;
    out_.annotators = annotators.names;

    auto list = std::make_shared<TripletList>(static_cast<Index>(out_.objects.size()));
    list->reserve(triplets_.size());
    for (std::size_t i = 0; i < triplets_.size(); ++i) {
      const RawTriplet& t = triplets_[i];
      list->add({.anchor = objects.place[t.ids[0]],
                 .near = objects.place[t.ids[1]],
                 .far = objects.place[t.ids[2]],
                 .aspect = aspects.place.empty() ? 0 : aspects.place[t.aspect],
                 .weight = weights_.empty() ? 1.0 : weights_[i]});
    }
    out_.triplets = list;
    if (triplets_.size() > kept_)
      out_.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(answer_of_));
    if (!columns().extra(Extra::annotator)) return;
    if (people_gap_) {
      out_.annotators.clear();
      return;
    }
    out_.response_times = median_times(times_, annotators.place, annotators.names.size());
    const auto chosen = mapped(
        annotators.numbers, [&](std::uint32_t id) { return shown_.empty() ? ChosenPlaces{} : shown_[0].chosen[id]; });
    out_.one_sided = one_sided(chosen);
    add_note(out_, note_on_places(chosen, out_.one_sided, is_two_choice(), out_.annotators));
    for (std::uint32_t& id : annotator_of_) id = annotators.place[id];
    out_.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(annotator_of_));
  }

  /// Of listed objects, and of those of the list that are not mentioned.
  void take_labels() {
    std::vector<bool> present(listed_.size());
    for (const std::string& object : out_.objects) {
      const std::size_t place = *matcher_->find(object);
      out_.labels.push_back(options_.objects->labels[place]);
      present[place] = true;
    }
    for (std::size_t place = 0; place < listed_.size(); ++place) {
      if (present[place]) continue;
      absent_.push_back(shown(listed_[place]));
      if (!options_.keep_unmentioned) continue;
      out_.objects.push_back(listed_[place]);
      out_.labels.push_back(options_.objects->labels[place]);
    }
  }

  void add_notes() {
    note_unread_columns();
    for (const std::string& one : layout_.guesses)
      if (!people_gap_ || one != layout_.guesses.back()) add_guess(out_, one);
    if (people_gap_) add_note(out_, words::kPeopleGap, *people_gap_);
    add_guess(out_, matcher_ ? matcher_->notes("object") : names_[kObjects].notes("object"));
    add_guess(out_, names_[kAspects].notes("aspect"));
    add_guess(out_, names_[kAnnotators].notes("annotator"));
    add_count(out_, further_headers_, "header line below the first was left out.",
              "header lines below the first were left out.");
    add_note(out_, reader_.reading().notes());
    add_note(out_, notes_on_names(out_.objects));
    add_note(out_, notes_on_likeness(out_.aspects, "aspect"));
    add_note(out_, notes_on_likeness(out_.annotators, "annotator"));
    add_note(out_, note_on_times(out_.response_times, out_.annotators));
    if (!are_triplets())
      add_note(out_, "{} answers of the kind {} imply {} triplets.", kept_, format_.name, triplets_.size());
    add_count(out_, dropped_, "row names one object twice and was left out.",
              "rows name one object twice and were left out.");
    add_count(out_, empty_rows_, "row without any object was left out.", "rows without any object were left out.");
    if (filter_) add_note(out_, layout_.rows.note(filter_->left_out(), answers_ + filter_->left_out()));
    if (ungrouped_ > 0)
      add_note(out_, "{} of {} left out, of annotators in no group.", ungrouped_,
               counted(answers_, "row was", "rows were"));
    if (weightless_ > 0)
      add_note(out_, "{} of {} left out, of weight 0.", weightless_, counted(answers_, "row was", "rows were"));
    if (unanswered_ > 0)
      add_note(out_, "{} of {} rows {} no response{} and {} left out.", unanswered_, answers_,
               unanswered_ == 1 ? "has" : "have",
               unanswered_codes_.empty()
                   ? ""
                   : fmt::format(", as {} says, which names no side,", join(unanswered_codes_, " or ")),
               unanswered_ == 1 ? "was" : "were");
    if (without_anchor_ > 0) add_note(out_, words::kQuadrupletsLeftOut, without_anchor_, answers_);
    if (all_tied_ > 0) add_note(out_, words::kTiedRankings, all_tied_, answers_);
    if (!absent_.empty())
      add_note(out_, "{} of {} listed objects occur in no triplet{}: {}.", absent_.size(), listed_.size(),
               options_.keep_unmentioned ? "" : " and are left out", join_first(absent_, kMostListed));
    add_notes_on_list(out_, are_triplets(), kept_, mentioned_);
  }

  static constexpr std::size_t kMostListed = 20, kLinesShown = 8;

  const RowReader& rows_;  // from the first on
  const std::string& name_;
  const TripletFileOptions& options_;
  const ExportLayout& layout_;
  enum NameKind : std::size_t { kObjects, kAspects, kAnnotators };
  std::optional<NameRules> rules_;  // of the second reading
  const AnswerFormat& format_;
  std::optional<AnswerColumns> wanted_;  // from the given order
  RowReader reader_;
  Observations out_;
  std::optional<AnswerColumns> columns_;
  std::optional<AnswerRows> filter_;
  std::size_t further_headers_ = 0;
  bool has_further_columns_ = false;
  std::optional<std::size_t> people_gap_ = {};  // a line without an annotator that nobody asked for
  bool pending_ = false;                        // whether the reader's row is an answer not yet taken

  std::vector<std::string> listed_, absent_;  // objects; those of the list that occur in no triplet, for messages
  std::optional<NameMatcher> matcher_;        // if there is a list
  std::optional<NameMatcher> grouped_;        // if there are groups
  std::vector<std::optional<std::size_t>> group_of_;  // the place in the list of groups, of each annotator
  IdTable spellings_;                                 // of listed objects
  std::vector<std::uint32_t> number_of_spelling_;
  std::array<NameTable, 3> names_;  // by NameKind

  // For the reader's row.
  std::vector<NamedObject> named_objects_;
  std::vector<std::uint32_t> ids_;
  std::vector<ImpliedTriplet> implied_;

  // For all rows.
  std::vector<RawTriplet> triplets_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> answer_of_, annotator_of_;  // answer numbers skip rows left out
  ResponseTimes times_;
  std::vector<Shown> shown_;     // where objects stood, if the file says it
  std::uint64_t dropped_ = 0;    // degenerate rows
  std::string unrelated_pairs_;  // what is wrong with the first answer that is no triplet
  std::size_t answers_ = 0, without_anchor_ = 0, all_tied_ = 0, empty_rows_ = 0, unanswered_ = 0, weightless_ = 0,
              ungrouped_ = 0;
  std::vector<std::string> unanswered_codes_;  // such as -99
  TwoChoiceResponses responses_;               // of two_choice, one per triplet
  bool chosen_is_farther_ = false;             // by the name of their column
  std::uint32_t kept_ = 0;
  std::size_t mentioned_ = 0;            // objects that occur in triplets
  std::optional<FirstRows> first_line_;  // if the first row may be a header, or the first rows below one
  std::string first_place_, first_names_;
  std::vector<std::size_t> first_lines_;  // of the first answers below a header
};

/// The answers of rows: first as a table, whose layout says which columns are which, or which it has in other form.
Observations answers_of(const RowReader& rows, const TripletFileOptions& options) {
  if (!options.order.empty()) {
    require<ConfigError>(options.where.empty(), words::kOrderAndCondition, rows.file());
    return TripletReader(rows, options, {}).read();
  }
  const Table seen(rows, {.row_limit = Table::kRowsSeen});
  const ExportLayout layout = layout_of(seen, options.answers, options.columns, options.where);
  TripletFileOptions how = options;
  how.answers = layout.answers.value_or(options.answers);
  if (!layout.columns.empty()) how.columns = layout.columns;
  if (layout.is_known) return TripletReader(rows, how, layout).read();
  Table all(rows);
  const bool has_lists = all.expand_lists();
  const bool one_of_three = options.answers == AnswerKind::odd_one_out || options.answers == AnswerKind::most_central;
  std::optional<ReshapedAnswers> reshaped;
  if (options.columns.empty() || one_of_three)
    reshaped = reshaped_answers(all, options.answers, options.columns, options.where);
  if (!reshaped && has_lists)
    if (const ExportLayout expanded = layout_of(all, options.answers, options.columns, options.where);
        expanded.is_known) {
      std::vector<StoredRow> stored{{all.header, all.place}};
      for (std::size_t r = 0; r < all.rows.size(); ++r) stored.push_back({all.rows[r], all.places[r]});
      how.answers = expanded.answers.value_or(options.answers);
      if (!expanded.columns.empty()) how.columns = expanded.columns;
      Observations out = TripletReader(RowReader(stored, rows.file()), how, expanded).read();
      add_note(out, all.notes());
      return out;
    }
  if (!reshaped) return TripletReader(rows, how, layout).read();
  how.answers = reshaped->kind;
  how.columns.clear();
  const ExportLayout known{.is_known = true};
  Observations out = TripletReader(RowReader(reshaped->rows, rows.file()), how, known).read();
  add_note(reshaped->notes, all.notes());
  out.notes.insert(out.notes.begin(), reshaped->notes.begin(), reshaped->notes.end());
  add_guesses(out, reshaped->guesses);
  return out;
}

/// The greatest of the numbers. @throws DataError unless all are whole and >= 0
std::int64_t greatest_of(const NpyNumbers& rows, const std::string& name) {
  constexpr double kExact = 9007199254740992;  // 2^53
  Index bad = 0;
  std::int64_t least = 0, greatest = 0;
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index c = 0; c < rows.cols(); ++c) {
      if (!rows.are_integers()) {
        const double value = rows.number(i, c);
        require<DataError>(value == std::floor(value) && std::abs(value) <= kExact, words::kNoWholeNumber, name,
                           shortest(value), i + 1);
      }
      const std::int64_t whole = rows.whole(i, c);
      if (whole < least) least = whole, bad = i;
      greatest = std::max(greatest, whole);
    }
  require<DataError>(least >= 0, words::kNegativeNumber, name, least, bad + 1);
  return greatest;
}

/// What parse_triplets makes of rows "anchor,near,far" of such numbers, without their text. Nothing where only it can
/// say what is wrong with them, and for numbers that are too sparse. O(rows + greatest number)
std::optional<Observations> numbered_triplets(const NpyNumbers& rows, std::size_t greatest) {
  const auto count = static_cast<std::size_t>(rows.rows());
  if (count == 0 || greatest > 16 * count) return std::nullopt;
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> place(greatest + 1, kNone);
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::int64_t a = rows.whole(i, 0), b = rows.whole(i, 1), c = rows.whole(i, 2);
    if (a == b || a == c || b == c) return std::nullopt;
    for (const std::int64_t id : {a, b, c}) place[static_cast<std::size_t>(id)] = 0;
  }
  Observations out;
  for (std::size_t id = 0; id < place.size(); ++id)
    if (place[id] != kNone) {
      place[id] = static_cast<std::uint32_t>(out.objects.size());
      out.objects.push_back(std::to_string(id));
    }
  auto list = std::make_shared<TripletList>(static_cast<Index>(out.objects.size()));
  list->reserve(count);
  const auto at = [&](Index i, Index c) { return place[static_cast<std::size_t>(rows.whole(i, c))]; };
  for (Index i = 0; i < rows.rows(); ++i) list->add({.anchor = at(i, 0), .near = at(i, 1), .far = at(i, 2)});
  out.triplets = std::move(list);
  add_note(out, notes_on_names(out.objects));
  add_notes_on_list(out, true, count, out.objects.size());
  return out;
}

}  // namespace

Observations parse_triplets(std::string_view text, const std::string& name, const TripletFileOptions& options) {
  const AnswerFormat& format = answer_format(options.answers);
  const auto wanted = order_of(options, format, name);
  return answers_of(RowReader(text, name, separator_of(text, format, wanted ? wanted->count() : format.roles.size())),
                    options);
}

std::string other_kind_of_data(const std::filesystem::path& path, std::string_view option) {
  try {
    const TableText read = read_table_text(path);
    const RowReader rows(read.text, path.string(),
                         detect_separator(read.text, answer_format(AnswerKind::triplets).roles.size()));
    RowReader first = rows;
    if (first.next() && other_kind(first.fields(), nullptr, first.place()))
      return fmt::format(words::kMayBeAnswers, shell_word(path.filename().string()));
    const std::string kind = fitting_readings(rows);
    const bool other = kind.find("alidade embed --") != kind.npos && kind.find(fmt::format("{} ", option)) == kind.npos;
    // Weights of edges look like ratings.
    return other && !(option == "--graph" && kind.find("--distances ") != kind.npos) ? kind : "";
  } catch (const DataError&) {
    return "";
  }
}

Observations read_triplets(const std::filesystem::path& path, const TripletFileOptions& options) {
  if (means_several_files(path))
    return read_joined(path, options.order.empty(), true, [&](const RowReader& rows, bool annotators) {
      TripletFileOptions how = options;
      if (annotators && !how.order.empty()) how.order += ",annotator";
      if (annotators && !how.columns.empty() && how.columns.find("annotator=") == std::string::npos)
        how.columns += ",annotator=annotator";
      return answers_of(rows, how);
    });
  const TableText read = read_table_or_npy(path);
  if (!read.npy) {
    Observations out = parse_triplets(read.text, path.string(), options);
    add_guesses(out, read.guesses);
    return out;
  }
  require<ConfigError>(options.columns.empty(), words::kNpyHasNoNames, path.string(),
                       answer_format(options.answers).default_order());
  const NpyNumbers rows(read.text, path.string());
  const auto greatest = static_cast<std::size_t>(greatest_of(rows, path.string()));
  const bool plain = options.answers == AnswerKind::triplets && options.order.empty() && !options.objects &&
                     options.where.empty() && rows.cols() == 3;
  if (plain)
    if (auto out = numbered_triplets(rows, greatest)) return *std::move(out);
  TripletFileOptions ordered = options;
  if (ordered.order.empty()) ordered.order = answer_format(options.answers).default_order();
  std::string text;
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index c = 0; c < rows.cols(); ++c)
      fmt::format_to(std::back_inserter(text), "{}{}", rows.whole(i, c), c + 1 < rows.cols() ? ',' : '\n');
  return parse_triplets(text, path.string(), ordered);
}

}  // namespace alidade::datasets
