// Formats of graphs that are not read, by the ends of their names, and what converts them.
// graph_file.hpp refuses them by name, edge_list.hpp by their first line.
// The calls are those of NetworkX.
#pragma once

#include <string>
#include <string_view>

namespace alidade::datasets {

/// A format that is not read, and NetworkX's call that reads it, if any.
struct OtherFormat {
  std::string_view ending, name, call;
};
inline constexpr OtherFormat kOtherFormats[] = {
    {".gexf", "GEXF", "read_gexf('{}', relabel=True)"},
    {".gml", "GML", "read_gml('{}')"},
    {".net", "Pajek's format", "read_pajek('{}')"},
    {".paj", "Pajek's format", "read_pajek('{}')"},
    {".gdf", "GDF", ""},
    {".json", "JSON", ""},
    {".graph", "METIS' format", ""},
};

/// The message that refuses the file.
[[nodiscard]] std::string how_to_convert(const OtherFormat& format, const std::string& file);

}  // namespace alidade::datasets
