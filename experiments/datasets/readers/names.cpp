#include "experiments/datasets/readers/names.hpp"

#include <utf8proc.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_grid.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text mapped by utf8proc; unchanged where it is not UTF-8.
std::string utf8_mapped(std::string_view text, int options) {
  utf8proc_uint8_t* raw = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &raw, static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(raw, &std::free);
  if (size < 0) return std::string(text);
  return {reinterpret_cast<const char*>(raw), static_cast<std::size_t>(size)};
}

bool is_space(utf8proc_int32_t c) {
  if (c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85) return true;
  const utf8proc_category_t kind = utf8proc_category(c);
  return kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
}

bool is_quote(utf8proc_int32_t c) {
  constexpr std::array<utf8proc_int32_t, 16> kQuotes = {'"',    '\'',   '`',    0xB4,   0xAB,   0xBB,   0x2018, 0x2019,
                                                        0x201A, 0x201B, 0x201C, 0x201D, 0x201E, 0x201F, 0x2039, 0x203A};
  return contains(kQuotes, c);
}

/// What `add(character, its bytes, out)` makes of a text; one that is not UTF-8 stays as it is.
template <class Add>
std::string by_characters(std::string_view text, Add add) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                                     static_cast<utf8proc_ssize_t>(text.size() - at), &c);
    if (length <= 0) return std::string(text);
    add(c, text.substr(at, static_cast<std::size_t>(length)), out);
    at += static_cast<std::size_t>(length);
  }
  return out;
}

std::string without_spaces(std::string_view text) {
  bool between = false, after_digit = false;
  return by_characters(text, [&](utf8proc_int32_t c, std::string_view bytes, std::string& out) {
    const bool space = is_space(c), digit = utf8proc_category(c) == UTF8PROC_CATEGORY_ND;
    if (!space) out.append(between && after_digit && digit ? " " : "").append(bytes);
    between = space;
    after_digit = space ? after_digit : digit;
  });
}

std::string without_quotes(std::string_view text) {
  return by_characters(text, [](utf8proc_int32_t c, std::string_view bytes, std::string& out) {
    if (!is_quote(c)) out += bytes;
  });
}

std::string caseless(std::string_view text) { return utf8_mapped(text, UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD); }

/// Normal form KC, without characters that nothing is drawn for.
std::string compatible(std::string_view text) {
  return utf8_mapped(text, UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_IGNORE);
}

/// Whether a number is written with zeros that its value does not need in front, as codes are: 007.
bool is_zero_filled(std::string_view number) {
  std::string_view rest = trim(number);
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  return rest.size() > 1 && rest[0] == '0' && is_digit(rest[1]);
}

}  // namespace

std::string composed(std::string_view name) {
  if (is_ascii(name)) return std::string(name);
  return utf8_mapped(name, UTF8PROC_COMPOSE);
}

std::optional<std::string> plain_number(std::string_view name) {
  constexpr std::size_t kMostDigits = 40;
  std::string spaceless;
  if (!is_ascii(name)) {
    constexpr std::string_view kMinus = "\u2212";
    spaceless = without_spaces(name);
    if (spaceless.starts_with(kMinus)) spaceless.replace(0, kMinus.size(), "-");
    if (!is_ascii(spaceless)) return std::nullopt;
    name = spaceless;
  }
  std::string_view rest = trim(name);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string digits;
  std::ptrdiff_t point = -1;  // how many digits are before it
  std::size_t at = 0;
  for (; at < rest.size() && (is_digit(rest[at]) || (rest[at] == '.' && point < 0)); ++at)
    if (rest[at] == '.')
      point = static_cast<std::ptrdiff_t>(digits.size());
    else
      digits += rest[at];
  if (digits.empty()) return std::nullopt;
  if (point < 0) point = static_cast<std::ptrdiff_t>(digits.size());
  if (at < rest.size()) {
    if (rest[at] != 'e' && rest[at] != 'E') return std::nullopt;
    std::string_view power = rest.substr(at + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    int exponent = 0;
    const auto [end, code] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (code != std::errc() || end != power.data() + power.size() || std::abs(exponent) > 1000) return std::nullopt;
    point += exponent;
  }
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  if (zeros == digits.size()) return "0";
  digits.erase(0, zeros);
  point -= static_cast<std::ptrdiff_t>(zeros);
  digits.erase(digits.find_last_not_of('0') + 1);
  const auto count = static_cast<std::ptrdiff_t>(digits.size());
  const std::ptrdiff_t length = std::max(count, point) - std::min<std::ptrdiff_t>(point, 0);
  if (length > static_cast<std::ptrdiff_t>(kMostDigits)) return std::nullopt;
  if (point <= 0) {
    digits.insert(0, static_cast<std::size_t>(-point), '0');
    digits.insert(0, "0.");
  } else if (point >= count) {
    digits.append(static_cast<std::size_t>(point - count), '0');
  } else {
    digits.insert(static_cast<std::size_t>(point), 1, '.');
  }
  return negative ? "-" + digits : digits;
}

std::string reading_of(std::string_view name) {
  const std::string plain = without_spaces(without_quotes(caseless(compatible(name))));
  if (plain.empty()) return std::string(name);
  return plain_number(plain).value_or(plain);
}

std::string_view difference_of(std::string_view a, std::string_view b) {
  if (const auto number = plain_number(a);
      number && number == plain_number(b) && without_spaces(a) != without_spaces(b))
    return "number format";
  if (without_spaces(a) == without_spaces(b)) return "spaces";
  if (caseless(a) == caseless(b)) return "case";
  if (without_quotes(a) == without_quotes(b)) return "quotes";
  if (compatible(a) == compatible(b)) return "Unicode form";
  return "case, spaces or quotes";
}

namespace {

constexpr std::size_t kShownPairs = 3;
constexpr std::string_view kKeepApart = "To keep them apart: --merge-names=no (in a config: merge_names = \"no\").";

std::string spellings_pair(std::string_view a, std::string_view b) {
  return fmt::format("'{}' and '{}'", shown(a), shown(b));
}

std::string first_of(std::vector<std::string> parts) { return join_some(std::move(parts), kShownPairs, "; "); }

std::string key_by(NameRule rule, std::string_view name) {
  if (rule == NameRule::reading) return reading_of(name);
  if (rule == NameRule::number)
    if (auto number = plain_number(name)) return *std::move(number);
  return std::string(name);
}

/// Whether all names are numbers, and none of them a code such as 007.
bool all_numbers(std::span<const std::string> names) {
  return std::ranges::all_of(
      names, [](const std::string& name) { return plain_number(name).has_value() && !is_zero_filled(name); });
}

/// Whether each name is a whole number as programs write it, such as 0 and 17: no rule makes two of them one.
bool all_plain_whole(std::span<const std::string> names) {
  return std::ranges::all_of(names, [](const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, is_digit) && (name[0] != '0' || name.size() == 1);
  });
}

/// Whether a rule makes two of the names one.
bool joins_any(std::span<const std::string> names, NameRule rule) {
  std::set<std::string> keys;
  return !std::ranges::all_of(names, [&](const std::string& name) { return keys.insert(key_by(rule, name)).second; });
}

constexpr std::size_t kShownNames = 10;

std::string in_quotes(std::string_view name) { return fmt::format("'{}'", shown(name)); }

/// Names that are codes of missing values: among texts each of them, among numbers those that lie far from the others.
std::vector<std::string> codes_among(std::span<const std::string> names) {
  std::vector<double> numbers;
  for (const std::string& name : names)
    if (const auto value = parse_double(name)) numbers.push_back(*value);
  const bool texts = 2 * numbers.size() < names.size();
  const std::vector<double> codes = texts ? filtered(numbers, is_code) : suspected_codes(numbers);
  std::vector<std::string> out;
  for (const std::string& name : names)
    if (const auto value = parse_double(name); value && contains(codes, *value)) out.push_back(in_quotes(name));
  return out;
}

}  // namespace

MergeNames merge_names_of(std::string_view value) {
  if (value == "auto") return MergeNames::automatic;
  if (value == "yes") return MergeNames::yes;
  if (value == "no") return MergeNames::no;
  throw ConfigError(fmt::format(words::kMergeNamesIs, shown(value)));
}

std::uint32_t NameTable::number(std::string_view spelling) {
  const std::uint32_t number = spellings_.number(spelling);
  if (number < number_of_.size()) return number_of_[number];
  std::string name = composed(spelling);
  const std::uint32_t fresh = keys_.number(key_texts_.emplace_back(key_by(rule_, name)));
  if (fresh == names_.size())
    names_.push_back(rule_ == NameRule::number ? key_texts_.back() : std::move(name));
  else
    key_texts_.pop_back();
  number_of_.push_back(fresh);
  return fresh;
}

NameTable NameTable::of(std::span<const std::string_view> spellings, MergeNames mode) {
  NameTable out;
  for (const std::string_view spelling : spellings) static_cast<void>(out.number(spelling));
  out.merge(mode);
  return out;
}

NameTable NameTable::of(const Table& table, std::size_t a, std::size_t b, std::string_view what, MergeNames mode) {
  std::vector<std::string_view> spellings;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (const std::size_t c : {a, b}) {
      spellings.push_back(table.rows[r][c]);
      require<DataError>(!spellings.back().empty(), "{}: The row names one {} only. Name both, or delete the row.",
                         table.places[r], what);
    }
  return of(spellings, mode);
}

std::vector<std::uint32_t> NameTable::merge(MergeNames mode) {
  NameTable merged(better_rule(mode).value_or(rule_));
  std::vector<std::uint32_t> out(names_.size());
  for (std::size_t s = 0; s < number_of_.size(); ++s) out[number_of_[s]] = merged.number(spellings_.ids()[s]);
  *this = std::move(merged);
  return out;
}

std::optional<NameRule> NameTable::better_rule(MergeNames mode) const {
  if (mode == MergeNames::no || rule_ != NameRule::spelling || names_.size() < 2) return std::nullopt;
  if (all_plain_whole(names_)) return std::nullopt;
  if (all_numbers(names_)) return joins_any(names_, NameRule::number) ? std::optional(NameRule::number) : std::nullopt;
  if (mode == MergeNames::yes && joins_any(names_, NameRule::reading)) return NameRule::reading;
  return std::nullopt;
}

std::vector<std::string> NameTable::notes(std::string_view what) const {
  std::vector<std::string_view> first(names_.size());
  std::vector<std::string> by_form(names_.size()), by_rule(names_.size());
  const std::vector<std::string_view>& all = spellings_.ids();
  for (std::size_t s = 0; s < all.size(); ++s) {
    const std::uint32_t i = number_of_[s];
    if (first[i].data() == nullptr) {
      first[i] = all[s];
    } else if (const std::string one = composed(first[i]), other = composed(all[s]); one == other) {
      by_form[i] = fmt::format("'{}'", shown(one));
    } else if (by_rule[i].empty()) {
      by_rule[i] = spellings_pair(one, other);
    }
  }
  std::erase(by_form, std::string());
  std::erase(by_rule, std::string());
  std::vector<std::string> out;
  if (!by_form.empty()) {
    const std::size_t count = by_form.size();
    add_note(out, words::kTwoUnicodeForms, counted(count, "name is", "names are"), count == 1 ? "is" : "are each", what,
             first_of(std::move(by_form)));
  }
  if (!by_rule.empty()) {
    const std::size_t count = by_rule.size();
    add_note(out, "{} {} written in several ways, and read as one {}{}: {}. {}", counted(count, what),
             count == 1 ? "is" : "are", rule_ == NameRule::number ? "number" : "name", count == 1 ? "" : " each",
             first_of(std::move(by_rule)), kKeepApart);
  }
  return out;
}

std::vector<std::string> unite_names(Table& table, std::initializer_list<std::size_t> columns, std::string_view what,
                                     MergeNames mode) {
  std::vector<std::string_view> spellings;
  for (const TableFields& row : table.rows)
    for (const std::size_t c : columns)
      if (!row[c].empty()) spellings.push_back(row[c]);
  NameTable names = NameTable::of(spellings, mode);
  for (TableFields& row : table.rows)
    for (const std::size_t c : columns)
      if (!row[c].empty()) row[c] = table.keep(names.names()[names.number(row[c])]);
  return names.notes(what);
}

void FirstRows::take(std::span<const std::uint32_t> ids) {
  const std::size_t row = names_in_row_.size();
  names_in_row_.push_back(0);
  for (const std::uint32_t id : ids) {
    if (id >= only_row_.size()) only_row_.resize(id + 1, kNone);
    if (only_row_[id] == row) continue;
    ++names_in_row_[row];
    only_row_[id] = only_row_[id] == kNone ? row : kSeveral;
  }
}

FirstRows::Verdict FirstRows::verdict() const {
  const std::vector<bool> alone = rows_alone();
  if (alone.size() < 2 || !alone.front()) return Verdict::data;
  return are_improbable(std::ranges::count(alone, true)) ? Verdict::header : Verdict::maybe_header;
}

void FirstRows::refuse_further_headers(std::size_t least, const std::string& file,
                                       std::span<const std::size_t> lines) const {
  constexpr std::size_t kMostHeaders = 5, kFewestRows = 10;
  const std::vector<bool> alone = rows_alone();
  const auto count = static_cast<std::size_t>(std::ranges::find(alone, false) - alone.begin());
  const auto others = static_cast<std::size_t>(std::ranges::count(alone, true)) - count;
  if (count < least || count > kMostHeaders || alone.size() < kFewestRows * std::min<std::size_t>(count, 2) ||
      (others > 0 && !are_improbable(static_cast<std::ptrdiff_t>(others) + 1)))
    return;
  const std::size_t first = lines.front(), last = lines[std::min(count, lines.size()) - 1];
  const bool one = count == 1;
  throw DataError(fmt::format(words::kFurtherHeadersOfNames, at_line(file, first),
                              one ? "This line looks" : fmt::format("Lines {} to {} look", first, last),
                              one ? "a further header line" : "further header lines", one ? "its" : "their",
                              one ? "it" : "them", one ? "it is" : "they are", one ? "it" : "them"));
}

std::vector<bool> FirstRows::rows_alone() const {
  std::vector<std::uint32_t> unshared(names_in_row_.size(), 0);
  for (const std::size_t row : only_row_)
    if (row < kSeveral) ++unshared[row];
  std::vector<bool> out;
  for (std::size_t row = 0; row < unshared.size(); ++row) out.push_back(unshared[row] == names_in_row_[row]);
  return out;
}

bool FirstRows::are_improbable(std::ptrdiff_t count) const {
  constexpr double kImprobable = 0.05;
  return static_cast<double>(count) <= kImprobable * static_cast<double>(names_in_row_.size());
}

std::vector<std::size_t> value_order(std::span<const std::string> names) {
  std::vector<std::size_t> out(names.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::vector<__int128> values;
  for (const std::string& name : names) {
    const std::size_t sign = name.starts_with('-') ? 1 : 0;
    std::uint64_t size = 0;
    const auto [end, code] = std::from_chars(name.data() + sign, name.data() + name.size(), size);
    if (code != std::errc() || end != name.data() + name.size()) return out;
    values.push_back(sign != 0 ? -static_cast<__int128>(size) : static_cast<__int128>(size));
  }
  std::ranges::stable_sort(out, {}, [&](std::size_t i) { return values[i]; });
  return out;
}

OrderedNames::OrderedNames(const std::vector<std::string>& all, std::vector<bool> used) : place(all.size()) {
  used.resize(all.size(), used.empty());
  std::vector<std::uint32_t> kept;
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (used[i]) kept.push_back(i), texts.push_back(all[i]);
  for (const std::size_t k : value_order(texts)) {
    place[kept[k]] = static_cast<std::uint32_t>(names.size());
    numbers.push_back(kept[k]);
    names.push_back(std::move(texts[k]));
  }
}

Said merge_labels(std::vector<std::string>& labels, MergeNames mode, std::string_view what) {
  Said out;
  const auto unlabelled = std::ranges::count(labels, std::string());
  if (what == "label" && unlabelled > 0 && unlabelled < std::ssize(labels))
    add_note(out, "{} of {} objects {} no {}.", unlabelled, labels.size(), unlabelled == 1 ? "has" : "have", what);
  const std::vector<std::string> given = labels;
  std::vector<std::string_view> known;
  for (const std::string& label : given)
    if (!label.empty()) known.push_back(label);
  NameTable table = NameTable::of(known, mode);
  add_guess(out, table.notes(what));
  add_note(out, notes_on_likeness(table.names(), what));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!labels[i].empty()) labels[i] = table.names()[table.number(given[i])];
  return out;
}

std::vector<std::string> notes_on_likeness(std::span<const std::string> names, std::string_view what, bool can_merge) {
  if (all_plain_whole(names)) return {};
  std::unordered_map<std::string, std::size_t> first;
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [entry, fresh] = first.try_emplace(reading_of(names[i]), i);
    if (fresh) continue;
    const std::string& other = names[entry->second];
    if (other == names[i]) continue;
    pairs.push_back(fmt::format("{} ({})", spellings_pair(other, names[i]), difference_of(other, names[i])));
  }
  if (pairs.empty()) return {};
  const std::size_t count = pairs.size();
  return {fmt::format("{} look{} alike but count{} as different {}s: {}. {}",
                      counted(count, "pair of names", "pairs of names"), count == 1 ? "s" : "", count == 1 ? "s" : "",
                      what, first_of(std::move(pairs)),
                      can_merge ? words::kMergeAdvice : "If they mean the same, write them alike.")};
}

std::string note_on_same_names(std::span<const std::string> names, std::string_view what,
                               const std::function<std::string(std::size_t, std::size_t)>& where) {
  std::unordered_map<std::string_view, std::size_t> first;
  std::string out;
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [entry, fresh] = first.try_emplace(names[i], i);
    if (fresh || ++repeats > 1) continue;
    out = fmt::format("Two {} have the name '{}'{}.", what, shown(names[i]), where(entry->second, i));
  }
  return repeats > 1 ? fmt::format("{} {} {} repeat a name in all.", out, repeats, what) : out;
}

std::vector<std::string> notes_on_names(std::span<const std::string> names, bool can_merge) {
  std::vector<std::string> missing, formulas, out;
  for (const std::string& name : names) {
    if (marks_missing(name)) missing.push_back(in_quotes(name));
    if (is_formula(name)) formulas.push_back(in_quotes(name));
  }
  add_note(missing, codes_among(names));
  if (!missing.empty()) {
    const bool one = missing.size() == 1;
    add_note(out, words::kNamesOfMissing, join_some(std::move(missing), kShownNames, ", "),
             one ? "is an object" : "are objects", one ? "marks" : "mark", one ? "it does" : "they do",
             one ? "it" : "them");
  }
  add_note(out, notes_on_likeness(names, "object", can_merge));
  if (!formulas.empty()) {
    const bool one = formulas.size() == 1;
    add_note(out, words::kNamesAsFormulas, join_some(std::move(formulas), kShownNames, ", "),
             one ? "a formula" : "formulas", one ? "it" : "them");
  }
  return out;
}

NameMatcher::NameMatcher(std::span<const std::string> names, MergeNames mode) : known_(names.begin(), names.end()) {
  for (std::size_t i = 0; i < known_.size(); ++i) exact_.try_emplace(composed(known_[i]), i);
  if (mode == MergeNames::yes)
    rule_ = NameRule::reading;
  else if (mode == MergeNames::automatic && all_numbers(known_))
    rule_ = NameRule::number;
  if (rule_ == NameRule::spelling) return;
  std::set<std::string> ambiguous;
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (std::string key = key_by(rule_, known_[i]); !alike_.try_emplace(key, i).second)
      ambiguous.insert(std::move(key));
  for (const std::string& key : ambiguous) alike_.erase(key);
}

std::optional<std::size_t> NameMatcher::find(std::string_view spelling) {
  const std::string name = composed(spelling);
  if (const auto entry = exact_.find(name); entry != exact_.end()) return entry->second;
  if (rule_ == NameRule::spelling) return std::nullopt;
  if (rule_ == NameRule::number && is_zero_filled(name)) return std::nullopt;
  const auto entry = alike_.find(key_by(rule_, name));
  if (entry == alike_.end()) return std::nullopt;
  if (noted_.try_emplace(name, entry->second).second) pairs_.push_back(spellings_pair(name, known_[entry->second]));
  return entry->second;
}

std::vector<std::string> NameMatcher::notes(std::string_view what) const {
  if (pairs_.empty()) return {};
  return {fmt::format(words::kOtherSpellings, counted(pairs_.size(), what), pairs_.size() == 1 ? "is" : "are",
                      first_of(pairs_), kKeepApart)};
}

}  // namespace alidade::datasets
