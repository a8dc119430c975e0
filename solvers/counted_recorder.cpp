#include "solvers/counted_recorder.hpp"

namespace alidade {

void CountedRecorder::record(Index iteration, double objective, double gradient_norm,
                             const Point* x) {
  spent_.push_back(counts_);
  recorder_.record(iteration, objective, gradient_norm, x);
}

void CountedRecorder::finish(Summary& summary) {
  recorder_.finish(summary);
  const bool any_terms = !spent_.empty() && spent_.back().terms > 0;
  for (std::size_t i = 0; i < summary.trace.size(); ++i) {
    Figures figures{{kEvaluations, static_cast<double>(spent_[i].evaluations)}};
    if (any_terms) figures.emplace_back(kTerms, static_cast<double>(spent_[i].terms));
    Figures& all = summary.trace[i].metrics;
    all.insert(all.begin(), figures.begin(), figures.end());
  }
}

}  // namespace alidade
