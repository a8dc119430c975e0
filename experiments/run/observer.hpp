// Measures metrics of iterates while the solver's clock is stopped.
// log: iterations 0, 1, 2, then even steps of log(1 + iteration); linear: every n-th iteration.
// Metrics that do not apply are left out of the record.
#pragma once

#include <functional>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/metrics/metric.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

class MetricObserver final : public Observer {
 public:
  /// `decode` gives the map of an iterate; `progress`, if any, sees each record. The references must outlive the
  /// observer.
  MetricObserver(std::function<Embedding(const Solution&)> decode, const metrics::Evidence& evidence,
                 const TraceRule& rule, std::function<void(const TraceRecord&)> progress = {});
  [[nodiscard]] bool wants(Index iteration) const override;
  void observe(const Solution& x, TraceRecord& record) override;

 private:
  std::function<Embedding(const Solution&)> decode_;
  metrics::Evidence evidence_;
  TraceRule rule_;
  std::vector<const metrics::MetricEntry*> metrics_;
  std::function<void(const TraceRecord&)> progress_;
};

}  // namespace alidade
