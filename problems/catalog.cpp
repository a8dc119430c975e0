#include "problems/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/framed_projector.hpp"
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
#include "problems/scaling/stress_problem.hpp"
#include "problems/semidefinite/distance_map.hpp"
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
#include "problems/triplet/lapse_problem.hpp"
#include "problems/triplet/soe_problem.hpp"
#include "problems/triplet/triplet_map.hpp"
#include "problems/triplet/weighted_ete_problem.hpp"

namespace alidade {
namespace {

/// The same evidence, in ordinary units; nothing where it is so already.
std::optional<Observations> in_ordinary_units(const Observations& given) {
  std::optional<Observations> out;
  double largest = 0;
  for (const Dissimilarities& aspect : given.dissimilarities)
    if (aspect.values.size() > 0) largest = std::max(largest, aspect.values.maxCoeff());
  // Other numbers are for the problem to refuse.
  if (const double unit = std::isfinite(largest) && largest > 0 ? ordinary_unit(largest) : 1;
      unit != 1) {
    out = given;
    out->dissimilarity_unit *= unit;
    for (Dissimilarities& aspect : out->dissimilarities) aspect.values /= unit;
  }
  if (given.features && given.features->size() > 0 && given.features->allFinite()) {
    const double unit = ordinary_unit(static_cast<double>(given.features->cwiseAbs().maxCoeff()));
    if (unit != 1) {
      if (!out) out = given;
      out->frame.unit *= unit;
      FeatureFrame scale;
      scale.unit = unit;
      out->features = std::make_shared<const FeatureMatrix>(in_frame(*given.features, scale));
    }
  }
  return out;
}

/// Faces of the class, plus `borderless` for problems whose domains never have a border.
template <class P>
CapabilitySet borderless_offer() {
  CapabilitySet out = offered_by<P>();
  out.add(Capability::borderless);
  return out;
}

}  // namespace

Problem ProblemMaker::operator()(const Observations& observations, const Table& options,
                                 Executor& executor) const {
  const std::optional<Observations> rescaled = in_ordinary_units(observations);
  const Observations& evidence = rescaled ? *rescaled : observations;
  Problem out = shared_ ? shared_(evidence, options, executor) : plain_(evidence, options);
  const bool by_features = evidence.features && !out.unit_powers().of_dissimilarities;
  const double unit = by_features ? evidence.frame.unit : evidence.dissimilarity_unit;
  const FeatureFrame frame = evidence.features ? evidence.frame : FeatureFrame();
  return unit == 1 && frame.is_identity() ? out : in_units(out, unit, frame);
}

const Registry<ProblemEntry>& problem_catalog() {
  using namespace triplet;
  static const Registry<ProblemEntry> kCatalog(
      "problem",
      {
          {"gnmds",
           "generalised non-metric MDS, low rank: hinge on squared distances",
           "[AWC07] Agarwal et al. 2007",
           "min over Y: sum w max(0, 1 + a - b) + lambda |Y|^2, with a = |y_i - y_j|^2 to near, b = |y_i - y_k|^2 to far; the corner is rounded over `smoothing`",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<GnmdsLoss>>(),
           gnmds_options(),
           make_gnmds},
          {"ckl",
           "crowd kernel learning: logarithm of a ratio of squared distances",
           "[TLBSK11] Tamuz et al. 2011, section 4",
           "min over Y: - sum w ln p + lambda |Y|^2, with p = (mu + b) / (2 mu + a + b), a and b squared distances to near and far",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<CklLoss>>(),
           ckl_options(),
           make_ckl},
          {"soe",
           "soft ordinal embedding: squared hinge on distances",
           "[TvL14] Terada & von Luxburg 2014, Eq. 2",
           "min over Y: sum w max(0, margin + sqrt(a) - sqrt(b))^2 + lambda |Y|^2, with a and b squared distances to near and far",
           {ObservationKind::triplets},
           borderless_offer<SoeProblem>(),
           soe_options(),
           make_soe},
          {"ste",
           "stochastic triplet embedding: Gaussian kernel, logistic loss",
           "[vdMW12] van der Maaten & Weinberger 2012, Eq. 1",
           "min over Y: - sum w ln p + lambda |Y|^2, with p = exp(-a) / (exp(-a) + exp(-b)), a and b squared distances to near and far; with a lapse rate (1 - lapse) p + lapse / 2 for p",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<SteLoss>>(),
           ste_options(),
           make_ste},
          {"ste_lapse",
           "STE for answers of which a share, estimated along with the map, are guesses",
           "[vdMW12] with the lapse rate of [WH01] Wichmann & Hill 2001",
           "min over Y and lapse: - sum w ln((1 - lapse) p + lapse / 2) + lambda |Y|^2, with p of ste",
           {ObservationKind::triplets},
           borderless_offer<LapseProblem>(),
           ste_lapse_options(),
           make_ste_lapse},
          {"tste",
           "t-distributed STE: Student kernel with alpha degrees of freedom",
           "[vdMW12] van der Maaten & Weinberger 2012, Eq. 4",
           "min over Y: - sum w ln p + lambda |Y|^2, with p = q(a) / (q(a) + q(b)), q(s) = (1 + s/alpha)^(-(alpha+1)/2), a and b squared distances to near and far",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<TSteLoss>>(),
           tste_options(),
           make_tste},
          {"ete",
           "t-exponential triplet embedding: capped loss (t), heavy-tailed kernel (t_prime)",
           "[AVW16] Amid, Vlassis & Warmuth 2016, Eq. 7 to 9, 12",
           "min over Y: sum w log_t(1/p) + lambda |Y|^2, log_t(1/p) = (1 - p^(t-1)) / (t-1), with p = q(a) / (q(a) + q(b)), q(s) = (1 + (t'-1) s)^(-1/(t'-1)), a and b squared distances to near and far",
           {ObservationKind::triplets},
           borderless_offer<TripletMap<EteLoss>>(),
           ete_options(),
           make_ete},
          {"weighted_ete",
           "dimensionality reduction: capped triplets of neighbours and outliers, weighted",
           "[AVW16] Amid, Vlassis & Warmuth 2016, Eq. 12 and 13; weights of [AW19]",
           "the sum of ete over triplets (object; neighbour, outlier) of features, weighted by how much farther the outlier is",
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
           "min over Y: KL(P || Q) = sum over i != j of p_ij ln(p_ij / q_ij), with q_ij ~ (1 + |y_i - y_j|^2 / nu)^(-(nu + 1) / 2), p_ij = (p_j|i + p_i|j) / 2n",
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
           "J of nerv, sums over q taken over who is near on the map, sums over p over who is near in the data and a few drawn from the rest",
           {ObservationKind::features},
           borderless_offer<neighbor::SparseNervProblem>(),
           neighbor::sparse_nerv_options(),
           neighbor::make_sparse_nerv,
           nullptr,
           // A sheet wants to be unrolled. The path is t-SNE's, to which line searches do not come from its tiny start.
           R"({ name = "race", entrants = [
             { start = "geodesic_mds", solver = { name = "ceres", max_iter = 40 } },
             { solver = { name = "continuation", solver = { name = "gradient_descent", max_iter = 250 },
                          last_solver = { name = "ceres", max_iter = 150 } } } ],
             finish = { name = "ceres", max_iter = 50 } })"},
          {"disjoint",
           "a map an aspect, each from its own triplets alone by a problem of your choice",
           "baseline of [AU15] Amid & Ukkonen 2015 and [LL19] Le & Lauw 2019, section 5",
           "for each aspect by itself: the objective of `problem` over the triplets of that aspect",
           {ObservationKind::triplets},
           borderless_offer<multiview::DisjointProblem>(),
           multiview::disjoint_options(),
           multiview::make_disjoint,
           multiview::check_disjoint},
          {"mvte",
           "multi-view triplet embedding as a mixture: latent maps, each triplet explained by one "
           "of them",
           "[AU15] Amid & Ukkonen 2015, as a proper mixture",
           "min over V maps: - sum w ln(sum over v of pi_v p_v), with p_v of ste or tste on map v",
           {ObservationKind::triplets},
           borderless_offer<multiview::Mvte>(),
           multiview::mvte_options(),
           multiview::make_mvte},
          {"mvte_ratio",
           "multi-view triplet embedding as published: memberships by ratios of distances",
           "[AU15] Amid & Ukkonen 2015",
           "steps along the gradient of - sum w sum over v of z_v ln p_v, memberships z from ratios of distances held fixed",
           {ObservationKind::triplets},
           borderless_offer<multiview::MvteRatio>(),
           multiview::mvte_ratio_options(),
           multiview::make_mvte_ratio},
          {"mvmds",
           "multi-view MDS: one map from the dissimilarities of several aspects, weighted by how "
           "well it fits",
           "[Bai17] Bai et al. 2017",
           "min over X and alpha: sum over v of alpha_v^gamma sum over i < j of w^v_ij (delta^v_ij - |x_i - x_j|)^2, sum alpha_v = 1",
           {ObservationKind::dissimilarities},
           borderless_offer<multiview::MvmdsProblem>(),
           multiview::mvmds_options(),
           multiview::make_mvmds},
          {"score",
           "one map an aspect, each a tangent plane of one sphere that all aspects share",
           "[LL19] Le & Lauw 2019, Eq. 1 to 10, Algorithm 1",
           "min over unit vectors y (objects) and x (aspects): - sum w ln(D s_t + (1 - D) s_g) - kappa mu . (sum of x and y), with s_t = S(alpha (d_jk - d_ji)) on the tangent plane at x_t, s_g = S(alpha (y_j . y_i - y_j . y_k)), S the logistic function, j the anchor, i near, k far",
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
           "min over Y and L: sum over aspects t of w_t / M_t sum of f(triplet on Y L_t) + lambda (sum of v_i |y_i|^2 / n + |L|^2 / T)",
           {ObservationKind::triplets},
           borderless_offer<multiview::CommonSpaceProblem>(),
           multiview::common_space_options(),
           multiview::make_common_space},
          {"psde",
           "similar objects nearer than dissimilar ones, by a semidefinite program with a "
           "certificate",
           "[GR07] Globerson & Roweis 2007, Eq. 3",
           "min over G psd, b >= 0: sum w_ij s_ij d2_ij, s.t. s_ij (d2_ij - b_i) <= 0, tr G <= T, with d2_ij = g_ii + g_jj - 2 g_ij",
           {ObservationKind::pair_signs},
           offered_by<semidefinite::DistanceMap>(),
           semidefinite::psde_options(),
           semidefinite::make_psde},
          {"kpsde",
           "psde learnt as a function of features, by a kernel: new objects have their place on "
           "the map too",
           "[GR07] Globerson & Roweis 2007, KPSDE",
           "min over H psd, b >= 0, xi >= 0: sum w_ij s_ij d2_ij + gamma tr H + beta sum xi, s.t. s_ij (d2_ij - b_i) <= xi_ij, G = Psi H Psi', tr G <= T",
           {ObservationKind::pair_signs, ObservationKind::features},
           offered_by<semidefinite::KpsdeMap>(),
           semidefinite::kpsde_options(),
           semidefinite::make_kpsde,
           semidefinite::check_kpsde},
          {"gnmds_sdp",
           "generalised non-metric MDS as a semidefinite program: hinge losses and the variance, "
           "certified",
           "[AWC07] Agarwal et al. 2007",
           "min over G psd, xi >= 0: sum w xi + lambda tr G, s.t. d2_near - d2_far + 1 <= xi",
           {ObservationKind::triplets},
           offered_by<semidefinite::DistanceMap>(),
           semidefinite::gnmds_sdp_options(),
           semidefinite::make_gnmds_sdp},
          {"psde_triplets",
           "of all maps that obey the triplets, that in which far objects are farthest, certified",
           "ordered similarity, an extension that [GR07] Globerson & Roweis 2007 name",
           "min over G psd, xi >= 0: mean of w (d2_near - d2_far) + beta mean of xi, s.t. d2_near - d2_far + margin <= xi, tr G <= T",
           {ObservationKind::triplets},
           offered_by<semidefinite::DistanceMap>(),
           semidefinite::psde_triplets_options(),
           semidefinite::make_psde_triplets,
           semidefinite::check_psde_triplets},
          {"mvu",
           "maximum variance unfolding: neighbours keep their distance, all else goes far apart, "
           "certified",
           "[WS04] Weinberger & Saul 2004; [SBXD06] Sun, Boyd, Xiao & Diaconis 2006",
           "max over G psd: tr G, s.t. d2_ij = D_ij (or <=) for neighbours i, j",
           {ObservationKind::features},
           offered_by<semidefinite::MvuMap>(),
           semidefinite::mvu_options(),
           semidefinite::make_mvu},
          {"nerv",
           "neighbour retrieval: misses weighed against false neighbours, for maps to be read by "
           "their neighbours",
           "[VPNAK10] Venna et al. 2010, Eq. 9; multiplicative rules of [PL13] Peltonen & Lin 2013",
           "min over Y: 1/n sum over i of lambda KL(p_i || q_i) + (1 - lambda) KL(q_i || p_i), with p_ij ~ exp(-beta_i D_ij), q_ij ~ exp(-beta_i |y_i - y_j|^2), D squared dissimilarities, and beta_i such that p_i has the perplexity",
           {ObservationKind::distances},
           borderless_offer<neighbor::NervProblem>(),
           neighbor::nerv_options(),
           neighbor::make_nerv,
           nullptr,
           // Which start is best depends on the data: a sheet wants to be unrolled, a closed surface to be torn open, and
           // clusters want to be told apart before their neighbours count. Where a surface tears is decided while
           // neighbourhoods narrow, and differs from start to start: five entrants narrow, each in stages solved nearly to the end.
           R"({ name = "race", entrants = [
             { start = "geodesic_mds", solver = { name = "ceres", max_iter = 60 } },
             { start = "pca", solver = { name = "continuation", solver = { name = "ceres", max_iter = 30, tolerance = 1e-3 },
                                         last_solver = { name = "ceres", max_iter = 30 } } },
             { start = "random", solver = { name = "continuation", solver = { name = "ceres", max_iter = 30, tolerance = 1e-3 },
                                            last_solver = { name = "ceres", max_iter = 30 } } },
             { start = "tsne", solver = { name = "ceres", max_iter = 80 } },
             { start = "random", solver = { name = "continuation", solver = { name = "ceres", max_iter = 30, tolerance = 1e-3 },
                                            last_solver = { name = "ceres", max_iter = 30 } } },
             { start = "random", solver = { name = "continuation", solver = { name = "ceres", max_iter = 30, tolerance = 1e-3 },
                                            last_solver = { name = "ceres", max_iter = 30 } } },
             { start = "random", solver = { name = "continuation", solver = { name = "ceres", max_iter = 30, tolerance = 1e-3 },
                                            last_solver = { name = "ceres", max_iter = 30 } } } ],
             finish = { name = "ceres", max_iter = 300 } })"},
          {"pca",
           "principal components: the linear map of features that keeps most variance; new objects "
           "have their place on it",
           "Pearson 1901; Hotelling 1933",
           "max over V with V'V = I: tr V' S V, S the covariance of the features; coordinates (x - mean)' V",
           {ObservationKind::features},
           offered_by<spectral::SpectralMap>(),
           spectral::pca_options(),
           spectral::make_pca},
          {"classical_mds",
           "classical scaling: the map whose scalar products are nearest to those that distances "
           "imply",
           "Torgerson 1952; Gower 1966",
           "max over V with V'V = I: tr V' B V, B = -1/2 J D2 J / n, D2 squared dissimilarities; coordinates sqrt(n lambda) v",
           {ObservationKind::distances},
           offered_by<spectral::SpectralMap>(),
           spectral::classical_mds_options(),
           spectral::make_classical_mds},
          {"isomap",
           "classical scaling of distances along the graph of nearest neighbours",
           "Tenenbaum, de Silva & Langford 2000; landmarks: de Silva & Tenenbaum 2003",
           "classical_mds of shortest paths along the graph of nearest neighbours",
           {ObservationKind::distances},
           offered_by<spectral::SpectralMap>(),
           spectral::isomap_options(),
           spectral::make_isomap},
          {"lle",
           "locally linear embedding: each object from its neighbours by the same weights as in "
           "the data",
           "Roweis & Saul 2000; Saul & Roweis 2003",
           "min over V with V'V = I: tr V' (I - W)'(I - W) V, rows of W the weights, summing to 1, that give an object from its neighbours; without the constant",
           {ObservationKind::features},
           offered_by<spectral::SpectralMap>(),
           spectral::lle_options(),
           spectral::make_lle},
          {"hlle",
           "Hessian LLE: coordinates that are straight on every neighbourhood's tangent plane; a flat "
           "sheet, with holes too, keeps its shape",
           "[DG03] Donoho & Grimes 2003",
           "min over V with V'V = I: tr V' M V, M the sum over neighbourhoods of H H', H the estimated second derivatives in tangent coordinates; without the constant, then Y = V A such that neighbours' squared distances fit those of the data",
           {ObservationKind::features},
           offered_by<spectral::SpectralMap>(),
           spectral::hlle_options(),
           spectral::make_hlle},
          {"laplacian_eigenmaps",
           "neighbours near each other, at unit variance: the lowest eigenvectors of the graph "
           "Laplacian",
           "Belkin & Niyogi 2003",
           "min over V with V'V = I: tr V' (I - D^-1/2 W D^-1/2) V, W of neighbours, D its row sums; without the constant",
           {ObservationKind::distances},
           offered_by<spectral::SpectralMap>(),
           spectral::laplacian_eigenmaps_options(),
           spectral::make_laplacian_eigenmaps},
          {"mds",
           "metric MDS by stress: distances on the map as those in the data, SMACOF",
           "Kruskal 1964; de Leeuw 1977; de Leeuw & Heiser 1980",
           "min over X: sum over i < j of delta_ij^-power (delta_ij - d_ij)^2",
           {ObservationKind::distances},
           borderless_offer<scaling::StressProblem>(),
           scaling::mds_options(),
           scaling::make_mds},
          {"sammon",
           "Sammon's mapping: stress in which a pair counts the more the nearer it is in the data",
           "Sammon 1969",
           "min over X: 1 / sum delta sum over i < j of (delta_ij - d_ij)^2 / delta_ij",
           {ObservationKind::distances},
           borderless_offer<scaling::StressProblem>(),
           scaling::sammon_options(),
           scaling::make_sammon},
          {"cca",
           "curvilinear component analysis: distances kept where objects are near on the map, so "
           "that surfaces may open",
           "Demartines & Herault 1997",
           "min over X: sum over i < j of r^2 (exp(-delta/r) - exp(-d/r) (1 + (d - delta)/r))",
           {ObservationKind::distances},
           borderless_offer<scaling::CcaProblem>(),
           scaling::cca_options(),
           scaling::make_cca,
           nullptr,
           R"({ name = "continuation", solver = { name = "ceres", max_iter = 30 },
                last_solver = { name = "ceres", max_iter = 200 } })"},
          {"local_mds",
           "local MDS: distances kept among neighbours of the data and among neighbours on the "
           "map, weighed by lambda",
           "[VK06] Venna & Kaski 2006",
           "min over X: 1/2 sum over i, j of lambda (delta - d)^2 [delta <= sigma_i] + (1 - lambda) ((min(d, sigma_i) - delta)^2 - max(delta - sigma_i, 0)^2), sigma_i the distance to the n_neighbors-th nearest",
           {ObservationKind::distances},
           borderless_offer<scaling::LocalMdsProblem>(),
           scaling::local_mds_options(),
           scaling::make_local_mds,
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
  if (*kind == "framed") {
    const Value* inner = description.find("projector");
    const Table* table = inner ? inner->get_if<Table>() : nullptr;
    require<DataError>(table != nullptr, "'projector' is missing.");
    const Value* inner_kind = table->find("kind");
    require<DataError>(!inner_kind || *inner_kind != Value("framed"),
                       "'projector' is framed twice.");
    return FramedProjector::from(description, projector_from(*table));
  }
  require<DataError>(*kind == "kernel",
                     "its kind is '{}', and this version knows 'framed', 'kernel', 'linear', "
                     "'tsne' and 'nerv' only.",
                     printable(*kind));
  return semidefinite::KernelProjector::from(description);
}

}  // namespace alidade
