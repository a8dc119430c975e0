#include "experiments/files/delimited_text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::size_t kMostCompared = 2000;  // columns, each of whose names is looked for among all

/// As trim(), but for ends of lines, and faster.
std::string_view trimmed(std::string_view field) {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

/// The separator that a first line such as "sep=;" names, as Excel writes it, and the length of that line.
struct SeparatorLine {
  char separator;
  std::size_t length;
};
std::optional<SeparatorLine> separator_line(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
  constexpr std::string_view kSays = "sep=";
  if (end == text.npos || line.size() != kSays.size() + 1 || lower_ascii(line.substr(0, 4)) != kSays ||
      line.back() == '"')  // which encloses fields
    return std::nullopt;
  return SeparatorLine{line.back(), end + 1};
}

}  // namespace

RowReader::RowReader(std::string_view text, std::string file, char separator)
    : text_(text), file_(std::move(file)), separator_(separator) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  if (const auto declared = separator_line(text_)) {
    at_ = declared->length;
    next_line_ = 2;
  }
}

Place::operator std::string() const { return at_line(file, line); }

void Reading::add(std::string_view one, std::string_view many, std::size_t line) {
  const auto reason = std::ranges::find(reasons_, one, &Reason::one);
  if (reason == reasons_.end())
    reasons_.push_back({std::string(one), std::string(many), 1, line});
  else
    ++reason->count;
}

std::vector<std::string> Reading::notes() const {
  std::vector<std::string> out;
  for (const auto& [one, many, count, line] : reasons_)
    out.push_back(count == 1 ? fmt::format("1 {} and was left out: line {}.", one, line)
                             : fmt::format("{} {} and were left out; the first is line {}.", count, many, line));
  return out;
}

void RowReader::take_header() {
  std::vector<std::string>& names = headers_.emplace_back();
  for (const std::string_view field : fields_) names.push_back(lower_ascii(field));
}

void RowReader::drop_empty_repeats() {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t c = 0; c < fields_.size(); ++c)
    if (!fields_[c].empty() && !parse_double(fields_[c])) places[lower_ascii(fields_[c])].push_back(c);
  std::erase_if(places, [](const auto& name) { return name.second.size() < 2; });
  std::vector<bool> filled(fields_.size());
  std::size_t left = filled.size();
  try {
    for (RowReader ahead(*this); !places.empty() && left > 0 && ahead.read_row();)
      for (std::size_t c = 0; c < std::min(filled.size(), ahead.fields_.size()); ++c)
        if (!filled[c] && !ahead.fields_[c].empty()) filled[c] = true, --left;
  } catch (const DataError&) {  // reading reports it
    return;
  }
  for (const auto& [name, columns] : places) {
    const auto is_filled = [&](std::size_t c) { return filled[c]; };
    const auto kept = std::ranges::find_if(columns, is_filled);
    for (const std::size_t c : columns)
      if (kept != columns.end() && !filled[c]) {
        left_out_.add("column is empty and has the name of another one",
                      "columns are empty and have the names of others", line_);
        fields_[c] = {};
      }
  }
}

bool RowReader::repeats_header() {
  const auto is = [](std::string_view field, const std::string& name) {
    return field.size() == name.size() &&
           std::ranges::equal(field, name, [](char a, char b) { return lower_ascii(a) == b; });
  };
  for (const std::vector<std::string>& names : headers_)
    if (fields_.size() == names.size() && std::ranges::equal(fields_, names, is)) {
      if (&names == &headers_.front()) order_.clear();
      return true;
    }
  const std::vector<std::string>& names = headers_.front();
  constexpr std::size_t kFewest = 3;  // of fewer names another order says nothing
  if (names.size() < kFewest || fields_.size() != names.size() || names.size() > kMostCompared) return false;
  std::vector<std::size_t> order;
  for (const std::string& name : names) {
    const auto field = std::ranges::find_if(fields_, [&](std::string_view one) { return is(one, name); });
    if (name.empty() || field == fields_.end()) return false;
    order.push_back(static_cast<std::size_t>(field - fields_.begin()));
  }
  std::vector<std::size_t> distinct = order;
  std::ranges::sort(distinct);
  if (std::ranges::adjacent_find(distinct) != distinct.end()) return false;
  order_ = std::move(order);
  return true;
}

bool RowReader::next() {
  while (read_row()) {
    if (fields_.size() > 1 && std::ranges::all_of(fields_, &std::string_view::empty)) {
      left_out_.add("row is empty", "rows are empty", line_);
      continue;
    }
    if (is_first_) {
      is_first_ = false;
      drop_empty_repeats();
    }
    if (!headers_.empty() && repeats_header()) {
      left_out_.add("line repeats the header", "lines repeat the header", line_);
      if (!order_.empty())
        left_out_.add("line has its names in another order, in which the rows below it were read,",
                      "lines have its names in another order, in which the rows below them were read,", line_);
      continue;
    }
    if (order_.empty() || order_.size() != fields_.size()) return true;
    fields_ = mapped<std::string_view>(order_, [&](std::size_t place) { return fields_[place]; });
    return true;
  }
  return false;
}

bool RowReader::read_row() {
  fields_.clear();
  if (!stored_.empty()) {
    if (at_ == stored_.size()) return false;
    fields_ = stored_[at_].fields;
    line_ = stored_[at_++].place.line;
    return true;
  }
  const bool first = line_ == 0;  // of the text
  line_ = next_line_;
  std::size_t end = std::min(text_.find('\n', at_), text_.size());
  if (trimmed(text_.substr(at_, end - at_)).empty()) {
    // Only blanks: the end of the text, or a blank line within it.
    const std::size_t more = text_.find_first_not_of(" \t\r\n", end);
    if (more == std::string_view::npos) {
      at_ = text_.size();
      return false;
    }
    if (first) {
      const std::size_t begin = text_.rfind('\n', more) + 1;
      next_line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                        text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
      at_ = begin;
      return read_row();
    }
    // A row of empty tab-separated fields is not a blank line.
    if (separator_ != '\t' || text_.substr(at_, end - at_).find('\t') == std::string_view::npos)
      throw DataError(fmt::format("{}: The line is blank, but more lines follow. Remove it.", place()));
  }

  if (separator_ == ' ')
    fields_ = words_between_blanks(text_.substr(at_, end - at_));
  else
    read_fields(end);
  for (std::size_t c = 0; c < fields_.size(); ++c)
    require<DataError>(fields_[c].size() <= kLongestField,
                       "{}: Field {} has {} characters, and may have {}. Is a quote or a separator missing?", place(),
                       c + 1, fields_[c].size(), kLongestField);
  at_ = std::min(end + 1, text_.size());
  ++next_line_;
  return true;
}

// `end`: of the line, and on return that of the row.
void RowReader::read_fields(std::size_t& end) {
  std::size_t at = at_;
  for (;;) {
    std::size_t start = at;
    while (start < text_.size() && is_blank(text_[start]) && text_[start] != separator_) ++start;
    if (start < text_.size() && text_[start] == '"') {
      at = start;
      read_quoted(at);
      end = std::min(text_.find('\n', at), text_.size());
      const std::size_t stop = std::min({text_.find(separator_, at), end});
      require<DataError>(trimmed(text_.substr(at, stop - at)).empty(),
                         "{}: Field {} has text after its closing quote. Double the quotes inside the field.", place(),
                         fields_.size());
      at = stop;
    } else {
      const std::string_view rest = text_.substr(at, end - at), field = rest.substr(0, rest.find(separator_));
      fields_.push_back(trimmed(field));
      at += field.size();
    }
    if (at == end) return;
    ++at;  // the separator
  }
}

// On entry text_[at] opens the field; on return `at` is past the closing quote.
void RowReader::read_quoted(std::size_t& at) {
  const std::size_t begin = ++at;
  bool doubled = false;
  for (;;) {
    at = text_.find('"', at);
    require<DataError>(at != std::string_view::npos, "{}: Field {} opens a quote that is never closed. Close it.",
                       place(), fields_.size() + 1);
    if (at + 1 >= text_.size() || text_[at + 1] != '"') break;
    doubled = true;
    at += 2;
  }
  std::string_view field = text_.substr(begin, at - begin);
  next_line_ += static_cast<std::size_t>(std::ranges::count(field, '\n'));
  if (doubled) {
    std::string& plain = unescaped_.emplace_back();
    for (std::size_t i = 0; i < field.size(); ++i) {
      plain += field[i];
      if (field[i] == '"') ++i;
    }
    field = plain;
  }
  fields_.push_back(field);
  ++at;
}

char detect_separator(std::string_view text, std::size_t least) {
  if (const auto declared = separator_line(text)) return declared->separator;
  char best = ',';
  std::size_t highest = 0;
  for (const char separator : {'\t', ';', ','}) {
    RowReader reader(text, "", separator);
    std::size_t count = 0;
    try {
      if (reader.next()) count = reader.fields().size();
    } catch (const DataError&) {
      continue;  // reading reports a quote that is wrong with every separator
    }
    if (count >= least) return separator;
    if (count > highest) {
      highest = count;
      best = separator;
    }
  }
  return highest > 1 ? best : ',';
}

std::string csv_field(std::string_view text) {
  // A field without quotes loses the blanks around it.
  if (text.find_first_of(",;\t\"\r\n") == text.npos && trim(text).size() == text.size()) return std::string(text);
  return "\"" + replaced(text, {{"\"", "\"\""}}) + "\"";
}

std::string csv_line(const std::vector<std::string>& fields) {
  const std::string out = join(mapped(fields, csv_field), ",");
  return out.empty() ? "\"\"" : out;  // or it would be a blank line
}

LineFields fields_in(std::string_view line, char separator) {
  LineFields out;
  bool text = false;
  for (const char c : line) {
    if (c == '"') out.is_open = !out.is_open;
    const bool ends = c == separator && !out.is_open;
    out.count += ends ? 1 : 0;
    out.filled += ends && text ? 1 : 0;
    text = !ends && (text || !is_blank(c));
  }
  out.filled += text ? 1 : 0;
  return out;
}

std::string_view separator_name(char separator) {
  switch (separator) {
    case '\t': return "tab";
    case ';': return "semicolon";
    case ' ': return "blanks";
    default: return "comma";
  }
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string out;
  for (const char c : text) {
    // Never cut within a UTF-8 character.
    if (out.size() >= kMost && (static_cast<unsigned char>(c) & 0xc0U) != 0x80U) return out + "...";
    out += printable({&c, 1});
  }
  return out;
}

std::vector<std::string> shown(std::span<const std::string> texts) {
  return mapped<std::string>(texts, [&](const std::string& text) { return shown(text); });
}

std::vector<std::string> shown_names(std::vector<std::string> names) {
  constexpr std::array kStimuli = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp",
                                   ".wav", ".mp3", ".ogg",  ".mp4", ".webm", ".mov", ".avi"};
  std::vector<std::string> alone, in_folders;
  for (const std::string& name : names) {
    const std::filesystem::path file(name);
    if (!contains(kStimuli, lower_ascii(file.extension().string()))) return names;
    alone.push_back(file.stem().string());
    in_folders.push_back((file.parent_path() / file.stem()).string());
  }
  for (std::vector<std::string>* tried : {&alone, &in_folders})
    if (std::set<std::string_view>(tried->begin(), tried->end()).size() == names.size()) return *tried;
  return names;
}

std::vector<std::string_view> words_between_blanks(std::string_view line) {
  std::vector<std::string_view> out;
  for (const auto* at = line.begin(); (at = std::find_if_not(at, line.end(), is_blank)) != line.end();) {
    const auto* const begin = std::exchange(at, std::find_if(at, line.end(), is_blank));
    out.emplace_back(begin, at);
  }
  return out;
}

std::vector<std::string_view> list_entries(std::string_view text, char between) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    out.push_back(trim(text.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

std::optional<std::size_t> find_column(std::span<const std::string_view> header, std::string_view name,
                                       const std::string& place) {
  std::optional<std::size_t> column;
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (lower_ascii(header[c]) != lower_ascii(name)) continue;
    require<DataError>(!column, "{}: The header names column '{}' twice. Keep one.", place, name);
    column = c;
  }
  return column;
}

}  // namespace alidade
