#include "experiments/external/task_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <system_error>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/npy_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefixOfTasks = "alidade-task-";
constexpr double kNotSaid = std::numeric_limits<double>::quiet_NaN();

/// Folders that killed processes left behind. What is younger may not be locked yet.
void remove_left_tasks(const fs::path& among) {
  constexpr std::chrono::minutes kYoung{1};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(among, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefixOfTasks)) continue;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (age > kYoung && !FolderLock::is_held(entry.path())) fs::remove_all(entry.path(), ignored);
  }
}

void require_written(std::ofstream& out, const fs::path& file) {
  require<DataError>(out.flush().good(), "Cannot write {}. Free some disk space, or set TMPDIR to another folder.",
                     file.string());
}

/// An .npy file that is written row by row.
template <class Number>
class NpyFile {
 public:
  /// `code` and `columns` as of npy_header().
  NpyFile(fs::path path, std::string_view code, std::uint64_t rows, Index columns)
      : path_(std::move(path)), out_(path_, std::ios::binary) {
    out_ << npy_header(code, rows, columns);
  }
  void write(const Number* numbers, Index count) {
    out_.write(reinterpret_cast<const char*>(numbers), static_cast<std::streamsize>(sizeof(Number)) * count);
  }
  void write(std::initializer_list<Number> numbers) { write(numbers.begin(), static_cast<Index>(numbers.size())); }
  void close() { require_written(out_, path_); }

 private:
  fs::path path_;
  std::ofstream out_;
};

template <class Matrix>
void write_matrix(const fs::path& file, std::string_view code, const Matrix& m) {
  NpyFile<typename Matrix::Scalar> out(file, code, static_cast<std::uint64_t>(m.rows()), m.cols());
  out.write(m.data(), m.size());
  out.close();
}

void write_triplets(const fs::path& folder, const TripletSource& source, bool with_aspects) {
  const std::uint64_t count = source.size();
  NpyFile<std::int32_t> triplets(folder / "triplets.npy", "i4", count, 3);
  std::optional<NpyFile<std::int32_t>> aspects;
  std::optional<NpyFile<double>> weights;
  if (with_aspects) aspects.emplace(folder / "aspect.npy", "i4", count, 0);
  if (source.weighted()) weights.emplace(folder / "weights.npy", "f8", count, 0);
  for (std::uint64_t u = 0; u < count; ++u) {
    const Triplet t = source.at(u);
    triplets.write(
        {static_cast<std::int32_t>(t.anchor), static_cast<std::int32_t>(t.near), static_cast<std::int32_t>(t.far)});
    if (aspects) aspects->write({static_cast<std::int32_t>(t.aspect)});
    if (weights) weights->write({t.weight});
  }
  triplets.close();
  if (aspects) aspects->close();
  if (weights) weights->close();
}

/// In units of the data, which their frame says.
void write_features(const fs::path& file, const Observations& evidence) {
  if (!evidence.precise_features && evidence.frame.is_identity()) return write_matrix(file, "f4", *evidence.features);
  Matrix values = evidence.precise_features ? *evidence.precise_features : Matrix(evidence.features->cast<double>());
  for (Index c = 0; c < values.cols(); ++c)
    for (double& value : values.col(c)) value = evidence.frame.of_data(value, c);
  write_matrix(file, "f8", values);
}

void write_distances(const fs::path& folder, const Observations& evidence) {
  const Index n = evidence.object_count();
  if (!evidence.features) {
    const auto& [name, values, weights] = evidence.dissimilarities.front();
    const Matrix of_data = evidence.dissimilarity_unit * values;
    write_matrix(folder / "distances.npy", "f8",
                 weights.size() == 0 ? of_data : Matrix((weights.array() > 0).select(of_data.array(), kNotSaid)));
    return;
  }
  NpyFile<double> out(folder / "distances.npy", "f8", static_cast<std::uint64_t>(n), n);
  DissimilarityRows(evidence, "command").for_each(0, n, [&](Index, std::span<const double> squares) {
    for (const double square : squares) out.write({evidence.frame.unit * std::sqrt(square)});
  });
  out.close();
}

void write_pairs(const fs::path& folder, const PairSigns& signs) {
  std::vector<std::int32_t> rows;
  const auto add = [&](Index i, std::span<const ObjectId> partners, std::int32_t sign) {
    for (const ObjectId j : partners)
      rows.insert(rows.end(), {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), sign});
  };
  for (Index i = 0; i < signs.object_count(); ++i) {
    add(i, signs.similar(i), 1);
    add(i, signs.listed_dissimilar(i), -1);
  }
  NpyFile<std::int32_t> out(folder / "pairs.npy", "i4", rows.size() / 3, 3);
  out.write(rows.data(), static_cast<Index>(rows.size()));
  out.close();
}

/// The single values as R's read.dcf reads them, and shells.
void write_fields(const fs::path& file, const ValueTable& task) {
  std::string text;
  const auto add = [&](const std::string& name, const Value& value) {
    const auto* words = value.get_if<std::string>();
    if (!value.is_null() && !value.get_if<ValueArray>() && !value.get_if<ValueTable>())
      text += fmt::format("{}: {}\n", name, words ? printable(*words) : value.to_text());
  };
  for (const auto& [name, value] : task) add(name, value);
  for (const auto& [name, value] : *task.find("options")->get_if<ValueTable>()) add("option." + name, value);
  write_task_file(file, text);
}

/// The bytes of a file that the command may have left; nothing where there is none. @throws DataError if it is longer
/// than it may be, or no plain file
std::optional<std::string> left_file(const fs::path& file, std::size_t most_bytes) {
  if (!is_there_or_link(file)) return std::nullopt;
  auto content = is_file_itself(file) ? file_content(file, most_bytes + 1) : std::nullopt;
  require<DataError>(content.has_value(), "{} is not a plain file that can be read.", file.filename().string());
  require<DataError>(content->size() <= most_bytes, "{} has more than the {} bytes that were expected.",
                     file.filename().string(), most_bytes);
  return content;
}

}  // namespace

bool ExternalTask::has(std::string_view need) const { return std::ranges::find(needs, need) != needs.end(); }

std::vector<std::string> ExternalTask::maps() const {
  if (!has(kAspects)) return {""};
  std::vector<std::string> out = evidence.aspects;
  for (auto t = static_cast<Index>(out.size()); t < evidence.triplets->aspect_count(); ++t)
    out.push_back(fmt::format("aspect {}", t + 1));
  return out;
}

TaskFolder::TaskFolder() {
  const fs::path among = fs::temp_directory_path();
  remove_left_tasks(among);
  std::string name = (among / kPrefixOfTasks).string() + "XXXXXX";
  require<DataError>(::mkdtemp(name.data()) != nullptr, "Cannot make a folder in {}. Set TMPDIR to another one.",
                     among.string());
  path_ = name;
  lock_ = FolderLock(path_);
}

TaskFolder::~TaskFolder() {
  std::error_code ignored;
  if (!stays()) fs::remove_all(path_, ignored);
}

void write_task_file(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  require_written(out, file);
}

bool TaskFolder::stays() const { return std::getenv("ALIDADE_KEEP_TASKS") != nullptr; }

void write_task(const fs::path& folder, const ExternalTask& task, const TaskLimits& limits) {
  const Observations& evidence = task.evidence;
  ValueTable files;
  const auto name = [&](const char* file) { files.set(file, fmt::format("{}.npy", file)); };
  if (task.has("triplets") || task.has(task.kAspects)) {
    write_triplets(folder, *evidence.triplets, task.has(task.kAspects));
    name("triplets");
    if (task.has(task.kAspects)) name("aspect");
    if (evidence.triplets->weighted()) name("weights");
  }
  if (task.has("features")) {
    write_features(folder / "features.npy", evidence);
    name("features");
  }
  if (task.has("distances")) {
    write_distances(folder, evidence);
    name("distances");
  }
  ValueTable out;
  out.set("format", 1);
  if (task.has("pairs")) {
    write_pairs(folder, *evidence.pair_signs);
    name("pairs");
    out.set("other_pairs", evidence.pair_signs->others() == PairSigns::Others::unknown ? "unknown" : "dissimilar");
  }
  std::string names;
  for (const std::string& one : evidence.objects) names += printable(one) + "\n";
  write_task_file(folder / "objects.txt", names);
  files.set("objects", "objects.txt");
  const std::vector<std::string> aspects = task.has(task.kAspects) ? task.maps() : std::vector<std::string>();
  out.set("needs", ValueArray(task.needs.begin(), task.needs.end()));
  out.set("n", static_cast<std::int64_t>(evidence.object_count()));
  out.set("d", static_cast<std::int64_t>(task.n_components));
  out.set("aspects", ValueArray(aspects.begin(), aspects.end()));
  out.set("seed", static_cast<std::int64_t>(limits.seed));
  out.set("threads", limits.threads);
  out.set("time_limit", limits.seconds ? Value(*limits.seconds) : Value());
  out.set("options", task.options);
  out.set("files", std::move(files));
  write_task_file(folder / "task.json", to_pretty_json(out));
  write_fields(folder / "task.dcf", out);
  for (const char* helper : {"alidade_task.py", "alidade_task.R"})
    write_task_file(folder / helper, embedded_text(helper));
}

std::vector<Matrix> read_maps(const fs::path& file, const ExternalTask& task) {
  const std::string name = file.filename().string();
  const auto n = task.evidence.object_count();
  const std::size_t count = task.maps().size();
  constexpr std::size_t kHeader = 1 << 16;
  const auto numbers = static_cast<std::size_t>(n * task.n_components) * count;
  const auto bytes = left_file(file, numbers * sizeof(double) + kHeader);
  require<DataError>(bytes.has_value(), "it left no {}", name);
  std::vector<Matrix> maps = parse_npy_matrices(*bytes, name);
  const Matrix& first = maps.front();
  const auto shape = [](std::size_t of_maps, Index rows, Index columns) {
    return of_maps == 1 ? fmt::format("{} x {}", rows, columns) : fmt::format("{} x {} x {}", of_maps, rows, columns);
  };
  require<DataError>(first.rows() == n && first.cols() == task.n_components && maps.size() == count,
                     "{} is {}, but task.json asks for {}", name, shape(maps.size(), first.rows(), first.cols()),
                     shape(count, n, task.n_components));
  const auto bad = std::ranges::count_if(maps, [](const Matrix& map) { return !map.allFinite(); });
  require<DataError>(bad == 0, "{} holds NaN or infinite coordinates", name);
  return maps;
}

ReportedResult read_result(const fs::path& folder) {
  constexpr std::size_t kMostBytes = 1 << 20;
  ReportedResult out;
  out.objective = out.seconds = kNotSaid;
  const auto text = left_file(folder / "result.json", kMostBytes);
  if (!text) return out;
  const Value value = parse_json(*text, "result.json");
  const auto* table = value.get_if<ValueTable>();
  require<DataError>(table != nullptr, "result.json is no table of names and values");
  for (const auto& [key, one] : *table) {
    const auto* words = one.get_if<std::string>();
    const auto number = one.number();
    if (words && key == "status")
      out.status = printable(*words);
    else if (words && key == "message")
      out.message = printable(*words);
    else if (words && key == "version")
      out.version = printable(*words);
    else if (number && key == "objective")
      out.objective = *number;
    else if (number && key == "seconds")
      out.seconds = *number;
    else if (number && key == "iterations" && *number >= 0 && *number < 1e15)
      out.iterations = static_cast<Index>(*number);
    else if (number)
      out.figures.emplace_back(printable(key), *number);
  }
  return out;
}

std::vector<ReportedIterate> read_trace(const fs::path& folder, const ExternalTask& task) {
  constexpr std::size_t kMostBytes = 1 << 26;
  const auto text = left_file(folder / "trace.csv", kMostBytes);
  std::vector<ReportedIterate> out;
  if (!text) return out;
  RowReader reader(*text, "trace.csv", ',');
  if (!reader.next()) return out;
  const auto time = find_column(reader.fields(), "time", reader.place()),
             objective = find_column(reader.fields(), "objective", reader.place()),
             map = find_column(reader.fields(), "map", reader.place());
  require<DataError>(time.has_value(), "trace.csv has no column 'time'");
  while (reader.next()) {
    const auto fields = reader.fields();
    const auto number = [&](const std::optional<std::size_t>& column) {
      return column && *column < fields.size() ? parse_double(fields[*column]).value_or(kNotSaid) : kNotSaid;
    };
    ReportedIterate& one = out.emplace_back(ReportedIterate{number(time), number(objective)});
    require<DataError>(std::isfinite(one.seconds) && one.seconds >= 0 &&
                           (out.size() == 1 || one.seconds >= out[out.size() - 2].seconds),
                       "{}: the time must be a number of seconds that does not fall", reader.place());
    if (!map || *map >= fields.size() || fields[*map].empty()) continue;
    const fs::path file(fields[*map]);
    require<DataError>(file == file.filename() && file.has_filename(), "{}: the map must be a file of this folder",
                       reader.place());
    one.maps = read_maps(folder / file, task);
  }
  return out;
}

}  // namespace alidade
