// A project may have folders and files of the names that ours have: this one has nothing to do with alidade's.
#pragma once

namespace own {
struct Run {
  int runs = 3;
};
}  // namespace own
