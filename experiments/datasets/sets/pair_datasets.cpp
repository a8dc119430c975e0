#include <memory>
#include <string>
#include <utility>

#include "experiments/datasets/readers/graph_file.hpp"
#include "experiments/datasets/readers/pair_sign_file.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/similarity.hpp"

namespace alidade::datasets {
namespace {

struct GraphOptions : OwnSimilarity {
  std::string file, format = "auto", merge_names = "auto";
};

struct OwnPairsOptions : OwnSimilarity {
  std::string file, others = "unknown", merge_names = "auto";
  bool ordered = false;
};

}  // namespace

DatasetEntry graph_dataset() {
  OptionList<GraphOptions> options;
  options
      .file("file", &GraphOptions::file,
            "your file: GraphML, DOT, DIMACS (.col), Matrix Market, G-set, or a list of edges with two names per row; "
            "also gzipped")
      .text("format", &GraphOptions::format, {"auto", "graphml", "dot", "edges", "dimacs", "matrix_market", "gset"},
            "format of the file; auto: by the end of its name")
      .text("merge_names", &GraphOptions::merge_names, {"auto", "yes", "no"}, kMergeNamesDoc);
  return with_load(
      {.name = "graph", .summary = "your own graph: objects joined by an edge are similar, all others dissimilar"},
      options, [](const GraphOptions& chosen, const DatasetContext& context) {
        const auto path = own_file(chosen.file, "graph", context);
        const GraphFormat format = chosen.format == "auto" ? graph_format_of(path) : graph_format_named(chosen.format);
        GraphFile graph = read_graph(path, format, merge_names_of(chosen.merge_names));
        Observations out;
        out.pair_signs = std::make_shared<PairSigns>(signs_of_graph(graph));
        out.objects = std::move(graph.objects);
        out.notes = std::move(graph.notes);
        out.guesses = std::move(graph.guesses);
        out.name = path.stem().string();
        return out;
      });
}

DatasetEntry pair_signs_dataset() {
  OptionList<OwnPairsOptions> options;
  options
      .file("file", &OwnPairsOptions::file,
            "your file, with rows of a, b and sign (+1, -1 or 0): CSV, TSV or "
            "semicolon-separated; also gzipped")
      .flag("ordered", &OwnPairsOptions::ordered,
            "whether a row counts only as seen from a; otherwise it counts in both directions")
      .text("others", &OwnPairsOptions::others, {"unknown", "dissimilar"}, "sign of the pairs that no row names")
      .text("merge_names", &OwnPairsOptions::merge_names, {"auto", "yes", "no"}, kMergeNamesDoc);
  return with_load(
      {.name = "pair_signs", .summary = "your own pairs of objects that are similar or dissimilar"}, options,
      [](const OwnPairsOptions& chosen, const DatasetContext& context) {
        const auto path = own_file(chosen.file, "pair_signs", context);
        Observations out = read_pair_signs(
            path,
            {chosen.ordered, chosen.others == "dissimilar" ? PairSigns::Others::dissimilar : PairSigns::Others::unknown,
             merge_names_of(chosen.merge_names)});
        out.name = path.stem().string();
        return out;
      });
}

}  // namespace alidade::datasets
