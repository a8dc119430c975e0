#include "experiments/config/synonyms.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace synonyms_test {
namespace {

using namespace alidade;
using alidade::testing::message_of;

TEST_CASE("an option of another program is named as ours, if the command has it") {
  const std::vector<std::string> embed = {"--n-components", "--seed", "--set", "--threads", "--out"};
  CHECK(option_synonym("--dim", embed) == "--n-components");
  CHECK(option_synonym("--random-state", embed) == "--seed");
  CHECK(option_synonym("--max-iter", embed) == "--set solver.max_iter=N");
  CHECK(option_synonym("--n-jobs", embed) == "--threads");
  CHECK(option_synonym("--n-jobs", std::vector<std::string>{"--jobs", "--threads"}) == "--jobs");
  CHECK(!option_synonym("--dim", std::vector<std::string>{"--value"}));
  CHECK(!option_synonym("--sed", embed));
}

TEST_CASE("every solver that a synonym names exists, with the option that it names") {
  for (const char* theirs : {"lbfgs", "L-BFGS", "l-bfgs-b", "bfgs", "cg", "sgd", "adam", "gd", "smacof", "mm", "mosek",
                             "scs", "sdpa", "arpack"}) {
    CAPTURE(theirs);
    const auto ours = solver_synonym(theirs);
    REQUIRE(ours);
    const SolverEntry* entry = solver_catalog().find(ours->substr(0, ours->find(' ')));
    REQUIRE(entry);
    const auto with = ours->find(" with ");
    if (with == std::string::npos) continue;
    const auto equals = ours->find(" = \"", with);
    const std::string option = ours->substr(with + 6, equals - with - 6);
    const OptionInfo* info = find_option(entry->options, option);
    REQUIRE(info);
    const std::string value = ours->substr(equals + 4, ours->find('"', equals + 4) - equals - 4);
    CHECK(std::ranges::find(info->choices, value) != info->choices.end());
  }
  CHECK(!solver_synonym("ceres"));
  CHECK(!solver_synonym("cerez"));
}

TEST_CASE("a solver named as elsewhere is an error that names ours") {
  CHECK(testing::holds_all(message_of<ConfigError>([] { require_own_name("lbfgs", "--solver: "); }),
                           {"--solver:", "'lbfgs'", "ceres with direction"}));
  CHECK_NOTHROW(require_own_name("ceres"));
}

}  // namespace
}  // namespace synonyms_test
