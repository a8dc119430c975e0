#include "problems/catalog.hpp"

#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/multiview/common_space_problem.hpp"
#include "problems/multiview/disjoint_problem.hpp"
#include "problems/multiview/mvmds_problem.hpp"
#include "problems/multiview/mvte_problem.hpp"
#include "problems/multiview/score_problem.hpp"
#include "problems/neighbor/nerv_problem.hpp"
#include "problems/neighbor/row_placement.hpp"
#include "problems/neighbor/sparse_nerv_problem.hpp"
#include "problems/neighbor/tsne_problem.hpp"
#include "problems/scaling/cca_problem.hpp"
#include "problems/scaling/stress_problem.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/kpsde_problem.hpp"
#include "problems/semidefinite/mvu_problem.hpp"
#include "problems/semidefinite/order_problems.hpp"
#include "problems/semidefinite/psde_problem.hpp"
#include "problems/spectral/graph_problems.hpp"
#include "problems/spectral/linear_projector.hpp"
#include "problems/spectral/pca_problem.hpp"
#include "problems/spectral/scaling_problems.hpp"
#include "problems/spectral/spectral_map.hpp"
#include "problems/triplet/lapse_problem.hpp"
#include "problems/triplet/soe_problem.hpp"
#include "problems/triplet/triplet_map.hpp"
#include "problems/triplet/weighted_ete_problem.hpp"

namespace alidade {
namespace {

/// Faces of the class, plus `borderless` for problems whose domains never have a border.
template <class P>
CapabilitySet borderless_offer() {
  CapabilitySet out = offered_by<P>();
  out.add(Capability::borderless);
  return out;
}

}  // namespace

const Registry<ProblemEntry>& problem_catalog() {
  using namespace triplet;
  static const Registry<ProblemEntry> kCatalog(
      "problem",
      {
          {"gnmds",
           "generalised non-metric MDS, low rank: hinge on squared distances",
           "[AWC07] Agarwal et al. 2007",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<GnmdsLoss>>(),
           gnmds_options(),
           make_gnmds},
          {"ckl",
           "crowd kernel learning: logarithm of a ratio of squared distances",
           "[TLBSK11] Tamuz et al. 2011, section 4",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<CklLoss>>(),
           ckl_options(),
           make_ckl},
          {"soe",
           "soft ordinal embedding: squared hinge on distances",
           "[TvL14] Terada & von Luxburg 2014, Eq. 2",
           {ObservationKind::triplets},
           borderless_offer<SoeProblem>(),
           soe_options(),
           make_soe},
          {"ste",
           "stochastic triplet embedding: Gaussian kernel, logistic loss",
           "[vdMW12] van der Maaten & Weinberger 2012, Eq. 1",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<SteLoss>>(),
           ste_options(),
           make_ste},
          {"ste_lapse",
           "STE for answers of which a share, estimated along with the map, are guesses",
           "[vdMW12] with the lapse rate of [WH01] Wichmann & Hill 2001",
           {ObservationKind::triplets},
           borderless_offer<LapseProblem>(),
           ste_lapse_options(),
           make_ste_lapse},
          {"tste",
           "t-distributed STE: Student kernel with alpha degrees of freedom",
           "[vdMW12] van der Maaten & Weinberger 2012, Eq. 4",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<TSteLoss>>(),
           tste_options(),
           make_tste},
          {"ete",
           "t-exponential triplet embedding: capped loss (t), heavy-tailed kernel (t_prime)",
           "[AVW16] Amid, Vlassis & Warmuth 2016, Eq. 7 to 9, 12",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<EteLoss>>(),
           ete_options(),
           make_ete},
          {"weighted_ete",
           "dimensionality reduction: capped triplets of neighbours and outliers, weighted",
           "[AVW16] Amid, Vlassis & Warmuth 2016, Eq. 12 and 13; weights of [AW19]",
           {ObservationKind::features},
           borderless_offer<WeightedEteProblem>(),
           weighted_ete_options(),
           make_weighted_ete,
           nullptr,
           // On the digits 300 change trustworthiness and continuity by less than 0.001, and the order of distances gets
           // worse.
           "{ name = \"ceres\", max_iter = 100 }"},
          {"tsne",
           "t-SNE: neighbour probabilities kept under a heavy-tailed kernel, exact or by a tree",
           "[vdMH08] van der Maaten & Hinton 2008; [vdM14] van der Maaten 2014",
           {ObservationKind::distances},
           borderless_offer<neighbor::TsneProblem>(),
           neighbor::tsne_options(),
           neighbor::make_tsne,
           neighbor::check_tsne,
           R"({ name = "continuation", solver = { name = "gradient_descent", momentum = 0.5, max_iter = 250 },
             last_solver = { name = "gradient_descent", momentum = 0.8, max_iter = 750 } })"},
          {"nerv_sparse",
           "neighbour retrieval of many objects: NeRV over the pairs near on the map or in the "
           "data",
           "[VPNAK10] Venna et al. 2010, Eq. 9",
           {ObservationKind::features},
           borderless_offer<neighbor::SparseNervProblem>(),
           neighbor::sparse_nerv_options(),
           neighbor::make_sparse_nerv,
           nullptr,
           // The path is t-SNE's, to which line searches do not come from its tiny start.
           R"({ name = "continuation", solver = { name = "gradient_descent", max_iter = 250 },
             last_solver = { name = "ceres", max_iter = 200 } })"},
          {"disjoint",
           "a map an aspect, each from its own triplets alone by a problem of your choice",
           "baseline of [AU15] Amid & Ukkonen 2015 and [LL19] Le & Lauw 2019, section 5",
           {ObservationKind::triplets},
           borderless_offer<multiview::DisjointProblem>(),
           multiview::disjoint_options(),
           multiview::make_disjoint,
           multiview::check_disjoint},
          {"mvte",
           "multi-view triplet embedding as a mixture: latent maps, each triplet explained by one "
           "of them",
           "[AU15] Amid & Ukkonen 2015, as a proper mixture",
           {ObservationKind::triplets},
           borderless_offer<multiview::Mvte>(),
           multiview::mvte_options(),
           multiview::make_mvte},
          {"mvte_ratio",
           "multi-view triplet embedding as published: memberships by ratios of distances",
           "[AU15] Amid & Ukkonen 2015",
           {ObservationKind::triplets},
           borderless_offer<multiview::MvteRatio>(),
           multiview::mvte_ratio_options(),
           multiview::make_mvte_ratio},
          {"mvmds",
           "multi-view MDS: one map from the dissimilarities of several aspects, weighted by how "
           "well it fits",
           "[Bai17] Bai et al. 2017",
           {ObservationKind::dissimilarities},
           borderless_offer<multiview::MvmdsProblem>(),
           multiview::mvmds_options(),
           multiview::make_mvmds},
          {"score",
           "one map an aspect, each a tangent plane of one sphere that all aspects share",
           "[LL19] Le & Lauw 2019, Eq. 1 to 10, Algorithm 1",
           {ObservationKind::triplets},
           borderless_offer<multiview::ScoreProblem>(),
           multiview::score_options(),
           multiview::make_score,
           nullptr,
           R"({ name = "sequence", solvers = [
             { name = "riemannian_sgd", update = "plain", batch_size = 1, order = "draw", steps = 1000000,
               learning_rate = 0.02, final_fraction = 0 },
             { name = "ceres", max_iter = 200 } ] })"},
          {"common_space",
           "one map an aspect, each a linear view of one common space of as few directions as will "
           "do",
           "IDIOSCAL, Carroll & Chang 1972, with ordinal losses and the trace norm of Srebro et "
           "al. 2005",
           {ObservationKind::triplets},
           borderless_offer<multiview::CommonSpaceProblem>(),
           multiview::common_space_options(),
           multiview::make_common_space},
          {"psde",
           "similar objects nearer than dissimilar ones, by a semidefinite program with a "
           "certificate",
           "[GR07] Globerson & Roweis 2007, Eq. 3",
           {ObservationKind::pair_signs},
           offered_by<semidefinite::DistanceMap>(),
           semidefinite::psde_options(),
           semidefinite::make_psde},
          {"kpsde",
           "psde learnt as a function of features, by a kernel: new objects have their place on "
           "the map too",
           "[GR07] Globerson & Roweis 2007, KPSDE",
           {ObservationKind::pair_signs, ObservationKind::features},
           offered_by<semidefinite::KpsdeMap>(),
           semidefinite::kpsde_options(),
           semidefinite::make_kpsde,
           semidefinite::check_kpsde},
          {"gnmds_sdp",
           "generalised non-metric MDS as a semidefinite program: hinge losses and the variance, "
           "certified",
           "[AWC07] Agarwal et al. 2007",
           {ObservationKind::triplets},
           offered_by<semidefinite::DistanceMap>(),
           semidefinite::gnmds_sdp_options(),
           semidefinite::make_gnmds_sdp},
          {"psde_triplets",
           "of all maps that obey the triplets, that in which far objects are farthest, certified",
           "ordered similarity, an extension that [GR07] Globerson & Roweis 2007 name",
           {ObservationKind::triplets},
           offered_by<semidefinite::DistanceMap>(),
           semidefinite::psde_triplets_options(),
           semidefinite::make_psde_triplets,
           semidefinite::check_psde_triplets},
          {"mvu",
           "maximum variance unfolding: neighbours keep their distance, all else goes far apart, "
           "certified",
           "[WS04] Weinberger & Saul 2004; [SBXD06] Sun, Boyd, Xiao & Diaconis 2006",
           {ObservationKind::features},
           offered_by<semidefinite::MvuMap>(),
           semidefinite::mvu_options(),
           semidefinite::make_mvu},
          {"nerv",
           "neighbour retrieval: misses weighed against false neighbours, for maps to be read by "
           "their neighbours",
           "[VPNAK10] Venna et al. 2010, Eq. 9; multiplicative rules of [PL13] Peltonen & Lin 2013",
           {ObservationKind::distances},
           borderless_offer<neighbor::NervProblem>(),
           neighbor::nerv_options(),
           neighbor::make_nerv,
           nullptr,
           // Which start is best depends on the data: a sheet wants to be unrolled, a closed surface to be torn open.
           R"({ name = "race", entrants = [
             { start = "geodesic_mds", solver = { name = "ceres", max_iter = 60 } },
             { start = "pca", solver = { name = "continuation", solver = { name = "ceres", max_iter = 8 },
                                         last_solver = { name = "ceres", max_iter = 40 } } },
             { start = "random", solver = { name = "continuation", solver = { name = "ceres", max_iter = 8 },
                                            last_solver = { name = "ceres", max_iter = 40 } } } ],
             finish = { name = "ceres", max_iter = 300 } })"},
          {"pca",
           "principal components: the linear map of features that keeps most variance; new objects "
           "have their place on it",
           "Pearson 1901; Hotelling 1933",
           {ObservationKind::features},
           offered_by<spectral::SpectralMap>(),
           spectral::pca_options(),
           spectral::make_pca},
          {"classical_mds",
           "classical scaling: the map whose scalar products are nearest to those that distances "
           "imply",
           "Torgerson 1952; Gower 1966",
           {ObservationKind::distances},
           offered_by<spectral::SpectralMap>(),
           spectral::classical_mds_options(),
           spectral::make_classical_mds},
          {"isomap",
           "classical scaling of distances along the graph of nearest neighbours",
           "Tenenbaum, de Silva & Langford 2000; landmarks: de Silva & Tenenbaum 2003",
           {ObservationKind::distances},
           offered_by<spectral::SpectralMap>(),
           spectral::isomap_options(),
           spectral::make_isomap},
          {"lle",
           "locally linear embedding: each object from its neighbours by the same weights as in "
           "the data",
           "Roweis & Saul 2000; Saul & Roweis 2003",
           {ObservationKind::features},
           offered_by<spectral::SpectralMap>(),
           spectral::lle_options(),
           spectral::make_lle},
          {"laplacian_eigenmaps",
           "neighbours near each other, at unit variance: the lowest eigenvectors of the graph "
           "Laplacian",
           "Belkin & Niyogi 2003",
           {ObservationKind::distances},
           offered_by<spectral::SpectralMap>(),
           spectral::laplacian_eigenmaps_options(),
           spectral::make_laplacian_eigenmaps},
          {"mds",
           "metric MDS by stress: distances on the map as those in the data, SMACOF",
           "Kruskal 1964; de Leeuw 1977; de Leeuw & Heiser 1980",
           {ObservationKind::distances},
           borderless_offer<scaling::StressProblem>(),
           scaling::mds_options(),
           scaling::make_mds},
          {"sammon",
           "Sammon's mapping: stress in which a pair counts the more the nearer it is in the data",
           "Sammon 1969",
           {ObservationKind::distances},
           borderless_offer<scaling::StressProblem>(),
           scaling::sammon_options(),
           scaling::make_sammon},
          {"cca",
           "curvilinear component analysis: distances kept where objects are near on the map, so "
           "that surfaces may open",
           "Demartines & Herault 1997",
           {ObservationKind::distances},
           borderless_offer<scaling::CcaProblem>(),
           scaling::cca_options(),
           scaling::make_cca,
           nullptr,
           R"({ name = "continuation", solver = { name = "ceres", max_iter = 30 },
                last_solver = { name = "ceres", max_iter = 200 } })"},
      });
  return kCatalog;
}

std::shared_ptr<const Projector> projector_from(const Table& description) {
  const Value* value = description.find("kind");
  const std::string* kind = value ? value->get_if<std::string>() : nullptr;
  require<DataError>(kind != nullptr, "'kind' is missing.");
  if (*kind == "tsne" || *kind == "nerv") return neighbor::row_placement_from(description);
  if (*kind == "linear") return spectral::LinearProjector::from(description);
  require<DataError>(
      *kind == "kernel",
      "its kind is '{}', and this version knows 'kernel', 'linear', 'tsne' and 'nerv' only.",
      printable(*kind));
  return semidefinite::KernelProjector::from(description);
}

}  // namespace alidade
