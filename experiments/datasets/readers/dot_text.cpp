#include "experiments/datasets/readers/raw_graph.hpp"

#include <algorithm>
#include <utility>

#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

bool is_dot_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_dot_part(char c) { return is_dot_letter(c) || (c >= '0' && c <= '9') || c == '.'; }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

bool is_dot_word(std::string_view text, std::string_view word) { return lower_ascii(text) == word; }

/// The text of an HTML label, in quotes: without its tags, with the common entities.
std::string quoted_html(std::string_view html) {
  std::string text;
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<') {
      at = std::min(html.find('>', at), html.size() - 1) + 1;
      text += ' ';
      continue;
    }
    static constexpr std::pair<std::string_view, char> kEntities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&nbsp;", ' '}};
    const auto entry =
        std::ranges::find_if(kEntities, [&](const auto& entity) { return html.substr(at).starts_with(entity.first); });
    const bool entity = entry != std::end(kEntities);
    const char c = entity ? entry->second : html[at];
    at += entity ? entry->first.size() : 1;
    text += c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  }
  std::string out = "\"";
  bool blank = false;
  for (const char c : trim(text)) {
    if (c == ' ' && blank) continue;
    blank = c == ' ';
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
  return out + std::string(static_cast<std::size_t>(std::ranges::count(html, '\n')), '\n');
}

/// The sign that closes the one at `at`; the text's end if none does.
std::size_t end_of_html(std::string_view text, std::size_t at) {
  for (int open = 0; at < text.size(); ++at) {
    open += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    if (open == 0) break;
  }
  return at;
}

}  // namespace

std::string dot_for_boost(std::string_view text) {
  std::string out;
  std::string_view last, before_last;  // tokens: names, or a sign of one character
  int depth = 0;
  const auto token = [&](std::string_view word) { before_last = std::exchange(last, word); };
  const auto copy_to = [&](std::size_t& at, std::size_t end) {
    end = std::min(end, text.size());
    out += text.substr(at, end - at);
    at = end;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    const auto after = [&](std::string_view end, std::size_t from) {
      const std::size_t position = text.find(end, from);
      return position == text.npos ? text.size() : position + end.size();
    };
    if (rest.starts_with("//") || (c == '#' && (at == 0 || text[at - 1] == '\n'))) {
      copy_to(at, text.find('\n', at));
    } else if (rest.starts_with("/*")) {
      copy_to(at, after("*/", at + 2));
    } else if (c == '"') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      token(rest.substr(0, std::min(end + 1, text.size()) - at));
      copy_to(at, end + 1);
    } else if (c == '<') {
      const std::size_t end = end_of_html(text, at);
      if (end == text.size()) {  // never closed: for the reader to refuse
        copy_to(at, end);
        continue;
      }
      out += quoted_html(text.substr(at + 1, end - at - 1));
      token(rest.substr(0, end + 1 - at));
      at = end + 1;
    } else if (is_dot_letter(c)) {
      std::size_t end = at;
      while (end < text.size() && is_dot_part(text[end])) ++end;
      const std::string_view name = text.substr(at, end - at);
      const bool quotes = std::ranges::any_of(name, is_beyond_ascii);
      out += quotes ? "\"" : "";
      copy_to(at, end);
      out += quotes ? "\"" : "";
      token(name);
    } else if (c == '{') {
      const bool named = is_dot_word(last, "subgraph") || is_dot_word(before_last, "subgraph");
      if (depth++ > 0 && !named) out += "subgraph ";
      token(rest.substr(0, 1));
      copy_to(at, at + 1);
    } else {
      if (c == '}') --depth;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') token(rest.substr(0, 1));
      copy_to(at, at + 1);
    }
  }
  return out;
}

}  // namespace alidade::datasets
