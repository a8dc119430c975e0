// Compiled so that Eigen's matrices lie otherwise than in the library.
#include <alidade/problem.hpp>
int main() {}
