// A project may have folders and files of the names that ours have: this one has nothing to do with alidade's.
#pragma once

namespace own {
struct Catalog {
  int solvers = 2;
};
}  // namespace own
