// Which solver `auto` takes: thresholds measured on programs of SDPLIB and theta of random graphs.
#include "solvers/public/sdp.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "problems/semidefinite/graph_problems.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"

namespace program_choice_test {
using namespace alidade;

/// n vertices on a ring, each joined to the next `reach`: n * reach edges.
PairSigns ring(Index n, Index reach) {
  std::vector<ObjectPair> edges;
  for (Index i = 0; i < n; ++i)
    for (Index step = 1; step <= reach; ++step)
      edges.push_back({static_cast<ObjectId>(i), static_cast<ObjectId>((i + step) % n)});
  return {n, std::move(edges), {}, PairSigns::Others::dissimilar};
}

std::string theta_by(Index n, Index reach, double memory_gb = 1) {
  return choose_solver(semidefinite::theta_program(ring(n, reach)), memory_gb).solver;
}

TEST_CASE("theta of sparse graphs goes to a low-rank factor, of crowded ones to admm, of small ones to csdp") {
  if (!Csdp::missing().empty()) return;
  CHECK(theta_by(50, 4) == "csdp");
  CHECK(theta_by(75, 10) == "csdp");
  CHECK(theta_by(88, 12) == "burer_monteiro");  // .4 CPU seconds beside csdp's .9
  CHECK(theta_by(150, 7) == "burer_monteiro");
  CHECK(theta_by(120, 14) == "admm");
  CHECK(theta_by(60, 18) == "admm");
  CHECK(theta_by(140, 11) == "burer_monteiro");
  CHECK(theta_by(280, 4) == "burer_monteiro");  // as of Hamming's graphs: .2 CPU seconds beside csdp's 3.8
  CHECK(theta_by(400, 3) == "csdp");
}

TEST_CASE("what does not fit into csdp's memory goes to another solver") {
  CHECK(theta_by(150, 7, 0.01) != "csdp");
  const ProgramChoice cut = choose_solver(semidefinite::max_cut_program(ring(300, 2)), 0.001);
  CHECK(cut.solver == "fixed_diagonal");
  CHECK(cut.fallbacks.empty());
}

}  // namespace program_choice_test
