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

/// Made once.
template <class T, class... M>
const FieldList<T>& field_list(std::string_view names, M T::*... members) {
  static const FieldList<T> kFields = FieldList<T>().add(names, members...);
  return kFields;
}

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

using R = ResultRow;

const FieldList<R::Dataset>& R::Dataset::fields() {
  return field_list("id name options content?", &Dataset::id, &Dataset::name, &Dataset::options, &Dataset::content);
}
const FieldList<R::Part>& R::Part::fields() { return field_list("name options", &Part::name, &Part::options); }
const FieldList<R::Input>& R::Input::fields() { return field_list("problem solver", &Input::problem, &Input::solver); }
const FieldList<R::Violations>& R::Violations::fields() {
  return field_list("count max sum", &Violations::count, &Violations::max, &Violations::sum);
}
const FieldList<R::Bound>& R::Bound::fields() {
  return field_list("lower_bound upper_bound gap", &Bound::lower_bound, &Bound::upper_bound, &Bound::gap);
}
const FieldList<R::Seconds>& R::Seconds::fields() {
  using S = Seconds;
  return field_list("load? choose? input? build? solve? observe? measure? refit? total? cpu? command_cpu? command_own?",
                    &S::load, &S::choose, &S::input, &S::build, &S::solve, &S::observe, &S::measure, &S::refit,
                    &S::total, &S::cpu, &S::command_cpu, &S::command_own);
}
const FieldList<R::Uncertainty>& R::Uncertainty::fields() {
  using U = Uncertainty;
  return field_list("source asked replicates resampled units stability typical_shift misfit_p message seconds",
                    &U::source, &U::asked, &U::replicates, &U::resampled, &U::units, &U::stability, &U::typical_shift,
                    &U::misfit_p, &U::message, &U::seconds);
}
const FieldList<R::HeldOut>& R::HeldOut::fields() {
  using H = HeldOut;
  return field_list("error low high unit independent effective method more_to_halve", &H::error, &H::low, &H::high,
                    &H::unit, &H::independent, &H::effective, &H::method, &H::more_to_halve);
}
const FieldList<R::Ceiling>& R::Ceiling::fields() {
  using C = Ceiling;
  return field_list("questions answers disagreement error low high least most", &C::questions, &C::answers,
                    &C::disagreement, &C::error, &C::low, &C::high, &C::lowest, &C::highest);
}
const FieldList<R::Refit>& R::Refit::fields() {
  return field_list("written triplets termination message objective train_error iterations", &Refit::written,
                    &Refit::triplets, &Refit::termination, &Refit::message, &Refit::objective, &Refit::train_error,
                    &Refit::iterations);
}
const FieldList<R::Apart>& R::Apart::fields() {
  return field_list("aspect far unknown far_count unknown_count", &Apart::aspect, &Apart::far, &Apart::unknown,
                    &Apart::far_count, &Apart::unknown_count);
}
const FieldList<R::FileChecksum>& R::FileChecksum::fields() {
  return field_list("file sha256 bytes?", &FileChecksum::file, &FileChecksum::sha256, &FileChecksum::bytes);
}
const FieldList<R::Files>& R::Files::fields() {
  using F = Files;
  return field_list("embedding? aspects? ellipses? violated? heldout? projector? annotators? trace? log? checksums?",
                    &F::embedding, &F::aspects, &F::ellipses, &F::violated, &F::heldout, &F::projector, &F::annotators,
                    &F::trace, &F::log, &F::checksums);
}
const FieldList<R>& R::fields() {
  return field_list(
      "schema run_id plan_index experiment status termination message dataset method problem solver input? repeat "
      "fold seed n triplets heldout_triplets n_components metrics objective initial_objective best_objective "
      "gradient_norm violations certificate estimates counts seconds memory_mb threads via chosen matching "
      "uncertainty heldout refit apart notes warnings files heldout_objects? split_digest? heldout_digest? made_by? "
      "noise_ceiling? higher_is_better? check?",
      &R::schema, &R::run_id, &R::plan_index, &R::experiment, &R::status, &R::termination, &R::message, &R::dataset,
      &R::method, &R::problem, &R::solver, &R::input, &R::repeat, &R::fold, &R::seed, &R::n, &R::triplets,
      &R::heldout_triplets, &R::n_components, &R::metrics, &R::objective, &R::initial_objective, &R::best_objective,
      &R::gradient_norm, &R::violations, &R::certificate, &R::estimates, &R::counts, &R::seconds, &R::memory_mb,
      &R::threads, &R::via, &R::chosen, &R::matching, &R::uncertainty, &R::heldout, &R::refit, &R::apart, &R::notes,
      &R::warnings, &R::files, &R::heldout_objects, &R::split_digest, &R::heldout_digest, &R::made_by,
      &R::noise_ceiling, &R::higher_is_better, &R::check);
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

// What does not fit the type of its field is of the line alone.
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
