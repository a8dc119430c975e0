#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/friedman.hpp"
#include "experiments/statistics/paired_tests.hpp"
#include "experiments/statistics/proportion.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace statistics_test {
namespace {

using namespace alidade;
using namespace alidade::statistics;

doctest::Approx near(double value, double relative = 1e-12) {
  return doctest::Approx(value).epsilon(relative).scale(0);
}

std::vector<double> zeros_like(const std::vector<double>& x) { return std::vector<double>(x.size(), 0); }

// By going through all 2^n signs of the ranks.
double wilcoxon_by_enumeration(const std::vector<double>& d) {
  std::vector<double> sizes;
  for (const double v : d)
    if (v != 0) sizes.push_back(std::abs(v));
  std::vector<double> ranks;
  for (const double a : sizes) {
    double below = 0, same = 0;
    for (const double b : sizes) (b < a ? below : same) += b <= a ? 1 : 0;
    ranks.push_back(below + (same + 1) / 2);
  }
  double value = 0, total = 0;
  std::size_t at = 0;
  for (const double v : d)
    if (v != 0) {
      total += ranks[at];
      if (v > 0) value += ranks[at];
      ++at;
    }
  const double off = std::abs(value - total / 2);
  std::size_t as_far = 0;
  const std::size_t patterns = std::size_t{1} << ranks.size();
  for (std::size_t signs = 0; signs < patterns; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if ((signs >> i & 1U) != 0) sum += ranks[i];
    if (std::abs(sum - total / 2) >= off - 1e-9) ++as_far;
  }
  return static_cast<double>(as_far) / static_cast<double>(patterns);
}

// Hollander & Wolfe's depression scores, as in scipy's and R's documentation.
const std::vector<double> kBefore{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
const std::vector<double> kAfter{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};

// Fourteen data sets, four variants of a decision tree (Demsar 2006, Table 6).
const std::vector<double> kTrees{0.763, 0.768, 0.771,  0.798, 0.599, 0.591, 0.590, 0.569, 0.954, 0.971, 0.968, 0.967,
                                 0.628, 0.661, 0.654,  0.657, 0.882, 0.888, 0.886, 0.898, 0.936, 0.931, 0.916, 0.931,
                                 0.661, 0.668, 0.609,  0.685, 0.583, 0.583, 0.563, 0.625, 0.775, 0.838, 0.866, 0.875,
                                 1.0,   1.0,   1.0,    1.0,   0.940, 0.962, 0.965, 0.962, 0.619, 0.666, 0.614, 0.669,
                                 0.972, 0.981, 0.9751, 0.975, 0.957, 0.978, 0.946, 0.970};

}  // namespace

TEST_CASE("tails and quantiles agree with scipy 1.10") {
  CHECK(normal_probability(-1.7) == near(0.04456546275854304));
  CHECK(normal_quantile(0.01) == near(-2.3263478740408408));
  CHECK(normal_quantile(0) == -HUGE_VAL);
  CHECK(normal_quantile(1 - 1e-20) == HUGE_VAL);
  CHECK(student_two_sided(2.1, 7) == near(0.0738711962129226));
  CHECK(student_two_sided(-2.1, 7) == student_two_sided(2.1, 7));
  CHECK(student_two_sided_quantile(0.05, 29) == near(2.045229642132703));
  CHECK(chi_squared_upper(7.3, 4) == near(0.12085874882121235));
  CHECK(f_upper(2.5, 3, 39) == near(0.07365642913972294));
}

TEST_CASE("the studentized range has the quantiles of Demsar's table and scipy's digits") {
  constexpr std::array<double, 9> kPrinted = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
  for (int k = 2; k <= 10; ++k) {
    CAPTURE(k);
    const double q = studentized_range_quantile(0.05, k) / std::sqrt(2.0);
    CHECK(std::abs(q - kPrinted.at(static_cast<std::size_t>(k - 2))) < 0.001);  // printed without rounding
  }
  // scipy.stats.studentized_range.ppf(p, k, inf)
  CHECK(studentized_range_quantile(0.10, 3) == near(2.9023802134282515, 1e-9));
  CHECK(studentized_range_quantile(0.01, 10) == near(5.156634960089622, 1e-9));
  CHECK(studentized_range_quantile(0.05, 20) == near(5.0116887941184425, 1e-9));
  CHECK(studentized_range_probability(3.0, 4) == near(0.8537285189523403, 1e-9));
  // Two normals: their difference over sqrt 2 is normal.
  CHECK(studentized_range_quantile(0.05, 2) == near(std::sqrt(2.0) * normal_quantile(0.975), 1e-11));
}

TEST_CASE("mean, median, spread, and aggregates of too few values") {
  const std::vector<double> odd{3, 1, 8}, even{3, 1, 8, 4}, one{2};
  CHECK(aggregate(odd, Aggregate::mean) == 4);
  CHECK(aggregate(odd, Aggregate::median) == 3);
  CHECK(aggregate(even, Aggregate::median) == 3.5);
  CHECK(aggregate(even, Aggregate::minimum) == 1);
  CHECK(aggregate(even, Aggregate::maximum) == 8);
  CHECK(*aggregate(odd, Aggregate::standard_deviation) == near(std::sqrt(13.0)));
  CHECK(!aggregate(one, Aggregate::standard_deviation));
  CHECK(aggregate(one, Aggregate::median) == 2);
  CHECK(!aggregate({}, Aggregate::mean));
  CHECK(aggregate_named("sd") == Aggregate::standard_deviation);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(aggregate_named("medain")); }),
                           {"'medain'", "'median'"}));
}

TEST_CASE("the t interval of ten values agrees with scipy") {
  // stats.t.interval(.95, 9, np.mean(v), stats.sem(v)) = (0.20910180301020762, 0.30089819698979237)
  const std::vector<double> v{0.21, 0.25, 0.19, 0.30, 0.22, 0.27, 0.41, 0.20, 0.24, 0.26};
  CHECK(t_half_width(v, 0.95) == near((0.30089819698979237 - 0.20910180301020762) / 2, 1e-10));
}

TEST_CASE("bootstrap intervals agree with scipy's of 400,000 resamples, and depend only on the seed") {
  const std::vector<double> v{0.21, 0.25, 0.19, 0.30, 0.22, 0.27, 0.41, 0.20, 0.24, 0.26};
  BootstrapRequest request;
  request.kind = BootstrapInterval::percentile;
  // stats.bootstrap((v,), np.mean, method='percentile', n_resamples=400000, random_state=1): (0.222, 0.296)
  const Interval percentile = bootstrap_interval(v, mean, request);
  CHECK(std::abs(percentile.low - 0.222) < 0.0021);
  CHECK(std::abs(percentile.high - 0.296) < 0.0021);
  request.kind = BootstrapInterval::bias_corrected;
  // method='BCa': (0.227, 0.309)
  const Interval corrected = bootstrap_interval(v, mean, request);
  CHECK(std::abs(corrected.low - 0.227) < 0.0021);
  CHECK(std::abs(corrected.high - 0.309) < 0.0031);
  CHECK(corrected.high > percentile.high);  // the one value far up is what it corrects for
  // of np.median: (0.21, 0.28)
  const Interval middle = bootstrap_interval(v, median, request);
  CHECK(std::abs(middle.low - 0.21) < 0.0051);
  CHECK(std::abs(middle.high - 0.28) < 0.0051);

  const Interval again = bootstrap_interval(v, mean, request);
  CHECK(again.low == corrected.low);
  CHECK(again.high == corrected.high);
  request.seed = 1;
  const Interval other = bootstrap_interval(v, mean, request);
  CHECK((other.low != corrected.low || other.high != corrected.high));
}

TEST_CASE("a bootstrap interval of equal values has no width, and one of an extreme no correction") {
  const std::vector<double> same{2, 2, 2};
  const Interval none = bootstrap_interval(same, mean, {});
  CHECK(none.low == 2);
  CHECK(none.high == 2);
  const std::vector<double> v{1, 2, 3, 4};
  const auto above_all = [](std::span<const double> x) {
    return x.size() == 4 && x[0] == 1 && x[1] == 2 && x[2] == 3 && x[3] == 4 ? 9.0 : mean(x);
  };
  const Interval interval = bootstrap_interval(v, above_all, {.resamples = 50});
  CHECK(std::isfinite(interval.low));
  CHECK(interval.low < interval.high);
}

TEST_CASE("a 90 % BCa interval of a skewed mean covers more evenly than the percentile interval") {
  int percentile_misses_above = 0, corrected_misses_above = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Rng rng = Rng::stream(7, "coverage", trial);
    std::vector<double> v(20);
    for (double& x : v) x = -std::log1p(-rng.uniform01());  // exponential, mean 1
    BootstrapRequest request{.confidence = 0.9, .resamples = 500, .seed = trial};
    request.kind = BootstrapInterval::percentile;
    if (bootstrap_interval(v, mean, request).high < 1) ++percentile_misses_above;
    request.kind = BootstrapInterval::bias_corrected;
    if (bootstrap_interval(v, mean, request).high < 1) ++corrected_misses_above;
  }
  CAPTURE(percentile_misses_above);
  CAPTURE(corrected_misses_above);
  CHECK(corrected_misses_above < percentile_misses_above);
  CHECK(corrected_misses_above < 30);  // 10 expected of an exact interval
}

TEST_CASE("the paired t test agrees with scipy's ttest_rel, and gives no p without information") {
  const PairedResult paired = paired_t_test(kBefore, kAfter);
  CHECK(paired.statistic == near(3.0353754156485917));
  CHECK(*paired.p == near(0.016176627434908095));
  CHECK(paired.pairs == 9);
  CHECK(*paired_t_test(kAfter, kBefore).p == near(*paired.p));
  const std::vector<double> x{0.1, 0.2, 0.4}, shifted{0.3, 0.4, 0.6};
  CHECK(!paired_t_test(x, shifted).p);  // all differ by the same
  CHECK(paired_t_test(x, x).p == 1.0);
  CHECK(!paired_t_test(std::vector<double>{1}, std::vector<double>{2}).p);
  CHECK(!paired_t_test({}, {}).p);
}

TEST_CASE("Wilcoxon's exact p agrees with scipy's wilcoxon(x, y, mode='exact')") {
  const PairedResult paired = wilcoxon_signed_rank(kBefore, kAfter);
  CHECK(paired.statistic == 5);
  CHECK(*paired.p == near(0.0390625));
  CHECK(paired.exact);
  // d = (k + 1) (-1 where k k + k // 2 is a multiple of 3, else 1), k = 0 ... n - 1
  const auto p_of = [](int n) {
    std::vector<double> d;
    for (int k = 0; k < n; ++k) d.push_back((k + 1) * ((k * k + k / 2) % 3 != 0 ? 1 : -1));
    return wilcoxon_signed_rank(d, zeros_like(d));
  };
  CHECK(p_of(10).statistic == 19);
  CHECK(*p_of(10).p == near(0.431640625));
  CHECK(*p_of(20).p == near(0.8983173370361328));
  CHECK(p_of(25).statistic == 144);
  CHECK(*p_of(25).p == near(0.6338268518447876));
  CHECK(p_of(25).exact);
  CHECK(!p_of(26).exact);
}

TEST_CASE("Wilcoxon's approximation has scipy's corrections for ties and continuity") {
  // wilcoxon(d, mode='approx', correction=True, zero_method='wilcox')
  std::vector<double> d, wide;
  for (int i = 1; i <= 30; ++i) d.push_back(i * 7 % 13 - 4);
  for (int i = 1; i <= 40; ++i) wide.push_back(i * 37 % 101 - 40);
  const PairedResult some_zero = wilcoxon_signed_rank(d, zeros_like(d));
  CHECK(some_zero.equal == 2);
  CHECK(some_zero.statistic == 99.5);
  CHECK(*some_zero.p == near(0.018660169624526053));
  CHECK(!some_zero.exact);
  const PairedResult paired = wilcoxon_signed_rank(wide, zeros_like(wide));
  CHECK(paired.statistic == 229.5);
  CHECK(*paired.p == near(0.025546023601829473));
}

TEST_CASE("with ties and zeros the exact p agrees with enumerating all signs") {
  Rng rng(11);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> d(1 + rng.below(11));
    for (double& x : d) x = static_cast<double>(rng.below(9)) - 4;
    CAPTURE(trial);
    const PairedResult paired = wilcoxon_signed_rank(d, zeros_like(d));
    REQUIRE(paired.p);
    CHECK(*paired.p == near(wilcoxon_by_enumeration(d)));
    std::vector<double> reversed;
    for (const double x : d) reversed.push_back(-x);
    CHECK(*wilcoxon_signed_rank(reversed, zeros_like(d)).p == *paired.p);
  }
}

TEST_CASE("differences are tied only if they differ by rounding") {
  // 0.3 - 0.2 and 0.8 - 0.7 differ in their last bits.
  const std::vector<double> x{0.3, 0.8, 0.5, 0.1}, y{0.2, 0.7, 0.6, 0.1 + 1e-16};
  REQUIRE(0.3 - 0.2 != 0.8 - 0.7);
  const PairedResult paired = wilcoxon_signed_rank(x, y);
  CHECK(paired.equal == 1);
  CHECK(paired.statistic == 2);  // three share rank 2
  const std::vector<double> close{1.000001, 2.000002, 3.000003}, base{1, 2, 3};
  CHECK(wilcoxon_signed_rank(close, base).statistic == 0);
  CHECK(*wilcoxon_signed_rank(close, base).p == 0.25);
}

TEST_CASE("five pairs cannot be significant at 0.05, six can") {
  const std::vector<double> five{1, 2, 3, 4, 5}, six{1, 2, 3, 4, 5, 6};
  CHECK(*wilcoxon_signed_rank(five, zeros_like(five)).p == 0.0625);
  CHECK(*wilcoxon_signed_rank(six, zeros_like(six)).p == 0.03125);
  CHECK(fewest_pairs_for_wilcoxon(0.05) == 6);
  CHECK(fewest_pairs_for_wilcoxon(0.01) == 8);
  CHECK(wilcoxon_signed_rank(five, five).p == 1.0);
  CHECK(!wilcoxon_signed_rank({}, {}).p);
}

TEST_CASE("Wilcoxon's p is uniform under the null, as it must be") {
  Rng rng(3);
  int rejected = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> d(trial % 2 == 0 ? 12 : 40);
    for (double& x : d) x = rng.normal();
    if (*wilcoxon_signed_rank(d, zeros_like(d)).p <= 0.05) ++rejected;
  }
  CHECK(rejected > 0.035 * kTrials);
  CHECK(rejected < 0.060 * kTrials);
}

TEST_CASE("Holm's correction steps down, keeps the order and never passes 1") {
  // p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") of R: 0.03 0.06 0.06 0.02
  const std::vector<double> corrected = holm_corrected(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  REQUIRE(corrected.size() == 4);
  CHECK(corrected[0] == near(0.03));
  CHECK(corrected[1] == near(0.06));
  CHECK(corrected[2] == near(0.06));
  CHECK(corrected[3] == near(0.02));
  CHECK(holm_corrected(std::vector<double>{0.9, 0.8}) == std::vector<double>{1, 1});
  CHECK(holm_corrected(std::vector<double>{0.2}) == std::vector<double>{0.2});
  CHECK(holm_corrected({}).empty());
}

TEST_CASE("Friedman's test of Demsar's trees agrees with scipy, and F with Iman and Davenport") {
  const FriedmanResult friedman = friedman_test(kTrees, 4, true);
  CHECK(friedman.blocks == 14);
  // [stats.rankdata(-row) for row in M], averaged; printed as 3.143, 2.000, 2.893, 1.964
  CHECK(friedman.average_ranks[0] == near(3.142857142857143));
  CHECK(friedman.average_ranks[1] == near(2.0));
  CHECK(friedman.average_ranks[2] == near(2.892857142857143));
  CHECK(friedman.average_ranks[3] == near(1.9642857142857142));
  // stats.friedmanchisquare(*M.T); without the correction for ties it is 9.28
  CHECK(friedman.chi_squared == near(10.228346456692925, 1e-11));
  CHECK(friedman.chi_squared_p == near(0.016721580328441323, 1e-11));
  REQUIRE(friedman.f);
  CHECK(*friedman.f == near(4.1851301115241695, 1e-11));
  CHECK(friedman.f_p == near(0.011620659515310954, 1e-11));

  // The same F by an analysis of variance of the ranks within blocks.
  double between = 0, total = 0;
  for (std::size_t b = 0; b < 14; ++b) {
    std::vector<double> block;
    for (std::size_t m = 0; m < 4; ++m) block.push_back(-kTrees[b * 4 + m]);
    for (const double rank : shared_ranks(block)) total += (rank - 2.5) * (rank - 2.5);
  }
  for (const double rank : friedman.average_ranks) between += 14 * (rank - 2.5) * (rank - 2.5);
  CHECK(*friedman.f == near((between / 3) / ((total - between) / 39), 1e-11));
}

TEST_CASE("the critical difference of Demsar's example is 1.25") {
  CHECK(nemenyi_critical_difference(4, 14, 0.05) == doctest::Approx(1.25).epsilon(0.005));
  CHECK(nemenyi_critical_difference(4, 14, 0.10) == doctest::Approx(1.12).epsilon(0.005));
}

TEST_CASE("the direction reverses the ranks and changes nothing else") {
  const FriedmanResult up = friedman_test(kTrees, 4, true), down = friedman_test(kTrees, 4, false);
  CHECK(up.chi_squared == near(down.chi_squared, 1e-10));
  for (std::size_t m = 0; m < 4; ++m) CHECK(up.average_ranks[m] + down.average_ranks[m] == near(5));
}

TEST_CASE("if all blocks agree p is exact without F; if all tie there is no difference") {
  const std::vector<double> agree{1, 2, 3, 4, 5, 6, 0, 1, 2};
  const FriedmanResult friedman = friedman_test(agree, 3, false);
  CHECK(!friedman.f);
  CHECK(friedman.chi_squared == near(6));
  CHECK(friedman.f_p == near(1.0 / 36));  // two further blocks, six orders each
  const FriedmanResult shared = friedman_test(std::vector<double>{1, 1, 2, 3, 3, 4}, 3, false);
  CHECK(shared.f_p == near(1.0 / 3));  // three orders of (1.5, 1.5, 3)
  const FriedmanResult tied = friedman_test(std::vector<double>{1, 1, 1, 2, 2, 2}, 3, false);
  CHECK(tied.chi_squared_p == 1);
  CHECK(tied.f_p == 1);
}

TEST_CASE("cliques are the maximal groups of neighbouring ranks") {
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  const std::vector<double> ranks{1.0, 1.5, 2.2, 3.9, 4.0};
  CHECK(cliques_within(ranks, 1.25) == Pairs{{0, 2}, {3, 4}});
  CHECK(cliques_within(ranks, 1.0) == Pairs{{0, 1}, {1, 2}, {3, 4}});
  CHECK(cliques_within(ranks, 0.05).empty());
  CHECK(cliques_within(ranks, 3.0) == Pairs{{0, 4}});
  CHECK(cliques_within(std::vector<double>{1.0}, 3.0).empty());
}

TEST_CASE("Wilson's interval agrees with Newcombe's; no error on 80 trials allows .046") {
  // R. G. Newcombe, Two-sided confidence intervals for the single proportion, 1998, Table I, method 3.
  for (const auto& [hits, trials, low, high] : {std::array{81.0, 263.0, 0.2553, 0.3662},
                                                {15, 148, 0.0624, 0.1605},
                                                {0, 20, 0, 0.1611},
                                                {1, 29, 0.0061, 0.1718}}) {
    const Interval interval = wilson_interval(hits / trials, trials);
    CHECK(std::abs(interval.low - low) < 6e-5);
    CHECK(std::abs(interval.high - high) < 6e-5);
  }
  const Interval none = wilson_interval(0, 80);
  CHECK(none.low == 0);
  CHECK(none.high == near(0.0458, 1e-3));
  const Interval all = wilson_interval(1, 80);
  CHECK(all.high == 1);
  CHECK(all.low == near(1 - none.high));
}

TEST_CASE("clusters whose trials agree count as one trial each") {
  const double z = normal_quantile(0.975), t = student_two_sided_quantile(0.05, 199);
  const double by_t = std::pow(z / t, 2);
  // Each of 200 answers implies three triplets; all three are right, or all three are wrong.
  std::vector<ClusterCount> alike(200, {0, 3});
  for (std::size_t i = 0; i < 40; ++i) alike[i].hits = 3;
  const ShareInterval sure = clustered_interval(alike);
  CHECK(sure.share == near(0.2));
  CHECK(sure.effective == near(199 * by_t));  // n / (n - 1) of the variance
  CHECK(sure.interval.low < wilson_interval(0.2, 600).low);
  CHECK(sure.interval.high > wilson_interval(0.2, 600).high);
  // No error at all may be 200 answers of one mind.
  CHECK(clustered_interval(std::vector<ClusterCount>(200, {0, 3})).effective == near(200 * by_t));
  // Clusters of one trial are trials, and no more than there are, whatever the variance.
  std::vector<ClusterCount> single(200, {0, 1});
  for (std::size_t i = 0; i < 40; ++i) single[i].hits = 1;
  CHECK(clustered_interval(single).effective == near(199 * by_t));
  CHECK(clustered_interval(std::vector<ClusterCount>(200, {1, 5})).effective == near(1000 * by_t));
  const ShareInterval one = clustered_interval(std::vector<ClusterCount>{{3, 10}});
  CHECK(one.interval.low == 0);
  CHECK(one.interval.high == 1);
  CHECK(one.effective == 0);
  // Clusters of next to no weight do not make two heavy ones certain.
  std::vector<ClusterCount> heavy{{10, 40}, {14, 40}};
  const ShareInterval two = clustered_interval(heavy);
  heavy.resize(22, {0, 1e-6, 1e-12});
  const ShareInterval among = clustered_interval(heavy);
  CHECK(among.effective <= two.effective);
  CHECK(among.interval.high - among.interval.low >= two.interval.high - two.interval.low);
  heavy.erase(heavy.begin());
  CHECK(clustered_interval(heavy).effective == 0);
}

TEST_CASE("a 95 % interval over clusters covers the true rate; one over trials does not") {
  struct Setting {
    std::size_t clusters;
    std::uint64_t least, most;  // trials of one
    double share, correlation;
    double at_least;       // coverage; few hits or clusters leave little to estimate it from
    double naive_at_most;  // coverage of Wilson's interval of single trials
  };
  constexpr int kRounds = 2000;
  for (const Setting& s : {Setting{400, 3, 3, 0.2, 0.5, 0.935, 0.9},
                           {12, 5, 100, 0.3, 0.1, 0.92, 0.8},
                           {30, 5, 60, 0.15, 0.1, 0.935, 0.8},
                           {150, 1, 60, 0.2, 0.1, 0.935, 0.8},
                           {100, 3, 3, 0.03, 0.5, 0.915, 1.0},
                           {80, 1, 1, 0.05, 0.0, 0.935, 1.0}}) {
    CAPTURE(s.clusters);
    Rng rng = Rng::stream(20261123, "coverage", s.clusters);
    int covered = 0, naive = 0;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<ClusterCount> clusters(s.clusters);
      double hits = 0, trials = 0;
      for (ClusterCount& cluster : clusters) {
        const std::uint64_t count = s.least + rng.below(s.most - s.least + 1);
        // Polya's urn: exchangeable trials with this share and correlation.
        for (std::uint64_t i = 0; i < count; ++i) {
          const double drawn = static_cast<double>(i);
          const double chance = (s.share * (1 - s.correlation) + s.correlation * cluster.hits) /
                                (1 - s.correlation + s.correlation * drawn);
          cluster.add(1, rng.uniform01() < chance);
        }
        hits += cluster.hits;
        trials += cluster.trials;
      }
      const auto holds = [&](const Interval& interval) { return interval.low <= s.share && s.share <= interval.high; };
      covered += holds(clustered_interval(clusters).interval) ? 1 : 0;
      naive += holds(wilson_interval(hits / trials, trials)) ? 1 : 0;
    }
    CHECK(covered >= s.at_least * kRounds);  // .935: .95 less three standard errors
    CHECK(covered <= 0.99 * kRounds);
    CHECK(naive <= s.naive_at_most * kRounds);
  }
}

TEST_CASE("four times the trials halve an ordinary interval, twice as many one near 0") {
  CHECK(growth_to_halve(0.2, 10'000) == near(4, 1e-3));
  for (const double share : {0.0, 0.02, 0.2, 0.5, 1.0})
    for (const double trials : {12.0, 80.0, 5000.0}) {
      CAPTURE(share);
      CAPTURE(trials);
      const double growth = growth_to_halve(share, trials);
      CHECK(growth > 2);
      CHECK(growth < 5);
      const Interval now = wilson_interval(share, trials), then = wilson_interval(share, growth * trials);
      CHECK(then.high - then.low == near((now.high - now.low) / 2, 1e-9));
    }
}

}  // namespace statistics_test
