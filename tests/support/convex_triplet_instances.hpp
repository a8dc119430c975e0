// Four small convex triplet problems with their optima, computed independently (factors, checked by FISTA on the full
// matrix, which gave the same F to 1e-13 and X to 8e-11). Ids are 0-based, each triplet is {anchor, near, far}.
// u: the dual point at the optimum; eigenvalues: of X, largest first.
#pragma once

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "problems/evidence/observations.hpp"
#include "tests/support/test_paths.hpp"

namespace alidade::testing {

struct ConvexTripletInstance {
  std::string name;
  bool logistic = true;
  double smoothing = 0;  // of the hinge
  std::shared_ptr<const TripletList> triplets;
  double lambda = 0, lambda_max = 0, objective = 0, lower_bound = 0, rank = 0;
  std::vector<double> eigenvalues, weights, u;
};

[[nodiscard]] inline std::vector<ConvexTripletInstance> convex_triplet_instances() {
  std::ifstream in(std::string(test_folder()) + "/problems/data/convex_triplets.json");
  std::vector<ConvexTripletInstance> out;
  for (const auto& entry : nlohmann::json::parse(in)) {
    const std::vector<double> weights = entry["weights"];
    auto list = std::make_shared<TripletList>(entry["n"].get<Index>());
    for (const auto& t : entry["triplets"])
      list->add(
          {t[0].get<ObjectId>(), t[1].get<ObjectId>(), t[2].get<ObjectId>(), 0, weights[subscript(list->size())]});
    out.push_back({entry["name"], entry["logistic"], entry["smoothing"], std::move(list), entry["lambda"],
                   entry["lambda_max"], entry["objective"], entry["lower_bound"], entry["rank"], entry["eigenvalues"],
                   weights, entry["u"]});
  }
  return out;
}

}  // namespace alidade::testing
