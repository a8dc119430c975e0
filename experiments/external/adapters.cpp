#include "experiments/external/adapters.hpp"

#include "experiments/files/embedded_text.hpp"

namespace alidade {

const std::vector<Adapter>& adapters() {
  static const std::vector<Adapter> kAll = [] {
    std::vector<Adapter> out;
    for (const char* name : {"scikit_learn.py", "umap_learn.py", "open_tsne.py", "pacmap_map.py", "trimap_map.py",
                             "cblearn_map.py", "cmdscale.R", "mass.R", "vegan.R", "rtsne.R", "uwot.R", "smacof.R"}) {
      std::string_view line = embedded_text(name);
      line = line.substr(0, line.find('\n'));
      line.remove_prefix(line.find_first_not_of("#\" "));
      out.push_back({name, std::string(line.substr(0, line.find("\"\"\"")))});
    }
    return out;
  }();
  return kAll;
}

}  // namespace alidade
