#include "problems/problem.hpp"

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

/// Adapter "sum_of_terms": a finite sum as a smooth problem. Chunks depend on the data only, so the sum
/// has the same bits for any number of threads. O(terms) a call, gradients of up to 16 chunks held.
class SumOfTerms {
 public:
  explicit SumOfTerms(Problem inner) : inner_(std::move(inner)) {}

  [[nodiscard]] const Domain& domain() const { return *inner_.domain(); }
  [[nodiscard]] Solution start(Rng& rng) const { return inner_.start(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& e) const {
    return inner_.objective(x, e);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return inner_.decode(x); }
  [[nodiscard]] std::vector<std::string> notes() const { return inner_.notes(); }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    Point unused = domain().zero();
    return value_and_gradient(x, unused, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    const FiniteSumFace& sum = inner_.finite_sum();
    const TermIndex count = sum.term_count();
    const Index chunks = std::clamp<Index>(static_cast<Index>(count / 8192), 1, 16);
    std::vector<Point> partial(static_cast<std::size_t>(chunks), domain().zero());
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

 private:
  Problem inner_;
};
static_assert(SmoothProblem<SumOfTerms> && AnyProblem<SumOfTerms>);

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

RunScratch::RunScratch(const Domain& domain)
    : term(widest_block(domain)), batch_gradient(domain.zero()), stamp(row_total(domain), 0U) {}

CapabilitySet Problem::offers() const { return model_->offers(); }

void Problem::throw_missing(std::string_view capability) const {
  throw UnsupportedPair(fmt::format("Problem '{}' does not offer {}; it offers {}.", name_, capability,
                                    join(offers().names(), ", ")));
}

Problem adapt(const Problem& problem, CapabilitySet needs) {
  const CapabilitySet offers = problem.offers();
  if (needs.has(Capability::smooth) && !offers.has(Capability::smooth) &&
      offers.has(Capability::finite_sum))
    return {problem.name(), SumOfTerms(problem)};
  return problem;
}

}  // namespace alidade
