#include <memory>
#include <string>
#include <utility>

#include "experiments/datasets/readers/graph_file.hpp"
#include "experiments/datasets/readers/pair_sign_file.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/similarity.hpp"
#include "experiments/files/table_text.hpp"

namespace alidade::datasets {
namespace {

struct GraphOptions : OwnSimilarity {
  std::string file, format = "auto", merge_names = "auto";
};

struct OwnPairsOptions : OwnSimilarity {
  std::string file, others = "unknown", merge_names = "auto";
  bool ordered = false;
};

DatasetEntry graph_dataset() {
  OptionList<GraphOptions> options;
  options.file("file", &GraphOptions::file, kDescribed)
      .text("format", &GraphOptions::format, {"auto", "graphml", "dot", "edges", "dimacs", "matrix_market", "gset"},
            kDescribed)
      .text("merge_names", &GraphOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file("graph", options, [](const GraphOptions& chosen, const auto& path, const DatasetContext&) {
    const GraphFormat format = chosen.format == "auto" ? graph_format_of(path) : graph_format_named(chosen.format);
    GraphFile graph = read_graph(path, format, merge_names_of(chosen.merge_names));
    Observations out;
    out.pair_signs = std::make_shared<PairSigns>(signs_of_graph(graph));
    out.objects = std::move(graph.objects);
    out.notes = std::move(graph.notes);
    out.guesses = std::move(graph.guesses);
    return out;
  });
}

DatasetEntry pair_signs_dataset() {
  OptionList<OwnPairsOptions> options;
  options.file("file", &OwnPairsOptions::file, kDescribed)
      .flag("ordered", &OwnPairsOptions::ordered, kDescribed)
      .text("others", &OwnPairsOptions::others, {"unknown", "dissimilar"}, kDescribed)
      .text("merge_names", &OwnPairsOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file("pair_signs", options, [](const OwnPairsOptions& chosen, const auto& path, const DatasetContext&) {
    using Others = PairSigns::Others;
    return read_pair_signs(path, {chosen.ordered, chosen.others == "dissimilar" ? Others::dissimilar : Others::unknown,
                                  merge_names_of(chosen.merge_names)});
  });
}

struct JudgementOptions {
  std::string file, by = "answers", merge_names = "auto";
};

DatasetEntry same_different_dataset() {
  OptionList<JudgementOptions> options;
  options.file("file", &JudgementOptions::file, kDescribed)
      .text("by", &JudgementOptions::by, {"answers", "times"}, kDescribed)
      .text("merge_names", &JudgementOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file(
      "same_different", options, [](const JudgementOptions& chosen, const auto& path, const DatasetContext&) {
        const TableText table = read_table_text(path);
        Observations out =
            parse_same_different(table.text, path.string(), chosen.by == "times" ? JudgedBy::times : JudgedBy::answers,
                                 merge_names_of(chosen.merge_names));
        add_guesses(out, table.guesses);
        return out;
      });
}

}  // namespace

std::vector<DatasetEntry> pair_datasets() { return {graph_dataset(), pair_signs_dataset(), same_different_dataset()}; }

}  // namespace alidade::datasets
