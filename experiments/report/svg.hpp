// Drawing in SVG, for the report page and for papers: marks, lines, texts, and scales with their ticks.
// Pixels from the top left. Colours are after Okabe and Ito, with shapes and dashes beside them so that nothing is said
// by colour alone; report.css gives each its colour on dark. Texts from data are escaped here; bytes that XML cannot
// have become U+FFFD.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::report {

struct Pixel {
  double x = 0;
  double y = 0;
};

inline constexpr std::string_view kInkColour = "#1b1f23";
/// Of words that say what a mark is, such as those at ticks.
inline constexpr std::string_view kSoftColour = "#5c6670";
/// Of lines that lead from a name to its mark, and of error bars.
inline constexpr std::string_view kFaintColour = "#8b949e";
inline constexpr std::string_view kGridColour = "#eceff1";

enum class Anchor { start, middle, end };

struct Stroke {
  std::string_view colour = kInkColour;
  double width = 1;
  std::string_view dashes = "";  // of stroke-dasharray
  double opacity = 1;
};

/// Of the k-th method or label; 10 colours, 6 shapes, no two alike of the first 30.
[[nodiscard]] std::string_view palette_colour(std::size_t k);
[[nodiscard]] std::string_view palette_dashes(std::size_t k);
/// From dark blue over grey to yellow as share goes from 0 to 1, as "#rrggbb".
[[nodiscard]] std::string ramp_colour(double share);

/// Text for an attribute or element of XML.
[[nodiscard]] std::string xml_text(std::string_view text);

/// `points` without those that lie within `tolerance` pixels of the line through the rest [Douglas and Peucker 1973].
/// The first and the last stay. O(n^2) at worst, O(n log n) for curves.
[[nodiscard]] std::vector<Pixel> simplified(std::span<const Pixel> points, double tolerance);

/// About how wide a text is drawn, in pixels: no fonts are asked.
[[nodiscard]] double text_width(std::string_view text, double size);

/// The first `length` characters (of UTF-8) of a text, the last of them "…" if it is longer.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t length);

/// The same of a name whose end tells it from others, such as a swept method's: "…" stands inside, after two thirds of
/// what is kept.
[[nodiscard]] std::string shortened_inside(std::string_view text, std::size_t length);

class SvgDrawing {
 public:
  /// `attributes` of the whole drawing, each with a blank before it: ` data-x="1"`.
  SvgDrawing(double width, double height, std::string_view attributes = "");

  /// What is drawn up to end_group() stands together. `attributes` as above.
  void begin_group(std::string_view attributes);
  void end_group();
  void line(Pixel from, Pixel to, const Stroke& stroke);
  /// To a tenth of a pixel.
  void polyline(std::span<const Pixel> points, const Stroke& stroke);
  void area(std::span<const Pixel> points, std::string_view fill, double opacity);
  void polygon(std::span<const Pixel> points, std::string_view fill, double opacity, const Stroke& stroke);
  /// The k-th shape: circle, square, triangle, diamond, inverted triangle, cross.
  void mark(std::size_t k, Pixel at, double radius, std::string_view fill, double opacity);
  /// Lines from their first to their second point, all in one element. To a tenth of a pixel.
  void lines(std::span<const std::pair<Pixel, Pixel>> ends, const Stroke& stroke);
  /// Texts of one look, each centred on its place's y.
  void texts(std::span<const std::pair<Pixel, std::string>> words, Anchor anchor, double size, std::string_view colour);
  /// Round dots, all in one element.
  void dots(std::span<const Pixel> places, double radius, std::string_view fill, double opacity);
  void ring(Pixel at, double radius, const Stroke& stroke);
  void rectangle(Pixel corner, double width, double height, std::string_view fill);
  /// Centred on `at.y`; turned by -90 degrees about `at` if `upward`.
  void text(std::string_view words, Pixel at, Anchor anchor, double size, bool bold = false,
            std::string_view colour = kInkColour, bool upward = false);
  /// What a screen reader says of the drawing; nothing of it is drawn.
  void description(std::string_view words);
  [[nodiscard]] std::string finished() const;

 private:
  std::string out_;
};

/// From values to pixels, in proportion or by the logarithm; `low` < `high`, both > 0 for a logarithm.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  bool logarithmic = false;
  bool whole = false;    // counts: no ticks between whole numbers
  bool percent = false;  // shares: 0.5 is written 50 %
  [[nodiscard]] double operator()(double value) const;
  /// Values and their texts: about five multiples of 1, 2 or 5 times a power of ten; of a logarithm powers of ten, 2
  /// and 5 times them over fewer than three decades, and multiples as of others over a part of one. Very large and very
  /// small ones are written 2·10⁻⁶.
  [[nodiscard]] std::vector<std::pair<double, std::string>> ticks() const;
};

}  // namespace alidade::report
