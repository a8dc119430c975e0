#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/rows.hpp"

namespace alidade::report {

Section figures_section(const ReportContents& all) {
  const Table& row = all.rows.front();
  std::string out;
  const auto add = [&](const std::string& name, const std::string& title, const std::string& unit) {
    if (const std::string number = shown_number(row, name); !number.empty())
      out += "<div><dt>" + escaped(title) + "</dt><dd>" + escaped(number) + unit + "</dd></div>";
  };
  for (const std::string& name : metric_fields(all.rows)) add(name, title_of(name), "");
  add("uncertainty.stability", "Stability", "");
  add("uncertainty.typical_shift", "Typical shift, in radii", "");
  add("n", "Objects", "");
  add("triplets", "Training triplets", "");
  add("heldout_triplets", "Held-out triplets", "");
  add("n_components", "Dimensions", "");
  add("counts.iterations", "Iterations", "");
  add("seconds.solve", "Solving", " s");
  if (out.empty()) return {};
  out = "<section id=\"figures\"><h2>Figures</h2><dl class=\"figures\">" + out + "</dl>";
  const std::string ended = text_field(row, "termination");
  const std::string message = text_field(row, "message");
  if (!ended.empty() && text_field(row, "status") == "ok")
    out += "<p class=\"caption\">The solver ended with <strong>" + escaped(spaced(ended)) +
           "</strong>" + (message.empty() ? "" : ": " + escaped(message)) + "</p>";
  for (const char* part : {"problem", "solver"}) {
    const Value* options = field(row, std::string(part) + ".options");
    const Table* table = options ? options->get_if<Table>() : nullptr;
    if (table && !table->empty())
      out += "<p class=\"caption\"><strong>" + escaped(text_field(row, part)) +
             "</strong>: " + escaped(options_text(*table)) + "</p>";
  }
  return {"figures", "Figures", out + "</section>"};
}

}  // namespace alidade::report
