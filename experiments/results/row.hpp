// A row: what one run was, how it ended and what it measured; one line of runs.jsonl.
// The list of fields in row.cpp serves writing and reading; what they mean stands in experiments/guide/row.md.
// A field that a run may lack has no default: it is written as null, or left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/results/field_list.hpp"

namespace alidade {

/// The row format of this program; it refuses later ones.
constexpr int kRowSchema = 1;

enum class RunStatus { failed, ok, skipped, cancelled };
[[nodiscard]] std::string_view to_string(RunStatus status);
/// Unknown text is `failed`.
[[nodiscard]] RunStatus run_status(std::string_view text);

template <>
struct FieldCodec<RunStatus> : WholeValue {
  static Value write(RunStatus v) { return std::string(to_string(v)); }
  static bool read(const Value& value, RunStatus& out) {
    const auto* text = value.get_if<std::string>();
    if (text) out = run_status(*text);
    return text != nullptr;
  }
};

struct ResultRow {
  template <class T>
  using Named = std::vector<std::pair<std::string, T>>;
  using Whole = std::optional<std::int64_t>;
  using Real = std::optional<double>;
  using Text = std::optional<std::string>;
  using Texts = std::optional<std::vector<std::string>>;

  struct Dataset {
    std::string id, name;
    ValueTable options;
    Text content{};  // digest of what its files hold
    static const FieldList<Dataset>& fields();
  };
  /// A problem or a solver.
  struct Part {
    std::string name;
    ValueTable options;
    static const FieldList<Part>& fields();
  };
  struct Input {
    Part problem, solver;
    static const FieldList<Input>& fields();
  };
  struct Violations {
    std::int64_t count = 0;
    double max = 0, sum = 0;
    static const FieldList<Violations>& fields();
  };
  struct Bound {
    Real lower_bound, upper_bound, gap;
    static const FieldList<Bound>& fields();
  };
  struct Seconds {
    Real load, choose, input, build, solve, observe, measure, refit, total, cpu, command_cpu, command_own;
    static const FieldList<Seconds>& fields();
  };
  struct Uncertainty {
    std::string source = "bootstrap";
    std::int64_t asked = 0, replicates = 0;
    Text resampled;
    Whole units;
    Real stability, typical_shift, misfit_p;
    Text message;
    double seconds = 0;
    static const FieldList<Uncertainty>& fields();
    /// Whether held-out answers contradict the map's probabilities, so that ellipses do not cover the error of the
    /// loss. 1 %: at 5 %, maps of twenty answers an object are too often taken for wrong.
    [[nodiscard]] bool misfits() const { return misfit_p && *misfit_p < 0.01; }
  };
  struct HeldOut {
    Real error, low, high;
    std::string unit;
    Whole independent;
    Real effective;
    std::string method;
    Whole more_to_halve;
    static const FieldList<HeldOut>& fields();
  };
  /// How little any map can err, from repeated questions (metrics/noise_ceiling.hpp).
  struct Ceiling {
    std::int64_t questions = 0, answers = 0;
    double disagreement = 0, error = 0, low = 0, high = 0, lowest = 0, highest = 0;
    static const FieldList<Ceiling>& fields();
  };
  struct Refit {
    bool written = false;
    Whole triplets;
    Text termination, message;
    Real objective, train_error;
    Whole iterations;
    static const FieldList<Refit>& fields();
  };
  /// Objects of one map, as rows of its file, from 0.
  struct Apart {
    std::string aspect;
    std::vector<std::int64_t> far, unknown;
    std::int64_t far_count = 0, unknown_count = 0;
    static const FieldList<Apart>& fields();
  };
  struct FileChecksum {
    std::string file;    // relative to the folder
    std::string sha256;  // 64 hexadecimal digits
    Whole bytes{};       // from the file's beginning; nothing: all
    static const FieldList<FileChecksum>& fields();
  };
  struct Files {
    Texts embedding, aspects, ellipses, violated;
    Text heldout, projector, annotators, trace, log;
    std::optional<std::vector<FileChecksum>> checksums;  // of all; of the log so far, as it may grow after the row
    static const FieldList<Files>& fields();
  };

  std::int64_t schema = kRowSchema;
  std::string run_id;
  Whole plan_index;
  std::string experiment;
  RunStatus status = RunStatus::failed;
  Text termination, message;
  Dataset dataset;
  std::string method;
  Part problem, solver;
  std::optional<Input> input;
  std::int64_t repeat = 0;
  Whole fold;
  std::int64_t seed = 0;
  Whole n, triplets, heldout_triplets, n_components;
  Named<Real> metrics;
  Real objective, initial_objective, best_objective, gradient_norm;
  std::optional<Violations> violations;
  std::optional<Bound> certificate;
  std::optional<Named<Real>> estimates;
  std::optional<Named<std::int64_t>> counts;
  std::optional<Seconds> seconds;
  Real memory_mb;
  Whole threads;
  Texts via;
  Value chosen, matching;
  std::optional<Uncertainty> uncertainty;
  std::optional<HeldOut> heldout;
  std::optional<Ceiling> noise_ceiling;
  std::optional<Refit> refit;
  std::optional<std::vector<Apart>> apart;
  Texts notes, warnings;
  std::optional<Files> files;
  Whole heldout_objects;
  std::optional<Named<bool>> higher_is_better;  // of metrics that not every program knows
  Text split_digest, heldout_digest;            // of what the run was given and what was held out; of the latter
  Text made_by, check;                          // the folder of results adds them to the line

  static const FieldList<ResultRow>& fields();

  /// Nothing if the run has no such metric, count or estimate, or the metric does not apply.
  [[nodiscard]] Real metric(std::string_view name) const;
  [[nodiscard]] Whole count(std::string_view name) const;
  [[nodiscard]] Real estimate(std::string_view name) const;
  /// Of the fit and those held out.
  [[nodiscard]] std::int64_t all_triplets() const {
    return refit && refit->triplets ? *refit->triplets : triplets.value_or(0) + heldout_triplets.value_or(0);
  }
  [[nodiscard]] bool has_heldout_interval() const { return heldout && heldout->error && heldout->low && heldout->high; }
  /// Its `files`, or none.
  [[nodiscard]] const Files& named_files() const;
  [[nodiscard]] bool ended_well() const { return status == RunStatus::ok; }
  [[nodiscard]] bool has_several_starts() const { return count("starts").value_or(1) > 1; }
  [[nodiscard]] bool ended_by_time() const { return termination == "time_limit"; }
  /// Whether its data could not be read: then it says nothing of them.
  [[nodiscard]] bool could_not_start() const { return status == RunStatus::failed && termination == "not_started"; }
};

/// Reads a row from a table. Fields that the table lacks, as in earlier versions, stay as in ResultRow{}.
[[nodiscard]] ResultRow row_of(const ValueTable& table);

/// A row as it was read: its fields, and all of its line as a table, in which users name fields (rows.hpp).
class Row : public ResultRow {
 public:
  Row(ValueTable line = {}) : ResultRow(row_of(line)), table_(std::move(line)) {}
  operator const ValueTable&() const { return table_; }
  [[nodiscard]] const ValueTable& table() const { return table_; }
  /// Sets a field of both, by its dotted path, which need not be one of ResultRow.
  void set(std::string_view path, Value value);

 private:
  ValueTable table_;
};

/// A field and what it means, as experiments/guide/row.md says it.
struct RowField {
  std::string name, summary;
};
/// All fields, in the order they are written.
[[nodiscard]] std::vector<RowField> row_fields();

/// The row as one line of JSON, without a newline.
[[nodiscard]] std::string to_line(const ResultRow& row);

/// The number, or nothing if it is not finite.
[[nodiscard]] inline ResultRow::Real finite(double value) {
  return std::isfinite(value) ? ResultRow::Real(value) : std::nullopt;
}

/// `line`, a JSON object that is not empty and has no checksum, with the checksum as its last field.
[[nodiscard]] std::string with_checksum(std::string_view line);

/// `line`, a JSON object that is not empty, with one more field. @pre neither text needs an escape
[[nodiscard]] std::string with_text_field(std::string_view line, std::string_view name, std::string_view text);

enum class LineChecksum { none, right, wrong };
/// What the checksum at the end of a line says of the line. Blanks after the line do not count. O(size).
[[nodiscard]] LineChecksum checksum_of(std::string_view line);

}  // namespace alidade
