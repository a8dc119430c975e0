// Whether the intervals of `alidade curve` hold what twice and four times the answers give, over simulated studies.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/scratch_folder.hpp"

namespace curve_coverage_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr Index kObjects = 20;

/// People answer as the logistic function of the difference of distances says; 6 % are guesses. Or, without a
/// sharpness, they always know which is nearer, and 40 % are guesses.
struct Study {
  Matrix points;
  double sharpness;
  [[nodiscard]] double chance(ObjectId anchor, ObjectId near, ObjectId far) const {
    const auto distance = [&](ObjectId i) {
      return (points.row(static_cast<Index>(anchor)) - points.row(static_cast<Index>(i))).norm();
    };
    if (sharpness == 0) return distance(far) > distance(near) ? 0.8 : 0.2;
    return 0.03 + 0.94 / (1 + std::exp(-sharpness * (distance(far) - distance(near))));
  }
  [[nodiscard]] std::string answers(int count, Rng& rng) const {
    std::string out;
    while (count > 0) {
      const auto a = static_cast<ObjectId>(rng.below(kObjects)), b = static_cast<ObjectId>(rng.below(kObjects)),
                 c = static_cast<ObjectId>(rng.below(kObjects));
      if (a == b || b == c || a == c) continue;
      const bool as_said = rng.uniform01() < chance(a, b, c);
      out += fmt::format("o{},o{},o{}\n", a, as_said ? b : c, as_said ? c : b);
      --count;
    }
    return out;
  }
  /// The error of a map on all questions, as often as people answer against it.
  [[nodiscard]] double error_of(const Matrix& map) const {
    double sum = 0;
    Index questions = 0;
    for (ObjectId a = 0; a < kObjects; ++a)
      for (ObjectId b = 0; b < kObjects; ++b)
        for (ObjectId c = 0; c < b; ++c) {
          if (a == b || a == c) continue;
          const auto squared = [&](ObjectId i) {
            return (map.row(static_cast<Index>(a)) - map.row(static_cast<Index>(i))).squaredNorm();
          };
          const double p = chance(a, b, c);
          sum += squared(b) < squared(c) ? 1 - p : p;
          ++questions;
        }
    return sum / static_cast<double>(questions);
  }
};

Matrix map_in(const std::filesystem::path& csv) {
  const std::string text = read_bytes(csv);
  RowReader reader(text, csv.string(), ',');
  Matrix out(kObjects, 2);
  REQUIRE(reader.next());
  while (reader.next()) {
    const auto row = static_cast<Index>(std::stoi(std::string(reader.fields()[0].substr(1))));
    out.row(row) << parse_double(reader.fields()[2]).value(), parse_double(reader.fields()[3]).value();
  }
  return out;
}

}  // namespace

TEST_SUITE("statistical") {
  TEST_CASE("90 % intervals of the curve hold what twice and four times the answers give in 85 to 98 % of studies") {
    constexpr int kStudies = 240;
    const std::array<int, 3> sizes = {300, 900, 2700};
    const std::array<double, 4> sharpness = {1.5, 3, 6, 0};
    using Held = std::array<int, 4>;  // the error at twice and at four times, and what these gain
    std::array<std::array<Held, 3>, 4> held{};
    Held sums{};
    for (std::size_t s = 0; s < kStudies; ++s) {
      Rng rng = Rng::stream(77, "study", s);
      const std::size_t noise = s / 3 % 4, size = s % 3;
      const Study study{gaussian_points(kObjects, 2, rng), sharpness[noise]};
      const ScratchFolder scratch;
      std::string answers = "anchor,near,far\n" + study.answers(sizes[size], rng);
      const auto error_of_map = [&] {
        write_text(scratch / "answers.csv", answers);
        run_well("embed answers.csv -p ste --holdout 0 -o map --force", scratch);
        return study.error_of(map_in(scratch / "map" / "embedding.csv"));
      };
      const double now = error_of_map();
      run_well("curve answers.csv -o curve.csv", scratch);
      RowReader reader(read_bytes(scratch / "curve.csv"), "curve.csv", ',');
      for (std::size_t k = 0; k < 2; ++k) {
        answers += study.answers(sizes[size] << k, rng);
        const double then = error_of_map();
        while (reader.next() && reader.fields()[0] != std::to_string(sizes[size] << (k + 1))) {
        }
        const auto between = [&](std::size_t column, double truth) {
          return parse_double(reader.fields()[column]).value() <= truth &&
                 truth <= parse_double(reader.fields()[column + 1]).value();
        };
        for (const auto& [what, holds] : {std::pair{k, between(2, then)}, {2 + k, between(5, now - then)}}) {
          held[noise][size][what] += holds ? 1 : 0;
          sums[what] += holds ? 1 : 0;
        }
      }
    }
    // The table of experiments/pages/answers.md.
    fmt::print(
        "| answers are | number | studies | error at twice | at four times | gain at twice | at four times |\n"
        "|---|---|---|---|---|---|---|\n");
    for (std::size_t noise = 0; noise < 4; ++noise)
      for (std::size_t size = 0; size < 3; ++size)
        fmt::print("| {} | {} | {} | {} |\n", std::array{"noisy", "usual", "sharp", "lapses"}[noise], sizes[size],
                   kStudies / 12, fmt::join(held[noise][size], " | "));
    fmt::print("| all | | {} | {} |\n", kStudies, fmt::join(sums, " | "));
    for (const int count : sums) {
      CHECK(count >= 0.85 * kStudies);
      CHECK(count <= 0.98 * kStudies);
    }
  }
}

}  // namespace curve_coverage_test
