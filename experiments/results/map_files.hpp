// Writes and reads coordinates: CSV with names and labels for people, NPY for programs. Uncertainty is CSV.
// CSV: object,label,x1,x2,...; quoted as in RFC 4180; numbers read back to the same bits.
// NPY: format 1.0, little-endian float64, C order, n x d.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/contract/annotator_estimates.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/contract/projector.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/feature_scaling.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// Uncertainty of one map.
struct MapUncertainty {
  /// n x d(d+1)/2: the covariance (the mean of products of displacements) of each object, entries (1,1), (1,2), ...,
  /// (1,d), (2,2), ...; NaN for objects with fewer than d + 1 replicates, such as those in no triplet.
  Matrix covariance;
  /// Number of replicates that mentioned the object in a triplet and placed it; empty without a bootstrap.
  std::vector<Index> replicates;
};

/// The region of a plane that holds `share` of a normal distribution with this covariance.
struct Ellipse {
  double semi_major, semi_minor;  // in units of the map
  double angle;                   // of the major axis from the first, in degrees, in (-90, 90]
};
/// @pre covariance is positive semidefinite and 0 < share < 1
[[nodiscard]] Ellipse ellipse_of(double variance1, double covariance12, double variance2, double share = 0.95);

/// How well a map predicts the answers of an annotator, and how well these agree with others to the same questions: of
/// any method. A guesser has an error near .5; with few held-out answers it may lie far from that by chance.
struct AnnotatorErrors {
  std::string name;
  std::uint64_t answers = 0;            // triplets, held out or not
  std::uint64_t heldout = 0;            // of these
  std::optional<double> error{};        // rate of them that the map violates, by weight; ties count
  std::uint64_t repeated = 0;           // pairs of answers to one question, one of them this annotator's
  std::optional<double> alike{};        // share of them, by the product of their weights
  std::optional<double> median_time{};  // response time in the unit of the data, if these have it
};

/// The anchors of violated triplets, ascending.
struct ViolatedTriplets {
  struct Violated {
    ObjectId near = 0, far = 0;  // `far` is on the map no farther from the anchor than `near`
    std::uint64_t times = 0;
  };
  struct Anchor {
    ObjectId object = 0;
    std::uint64_t violated = 0, triplets = 0;
    std::vector<Violated> listed;  // the most frequent first
  };
  std::vector<Anchor> anchors;
};

/// The first bytes of a text of UTF-8, without a part of a character. A file system takes at most 255 in a name.
[[nodiscard]] std::string_view first_bytes(std::string_view text, std::size_t most);

/// Names of the files of each map, less their endings: `stem` for one without a name, else "stem.NAME", all but
/// letters, digits, '-' and '_' of the name written as '_', cut after 100 bytes, and numbered where two would be the
/// same.
[[nodiscard]] std::vector<std::string> map_stems(const std::string& stem, const Embedding& embedding);

/// `labels` may be empty; the label column is then left empty.
[[nodiscard]] std::string map_to_csv(const Matrix& coordinates, const std::vector<std::string>& objects,
                                     const std::vector<std::string>& labels);
/// Columns object,replicates,sd1,...,sdd,cov11,cov12,...,covdd and, for d = 2, semi_major,semi_minor,angle of the
/// ellipse that holds 95 % (see ellipse_of); lengths in units of the map. Fields are empty if too few replicates placed
/// the object.
[[nodiscard]] std::string ellipses_to_csv(const MapUncertainty& uncertainty, const std::vector<std::string>& objects);
/// Columns annotator,answers,guess_rate,standard_error,sharpness,agreement,verdict; the last is of "likely guesser" and
/// "reversed" what holds. With `errors`, of the same annotators, also
/// heldout_answers,heldout_error,repeated_answers,repeated_alike, the last a rate, and median_response_time if that of
/// any is known; a method that estimates nothing (null) leaves the columns in between empty. The last column is group,
/// if there are groups. Fields are empty where nothing is known.
[[nodiscard]] std::string annotators_to_csv(const AnnotatorEstimates* estimates,
                                            const std::vector<AnnotatorErrors>& errors = {});
/// What such a file says of an annotator: its name and the number of answers, of every method.
struct JudgedAnnotator {
  AnnotatorEstimate estimate;
  AnnotatorErrors errors{};  // of no answers where the file has none
};
/// Reads it back. @throws DataError "file:line: ..." if the header or a line is malformed.
[[nodiscard]] std::vector<JudgedAnnotator> parse_annotators_csv(std::string_view text, const std::string& file);
[[nodiscard]] std::string map_to_npy(const Matrix& coordinates);

/// In single precision; what is not finite is NaN.
[[nodiscard]] float finite_or_nan(double value);

/// The content of map_to_csv's text. A coordinate that is not finite is NaN: such an object has no place on the map.
struct MapTable {
  std::vector<std::string> objects;
  std::vector<std::string> labels;           // "" if there is none
  std::vector<std::vector<double>> columns;  // columns[c][i]: coordinate c of object i
  std::vector<std::size_t> lines;            // line of the file, from 1, of each object
};
/// @throws DataError "file:line: ..." if the header or a line is malformed.
[[nodiscard]] MapTable parse_map_csv(std::string_view text, const std::string& file);
[[nodiscard]] MapTable read_map_csv(const std::filesystem::path& file);

/// Places of the names that both lists have, in each, in the order of the first; as shown_names() if no name is the
/// same otherwise. O(n).
[[nodiscard]] std::vector<std::pair<Index, Index>> places_in_both(std::span<const std::string> first,
                                                                  std::span<const std::string> second);

/// Covariances of the objects of a planar map; NaN if the file has none.
struct CovarianceTable {
  std::vector<std::string> objects;
  std::array<std::vector<float>, 3> columns;  // variance of x1, covariance, variance of x2
};
/// Reads the columns object, cov11, cov12 and cov22, in any order. @throws DataError as above, or if one is missing.
[[nodiscard]] CovarianceTable parse_ellipses_csv(std::string_view text, const std::string& file);

/// How far the objects of a map move, in any dimension; NaN if the file does not say.
struct SpreadTable {
  std::vector<std::string> objects;
  std::vector<float> spreads;  // root mean square of the standard deviations of the coordinates
};
/// Reads the columns object, sd1, sd2, ... of a file of ellipses. @throws DataError as above, or if there is no sd1.
[[nodiscard]] SpreadTable parse_spreads_csv(std::string_view text, const std::string& file);

/// Columns anchor,near,far,times,violated,triplets; one line per triplet, `times` as often as it was given. `violated`
/// and `triplets` are of the anchor: how many of its triplets the map violates, of how many. A long list is cut: then a
/// sum of `times` is less than `violated`.
[[nodiscard]] std::string violated_to_csv(const ViolatedTriplets& violated, const std::vector<std::string>& objects);
/// `objects`: names of the map's objects, each once. @throws DataError as above, also for an object that is not of this
/// map
[[nodiscard]] ViolatedTriplets parse_violated_csv(std::string_view text, const std::string& file,
                                                  const std::vector<std::string>& objects);

/// Follows a map's stem.
inline constexpr std::string_view kProjectorEnding = ".projector.json";

/// Of the table that made the map.
struct ProjectedFeatures {
  std::vector<std::string> names{};         // in its order; or none
  std::optional<FeatureScaling> scaling{};  // none: not scaled
  std::optional<FeatureScaling> range{};    // the least of each column, and how far its largest is from it
};

[[nodiscard]] std::string projector_to_json(const Projector& projector, const ProjectedFeatures& features = {});

/// Also sets `features`, if it is given; to none if the file has none.
/// @throws DataError, one line with the file's name, if it is missing, incomplete, or of another format or version
[[nodiscard]] std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file,
                                                              ProjectedFeatures* features = nullptr);
/// The same of the text of a file.
[[nodiscard]] std::shared_ptr<const Projector> parse_projector(const std::string& text, const std::string& file,
                                                               ProjectedFeatures* features = nullptr);

}  // namespace alidade
