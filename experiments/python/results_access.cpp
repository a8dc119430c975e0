#include "experiments/python/results_access.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/files/json.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/row_filter.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/results/short_names.hpp"
#include "experiments/tables/performance_profile.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/error.hpp"

namespace alidade::python {
namespace {

constexpr int kBadInput = 2;

/// Takes options out of a request one by one; what is left is unknown.
class Options {
 public:
  explicit Options(ValueTable table) : left_(std::move(table)) {}
  template <class T>
  void take(const char* name, T& out) {
    const Value* value = left_.find(name);
    if (!value) return;
    if constexpr (std::is_same_v<T, double>) {
      const auto number = value->number();
      require<ConfigError>(number.has_value(), "{} must be a number, not {}.", name, value->to_text());
      out = *number;
    } else {
      const T* typed = value->get_if<T>();
      require<ConfigError>(typed != nullptr, "{} must not be {}.", name, value->to_text());
      out = *typed;
    }
    left_.erase(name);
  }
  void require_none_left() const {
    if (!left_.empty()) throw ConfigError(fmt::format("A table has no option '{}'.", left_.begin()->first));
  }

 private:
  ValueTable left_;
};

std::vector<std::string> texts_of(const ValueArray& values) {
  std::vector<std::string> out;
  for (const Value& value : values) out.push_back(plain_text(value));
  return out;
}

}  // namespace

std::string checked_name(const ValueTable& config) { return interpret(config).name; }
std::string checked_name(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return interpret(read_config(file, overrides)).name;
}

int run_command(const std::string& config, const std::string& folder, const std::optional<std::string>& data, int jobs,
                int threads, bool retry_failed, const std::vector<std::string>& overrides) {
  commands::RunCommand request;
  request.config = config;
  request.out = folder;
  if (data) request.data = *data;
  request.jobs = jobs;
  request.threads = threads;
  request.retry_failed = retry_failed;
  request.overrides = overrides;
  try {
    return commands::run(request, {"alidade", "run", config, "--out", folder});
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}

RowTexts row_texts(const std::filesystem::path& folder, const std::vector<std::string>& where) {
  RowTexts out;
  for (const ValueTable& row : rows_where(read_rows(folder, &out.notes), where)) out.rows.push_back(to_json(row));
  return out;
}

std::string table_text(const std::filesystem::path& folder, const ValueTable& request,
                       std::vector<std::string>& notes) {
  Options options(request);
  TableRequest wanted;
  std::string format = "md", aggregate = "mean", interval = "usual", value, better, test, baseline;
  double alpha = 0.05;
  ValueArray where;
  bool profile = false;
  options.take("rows", wanted.rows);
  options.take("cols", wanted.cols);
  options.take("value", value);
  options.take("over", wanted.over);
  options.take("format", format);
  options.take("confidence", wanted.confidence);
  options.take("aggregate", aggregate);
  options.take("interval", interval);
  options.take("where", where);
  options.take("better", better);
  options.take("test", test);
  options.take("baseline", baseline);
  options.take("alpha", alpha);
  options.take("counts", wanted.counts);
  options.take("profile", profile);
  options.require_none_left();
  const std::vector<std::string> conditions = texts_of(where);
  std::vector<std::string> named = conditions;
  named.insert(named.end(), {wanted.rows, wanted.cols, wanted.over});
  const std::vector<ValueTable> rows = rows_where(read_rows_on_last_data(folder, named, notes), conditions);
  wanted.value = value.empty() ? default_metric(rows) : field_of_short_name(value, rows);
  wanted.format = table_format(format);
  wanted.aggregate = statistics::aggregate_named(aggregate);
  wanted.interval = interval_kind(interval);
  require<ConfigError>(better.empty() || better == "lower" || better == "higher",
                       "better is lower or higher, not '{}'.", better);
  if (!better.empty()) wanted.directions[wanted.value] = better == "higher";
  require<ConfigError>(!test.empty() || baseline.empty(), "baseline needs a test. Add test='wilcoxon'.");
  if (!profile) {
    if (!test.empty()) wanted.significance = SignificanceRequest{statistics::paired_test_named(test), baseline, alpha};
    return to_text(compare(rows, wanted));
  }
  if (!wanted.over.empty()) wanted.cols += (wanted.cols.empty() ? "" : ",") + wanted.over;
  wanted.over.clear();
  return to_text(performance_profile(compare(rows, wanted)), wanted.format);
}

void write_page(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& page) {
  write_report(folders, page);
}

}  // namespace alidade::python
