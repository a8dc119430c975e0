#include "experiments/metrics/relatedness.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "experiments/metrics/metric.hpp"
#include "experiments/statistics/summary.hpp"

namespace alidade::metrics {
namespace {

double entropy(const std::map<std::int32_t, double>& counts, double total) {
  double out = 0;
  for (const auto& [value, count] : counts) out -= count / total * std::log(count / total);
  return out;
}

double mutual_information(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  std::map<std::int32_t, double> of_a, of_b;
  std::map<std::pair<std::int32_t, std::int32_t>, double> of_both;
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == AttributeTable::kMissing || b[i] == AttributeTable::kMissing) continue;
    ++of_a[a[i]];
    ++of_b[b[i]];
    ++of_both[{a[i], b[i]}];
    ++total;
  }
  if (of_a.size() < 2 || of_b.size() < 2) return kDoesNotApply;
  double information = 0;
  for (const auto& [values, count] : of_both)
    information += count / total * std::log(count * total / (of_a[values.first] * of_b[values.second]));
  return std::clamp(information / std::min(entropy(of_a, total), entropy(of_b, total)), 0.0, 1.0);
}

/// The rows that are finite in both, centred.
std::pair<Matrix, Matrix> placed_rows(const Matrix& x, const Matrix& y) {
  std::vector<Index> placed;
  for (Index i = 0; i < std::min(x.rows(), y.rows()); ++i)
    if (x.row(i).allFinite() && y.row(i).allFinite()) placed.push_back(i);
  Matrix a = x(placed, Eigen::all), b = y(placed, Eigen::all);
  if (!placed.empty()) {
    a.rowwise() -= a.colwise().mean().eval();
    b.rowwise() -= b.colwise().mean().eval();
  }
  return {std::move(a), std::move(b)};
}

/// Clamped to [0, 1]; undefined if one of the two is constant.
double share_of(double common, double of_x, double of_y) {
  return of_x > 0 && of_y > 0 ? std::clamp(common / std::sqrt(of_x * of_y), 0.0, 1.0) : kDoesNotApply;
}

/// Null unless there are attributes and each has a map.
const AttributeTable* attributes_with_maps(const MetricInput& in) {
  const Observations& data = in.all ? *in.all : in.observations;
  if (!data.attributes || in.embedding.latent_views) return nullptr;
  return std::ssize(in.embedding.maps) == data.attributes->aspect_count() ? data.attributes.get() : nullptr;
}

bool has_normals(const MetricInput& in) {
  return std::ranges::none_of(in.embedding.maps, [](const AspectMap& m) { return m.normal.size() == 0; });
}

/// Angle of unit vectors, in [0, pi], by the tangent of its half, which is accurate at both ends (Kahan 2006).
double angle(const Vector& a, const Vector& b) { return 2 * std::atan2((a - b).norm(), (a + b).norm()); }

template <class Similarity>
AgreementRange agreement_of(const MetricInput& in, const Similarity& similarity) {
  const AttributeTable* table = attributes_with_maps(in);
  if (!table) return {};
  const std::vector<AspectMap>& maps = in.embedding.maps;
  const auto count = static_cast<Index>(maps.size());
  Matrix alike = Matrix::Constant(count, count, kDoesNotApply);
  for (Index t = 0; t < count; ++t)
    for (Index s = 0; s < t; ++s)
      alike(t, s) = alike(s, t) = similarity(maps[static_cast<std::size_t>(t)], maps[static_cast<std::size_t>(s)]);
  return agreement_range(normalized_mutual_information(*table), alike);
}

}  // namespace

Matrix normalized_mutual_information(const AttributeTable& table) {
  const auto& aspects = table.aspects();
  const Index count = table.aspect_count();
  Matrix out(count, count);
  for (Index t = 0; t < count; ++t)
    for (Index s = 0; s <= t; ++s)
      out(t, s) = out(s, t) =
          mutual_information(aspects[static_cast<std::size_t>(t)].codes, aspects[static_cast<std::size_t>(s)].codes);
  return out;
}

double linear_cka(const Matrix& x, const Matrix& y) {
  const auto [a, b] = placed_rows(x, y);
  const double of_a = (a.transpose() * a).squaredNorm(), of_b = (b.transpose() * b).squaredNorm();
  return share_of((a.transpose() * b).squaredNorm(), of_a, of_b);
}

AgreementRange agreement_range(const Matrix& a, const Matrix& b) {
  constexpr std::size_t kFewest = 3;
  std::vector<double> agreements;
  for (Index t = 0; t < a.rows(); ++t) {
    std::vector<std::pair<double, double>> others;
    for (Index s = 0; s < a.cols(); ++s)
      if (s != t && !std::isnan(a(t, s)) && !std::isnan(b(t, s))) others.emplace_back(a(t, s), b(t, s));
    if (others.size() < kFewest) continue;
    if (const auto one = statistics::correlation(others)) agreements.push_back(*one);
  }
  if (agreements.empty()) return {};
  const auto [least, largest] = std::ranges::minmax(agreements);
  return {least, statistics::median(agreements), largest};
}

AgreementRange relatedness_angle(const MetricInput& in) {
  if (!has_normals(in)) return {};
  return agreement_of(
      in, [](const AspectMap& t, const AspectMap& s) { return 1 - angle(t.normal, s.normal) / std::numbers::pi; });
}

AgreementRange relatedness_planes(const MetricInput& in) {
  if (!has_normals(in)) return {};
  return agreement_of(in, [](const AspectMap& t, const AspectMap& s) {
    const double of_normals = angle(t.normal, s.normal);
    return 1 - 2 * std::min(of_normals, std::numbers::pi - of_normals) / std::numbers::pi;
  });
}

AgreementRange relatedness_maps(const MetricInput& in) {
  return agreement_of(in,
                      [](const AspectMap& t, const AspectMap& s) { return linear_cka(t.coordinates, s.coordinates); });
}

namespace {

/// `measure`: the measure whose agreement with the attributes' mutual information is taken, per aspect.
void add_agreement(std::vector<MetricEntry>& out, const std::string& name, const std::string& measure,
                   const char* needs, AgreementRange (*relatedness)(const MetricInput&)) {
  struct Part {
    const char *ending, *word;
    double AgreementRange::*value;
  };
  for (const auto& [ending, word, value] :
       {Part{"", "median", &AgreementRange::median}, Part{"_min", "minimum", &AgreementRange::lowest},
        Part{"_max", "maximum", &AgreementRange::highest}})
    out.push_back({name + ending,
                   "correlation of the attributes' mutual information with " + measure + "; " + word + " over aspects",
                   "", "[-1, 1]", true, needs,
                   [relatedness, value](const MetricInput& in) { return relatedness(in).*value; }});
}

}  // namespace

std::vector<MetricEntry> relatedness_metrics() {
  constexpr const char* kNormals = "attributes, and a map with a normal of every aspect";
  std::vector<MetricEntry> out;
  add_agreement(out, "relatedness_angle", "the angular similarity of the maps' normals, as in [LL19]", kNormals,
                relatedness_angle);
  add_agreement(out, "relatedness_planes", "the angular similarity of the maps' tangent planes", kNormals,
                relatedness_planes);
  add_agreement(out, "relatedness_maps", "the similarity (linear CKA) of the maps",
                "attributes, and a map of every aspect", relatedness_maps);
  return out;
}

}  // namespace alidade::metrics
