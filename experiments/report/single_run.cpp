#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"

namespace alidade::report {

Section warning_section(const ReportModel& all) {
  const ResultRow row = row_of(all.rows.front());
  std::string out;
  for (const RowWarning warning : warnings_of(row))
    out += std::string("<p class=\"callout") + (is_grave(warning) ? " grave" : "") + "\">" +
           escaped(warning_text(warning, row)) + "</p>";
  if (out.empty()) return {};
  return {"warnings", "", "<section id=\"warnings\" aria-label=\"Warnings\">" + out + "</section>"};
}

Section numbers_section(const ReportModel& all) {
  const ValueTable& row = all.rows.front();
  std::string out;
  const auto add = [&](const std::string& name, const std::string& title, const std::string& unit) {
    if (const std::string number = shown_number(row, name); !number.empty())
      out += "<div><dt>" + escaped(title) + "</dt><dd>" + escaped(number) + unit + "</dd></div>";
  };
  for (const std::string& name : metric_fields(all.rows)) {
    add(name, title_of(name), "");
    if (const std::string error = heldout_text(row_of(row)); name == "metrics.heldout_error" && !error.empty())
      out += "<div><dt>95 % interval of the held-out error</dt><dd>" +
             escaped(shown_number(row, "heldout.low") + " to " + shown_number(row, "heldout.high")) + "</dd></div>";
  }
  add("uncertainty.stability", "Stability", "");
  add("uncertainty.typical_shift", "Typical shift (map radii)", "");
  add("n", "Objects", "");
  add("triplets", "Training triplets", "");
  add("heldout_triplets", "Held-out triplets", "");
  add("n_components", "Dimensions", "");
  add("counts.iterations", "Iterations", "");
  add("seconds.solve", "Solving time", " s");
  if (out.empty()) return {};
  out = "<dl class=\"figures\">" + out + "</dl>";
  const std::string ended = text_field(row, "termination");
  const std::string message = text_field(row, "message");
  if (!ended.empty() && ended_well(row))
    out += "<p class=\"caption\">Solver status: <strong>" + escaped(spaced(ended)) + "</strong>" +
           (message.empty() ? "" : ": " + escaped(message)) + "</p>";
  if (text_field(row, "refit.written") == "true")
    out += "<p class=\"caption\">The map uses all " + escaped(shown_number(row, "refit.triplets")) +
           " triplets (training error " + escaped(shown_number(row, "refit.train_error")) +
           "). The results above are from a fit to the training triplets alone, so that the held-out "
           "error is a fair estimate.</p>";
  for (const char* part : {"problem", "solver"})
    if (const ValueTable& options = table_field(row, std::string(part) + ".options"); !options.empty())
      out += "<p class=\"caption\"><strong>" + escaped(text_field(row, part)) +
             "</strong>: " + escaped(options_text(options)) + "</p>";
  return {"results", "Results",
          "<section id=\"results\"><h2>Results</h2>" + fold_html("All results and options", out) + "</section>"};
}

}  // namespace alidade::report
