#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/readers/food_workers.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

// ---- 60 cars ----

struct CarsOptions {
  bool rounds_are_aspects = false;
};

constexpr std::int64_t kCarCount = 60;

/// The authors' groups of cars.
std::string_view car_group(std::int64_t car) {
  constexpr std::array kSports = {15, 19, 20, 28, 40, 42, 47, 48, 49, 50, 51, 52, 54, 56, 59};
  constexpr std::array kOffRoad = {1, 3, 4, 5, 13, 14, 18, 22, 24, 26, 27, 29, 31, 33, 34, 43, 57};
  constexpr std::array kOutliers = {21, 23, 30, 53};
  const auto among = [car](const auto& list) { return std::ranges::find(list, car) != list.end(); };
  if (among(kSports)) return "sports";
  if (among(kOffRoad)) return "off-road";
  if (among(kOutliers)) return "outlier";
  return "ordinary";
}

Observations load_cars(const CarsOptions& options, const std::filesystem::path& path) {
  const std::string text = read_text(path);
  RowReader reader(text, path.string(), ',');
  std::array<std::size_t, 5> at{};
  constexpr std::array<std::string_view, 5> kColumns = {"survey_round", "chosen_center", "triplet_object_1",
                                                        "triplet_object_2", "triplet_object_3"};
  require<DataError>(reader.next(), "'{}' has no rows. Download it again.", path.string());
  const std::size_t width = reader.fields().size();
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    const auto column = find_column(reader.fields(), kColumns[c], reader.place());
    require<DataError>(column.has_value(), "{}: The header has no column '{}'. Download the file again.",
                       reader.place(), kColumns[c]);
    at[c] = *column;
  }

  Observations out;
  auto triplets = std::make_shared<TripletList>(static_cast<Index>(kCarCount));
  std::vector<std::uint32_t> answer, sitting;
  std::vector<ImpliedTriplet> implied;
  for (std::int64_t car = 1; car <= kCarCount; ++car) {
    out.objects.push_back(std::to_string(car));
    out.labels.emplace_back(car_group(car));
  }
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == width,
                       "{}: The row has {} columns where the header has "
                       "{}. Download the file again.",
                       reader.place(), fields.size(), width);
    std::array<std::int64_t, 5> cells{};
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string_view field = fields[at[c]];
      const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), cells[c]);
      require<DataError>(code == std::errc() && end == field.data() + field.size() && cells[c] >= 1 &&
                             (c == 0 || cells[c] <= kCarCount),
                         "{}: '{}' is not a {}. Download the file again.", reader.place(), shown(field),
                         c == 0 ? "round" : "car from 1 to 60");
    }
    std::array<std::int64_t, 3> cars = {cells[2], cells[3], cells[4]};
    const auto centre = std::ranges::find(cars, cells[1]);
    require<DataError>(centre != cars.end(), "{}: Car {} was chosen but not shown. Download the file again.",
                       reader.place(), cells[1]);
    std::iter_swap(centre, cars.begin());
    // Sittings are numbered from 1 without gaps, in no known order.
    const auto round = static_cast<std::uint32_t>(cells[0] - 1);
    while (out.annotators.size() <= round) out.annotators.push_back(fmt::format("round {}", out.annotators.size() + 1));
    const auto id = [](std::int64_t car) { return static_cast<ObjectId>(car - 1); };
    implied.clear();
    imply_most_central(id(cars[0]), id(cars[1]), id(cars[2]), implied);
    const auto number = static_cast<std::uint32_t>(answer.size() / implied.size());
    for (const auto& [anchor, near, far] : implied) {
      triplets->add({.anchor = anchor, .near = near, .far = far, .aspect = options.rounds_are_aspects ? round : 0});
      answer.push_back(number);
      sitting.push_back(round);
    }
  }
  require<DataError>(triplets->size() > 0, "'{}' has a header but no rows. Download it again.", path.string());
  if (options.rounds_are_aspects) out.aspects = out.annotators;
  out.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(answer));
  out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(sitting));
  out.notes = describe(count_answers(*triplets), "triplets");
  out.triplets = std::move(triplets);
  return out;
}

// ---- food ----

struct FoodOptions {
  bool whole_screens = false;
};

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
    if (run > 0 && (probe[run] != probe[begin] || std::ranges::find(picks, pick[run]) != picks.end() ||
                    !std::ranges::equal(left, left_of_first))) {
      ++screen;
      begin = run;
    }
    if (begin == run) left_of_first = left;
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(run), out.begin() + static_cast<std::ptrdiff_t>(end), screen);
  }
  return out;
}

struct FoodWorkersOptions {
  Index workers = 20;
  Index min_triplets = 1;
  bool whole_screens = false;
};

// ---- the user's own ----

struct OwnTripletsOptions {
  std::string file, order, columns, where, degenerate = "error", labels, test;
  std::string answers = "triplets", ranked = "all", quadruplets_without_anchor = "error", merge_names = "auto";
  bool weight_by_answer = false, exchange = false;
};

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
    require<DataError>(
        !required,
        "'{}': {} '{}' is in no answer of the file that makes the map, so the map can not be tested on it. "
        "Leave out its rows.",
        file, what, name);
    out.push_back(static_cast<std::uint32_t>(objects.size()));
    objects.push_back(name);
  }
  for (std::string& note : matcher.notes(what)) notes.push_back(std::move(note));
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
  require<DataError>(
      out.annotators.empty() == test.annotators.empty() && out.aspects.empty() == test.aspects.empty(),
      "'{}': one of the answers and the test file has a column annotator or aspect, and the other has not. "
      "Name the columns of both alike, or leave the column out with --columns (in a config: columns).",
      file);
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
    for (const std::string& note : notes) out.notes.push_back("Test file: " + note);
  return out;
}

Observations load_own(const OwnTripletsOptions& options, const DatasetContext& context) {
  const auto finished = [&](Observations out, const std::filesystem::path& file) {
    if (options.exchange) {
      out.triplets = std::make_shared<TripletList>(TripletList::copy_of(ReversedTriplets(out.triplets, 1, 0)));
      out.notes.emplace_back("Near and far are exchanged in all triplets, as `exchange` says.");
    }
    const bool folder = file.filename().string().find_first_of("*?") != std::string::npos && file.has_parent_path();
    out.name = (folder ? file.parent_path() : file).stem().string();
    return out;
  };
  const auto path = own_file(options.file, "triplets", context);
  TripletFileOptions how;
  how.order = options.order;
  how.columns = options.columns;
  how.where = options.where;
  how.degenerate = options.degenerate == "drop" ? Degenerate::drop : Degenerate::error;
  how.answers = answer_kind(options.answers);
  how.adjacent_ranks_only = options.ranked == "adjacent";
  how.drop_quadruplets_without_anchor = options.quadruplets_without_anchor == "drop";
  how.weight_by_answer = options.weight_by_answer;
  how.merge_names = merge_names_of(options.merge_names);
  require<ConfigError>(!how.adjacent_ranks_only || how.answers == AnswerKind::ranked,
                       "ranked = adjacent needs answers = ranked, but these are {}. Leave ranked "
                       "out.",
                       options.answers);
  require<ConfigError>(!how.drop_quadruplets_without_anchor || how.answers == AnswerKind::quadruplets,
                       "quadruplets_without_anchor = drop needs answers = quadruplets, but these are {}. Leave the "
                       "option out.",
                       options.answers);
  if (!options.labels.empty()) how.objects = read_labels(own_file(options.labels, "triplets", context));
  Observations read = read_triplets(path, how);
  if (options.test.empty()) return finished(std::move(read), path);
  const auto test = own_file(options.test, "triplets", context);
  const Observations asked = read_triplets(test, how);
  return finished(with_test(std::move(read), asked, test.string(), how.merge_names), path);
}

}  // namespace

DatasetEntry music_artists_dataset() {
  const DataFile answers = described("music_artists").files[0];
  const DataFile genres = described("music_artists").files[1];
  return with_load(described("music_artists"), OptionList<NoOptions>(),
                   [answers, genres](const NoOptions&, const DatasetContext& context) {
                     TripletFileOptions how;
                     how.order = "anchor,near,far";
                     how.degenerate = Degenerate::drop;
                     how.objects = read_labels(locate(genres, context.folder), "artist_id", "superclass");
                     return read_triplets(locate(answers, context.folder), how);
                   });
}

DatasetEntry food100_dataset() {
  const DataFile file = described("food100").files[0];
  OptionList<FoodOptions> options;
  options.flag("whole_screens", &FoodOptions::whole_screens,
               "hold out whole screens; the papers hold out single triplets of screens");
  return with_load(described("food100"), options, [file](const FoodOptions& chosen, const DatasetContext& context) {
    TripletFileOptions how;
    how.order = "anchor,near,far";
    const auto path = locate(file, context.folder);
    Observations read = read_triplets(path, how);
    if (chosen.whole_screens) {
      std::vector<std::uint32_t> screens = screens_of(dynamic_cast<const TripletList&>(*read.triplets));
      require<DataError>(screens.back() + 1 == kScreenCount,
                         "'{}': The rows are not ordered by screen ({} where {} are expected). Leave "
                         "whole_screens out, or use the published file (see `alidade data info food100`).",
                         path.string(), screens.back() + 1, kScreenCount);
      read.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(screens));
    }
    return read;
  });
}

DatasetEntry food100_workers_dataset() {
  const DataFile file = described("food100_workers").files[0];
  OptionList<FoodWorkersOptions> options;
  options
      .integer("workers", &FoodWorkersOptions::workers, at_least(1),
               "number of workers to include, those with the most triplets first; there are 243")
      .integer("min_triplets", &FoodWorkersOptions::min_triplets, at_least(1),
               "number of triplets that a worker must have given")
      .flag("whole_screens", &FoodWorkersOptions::whole_screens,
            "hold out whole screens; the papers hold out single triplets of screens");
  return with_load(described("food100_workers"), options,
                   [file](const FoodWorkersOptions& chosen, const DatasetContext& context) {
                     const auto path = locate(file, context.folder);
                     return by_worker(read_food_answers(read_text(path), path.string()), chosen.workers,
                                      chosen.min_triplets, chosen.whole_screens);
                   });
}

DatasetEntry cars60_dataset() {
  const DataFile file = described("cars60").files[0];
  OptionList<CarsOptions> options;
  options.flag("rounds_are_aspects", &CarsOptions::rounds_are_aspects, "make each of the 146 sessions an aspect");
  return with_load(described("cars60"), options, [file](const CarsOptions& chosen, const DatasetContext& context) {
    return load_cars(chosen, locate(file, context.folder));
  });
}

DatasetEntry triplets_dataset() {
  OptionList<OwnTripletsOptions> options;
  options
      .file(
          "file", &OwnTripletsOptions::file,
          "your file: CSV, TSV or semicolon-separated; also gzipped. A folder, or a pattern such as data/*.csv, stands "
          "for one file per person")
      .text("order", &OwnTripletsOptions::order, {},
            "the columns in their order, such as 'anchor,near,far'; empty: the first line names "
            "them")
      .text("columns", &OwnTripletsOptions::columns, {},
            "the names of the columns in a file with other names, such as 'head,winner,loser' or "
            "'annotator=participant'; empty: their own")
      .text("where", &OwnTripletsOptions::where, {},
            "which rows to read, such as 'phase=test' or 'phase=test, status!=bad'; empty: all but those of "
            "practice, if a column marks them")
      .text("answers", &OwnTripletsOptions::answers, answer_kind_names(),
            "kind of answer in each row: a triplet, or an answer that implies triplets")
      .flag("exchange", &OwnTripletsOptions::exchange,
            "exchange near and far in all triplets, where the file names them the other way round")
      .flag("weight_by_answer", &OwnTripletsOptions::weight_by_answer,
            "give every answer the same total weight: divide the weight of a triplet by the "
            "number of triplets of its answer")
      .text("ranked", &OwnTripletsOptions::ranked, {"all", "adjacent"},
            "for answers = ranked: compare all pairs of ranks, or only each rank with the next")
      .text("quadruplets_without_anchor", &OwnTripletsOptions::quadruplets_without_anchor, {"error", "drop"},
            "for answers = quadruplets: what to do when the two pairs share no object")
      .text("degenerate", &OwnTripletsOptions::degenerate, {"error", "drop"},
            "what to do with rows that name one object twice")
      .text("merge_names", &OwnTripletsOptions::merge_names, {"auto", "yes", "no"}, kMergeNamesDoc)
      .file("labels", &OwnTripletsOptions::labels,
            "a file with the columns name and label that lists all objects; empty: none")
      .file("test", &OwnTripletsOptions::test,
            "a file of answers laid out alike, on which the map is judged; no map is fitted to it, and nothing else is "
            "held out; empty: none");
  return with_load(
      {.name = "triplets",
       .summary = "your own answers: triplets, two-choice trials, odd one out, most central, picks, rankings or "
                  "quadruplets"},
      options, load_own);
}

}  // namespace alidade::datasets
