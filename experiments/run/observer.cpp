#include "experiments/run/observer.hpp"

#include <cmath>

namespace alidade {

MetricObserver::MetricObserver(std::function<Embedding(const Solution&)> decode, const metrics::Evidence& evidence,
                               const TraceRule& rule, std::function<void(const TraceRecord&)> progress)
    : decode_(std::move(decode)), evidence_(evidence), rule_(rule), progress_(std::move(progress)) {
  for (const std::string& name : rule.metrics) metrics_.push_back(&metrics::metric_catalog().at(name));
}

bool MetricObserver::wants(Index iteration) const {
  if (rule_.kind == "none" || metrics_.empty()) return false;
  if (iteration == 0) return true;
  if (rule_.kind == "linear") return iteration % std::max<Index>(1, 100 / rule_.points) == 0;
  const double density = static_cast<double>(rule_.points) / std::log(1e4);
  const auto step = [&](Index i) { return std::floor(density * std::log1p(static_cast<double>(i))); };
  return step(iteration) > step(iteration - 1);
}

void MetricObserver::observe(const Solution& x, TraceRecord& record) {
  const Embedding embedding = decode_(x);
  for (const metrics::MetricEntry* metric : metrics_) {
    const double value = metric->compute({embedding, evidence_});
    if (!std::isnan(value)) record.metrics.emplace_back(metric->name, value);
  }
  if (progress_) progress_(record);
}

}  // namespace alidade
