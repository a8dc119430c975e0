// The problem `psde`: the PsdeProgram of a data set's pair signs, with its options.
// [GR07] Eq. 3.
// Cyclic similarity can only be satisfied by ties; a note says so.
#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/drawn_axes.hpp"
#include "problems/semidefinite/psde_program.hpp"

namespace alidade::semidefinite {
namespace {

struct PsdeMapOptions : DrawnAxes, PsdeOptions {
  static const OptionList<PsdeMapOptions>& list() {
    static const auto kList = OptionList<PsdeMapOptions>().include(DrawnAxes::list()).include(PsdeOptions::list());
    return kList;
  }
};

Problem make_psde(const Observations& observations, const ValueTable& table) {
  const PsdeMapOptions options = PsdeMapOptions::list().parse(table, "problem 'psde'");
  require<DataError>(observations.offers(ObservationKind::pair_signs),
                     "psde needs pair signs, but '{}' offers {}. Choose another problem or data "
                     "set.",
                     observations.name, join(observations.kinds(), ", "));
  auto program = std::make_shared<const PsdeProgram>(observations.pair_signs, options);
  std::vector<std::string> notes;
  if (!program->has_interior())
    notes.emplace_back(
        "Similarity has cycles (i counts j as similar but j does not count i, and so on back to "
        "i). The distances on such a cycle can only be equal.");
  return {"psde", DistanceMap(std::move(program), options.n_components, std::move(notes))};
}

}  // namespace

/// @throws DataError, ConfigError
ProblemEntry psde_entry() {
  return {
      .name = "psde",
      .summary =
          "places similar objects nearer than dissimilar ones, by a semidefinite program "
          "with a certificate",
      .reference = "[GR07] Globerson & Roweis 2007, Eq. 3",
      .equation =
          "min over G psd, b >= 0: sum w_ij s_ij d2_ij, s.t. s_ij (d2_ij - b_i) <= 0, tr G <= T, "
          "with d2_ij = g_ii + g_jj - 2 g_ij",
      .needs = {ObservationKind::pair_signs},
      .offers = offered_by<DistanceMap>(),
      .options = PsdeMapOptions::list().infos(),
      .make = make_psde,
  };
}

}  // namespace alidade::semidefinite
