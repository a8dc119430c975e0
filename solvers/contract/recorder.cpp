#include "solvers/contract/recorder.hpp"

#include <algorithm>

namespace alidade {

void Recorder::add(TraceRecord entry, const std::function<void(TraceRecord&)>& look) {
  if (resumed_ && entry.iteration == 0) return;
  entry.iteration += before_;
  clock_.pause();
  Figures figures;
  const auto amounts = spent(counts_);
  for (std::size_t k = 0; k < kSpentNames.size(); ++k)
    figures.emplace_back(kSpentNames[k], static_cast<double>(amounts[k]));
  entry.metrics.insert(entry.metrics.begin(), figures.begin(), figures.end());
  if (wants(entry.iteration)) look(entry);
  clock_.resume();
  entry.seconds = clock_.seconds();
  trace_.push_back(std::move(entry));
}

void Recorder::record(Index iteration, double objective, double gradient_norm, const Point* x) {
  add({iteration, 0, objective, gradient_norm, {}}, [&](TraceRecord& entry) {
    if (x) context_.observer->observe(Solution(*x), entry);
  });
}

void Recorder::record(Index iteration, double objective, const std::function<Solution()>& x, Figures figures) {
  add({iteration, 0, objective, kUnknown, std::move(figures)},
      [&](TraceRecord& entry) { context_.observer->observe(x(), entry); });
}

void Recorder::finish(Summary& summary) {
  summary.solve_seconds = clock_.seconds();
  summary.observe_seconds = clock_.paused_seconds();
  summary.trace = std::move(trace_);
}

void append_trace(const Trace& later, const Counts& before, double seconds_before, Trace& out) {
  const auto amounts = spent(before);
  for (const TraceRecord& record : later) {
    if (record.iteration == 0) continue;
    TraceRecord& added = out.emplace_back(record);
    added.iteration += before.iterations;
    added.seconds += seconds_before;
    for (std::size_t k = 0; k < kSpentNames.size(); ++k) {
      const auto figure = std::ranges::find(added.metrics, kSpentNames[k], &Figures::value_type::first);
      if (figure != added.metrics.end()) figure->second += static_cast<double>(amounts[k]);
    }
  }
}

}  // namespace alidade
