// Takes metrics of iterates while a solver's clock stands still.
// log: iteration 0, 1, 2 and then at even steps of log(1 + iteration); linear: every n-th iteration.
// A metric that does not apply is left out of the record.
#pragma once

#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/metrics/metric.hpp"
#include "solvers/solver.hpp"

namespace alidade {

class MetricObserver final : public Observer {
 public:
  /// References must outlive the observer.
  MetricObserver(const Problem& problem, const metrics::Evidence& evidence, const TraceRule& rule);
  [[nodiscard]] bool wants(Index iteration) const override;
  void observe(const Solution& x, TraceRecord& record) override;

 private:
  const Problem& problem_;
  metrics::Evidence evidence_;
  TraceRule rule_;
  std::vector<const metrics::Metric*> metrics_;
};

}  // namespace alidade
