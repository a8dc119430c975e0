#include "problems/triplet_sums/triplet_kernel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/triplet_kernel_naive.hpp"

namespace triplet_kernel_test {
namespace {

using namespace alidade;
using namespace alidade::triplet;

struct Data {
  Index n;
  std::vector<ObjectId> anchor, near, far;
  std::vector<double> weights;  // may stay empty

  void add(ObjectId i, ObjectId j, ObjectId k) {
    anchor.push_back(i);
    near.push_back(j);
    far.push_back(k);
  }
  [[nodiscard]] AnchorGroups groups(Index dimensions = 2) const { return {anchor, near, far, weights, n, dimensions}; }
  [[nodiscard]] naive::Triplets plain() const { return {anchor, near, far, weights}; }
};

/// `n` objects of which the last two are in no triplet; `shared` partners an anchor make it a list.
Data random_data(Index n, std::size_t count, bool shared, bool weighted, std::uint64_t seed) {
  Data out{n, {}, {}, {}, {}};
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t m) { return static_cast<ObjectId>(random() % m); };
  const auto used = static_cast<std::uint64_t>(n - 2);
  while (out.anchor.size() < count) {
    const ObjectId i = shared ? below(std::min<std::uint64_t>(used, 7)) : below(used);
    const ObjectId j = shared ? (i + 1 + below(5)) % static_cast<ObjectId>(used) : below(used);
    const ObjectId k = shared ? (i + 1 + below(9)) % static_cast<ObjectId>(used) : below(used);
    if (i == j || i == k || j == k) continue;
    out.add(i, j, k);
    if (weighted) out.weights.push_back(static_cast<double>(random() % 1000) / 300);
  }
  return out;
}

std::vector<double> random_map(Index n, Index d, double scale, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> y(static_cast<std::size_t>(n * d));
  for (double& x : y) x = scale * normal(random);
  return y;
}

const std::vector<TripletLoss>& many_losses() {
  static const std::vector<TripletLoss> losses = [] {
    std::vector<TripletLoss> out = {SteLoss{},     TSteLoss{1},     TSteLoss{4},     EteLoss{2, 2},   EteLoss{1, 2},
                                    EteLoss{3, 2}, EteLoss{2.5, 2}, EteLoss{2, 1},   EteLoss{3, 1},   EteLoss{1.5, 1},
                                    EteLoss{1, 1}, EteLoss{1, 1.5}, EteLoss{2, 1.4}, EteLoss{3, 1.7}, EteLoss{1.5, 1.5},
                                    SteLoss{0.1},  GnmdsLoss{0.5},  GnmdsLoss{0},    CklLoss{0.05},   SoeLoss{1},
                                    SoeLoss{0.1}};
    for_each_loss([&](const auto& loss) { out.push_back(loss); });
    return out;
  }();
  return losses;
}

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> out;
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (set <= best_instruction_set()) out.push_back(set);
  return out;
}

template <class Real>
struct Result {
  double value;
  std::vector<Real> gradient;
};

template <class Real>
Result<Real> plain_sum(const TripletLoss& loss, const Data& data, const std::vector<Real>& y, Index d) {
  Result<Real> out{0, std::vector<Real>(y.size())};
  std::visit(
      [&](const auto& one) {
        out.value =
            naive::add_value_and_gradient<std::decay_t<decltype(one)>, Real>(one, data.plain(), y, d, out.gradient);
      },
      loss);
  return out;
}

template <class Real>
Result<Real> kernel_sum(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range,
                        const std::vector<Real>& y, Index d, InstructionSet set = best_instruction_set()) {
  Workspace<Real> workspace;
  workspace.instructions = set;
  Result<Real> out{0, std::vector<Real>(y.size())};
  out.value = add_value_and_gradient<Real>(loss, groups, range, y, d, out.gradient, workspace);
  return out;
}

template <class Real>
double largest(const std::vector<Real>& x) {
  double out = 0;
  for (const Real v : x) out = std::max(out, std::abs(static_cast<double>(v)));
  return out;
}

/// Largest difference relative to the largest entry.
template <class A, class B>
double difference(const std::vector<A>& got, const std::vector<B>& expected) {
  double out = 0;
  for (std::size_t k = 0; k < got.size(); ++k)
    out = std::max(out, std::abs(static_cast<double>(got[k]) - static_cast<double>(expected[k])));
  const double scale = largest(expected);
  return scale == 0 ? out : out / scale;
}

double relative(double got, double expected) {
  return expected == 0 ? std::abs(got) : std::abs(got - expected) / std::abs(expected);
}

TEST_CASE("the kernels agree with the plain loop: losses, dimensions, weights, lists, instruction sets") {
  for (const bool shared : {false, true})
    for (const bool weighted : {false, true})
      for (const Index d : {1, 2, 3, 5}) {
        const Data data = random_data(40, shared ? 1500 : 701, shared, weighted, 11);
        const AnchorGroups groups = data.groups();
        CHECK((groups.list_count() > 0) == shared);
        CHECK((groups.quad_count() > 0) == !shared);
        const std::vector<double> y = random_map(data.n, d, 1.5, 5);
        const std::vector<float> y_float(y.begin(), y.end());
        for (const TripletLoss& loss : many_losses()) {
          const Result<double> exact = plain_sum(loss, data, y, d);
          for (const InstructionSet set : instruction_sets()) {
            const std::string name = describe(loss);
            CAPTURE(name);
            CAPTURE(d);
            CAPTURE(shared);
            CAPTURE(weighted);
            CAPTURE(static_cast<int>(set));
            const Result<double> got = kernel_sum(loss, groups, groups.all(), y, d, set);
            CHECK(relative(got.value, exact.value) < 1e-12);
            CHECK(difference(got.gradient, exact.gradient) < 1e-12);
            Workspace<double> workspace;
            workspace.instructions = set;
            CHECK(value<double>(loss, groups, groups.all(), y, d, workspace) == got.value);
            const Result<float> single = kernel_sum(loss, groups, groups.all(), y_float, d, set);
            CHECK(relative(single.value, exact.value) < 1e-5);
            CHECK(difference(single.gradient, exact.gradient) < 1e-5);
            // Distances only: a translation changes nothing, so the rows of the gradient sum to zero.
            double sum = 0;
            for (std::size_t k = 0; k < got.gradient.size(); k += static_cast<std::size_t>(d)) sum += got.gradient[k];
            CHECK(std::abs(sum) < 1e-12 * largest(got.gradient) * static_cast<double>(data.n));
            // The last two objects are in no triplet.
            for (std::size_t k = got.gradient.size() - 2 * static_cast<std::size_t>(d); k < got.gradient.size(); ++k)
              CHECK(got.gradient[k] == 0);
          }
        }
      }
}

TEST_CASE("a large map, whose rows lie beside those of the gradient, gives the same bits as a small one") {
  for (const bool shared : {false, true})
    for (const Index d : {1, 2, 3, 5}) {
      Data data = random_data(40, shared ? 1500 : 701, shared, true, 12);
      std::vector<double> y = random_map(data.n, d, 1.5, 6);
      std::vector<float> y_float(y.begin(), y.end());
      std::vector<std::pair<Result<double>, Result<float>>> of_size;
      for (const Index n : {40, 500'000}) {  // of both kinds: rows of 4 bytes and more
        data.n = n;
        const AnchorGroups groups = data.groups();
        y.resize(static_cast<std::size_t>(n * d));
        y_float.resize(y.size());
        of_size.emplace_back(kernel_sum(SteLoss{}, groups, groups.all(), y, d),
                             kernel_sum(SteLoss{}, groups, groups.all(), y_float, d));
        of_size.back().first.gradient.resize(static_cast<std::size_t>(40 * d));
        of_size.back().second.gradient.resize(static_cast<std::size_t>(40 * d));
      }
      CHECK(of_size[0].first.value == of_size[1].first.value);
      CHECK(of_size[0].first.gradient == of_size[1].first.gradient);
      CHECK(of_size[0].second.value == of_size[1].second.value);
      CHECK(of_size[0].second.gradient == of_size[1].second.gradient);
    }
}

TEST_CASE("the kernels agree with the plain loop at extreme coordinates and at coincident points") {
  for (const bool shared : {false, true}) {
    const Data data = random_data(30, 900, shared, false, 3);
    const AnchorGroups groups = data.groups();
    for (const double scale : {0.0, 1e-160, 1e-9, 1e3, 1e6}) {
      std::vector<double> y = random_map(data.n, 2, scale, 8);
      std::copy_n(y.begin(), 8, y.begin() + 10);  // some objects coincide
      for (const TripletLoss& loss : many_losses()) {
        const std::string name = describe(loss);
        CAPTURE(name);
        CAPTURE(scale);
        CAPTURE(shared);
        const Result<double> exact = plain_sum(loss, data, y, 2);
        for (const InstructionSet set : instruction_sets()) {
          const Result<double> got = kernel_sum(loss, groups, groups.all(), y, 2, set);
          CHECK(relative(got.value, exact.value) < 1e-12);
          CHECK(difference(got.gradient, exact.gradient) < 1e-12);
          if (scale > 0 && scale < 1e-30) continue;  // below what float can hold
          const std::vector<float> y_float(y.begin(), y.end());
          // The plain loop in float: a rounded coordinate is a rounded distance for both.
          const std::vector<double> y_rounded(y_float.begin(), y_float.end());
          const Result<double> rounded = plain_sum(loss, data, y_rounded, 2);
          const Result<float> single = kernel_sum(loss, groups, groups.all(), y_float, 2, set);
          CHECK(relative(single.value, rounded.value) < 1e-5);
          CHECK(difference(single.gradient, rounded.gradient) < 1e-5);
        }
      }
    }
  }
}

TEST_CASE("a map that satisfies everything by far keeps a tiny objective's relative accuracy") {
  Data data{12, {}, {}, {}, {}};
  std::vector<double> y(24);
  for (ObjectId i = 0; i < 12; ++i) y[2 * i] = (i < 6 ? 0.0 : 5.0) + 0.01 * i;
  for (ObjectId i = 0; i < 6; ++i)
    for (ObjectId j = 0; j < 6; ++j)
      if (i != j) data.add(i, j, 6 + (i + j) % 6);
  const AnchorGroups groups = data.groups();
  for (const TripletLoss& loss : many_losses()) {
    const Result<double> exact = plain_sum(loss, data, y, 2);
    const Result<double> got = kernel_sum(loss, groups, groups.all(), y, 2);
    CHECK(relative(got.value, exact.value) < 1e-12);
    CHECK(difference(got.gradient, exact.gradient) < 1e-12);
  }
}

TEST_CASE("degenerate, repeated and reversed triplets are summed like any other") {
  Data data{6, {}, {}, {}, {}};
  for (int repeat = 0; repeat < 3; ++repeat) {
    data.add(0, 1, 2);
    data.add(0, 2, 1);
    data.add(0, 0, 3);
    data.add(0, 3, 0);
    data.add(0, 4, 4);
    data.add(2, 2, 2);
  }
  for (const std::size_t copies : {1, 20}) {  // quads, lists
    Data many = data;
    for (std::size_t c = 1; c < copies; ++c)
      for (std::size_t t = 0; t < data.anchor.size(); ++t) many.add(data.anchor[t], data.near[t], data.far[t]);
    const AnchorGroups groups = many.groups();
    const std::vector<double> y = random_map(6, 2, 1, 4);
    const Result<double> exact = plain_sum<double>(EteLoss{2, 2}, many, y, 2);
    const Result<double> got = kernel_sum<double>(EteLoss{2, 2}, groups, groups.all(), y, 2);
    CHECK(relative(got.value, exact.value) < 1e-12);
    CHECK(difference(got.gradient, exact.gradient) < 1e-12);
  }
}

TEST_CASE("the gradient is added to its argument, and an empty sum is allowed") {
  const Data data = random_data(20, 100, false, false, 1);
  const AnchorGroups groups = data.groups();
  const std::vector<double> y = random_map(20, 2, 1, 2);
  const Result<double> once = kernel_sum<double>(SteLoss{}, groups, groups.all(), y, 2);
  Workspace<double> workspace;
  std::vector<double> twice(y.size(), 0.0);
  for (int k = 0; k < 2; ++k) add_value_and_gradient<double>(SteLoss{}, groups, groups.all(), y, 2, twice, workspace);
  for (double& g : twice) g /= 2;
  CHECK(difference(twice, once.gradient) < 1e-14);

  const AnchorGroups nothing({}, {}, {}, {}, 3);
  CHECK(nothing.chunks().size() == 1);
  const std::vector<double> three = random_map(3, 2, 1, 2);
  const Result<double> none = kernel_sum<double>(SteLoss{}, nothing, nothing.chunks()[0], three, 2);
  CHECK(none.value == 0);
  CHECK(largest(none.gradient) == 0);
  CHECK(AnchorGroups().chunks().size() == 1);
  CHECK(violations<double>(nothing, nothing.all(), three, 2, workspace).count == 0);
}

TEST_CASE("chunks cover everything once, are balanced, and depend only on the data") {
  for (const bool shared : {false, true}) {
    const Data data = random_data(300, 90'000, shared, true, 9);
    const AnchorGroups groups = data.groups();
    REQUIRE(groups.chunks().size() == 4);
    const std::vector<double> y = random_map(data.n, 2, 2, 6);
    const Result<double> whole = kernel_sum<double>(EteLoss{2, 2}, groups, groups.all(), y, 2);
    Result<double> sum{0, std::vector<double>(y.size())};
    Index quads = 0;
    Index lists = 0;
    for (const GroupRange chunk : groups.chunks()) {
      CHECK(chunk.quad_begin == quads);
      CHECK(chunk.list_begin == lists);
      CHECK((chunk.quad_end - chunk.quad_begin) % AnchorGroups::kQuadMultiple == 0);
      quads = chunk.quad_end;
      lists = chunk.list_end;
      const Result<double> part = kernel_sum<double>(EteLoss{2, 2}, groups, chunk, y, 2);
      sum.value += part.value;
      for (std::size_t k = 0; k < y.size(); ++k) sum.gradient[k] += part.gradient[k];
      if (!shared) {  // seven anchors can not be balanced
        Index triplets = 0;
        for (Index q = chunk.quad_begin; q < chunk.quad_end; ++q) triplets += groups.quad_sizes()[q];
        for (Index k = chunk.list_begin; k < chunk.list_end; ++k)
          triplets += static_cast<Index>(groups.list(k).near.size());
        CHECK(triplets > 90'000 / 4 - 400);
        CHECK(triplets < 90'000 / 4 + 400);
      }
    }
    CHECK(quads == groups.quad_count());
    CHECK(lists == groups.list_count());
    CHECK(relative(sum.value, whole.value) < 1e-12);
    CHECK(difference(sum.gradient, whole.gradient) < 1e-12);
  }
}

TEST_CASE("the same input gives the same bits") {
  const Data data = random_data(200, 20'000, false, false, 21);
  const std::vector<double> y = random_map(data.n, 2, 2, 6);
  const AnchorGroups first = data.groups();
  const AnchorGroups second = data.groups();
  // A used workspace must not matter.
  Workspace<double> used;
  const Data other = random_data(60, 3000, true, true, 2);
  const AnchorGroups other_groups = other.groups();
  const std::vector<double> other_y = random_map(60, 3, 1, 2);
  std::vector<double> gradient(other_y.size());
  add_value_and_gradient<double>(SteLoss{}, other_groups, other_groups.all(), other_y, 3, gradient, used);
  std::vector<double> again(y.size());
  const double value = add_value_and_gradient<double>(EteLoss{2, 2}, second, second.all(), y, 2, again, used);
  const Result<double> once = kernel_sum<double>(EteLoss{2, 2}, first, first.all(), y, 2);
  CHECK(once.value == value);
  CHECK(once.gradient == again);
}

TEST_CASE("permuting the triplets changes the objective by rounding only") {
  Data data = random_data(50, 5000, false, true, 31);
  const std::vector<double> y = random_map(data.n, 2, 2, 6);
  const AnchorGroups groups = data.groups();
  const Result<double> first = kernel_sum<double>(TSteLoss{2}, groups, groups.all(), y, 2);
  std::ranges::reverse(data.anchor);
  std::ranges::reverse(data.near);
  std::ranges::reverse(data.far);
  std::ranges::reverse(data.weights);
  const AnchorGroups reversed = data.groups();
  const Result<double> second = kernel_sum<double>(TSteLoss{2}, reversed, reversed.all(), y, 2);
  CHECK(relative(second.value, first.value) < 1e-12);
  CHECK(difference(second.gradient, first.gradient) < 1e-12);
}

TEST_CASE("rotating the map rotates the gradient, and weights scale it") {
  const Data data = random_data(40, 900, false, false, 41);
  const AnchorGroups groups = data.groups();
  const std::vector<double> y = random_map(data.n, 2, 1, 6);
  const auto turned = [](const std::vector<double>& x) {
    std::vector<double> out(x.size());
    for (std::size_t k = 0; k < x.size(); k += 2) {
      out[k] = 0.6 * x[k] - 0.8 * x[k + 1];
      out[k + 1] = 0.8 * x[k] + 0.6 * x[k + 1];
    }
    return out;
  };
  const Result<double> got = kernel_sum<double>(EteLoss{2, 2}, groups, groups.all(), y, 2);
  const Result<double> after = kernel_sum<double>(EteLoss{2, 2}, groups, groups.all(), turned(y), 2);
  CHECK(relative(after.value, got.value) < 1e-12);
  CHECK(difference(after.gradient, turned(got.gradient)) < 1e-12);

  Data heavy = data;
  heavy.weights.assign(data.anchor.size(), 3.0);
  const AnchorGroups heavy_groups = heavy.groups();
  CHECK(heavy_groups.total_weight() == 2700);
  Result<double> weighted = kernel_sum<double>(EteLoss{2, 2}, heavy_groups, heavy_groups.all(), y, 2);
  for (double& g : weighted.gradient) g /= 3;
  CHECK(relative(weighted.value / 3, got.value) < 1e-12);
  CHECK(difference(weighted.gradient, got.gradient) < 1e-12);
}

TEST_CASE("the layout depends on the number of dimensions, the sums do not") {
  Data data{60, {}, {}, {}, {}};
  std::mt19937_64 random(2);
  while (data.anchor.size() < 6000) {
    const auto i = static_cast<ObjectId>(random() % 60);
    data.add(i, (i + 1 + static_cast<ObjectId>(random() % 30)) % 60,
             (i + 1 + static_cast<ObjectId>(random() % 30)) % 60);
  }
  const AnchorGroups quads = data.groups(2);
  const AnchorGroups lists = data.groups(3);
  CHECK(quads.list_count() == 0);
  CHECK(lists.list_count() == 60);
  CHECK(lists.memory_bytes() < quads.memory_bytes());
  for (const Index d : {2, 3, 7}) {
    const std::vector<double> y = random_map(60, d, 1, 3);
    const Result<double> first = kernel_sum<double>(SteLoss{}, quads, quads.all(), y, d);
    const Result<double> second = kernel_sum<double>(SteLoss{}, lists, lists.all(), y, d);
    CHECK(relative(first.value, second.value) < 1e-12);
    CHECK(difference(first.gradient, second.gradient) < 1e-12);
    Workspace<double> workspace;
    CHECK(violations<double>(quads, quads.all(), y, d, workspace).count ==
          violations<double>(lists, lists.all(), y, d, workspace).count);
  }
}

TEST_CASE("an anchor with more than 65536 partners is split into lists that sum to the same") {
  const Index n = 70'000;
  Data data{n, {}, {}, {}, {}};
  for (ObjectId k = 1; k < 69'000; ++k)
    for (int repeat = 0; repeat < 3; ++repeat) data.add(0, k, k + 1);
  const AnchorGroups groups = data.groups(5);
  CHECK(groups.list_count() >= 2);
  for (Index k = 0; k < groups.list_count(); ++k) CHECK(groups.list(k).partners.size() <= 65536);
  const std::vector<double> y = random_map(n, 2, 1, 6);
  const Result<double> exact = plain_sum<double>(EteLoss{2, 2}, data, y, 2);
  const Result<double> got = kernel_sum<double>(EteLoss{2, 2}, groups, groups.all(), y, 2);
  CHECK(relative(got.value, exact.value) < 1e-12);
  CHECK(difference(got.gradient, exact.gradient) < 1e-12);
}

TEST_CASE(
    "a coordinate that is not a number makes the objective not a number, and only touches its "
    "triplets") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool shared : {false, true}) {
    const Data data = random_data(30, 800, shared, false, 3);
    const AnchorGroups groups = data.groups();
    std::vector<double> y = random_map(data.n, 2, 1, 8);
    y[7] = nan;  // object 3
    for (const TripletLoss& loss : many_losses())
      for (const InstructionSet set : instruction_sets())
        CHECK(std::isnan(kernel_sum(loss, groups, groups.all(), y, 2, set).value));
    y[7] = 0;
    y[2 * 28] = nan;  // in no triplet
    CHECK(std::isfinite(kernel_sum<double>(EteLoss{2, 2}, groups, groups.all(), y, 2).value));
  }
}

TEST_CASE("violations: ties and NaN count, weights and rows are counted apart") {
  // Objects on a line at 0, 1, -1, 2, NaN.
  std::vector<double> y = {0, 0, 1, 0, -1, 0, 2, 0, std::numeric_limits<double>::quiet_NaN(), 0};
  Workspace<double> workspace;
  const auto count = [&](Data data, Index d) {
    const AnchorGroups groups = data.groups();
    return violations<double>(groups, groups.all(), y, d, workspace);
  };
  Data data{5, {}, {}, {}, {}};
  data.add(0, 1, 3);  // satisfied
  data.add(0, 3, 1);  // violated
  data.add(0, 1, 2);  // tie
  data.add(0, 4, 1);  // NaN near
  data.add(0, 1, 4);  // NaN far
  CHECK(count(data, 2).count == 4);
  CHECK(count(data, 2).weight == 4);
  data.weights = {10, 1, 2, 4, 8};
  CHECK(count(data, 2).count == 4);
  CHECK(count(data, 2).weight == 15);
  Data repeated{5, {}, {}, {}, {}};
  for (int k = 0; k < 30; ++k)
    for (std::size_t t = 0; t < 5; ++t) repeated.add(data.anchor[t], data.near[t], data.far[t]);
  CHECK(repeated.groups().list_count() == 1);
  CHECK(count(repeated, 2).count == 120);

  for (const bool shared : {false, true})
    for (const Index d : {1, 2, 3, 4}) {
      const Data many = random_data(30, 777, shared, true, 3);
      const AnchorGroups groups = many.groups();
      const std::vector<double> map = random_map(30, d, 1, 8);
      std::int64_t expected = 0;
      double weight = 0;
      const auto length = [&](ObjectId i, ObjectId j) {
        double sum = 0;
        for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) {
          const double x = map[i * static_cast<std::size_t>(d) + c] - map[j * static_cast<std::size_t>(d) + c];
          sum += x * x;
        }
        return sum;
      };
      for (std::size_t t = 0; t < many.anchor.size(); ++t)
        if (length(many.anchor[t], many.near[t]) >= length(many.anchor[t], many.far[t])) {
          ++expected;
          weight += many.weights[t];
        }
      const auto got = violations<double>(groups, groups.all(), map, d, workspace);
      CHECK(got.count == expected);
      CHECK(got.weight == doctest::Approx(weight).epsilon(1e-12));
      // A collapsed map satisfies nothing.
      const std::vector<double> collapsed(map.size(), 0.25);
      CHECK(violations<double>(groups, groups.all(), collapsed, d, workspace).count == 777);
      Workspace<float> single;
      const std::vector<float> zeros(map.size());
      CHECK(violations<float>(groups, groups.all(), zeros, d, single).count == 777);
    }
}

TEST_CASE("groups keep every triplet with its weight, whatever the layout") {
  for (const bool shared : {false, true}) {
    const Data data = random_data(25, 1003, shared, true, 17);
    const AnchorGroups groups = data.groups();
    using Row = std::pair<std::vector<std::uint32_t>, double>;
    std::multiset<Row> expected;
    for (std::size_t t = 0; t < data.anchor.size(); ++t)
      expected.insert({{data.anchor[t], data.near[t], data.far[t]}, data.weights[t]});
    std::multiset<Row> got;
    for (Index q = 0; q < groups.quad_count(); ++q) {
      const std::uint32_t* ids = groups.quad_ids() + 8 * q;
      for (std::size_t e = 0; e < 4; ++e) {
        const double weight = groups.quad_weights()[4 * static_cast<std::size_t>(q) + e];
        if (e < groups.quad_sizes()[q]) {
          got.insert({{groups.quad_anchors()[q] / 2, ids[e] / 2, ids[e + 4] / 2}, weight});
        } else {
          CHECK(weight == 0);
          CHECK(ids[e] == groups.quad_anchors()[q]);
        }
      }
    }
    for (Index k = 0; k < groups.list_count(); ++k) {
      const AnchorGroups::List list = groups.list(k);
      for (std::size_t t = 0; t < list.near.size(); ++t)
        got.insert(
            {{list.anchor / 2, list.partners[list.near[t]] / 2, list.partners[list.far[t]] / 2}, list.weights[t]});
    }
    CHECK(got == expected);
    const AnchorGroups in_parts(data.anchor, data.near, data.far, data.weights, data.n, 2, 50);
    CHECK(std::ranges::equal(std::span(in_parts.quad_ids(), 8 * static_cast<std::size_t>(in_parts.quad_count())),
                             std::span(groups.quad_ids(), 8 * static_cast<std::size_t>(groups.quad_count()))));
    CHECK(in_parts.total_weight() == groups.total_weight());
    const auto y = random_map(data.n, 2, 1, 3);
    CHECK(kernel_sum(SteLoss{}, in_parts, in_parts.all(), y, 2).value ==
          kernel_sum(SteLoss{}, groups, groups.all(), y, 2).value);
    CHECK(groups.triplet_count() == 1003);
    CHECK(groups.memory_bytes() > 1003 * 8);
  }
}

TEST_CASE("input that is not a set of triplets is refused") {
  const std::vector<ObjectId> one = {0};
  const std::vector<ObjectId> two = {1, 2};
  const std::vector<ObjectId> big = {7};
  const std::vector<double> negative = {-1};
  const std::vector<double> nan = {std::nan("")};
  CHECK_THROWS_WITH_AS(AnchorGroups(one, two, one, {}, 3), doctest::Contains("1, 2 and 1"), DataError);
  CHECK(testing::holds_all(testing::message_of<DataError>([&] { AnchorGroups(one, one, big, {}, 3); }),
                           {"Triplet 0", "(0, 0, 7)", "3 objects"}));
  CHECK_THROWS_AS(AnchorGroups(one, one, one, negative, 3), DataError);
  CHECK_THROWS_AS(AnchorGroups(one, one, one, nan, 3), DataError);
  CHECK_THROWS_AS(AnchorGroups(one, one, one, std::vector<double>{1, 2}, 3), DataError);
  CHECK_THROWS_AS(AnchorGroups({}, {}, {}, {}, Index{1} << 31), DataError);
}

}  // namespace
}  // namespace triplet_kernel_test
