#include "experiments/public/evidence.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>

#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/dissimilarity_file.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::array<const char*, 3> kColumns = {"anchor", "near", "far"};
// Beyond it, numbers are names rather than subscripts, and most objects would have no answer.
constexpr Index kMostObjects = 1 << 24, kManyObjects = 100'000, kMostPerRow = 30;

template <class T>
std::int64_t read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<std::int64_t>(value);  // beyond 2^63 an unsigned number is negative, which is refused
}

std::vector<std::string> numbers_as_names(Index count) {
  std::vector<std::string> out;
  out.reserve(subscript(count));
  for (Index i = 0; i < count; ++i) out.push_back(std::to_string(i));
  return out;
}

/// The largest number + 1. @throws DataError on negative or huge numbers, and on ones that leave most objects without
/// a row
Index object_count_of(const IntegerArray& rows, const char* what) {
  std::int64_t largest = -1;
  for (Index r = 0; r < rows.rows; ++r)
    for (Index c = 0; c < rows.cols; ++c) {
      const std::int64_t id = rows.at(r, c);
      require<DataError>(id >= 0, "{}[{}]: {} is not the number of an object. Objects are numbered from 0.", what, r,
                         id);
      largest = std::max(largest, id);
    }
  const bool few_rows = largest >= kManyObjects && largest / kMostPerRow >= rows.rows;
  require<DataError>(largest < kMostObjects && !few_rows,
                     "{}: The largest number of an object is {}, in {} rows. Numbers are subscripts from 0. If these "
                     "are names, give them as text.",
                     what, largest, rows.rows);
  return static_cast<Index>(largest + 1);
}

/// A row that names two equal objects, as a sentence of the reader of files; "" if it does not.
std::string degeneracy(const Triplet& t, Index row) {
  const std::array<ObjectId, 3> ids = {t.anchor, t.near, t.far};
  for (std::size_t b = 1; b < ids.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (ids[a] == ids[b])
        return fmt::format(
            "triplets[{}]: {} and {} are both '{}', but a triplet needs three different objects. Correct the row, or "
            "drop such rows with degenerate = drop.",
            row, kColumns[a], kColumns[b], ids[a]);
  return "";
}

TripletTags kept_tags(const Tags& tags, const std::vector<bool>& dropped) {
  if (tags.names.empty()) return nullptr;
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < tags.codes.size(); ++i)
    if (dropped.empty() || !dropped[i]) out.push_back(tags.codes[i]);
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(out));
}

/// Reads names by the rules of files, and says which are one and which look alike.
Tags united(const Tags& tags, std::string_view what, std::vector<std::string>& notes) {
  std::vector<std::string_view> spellings;
  for (const std::string& name : tags.names) spellings.push_back(trim(name));
  NameTable table = NameTable::of(spellings, MergeNames::automatic);
  Tags out{{}, table.names()};
  for (const std::uint32_t code : tags.codes) out.codes.push_back(table.number(spellings[code]));
  add_note(notes, table.notes(what));
  add_note(notes, notes_on_likeness(out.names, what, false));
  return out;
}

}  // namespace

std::int64_t IntegerArray::at(Index row, Index col) const {
  const std::byte* from = data + row * row_stride + col * col_stride;
  switch (bytes) {
    case 1: return is_signed ? read<std::int8_t>(from) : read<std::uint8_t>(from);
    case 2: return is_signed ? read<std::int16_t>(from) : read<std::uint16_t>(from);
    case 4: return is_signed ? read<std::int32_t>(from) : read<std::uint32_t>(from);
    default: return is_signed ? read<std::int64_t>(from) : read<std::uint64_t>(from);
  }
}

Observations answers_of_indices(const IndexedAnswers& a, const std::stop_token& stop) {
  constexpr Index kRowsBetweenLooks = 1 << 16;
  const auto look = [&] { require<DataError>(!stop.stop_requested(), "The reading of triplets was stopped."); };
  require<DataError>(a.rows.rows > 0, "There are no triplets. Give at least one row anchor, near, far.");
  require<DataError>(!a.count || (*a.count >= 1 && *a.count <= kMostObjects),
                     "n_objects must be a whole number in [1, {}], not {}.", kMostObjects, a.count.value_or(0));
  const Index n = a.count ? *a.count : object_count_of(a.rows, "triplets");
  Observations out;
  const Tags aspects = united(a.aspects, "aspect", out.notes);
  const Tags annotators = united(a.annotators, "annotator", out.notes);
  out.name = "answers";
  out.objects = a.names.empty() ? numbers_as_names(n) : a.names;
  require<DataError>(std::ssize(out.objects) == n, "There are {} names for {} objects. Give one name per object.",
                     out.objects.size(), n);
  auto list = std::make_shared<TripletList>(n);
  list->reserve(subscript(a.rows.rows));
  std::vector<bool> dropped;
  Index weightless = 0;
  for (Index r = 0; r < a.rows.rows; ++r) {
    if (r % kRowsBetweenLooks == 0) look();
    std::array<std::int64_t, 3> ids{};
    for (Index c = 0; c < 3; ++c) ids[subscript(c)] = a.rows.at(r, c);
    // Read a second time: the array may have been changed meanwhile.
    for (const std::int64_t id : ids)
      require<DataError>(id >= 0 && id < n, "triplets[{}]: There is no object {}; the {} objects are numbered from 0.",
                         r, id, n);
    const Triplet t{.anchor = static_cast<ObjectId>(ids[0]),
                    .near = static_cast<ObjectId>(ids[1]),
                    .far = static_cast<ObjectId>(ids[2]),
                    .aspect = aspects.names.empty() ? 0 : aspects.codes[subscript(r)],
                    .weight = a.weights.empty() ? 1.0 : a.weights[subscript(r)]};
    const std::string why = degeneracy(t, r);
    if (!why.empty() && !a.drop_degenerate) throw DataError(why);
    require<DataError>(!why.empty() || (std::isfinite(t.weight) && t.weight >= 0),
                       "weights[{}] is {}. Weights must be finite and not negative.", r, t.weight);
    const bool says_nothing = why.empty() && t.weight == 0;  // no error counts it
    weightless += says_nothing;
    if (why.empty() && !says_nothing) {
      list->add(t);
      continue;
    }
    dropped.resize(subscript(a.rows.rows));
    dropped[subscript(r)] = true;
  }
  require<DataError>(weightless < a.rows.rows, "All weights are 0. Give some rows a weight > 0.");
  require<DataError>(list->size() > 0,
                     "There are {} triplets, but none names three different objects. A map needs at least 3 objects.",
                     a.rows.rows);
  const auto left_out = std::ranges::count(dropped, true) - weightless;
  if (left_out > 0)
    out.notes.push_back(left_out == 1 ? std::string("1 row names one object twice and was left out.")
                                      : fmt::format("{} rows name one object twice and were left out.", left_out));
  if (weightless > 0)
    out.notes.push_back(fmt::format("{} of {} rows were left out, of weight 0.", weightless, a.rows.rows));
  look();
  std::ranges::move(notes_on_names(a.names, false), std::back_inserter(out.notes));
  std::ranges::move(describe(count_answers(*list)), std::back_inserter(out.notes));
  out.triplets = std::move(list);
  out.aspects = aspects.names;
  out.annotator = kept_tags(annotators, dropped);
  out.annotators = annotators.names;
  return out;
}

std::vector<std::pair<std::string, std::vector<std::string>>> answer_columns() {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const AnswerFormat& format : answer_formats()) {
    out.emplace_back(format.name, std::vector<std::string>());
    for (const AnswerRole& role : format.roles)
      out.back().second.push_back(std::string(role.name) + (role.many ? "*" : ""));
  }
  return out;
}

Observations answers_of_text(const std::string& text, const std::string& name, const ValueTable& options) {
  TripletFileOptions how;
  for (const auto& [key, value] : options) {
    const auto* word = value.get_if<std::string>();
    const auto* flag = value.get_if<bool>();
    if (key == "answers" && word)
      how.answers = answer_kind(*word);
    else if (key == "ranked" && word)
      how.adjacent_ranks_only = *word == "adjacent";
    else if (key == "quadruplets_without_anchor" && word)
      how.drop_quadruplets_without_anchor = *word == "drop";
    else if (key == "degenerate" && word)
      how.degenerate = *word == "drop" ? Degenerate::drop : Degenerate::error;
    else if (key == "weight_by_answer" && flag)
      how.weight_by_answer = *flag;
    else if (key == "ignore_weights" && flag)
      how.ignore_weights = *flag;
    else
      throw ConfigError(fmt::format("Answers have no option '{}' of that kind.", key));
  }
  Observations out = parse_triplets(text, name, how);
  out.name = name;
  return out;
}

namespace {

constexpr char kSeemSimilarities[] =
    "The larger the number of two objects, the more alike their rows are, as if these were similarities. If they are, "
    "make them distances, such as the largest number minus each.";

/// Asks about a number far from all others, as codes of a missing value are.
void ask_about_codes(std::span<const double> values, const std::string& where, Observations& out) {
  for (const double code : suspected_codes(values))
    out.guesses.push_back(
        fmt::format("{} holds {}, far from the other numbers, as if it marked a missing value. If it does, fill it "
                    "in, or leave its objects out.",
                    where, shortest(code)));
}

}  // namespace

Observations evidence_of_features(FeatureMatrix features, Matrix precise, std::vector<std::string> names,
                                  std::vector<std::string> labels, const ValueTable& options, std::uint64_t seed) {
  require<DataError>(features.rows() >= 3, "The table has {} objects. A map needs at least 3.", features.rows());
  FeatureData data;
  data.features = std::move(features);
  data.precise = std::move(precise);
  data.objects = names.empty() ? numbers_as_names(data.features.rows()) : std::move(names);
  data.labels = std::move(labels);
  data.users = true;
  Observations asked;
  const auto ask = [&](const auto& table) {
    const Vector low = table.colwise().minCoeff().transpose().template cast<double>(),
                 high = table.colwise().maxCoeff().transpose().template cast<double>();
    for (Index c = 0; c < table.cols(); ++c) {
      if (!is_code(low[c]) && !is_code(high[c])) continue;  // only what lies beyond all others is asked about
      const Vector column = table.col(c).template cast<double>();
      ask_about_codes({column.data(), static_cast<std::size_t>(column.size())}, fmt::format("Column {}", c), asked);
    }
  };
  data.precise.size() > 0 ? ask(data.precise) : ask(data.features);
  Observations out = observations_of(std::move(data), feature_options(options), {{}, seed, 0}, "features");
  out.guesses.insert(out.guesses.end(), asked.guesses.begin(), asked.guesses.end());
  out.name = "features";
  return out;
}

Observations evidence_of_dissimilarities(Matrix values, std::vector<std::string> names, bool take_mean) {
  Observations out;
  out.name = "dissimilarities";
  out.objects = names.empty() ? numbers_as_names(values.rows()) : std::move(names);
  Dissimilarities apart;
  if (values.rows() == values.cols() && values.array().isNaN().any()) {
    apart.weights = fill_in_missing(values, out.objects, out.name);
    const auto unknown = (apart.weights.array() == 0).count() / 2, n = values.rows();
    if (unknown == 0) apart.weights.resize(0, 0);
    if (unknown > 0)
      out.notes.push_back(fmt::format("{} of {} pairs have no value and no weight.", unknown, n * (n - 1) / 2));
  }
  apart.values = symmetric_dissimilarities(std::move(values), out.objects, out.name, take_mean);
  if (seem_similarities(apart.values)) out.guesses.emplace_back(kSeemSimilarities);
  apart.values.diagonal().setConstant(std::numeric_limits<double>::quiet_NaN());  // which is no pair
  ask_about_codes({apart.values.data(), static_cast<std::size_t>(apart.values.size())}, "A pair", out);
  apart.values.diagonal().setZero();
  out.dissimilarities.push_back(std::move(apart));
  return out;
}

Observations evidence_of_views(std::vector<std::pair<std::string, Matrix>> views) {
  Observations out;
  out.name = "views";
  for (auto& [name, values] : views) {
    if (out.objects.empty()) out.objects = numbers_as_names(values.rows());
    require<DataError>(values.rows() == std::ssize(out.objects), "'{}' has {} rows, but the matrix before it has {}.",
                       name, values.rows(), out.objects.size());
    Dissimilarities apart;
    apart.name = name;
    const Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> known = !values.array().isNaN();
    if (!known.all()) apart.weights = known.cast<double>();
    values = known.select(values.array(), 0.0);
    apart.values = symmetric_dissimilarities(std::move(values), out.objects, name, false);
    if (seem_similarities(apart.values)) out.guesses.push_back(fmt::format("'{}': {}", name, kSeemSimilarities));
    out.dissimilarities.push_back(std::move(apart));
  }
  return out;
}

Observations evidence_of_file(const std::string& name, const ValueTable& options) {
  const DatasetEntry& entry = dataset_catalog().at(name);
  Observations out = entry.load(resolve_options(entry.options, options, name), {});
  out.name = "answers";
  return out;
}

Observations judgements_of_text(const std::string& text, const std::string& name) {
  Observations out = parse_same_different(RowReader(text, name, detect_separator(text, 3)), JudgedBy::answers,
                                          {.merge_names = MergeNames::no});
  out.name = name;
  return out;
}

Observations evidence_of_pairs(const IntegerArray& pairs, std::span<const std::int8_t> signs, Index count,
                               std::vector<std::string> names, bool graph) {
  require<DataError>(object_count_of(pairs, "pairs") <= count, "A pair names an object beyond the {} that there are.",
                     count);
  std::vector<ObjectPair> similar, dissimilar;
  for (Index r = 0; r < pairs.rows; ++r) {
    const ObjectPair pair{static_cast<ObjectId>(pairs.at(r, 0)), static_cast<ObjectId>(pairs.at(r, 1))};
    (signs[subscript(r)] > 0 ? similar : dissimilar).push_back(pair);
  }
  Observations out;
  out.name = "pairs";
  out.objects = names.empty() ? numbers_as_names(count) : std::move(names);
  out.pair_signs = std::make_shared<PairSigns>(count, std::move(similar), std::move(dissimilar),
                                               graph ? PairSigns::Others::dissimilar : PairSigns::Others::unknown);
  return out;
}

}  // namespace alidade::datasets
