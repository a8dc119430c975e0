// What stress, CCA and local MDS share: dissimilarities in units of their own mean, the starts, and an objective that
// is a sum over pairs of objects.
// Solvers have absolute first steps and L-BFGS begins with the identity as inverse Hessian, so the objective must look
// the same to them in any unit of the data. The mean is exact enough for that: a power of two changes no bit.
// in_own_units() (contract/data_units.hpp) converts the map and the objective to units of the data.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::scaling {

struct DistanceFitOptions {
  Index n_components = 2;
  std::string start = "classical";

  /// Adds the description of `start`, which comes last.
  template <class Options>
  [[nodiscard]] static OptionList<Options> with_start(OptionList<Options> list) {
    return list.text("start", &Options::start, {"classical", "random"},
                     "classical: classical scaling; random: normal noise at the scale of the data");
  }
};

struct ScaledDissimilarities {
  Matrix values;     // delta / unit: n x n; their mean over pairs is 1 up to rounding
  Matrix classical;  // n x d, classical scaling of `values`
  double unit = 1;   // the mean dissimilarity, > 0
};
/// `problem` names the problem in messages. Memory n^2 doubles.
/// @throws DataError as DissimilarityRows and squared_dissimilarities
[[nodiscard]] std::shared_ptr<const ScaledDissimilarities> scaled_dissimilarities(const Observations& observations,
                                                                                  std::string_view problem, Index d,
                                                                                  Executor& executor);

class DistanceFit {
 public:
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(start_, rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return {"classical", "random"}; }
  /// "classical": classical scaling, with noise of a thousandth of the mean dissimilarity on axes without variance,
  /// since gradients vanish on them. "random": normal, scaled so that distances are on average as large as the
  /// dissimilarities.
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1, .objective = 2}; }

  /// O(n^2 d), with the gradient too. Same bits for any number of threads.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return sum(x, nullptr, evaluation.executor);
  }
  /// Pairs at distance 0 contribute nothing.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

 protected:
  DistanceFit(std::shared_ptr<const ScaledDissimilarities> data, std::string start);
  /// delta: n x n, in units of their mean.
  [[nodiscard]] const Matrix& dissimilarities() const { return data_->values; }
  /// The objective; writes its gradient (n x d) unless `gradient` is null.
  virtual double sum(const Point& x, Matrix* gradient, Executor& executor) const = 0;

 private:
  std::shared_ptr<const ScaledDissimilarities> data_;
  std::string start_;
  std::shared_ptr<const Domain> domain_;
};

}  // namespace alidade::scaling
