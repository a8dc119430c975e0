// The catalog of problems. catalog.cpp has one line for each: the name of the entry that the problem's source defines.
// A problem is made from observations and a table of options, which is checked against the option list
// (problem_entry.hpp). A saved map is read back with the projector that places new objects on it.
#pragma once

#include <memory>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/projector.hpp"
#include "problems/core/registry.hpp"

namespace alidade {

[[nodiscard]] const Registry<ProblemEntry>& problem_catalog();
/// Adds a problem of one's own; see Registry::add().
void add_problem(ProblemEntry entry);
/// Adds one that no list shows; see Registry::add_unlisted().
void add_unlisted_problem(ProblemEntry entry);

/// Rebuilds the projector from its description(). @throws DataError naming what is missing, unknown or does not fit
/// Names of the problems whose maps place new objects by features.
[[nodiscard]] std::vector<std::string> problems_that_place();
[[nodiscard]] std::shared_ptr<const Projector> projector_from(const ValueTable& description);

}  // namespace alidade
