#include "problems/problem.hpp"

#include <algorithm>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

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

/// Adapter "sum_of_terms": the smooth face of a problem that is a finite sum; all else is the problem's own.
/// Chunks depend on the data only, so the sum has the same bits for any number of threads. O(terms) a
/// call, gradients of up to 16 chunks held.
struct Problem::SumOfTerms final : Problem::Base, SmoothFace {
  explicit SumOfTerms(std::shared_ptr<const Base> model) : inner(std::move(model)) {}

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

  Solution start(Rng& rng) const override { return inner->start(rng); }
  double objective(const Solution& x, Evaluation& e) const override { return inner->objective(x, e); }
  Embedding decode(const Solution& x) const override { return inner->decode(x); }
  std::vector<std::string> notes() const override { return inner->notes(); }
  const Domain* domain() const override { return inner->domain(); }
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

CapabilitySet Problem::offers() const { return model_->offers(); }

void Problem::throw_missing(std::string_view capability) const {
  throw UnsupportedPair(fmt::format("Problem '{}' does not offer {}; it offers {}.", name_, capability,
                                    join(offers().names(), ", ")));
}

Problem adapt(const Problem& problem, CapabilitySet needs) {
  const CapabilitySet offers = problem.offers();
  if (needs.has(Capability::smooth) && !offers.has(Capability::smooth) &&
      offers.has(Capability::finite_sum))
    return {problem.name(), std::make_shared<const Problem::SumOfTerms>(problem.model_)};
  return problem;
}

}  // namespace alidade
