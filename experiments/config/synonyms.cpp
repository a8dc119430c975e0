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

// Their names, ours; the first that the command has.
constexpr std::array kOptions = {Pair{"--dim --dims --ndim --n-dim --dimension --dimensions", "--n-components"},
                                 Pair{"--random-state --random-seed --random_state", "--seed"},
                                 Pair{"--test-size --validation-split", "--holdout"},
                                 Pair{"--n-jobs --workers --parallel", "--jobs"},
                                 Pair{"--n-jobs --jobs --n-threads --cpus", "--threads"},
                                 Pair{"--output --output-dir", "--out"},
                                 Pair{"--method --loss --model", "--problem"},
                                 Pair{"--optimizer --optimiser --algorithm", "--solver"},
                                 Pair{"--metric", "--value"},
                                 Pair{"--overwrite", "--force"},
                                 Pair{"--time-limit", "--timeout"},
                                 Pair{"--normalize --standardize", "--scale"}};

// Options of a problem or a solver, which --set gives.
constexpr std::array kSettings = {Pair{"--max-iter --iterations --epochs", "--set solver.max_iter=N"},
                                  Pair{"--n-init", "--set solver.n_init=N"},
                                  Pair{"--learning-rate", "--set solver.learning_rate=X"},
                                  Pair{"--perplexity", "--set problem.perplexity=X"},
                                  Pair{"--alpha", "--set problem.alpha=X"},
                                  Pair{"--lambda", "--set problem.lambda=X"},
                                  Pair{"--repeats", "--set repeats=N"}};

/// Lower case.
constexpr std::array kSolvers = {Pair{"l-bfgs-b lbfgsb", "projected_lbfgs"},
                                 Pair{"lbfgs l-bfgs", "ceres with direction = \"lbfgs\", its default"},
                                 Pair{"bfgs", "ceres with direction = \"bfgs\""},
                                 Pair{"cg", "ceres with direction = \"nonlinear_cg\""},
                                 Pair{"sgd", "riemannian_sgd"},
                                 Pair{"adam", "riemannian_sgd with update = \"adam\""},
                                 Pair{"gd", "gradient_descent"},
                                 Pair{"smacof mm", "majorization"},
                                 Pair{"mosek sdpa", "csdp"},
                                 Pair{"scs", "admm"},
                                 Pair{"sdplr lorads", "burer_monteiro"},
                                 Pair{"arpack", "lanczos"}};

bool names(const Pair& pair, std::string_view name) {
  return !name.empty() && fmt::format(" {} ", pair.first).find(fmt::format(" {} ", name)) != std::string::npos;
}

template <class List>
std::optional<std::string_view> find(const List& list, std::string_view name) {
  const auto entry = std::ranges::find_if(list, [&](const Pair& pair) { return names(pair, name); });
  return entry == list.end() ? std::nullopt : std::optional(entry->second);
}

}  // namespace

std::optional<std::string> option_synonym(std::string_view option, std::span<const std::string> options) {
  const auto has = [&](std::string_view name) { return std::ranges::find(options, name) != options.end(); };
  for (const Pair& pair : kOptions)
    if (names(pair, option) && has(pair.second)) return std::string(pair.second);
  if (const auto setting = find(kSettings, option); setting && has("--set")) return std::string(*setting);
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
