#include "experiments/config/experiment.hpp"

#include "experiments/config/config_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// A configuration interpreted: the resolved one, written and read, has the same plan. Runs are counted in thousands
/// here.
void experiment(std::string_view bytes) {
  ValueTable options = parse_config(bytes, "file");
  // A million repeats are a plan too, and a slow one.
  if (const Value* repeats = options.find("repeats");
      repeats && repeats->get_if<std::int64_t>() && *repeats->get_if<std::int64_t>() > 3)
    options.set("repeats", 3);
  const Experiment first = interpret(options);
  if (first.datasets.size() * first.methods.size() > 1000 || first.split.folds > 10) return;
  const auto runs = plan(first);
  const ValueTable resolved = parse_config(to_toml(resolved_config(first)), "resolved");
  const auto again = plan(interpret(resolved));
  claim_that(again.size() == runs.size(), "the resolved configuration has as many runs");
  for (std::size_t r = 0; r < runs.size(); ++r)
    claim_that(again[r].id == runs[r].id, "the resolved configuration has the same runs");
}

}  // namespace alidade::fuzz
