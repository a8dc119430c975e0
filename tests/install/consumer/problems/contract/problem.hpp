// A project may have folders and files of the names that ours have: this one has nothing to do with alidade's.
#pragma once

namespace own {
struct Problem {
  int circles = 1;
};
}  // namespace own
