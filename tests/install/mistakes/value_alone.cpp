// A function that gives its value alone, where the gradient is asked for.
#include <alidade/functions.hpp>

alidade::Problem made() {
  return alidade::smooth([](auto x) { return x[0] * x[0]; }, 1);
}
