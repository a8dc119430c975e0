// The folder in which a command of the user's makes a map: the evidence as files for it, and the files that it leaves.
// experiments/external/README.md lists the files. Numbers are .npy arrays, names are text, all else is JSON.
// Held-out answers, labels and known places are never written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/files/folder.hpp"
#include "problems/core/types.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// What a command is asked.
struct ExternalTask {
  std::vector<std::string> command;  // the program and its arguments; files relative to the folder of this process
  std::vector<std::string> needs;    // of kNeeds: which evidence to write
  Index n_components = 2;
  ValueTable options{};  // the program's own
  Observations evidence{};

  static constexpr const char* kAspects = "aspects";  // of kNeeds: as triplets, with one map for each aspect
  [[nodiscard]] bool has(std::string_view need) const;
  /// Names of the maps asked for: of the aspects, or one without a name.
  [[nodiscard]] std::vector<std::string> maps() const;
};

/// What `needs` may hold, with the evidence that a data set must offer for it.
inline constexpr std::array<std::pair<std::string_view, ObservationKind>, 5> kNeeds = {
    {{"triplets", ObservationKind::triplets},
     {ExternalTask::kAspects, ObservationKind::triplets},
     {"features", ObservationKind::features},
     {"distances", ObservationKind::distances},
     {"pairs", ObservationKind::pair_signs}}};

/// An empty folder of one command, removed with its content at the end; of a killed process, by the next one here.
/// With ALIDADE_KEEP_TASKS in the environment it stays.
class TaskFolder {
 public:
  /// @throws DataError if none can be made
  TaskFolder();
  ~TaskFolder();
  TaskFolder(const TaskFolder&) = delete;
  TaskFolder& operator=(const TaskFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool stays() const;

 private:
  std::filesystem::path path_;
  FolderLock lock_;
};

/// What a command may use.
struct TaskLimits {
  std::uint32_t seed = 0;  // below 2^31, as R and NumPy take it
  int threads = 1;
  std::optional<double> seconds{};
};

/// Such folders do not outlive a crash of the machine, so nothing is synced. @throws DataError if the disk is full
void write_task_file(const std::filesystem::path& file, std::string_view text);

/// Writes task.json and the files that it names. @throws DataError if the disk is full
void write_task(const std::filesystem::path& folder, const ExternalTask& task, const TaskLimits& limits);

/// One line of trace.csv.
struct ReportedIterate {
  double seconds = 0, objective = 0;  // NaN unknown
  std::vector<Matrix> maps{};         // none: not written
};

/// What a command says of its result, all of it optional.
struct ReportedResult {
  std::string status, message, version;
  double objective = 0, seconds = 0;  // NaN: not said
  Index iterations = 0;
  std::vector<std::pair<std::string, double>> figures{};  // other numbers of result.json
};

/// The maps, as many as `task` asks for, of embedding.npy. @throws DataError, a sentence, if there is no such file, the
/// shape is another, or a coordinate is not finite
[[nodiscard]] std::vector<Matrix> read_maps(const std::filesystem::path& file, const ExternalTask& task);
/// result.json, or nothing where there is none. @throws DataError
[[nodiscard]] ReportedResult read_result(const std::filesystem::path& folder);
/// trace.csv, with columns time, objective and, if maps are to be measured, map: the name of an .npy file. @throws
/// DataError
[[nodiscard]] std::vector<ReportedIterate> read_trace(const std::filesystem::path& folder, const ExternalTask& task);

}  // namespace alidade
