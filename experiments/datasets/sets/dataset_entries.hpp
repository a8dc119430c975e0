// The entries of the catalog, one function each; catalog.cpp lists them.
// Kept apart so that each family of formats has its own source file.
// Not for callers: use dataset_catalog().
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/similarity.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/core/options.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/aspects.hpp"

namespace alidade::datasets {

/// What public_datasets.json says of a data set: all but options and load. @pre it is there
[[nodiscard]] DatasetEntry described(const std::string& name);
/// A table of numbers whose description says how it is read: rows of a text, or variables of a MATLAB file.
[[nodiscard]] DatasetEntry described_features(const std::string& dataset);
/// How a table of attributes is read, as its description has it.
[[nodiscard]] AttributeFileSpec described_attributes(const std::string& dataset);
/// Gives labels that a file numbers the names that the description has for them.
void name_labels(const std::string& dataset, std::vector<std::string>& labels);

[[nodiscard]] DatasetEntry europe_dataset();
[[nodiscard]] DatasetEntry elements_dataset();
[[nodiscard]] DatasetEntry gaussian_dataset();
[[nodiscard]] DatasetEntry uniform_dataset();
[[nodiscard]] DatasetEntry zoo_dataset();
[[nodiscard]] DatasetEntry house_votes_dataset();
[[nodiscard]] DatasetEntry music_artists_dataset();
[[nodiscard]] DatasetEntry food100_dataset();
[[nodiscard]] DatasetEntry food100_workers_dataset();
[[nodiscard]] DatasetEntry cars60_dataset();
[[nodiscard]] DatasetEntry material_appearance_dataset();
[[nodiscard]] DatasetEntry mnist_dataset();
[[nodiscard]] DatasetEntry coil20_dataset();
[[nodiscard]] DatasetEntry olivetti_dataset();
[[nodiscard]] DatasetEntry scene_15_dataset();
[[nodiscard]] DatasetEntry sea_water_dataset();
[[nodiscard]] DatasetEntry sphere_dataset();
[[nodiscard]] DatasetEntry s_curve_dataset();
[[nodiscard]] DatasetEntry gaussian_mixture_dataset();
[[nodiscard]] DatasetEntry triplets_dataset();
[[nodiscard]] DatasetEntry attributes_dataset();
[[nodiscard]] DatasetEntry clusterings_dataset();
[[nodiscard]] DatasetEntry features_dataset();
[[nodiscard]] DatasetEntry dissimilarities_dataset();
[[nodiscard]] DatasetEntry star_dataset();
[[nodiscard]] DatasetEntry grid_dataset();
[[nodiscard]] DatasetEntry cylinder_dataset();
[[nodiscard]] DatasetEntry rectangle_dataset();
[[nodiscard]] DatasetEntry annulus_dataset();
[[nodiscard]] DatasetEntry graph_dataset();
[[nodiscard]] DatasetEntry pair_signs_dataset();
[[nodiscard]] DatasetEntry rendered_views_dataset();
[[nodiscard]] DatasetEntry norb_dataset();
/// Not of observations, see data_catalog().
[[nodiscard]] DatasetEntry sdplib_collection();

/// The path of a user's own file: as given, or below the data folder if it is only there.
/// @throws ConfigError if `name` is empty.
[[nodiscard]] std::filesystem::path own_file(const std::string& name, std::string_view dataset,
                                             const DatasetContext& context);

struct NoOptions {};

/// Adds the options of similarity, for datasets whose similarity is computed after loading.
template <class Options>
struct LoadedOptions : Options, SimilarityOptions {
  [[nodiscard]] static OptionList<LoadedOptions> list(const OptionList<Options>& specific) {
    return OptionList<LoadedOptions>().include(specific).include(SimilarityOptions::list());
  }
};
/// Whether a dataset makes its pair signs while loading.
template <class Options>
inline constexpr bool kMakesSigns =
    std::derived_from<Options, OwnSimilarity> || std::derived_from<Options, SimilarityOptions>;

/// Options of every dataset besides its own. The run, which splits, uses all but n_aspects: see TrainingRule of
/// config/setup.hpp.
template <class Options>
struct DatasetOptions : Options {
  double train_noise = 0;
  Index n_aspects = 0;
  double observed_fraction = 1;
  std::string observed_by = "object";
  Index asked = 0;
  std::string asked_by = "random";
  double asked_random_share = 0.2;
  double holdout = 0;
  [[nodiscard]] static OptionList<DatasetOptions> list(const OptionList<Options>& specific) {
    return OptionList<DatasetOptions>()
        .include(specific)
        .real("train_noise", &DatasetOptions::train_noise, between(0, 1),
              "rate of training answers to reverse; held-out answers are not changed")
        .integer("n_aspects", &DatasetOptions::n_aspects, at_least(0),
                 "number of aspects to use, drawn again in every repeat; 0: all")
        .real("observed_fraction", &DatasetOptions::observed_fraction, {0, 1, true, false},
              "fraction of the objects that each aspect is learnt from, drawn separately for each "
              "aspect; below 1, the held-out triplets are those about the other objects")
        .text("observed_by", &DatasetOptions::observed_by, {"object", "value"},
              "whether observed_fraction applies to all objects of an aspect, or to the objects "
              "of each of its values")
        .integer("asked", &DatasetOptions::asked, at_least(0),
                 "number of training answers that a study would have asked for, in batches of 50 by asked_by; 0: all "
                 "are used")
        .text("asked_by", &DatasetOptions::asked_by, asking::sampler_catalog().names(),
              "with asked: the sampler that chooses the questions (see `alidade list samplers`)")
        .real("asked_random_share", &DatasetOptions::asked_random_share, between(0, 1),
              "with asked: share of each batch that is random")
        .real("holdout", &DatasetOptions::holdout, half_open(0, 1),
              "fraction of the triplets to hold out of this data set; 0: that of [split]");
  }
};

/// The random stream of a dataset for `purpose`.
[[nodiscard]] inline Rng data_stream(const DatasetContext& context, std::string_view dataset,
                                     std::string_view purpose) {
  return Rng::stream(context.seed, "data", dataset, context.repeat, purpose);
}

/// See with_load.
template <bool makes_signs, class Options, class Load>
[[nodiscard]] DatasetEntry with_all_options(DatasetEntry entry, OptionList<Options> options, Load load) {
  entry.options = options.infos();
  entry.load = [name = entry.name, options = std::move(options), load = std::move(load)](
                   const ValueTable& table, const DatasetContext& context) {
    const auto parsed = options.parse(table, "dataset '" + name + "'");
    Observations out = load(parsed, context);
    if (out.name.empty()) out.name = name;
    if (parsed.n_aspects > 0)
      out = with_some_aspects(out, parsed.n_aspects, data_stream(context, name, "aspects").next());
    if constexpr (std::derived_from<Options, SimilarityOptions> && !makes_signs)
      add_similarity(out, parsed, {}, 0, name);
    return out;
  };
  return entry;
}

/// Completes an entry with its options and `load(const Options&, const DatasetContext&)`.
template <class Options, class Load>
[[nodiscard]] DatasetEntry with_load(DatasetEntry entry, const OptionList<Options>& specific, Load load) {
  if constexpr (kMakesSigns<Options>)
    return with_all_options<true>(std::move(entry), DatasetOptions<Options>::list(specific), std::move(load));
  else
    return with_all_options<false>(std::move(entry),
                                   DatasetOptions<LoadedOptions<Options>>::list(LoadedOptions<Options>::list(specific)),
                                   std::move(load));
}

}  // namespace alidade::datasets
