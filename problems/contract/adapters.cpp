#include "problems/contract/adapters.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "problems/contract/erased_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/faces/separation.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/programs/restricted_program.hpp"

namespace alidade {
namespace {

/// The data fix the chunks, so the sum has the same bits for any number of threads. O(terms) per
/// call; an Evaluation keeps one gradient for each thread.
class SumOfTerms final : public ProblemWithFace<SmoothFace> {
 public:
  using ProblemWithFace::ProblemWithFace;

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const override {
    return sum(x, nullptr, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const override {
    gradient.set_zero();
    return sum(x, &gradient, evaluation);
  }

 private:
  struct Partial {
    Point gradient;
    double value = 0;
  };
  /// Chunks a round at a time, one for each thread; adds the gradient to `gradient`, unless it is null.
  [[nodiscard]] double sum(const Point& x, Point* gradient, Evaluation& evaluation) const {
    const auto& terms = inner().face<FiniteSumFace>();
    const TermIndex count = terms.term_count();
    const Index chunks = std::clamp<Index>(static_cast<Index>(count / 8192), 1, 16);
    const Index at_once = std::min<Index>(chunks, evaluation.executor.threads());
    auto& partial = evaluation.scratch<std::vector<Partial>>([] { return std::vector<Partial>(); });
    partial.resize(std::max(partial.size(), static_cast<std::size_t>(at_once)));
    const auto edge = [&](Index c) {
      return static_cast<TermIndex>(static_cast<unsigned __int128>(count) * static_cast<std::uint64_t>(c) /
                                    static_cast<std::uint64_t>(chunks));
    };
    double total = 0;
    for (Index first = 0; first < chunks; first += at_once) {
      const Index round = std::min(at_once, chunks - first);
      evaluation.executor.run(round, [&](Index k) {
        Partial& own = partial[static_cast<std::size_t>(k)];
        const TermIndex from = edge(first + k), to = edge(first + k + 1);
        if (!gradient) {
          own.value = terms.value_of_terms(x, from, to);
          return;
        }
        if (own.gradient.layout() == x.layout())
          own.gradient.set_zero();
        else
          own.gradient = Point(x.layout());
        own.value = terms.add_terms(x, from, to, own.gradient);
      });
      for (Index k = 0; k < round; ++k) {
        const Partial& own = partial[static_cast<std::size_t>(k)];
        if (gradient) gradient->vector() += own.gradient.vector();
        total += own.value;
      }
    }
    return total;
  }
};

/// Every row of a separation oracle, written out. The rows are those of the whole problem, so the oracle judges
/// what the solver proves.
class AllRows final : public ProblemWithFace<SemidefiniteFace> {
 public:
  explicit AllRows(Problem problem)
      : ProblemWithFace(std::move(problem)),
        source_(inner().face<SeparationFace>().distance_program()),
        restricted_(all_of(source_)) {}

  [[nodiscard]] const SemidefiniteProgram& program() const override { return restricted_.program; }
  [[nodiscard]] double scale() const override { return restricted_.scale; }
  [[nodiscard]] SemidefiniteSolution of_problem(SemidefiniteSolution x) const override {
    return of_whole(source_, restricted_, x);
  }
  [[nodiscard]] std::optional<SemidefiniteJudgement> judge(SemidefiniteSolution& x, Executor& executor) const override {
    return alidade::judge(source_, x, executor);
  }

 private:
  static RestrictedProgram all_of(const DistanceProgram& source) {
    constexpr double kMost = 15e6;  // entries, about 0.5 GB
    const DistanceCost& cost = source.cost();
    const auto order = static_cast<double>(cost.order());
    const auto rows = static_cast<double>(source.row_count());
    const double entries = rows * (cost.basis.size() > 0 ? order * (order + 1) / 2 : 5);
    require<ConfigError>(entries <= kMost,
                         "All {} constraints would take {:.2g} numbers, more than the limit of {:.2g}. Use the "
                         "solver 'cutting_plane' or 'low_rank', which use only active constraints.",
                         source.row_count(), entries, kMost);
    return restricted_program(source, source.all_constraints());
  }

  const DistanceProgram& source_;  // of inner()
  RestrictedProgram restricted_;
};

template <class Adapter>
Problem with(const Problem& problem) {
  return {problem.name(), std::make_shared<const Adapter>(problem)};
}

}  // namespace

const std::vector<ExactAdapter>& exact_adapters() {
  static const std::vector<ExactAdapter> kAdapters = {
      {"sum_of_terms", CapabilitySet::of<FiniteSumFace>(), CapabilitySet::of<SmoothFace>(), with<SumOfTerms>},
      {"all_rows", CapabilitySet::of<SeparationFace>(), CapabilitySet::of<SemidefiniteFace>(), with<AllRows>},
  };
  return kAdapters;
}

Fit fit(std::string_view solver, CapabilitySet needs, std::string_view problem, CapabilitySet offers) {
  Fit out;
  CapabilitySet gained = offers;
  for (const ExactAdapter& adapter : exact_adapters()) {
    if (!needs.without(gained).includes(adapter.to) || !offers.includes(adapter.from)) continue;
    gained |= adapter.to;
    out.via.emplace_back(adapter.name);
  }
  out.fits = gained.includes(needs);
  if (!out.fits) {
    out.via.clear();
    out.reason =
        fmt::format("{} needs {}, but {} offers {} and lacks {}. Choose another solver or problem.", solver,
                    join(needs.names(), ", "), problem, offers.empty() ? "nothing" : join(offers.names(), ", "),
                    join(needs.without(gained).names(), ", "));
  }
  return out;
}

Problem adapt(const Problem& problem, CapabilitySet needs) {
  Problem out = problem;
  for (const ExactAdapter& adapter : exact_adapters())
    if (needs.without(out.offers()).includes(adapter.to) && out.offers().includes(adapter.from))
      out = adapter.apply(out);
  return out;
}

}  // namespace alidade
