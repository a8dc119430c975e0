#include "experiments/run/finished_map.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/bootstrap.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/run/split.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/partial_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {
namespace {

constexpr std::size_t kPlaces = 256;

FinishedMap map_of_table(const std::filesystem::path& file) {
  ValueTable options;
  options.set("file", file.string());
  if (read_text(file).starts_with("object,label,")) options.set("label_column", "label");  // the table of a map of ours
  datasets::FeatureData table = datasets::read_own_features(options);
  require<DataError>(table.names_given, words::kMapWithoutNames, file.string());
  FinishedMap out;
  out.name = file.stem().string();
  out.coordinates = table.precise.size() > 0 ? table.precise : table.features.cast<double>();
  out.objects = std::move(table.objects);
  out.labels = std::move(table.labels);
  out.labels.resize(out.objects.size());
  out.problem = {"ste", {}};  // which places new objects
  return out;
}

Point whole_map(const Problem& problem, const FinishedMap& map) {
  require<ConfigError>(problem.domain()->is_euclidean(), words::kEuclideanOnly);
  Point out = problem.domain()->zero();
  require<ConfigError>(out.block(0).cols() == map.coordinates.cols(), words::kOtherDimensions, map.coordinates.cols(),
                       out.block(0).cols());
  out.block(0).topRows(map.coordinates.rows()) = map.coordinates;
  return out;
}

/// Leaves out answers that made the map, if all that made it are among these; where only some are, it is said.
/// @throws DataError if none of these did not make it
void leave_own_out(const FinishedMap& map, std::string_view file, Observations& answers) {
  if (!map.dataset.options.find("file") || !answers.triplets->stored()) return;
  const auto made = data_of_row(map.dataset);
  if (!made) {
    answers.notes.push_back(fmt::format(words::kMayBeOwnAnswers, file, map.name));
    return;
  }
  if (!made->triplets || !made->triplets->stored()) return;
  const std::vector<bool> own = also_among(answers, *made);
  const auto same = static_cast<std::uint64_t>(std::ranges::count(own, true));
  require<DataError>(same < answers.triplets->size(), words::kOwnAnswers, file, map.name);
  if (same == made->triplets->size()) {
    const auto without = [&](const TripletTags& tags) {
      auto kept = std::make_shared<std::vector<std::uint32_t>>();
      for (std::uint64_t i = 0; i < own.size() && tags; ++i)
        if (!own[i]) kept->push_back((*tags)[answers.triplets->origin_index(i)]);
      return tags ? TripletTags(kept) : nullptr;
    };
    auto kept = std::make_shared<TripletList>(answers.object_count());
    for (std::uint64_t i = 0; i < own.size(); ++i)
      if (!own[i]) kept->add(answers.triplets->at(i));
    answers.answer = without(answers.answer);
    answers.annotator = without(answers.annotator);
    answers.triplets = std::move(kept);
    answers.notes.push_back(fmt::format(words::kOwnLeftOut, same, own.size(), map.name));
  } else if (2 * same >= std::min<std::uint64_t>(own.size(), made->triplets->size())) {
    answers.notes.push_back(fmt::format(words::kSomeOwnAnswers, same, own.size(), map.name));
  }
}

/// New objects that could lie ever farther away by their answers about objects of the map: all ways from what is far to
/// what is near have a direction in common, which the shortest mixture of them is (Gilbert 1966).
std::vector<std::string> open_objects(const FinishedMap& map, const Observations& all) {
  constexpr int kSteps = 1000;
  const std::size_t finished = map.objects.size();
  std::vector<std::vector<Vector>> ways(all.objects.size());
  std::vector<bool> may_be_bounded(all.objects.size(), false);
  for (std::uint64_t i = 0; i < all.triplets->size(); ++i) {
    const auto [anchor, near, far, aspect, weight] = all.triplets->at(i);
    if (near < finished && far < finished && anchor >= finished)
      ways[anchor].push_back((map.coordinates.row(near) - map.coordinates.row(far)).transpose().normalized());
    else
      may_be_bounded[anchor] = may_be_bounded[near] = true;
  }
  std::vector<std::string> out;
  for (std::size_t i = finished; i < ways.size(); ++i) {
    if (may_be_bounded[i] || ways[i].empty()) continue;
    Vector mixture = ways[i].front();
    for (int step = 0; step < kSteps; ++step) {
      const Vector& way = *std::ranges::min_element(ways[i], {}, [&](const Vector& one) { return one.dot(mixture); });
      const double along = way.dot(mixture);
      if (along > 0) {
        out.push_back(all.objects[i]);
        break;
      }
      mixture += (mixture.dot(mixture) - along) / (way - mixture).squaredNorm() * (way - mixture);
    }
  }
  return out;
}

std::vector<Index> new_rows(Index finished, Index all) {
  std::vector<Index> out;
  for (Index i = finished; i < all; ++i) out.push_back(i);
  return out;
}

}  // namespace

void mark_new_objects(Observations& observations, const FinishedMap& map) {
  if (!observations.labels.empty() || observations.objects.size() <= map.objects.size()) return;
  observations.labels.assign(observations.objects.size(), kNew);
  std::fill_n(observations.labels.begin(), map.objects.size(), kOnMap);
}

FinishedMap read_finished_map(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "embedding.csv";
  if (is_file(folder)) return map_of_table(folder);
  require<DataError>(is_file(file), words::kNoMapFolder, folder.string());
  MapTable table = read_map_csv(file);
  FinishedMap out;
  out.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  out.objects = std::move(table.objects);
  out.labels = std::move(table.labels);
  if (std::ranges::all_of(out.labels, [](const std::string& label) { return label == kOnMap || label == kNew; }))
    out.labels.assign(out.objects.size(), "");
  out.coordinates.resize(static_cast<Index>(out.objects.size()), static_cast<Index>(table.columns.size()));
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < out.objects.size(); ++i) {
    require<DataError>(seen.insert(out.objects[i]).second, words::kListedTwice, at_line(file.string(), table.lines[i]),
                       out.objects[i]);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      require<DataError>(std::isfinite(table.columns[c][i]), words::kNoPosition, at_line(file.string(), table.lines[i]),
                         out.objects[i]);
      out.coordinates(static_cast<Index>(i), static_cast<Index>(c)) = table.columns[c][i];
    }
  }
  const std::vector<Row> rows = read_rows(folder);
  require<DataError>(rows.size() == 1, words::kRowsOfMap, (folder / kRowsFile).string(), rows.size());
  ResultRow row = rows.front();
  out.problem = std::move(row.problem);
  out.solver = std::move(row.solver);
  out.dataset = std::move(row.dataset);
  require<DataError>(!out.problem.name.empty(), words::kNoProblemInRow, (folder / kRowsFile).string());
  return out;
}

Observations onto(const FinishedMap& map, Observations answers, std::string_view file,
                  datasets::MergeNames merge_names) {
  const auto of_all = answers.triplets->stored()
                          ? datasets::notes_on_unplaced(TripletList::copy_of(*answers.triplets), answers.objects)
                          : Notes();
  std::erase_if(answers.notes,
                [&](const std::string& note) { return std::ranges::find(of_all, note) != of_all.end(); });
  leave_own_out(map, file, answers);
  Observations out = answers;
  out.objects = map.objects;
  out.labels = map.labels;
  datasets::NameMatcher on_map(map.objects, merge_names);
  std::vector<ObjectId> id(answers.objects.size());
  std::vector<std::optional<std::size_t>> place_of;
  std::vector<std::string> names = answers.objects;
  for (const std::string& name : names) place_of.push_back(on_map.find(name));
  if (std::ranges::none_of(place_of, [](const auto& place) { return place.has_value(); })) {
    names = shown_names(std::move(names));
    on_map = datasets::NameMatcher(shown_names(map.objects), merge_names);
    for (std::size_t i = 0; i < names.size(); ++i) place_of[i] = on_map.find(names[i]);
    const auto first = std::ranges::find_if(place_of, [](const auto& place) { return place.has_value(); });
    if (first != place_of.end())
      out.notes.push_back(fmt::format("Names were matched without folder and ending: '{}' is '{}' on the map.",
                                      answers.objects[static_cast<std::size_t>(first - place_of.begin())],
                                      map.objects[**first]));
  }
  for (std::size_t i = 0; i < answers.objects.size(); ++i) {
    if (place_of[i]) {
      id[i] = static_cast<ObjectId>(*place_of[i]);
      continue;
    }
    id[i] = static_cast<ObjectId>(out.objects.size());
    out.objects.push_back(names[i]);
    out.labels.push_back(answers.labels.empty() ? "" : answers.labels[i]);
  }
  const std::size_t added = out.objects.size() - map.objects.size();
  require<DataError>(added < answers.objects.size(), words::kNoneOnMap, file, answers.objects.front(),
                     map.objects.front());
  if (std::ranges::all_of(out.labels, &std::string::empty)) out.labels.clear();
  auto list = std::make_shared<TripletList>(static_cast<Index>(out.objects.size()));
  list->reserve(answers.triplets->size());
  for (std::uint64_t i = 0; i < answers.triplets->size(); ++i) {
    Triplet t = answers.triplets->at(i);
    t.anchor = id[t.anchor];
    t.near = id[t.near];
    t.far = id[t.far];
    list->add(t);
  }
  add_note(out, datasets::notes_on_unplaced(*list, out.objects, map.objects.size()));
  out.triplets = std::move(list);
  if (added > 0 && map.dataset.name.empty())  // a table from elsewhere
    add_note(
        out,
        "'{}' does not say in what unit its coordinates are: the one is taken in which the answers and the places of "
        "new objects fit best.",
        map.name);
  if (const std::vector<std::string> open = open_objects(map, out); !open.empty())
    add_note(out, words::kOpenObjects, counted(open.size(), "new object"), open.size() == 1 ? "it" : "they",
             join_first(open, 5));
  add_guess(out, on_map.notes("object"));
  for (std::string& note : datasets::notes_on_likeness(out.objects, "object"))
    if (std::ranges::find(out.notes, note) == out.notes.end()) out.notes.push_back(std::move(note));
  out.notes.push_back(added > 0 ? fmt::format(words::kOnFinishedMap, counted(added, "new object"), map.objects.size())
                                : std::string(words::kMapJudged));
  return out;
}

PlacedObjects place_features(const FinishedMap& map, const Projector& projector,
                             const datasets::FeatureData& features) {
  const Index finished = map.coordinates.rows(), added = features.features.rows();
  require<DataError>(added > 0, "The table holds no objects to add.");
  require<DataError>(projector.component_count() == map.coordinates.cols(), words::kOtherProjectorDimensions,
                     map.coordinates.cols(), projector.component_count());
  PlacedObjects out;
  Observations& all = out.observations;
  all.objects = map.objects;
  all.labels = map.labels;
  std::set<std::string_view> names(map.objects.begin(), map.objects.end());
  for (Index i = 0; i < added; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::string name = features.names_given ? features.objects[at] : std::to_string(finished + i + 1);
    require<DataError>(!names.contains(name), "{}The object '{}' is on the map already. Give new objects new names.",
                       at < features.lines.size() ? at_line(features.name_file, features.lines[at]) + ": " : "", name);
    all.objects.push_back(std::move(name));
    all.labels.push_back(features.labels.empty() ? "" : features.labels[at]);
  }
  if (std::ranges::all_of(all.labels, &std::string::empty)) all.labels.clear();
  Matrix coordinates(finished + added, map.coordinates.cols());
  coordinates.topRows(finished) = map.coordinates;
  coordinates.bottomRows(added) = projector.project(datasets::features_in(features, projector.frame()));
  out.embedding.maps.push_back({"", std::move(coordinates)});
  all.guesses = features.guesses;
  all.notes = features.notes;
  for (std::string& note : datasets::notes_on_likeness(all.objects, "object", false))
    if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(std::move(note));
  all.notes.push_back(fmt::format(words::kPlacedByFunction, counted(added, "new object"), finished));
  return out;
}

void order_features(datasets::FeatureData& features, const std::vector<std::string>& names_on_map,
                    std::string_view file) {
  const std::vector<std::string>& names = features.columns;
  if (names_on_map.empty() || names == names_on_map) return;
  if (names.empty()) {
    features.notes.emplace_back(
        "The columns have no names, or none of the map's, so they are taken in the map's order.");
    return;
  }
  std::map<std::string_view, Index> place;
  const std::set<std::string_view> on_map(names_on_map.begin(), names_on_map.end());
  for (std::size_t c = 0; c < names.size(); ++c) {
    require<DataError>(on_map.contains(names[c]), words::kUnknownFeature, file, names[c],
                       suggestion(names[c], names_on_map));
    require<DataError>(place.emplace(names[c], static_cast<Index>(c)).second, words::kFeatureTwice, file, names[c]);
  }
  std::vector<Index> order;
  for (const std::string& name : names_on_map) {
    const auto entry = place.find(name);
    require<DataError>(entry != place.end(), "'{}' does not have the map's feature '{}'. Add it.", file, name);
    order.push_back(entry->second);
  }
  require<DataError>(order.size() == names.size(), words::kMapFeatureTwice, file);
  features.features = FeatureMatrix(features.features(Eigen::all, order));
  if (features.precise.size() > 0) features.precise = Matrix(features.precise(Eigen::all, order));
  features.columns = names_on_map;
  features.notes.emplace_back("The columns are in another order than those of the map, and were matched by name.");
}

Similarity FinishedMap::similarity() const {
  const ProblemEntry* entry = problem_catalog().find(problem.name);
  return entry ? entry->similarity : Similarity::distance;
}

Problem with_map_fixed(const Problem& problem, const FinishedMap& map) {
  require<ConfigError>(map.similarity() == Similarity::distance && problem.domain(), words::kFitsTogether,
                       map.problem.name);
  const Point whole = whole_map(problem, map);
  Point far = whole;  // where a problem that turns or shifts its maps would show it
  far.block(0).bottomRows(whole.block(0).rows() - map.coordinates.rows()).setConstant(far.block(0).maxCoeff() + 1);
  const Embedding shown = problem.decode(Solution(far));
  require<ConfigError>(shown.maps.size() == 1 && shown.maps[0].coordinates.cols() == map.coordinates.cols() &&
                           shown.maps[0].coordinates.topRows(map.coordinates.rows()) == map.coordinates,
                       words::kFitsTogether, map.problem.name);
  return with_fixed_rows(problem, whole, new_rows(map.coordinates.rows(), whole.block(0).rows()));
}

Matrix places_on(const FinishedMap& map, const std::vector<std::string>& objects) {
  Matrix out(std::ssize(objects), map.coordinates.cols());
  const auto both = places_in_both(objects, map.objects);
  if (both.size() < objects.size()) {
    std::vector<std::string> missing;
    const std::set<std::string_view> known(map.objects.begin(), map.objects.end());
    std::ranges::copy_if(objects, std::back_inserter(missing), [&](const auto& name) { return !known.contains(name); });
    const std::string count = counted(missing.size(), "object");
    throw DataError(fmt::format(words::kStartLacks, map.name, count, join_first(std::move(missing), 5)));
  }
  for (const auto& [object, place] : both) out.row(object) = map.coordinates.row(place);
  return out;
}

Solution start_at_places(const Problem& problem, const Matrix& places, Rng& rng) {
  Solution out = problem.start(rng);
  Point* point = std::get_if<Point>(&out);
  require<ConfigError>(
      point && problem.domain() && problem.domain()->is_euclidean() && problem.decode(out).maps.size() == 1,
      words::kNoOwnStart, problem.name());
  require<DataError>(places.rows() == point->block(0).rows() && places.cols() == point->block(0).cols(),
                     words::kStartSize, places.rows(), places.cols(), point->block(0).rows(), point->block(0).cols());
  require<DataError>(places.allFinite(), "init has numbers that are not finite.");
  point->block(0) = places / problem.unit_factors().map;
  return out;
}

Point start_on_map(const MethodSetup& method, const Observations& training, const FinishedMap& map, Rng& rng) {
  const Index finished = map.coordinates.rows(), all = training.object_count();
  const auto is_new = [&](ObjectId i) { return static_cast<Index>(i) >= finished; };
  // A new object's answers that involve only finished objects.
  struct Answers {
    std::shared_ptr<TripletList> list;
    std::vector<std::uint64_t> places;  // of its triplets among all
  };
  std::vector<Answers> answers_of(static_cast<std::size_t>(all - finished));
  const TripletSource& triplets = *training.triplets;
  for (std::uint64_t k = 0; k < triplets.size(); ++k) {
    const Triplet t = triplets.at(k);
    if (is_new(t.anchor) + is_new(t.near) + is_new(t.far) != 1) continue;
    const ObjectId i = is_new(t.anchor) ? t.anchor : is_new(t.near) ? t.near : t.far;
    auto& [list, places] = answers_of[static_cast<std::size_t>(i) - static_cast<std::size_t>(finished)];
    if (!list) list = std::make_shared<TripletList>(all);
    list->add(t);
    places.push_back(k);
  }
  std::vector<Index> places(static_cast<std::size_t>(finished));
  for (Index i = 0; i < finished; ++i) places[static_cast<std::size_t>(i)] = i;
  rng.shuffle(std::span(places));
  places.resize(std::min(places.size(), kPlaces));

  const Vector middle = map.coordinates.colwise().mean();
  Executor executor;
  Evaluation evaluation(executor);
  Domain domain({{"map", all - finished, map.coordinates.cols(), Euclidean{}}});
  Point out = domain.zero();
  for (Index i = finished; i < all; ++i) {
    auto row = out.block(0).row(i - finished);
    row = middle.transpose();
    const auto& [list, answered] = answers_of[static_cast<std::size_t>(i - finished)];
    if (!list) continue;
    Observations alone = training;
    alone.triplets = list;
    alone.answer = tags_at(training.answer, triplets, answered);
    alone.annotator = tags_at(training.annotator, triplets, answered);
    const Problem problem = problem_catalog().at(method.problem).make(alone, method.problem_options);
    Point trial = whole_map(problem, map);
    double best = std::numeric_limits<double>::infinity();
    Index place = -1;
    for (const Index at : places) {
      trial.block(0).row(i) = map.coordinates.row(at);
      const double value = problem.objective(Solution(trial), evaluation);
      if (!(value < best)) continue;
      best = value;
      place = at;
    }
    if (place >= 0) row = map.coordinates.row(place);
  }
  // Slightly off the finished places: at distance 0 some losses have no slope.
  const double extent = (map.coordinates.rowwise() - middle.transpose()).norm() /
                        std::sqrt(static_cast<double>(std::max<Index>(finished, 1)));
  for (double& x : out.flat()) x += 1e-3 * extent * rng.normal();
  return out;
}

}  // namespace alidade
