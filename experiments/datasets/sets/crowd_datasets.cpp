#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/packed_archive.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

// ---- 60 cars ----

constexpr std::int64_t kCarCount = 60;

/// The answers of a file, one a row: a session from 1, the car that was chosen as the most central, and the three that
/// were shown.
std::vector<std::array<std::int64_t, 5>> read_car_answers(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 5> kColumns = {"survey_round", "chosen_center", "triplet_object_1",
                                                        "triplet_object_2", "triplet_object_3"};
  const std::string text = read_text(path);
  const Table table(RowReader(text, path.string(), ','), {.wanted = "answers"});
  std::array<std::optional<std::size_t>, kColumns.size()> columns;
  for (std::size_t c = 0; c < kColumns.size(); ++c) columns[c] = find_column(table.header, kColumns[c], table.place);
  std::vector<std::array<std::int64_t, 5>> out(table.rows.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    bool sound = true;
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      const auto number = columns[c] ? parse_double(table.rows[r][*columns[c]]) : std::nullopt;
      out[r][c] = number && *number >= 1 && *number < 1e6 ? static_cast<std::int64_t>(*number) : 0;
      sound = sound && number == static_cast<double>(out[r][c]) && out[r][c] >= 1 && (c == 0 || out[r][c] <= kCarCount);
    }
    require<DataError>(sound && std::find(out[r].begin() + 2, out[r].end(), out[r][1]) != out[r].end(),
                       words::kNoAnswerAboutCars, table.places[r], kCarCount);
  }
  return out;
}

Observations load_cars(const Chosen& chosen, const std::vector<std::filesystem::path>& paths) {
  const bool rounds_are_aspects = chosen.is("rounds_are_aspects");
  Observations out;
  auto triplets = std::make_shared<TripletList>(static_cast<Index>(kCarCount));
  std::vector<std::uint32_t> answer, sitting;
  std::vector<ImpliedTriplet> implied;
  for (std::int64_t car = 1; car <= kCarCount; ++car) out.objects.push_back(std::to_string(car));
  out.labels = out.objects;
  name_labels("cars60", out.labels);  // by the authors' groups
  for (const auto& one : read_car_answers(paths[0])) {
    std::array<std::int64_t, 3> cars = {one[2], one[3], one[4]};
    std::iter_swap(std::ranges::find(cars, one[1]), cars.begin());
    // Sittings are numbered from 1 without gaps, in no known order.
    const auto round = static_cast<std::uint32_t>(one[0] - 1);
    while (out.annotators.size() <= round) out.annotators.push_back(fmt::format("round {}", out.annotators.size() + 1));
    const auto id = [](std::int64_t car) { return static_cast<ObjectId>(car - 1); };
    implied.clear();
    imply_most_central(id(cars[0]), id(cars[1]), id(cars[2]), implied);
    const auto number = static_cast<std::uint32_t>(answer.size() / implied.size());
    for (const auto& [anchor, near, far] : implied) {
      triplets->add({.anchor = anchor, .near = near, .far = far, .aspect = rounds_are_aspects ? round : 0});
      answer.push_back(number);
      sitting.push_back(round);
    }
  }
  if (rounds_are_aspects) out.aspects = out.annotators;
  out.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(answer));
  out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(sitting));
  out.notes = describe(count_answers(*triplets), "triplets");
  out.triplets = std::move(triplets);
  return out;
}

// ---- food ----

constexpr std::uint32_t kScreenCount = 15'320;  // 19,150 less 3,830 catch trials

/// The screen of each row, in a file that lists each pick before each photo not picked, screen by screen. A screen ends
/// where the probe changes, a pick repeats, or the photos not picked differ.
std::vector<std::uint32_t> screens_of(const TripletList& rows) {
  const std::span<const ObjectId> probe = rows.anchors(), pick = rows.nears(), other = rows.fars();
  std::vector<std::uint32_t> out(probe.size());
  std::uint32_t screen = 0;
  std::size_t begin = 0;                    // of the screen
  std::span<const ObjectId> left_of_first;  // photos compared with its first pick
  for (std::size_t run = 0, end = 0; run < probe.size(); run = end) {
    while (end < probe.size() && probe[end] == probe[run] && pick[end] == pick[run]) ++end;
    const auto left = other.subspan(run, end - run);
    const auto picks = pick.subspan(begin, run - begin);
    if (run > 0 &&
        (probe[run] != probe[begin] || contains(picks, pick[run]) || !std::ranges::equal(left, left_of_first))) {
      ++screen;
      begin = run;
    }
    if (begin == run) left_of_first = left;
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(run), out.begin() + static_cast<std::ptrdiff_t>(end), screen);
  }
  return out;
}

// ---- food by worker ----
// M. Wilber, I. Kwak, S. Belongie, Cost-effective HITs for relative similarity comparisons, HCOMP 2014: a screen shows
// a probe and a grid of photos, and the worker picks some. Each picked photo is nearer to the probe than each left.

struct FoodScreen {
  std::string probe{};
  std::vector<std::string> near_answer{}, images{};
  bool is_catchtrial = false;
};
struct FoodHit {
  std::int64_t worker_id = 0;
  std::vector<FoodScreen> screens{};
};
void from_json(const nlohmann::json& json, FoodScreen& out) {
  json.at("is_catchtrial").get_to(out.is_catchtrial);
  if (out.is_catchtrial) return;  // these may lack the rest
  json.at("probe").get_to(out.probe);
  json.at("near_answer").get_to(out.near_answer);
  json.at("images").get_to(out.images);
}
void from_json(const nlohmann::json& json, FoodHit& out) {
  json.at("worker_id").get_to(out.worker_id);
  json.at("HIT_screens").get_to(out.screens);
}

/// What a file in JSON holds. @throws DataError that says what it is not
template <class Content>
Content json_content(std::string_view text, const std::string& name, std::string_view what) {
  try {
    return nlohmann::json::parse(text).get<Content>();
  } catch (const nlohmann::json::exception&) {
    throw DataError(fmt::format("'{}' is not {}. Download the file again.", name, what));
  }
}

/// Things numbered by first appearance.
template <class Thing>
struct Numbered {
  std::map<Thing, std::uint32_t> numbers{};
  std::vector<Thing> things{};
  std::uint32_t number(const Thing& thing) {
    const auto [at, fresh] = numbers.emplace(thing, static_cast<std::uint32_t>(things.size()));
    if (fresh) things.push_back(thing);
    return at->second;
  }
};

struct FoodAnswers {
  Numbered<std::string> photos{};
  Numbered<std::int64_t> workers{};
  std::vector<Triplet> rows{};           // the aspect is the worker
  std::vector<std::uint32_t> screens{};  // of the rows, counted over all workers
};

/// All answers in a tar archive of JSON files, in the order of data set food100: file by name, HIT, screen, pick, photo
/// left. Catch trials are left out.
FoodAnswers read_food_answers(const std::filesystem::path& path) {
  std::vector<std::string> files = member_names(path, path.string());
  std::erase_if(files, [](const std::string& file) { return !file.ends_with(".json"); });
  std::ranges::sort(files);
  const std::vector<std::string> contents = read_members(path, path.string(), files);
  FoodAnswers out;
  std::uint32_t screens = 0;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::string place = path.string() + "/" + files[f];
    for (const FoodHit& hit : json_content<std::vector<FoodHit>>(contents[f], place, "a list of HITs with screens"))
      for (const FoodScreen& screen : hit.screens) {
        if (screen.is_catchtrial) continue;
        const auto has = [](const auto& photos, const std::string& one) { return contains(photos, one); };
        const std::uint32_t worker = out.workers.number(hit.worker_id);
        require<DataError>(!has(screen.images, screen.probe) &&
                               std::ranges::all_of(screen.near_answer,
                                                   [&](const std::string& pick) { return has(screen.images, pick); }),
                           words::kBadScreen, place, screen.probe);
        for (const std::string& pick : screen.near_answer)
          for (const std::string& left : screen.images) {
            if (has(screen.near_answer, left)) continue;
            // One after the other, since numbers are given in this order.
            const ObjectId probe = out.photos.number(screen.probe), near = out.photos.number(pick);
            out.rows.push_back({probe, near, out.photos.number(left), worker});
            out.screens.push_back(screens);
          }
        ++screens;
      }
  }
  require<DataError>(!out.rows.empty(), "'{}' holds no answers. Download it again.", path.string());
  return out;
}

/// Triplets of the workers with the most of them (ties: the lower id first). Each is an aspect and an annotator, the
/// busiest first; all photos are objects.
Observations load_food_workers(const Chosen& options, const std::vector<std::filesystem::path>& paths) {
  const Index workers = options.whole("workers"), least = options.whole("min_triplets");
  FoodAnswers answers = read_food_answers(paths[0]);
  const std::vector<std::int64_t>& ids = answers.workers.things;
  std::vector<Index> triplets(ids.size(), 0);
  for (const Triplet& row : answers.rows) ++triplets[row.aspect];
  std::vector<std::uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::uint32_t w) { return triplets[w] < least; });
  std::ranges::sort(order, {}, [&](std::uint32_t w) { return std::pair(-triplets[w], ids[w]); });
  require<DataError>(!order.empty(), "No worker gave {} triplets. Lower min_triplets.", least);
  if (std::ssize(order) > workers) order.resize(static_cast<std::size_t>(workers));
  constexpr std::uint32_t kLeftOut = 0xffffffffU;
  std::vector<std::uint32_t> aspect(ids.size(), kLeftOut), who, screens;
  Observations out;
  for (std::uint32_t t = 0; t < order.size(); ++t) {
    aspect[order[t]] = t;
    out.aspects.push_back(fmt::format("worker {}", ids[order[t]]));
  }
  auto list = std::make_shared<TripletList>(std::ssize(answers.photos.things));
  for (std::size_t r = 0; r < answers.rows.size(); ++r) {
    Triplet row = answers.rows[r];
    row.aspect = aspect[row.aspect];
    if (row.aspect == kLeftOut) continue;
    list->add(row);
    who.push_back(row.aspect);
    screens.push_back(answers.screens[r]);
  }
  if (order.size() < ids.size())
    add_note(out, "{} of {} workers are included, with {} of {} triplets.", order.size(), ids.size(), list->size(),
             answers.rows.size());
  out.objects = std::move(answers.photos.things);
  out.annotators = out.aspects;
  out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(who));
  if (options.is("whole_screens")) out.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(screens));
  out.triplets = std::move(list);
  return out;
}

// ---- the user's own ----

/// The place of each of `names` in `objects`. @throws DataError naming `file` if it is none of them and `required`;
/// else it is appended
std::vector<std::uint32_t> match_places(const std::vector<std::string>& names, std::vector<std::string>& objects,
                                        const std::string& file, const char* what, bool required,
                                        MergeNames merge_names, std::vector<std::string>& notes) {
  NameMatcher matcher(objects, merge_names);
  std::vector<std::uint32_t> out;
  for (const std::string& name : names) {
    if (const auto match = matcher.find(name)) {
      out.push_back(static_cast<std::uint32_t>(*match));
      continue;
    }
    require<DataError>(!required, words::kNotInAnswers, file, what, name);
    out.push_back(static_cast<std::uint32_t>(objects.size()));
    objects.push_back(name);
  }
  add_note(notes, matcher.notes(what));
  return out;
}

/// Tags of two lists, one after the other, whose numbers differ.
TripletTags joined(const TripletTags& first, std::uint64_t first_size, const TripletTags& second,
                   std::uint64_t second_size) {
  if (!first && !second) return nullptr;
  std::vector<std::uint32_t> out;
  for (std::uint64_t t = 0; t < first_size; ++t)
    out.push_back(first ? (*first)[static_cast<std::size_t>(t)] : static_cast<std::uint32_t>(t));
  const std::uint32_t begin = out.empty() ? 0 : *std::ranges::max_element(out) + 1;
  for (std::uint64_t t = 0; t < second_size; ++t)
    out.push_back(begin + (second ? (*second)[static_cast<std::size_t>(t)] : static_cast<std::uint32_t>(t)));
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(out));
}

/// The answers, and after them those of a test file.
Observations with_test(Observations out, const Observations& test, const std::string& file, MergeNames merge_names) {
  std::vector<std::string> matched;
  require<DataError>(out.annotators.empty() == test.annotators.empty() && out.aspects.empty() == test.aspects.empty(),
                     words::kOneHasColumn, file);
  const auto object = match_places(test.objects, out.objects, file, "object", true, merge_names, matched);
  const auto aspect = match_places(test.aspects, out.aspects, file, "aspect", true, merge_names, matched);
  const auto person = match_places(test.annotators, out.annotators, file, "annotator", false, merge_names, matched);
  const std::uint64_t size = out.triplets->size(), more = test.triplets->size();
  auto all = std::make_shared<TripletList>(TripletList::copy_of(*out.triplets));
  for (std::uint64_t t = 0; t < more; ++t) {
    Triplet one = test.triplets->at(t);
    for (ObjectId* id : {&one.anchor, &one.near, &one.far}) *id = object[*id];
    if (!aspect.empty()) one.aspect = aspect[one.aspect];
    all->add(one);
  }
  out.answer = joined(out.answer, size, test.answer, more);
  if (out.annotator) {
    std::vector<std::uint32_t> who = *out.annotator;
    for (const std::uint32_t one : *test.annotator) who.push_back(person[one]);
    out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(who));
  }
  out.triplets = std::move(all);
  out.test_triplets = more;
  for (const std::vector<std::string>& notes : {matched, test.notes})
    for (const std::string& note : notes) add_note(out, "Test file: " + note);
  return out;
}

/// The features of the objects in the answers; objects of the table that no answer names are left out.
Observations with_features(Observations out, const std::filesystem::path& file, const DatasetContext& context) {
  ValueTable table;
  table.set("file", file.string());
  FeatureData data = read_own_features(table);
  require<DataError>(data.names_given, words::kFeaturesWithoutNames, file.string());
  std::map<std::string, Index> row_of;
  for (std::size_t row = 0; row < data.objects.size(); ++row) row_of.emplace(data.objects[row], row);
  std::vector<Index> rows;
  for (const std::string& object : out.objects) {
    const auto row = row_of.find(object);
    require<DataError>(row != row_of.end(), "'{}' has no row for '{}', which the answers name. Add it.", file.string(),
                       object);
    rows.push_back(row->second);
  }
  if (data.objects.size() > rows.size())
    add_note(out, words::kObjectsWithoutAnswers, data.objects.size() - rows.size(), data.objects.size(), file.string());
  take_rows(data, rows);
  Observations read = observations_of(std::move(data), FeatureOptions{}, context, "triplets");
  out.features = std::move(read.features);
  out.precise_features = std::move(read.precise_features);
  out.frame = std::move(read.frame);
  add_said(out, Said{read.notes, read.guesses});
  return out;
}

Observations load_own(const Chosen& options, const std::filesystem::path& path, const DatasetContext& context) {
  const auto finished = [&](Observations out) {
    if (options.is("exchange")) {
      out.triplets = std::make_shared<TripletList>(TripletList::copy_of(ReversedTriplets(out.triplets, 1, 0)));
      add_note(out, words::kExchanged);
    }
    if (const std::string& features = options.text("features"); !features.empty())
      return with_features(std::move(out), own_file(features, "triplets", context), context);
    return out;
  };
  TripletFileOptions how{.order = options.text("order"),
                         .columns = options.text("columns"),
                         .where = options.text("where"),
                         .degenerate = options.text("degenerate") == "drop" ? Degenerate::drop : Degenerate::error,
                         .answers = answer_kind(options.text("answers")),
                         .adjacent_ranks_only = options.text("ranked") == "adjacent",
                         .drop_quadruplets_without_anchor = options.text("quadruplets_without_anchor") == "drop",
                         .weight_by_answer = options.is("weight_by_answer"),
                         .merge_names = merge_names_of(options.text("merge_names"))};
  require<ConfigError>(!how.adjacent_ranks_only || how.answers == AnswerKind::ranked, words::kAdjacentNeedsRanked,
                       options.text("answers"));
  require<ConfigError>(!how.drop_quadruplets_without_anchor || how.answers == AnswerKind::quadruplets,
                       words::kDropNeedsQuadruplets, options.text("answers"));
  if (const std::string& labels = options.text("labels"); !labels.empty())
    how.objects = read_labels(own_file(labels, "triplets", context));
  if (const std::string& groups = options.text("groups"); !groups.empty())
    how.groups = read_labels(own_file(groups, "triplets", context), "annotator", "group");
  Observations read = read_triplets(path, how);
  if (options.text("test").empty()) return finished(std::move(read));
  const auto test = own_file(options.text("test"), "triplets", context);
  const Observations asked = read_triplets(test, how);
  return finished(with_test(std::move(read), asked, test.string(), how.merge_names));
}

using Paths = std::vector<std::filesystem::path>;

Observations load_music_artists(const Chosen&, const Paths& paths) {
  return read_triplets(paths[0], {.order = "anchor,near,far",
                                  .degenerate = Degenerate::drop,
                                  .objects = read_labels(paths[1], "artist_id", "superclass")});
}

Observations load_food100(const Chosen& chosen, const Paths& paths) {
  Observations read = read_triplets(paths[0], {.order = "anchor,near,far"});
  if (!chosen.is("whole_screens")) return read;
  std::vector<std::uint32_t> screens = screens_of(dynamic_cast<const TripletList&>(*read.triplets));
  require<DataError>(screens.back() + 1 == kScreenCount, words::kNotByScreen, paths[0].string(), screens.back() + 1,
                     kScreenCount);
  read.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(screens));
  return read;
}

// ---- appearance of materials ----

constexpr std::uint32_t kMaterialCount = 100;

/// The objects of each question, and how often each of its two answers was given.
struct MaterialAnswers {
  std::vector<std::array<std::uint32_t, 3>> answers{};
  std::vector<std::array<std::uint32_t, 2>> agreement{};
};
void from_json(const nlohmann::json& json, MaterialAnswers& out) {
  json.at("answers").get_to(out.answers);
  json.at("agreement").get_to(out.agreement);
}

void add_answers(const std::filesystem::path& path, const Chosen& options, TripletList& triplets, std::uint64_t& ties) {
  const auto [objects, votes] = json_content<MaterialAnswers>(read_text(path), path.string(),
                                                              "a JSON object with the lists answers and agreement");
  const bool by_votes = options.text("weight") == "votes", drop_ties = options.text("ties") == "drop";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    require<DataError>(i < votes.size() && std::ranges::max(objects[i]) < kMaterialCount, words::kBadMaterialQuestion,
                       path.string(), i + 1, kMaterialCount - 1);
    const auto [near_votes, far_votes] = votes[i];
    const bool tie = near_votes == far_votes;
    ties += tie ? 1 : 0;
    if (tie && drop_ties) continue;
    for (const bool turned : {false, true}) {
      const std::uint32_t own = turned ? far_votes : near_votes, other = turned ? near_votes : far_votes;
      if (by_votes ? own > 0 : own >= other)
        triplets.add({.anchor = objects[i][0],
                      .near = objects[i][turned ? 2 : 1],
                      .far = objects[i][turned ? 1 : 2],
                      .weight = by_votes ? static_cast<double>(own) : 1.0});
    }
  }
}

DatasetEntry material_appearance_dataset() {
  const DatasetEntry entry = described("material_appearance");
  return entry_of(entry, [files = entry.files](const Chosen& chosen, const DatasetContext& context) {
    const std::string& part = chosen.text("part");
    Observations out;
    for (std::uint32_t i = 0; i < kMaterialCount; ++i) out.objects.push_back(std::to_string(i));
    auto triplets = std::make_shared<TripletList>(static_cast<Index>(kMaterialCount));
    std::uint64_t ties = 0;
    if (part != "test") add_answers(locate(files[0], context.folder), chosen, *triplets, ties);
    if (part != "train") add_answers(locate(files[1], context.folder), chosen, *triplets, ties);
    require<DataError>(triplets->size() > 0, words::kNoMaterialTriplet);
    if (ties > 0)
      add_note(out, "{} questions have no majority and are {}.", ties,
               chosen.text("ties") == "drop" ? "left out" : "counted with both answers");
    add_note(out, describe(count_answers(*triplets)));
    out.triplets = std::move(triplets);
    return out;
  });
}

}  // namespace

std::vector<DatasetEntry> crowd_datasets() {
  return {of_files("music_artists", load_music_artists),
          of_files("food100", load_food100),
          of_files("food100_workers", load_food_workers),
          of_files("cars60", load_cars),
          material_appearance_dataset(),
          of_own_file("triplets", load_own)};
}

}  // namespace alidade::datasets
