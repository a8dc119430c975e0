#include "experiments/results/row.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::array<std::string_view, 4> kStatusNames = {"failed", "ok", "skipped", "cancelled"};

template <class T>
std::optional<T> of(const ResultRow::Named<T>& named, std::string_view name) {
  const auto entry = std::ranges::find(named, name, &std::pair<std::string, T>::first);
  return entry == named.end() ? std::nullopt : std::optional(entry->second);
}

}  // namespace

std::string_view to_string(RunStatus status) { return kStatusNames.at(static_cast<std::size_t>(status)); }

RunStatus run_status(std::string_view text) {
  const auto entry = std::ranges::find(kStatusNames, text);
  return entry == kStatusNames.end() ? RunStatus::failed : static_cast<RunStatus>(entry - kStatusNames.begin());
}

const FieldList<ResultRow::Dataset>& ResultRow::Dataset::fields() {
  static const auto kFields = FieldList<Dataset>().add("id name options content?", &Dataset::id, &Dataset::name,
                                                       &Dataset::options, &Dataset::content);
  return kFields;
}

const FieldList<ResultRow::Part>& ResultRow::Part::fields() {
  static const auto kFields = FieldList<Part>().add("name options", &Part::name, &Part::options);
  return kFields;
}

const FieldList<ResultRow::Input>& ResultRow::Input::fields() {
  static const auto kFields = FieldList<Input>().add("problem solver", &Input::problem, &Input::solver);
  return kFields;
}

const FieldList<ResultRow::Violations>& ResultRow::Violations::fields() {
  static const auto kFields =
      FieldList<Violations>().add("count max sum", &Violations::count, &Violations::max, &Violations::sum);
  return kFields;
}

const FieldList<ResultRow::Bound>& ResultRow::Bound::fields() {
  static const auto kFields =
      FieldList<Bound>().add("lower_bound upper_bound gap", &Bound::lower_bound, &Bound::upper_bound, &Bound::gap);
  return kFields;
}

const FieldList<ResultRow::Seconds>& ResultRow::Seconds::fields() {
  static const auto kFields =
      FieldList<Seconds>()
          .add("load? choose? input? build? solve? observe? measure? refit?", &Seconds::load, &Seconds::choose,
               &Seconds::input, &Seconds::build, &Seconds::solve, &Seconds::observe, &Seconds::measure, &Seconds::refit)
          .add("total? cpu? command_cpu? command_own?", &Seconds::total, &Seconds::cpu, &Seconds::command_cpu,
               &Seconds::command_own);
  return kFields;
}

const FieldList<ResultRow::Uncertainty>& ResultRow::Uncertainty::fields() {
  static const auto kFields =
      FieldList<Uncertainty>()
          .add("source asked replicates resampled units stability typical_shift misfit_p", &Uncertainty::source,
               &Uncertainty::asked, &Uncertainty::replicates, &Uncertainty::resampled, &Uncertainty::units,
               &Uncertainty::stability, &Uncertainty::typical_shift, &Uncertainty::misfit_p)
          .add("message seconds", &Uncertainty::message, &Uncertainty::seconds);
  return kFields;
}

const FieldList<ResultRow::HeldOut>& ResultRow::HeldOut::fields() {
  static const auto kFields = FieldList<HeldOut>().add(
      "error low high unit independent effective method more_to_halve", &HeldOut::error, &HeldOut::low, &HeldOut::high,
      &HeldOut::unit, &HeldOut::independent, &HeldOut::effective, &HeldOut::method, &HeldOut::more_to_halve);
  return kFields;
}

const FieldList<ResultRow::Ceiling>& ResultRow::Ceiling::fields() {
  static const auto kFields = FieldList<Ceiling>().add(
      "questions answers disagreement error low high least most", &Ceiling::questions, &Ceiling::answers,
      &Ceiling::disagreement, &Ceiling::error, &Ceiling::low, &Ceiling::high, &Ceiling::lowest, &Ceiling::highest);
  return kFields;
}

const FieldList<ResultRow::Refit>& ResultRow::Refit::fields() {
  static const auto kFields = FieldList<Refit>().add(
      "written triplets termination message objective train_error iterations", &Refit::written, &Refit::triplets,
      &Refit::termination, &Refit::message, &Refit::objective, &Refit::train_error, &Refit::iterations);
  return kFields;
}

const FieldList<ResultRow::Apart>& ResultRow::Apart::fields() {
  static const auto kFields =
      FieldList<Apart>().add("aspect far unknown far_count unknown_count", &Apart::aspect, &Apart::far, &Apart::unknown,
                             &Apart::far_count, &Apart::unknown_count);
  return kFields;
}

const FieldList<ResultRow::FileChecksum>& ResultRow::FileChecksum::fields() {
  static const auto kFields = FieldList<FileChecksum>().add("file sha256 bytes?", &FileChecksum::file,
                                                            &FileChecksum::sha256, &FileChecksum::bytes);
  return kFields;
}

const FieldList<ResultRow::Files>& ResultRow::Files::fields() {
  static const auto kFields = FieldList<Files>()
                                  .add("embedding? aspects? ellipses? violated? heldout? projector? annotators? trace?",
                                       &Files::embedding, &Files::aspects, &Files::ellipses, &Files::violated,
                                       &Files::heldout, &Files::projector, &Files::annotators, &Files::trace)
                                  .add("log? checksums?", &Files::log, &Files::checksums);
  return kFields;
}

const FieldList<ResultRow>& ResultRow::fields() {
  static const auto kFields =
      FieldList<ResultRow>()
          .add("schema run_id plan_index experiment status termination message dataset", &ResultRow::schema,
               &ResultRow::run_id, &ResultRow::plan_index, &ResultRow::experiment, &ResultRow::status,
               &ResultRow::termination, &ResultRow::message, &ResultRow::dataset)
          .add("method problem solver input? repeat fold seed n", &ResultRow::method, &ResultRow::problem,
               &ResultRow::solver, &ResultRow::input, &ResultRow::repeat, &ResultRow::fold, &ResultRow::seed,
               &ResultRow::n)
          .add(
              "triplets heldout_triplets n_components metrics objective initial_objective best_objective gradient_norm",
              &ResultRow::triplets, &ResultRow::heldout_triplets, &ResultRow::n_components, &ResultRow::metrics,
              &ResultRow::objective, &ResultRow::initial_objective, &ResultRow::best_objective,
              &ResultRow::gradient_norm)
          .add("violations certificate estimates counts seconds memory_mb threads via", &ResultRow::violations,
               &ResultRow::certificate, &ResultRow::estimates, &ResultRow::counts, &ResultRow::seconds,
               &ResultRow::memory_mb, &ResultRow::threads, &ResultRow::via)
          .add("chosen matching uncertainty heldout refit apart notes warnings", &ResultRow::chosen,
               &ResultRow::matching, &ResultRow::uncertainty, &ResultRow::heldout, &ResultRow::refit, &ResultRow::apart,
               &ResultRow::notes, &ResultRow::warnings)
          .add("files heldout_objects? split_digest? heldout_digest? made_by? noise_ceiling? higher_is_better? check?",
               &ResultRow::files, &ResultRow::heldout_objects, &ResultRow::split_digest, &ResultRow::heldout_digest,
               &ResultRow::made_by, &ResultRow::noise_ceiling, &ResultRow::higher_is_better, &ResultRow::check);
  return kFields;
}

ResultRow::Real ResultRow::metric(std::string_view name) const { return of(metrics, name).value_or(std::nullopt); }
ResultRow::Whole ResultRow::count(std::string_view name) const { return counts ? of(*counts, name) : std::nullopt; }
ResultRow::Real ResultRow::estimate(std::string_view name) const {
  return estimates ? of(*estimates, name).value_or(std::nullopt) : std::nullopt;
}

const ResultRow::Files& ResultRow::named_files() const {
  static const Files kNone;
  return files ? *files : kNone;
}

void Row::set(std::string_view path, Value value) {
  table_.set_path(path, std::move(value));
  const std::string_view top = path.substr(0, path.find('.'));
  for (const auto& field : fields().fields())
    if (field.name == top) field.set(*this, *table_.find(top));
}

ResultRow row_of(const ValueTable& table) {
  ResultRow out;
  read_fields(table, out);
  return out;
}

std::vector<RowField> row_fields() {
  return mapped(ResultRow::fields().fields(), [](const auto& field) {
    const auto cell = embedded_line("row.md", fmt::format("| `{}{}` | ", field.name, field.has_fields ? ".*" : ""));
    return RowField{field.name, std::string(cell.substr(0, cell.rfind(" |")))};
  });
}

std::string to_line(const ResultRow& row) { return to_json(to_table(row)); }

namespace {

constexpr std::string_view kBegin = ",\"check\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kSize = kBegin.size() + kDigits + kEnd.size();

std::string digits_of(std::string_view line) { return sha256(line).substr(0, kDigits); }

}  // namespace

std::string with_text_field(std::string_view line, std::string_view name, std::string_view text) {
  std::string out(line.substr(0, line.size() - 1));
  out.append(",\"").append(name).append("\":\"").append(text).append(kEnd);
  return out;
}

std::string with_checksum(std::string_view line) { return with_text_field(line, "check", digits_of(line)); }

LineChecksum checksum_of(std::string_view line) {
  line = trim(line);
  if (line.size() <= kSize) return LineChecksum::none;
  const std::string_view end = line.substr(line.size() - kSize);
  if (!end.starts_with(kBegin) || !end.ends_with(kEnd)) return LineChecksum::none;
  const std::string without = std::string(line.substr(0, line.size() - kSize)) + "}";
  return end.substr(kBegin.size(), kDigits) == digits_of(without) ? LineChecksum::right : LineChecksum::wrong;
}

}  // namespace alidade
