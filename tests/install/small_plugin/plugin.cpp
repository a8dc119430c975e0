// A whole plug-in: a loss of answers, a measure and a data set of one's own, for the command that is installed.
//   alidade --plugin ./libsmall_plugin.so run study.toml
#include <alidade/dataset.hpp>
#include <alidade/functions.hpp>
#include <alidade/plugin.hpp>

using namespace alidade;

struct HingeOptions {
  double margin = 1;
};
const auto kHinge = OptionList<HingeOptions>().real("margin", &HingeOptions::margin, above(0), "width of the hinge");
/// A hinge on distances, in two dimensions: sum over answers of w max(0, margin + |anchor - near| - |anchor - far|).
Problem make_hinge(const Observations& data, const ValueTable& options, Executor&) {
  const auto loss = [answers = data.triplets, margin = kHinge.parse(options, "problem 'hinge'").margin](
                        std::span<const double> x, std::span<double> gradient) {
    const Eigen::Map<const Matrix> Y(x.data(), answers->object_count(), 2);
    Eigen::Map<Matrix> G(gradient.data(), Y.rows(), 2);
    double sum = 0;
    for (std::uint64_t t = 0; t < answers->size(); ++t) {
      const auto [a, b, c, aspect, weight] = answers->at(t);
      const Eigen::RowVector2d near = Y.row(a) - Y.row(b), far = Y.row(a) - Y.row(c);
      if (margin + near.norm() <= far.norm()) continue;
      sum += weight * (margin + near.norm() - far.norm());
      G.row(a) += weight * (near.stableNormalized() - far.stableNormalized());
      G.row(b) -= weight * near.stableNormalized();
      G.row(c) += weight * far.stableNormalized();
    }
    return sum;
  };
  return smooth(loss, 2 * data.object_count(), {.name = "hinge", .columns = 2});
}

/// The shorter axis of the map over the longer.
double roundness(const metrics::MetricInput& input) {
  const Matrix& map = input.embedding.maps.front().coordinates;
  const Vector spread = (map.rowwise() - map.colwise().mean()).colwise().norm();
  return spread.minCoeff() / spread.maxCoeff();
}

struct RingOptions {
  std::int64_t n = 20;
};
const auto kRing = OptionList<RingOptions>().integer("n", &RingOptions::n, between(4, 1000), "number of points");
Observations ring(const RingOptions& given, const datasets::DatasetContext& context) {
  Rng rng = datasets::data_stream(context, "ring", "answers");
  Observations out;
  for (Index i = 0; i < given.n; ++i) out.objects.push_back("point " + std::to_string(i));
  const auto answers = std::make_shared<TripletList>(given.n);
  const auto draw = [&] { return static_cast<ObjectId>(rng.below(out.objects.size())); };
  const auto apart = [&](double i, double j) { return std::abs(std::remainder(i - j, given.n)); };
  while (std::ssize(answers->anchors()) < 40 * given.n) {
    const ObjectId a = draw(), b = draw(), c = draw();
    if (a != b && apart(a, b) < apart(a, c)) answers->add({.anchor = a, .near = b, .far = c});
  }
  out.triplets = answers;
  return out;
}

ALIDADE_PLUGIN(.problems = {{.name = "hinge",
                             .summary = "a hinge on distances",
                             .equation = "max(0, margin + d_near - d_far)",
                             .needs = {ObservationKind::triplets},
                             .offers = CapabilitySet::of<SmoothFace, Borderless>(),
                             .options = kHinge.infos(),
                             .make = make_hinge}},
               .metrics = {{"roundness", "shorter axis of the map over the longer", "", "[0, 1]", true, "one map",
                            roundness}},
               .datasets = {datasets::with_load({.name = "ring", .summary = "a ring", .random = true}, kRing, ring)});
