#include "problems/catalog.hpp"

#include "problems/contract/framed_projector.hpp"
#include "problems/core/error.hpp"
#include "problems/neighbor/out_of_sample.hpp"
#include "problems/semidefinite/kernel_features.hpp"
#include "problems/spectral/neighbor_projectors.hpp"
#include "problems/spectral/spectral_map.hpp"
#include "problems/triplet/annotator_map.hpp"
#include "problems/triplet/triplet_map.hpp"
#include "problems/triplet/weighted_ete_projector.hpp"

namespace alidade {

// Each problem: a source that defines `ProblemEntry NAME_entry()` in the namespace of its family, and its line here, in
// the order of `alidade list`. The entry of one that is composed of others takes what finds these.
#define ALIDADE_PROBLEMS(PLAIN, COMPOSED) \
  PLAIN(triplet, ste_lapse)               \
  PLAIN(triplet, spose)                   \
  PLAIN(triplet, vice)                    \
  PLAIN(triplet, lore)                    \
  PLAIN(triplet, weighted_ete)            \
  PLAIN(triplet, trimap)                  \
  PLAIN(neighbor, tsne)                   \
  PLAIN(neighbor, umap)                   \
  PLAIN(neighbor, pacmap)                 \
  COMPOSED(neighbor, sparse_nerv)         \
  COMPOSED(multiview, disjoint)           \
  PLAIN(multiview, mvte)                  \
  PLAIN(multiview, mvte_ratio)            \
  PLAIN(multiview, mvmds)                 \
  PLAIN(multiview, score)                 \
  PLAIN(multiview, common_space)          \
  PLAIN(semidefinite, psde)               \
  PLAIN(semidefinite, kpsde)              \
  PLAIN(semidefinite, gnmds_sdp)          \
  PLAIN(semidefinite, psde_triplets)      \
  PLAIN(semidefinite, ste_convex)         \
  PLAIN(semidefinite, gnmds_convex)       \
  PLAIN(semidefinite, ste_features)       \
  PLAIN(semidefinite, gnmds_features)     \
  PLAIN(semidefinite, mvu)                \
  PLAIN(semidefinite, max_cut)            \
  PLAIN(semidefinite, theta)              \
  PLAIN(neighbor, nerv)                   \
  PLAIN(neighbor, t_nerv)                 \
  PLAIN(spectral, pca)                    \
  PLAIN(spectral, classical_mds)          \
  PLAIN(spectral, isomap)                 \
  PLAIN(spectral, lle)                    \
  PLAIN(spectral, hlle)                   \
  PLAIN(spectral, laplacian_eigenmaps)    \
  PLAIN(scaling, mds)                     \
  PLAIN(scaling, sammon)                  \
  PLAIN(scaling, nonmetric_mds)           \
  PLAIN(scaling, cca)                     \
  PLAIN(scaling, local_mds)               \
  PLAIN(scaling, same_different)

#define ALIDADE_DECLARED(family, name) \
  namespace family {                   \
  ProblemEntry name##_entry();         \
  }
#define ALIDADE_DECLARED_COMPOSED(family, name)    \
  namespace family {                               \
  ProblemEntry name##_entry(ProblemLookup lookup); \
  }
ALIDADE_PROBLEMS(ALIDADE_DECLARED, ALIDADE_DECLARED_COMPOSED)

namespace {

Registry<ProblemEntry>& catalog_of_problems() {
  // Called only when all entries exist.
  constexpr ProblemLookup lookup = [](std::string_view name, std::string_view where) -> const ProblemEntry& {
    return problem_catalog().at(name, std::string(where));
  };
#define ALIDADE_MADE(family, name) family::name##_entry(),
#define ALIDADE_MADE_COMPOSED(family, name) family::name##_entry(lookup),
  static Registry<ProblemEntry> catalog("problem", [&] {
    std::vector<ProblemEntry> all = triplet::loss_entries();
    for (const auto& part : {triplet::annotator_entries(),
                             std::vector<ProblemEntry>{ALIDADE_PROBLEMS(ALIDADE_MADE, ALIDADE_MADE_COMPOSED)}})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }());
  return catalog;
}

}  // namespace

const Registry<ProblemEntry>& problem_catalog() { return catalog_of_problems(); }
void add_problem(ProblemEntry entry) { catalog_of_problems().add(std::move(entry)); }
void add_unlisted_problem(ProblemEntry entry) { catalog_of_problems().add_unlisted(std::move(entry)); }

std::vector<std::string> problems_that_place() {
  std::vector<std::string> out;
  for (const ProblemEntry& entry : problem_catalog().entries())
    if (entry.places_objects) out.push_back(entry.name);
  return out;
}

std::shared_ptr<const Projector> projector_from(const ValueTable& description) {
  const Value* value = description.find("kind");
  const std::string* kind = value ? value->get_if<std::string>() : nullptr;
  require<DataError>(kind != nullptr, "'kind' is missing.");
  if (*kind == "tsne" || *kind == "nerv" || *kind == "umap" || *kind == "pacmap")
    return neighbor::out_of_sample_from(description);
  if (*kind == "weighted_ete") return triplet::weighted_ete_projector_from(description);
  if (*kind == "linear") return spectral::LinearProjector::from(description);
  if (*kind == "lle" || *kind == "isomap" || *kind == "triangulation")
    return spectral::neighbor_projector_from(description);
  if (*kind == "framed") {
    const Value* inner = description.find("projector");
    const ValueTable* table = inner ? inner->get_if<ValueTable>() : nullptr;
    require<DataError>(table != nullptr, "'projector' is missing.");
    const Value* inner_kind = table->find("kind");
    require<DataError>(!inner_kind || *inner_kind != Value("framed"), "'projector' is framed twice.");
    return FramedProjector::from(description, projector_from(*table));
  }
  require<DataError>(*kind == "kernel",
                     "its kind is '{}', and this version knows 'framed', 'isomap', 'kernel', 'linear', 'lle', 'nerv', "
                     "'pacmap', 'triangulation', 'tsne', 'umap' and 'weighted_ete' only.",
                     *kind);
  return semidefinite::KernelProjector::from(description);
}

}  // namespace alidade
