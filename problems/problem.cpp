#include "problems/problem.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/framed_projector.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/programs/restricted_program.hpp"

namespace alidade {
namespace {

Index widest_block(const Domain& domain) {
  Index widest = 1;
  for (const DomainBlock& block : domain.blocks()) widest = std::max(widest, block.cols);
  return widest;
}

std::size_t row_total(const Domain& domain) {
  std::size_t rows = 0;
  for (const DomainBlock& block : domain.blocks()) rows += static_cast<std::size_t>(block.rows);
  return rows;
}

}  // namespace

RunScratch::RunScratch(const Domain& domain, std::size_t rows_per_term)
    : term(widest_block(domain), rows_per_term), batch_gradient(domain.zero()), stamp(row_total(domain), 0U) {}

SplitGradient::SplitGradient(const Domain& domain)
    : plus(domain.zero()), minus(domain.zero()), unit(domain.zero()) {
  unit.vector().setOnes();
}

/// A problem with one face more; all else is the problem's own.
struct Problem::Adapted : Problem::Base {
  explicit Adapted(std::shared_ptr<const Base> model) : inner(std::move(model)) {}

  CapabilitySet offers() const override { return inner->offers(); }
  Solution start(Rng& rng) const override { return inner->start(rng); }
  std::vector<std::string> start_names() const override { return inner->start_names(); }
  Solution start_named(std::string_view kind, Rng& rng) const override {
    return inner->start_named(kind, rng);
  }
  double objective(const Solution& x, Evaluation& e) const override {
    return inner->objective(x, e);
  }
  Embedding decode(const Solution& x) const override { return inner->decode(x); }
  std::vector<std::string> notes() const override { return inner->notes(); }
  UnitPowers unit_powers() const override { return inner->unit_powers(); }
  UnitFactors unit_factors() const override { return inner->unit_factors(); }
  const Domain* domain() const override { return inner->domain(); }
  const SmoothFace* smooth() const override { return inner->smooth(); }
  const FiniteSumFace* finite_sum() const override { return inner->finite_sum(); }
  const SplitGradientFace* split_gradient() const override { return inner->split_gradient(); }
  const MajorizerFace* majorizer() const override { return inner->majorizer(); }
  const EigenFace* eigen() const override { return inner->eigen(); }
  const SemidefiniteFace* semidefinite() const override { return inner->semidefinite(); }
  const SeparationFace* separation() const override { return inner->separation(); }
  const BlocksFace* blocks() const override { return inner->blocks(); }
  const AssignmentFace* assignment() const override { return inner->assignment(); }
  const StagesFace* stages() const override { return inner->stages(); }

  std::shared_ptr<const Base> inner;
};

/// Adapter "sum_of_terms": the smooth face of a problem that is a finite sum; all else is the problem's own.
/// Chunks depend on the data only, so the sum has the same bits for any number of threads. O(terms) a
/// call, gradients of up to 16 chunks held.
struct Problem::SumOfTerms final : Problem::Adapted, SmoothFace {
  using Adapted::Adapted;

  double value(const Point& x, Evaluation& evaluation) const override {
    Point unused = domain()->zero();
    return value_and_gradient(x, unused, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const override {
    const FiniteSumFace& sum = *inner->finite_sum();
    const TermIndex count = sum.term_count();
    const Index chunks = std::clamp<Index>(static_cast<Index>(count / 8192), 1, 16);
    std::vector<Point> partial(static_cast<std::size_t>(chunks), domain()->zero());
    std::vector<double> values(static_cast<std::size_t>(chunks));
    const auto edge = [&](Index c) {
      return static_cast<TermIndex>(static_cast<unsigned __int128>(count) *
                                    static_cast<std::uint64_t>(c) / static_cast<std::uint64_t>(chunks));
    };
    evaluation.executor.run(chunks, [&](Index c) {
      const auto k = static_cast<std::size_t>(c);
      values[k] = sum.add_terms(x, edge(c), edge(c + 1), partial[k]);
    });
    gradient.set_zero();
    double total = 0;
    for (std::size_t k = 0; k < partial.size(); ++k) {
      gradient.vector() += partial[k].vector();
      total += values[k];
    }
    return total;
  }

  CapabilitySet offers() const override {
    CapabilitySet out = inner->offers();
    out.add(Capability::smooth);
    return out;
  }
  const SmoothFace* smooth() const override { return this; }
};

/// Adapter "all_rows": every row of a separation oracle, written out. The rows' bounds hold for the whole problem, so what its
/// solver proves is judged as the oracle's own.
struct Problem::AllRows final : Problem::Adapted, SemidefiniteFace {
  explicit AllRows(std::shared_ptr<const Base> model)
      : Adapted(std::move(model)),
        source(inner->separation()->distance_program()),
        restricted(all_of(source)) {}

  const SemidefiniteProgram& program() const override { return restricted.program; }
  double scale() const override { return restricted.scale; }
  SemidefiniteSolution of_problem(SemidefiniteSolution x) const override {
    return of_whole(source, restricted, x);
  }
  std::optional<SemidefiniteJudgement> judge(const SemidefiniteSolution& x,
                                             Executor& executor) const override {
    return alidade::judge(source, x, executor);
  }

  CapabilitySet offers() const override {
    CapabilitySet out = inner->offers();
    out.add(Capability::semidefinite);
    return out;
  }
  const SemidefiniteFace* semidefinite() const override { return this; }

  static RestrictedProgram all_of(const DistanceProgram& source) {
    constexpr double kMost = 15e6;  // entries, some 0.5 GB
    const DistanceCost& cost = source.cost();
    const auto order = static_cast<double>(cost.order());
    const auto rows = static_cast<double>(source.row_count());
    const double entries = rows * (cost.basis.size() > 0 ? order * (order + 1) / 2 : 5);
    require<ConfigError>(
        entries <= kMost,
        "All {} constraints would take {:.2g} numbers, more than the limit of {:.2g}. Use the "
        "solver 'cutting_plane' or 'low_rank', which use only active constraints.",
        source.row_count(), entries, kMost);
    return restricted_program(source, source.all_rows());
  }

  const DistanceProgram& source;  // of `inner`
  RestrictedProgram restricted;
};

/// A problem of rescaled data: what it decodes is in units of the data as they came.
struct Problem::InUnits final : Problem::Adapted {
  InUnits(std::shared_ptr<const Base> model, double data_unit, FeatureFrame features)
      : Adapted(std::move(model)), unit(data_unit), frame(std::move(features)) {}

  Embedding decode(const Solution& x) const override {
    Embedding out = inner->decode(x);
    const UnitPowers powers = inner->unit_powers();
    const double factor = unit_factors().map;
    if (factor != 1)
      for (AspectMap& map : out.maps) map.coordinates *= factor;
    for (const auto& [name, power] : powers.estimates)
      for (auto& [estimate, value] : out.estimates)
        if (estimate == name) value *= std::pow(unit, power);
    if (out.projector && (factor != 1 || !frame.is_identity()))
      out.projector =
          std::make_shared<const FramedProjector>(std::move(out.projector), frame, factor);
    return out;
  }
  UnitFactors unit_factors() const override {
    const UnitPowers powers = inner->unit_powers();
    return {std::pow(unit, powers.map), std::pow(unit, powers.objective)};
  }

  double unit;
  FeatureFrame frame;
};

CapabilitySet Problem::offers() const { return model_->offers(); }

void Problem::throw_no_start(std::string_view kind) {
  throw ConfigError(fmt::format(
      "The start '{}' does not exist: this problem has only one kind of start. Leave the name out.",
      kind));
}

void Problem::throw_missing(std::string_view capability) const {
  throw UnsupportedPair(fmt::format("Problem '{}' does not offer {}; it offers {}.", name_, capability,
                                    join(offers().names(), ", ")));
}

Problem in_units(const Problem& problem, double unit, FeatureFrame frame) {
  return {problem.name(),
          std::make_shared<const Problem::InUnits>(problem.model_, unit, std::move(frame))};
}

Problem adapt(const Problem& problem, CapabilitySet needs) {
  const CapabilitySet offers = problem.offers();
  if (needs.has(Capability::smooth) && !offers.has(Capability::smooth) &&
      offers.has(Capability::finite_sum))
    return {problem.name(), std::make_shared<const Problem::SumOfTerms>(problem.model_)};
  if (needs.has(Capability::semidefinite) && !offers.has(Capability::semidefinite) &&
      offers.has(Capability::separation))
    return {problem.name(), std::make_shared<const Problem::AllRows>(problem.model_)};
  return problem;
}

}  // namespace alidade
