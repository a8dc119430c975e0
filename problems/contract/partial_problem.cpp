#include "problems/contract/partial_problem.hpp"

#include "problems/contract/adapters.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

class PartialProblem {
 public:
  PartialProblem(Problem inner, Point fixed, std::vector<Index> rows)
      : inner_(std::move(inner)), fixed_(std::move(fixed)), rows_(std::move(rows)) {
    const auto& blocks = inner_.domain()->blocks();
    domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{
        {blocks.front().name, static_cast<Index>(rows_.size()), blocks.front().cols, blocks.front().manifold}});
  }

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return of_whole(std::get<Point>(inner_.start(rng))); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return inner_.objective(Solution(whole(std::get<Point>(x))), evaluation);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return inner_.decode(Solution(whole(std::get<Point>(x)))); }
  [[nodiscard]] std::vector<std::string> notes() const { return inner_.notes(); }

 protected:
  struct Scratch {
    Point x, gradient;
  };

  void write_whole(const Point& x, Point& out) const {
    for (std::size_t k = 0; k < rows_.size(); ++k) out.block(0).row(rows_[k]) = x.block(0).row(static_cast<Index>(k));
  }
  [[nodiscard]] Point whole(const Point& x) const {
    Point out = fixed_;
    write_whole(x, out);
    return out;
  }
  void write_free(const Point& from, Point& out) const {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      out.block(0).row(static_cast<Index>(k)) = from.block(0).row(rows_[k]);
  }
  [[nodiscard]] Point of_whole(const Point& from) const {
    Point out = domain_->zero();
    write_free(from, out);
    return out;
  }
  /// The scratch with the whole point for x.
  Scratch& prepare(const Point& x, Evaluation& evaluation) const {
    auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
    scratch.x = fixed_;
    write_whole(x, scratch.x);
    return scratch;
  }

  Problem inner_;
  Point fixed_;
  std::vector<Index> rows_;
  std::shared_ptr<const Domain> domain_;
};

class SmoothPartialProblem : public PartialProblem {
 public:
  using PartialProblem::PartialProblem;
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return inner_.face<SmoothFace>().value(prepare(x, evaluation).x, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    Scratch& scratch = prepare(x, evaluation);
    scratch.gradient = scratch.x;  // its shape
    const double value = inner_.face<SmoothFace>().value_and_gradient(scratch.x, scratch.gradient, evaluation);
    write_free(scratch.gradient, gradient);
    return value;
  }
};

class StagedPartialProblem : public PartialProblem {
 public:
  using PartialProblem::PartialProblem;
  [[nodiscard]] Index stage_count() const { return inner_.face<StagesFace>().stage_count(); }
  [[nodiscard]] Problem stage(Index k, const Solution& x) const {
    return with_fixed_rows(inner_.face<StagesFace>().stage(k, Solution(whole(std::get<Point>(x)))), fixed_, rows_);
  }
};

static_assert(AnyProblem<SmoothPartialProblem> && SmoothProblem<SmoothPartialProblem>);
static_assert(AnyProblem<StagedPartialProblem> && StagedProblem<StagedPartialProblem>);

}  // namespace

Problem with_fixed_rows(const Problem& inner, Point fixed, std::vector<Index> free_rows) {
  const Domain* domain = inner.domain();
  require<ConfigError>(domain != nullptr && domain->blocks().size() == 1 && domain->is_euclidean(),
                       "Objects can be held fixed in Euclidean maps only, but '{}' has no such "
                       "map here. Leave its manifold out.",
                       inner.name());
  for (const Index row : free_rows)
    require<ConfigError>(row >= 0 && row < domain->blocks().front().rows, "There is no row {}. There are {} rows.", row,
                         domain->blocks().front().rows);
  const auto needs = CapabilitySet::of<SmoothFace>();
  const CapabilitySet offers = inner.offers();
  if (offers.has<SmoothFace>() || offers.has<FiniteSumFace>())
    return {inner.name(), SmoothPartialProblem(adapt(inner, needs), std::move(fixed), std::move(free_rows))};
  if (offers.has<StagesFace>())
    return {inner.name(), StagedPartialProblem(inner, std::move(fixed), std::move(free_rows))};
  throw UnsupportedPair(
      fmt::format("Objects can be held fixed only in problems that offer smooth or stages; '{}' "
                  "offers neither. Choose another problem.",
                  inner.name()));
}

}  // namespace alidade
