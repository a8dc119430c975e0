#include "problems/contract/problem.hpp"

#include <algorithm>

#include "problems/contract/erased_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

CapabilitySet Problem::offers() const { return model_->offers(); }
Solution Problem::start(Rng& rng) const { return model_->start(rng); }
std::vector<std::string> Problem::start_names() const { return model_->start_names(); }
Solution Problem::start_named(std::string_view kind, Rng& rng) const {
  const std::vector<std::string> names = start_names();
  require<ConfigError>(!names.empty(), "{} has one kind of start alone, so '{}' names none. Leave the name out.", name_,
                       kind);
  require<ConfigError>(std::ranges::find(names, kind) != names.end(), "{} has no start '{}' for these data. Choose {}.",
                       name_, kind, join(names, ", "));
  return model_->start_named(kind, rng);
}
double Problem::objective(const Solution& x, Evaluation& evaluation) const {
  require_own(x);
  return model_->objective(x, evaluation);
}
Embedding Problem::decode(const Solution& x) const {
  require_own(x);
  return model_->decode(x);
}

void Problem::require_own(const Solution& x) const {
  const Point* const point = std::get_if<Point>(&x);
  const Domain* const where = domain();
  if (where == nullptr) {
    require<ConfigError>(point == nullptr,
                         "Problem '{}' has no points for solutions: start from what its start() gives.", name_);
    return;
  }
  const Layout& own = *where->layout();
  if (point != nullptr && point->layout() == where->layout()) return;
  const auto same = [](const BlockShape& a, const BlockShape& b) { return a.rows == b.rows && a.cols == b.cols; };
  if (point != nullptr && point->layout() != nullptr && std::ranges::equal(*point->layout(), own, same)) return;
  const auto shapes = [](const Layout& layout) {
    std::vector<std::string> out;
    for (const BlockShape& block : layout) out.push_back(fmt::format("{} {} x {}", block.name, block.rows, block.cols));
    return join(out, ", ");
  };
  require<ConfigError>(point != nullptr, "Problem '{}' has points for solutions ({}), and this is of another kind.",
                       name_, shapes(own));
  throw ConfigError(fmt::format("Problem '{}' needs a point of {}, and this one has {}.", name_, shapes(own),
                                point->layout() == nullptr ? "no blocks" : shapes(*point->layout())));
}

std::optional<AnswerModel> Problem::answer_model(const Solution& x, Evaluation& evaluation) const {
  return model_->answer_model(x, evaluation);
}
std::vector<std::string> Problem::notes() const { return model_->notes(); }
UnitPowers Problem::unit_powers() const { return model_->unit_powers(); }
UnitFactors Problem::unit_factors() const { return model_->unit_factors(); }
const Domain* Problem::domain() const { return model_->domain(); }

const void* Problem::face_address(CapabilitySet face) const {
  if (const void* out = model_->face(face)) return out;
  throw UnsupportedPair(fmt::format("Problem '{}' does not offer {}; it offers {}.", name_, join(face.names(), ", "),
                                    join(offers().names(), ", ")));
}

}  // namespace alidade
