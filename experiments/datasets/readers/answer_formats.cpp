#include "experiments/datasets/readers/answer_formats.hpp"

#include <sentences/datasets.hpp>

#include <charconv>
#include <functional>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

std::string joined_roles(const AnswerFormat& format, std::string_view between, std::string_view before_last) {
  std::string out;
  for (const AnswerRole& role : format.roles)
    out += fmt::format("{}{}", out.empty() ? "" : &role == &format.roles.back() ? before_last : between, role.name);
  return out;
}

}  // namespace

std::string AnswerFormat::default_order() const { return joined_roles(*this, ",", ","); }
std::string AnswerFormat::role_names() const { return joined_roles(*this, ", ", " and "); }

namespace {

using Implied = std::vector<ImpliedTriplet>;

void imply_itself(const NamedAnswer& answer, Implied& out) {
  out.push_back({answer.ids[0], answer.ids[1], answer.ids[2]});
}

/// "Of three, the first is unlike the others": these are nearer to each other than either is to it.
void imply_odd_one_out(const NamedAnswer& answer, Implied& out) {
  out.push_back({answer.ids[1], answer.ids[2], answer.ids[0]});
  out.push_back({answer.ids[2], answer.ids[1], answer.ids[0]});
}

/// "Of these, the picked are most like the anchor": each of them is nearer than each of the rest.
void imply_pick(const NamedAnswer& answer, Implied& out) {
  for (std::size_t near = 1; near < answer.ids.size() && answer.objects[near].role == 1; ++near)
    for (std::size_t far = near + 1; far < answer.ids.size(); ++far)
      if (answer.objects[far].role == 2) out.push_back({answer.ids[0], answer.ids[near], answer.ids[far]});
}

/// From the most to the least similar to the anchor: each is nearer than every one of a later rank; with `adjacent`, of
/// the next rank only.
void imply_ranked(const NamedAnswer& answer, Implied& out) {
  for (std::size_t near = 1; near < answer.ids.size(); ++near)
    for (std::size_t far = near + 1; far < answer.ids.size(); ++far) {
      const std::uint32_t one = answer.objects[near].rank, other = answer.objects[far].rank;
      if (other > one && (!answer.adjacent || other == one + 1))
        out.push_back({answer.ids[0], answer.ids[near], answer.ids[far]});
    }
}

/// "i and j are more alike than k and l": a triplet if the pairs share one object, else nothing.
void imply_quadruplet(const NamedAnswer& answer, Implied& out) {
  for (const std::size_t anchor : {0U, 1U})
    for (const std::size_t shared : {2U, 3U})
      if (answer.ids[anchor] == answer.ids[shared])
        return out.push_back({answer.ids[anchor], answer.ids[1 - anchor], answer.ids[5 - shared]});
}

}  // namespace

const std::vector<AnswerFormat>& answer_formats() {
  constexpr std::string_view kThree = "a triplet needs three different objects";
  static const std::vector<AnswerFormat> formats = {
      {AnswerKind::triplets, "triplets", {{"anchor"}, {"near"}, {"far"}}, imply_itself, kThree},
      {AnswerKind::odd_one_out, "odd_one_out", {{"odd"}, {"first"}, {"second"}}, imply_odd_one_out},
      {AnswerKind::most_central,
       "most_central",
       {{"central"}, {"first"}, {"second"}},
       [](const NamedAnswer& answer, Implied& out) {
         imply_most_central(answer.ids[0], answer.ids[1], answer.ids[2], out);
       }},
      {AnswerKind::pick,
       "pick",
       {{"anchor"}, {"picked", true}, {.name = "rest", .many = true, .whole = "shown"}},
       imply_pick},
      {AnswerKind::ranked, "ranked", {{"anchor"}, {"ranked", true}}, imply_ranked},
      {AnswerKind::quadruplets,
       "quadruplets",
       {{"i"}, {"j"}, {"k"}, {"l"}},
       imply_quadruplet,
       "it compares two pairs of different objects"},
      // The left one is near until all responses are known.
      {AnswerKind::two_choice,
       "two_choice",
       {{"reference"}, {"left"}, {"right"}, {.name = "response", .many = false, .response = true}},
       imply_itself,
       kThree}};
  return formats;
}

const AnswerFormat& answer_format(AnswerKind kind) { return answer_formats()[static_cast<std::size_t>(kind)]; }

AnswerKind answer_kind(std::string_view name) {
  for (const AnswerFormat& format : answer_formats())
    if (format.name == name) return format.kind;
  throw ConfigError(fmt::format("There is no kind of answers '{}'.{}", name, suggestion(name, answer_kind_names())));
}

std::vector<std::string> answer_kind_names() { return mapped<std::string>(answer_formats(), &AnswerFormat::name); }

void imply_most_central(std::uint32_t central, std::uint32_t first, std::uint32_t second,
                        std::vector<ImpliedTriplet>& out) {
  out.push_back({first, central, second});
  out.push_back({second, central, first});
}

namespace {

constexpr std::array<std::string_view, kExtraCount> kExtraNames = {"aspect", "weight", "annotator", "response_time"};
constexpr std::string_view kNotRead = "-";

bool same_name(std::string_view a, std::string_view b) { return lower_ascii(a) == lower_ascii(b); }

/// Whether a column is `name`, or for a role with several objects `name` with a number: "picked3", "picked_3".
struct Match {
  bool matches = false;
  std::optional<std::uint32_t> number{};
};
Match match(std::string_view column, const AnswerRole& role, std::string_view its_name) {
  if (its_name.empty() || column.size() < its_name.size() || !same_name(column.substr(0, its_name.size()), its_name))
    return {};
  std::string_view rest = column.substr(its_name.size());
  if (rest.empty()) return {.matches = true};
  if (!role.many) return {};
  if (rest.front() == '_' || rest.front() == ' ') rest.remove_prefix(1);
  std::uint32_t number = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (code != std::errc() || end != rest.data() + rest.size()) return {};
  return {.matches = true, .number = number};
}

std::vector<std::string> known_names(const AnswerFormat& format) {
  auto out = mapped<std::string>(format.roles, &AnswerRole::name);
  out.insert(out.end(), kExtraNames.begin(), kExtraNames.end());
  return out;
}

/// One column of a list: "stim1", or "annotator=participant".
struct NamedColumn {
  std::string_view role;  // "" if the list does not say
  std::string_view name;
};
std::vector<NamedColumn> named_columns(std::string_view columns) {
  std::vector<NamedColumn> out;
  for (const std::string_view entry : list_entries(columns)) {
    const std::size_t equal = entry.find('=');
    if (equal == std::string_view::npos)
      out.push_back({"", entry});
    else
      out.push_back({trim(entry.substr(0, equal)), trim(entry.substr(equal + 1))});
    require<ConfigError>(!out.back().name.empty(), words::kEmptyColumnName, shown(columns));
  }
  return out;
}

/// A reader's name of each column that the list names, in the list's order: of the next of `roles` unless it says one.
/// `is_known`: whether a name that it says is one; `what_there_is`: in a
/// message.
std::vector<std::string> roles_of(std::string_view columns, const std::vector<NamedColumn>& named,
                                  const std::vector<std::string>& roles, const std::string& what_there_is,
                                  const std::function<bool(std::string_view)>& is_known) {
  std::vector<std::string> out;
  std::size_t next = 0;
  for (const NamedColumn& column : named) {
    if (column.role.empty()) {
      require<ConfigError>(next < roles.size(), words::kTooManyColumns, shown(columns), what_there_is,
                           shown(column.name));
      out.push_back(roles[next++]);
      continue;
    }
    if (!is_known(column.role)) {
      std::vector<std::string> names = roles;
      names.insert(names.end(), kExtraNames.begin(), kExtraNames.end());
      throw ConfigError(fmt::format("The columns '{}' name an unknown '{}'.{}", shown(columns), shown(column.role),
                                    suggestion(column.role, names)));
    }
    out.emplace_back(column.role);
  }
  return out;
}

bool is_extra(std::string_view role) {
  return std::ranges::any_of(kExtraNames, [&](auto name) { return same_name(name, role); });
}

/// Gives the columns of `row` that the list names their roles' names in `ours`.
void put_roles(std::string_view columns, const std::vector<NamedColumn>& named, const std::vector<std::string>& roles,
               std::span<const std::string_view> row, const std::string& place, std::vector<std::string>& ours) {
  constexpr std::size_t kMostListed = 30;
  const std::vector<std::string> there = mapped<std::string>(row, composed);
  const std::vector<std::string_view> header(there.begin(), there.end());
  for (std::size_t i = 0; i < named.size(); ++i) {
    require<ConfigError>(std::ranges::count(named, named[i].name, &NamedColumn::name) == 1,
                         "The columns '{}' name '{}' twice. Name it once.", shown(columns), shown(named[i].name));
    const std::optional<std::size_t> at = find_column(header, composed(named[i].name), place);
    if (!at)
      throw DataError(
          fmt::format(words::kNoSuchColumn, place, shown(named[i].name), join_first(shown(there), kMostListed)));
    ours[*at] = roles[i];
  }
}

constexpr std::size_t kOthersShown = 8;

bool are_same_value(std::string_view field, std::string_view value) {
  if (composed(field) == composed(value)) return true;
  const auto number = plain_number(value);
  return number && plain_number(field) == number;
}

}  // namespace

std::optional<AnswerKind> kind_of_names(std::string_view columns) {
  const std::vector<NamedColumn> named = named_columns(columns);
  const auto unsaid = std::ranges::count(named, std::string_view(), &NamedColumn::role);
  return unsaid == 4 ? std::optional(AnswerKind::two_choice) : std::nullopt;
}

AnswerColumns AnswerColumns::of_names(const AnswerFormat& format, std::string_view columns,
                                      std::span<const std::string_view> row, const std::string& place) {
  const std::vector<NamedColumn> named = named_columns(columns);
  const auto in_turn = mapped<std::string>(format.roles, &AnswerRole::name);
  const std::string what_there_is = fmt::format("answers of the kind {} have {}", format.name, format.role_names());
  const std::vector<std::string> roles = roles_of(columns, named, in_turn, what_there_is, [&](std::string_view name) {
    return is_extra(name) || std::ranges::any_of(format.roles, [&](const AnswerRole& role) {
             return match(name, role, role.name).matches;
           });
  });
  // The row with the format's names in place of its own; a column that has such a name by chance has none.
  std::vector<std::string> ours(row.begin(), row.end());
  for (std::string& name : ours)
    if (std::ranges::any_of(roles, [&](const std::string& role) { return same_name(role, name); })) name.clear();
  put_roles(columns, named, roles, row, place, ours);
  auto header_columns = of_header(format, std::vector<std::string_view>(ours.begin(), ours.end()), place);
  if (!header_columns) throw DataError(fmt::format("{}: The header lacks the columns {}.", place, format.role_names()));
  return *std::move(header_columns);
}

bool AnswerColumns::is_empty(std::span<const std::string_view> fields) const {
  for (std::size_t r = 0; r < roles_.size(); ++r)
    if (!format_->roles[r].response &&
        std::ranges::any_of(roles_[r].at, [&](std::size_t column) { return !fields[column].empty(); }))
      return false;
  return true;
}

std::string_view AnswerColumns::response(std::span<const std::string_view> fields) const {
  const auto role = std::ranges::find(format_->roles, true, &AnswerRole::response);
  return fields[roles_[static_cast<std::size_t>(role - format_->roles.begin())].at.front()];
}

std::size_t AnswerColumns::take(std::string_view name, std::size_t column,
                                std::vector<std::vector<MatchedColumn>>& matches) const {
  std::size_t count = 0;
  for (std::size_t r = 0; r < format_->roles.size(); ++r) {
    const AnswerRole& role = format_->roles[r];
    if (const Match m = match(name, role, role.name); m.matches) {
      matches[r].push_back({column, m.number});
      ++count;
    } else if (const Match all = match(name, role, role.whole); all.matches) {  // alone it says no kind of answers
      matches[r].push_back({column, all.number, true});
    }
  }
  return count;
}

std::string AnswerColumns::set(std::size_t role, std::vector<MatchedColumn> matches) {
  const AnswerRole& how = format_->roles[role];
  if (!std::ranges::all_of(matches, &MatchedColumn::whole))
    std::erase_if(matches, [](const auto& f) { return f.whole; });
  roles_[role].whole = !matches.empty() && matches.front().whole;
  if (matches.size() > 1 && !how.many) return fmt::format("names column '{}' twice. Keep one", how.name);
  const auto numbered = std::ranges::count_if(matches, [](const MatchedColumn& f) { return f.number.has_value(); });
  if (numbered > 0) {
    if (static_cast<std::size_t>(numbered) < matches.size()) return fmt::format(words::kNumberedAndNot, how.name);
    std::ranges::stable_sort(matches, {}, &MatchedColumn::number);
    const auto twice = std::ranges::adjacent_find(matches, {}, &MatchedColumn::number);
    if (twice != matches.end()) return fmt::format("names column '{}{}' twice. Keep one", how.name, *twice->number);
  }
  for (const MatchedColumn& f : matches) roles_[role].at.push_back(f.column);
  roles_[role].list = how.many && numbered == 0 && matches.size() == 1;
  return "";
}

AnswerColumns AnswerColumns::of_order(const AnswerFormat& format, std::string_view order) {
  AnswerColumns columns(format);
  std::vector<std::vector<MatchedColumn>> matches(format.roles.size());
  for (const std::string_view name : list_entries(order)) {
    if (name != kNotRead) {
      bool matched = columns.take(name, columns.count_, matches) > 0;
      for (std::size_t e = 0; e < kExtraCount; ++e)
        if (name == kExtraNames[e]) {
          require<ConfigError>(!columns.extras_[e], "The order '{}' names '{}' twice. Name it once.", shown(order),
                               name);
          columns.extras_[e] = columns.count_;
          matched = true;
        }
      if (!matched)
        throw ConfigError(fmt::format(words::kUnknownInOrder, shown(order), shown(name),
                                      suggestion(name, known_names(format)), kNotRead));
    }
    ++columns.count_;
  }
  for (std::size_t r = 0; r < matches.size(); ++r) {
    require<ConfigError>(!matches[r].empty(), "The order '{}' lacks '{}'. It must name at least {}.", shown(order),
                         format.roles[r].name, format.role_names());
    const std::string complaint = columns.set(r, std::move(matches[r]));
    require<ConfigError>(complaint.empty(), "The order '{}' {}.", shown(order), complaint);
  }
  return columns;
}

std::optional<AnswerColumns> AnswerColumns::of_header(const AnswerFormat& format, std::span<const std::string_view> row,
                                                      const std::string& place) {
  AnswerColumns columns(format);
  columns.count_ = row.size();
  std::vector<std::vector<MatchedColumn>> matches(format.roles.size());
  std::size_t any = 0;
  for (std::size_t c = 0; c < row.size(); ++c) any += columns.take(row[c], c, matches);
  // A response may be a word for a side, and these are also names of columns.
  const bool may_be_answer = std::ranges::any_of(format.roles, &AnswerRole::response);
  if (any < (may_be_answer ? std::size_t{2} : std::size_t{1})) return std::nullopt;
  for (std::size_t e = 0; e < kExtraCount; ++e) columns.extras_[e] = find_column(row, kExtraNames[e], place);
  for (std::size_t r = 0; r < matches.size(); ++r) {
    if (!matches[r].empty()) {
      const std::string complaint = columns.set(r, std::move(matches[r]));
      require<DataError>(complaint.empty(), "{}: The header {}.", place, complaint);
    }
  }
  for (std::size_t r = 0; r < matches.size(); ++r) {
    if (!columns.roles_[r].at.empty()) continue;
    std::vector<std::string> others;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!columns.reads(c)) others.emplace_back(row[c]);
    const auto near = nearest_name(format.roles[r].name, others);
    throw DataError(fmt::format("{}: The header has no column '{}'.{} Name the columns {}.", place,
                                format.roles[r].name, near ? fmt::format(" Is it '{}'?", shown(*near)) : "",
                                format.role_names()));
  }
  return columns;
}

bool AnswerColumns::reads(std::size_t column) const {
  return contains(extras_, std::optional(column)) ||
         std::ranges::any_of(roles_, [column](const Role& role) { return contains(role.at, column); });
}

void AnswerColumns::names_of(const RowReader& reader, std::vector<NamedObject>& out) const {
  out.clear();
  const std::span<const std::string_view> fields = reader.fields();
  for (std::uint32_t r = 0; r < roles_.size(); ++r) {
    if (format_->roles[r].response) continue;
    const Role& role = roles_[r];
    const std::string_view label = format_->roles[r].name;
    const std::size_t before = out.size();
    std::uint32_t rank = 0;
    if (!role.list) {
      // In a list of columns, an empty field ends a row that names fewer objects.
      for (const std::size_t c : role.at)
        if (!fields[c].empty()) out.push_back({fields[c], r, rank++});
    } else if (const std::string_view field = fields[role.at.front()]; !field.empty()) {
      const char between = field.find('|') != std::string_view::npos ? '|' : ';';
      const bool ties = format_->kind == AnswerKind::ranked;
      for (std::size_t at = 0; at <= field.size();) {
        const std::size_t end = std::min(
            ties ? field.find_first_of(between == '|' ? "|=" : ";=", at) : field.find(between, at), field.size());
        const std::string_view name = trim(field.substr(at, end - at));
        require<DataError>(!name.empty(), words::kEmptyNameInList, reader.place(), shown(field), label,
                           end < field.size() ? field[end] : between);
        out.push_back({name, r, rank});
        if (end < field.size() && field[end] == between) ++rank;
        at = end + 1;
      }
    }
    if (role.whole) {
      const std::vector<NamedObject> named = out;
      std::erase_if(out, [&](const NamedObject& one) {
        return one.role == r && std::ranges::any_of(named, [&](const NamedObject& other) {
                 return other.role + 1 == r && other.name == one.name;
               });
      });
    }
    require<DataError>(out.size() > before, "{}: '{}' is empty. Name an object or remove the row.", reader.place(),
                       label);
  }
}

std::vector<std::string> named_header(std::string_view columns, const std::vector<std::string>& roles,
                                      std::span<const std::string_view> row, const std::string& place) {
  std::vector<std::string> out(row.begin(), row.end());
  if (columns.empty()) return out;
  const std::vector<NamedColumn> named = named_columns(columns);
  const std::vector<std::string> theirs =
      roles_of(columns, named, roles, "such rows have " + join(roles, ", "), [&](std::string_view name) {
        return (is_extra(name) && !same_name(name, kExtraNames.front())) ||
               std::ranges::any_of(roles, [&](const std::string& role) { return same_name(role, name); });
      });
  for (std::string& name : out)
    if (std::ranges::none_of(std::array{is_about_people, is_about_time}, [&](const auto is_about) {
          return is_about(name) && std::ranges::none_of(theirs, is_about);
        }))
      name.clear();
  put_roles(columns, named, theirs, row, place, out);
  return out;
}

std::string RowChoice::note(std::uint64_t left_out, std::uint64_t all, std::string_view rows) const {
  const bool one = left_out == 1;
  std::vector<std::string> reasons;
  if (!where.empty()) reasons.push_back(fmt::format("{} not meet {}", one ? "does" : "do", where));
  if (practice) reasons.emplace_back(one ? "is practice" : "are practice");
  if (checks) reasons.emplace_back(one ? "is an attention check" : "are attention checks");
  return fmt::format("{} of {} {} {} and {} left out.", left_out, all, rows, join(reasons, " or "),
                     one ? "was" : "were");
}

AnswerRows::AnswerRows(std::string_view conditions, std::span<const std::string_view> header,
                       const std::string& place) {
  for (const std::string_view text : list_entries(conditions)) {
    const std::size_t at = text.find('=');
    require<ConfigError>(at != text.npos && at > 0 && text.substr(0, at) != "!", words::kNoCondition, shown(text));
    const bool equal = text[at - 1] != '!';
    const std::string name(trim(text.substr(0, equal ? at : at - 1)));
    const auto column = find_column(header, name, place);
    if (!column) {
      const std::vector<std::string> there(header.begin(), header.end());
      throw DataError(fmt::format("{}: There is no column '{}' for the condition '{}'.{}", place, shown(name),
                                  shown(text), suggestion(name, shown(there))));
    }
    std::string value(trim(text.substr(at + 1)));
    const auto same = std::ranges::find_if(
        conditions_, [&](const Condition& other) { return other.column == *column && other.equal == equal; });
    Condition& condition =
        same != conditions_.end() ? *same : conditions_.emplace_back(Condition{*column, name, equal, {}, {}});
    condition.values.push_back(std::move(value));
    condition.counts.push_back(0);
  }
}

bool AnswerRows::keeps(std::span<const std::string_view> fields) {
  bool kept = true;
  for (Condition& condition : conditions_) {
    const std::string_view field = fields[condition.column];
    bool any = false;
    for (std::size_t v = 0; v < condition.values.size(); ++v)
      if (are_same_value(field, condition.values[v])) {
        ++condition.counts[v];
        any = true;
      }
    if (!any && condition.others.size() <= kOthersShown && !contains(condition.others, field))
      condition.others.emplace_back(field);
    kept = kept && any == condition.equal;
  }
  if (!kept) ++left_out_;
  return kept;
}

void AnswerRows::require_known_values(const std::string& file) const {
  for (const Condition& condition : conditions_)
    for (std::size_t v = 0; v < condition.values.size(); ++v) {
      if (condition.counts[v] > 0) continue;
      std::vector<std::string> choices = condition.values;
      choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(v));
      choices.insert(choices.end(), condition.others.begin(), condition.others.end());
      for (std::string& value : choices) value = value.empty() ? "(empty)" : shown(value);
      throw DataError(fmt::format("'{}': Column '{}' is '{}' in no row. Its values: {}.", file, shown(condition.name),
                                  shown(condition.values[v]), join_first(std::move(choices), kOthersShown)));
    }
}

}  // namespace alidade::datasets
