#include "problems/contract/problem.hpp"

#include "problems/contract/erased_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {

CapabilitySet Problem::offers() const { return model_->offers(); }
Solution Problem::start(Rng& rng) const { return model_->start(rng); }
std::vector<std::string> Problem::start_names() const { return model_->start_names(); }
Solution Problem::start_named(std::string_view kind, Rng& rng) const { return model_->start_named(kind, rng); }
double Problem::objective(const Solution& x, Evaluation& evaluation) const { return model_->objective(x, evaluation); }
Embedding Problem::decode(const Solution& x) const { return model_->decode(x); }

std::optional<AnswerModel> Problem::answer_model(const Solution& x, Evaluation& evaluation) const {
  return model_->answer_model(x, evaluation);
}
std::vector<std::string> Problem::notes() const { return model_->notes(); }
UnitPowers Problem::unit_powers() const { return model_->unit_powers(); }
UnitFactors Problem::unit_factors() const { return model_->unit_factors(); }
const Domain* Problem::domain() const { return model_->domain(); }

const void* Problem::found(CapabilitySet face) const {
  if (const void* out = model_->face(face)) return out;
  throw UnsupportedPair(fmt::format("Problem '{}' does not offer {}; it offers {}.", name_, join(face.names(), ", "),
                                    join(offers().names(), ", ")));
}

void throw_no_start(std::string_view kind) {
  throw ConfigError(
      fmt::format("The start '{}' does not exist: this problem has only one kind of start. Leave the name out.", kind));
}

}  // namespace alidade
