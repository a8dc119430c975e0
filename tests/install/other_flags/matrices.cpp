// Matrices that the library makes and this program frees, and the other way round; and products of its own, for which
// Eigen takes memory aside.
#include <alidade/data.hpp>
#include <alidade/problems.hpp>
#include <alidade/solve.hpp>
#include <cstdio>
#include <string>

int main() {
  alidade::Matrix d = alidade::Matrix::Zero(12, 12);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) d(i, j) = i > j ? i - j : j - i;
  alidade::Observations data;
  for (int i = 0; i < 12; ++i) data.objects.push_back(std::to_string(i));
  data.dissimilarities = {{"", d, {}}};
  const alidade::Problem problem = alidade::problem_catalog().at("mds").make(data, {});
  const alidade::Solved found = alidade::solve(problem, "ceres");
  const alidade::Embedding map = problem.decode(found.solution);
  bool right = true;
  for (alidade::Index n = 1; n < 400; n += n < 20 ? 1 : 50) {
    const alidade::Matrix ones = alidade::Matrix::Ones(n, n + 1);
    right = right && (ones * ones.transpose()).sum() == double(n * n * (n + 1));
  }
  std::printf("stress %.0e, %td objects, products %s\n", found.summary.objective, map.only().rows(), right ? "right" : "wrong");
}
