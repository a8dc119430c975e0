#include "experiments/report/report_model.hpp"

#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/files/text_encoding.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/report/object_pictures.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row_files.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/convergence.hpp"
#include "experiments/tables/folder_differences.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/text.hpp"
#include "solvers/contract/counts.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTracePoints = 600;  // of one curve; longer ones are thinned
constexpr std::size_t kMaxMapColumns = 8;     // coordinates of one map that the page can show
constexpr std::size_t kTurnedBy = 3;          // objects that maps of other data share, or more

// A table of facts about objects, identified by name: CSV (or with semicolons or tabs) with a header, the objects'
// names, each once, in the first column. Maps can be coloured by every other column: text, or numbers.
struct LabelColumns {
  std::vector<std::string> names;                       // of all columns except the first
  std::unordered_map<std::string, std::size_t> places;  // line of each object
  std::vector<std::vector<std::string>> values;         // column after column, one value per line
};

/// @throws DataError "file:line: ..." for lines of different lengths, a duplicate name, or a missing second column.
LabelColumns read_label_columns(const fs::path& path) {
  const std::string file = path.string(), text = as_utf8(read_bytes(path), file);
  RowReader reader(text, file, detect_separator(text, 2));
  LabelColumns out;
  const bool any = reader.next();
  const auto head = reader.fields();
  require<DataError>(any && head.size() >= 2, words::kLabelsHeader, file);
  for (std::size_t c = 1; c < head.size(); ++c)
    out.names.emplace_back(head[c].empty() ? fmt::format("column {}", c + 1) : std::string(head[c]));
  out.values.resize(out.names.size());
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == out.names.size() + 1, "{}: Expected {} values, found {}.", reader.place(),
                       out.names.size() + 1, fields.size());
    const bool fresh = out.places.try_emplace(datasets::composed(fields[0]), out.places.size()).second;
    require<DataError>(fresh, "{}: The object '{}' has a second row. Keep one.", reader.place(), shown(fields[0]));
    for (std::size_t c = 0; c < out.names.size(); ++c) out.values[c].emplace_back(fields[c + 1]);
  }
  return out;
}

std::string text_of(const fs::path& file) {
  std::optional<std::string> out = content_if_there(file);
  require<DataError>(out.has_value(), words::kFileGone, file.string());
  return *std::move(out);
}

/// What identifies a method: its options, independent of what it chose.
std::string meaning_of(const Row& row) {
  const std::string names = row.problem.name + "\n" + row.solver.name;
  if (!row.chosen.is_null()) return names;
  return names + "\n" + to_json(row.problem.options) + "\n" + to_json(row.solver.options);
}

std::string repetition_of(const Row& row) { return row.dataset.id + "\n" + repetition_text(row); }

class Gathering {
 public:
  Gathering(std::span<const fs::path> folders, const ReportOptions& options) : options_(options) {
    for (const fs::path& folder : folders) read_folder(folder);
    require_methods();
    keep_those_asked_for();
    name_sources();
    if (out_.sources.size() > 1) {
      tell_apart("dataset.id", clashing_datasets());
      tell_apart("method", clashing_methods());
    }
    for (const Row& row : out_.rows) ++out_.status_count[row.status];
    out_.directions = with_directions_of(out_.rows, default_directions());
    if (!out_.rows.empty()) {
      const ComparisonTable table =
          compare(out_.rows, {.cols = "dataset", .value = "seconds.solve", .directions = out_.directions});
      for (const auto& key : table.row_keys) out_.methods.push_back(key.front());
      for (const auto& key : table.col_keys) out_.datasets.push_back(key.front());
    }
    gather_maps();
    gather_traces();
    gather_convergence();
    if (options_.labels) add_labels(read_label_columns(*options_.labels));
    for (ReportModel::ObjectList& list : out_.object_lists) list.names = shown_names(std::move(list.names));
    if (options_.images) add_pictures(*options_.images);
  }
  [[nodiscard]] ReportModel take() { return std::move(out_); }

 private:
  /// Does what may find damaged data, which a note tells. A file that cannot be read is thrown on: the page would lack
  /// what is there.
  template <class Work>
  void noting(const Work& work) {
    try {
      work();
    } catch (const UnreadFile&) {
      throw;
    } catch (const DataError& error) {
      out_.notes.emplace_back(error.what());
    }
  }
  /// A file that a row names. @throws DataError if it is outside the folder
  [[nodiscard]] fs::path named_file(std::size_t row, const std::string& file) const {
    const auto path = out_.inside(row, file);
    require<DataError>(path.has_value(), words::kFileOutside, file);
    return *path;
  }

  void require_methods() const {
    const std::vector<std::string> names(all_methods_.begin(), all_methods_.end());
    for (const std::string& method : options_.methods)
      if (!all_methods_.contains(method))
        throw ConfigError(fmt::format("--method: no run is of '{}'.{}", method, suggestion(method, names)));
  }

  void keep_those_asked_for() {
    if (options_.where.empty()) return;
    const std::vector<std::size_t> kept = places_where(out_.rows, options_.where);
    auto rows = mapped(kept, [&](std::size_t i) { return std::move(out_.rows[i]); });
    auto source_of = mapped(kept, [&](std::size_t i) { return out_.source_of[i]; });
    if (rows.size() < out_.rows.size())
      add_note(out_, "This shows {} of {} runs: those with {}.", rows.size(), out_.rows.size(),
               join(options_.where, ", "));
    out_.rows = std::move(rows);
    out_.source_of = std::move(source_of);
  }

  void read_folder(const fs::path& folder) {
    ReportModel::Source source;
    source.folder = folder;
    std::size_t undone = 0;
    std::vector<Row> rows = read_rows_on_last_data(folder, options_.where, out_.notes, &undone);
    out_.undone += undone;
    if (!options_.methods.empty())
      std::erase_if(rows, [&](const Row& row) {
        const std::string method = row.method;
        all_methods_.insert(method);
        return std::ranges::find(options_.methods, method) == options_.methods.end();
      });
    noting([&] { source.manifest = read_manifest(folder); });
    add_note(out_, origins(rows, source.manifest));
    const FolderDamage damage = damage_in(folder, rows);
    if (!damage.unread.empty()) throw UnreadFile(damage.why_unread);  // the page would lack what is there
    add_note(out_, damage.note(folder));
    noting([&] { source.configuration = content_if_there(folder / kConfigFile); });
    source.experiment = text_field(source.last_command(), "experiment");
    if (source.experiment.empty() && !rows.empty()) source.experiment = rows.front().experiment;
    if (source.experiment.empty()) source.experiment = folder_name(folder);
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return std::tuple(row.plan_index, row.repeat, row.fold); });
    std::int64_t first = 0;  // plans follow one another
    for (const Row& row : out_.rows) first = std::max(first, row.plan_index.value_or(-1) + 1);
    std::size_t twice = 0;
    for (Row& row : rows) {
      if (!row.run_id.empty() && !seen_.insert(row.run_id).second) {
        ++twice;
        continue;
      }
      if (row.plan_index && first > 0) row.set("plan_index", first + *row.plan_index);
      out_.rows.push_back(std::move(row));
      out_.source_of.push_back(out_.sources.size());
    }
    if (twice > 0)
      add_note(out_, words::kInEarlierFolder, counted(twice, "run"), folder.string(), twice == 1 ? "is" : "are",
               twice == 1 ? "counts" : "count");
    out_.sources.push_back(std::move(source));
  }
  // Experiments with one name are distinguished by their folders, and equal folders by number.
  void name_sources() {
    const auto shared = [&](const std::string& name) {
      return std::ranges::count(out_.sources, name, &ReportModel::Source::experiment) > 1;
    };
    std::set<std::string> clashing;
    for (const auto& source : out_.sources)
      if (shared(source.experiment)) clashing.insert(source.experiment);
    for (auto& source : out_.sources)
      if (clashing.contains(source.experiment)) source.experiment += ", " + folder_name(source.folder);
    std::map<std::string, int> count;
    for (auto& source : out_.sources)
      if (const int number = ++count[source.experiment]; number > 1) source.experiment += fmt::format(" #{}", number);
  }
  // Of those that clash, the experiment's name is appended.
  void tell_apart(std::string_view path, const std::set<std::string>& clashing) {
    for (std::size_t i = 0; i < out_.rows.size(); ++i)
      if (const std::string name = text_field(out_.rows[i], path); clashing.contains(name))
        out_.rows[i].set(path, name + " (" + out_.sources[out_.source_of[i]].experiment + ")");
  }

  // Of which the data differ, or of one repeat what or how much is held out. Where the seed alone does, it is a further
  // repeat.
  std::set<std::string> clashing_datasets() {
    std::set<std::string> out;
    std::map<std::string, const Row*> first;
    for (Row& row : out_.rows) {
      if (!row.ended_well()) continue;
      const auto differs = [&](const char* part, const std::string& from) {
        return contains(differing_parts(*first.try_emplace(from, &row).first->second, row), part);
      };
      if (differs("the data", row.dataset.id) || differs("the answers held out", repetition_of(row)))
        out.insert(row.dataset.id);
      else if (differs("the seed", repetition_of(row)))
        row.set("repeat", fmt::format("{} of seed {}", row.repeat, row.seed));
    }
    return out;
  }

  // Of other options in another folder, or with the same repetition there.
  [[nodiscard]] std::set<std::string> clashing_methods() const {
    std::set<std::string> out;
    std::map<std::string, std::map<std::size_t, std::set<std::string>>> meanings;  // by folder
    std::map<std::string, std::size_t> folder_of;
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      const Row& row = out_.rows[i];
      const std::string& method = row.method;
      if (row.termination != "not_started") meanings[method][out_.source_of[i]].insert(meaning_of(row));
      if (row.ended_well() &&
          folder_of.try_emplace(method + "\n" + repetition_of(row), out_.source_of[i]).first->second !=
              out_.source_of[i])
        out.insert(method);
    }
    for (const auto& [method, of] : meanings)
      if (std::ranges::any_of(of, [&](const auto& m) { return m.second != of.begin()->second; })) out.insert(method);
    return out;
  }

  void add_labels(const LabelColumns& labels) {
    std::size_t described = 0;
    for (ReportModel::ObjectList& list : out_.object_lists) {
      std::vector<ReportModel::Column> columns;
      for (std::size_t c = 0; c < labels.names.size(); ++c) {
        ReportModel::Column column{labels.names[c], {}};
        bool any = false;
        for (const std::string& name : list.names) {
          const auto place = labels.places.find(name);
          const bool there = place != labels.places.end();
          column.values.push_back(there ? labels.values[c][place->second] : "");
          any = any || !column.values.back().empty();
          if (c == 0 && there) ++described;
        }
        if (any) columns.push_back(std::move(column));
      }
      list.columns = std::move(columns);
    }
    require<DataError>(described > 0 || out_.object_lists.empty(), words::kLabelsOfNoObject, options_.labels->string());
  }

  void add_pictures(const fs::path& folder) {
    report::ObjectPictures pictures(folder);
    std::size_t with = 0, all = 0;
    for (ReportModel::ObjectList& list : out_.object_lists) {
      std::vector<std::string> images = pictures.of(list.names);
      const auto count = list.names.size() - static_cast<std::size_t>(std::ranges::count(images, std::string()));
      with += count;
      all += list.names.size();
      if (count > 0) list.pictures = std::move(images);
    }
    require<DataError>(with > 0 || all == 0, words::kPicturesOfNoObject, folder.string(),
                       all == 0 ? "" : out_.object_lists.front().names.front());
    if (with < all) add_note(out_, words::kNoPictures, all - with, all, folder.string());
  }

  void gather_maps() {
    std::size_t used = 0;
    std::size_t left_out = 0;
    const auto repetition = [&](std::size_t i) {
      return std::pair(out_.rows[i].repeat, out_.rows[i].fold.value_or(0));
    };
    std::vector<std::size_t> numbers;  // of each map within its row
    for (const std::size_t i : order_by(out_.rows.size(), repetition)) {
      const ResultRow::Files& named = out_.rows[i].named_files();
      const auto files = listed(named.embedding), aspects = listed(named.aspects);
      const auto apart = out_.rows[i].apart.value_or(std::vector<ResultRow::Apart>());
      for (std::size_t m = 0; m < files.size(); ++m) {
        if (used >= options_.coordinate_bytes) {
          ++left_out;
          continue;
        }
        noting([&] {
          const fs::path path = named_file(i, files[m]);
          const std::size_t before = out_.maps.size();
          add_map(i, m < aspects.size() ? aspects[m] : "", with_heldout(i, parse_map_csv(text_of(path), path.string())),
                  used, left_out);
          if (out_.maps.size() == before) return;
          numbers.push_back(m);
          ReportModel::MapView& view = out_.maps.back();
          if (m < apart.size()) view.apart = unreliable_objects(apart[m], out_.object_lists[view.objects].names.size());
        });
      }
    }
    for (std::size_t k = 0; k < numbers.size(); ++k)
      noting([&] {
        add_ellipses(out_.maps[k], numbers[k], used);
        out_.maps[k].uncertain = uncertain_objects(out_.maps[k]);
        add_violated(out_.maps[k], numbers[k]);
      });
    if (left_out > 0) add_note(out_, words::kLaterRepeats, counted(left_out, "map"));
    std::ranges::stable_sort(out_.maps, {}, &ReportModel::MapView::row);
    turn_maps();
  }

  // Onto the first map of the data set, or of the same objects.
  void turn_maps() {
    std::vector<const ReportModel::MapView*> first;
    const auto dataset = [&](const ReportModel::MapView& view) { return out_.rows[view.row].dataset.id; };
    const auto same_objects = [&](const ReportModel::MapView& one, const ReportModel::MapView& other) {
      const auto &a = out_.object_lists[one.objects].names, &b = out_.object_lists[other.objects].names;
      const std::size_t both = places_in_both(a, b).size();
      return both >= kTurnedBy && both == std::min(a.size(), b.size());
    };
    for (ReportModel::MapView& view : out_.maps) {
      if (view.dimensions != 2 && view.dimensions != 3) continue;
      const auto onto = std::ranges::find_if(first, [&](const ReportModel::MapView* other) {
        return other->dimensions == view.dimensions &&
               (dataset(*other) == dataset(view) || other->objects == view.objects || same_objects(*other, view));
      });
      if (onto == first.end())
        first.push_back(&view);
      else
        view.turn = turn_onto(view, **onto);
    }
  }

  // By the objects that both maps place.
  [[nodiscard]] std::vector<double> turn_onto(const ReportModel::MapView& view,
                                              const ReportModel::MapView& onto) const {
    using Columns = Eigen::Map<const Eigen::MatrixXf>;
    const auto places_of = [](const ReportModel::MapView& map) {
      const auto d = static_cast<Index>(map.dimensions);
      return Columns(map.coordinates.data(), std::ssize(map.coordinates) / d, d);
    };
    const Columns from = places_of(view), to = places_of(onto);
    std::vector<Index> here, there;
    for (const auto& [i, j] :
         places_in_both(out_.object_lists[view.objects].names, out_.object_lists[onto.objects].names))
      if (from.row(i).allFinite() && to.row(j).allFinite()) here.push_back(i), there.push_back(j);
    if (here.empty()) return {};
    const auto centred = [](const Columns& columns, const std::vector<Index>& rows) -> Matrix {
      const Matrix places = columns(rows, Eigen::all).cast<double>();
      return places.rowwise() - places.colwise().mean();
    };
    const Eigen::MatrixXd rotation = metrics::best_turn(centred(from, here), centred(to, there)).rotation;
    return {rotation.data(), rotation.data() + rotation.size()};  // its columns are the rows of the turn
  }

  static std::vector<std::string> listed(const ResultRow::Texts& files) {
    return files.value_or(std::vector<std::string>());
  }

  // Unreliable objects of a map.
  static std::vector<std::size_t> unreliable_objects(const ResultRow::Apart& apart, std::size_t objects) {
    std::set<std::size_t> out;
    for (const auto& list : {apart.far, apart.unknown})
      for (const std::int64_t i : list)
        if (i >= 0 && static_cast<std::size_t>(i) < objects) out.insert(static_cast<std::size_t>(i));
    if (2 * out.size() >= objects) out.clear();
    return {out.begin(), out.end()};
  }

  // The map with the held-out objects that its run placed on it, marked by their label.
  [[nodiscard]] MapTable with_heldout(std::size_t row, MapTable map) const {
    const auto path = out_.inside(row, out_.rows[row].named_files().heldout.value_or(""));
    if (!path) return map;
    MapTable added = parse_map_csv(text_of(*path), path->string());
    require<DataError>(added.columns.size() == map.columns.size(), words::kHeldOutDimensions, path->string(),
                       map.columns.size(), added.columns.size());
    const auto named = [](std::vector<std::string>& labels, const std::string& word) {
      for (std::string& label : labels) label += label.empty() ? word : ", " + word;
    };
    if (std::ranges::all_of(map.labels, [](const std::string& label) { return label.empty(); }))
      named(map.labels, "training");
    named(added.labels, "held out");
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(map.objects, added.objects);
    append(map.labels, added.labels);
    for (std::size_t c = 0; c < map.columns.size(); ++c) append(map.columns[c], added.columns[c]);
    return map;
  }

  void add_map(std::size_t row, const std::string& aspect, MapTable map, std::size_t& used, std::size_t& left_out) {
    if (map.objects.empty()) return;
    if (map.columns.size() > kMaxMapColumns) map.columns.resize(kMaxMapColumns);
    const std::size_t bytes = map.objects.size() * map.columns.size() * sizeof(float);
    if (used + bytes > options_.coordinate_bytes) {
      ++left_out;
      return;
    }
    used += bytes;
    ReportModel::MapView view;
    view.row = row;
    view.aspect = aspect;
    view.dimensions = map.columns.size();
    for (const auto& column : map.columns)
      std::ranges::transform(column, std::back_inserter(view.coordinates), finite_or_nan);
    for (std::size_t i = 0; i < map.objects.size(); ++i)
      view.unplaced +=
          std::ranges::any_of(map.columns, [&](const auto& column) { return std::isnan(finite_or_nan(column[i])); });
    const auto position = std::ranges::find_if(out_.object_lists, [&](const ReportModel::ObjectList& list) {
      return list.names == map.objects && list.labels == map.labels;
    });
    view.objects = static_cast<std::size_t>(position - out_.object_lists.begin());
    if (position == out_.object_lists.end())
      out_.object_lists.push_back({std::move(map.objects), std::move(map.labels), {}});
    out_.maps.push_back(std::move(view));
  }

  // Ellipses of the row's map number m, if they exist and can be drawn; maps come before ellipses.
  void add_ellipses(ReportModel::MapView& view, std::size_t m, std::size_t& used) {
    const auto files = listed(out_.rows[view.row].named_files().ellipses);
    if (m >= files.size()) return;
    view.regions_hold = regions_hold(out_.rows[view.row]);
    const fs::path path = named_file(view.row, files[m]);
    const auto& names = out_.object_lists[view.objects].names;
    const auto same_objects = [&](const std::vector<std::string>& objects) {
      require<DataError>(objects == names, words::kEllipsesOfOtherMap, path.string());
    };
    const std::size_t bytes = (view.dimensions == 2 ? 3 : 1) * names.size() * sizeof(float);
    if (used + bytes > options_.coordinate_bytes) {
      if (!told_) out_.notes.emplace_back(words::kEllipsesLeftOut);
      told_ = true;
      return;
    }
    if (view.dimensions == 2) {
      CovarianceTable table = parse_ellipses_csv(text_of(path), path.string());
      same_objects(table.objects);
      for (const auto& column : table.columns)
        view.covariances.insert(view.covariances.end(), column.begin(), column.end());
    } else {
      SpreadTable table = parse_spreads_csv(text_of(path), path.string());
      same_objects(table.objects);
      view.spreads = std::move(table.spreads);
    }
    used += bytes;
  }

  // The violated triplets of the row's map number m, if their file exists.
  void add_violated(ReportModel::MapView& view, std::size_t m) {
    const auto files = listed(out_.rows[view.row].named_files().violated);
    if (m >= files.size()) return;
    const fs::path path = named_file(view.row, files[m]);
    view.violated = parse_violated_csv(read_bytes(path), path.string(), out_.object_lists[view.objects].names);
  }

  // Objects whose 95 % region of a normal distribution reaches farther than half the longer side of the map.
  static std::vector<std::size_t> uncertain_objects(const ReportModel::MapView& view) {
    constexpr double kQuantileOfTwo = 5.991, kQuantileOfThree = 7.815;  // of chi squared, for 95 %
    const std::size_t n = view.dimensions == 0 ? 0 : view.coordinates.size() / view.dimensions;
    double side = 0;
    for (std::size_t c = 0; c < view.dimensions; ++c) {
      float low = std::numeric_limits<float>::infinity(), high = -low;
      for (std::size_t i = 0; i < n; ++i)
        if (const float x = view.coordinates[c * n + i]; !std::isnan(x) && !std::ranges::binary_search(view.apart, i)) {
          low = std::min(low, x);
          high = std::max(high, x);
        }
      if (low < high) side = std::max(side, static_cast<double>(high) - low);
    }
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < n && side > 0; ++i) {
      double reach = 0;
      if (view.covariances.size() == 3 * n) {
        const double xx = view.covariances[i], xy = view.covariances[n + i], yy = view.covariances[2 * n + i];
        const double largest = (xx + yy) / 2 + std::hypot((xx - yy) / 2, xy);
        reach = std::sqrt(kQuantileOfTwo * largest);
      } else if (view.spreads.size() == n) {
        reach = std::sqrt(kQuantileOfThree) * view.spreads[i];
      }
      if (reach > side / 2) out.push_back(i);
    }
    return out;
  }

  void gather_traces() {
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      const std::string file = out_.rows[i].named_files().trace.value_or("");
      if (file.empty()) continue;
      const auto path = out_.inside(i, file);
      noting([&] {
        const auto text = path ? content_if_there(*path) : std::nullopt;
        if (!text) {
          out_.notes.push_back("Cannot read the trace " + file + ".");
          return;
        }
        const Value value = parse_json(*text, file);
        const ValueTable* columns = value.get_if<ValueTable>();
        require<DataError>(columns != nullptr, "{}: Expected the columns of a trace.", file);
        if (const auto used = last_number(*columns, "rows")) out_.rows[i].set("constraints_used", *used);
        ValueTable kept = out_.rows[i].has_several_starts() ? ends_of(out_.rows[i], *columns) : thinned(*columns);
        if (!kept.empty()) out_.traces.push_back({i, std::move(kept)});
      });
    }
  }

  // The start and the end of a run of several starts: the trace of its best start does not tell when that start began.
  static ValueTable ends_of(const Row& row, const ValueTable& columns) {
    ValueTable out;
    for (const auto& [name, value] : columns) {
      const ValueArray* column = value.get_if<ValueArray>();
      if (!column || column->empty() || name == "gradient_norm" || is_spent(name)) continue;
      out.set(name, ValueArray{Value(), rounded(column->back())});
    }
    const auto set_ends = [&](const char* name, const Value& first, const char* last) {
      if (const auto end = number_field(row, last); end && out.find(name)) out.set(name, ValueArray{first, *end});
    };
    set_ends("iteration", 0.0, "counts.iterations");
    set_ends("seconds", 0.0, "seconds.solve");
    set_ends("objective", FieldCodec<ResultRow::Real>::write(row.initial_objective), "objective");
    return out;
  }

  // The last number of a column of a trace.
  static std::optional<double> last_number(const ValueTable& columns, std::string_view name) {
    const ValueArray& column = list_field(columns, name);
    return column.empty() ? std::nullopt : column.back().number();
  }

  void gather_convergence() {
    BestKnownValues best("objective", false);
    best.learn(out_.rows);
    for (const Row& row : out_.rows) {
      const BestKnown* best_known = best.find(row);
      out_.best_known.push_back(best_known ? std::optional(best_known->value) : std::nullopt);
    }
    out_.seconds_to_target.resize(out_.rows.size());
    if (out_.traces.empty()) return;
    for (std::size_t s = 0; s < out_.sources.size(); ++s) {
      std::vector<Row> rows;
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < out_.rows.size(); ++i)
        if (out_.source_of[i] == s && out_.rows[i].initial_objective) {
          rows.push_back(out_.rows[i]);
          places.push_back(i);
        }
      const auto no_times = [&](const std::exception& error) {
        out_.notes.push_back(std::string("No times to targets: ") + error.what());
      };
      try {
        for (std::size_t k = 0; k < ReportModel::kTargets.size(); ++k) {
          std::vector<std::string> told;  // discarded: the page would repeat them for every target
          const Target target{ReportModel::kTargets[k], GapUnit::start};
          const auto with = with_costs_to_target(out_.sources[s].folder, rows, best,
                                                 {"objective", false, Cost::seconds}, target, told);
          for (std::size_t i = 0; i < with.size(); ++i)
            out_.seconds_to_target[places[i]][k] = number_field(with[i], kCostToTarget);
        }
      } catch (const UnreadFile&) {  // the page would lack what is there
        throw;
      } catch (const DataError& error) {
        no_times(error);
      } catch (const ConfigError& error) {
        no_times(error);
      }
    }
  }

  static bool is_spent(std::string_view column) { return std::ranges::find(kSpentNames, column) != kSpentNames.end(); }
  // Columns of equal length, with at most kMaxTracePoints rows: evenly spaced ones, and all with a measured metric (the
  // gradient norm is not one).
  static ValueTable thinned(const ValueTable& columns) {
    std::size_t length = 0;
    for (const auto& [name, value] : columns)
      if (const ValueArray* column = value.get_if<ValueArray>()) length = std::max(length, column->size());
    std::vector<std::size_t> kept;
    const std::size_t stride = (length + kMaxTracePoints - 1) / kMaxTracePoints;
    for (std::size_t i = 0; i < length; ++i) {
      const bool measured = std::ranges::any_of(columns, [&](const auto& entry) {
        const ValueArray* column = entry.second.template get_if<ValueArray>();
        return column && i < column->size() && !(*column)[i].is_null() && entry.first != "iteration" &&
               entry.first != "seconds" && entry.first != "objective" && entry.first != "gradient_norm" &&
               !is_spent(entry.first);
      });
      if (measured || i % stride == 0 || i + 1 == length) kept.push_back(i);
    }
    ValueTable out;
    for (const auto& [name, value] : columns) {
      const ValueArray* column = value.get_if<ValueArray>();
      if (!column || name == "gradient_norm" || is_spent(name)) continue;
      ValueArray thin;
      for (const std::size_t i : kept) {
        thin.emplace_back();
        if (i < column->size()) thin.back() = rounded((*column)[i]);
      }
      out.set(name, std::move(thin));
    }
    return length == 0 ? ValueTable{} : out;
  }
  // A screen shows fewer than seven digits.
  static Value rounded(const Value& value) {
    const double* number = value.get_if<double>();
    if (!number || !std::isfinite(*number)) return value;
    return parse_double(fmt::format("{:.7g}", *number)).value_or(*number);
  }

  const ReportOptions& options_;
  std::set<std::string> all_methods_;  // of the folders, if only some are shown
  std::set<std::string> seen_;         // run_id
  bool told_ = false;                  // whether a note says that ellipses were left out
  ReportModel out_;
};

}  // namespace

std::size_t ReportModel::count_of(RunStatus status) const {
  const auto entry = status_count.find(status);
  return entry == status_count.end() ? 0 : entry->second;
}

bool ReportModel::certified() const {
  bool any = false;
  for (const Row& row : rows) {
    if (!row.ended_well()) continue;
    if (!row.certificate || !row.certificate->gap || row.metric("heldout_error")) return false;
    any = true;
  }
  return any;
}

std::string ReportModel::experiment() const { return join(mapped(sources, &Source::experiment), ", "); }

std::optional<fs::path> ReportModel::inside(std::size_t row, const std::string& name) const {
  return alidade::inside(sources[source_of[row]].folder, name);
}

ReportModel gather_report(std::span<const fs::path> results_folders, const ReportOptions& options) {
  return Gathering(results_folders, options).take();
}

}  // namespace alidade
