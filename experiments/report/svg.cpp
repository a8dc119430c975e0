#include "experiments/report/svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>

#include "experiments/files/text_encoding.hpp"

namespace alidade::report {
namespace {

constexpr std::array<std::string_view, kPalette.size()> kDarkPalette = {
    "#4aa3df", "#ee7f3a", "#2fc398", "#dc8fbd", "#e8b339", "#8fd0f5", "#a99bd6", "#a8a8a8", "#c78d72", "#cdd65c"};
constexpr std::array<std::string_view, 4> kDashes = {"", "6 3", "2 2", "6 2 2 2"};

// Red, green, blue; in even steps of lightness: read with any colour vision, and in grey.
constexpr std::array<int, 30> kRamp = {0,   32,  76,  0,   52,  110, 57,  72,  107, 87,  92,  109, 112, 113, 115,
                                       138, 134, 120, 166, 157, 117, 196, 181, 107, 228, 207, 91,  255, 234, 70};

std::string number(double value) {
  std::string out = fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string style(const Stroke& stroke) {
  std::string out = fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, number(stroke.width));
  if (!stroke.dashes.empty()) out += fmt::format(" stroke-dasharray=\"{}\"", stroke.dashes);
  if (stroke.opacity < 1) out += fmt::format(" stroke-opacity=\"{}\"", number(stroke.opacity));
  return out;
}

std::string list_of(std::span<const Pixel> points) {
  std::string out;
  for (const Pixel& p : points) out += (out.empty() ? "" : " ") + number(p.x) + "," + number(p.y);
  return out;
}

// Relative steps between points in tenths of a pixel: a third of the bytes of absolute places.
std::string path_of(std::span<const Pixel> points) {
  const auto tenths = [](double v) { return std::lround(10 * v); };
  const auto written = [](long v) {  // -4 as "-.4", 30 as "3"
    const long size = std::abs(v);
    std::string out = v < 0 ? "-" : "";
    if (size >= 10 || size == 0) out += fmt::format("{}", size / 10);
    return size % 10 == 0 ? out : out + fmt::format(".{}", size % 10);
  };
  long x = tenths(points.front().x), y = tenths(points.front().y);
  std::string out = "M" + written(x) + " " + written(y);
  char last = 'M';
  const auto add = [&](char command, std::initializer_list<long> steps) {
    if (command != last) out += command;
    bool first = command != last;
    for (const long step : steps) {
      if (!first && step >= 0) out += ' ';
      out += written(step);
      first = false;
    }
    last = command;
  };
  for (const Pixel& p : points.subspan(1)) {
    const long dx = tenths(p.x) - x, dy = tenths(p.y) - y;
    if (dx == 0 && dy == 0) continue;
    if (dy == 0)
      add('h', {dx});
    else if (dx == 0)
      add('v', {dy});
    else
      add('l', {dx, dy});
    x += dx;
    y += dy;
  }
  return out;
}

// Length of the UTF-8 character at `at`, or 1 if there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
  return std::max<std::size_t>(utf8_length(text.substr(at)), 1);
}

// -12 as "⁻¹²".
std::string superscript(int value) {
  constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = value < 0 ? "⁻" : "";
  for (const char digit : fmt::format("{}", std::abs(value))) out += kDigits[static_cast<std::size_t>(digit - '0')];
  return out;
}

// "10⁻⁶", "2·10⁶"
std::string power_text(double value) {
  if (value == 0) return "0";
  const int power = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  const std::string mantissa = fmt::format("{:.6g}", value / std::pow(10.0, power));
  const std::string ten = "10" + superscript(power);
  return mantissa == "1" ? ten : mantissa == "-1" ? "-" + ten : mantissa + "·" + ten;
}

// "12,000", "0.05"
std::string plain_tick_text(double value) {
  std::string out = fmt::format("{:.6g}", value);
  const auto first = static_cast<std::size_t>(out.front() == '-' ? 1 : 0);
  for (std::size_t at = std::min(out.find('.'), out.size()); at > first + 3;) {
    at -= 3;
    out.insert(at, ",");
  }
  return out;
}

double distance_from_segment(Pixel p, Pixel a, Pixel b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// Widths of the characters from ' ' to '~' in hundredths of the size, in DejaVu Sans: wider than Helvetica and Arial.
constexpr std::array<int, 95> kWidths = {32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
                                         64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
                                         58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,  61, 73, 68, 99, 69,
                                         61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,  63, 63, 28, 28, 58,
                                         28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59,  52, 64, 34, 64, 84};

}  // namespace

const std::vector<std::vector<double>> kMarkShapes = {
    {},
    {-0.86, -0.86, 0.86, -0.86, 0.86, 0.86, -0.86, 0.86},
    {0, -1.2, 1.13, 0.85, -1.13, 0.85},
    {0, -1.22, 1.22, 0, 0, 1.22, -1.22, 0},
    {0, 1.2, 1.13, -0.85, -1.13, -0.85},
    {-0.38, -1.15, 0.38,  -1.15, 0.38,  -0.38, 1.15,  -0.38, 1.15,  0.38,  0.38,  0.38,
     0.38,  1.15,  -0.38, 1.15,  -0.38, 0.38,  -1.15, 0.38,  -1.15, -0.38, -0.38, -0.38}};

std::vector<Pixel> simplified(std::span<const Pixel> points, double tolerance) {
  if (points.size() < 3) return {points.begin(), points.end()};
  std::vector<bool> kept(points.size(), false);
  kept.front() = kept.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, points.size() - 1}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    double farthest = tolerance;
    std::size_t at = from;
    for (std::size_t i = from + 1; i < to; ++i)
      if (const double d = distance_from_segment(points[i], points[from], points[to]); d > farthest) {
        farthest = d;
        at = i;
      }
    if (at == from) continue;
    kept[at] = true;
    open.emplace_back(from, at);
    open.emplace_back(at, to);
  }
  std::vector<Pixel> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept[i]) out.push_back(points[i]);
  return out;
}

std::string_view palette_colour(std::size_t k) { return kPalette[k % kPalette.size()]; }
std::string_view palette_dashes(std::size_t k) { return kDashes[(k + k / kPalette.size()) % kDashes.size()]; }

std::string palette_css() {
  std::string light, dark, drawings;
  const auto follow = [&](std::string_view colour, std::string_view name) {
    for (const char* part : {"stroke", "fill"})
      drawings += fmt::format(".charts [{0}=\"{1}\"] {{ {0}: var(--{2}); }}\n", part, colour, name);
  };
  for (std::size_t k = 0; k < kPalette.size(); ++k) {
    light += fmt::format("--c{}: {}; ", k + 1, kPalette[k]);
    dark += fmt::format("--c{}: {}; ", k + 1, kDarkPalette[k]);
    follow(kPalette[k], fmt::format("c{}", k + 1));
  }
  follow(kInkColour, "ink");
  follow(kSoftColour, "soft");
  follow(kFaintColour, "faint");
  follow(kGridColour, "grid");
  follow(kPaperColour, "card");
  return fmt::format(":root {{ {}}}\n:root[data-theme=\"dark\"] {{ {}}}\n{}", light, dark, drawings);
}

std::string ramp_colour(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(kRamp.size() / 3 - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(at), kRamp.size() / 3 - 2);
  const double part = at - static_cast<double>(k);
  const auto channel = [&](std::size_t c) {
    return static_cast<int>(std::lround(kRamp[3 * k + c] + part * (kRamp[3 * k + 3 + c] - kRamp[3 * k + c])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

std::string xml_text(std::string_view text) {
  static const std::map<std::string_view, std::string_view> kEscaped = {
      {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"\n", " "}, {"\r", " "}, {"\t", " "}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view whole = text.substr(at, character_length(text, at));
    const auto first = static_cast<unsigned char>(whole.front());
    const bool never =
        first < 0x20 || (whole.size() == 1 && first >= 0x80) || whole == "\xEF\xBF\xBE" || whole == "\xEF\xBF\xBF";
    const auto escaped = kEscaped.find(whole);
    out += escaped != kEscaped.end() ? escaped->second : never ? "\xEF\xBF\xBD" : whole;
    at += whole.size();
  }
  return out;
}

double text_width(std::string_view text, double size) {
  double hundredths = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const auto code = static_cast<std::size_t>(static_cast<unsigned char>(text[at]));
    if (code >= 32 && code < 32 + kWidths.size())
      hundredths += kWidths[code - 32];
    else
      hundredths += length >= 3 ? 100 : 70;  // East Asian characters are as wide as they are high
    at += length;
  }
  return size * hundredths / 100;
}

std::string shortened(std::string_view text, std::size_t length) {
  std::size_t count = 0;
  std::size_t cut = 0;  // end of the last character that fits before "…"
  for (std::size_t at = 0; at < text.size(); ++count) {
    if (count == length) return std::string(text.substr(0, cut)) + "…";
    at += character_length(text, at);
    if (count + 1 < length) cut = at;
  }
  return std::string(text);
}

std::string shortened_inside(std::string_view text, std::size_t length) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); at += character_length(text, at)) starts.push_back(at);
  if (starts.size() <= length || length < 2) return shortened(text, length);
  const std::size_t tail = (length - 1) / 3 == 0 ? 1 : (length - 1) / 3;
  const std::size_t head = length - 1 - tail;
  return std::string(text.substr(0, starts[head])) + "…" + std::string(text.substr(starts[starts.size() - tail]));
}

SvgDrawing::SvgDrawing(double width, double height, std::string_view attributes)
    : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
                       "{1}\"{2} font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
                       number(width), number(height), attributes)) {}

void SvgDrawing::begin_group(std::string_view attributes) { out_ += fmt::format("<g{}>\n", attributes); }
void SvgDrawing::end_group() { out_ += "</g>\n"; }

void SvgDrawing::line(Pixel from, Pixel to, const Stroke& stroke) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", number(from.x), number(from.y),
                      number(to.x), number(to.y), style(stroke));
}

void SvgDrawing::polyline(std::span<const Pixel> points, const Stroke& stroke) {
  if (points.empty()) return;
  out_ += "<path fill=\"none\" d=\"" + path_of(points) + "\"" + style(stroke) + "/>\n";
}

void SvgDrawing::area(std::span<const Pixel> points, std::string_view fill, double opacity) {
  if (points.empty()) return;
  out_ += fmt::format("<path d=\"{}z\" fill=\"{}\" fill-opacity=\"{}\"/>\n", path_of(points), fill, number(opacity));
}

void SvgDrawing::polygon(std::span<const Pixel> points, std::string_view fill, double opacity, const Stroke& stroke) {
  if (points.empty()) return;
  out_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{}\"{}/>\n", list_of(points), fill,
                      number(opacity), style(stroke));
}

void SvgDrawing::mark(std::size_t k, Pixel at, double radius, std::string_view fill, double opacity,
                      std::string_view title) {
  std::vector<Pixel> points;
  const std::vector<double>& corners = kMarkShapes[k % kMarkShapes.size()];
  for (std::size_t c = 0; c < corners.size(); c += 2)
    points.push_back({at.x + radius * corners[c], at.y + radius * corners[c + 1]});
  const std::string_view element = points.empty() ? "circle" : "polygon";
  out_ += points.empty()
              ? fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", number(at.x), number(at.y), number(radius))
              : fmt::format("<polygon points=\"{}\"", list_of(points));
  out_ += fmt::format(" fill=\"{}\"{} stroke=\"{}\" stroke-width=\"0.6\"{}", fill,
                      opacity < 1 ? fmt::format(" fill-opacity=\"{}\"", number(opacity)) : "", kPaperColour,
                      title.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", xml_text(title), element));
}

void SvgDrawing::lines(std::span<const std::pair<Pixel, Pixel>> ends, const Stroke& stroke) {
  if (ends.empty()) return;
  std::string path;
  for (const auto& [from, to] : ends) path += path_of(std::array{from, to});
  out_ += "<path d=\"" + path + "\"" + style(stroke) + "/>\n";
}

void SvgDrawing::texts(std::span<const std::pair<Pixel, std::string>> words, Anchor anchor, double size,
                       std::string_view colour) {
  if (words.empty()) return;
  out_ += fmt::format("<g font-size=\"{}\" fill=\"{}\"{}>\n", number(size), colour,
                      anchor == Anchor::start    ? ""
                      : anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                 : " text-anchor=\"end\"");
  for (const auto& [at, text] : words)
    out_ +=
        fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", number(at.x), number(at.y + 0.35 * size), xml_text(text));
  out_ += "</g>\n";
}

void SvgDrawing::dots(std::span<const Pixel> places, double radius, std::string_view fill, double opacity) {
  if (places.empty()) return;
  std::string path;  // lines of zero length, which round ends turn into dots
  for (const Pixel& p : places) path += "M" + number(p.x) + " " + number(p.y) + "h0";
  out_ += fmt::format("<path d=\"{}\" stroke-linecap=\"round\"{}/>\n", path,
                      style({.colour = fill, .width = 2 * radius, .opacity = opacity}));
}

void SvgDrawing::ring(Pixel at, double radius, const Stroke& stroke) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"none\"{}/>\n", number(at.x), number(at.y),
                      number(radius), style(stroke));
}

void SvgDrawing::rectangle(Pixel corner, double width, double height, std::string_view fill) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(corner.x),
                      number(corner.y), number(width), number(height), fill);
}

void SvgDrawing::text(std::string_view words, Pixel at, Anchor anchor, double size, bool bold, std::string_view colour,
                      bool upward) {
  const std::string x = number(at.x);
  const std::string y = number(at.y);
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" dy=\"0.35em\" font-size=\"{}\"", x, y, number(size));
  if (anchor != Anchor::start) out_ += anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (bold) out_ += " font-weight=\"600\"";
  if (upward) out_ += " transform=\"rotate(-90 " + x + " " + y + ")\"";
  out_ += fmt::format(" fill=\"{}\">{}</text>\n", colour, xml_text(words));
}

void SvgDrawing::description(std::string_view words) { out_ += "<desc>" + xml_text(words) + "</desc>\n"; }

void SvgDrawing::place(std::string_view drawing, Pixel corner) {
  constexpr std::string_view kEnd = "</svg>\n";
  const std::size_t begin = drawing.find('\n') + 1;
  out_ += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", number(corner.x), number(corner.y),
                      drawing.substr(begin, drawing.size() - begin - kEnd.size()));
}

std::string SvgDrawing::finished() const { return out_ + "</svg>\n"; }

double Scale::operator()(double value) const {
  const double share = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
}

std::vector<std::pair<double, std::string>> Scale::ticks() const {
  std::vector<double> values;
  const auto add = [&](double value) {
    const double slack = logarithmic ? 1e-9 : 1e-9 * (high - low);
    if (value >= (logarithmic ? low * (1 - slack) : low - slack) &&
        value <= (logarithmic ? high * (1 + slack) : high + slack) && (!whole || value == std::round(value)))
      values.push_back(value);
  };
  if (logarithmic) {
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    const bool fine = std::log10(high / low) < 3;
    const int step = std::max(1, (last - first + 7) / 8);
    for (int k = first; k <= last; k += step)
      for (const double digit : {1.0, 2.0, 5.0})
        if (digit == 1.0 || fine) add(digit * std::pow(10.0, k));
  }
  if (values.size() < 3) {  // linear, or a short part of a decade
    values.clear();
    const double rough = (high - low) / 5;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = power;  // the step that gives the number of ticks nearest to five
    for (const double digit : {2.0, 5.0, 10.0})
      if (std::abs(std::log(digit * power / rough)) < std::abs(std::log(step / rough))) step = digit * power;
    if (whole) step = std::max(step, 1.0);
    for (double k = std::ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12) + 1e-9 * step; ++k)
      add(k == 0 ? 0 : k * step);
  }
  // One notation for all ticks of a linear axis; on a logarithm each value decides.
  double greatest = 0;
  for (const double value : values) greatest = std::max(greatest, std::abs(value));
  std::vector<std::pair<double, std::string>> out;
  for (const double value : values) {
    const double size = logarithmic ? value : greatest;
    const bool extreme = greatest > 0 && (size >= 1e6 || size < (logarithmic ? 0.99e-3 : 1e-3));
    out.emplace_back(value, percent   ? fmt::format("{:.6g} %", 100 * value)
                            : extreme ? power_text(value)
                                      : plain_tick_text(value));
  }
  return out;
}

}  // namespace alidade::report
