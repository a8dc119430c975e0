#include "experiments/config/setup.hpp"

#include <algorithm>
#include <tuple>

namespace alidade {

TrainingRule training_rule(const DatasetSetup& dataset) {
  TrainingRule out;
  const auto number = [&](const char* name, double otherwise) {
    const Value* value = dataset.options.find(name);
    return value ? value->number().value_or(otherwise) : otherwise;
  };
  out.observed_fraction = number("observed_fraction", out.observed_fraction);
  out.train_noise = number("train_noise", out.train_noise);
  out.asked = static_cast<std::uint64_t>(number("asked", 0));
  if (const Value* sampler = dataset.options.find("asked_by"))
    if (const auto* name = sampler->get_if<std::string>()) out.asked_by = *name;
  out.asked_random_share = number("asked_random_share", out.asked_random_share);
  out.holdout = number("holdout", 0);
  if (const Value* unit = dataset.options.find("observed_by"); unit && *unit == Value("value"))
    out.hide_unit = HideUnit::value;
  return out;
}

bool same_method(const MethodSetup& a, const MethodSetup& b) {
  const auto parts = [](const MethodSetup& m) {
    return std::tie(m.id, m.problem, m.problem_options, m.solver, m.solver_options, m.choose, m.rule, m.matching,
                    m.starts, m.leaves_saddles);
  };
  return parts(a) == parts(b) && (a.input && b.input ? same_method(*a.input, *b.input) : a.input == b.input);
}

bool concerns(const MethodSetup& method, const DatasetSetup& dataset) {
  return method.datasets.empty() || std::ranges::find(method.datasets, dataset.id) != method.datasets.end();
}

}  // namespace alidade
