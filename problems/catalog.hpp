// The catalog of problems: one line each in catalog.cpp, which calls the entry that the problem's own source defines.
// A problem is made from observations and a table of options, checked against its list: see problem_entry.hpp.
// Finished maps are read back with the projector that places new objects on them.
#pragma once

#include <memory>

#include "problems/core/registry.hpp"
#include "problems/problem_entry.hpp"
#include "problems/projector.hpp"

namespace alidade {

[[nodiscard]] const Registry<ProblemEntry>& problem_catalog();

/// The projector of which this is the description(). @throws DataError naming what is missing, unknown or does not fit
[[nodiscard]] std::shared_ptr<const Projector> projector_from(const Table& description);

}  // namespace alidade
