#include "experiments/files/text_encoding.hpp"

#include <iconv.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "experiments/files/embedded_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/reading_limit.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMark = "\xef\xbb\xbf";

// ---- what is no text

/// Refuses what is no text by its first bytes; binary_formats.json has them as the characters of their numbers.
void refuse_binary(std::string_view bytes, const std::string& file) {
  constexpr std::size_t kLongest = 16;
  static const Value kFormats = parse_json(embedded_text("binary_formats.json"), "binary_formats.json");
  std::string begin;
  for (const char one : bytes.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(one);
    if (byte >= 0x80U) begin += static_cast<char>(0xC0U | (byte >> 6U));
    begin += static_cast<char>(byte >= 0x80U ? 0x80U | (byte & 0x3FU) : byte);
  }
  for (const Value& format : *kFormats.get_if<ValueArray>()) {
    const auto text = [&](std::string_view key) -> const std::string& {
      return *format.get_if<ValueTable>()->find(key)->get_if<std::string>();
    };
    if (begin.starts_with(text("start")))
      throw DataError(fmt::format("'{}' is {}, not text. {}.", file, text("what"),
                                  fmt::format(fmt::runtime(text("advice")), file)));
  }
}

struct Markup {
  std::string_view what, advice;
};
/// What a web page or a workbook in XML is, which spreadsheets and failed downloads leave under any name; else nothing.
const Markup* markup_in(std::string_view text) {
  static constexpr Markup kPage{
      "a web page (HTML)",
      "If it holds the table, open it in a spreadsheet and save it as CSV; if it says that a download failed, download "
      "the file again"};
  static constexpr Markup kWorkbook{"a workbook of Excel (XML)", "Save the sheet as CSV"};
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  for (;;) {  // what may stand above the first element
    text = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const std::string_view end = text.starts_with("<?") ? "?>" : text.starts_with("<!--") ? "-->" : "";
    const std::size_t at = end.empty() ? text.npos : text.find(end);
    if (at == text.npos) break;
    text.remove_prefix(at + end.size());
  }
  const std::string tag = lower_ascii(text.substr(0, std::min(text.find_first_of(" \t\r\n>/", 1), text.size())));
  if (tag == "<workbook") return &kWorkbook;
  if (tag == "<!doctype") return lower_ascii(text.substr(tag.size(), 6)).find("html") < 6 ? &kPage : nullptr;
  for (const char* const html : {"<html", "<head", "<body", "<meta", "<table", "<div"})
    if (tag == html) return &kPage;
  return nullptr;
}

// ---- conversion

struct CloseConverter {
  void operator()(void* converter) const noexcept { iconv_close(converter); }
};

/// Nothing if the bytes are not in that encoding, or the C library does not know it.
std::optional<std::string> converted(std::string_view bytes, const std::string& from) {
  iconv_t opened = iconv_open("UTF-8", from.c_str());
  if (opened == reinterpret_cast<iconv_t>(-1)) return std::nullopt;  // as of POSIX
  const std::unique_ptr<void, CloseConverter> converter(opened);
  std::string out;
  std::array<char, 65536> room;
  char* in = const_cast<char*>(bytes.data());  // iconv reads through this pointer and never writes
  std::size_t left = bytes.size();
  while (left > 0) {
    char* to = room.data();
    std::size_t free = room.size();
    const std::size_t before = left;
    const std::size_t code = iconv(opened, &in, &left, &to, &free);
    out.append(room.data(), room.size() - free);
    require_readable_size(out.size(), "the text", "has");
    if (code == static_cast<std::size_t>(-1) && left == before && free == room.size()) return std::nullopt;
  }
  return out;
}

/// The encoding that a text of 16 or 32 bits shows: by its mark, or by the zeros of plain letters.
std::optional<std::string> wide_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe\0\0"sv)) return "UTF-32LE";
  if (bytes.starts_with("\0\0\xfe\xff"sv)) return "UTF-32BE";
  if (bytes.starts_with("\xff\xfe"sv)) return "UTF-16LE";
  if (bytes.starts_with("\xfe\xff"sv)) return "UTF-16BE";
  const std::string_view some = bytes.substr(0, std::min<std::size_t>(bytes.size() / 2 * 2, 4096));
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < some.size(); ++i) zeros[i % 2] += some[i] == '\0' ? 1U : 0U;
  const std::size_t half = some.size() / 2, many = half / 2 + 1;
  if (half > 0 && zeros[1] >= many && zeros[0] <= half / 50) return "UTF-16LE";
  if (half > 0 && zeros[0] >= many && zeros[1] <= half / 50) return "UTF-16BE";
  return std::nullopt;
}

/// What `<?xml ... encoding="X"?>` says, if it is not UTF-8.
std::optional<std::string> xml_encoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return std::nullopt;
  const std::string_view head = text.substr(0, std::min(text.find("?>"), std::size_t{200}));
  auto at = head.find("encoding");
  at = at == head.npos ? at : head.find_first_of("\"'", at);
  const auto end = at == head.npos ? at : head.find(head[at], at + 1);
  if (end == head.npos) return std::nullopt;
  std::string out(head.substr(at + 1, end - at - 1));
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out == "UTF-8" || out == "UTF8" ? std::nullopt : std::optional(out);
}

/// Where the text is not UTF-8; npos if it is.
std::size_t first_fault(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::uint64_t eight = 0;  // bytes at once, while all are ASCII
    if (i + sizeof eight <= text.size()) std::memcpy(&eight, text.data() + i, sizeof eight);
    if (i + sizeof eight <= text.size() && (eight & 0x8080808080808080U) == 0) {
      i += sizeof eight;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

/// Whether a CR ends a line by itself: no LF follows it.
bool is_lone(std::string_view text, std::size_t cr) { return cr + 1 == text.size() || text[cr + 1] != '\n'; }

/// Lines that end in LF or CRLF, and none that begins with a mark, as those of joined files do.
void normalize_lines(std::string& text) {
  std::size_t cr = text.find('\r');
  while (cr != text.npos && !is_lone(text, cr)) cr = text.find('\r', cr + 1);
  if (cr == text.npos && text.find(kMark) == text.npos) return;
  const std::string_view from = text;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < from.size(); ++at) {
    const bool begins = out.empty() || out.back() == '\n';
    if (begins && from.substr(at).starts_with(kMark)) {
      at += kMark.size() - 1;
    } else if (from[at] != '\r' || !is_lone(from, at)) {
      out += from[at];
    } else if (at + 1 == from.size() || from[at + 1] != '\r') {  // CR CR LF is one end, as text mode writes it twice
      out += '\n';
    }
  }
  text = std::move(out);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (!text.empty() && static_cast<unsigned char>(text.front()) < 0x80U) return 1;
  utf8proc_int32_t character = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                   static_cast<utf8proc_ssize_t>(text.size()), &character);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

std::string without_mark(std::string bytes, const std::string& file) {
  if (const auto encoding = wide_encoding(bytes)) {
    std::optional<std::string> text = converted(bytes, *encoding);
    require<DataError>(text.has_value(), "'{}' looks like {}, but holds bytes that are not. Write it as UTF-8.", file,
                       *encoding);
    bytes = std::move(*text);
  }
  normalize_lines(bytes);
  return bytes;
}

std::string as_utf8(std::string bytes, const std::string& file) {
  refuse_binary(bytes, file);
  bytes = without_mark(std::move(bytes), file);
  if (const Markup* const markup = markup_in(bytes))
    throw DataError(fmt::format("'{}' is {}, not a table. {}.", file, markup->what, markup->advice));
  const std::optional<std::string> named = xml_encoding(bytes);
  std::size_t fault = first_fault(bytes);
  if (named && fault != std::string::npos) {
    std::optional<std::string> text = converted(bytes, *named);
    require<DataError>(text.has_value(), "'{}' says that its encoding is {}, but it is not. Write it as UTF-8.", file,
                       *named);
    bytes = std::move(*text);
    fault = first_fault(bytes);
  }
  const auto place = [&](std::size_t at) {
    return at_line(file, 1 + static_cast<std::size_t>(
                                 std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
  };
  const std::size_t zero = bytes.find('\0');
  require<DataError>(zero == std::string::npos,
                     "{}: The file has a byte 0, so it is not a text. Give a table as text (CSV), or a .npy file.",
                     place(std::min(zero, bytes.size())));
  require<DataError>(fault == std::string::npos,
                     "{}: The text is not UTF-8: it has the byte {:#04x}. Many files of Windows are in Windows-1252, "
                     "which contains Latin-1. To convert one: iconv -f WINDOWS-1252 -t UTF-8 '{}' > utf8.csv",
                     place(std::min(fault, bytes.size())),
                     fault < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[fault])) : 0U, file);
  return bytes;
}

std::string read_utf8(const std::filesystem::path& path) { return as_utf8(read_text(path), path.string()); }

}  // namespace alidade
