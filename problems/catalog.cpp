#include "problems/catalog.hpp"

#include "problems/contract/framed_projector.hpp"
#include "problems/core/error.hpp"
#include "problems/multiview/common_space_problem.hpp"
#include "problems/multiview/disjoint_problem.hpp"
#include "problems/multiview/mvmds_problem.hpp"
#include "problems/multiview/mvte_problem.hpp"
#include "problems/multiview/score_problem.hpp"
#include "problems/neighbor/nerv_problem.hpp"
#include "problems/neighbor/out_of_sample.hpp"
#include "problems/neighbor/sparse_nerv_problem.hpp"
#include "problems/neighbor/tsne_problem.hpp"
#include "problems/scaling/cca_problem.hpp"
#include "problems/scaling/local_mds_problem.hpp"
#include "problems/scaling/nonmetric_problem.hpp"
#include "problems/scaling/same_different_problem.hpp"
#include "problems/scaling/stress_problem.hpp"
#include "problems/semidefinite/convex_triplet_problems.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/graph_problems.hpp"
#include "problems/semidefinite/kpsde_problem.hpp"
#include "problems/semidefinite/mvu_problem.hpp"
#include "problems/semidefinite/psde_problem.hpp"
#include "problems/semidefinite/triplet_program_problems.hpp"
#include "problems/spectral/graph_problems.hpp"
#include "problems/spectral/hessian_problem.hpp"
#include "problems/spectral/linear_projector.hpp"
#include "problems/spectral/pca_problem.hpp"
#include "problems/spectral/scaling_problems.hpp"
#include "problems/spectral/spectral_map.hpp"
#include "problems/triplet/annotator_map.hpp"
#include "problems/triplet/lapse_problem.hpp"
#include "problems/triplet/triplet_map.hpp"
#include "problems/triplet/weighted_ete_problem.hpp"
#include "problems/triplet/weighted_ete_projector.hpp"

namespace alidade {

namespace {

Registry<ProblemEntry>& catalog_of_problems() {
  // Called only when all entries exist.
  constexpr ProblemLookup lookup = [](std::string_view name, std::string_view where) -> const ProblemEntry& {
    return problem_catalog().at(name, std::string(where));
  };
  static Registry<ProblemEntry> catalog("problem", [&] {
    std::vector<ProblemEntry> all;
    for (const auto& part : {triplet::loss_entries(), triplet::annotator_entries(),
                             std::vector<ProblemEntry>{
                                 triplet::ste_lapse_entry(),
                                 triplet::weighted_ete_entry(),
                                 neighbor::tsne_entry(),
                                 neighbor::sparse_nerv_entry(lookup),
                                 multiview::disjoint_entry(lookup),
                                 multiview::mvte_entry(),
                                 multiview::mvte_ratio_entry(),
                                 multiview::mvmds_entry(),
                                 multiview::score_entry(),
                                 multiview::common_space_entry(),
                                 semidefinite::psde_entry(),
                                 semidefinite::kpsde_entry(),
                                 semidefinite::gnmds_sdp_entry(),
                                 semidefinite::psde_triplets_entry(),
                                 semidefinite::ste_convex_entry(),
                                 semidefinite::gnmds_convex_entry(),
                                 semidefinite::mvu_entry(),
                                 semidefinite::max_cut_entry(),
                                 semidefinite::theta_entry(),
                                 neighbor::nerv_entry(),
                                 spectral::pca_entry(),
                                 spectral::classical_mds_entry(),
                                 spectral::isomap_entry(),
                                 spectral::lle_entry(),
                                 spectral::hlle_entry(),
                                 spectral::laplacian_eigenmaps_entry(),
                                 scaling::mds_entry(),
                                 scaling::sammon_entry(),
                                 scaling::nonmetric_mds_entry(),
                                 scaling::cca_entry(),
                                 scaling::local_mds_entry(),
                                 scaling::same_different_entry(),
                             }})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }());
  return catalog;
}

}  // namespace

const Registry<ProblemEntry>& problem_catalog() { return catalog_of_problems(); }
void add_problem(ProblemEntry entry) { catalog_of_problems().add(std::move(entry)); }
void add_unlisted_problem(ProblemEntry entry) { catalog_of_problems().add_unlisted(std::move(entry)); }

std::shared_ptr<const Projector> projector_from(const ValueTable& description) {
  const Value* value = description.find("kind");
  const std::string* kind = value ? value->get_if<std::string>() : nullptr;
  require<DataError>(kind != nullptr, "'kind' is missing.");
  if (*kind == "tsne" || *kind == "nerv") return neighbor::out_of_sample_from(description);
  if (*kind == "weighted_ete") return triplet::weighted_ete_projector_from(description);
  if (*kind == "linear") return spectral::LinearProjector::from(description);
  if (*kind == "framed") {
    const Value* inner = description.find("projector");
    const ValueTable* table = inner ? inner->get_if<ValueTable>() : nullptr;
    require<DataError>(table != nullptr, "'projector' is missing.");
    const Value* inner_kind = table->find("kind");
    require<DataError>(!inner_kind || *inner_kind != Value("framed"), "'projector' is framed twice.");
    return FramedProjector::from(description, projector_from(*table));
  }
  require<DataError>(*kind == "kernel",
                     "its kind is '{}', and this version knows 'framed', 'kernel', 'linear', "
                     "'tsne', 'nerv' and 'weighted_ete' only.",
                     *kind);
  return semidefinite::KernelProjector::from(description);
}

}  // namespace alidade
