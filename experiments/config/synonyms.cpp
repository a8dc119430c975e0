#include "experiments/config/synonyms.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Their name, ours.
constexpr std::array kOptions = {Pair{"--dim", "--n-components"},
                                 Pair{"--dims", "--n-components"},
                                 Pair{"--ndim", "--n-components"},
                                 Pair{"--n-dim", "--n-components"},
                                 Pair{"--dimension", "--n-components"},
                                 Pair{"--dimensions", "--n-components"},
                                 Pair{"--random-state", "--seed"},
                                 Pair{"--random-seed", "--seed"},
                                 Pair{"--random_state", "--seed"},
                                 Pair{"--test-size", "--holdout"},
                                 Pair{"--validation-split", "--holdout"},
                                 Pair{"--n-jobs", "--jobs"},
                                 Pair{"--workers", "--jobs"},
                                 Pair{"--parallel", "--jobs"},
                                 Pair{"--jobs", "--threads"},
                                 Pair{"--n-threads", "--threads"},
                                 Pair{"--cpus", "--threads"},
                                 Pair{"--output", "--out"},
                                 Pair{"--output-dir", "--out"},
                                 Pair{"--method", "--problem"},
                                 Pair{"--loss", "--problem"},
                                 Pair{"--model", "--problem"},
                                 Pair{"--optimizer", "--solver"},
                                 Pair{"--optimiser", "--solver"},
                                 Pair{"--algorithm", "--solver"},
                                 Pair{"--metric", "--value"},
                                 Pair{"--overwrite", "--force"},
                                 Pair{"--time-limit", "--timeout"},
                                 Pair{"--normalize", "--scale"},
                                 Pair{"--standardize", "--scale"}};

// Options of a problem or a solver, which --set gives.
constexpr std::array kSettings = {Pair{"--max-iter", "--set solver.max_iter=N"},
                                  Pair{"--iterations", "--set solver.max_iter=N"},
                                  Pair{"--epochs", "--set solver.max_iter=N"},
                                  Pair{"--n-init", "--set solver.n_init=N"},
                                  Pair{"--learning-rate", "--set solver.learning_rate=X"},
                                  Pair{"--perplexity", "--set problem.perplexity=X"},
                                  Pair{"--alpha", "--set problem.alpha=X"},
                                  Pair{"--lambda", "--set problem.lambda=X"},
                                  Pair{"--repeats", "--set repeats=N"}};

/// Lower case.
constexpr std::array kSolvers = {Pair{"lbfgs", "ceres with direction = \"lbfgs\", its default"},
                                 Pair{"l-bfgs", "ceres with direction = \"lbfgs\", its default"},
                                 Pair{"l-bfgs-b", "ceres with direction = \"lbfgs\", its default"},
                                 Pair{"bfgs", "ceres with direction = \"bfgs\""},
                                 Pair{"cg", "ceres with direction = \"nonlinear_cg\""},
                                 Pair{"sgd", "riemannian_sgd"},
                                 Pair{"adam", "riemannian_sgd with update = \"adam\""},
                                 Pair{"gd", "gradient_descent"},
                                 Pair{"smacof", "majorization"},
                                 Pair{"mm", "majorization"},
                                 Pair{"mosek", "csdp"},
                                 Pair{"scs", "admm"},
                                 Pair{"sdplr", "burer_monteiro"},
                                 Pair{"lorads", "burer_monteiro"},
                                 Pair{"sdpa", "csdp"},
                                 Pair{"arpack", "lanczos"}};

template <class List>
std::optional<std::string_view> find(const List& list, std::string_view name) {
  const auto entry = std::ranges::find(list, name, &Pair::first);
  return entry == list.end() ? std::nullopt : std::optional(entry->second);
}

}  // namespace

std::optional<std::string> option_synonym(std::string_view option, std::span<const std::string> options) {
  const auto has = [&](std::string_view name) { return std::ranges::find(options, name) != options.end(); };
  for (const auto& [theirs, ours] : kOptions)
    if (theirs == option && has(ours)) return std::string(ours);
  if (const auto setting = find(kSettings, option); setting && has("--set")) return std::string(*setting);
  if (option == "--n-jobs" && has("--threads")) return "--threads";
  return std::nullopt;
}

std::optional<std::string> solver_synonym(std::string_view solver) {
  const auto name = find(kSolvers, lower_ascii(solver));
  return name ? std::optional(std::string(*name)) : std::nullopt;
}

void require_own_name(std::string_view solver, std::string_view place) {
  if (const auto ours = solver_synonym(solver))
    throw ConfigError(fmt::format("{}There is no solver '{}'. Here it is {}.", place, solver, *ours));
}

}  // namespace alidade
