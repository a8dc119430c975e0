// SVG drawing for the report page and for papers: marks, lines, texts, and scales with their ticks.
// Pixels from the top left. Colours are after Okabe and Ito; shapes and dashes accompany them, so that colour alone
// carries no information. The page and Python draw with the same ones.
// Texts from data are escaped here; bytes that XML cannot hold become U+FFFD.
#pragma once

#include <algorithm>
#include <array>
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

/// The lowest and the highest of some numbers.
struct Range {
  double low = 0, high = 0;
  bool any = false;
  void add(double value) {
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  [[nodiscard]] bool wider_than(double factor) const { return any && low > 0 && high > factor * low; }
};

inline constexpr std::string_view kInkColour = "#1b1f23";
/// Colour of words that explain marks, such as those at ticks.
inline constexpr std::string_view kSoftColour = "#5c6670";
/// Colour of error bars and of lines from a name to its mark.
inline constexpr std::string_view kFaintColour = "#8b949e";
inline constexpr std::string_view kGridColour = "#eceff1";
inline constexpr std::string_view kPaperColour = "#ffffff";

enum class Anchor { start, middle, end };

struct Stroke {
  std::string_view colour = kInkColour;
  double width = 1;
  std::string_view dashes = "";  // of stroke-dasharray
  double opacity = 1;
};

/// Colours of methods and labels. With the shapes of marks, the first 30 combinations differ.
inline constexpr std::array<std::string_view, 10> kPalette = {"#0072b2", "#d55e00", "#009e73", "#b8588f", "#c98500",
                                                              "#3a9fd6", "#6b5b95", "#6f6f6f", "#8a4b2f", "#8f9a1e"};
/// Shapes of marks of radius 1 about 0: x and y of each corner. The first is the circle, without corners.
extern const std::vector<std::vector<double>> kMarkShapes;

[[nodiscard]] std::string_view palette_colour(std::size_t k);
[[nodiscard]] std::string_view palette_dashes(std::size_t k);
/// The colours as variables of a page, light and dark, and as those that its charts take in the place of their own.
[[nodiscard]] std::string palette_css();
/// From dark blue over grey to yellow as share goes from 0 to 1, as "#rrggbb".
[[nodiscard]] std::string ramp_colour(double share);

/// Text for an attribute or element of XML.
[[nodiscard]] std::string xml_text(std::string_view text);

/// `points` without those that lie within `tolerance` pixels of the line through the rest [Douglas and Peucker 1973].
/// The first and the last stay. O(n^2) at worst, O(n log n) for curves.
[[nodiscard]] std::vector<Pixel> simplified(std::span<const Pixel> points, double tolerance);

/// Estimated width of a drawn text, in pixels: that in DejaVu Sans, so that usual fonts need no more.
[[nodiscard]] double text_width(std::string_view text, double size);

/// The first `length` characters (of UTF-8) of a text; the last of them is "…" if it is longer.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t length);

/// Shortens a name whose end distinguishes it, such as a swept method's: "…" stands after two thirds of the kept
/// characters.
[[nodiscard]] std::string shortened_inside(std::string_view text, std::size_t length);

class SvgDrawing {
 public:
  /// `attributes` of the whole drawing, each preceded by a blank: ` data-x="1"`.
  SvgDrawing(double width, double height, std::string_view attributes = "");

  /// Groups everything drawn before end_group(). `attributes` as above.
  void begin_group(std::string_view attributes);
  void end_group();
  void line(Pixel from, Pixel to, const Stroke& stroke);
  /// Rounded to a tenth of a pixel.
  void polyline(std::span<const Pixel> points, const Stroke& stroke);
  void area(std::span<const Pixel> points, std::string_view fill, double opacity);
  void polygon(std::span<const Pixel> points, std::string_view fill, double opacity, const Stroke& stroke);
  /// The k-th shape: circle, square, triangle, diamond, inverted triangle, cross. Browsers show its title on hover.
  void mark(std::size_t k, Pixel at, double radius, std::string_view fill, double opacity, std::string_view title = "");
  /// Lines from their first to their second point, all in one element. Rounded to a tenth of a pixel.
  void lines(std::span<const std::pair<Pixel, Pixel>> ends, const Stroke& stroke);
  /// Texts of one style, each centred on its place's y.
  void texts(std::span<const std::pair<Pixel, std::string>> words, Anchor anchor, double size, std::string_view colour);
  /// Round dots, all in one element.
  void dots(std::span<const Pixel> places, double radius, std::string_view fill, double opacity);
  void ring(Pixel at, double radius, const Stroke& stroke);
  void rectangle(Pixel corner, double width, double height, std::string_view fill);
  /// Centred on `at.y`; turned by -90 degrees about `at` if `upward`.
  void text(std::string_view words, Pixel at, Anchor anchor, double size, bool bold = false,
            std::string_view colour = kInkColour, bool upward = false);
  /// Another drawing, as its finished() gave it, with its top left corner there.
  void place(std::string_view drawing, Pixel corner);
  /// The description for screen readers; it is not drawn.
  void description(std::string_view words);
  [[nodiscard]] std::string finished() const;

 private:
  std::string out_;
};

/// Maps values to pixels, linearly or by the logarithm; `low` < `high`, both > 0 for a logarithm.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  bool logarithmic = false;
  bool whole = false;    // counts: no ticks between whole numbers
  bool percent = false;  // shares: 0.5 is written 50 %
  [[nodiscard]] double operator()(double value) const;
  /// Values and their texts. Linear: about five multiples of 1, 2 or 5 times a power of ten. Logarithmic: powers of
  /// ten; over fewer than three decades also 2 and 5 times them; over part of a decade, multiples as on linear scales.
  /// Very large and very small values are written as 2·10⁻⁶.
  [[nodiscard]] std::vector<std::pair<double, std::string>> ticks() const;
};

}  // namespace alidade::report
