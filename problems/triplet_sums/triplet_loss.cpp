#include "problems/triplet_sums/triplet_loss.hpp"

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::triplet {

bool is_likelihood(const TripletLoss& loss) {
  return with_form(loss, []<class Form>(const Form&) { return LogarithmicForm<Form>; });
}

std::string_view name_of(const TripletLoss& loss) {
  return std::visit([](const auto& one) { return one.record().name; }, loss);
}

std::vector<std::string> loss_names() {
  std::vector<std::string> out;
  for_each_loss([&](const auto& loss) { out.emplace_back(loss.record().name); });
  return out;
}

TripletLoss loss_named(std::string_view name, Index n_components) {
  TripletLoss out;
  for_each_loss([&](auto loss) {
    if (loss.record().name != name) return;
    set_dimension(loss, n_components);
    out = loss;
  });
  return out;
}

void require_valid(const TripletLoss& loss) {
  std::visit(
      [](const auto& one) {
        for (const auto& option : one.record().options)
          require<ConfigError>(std::isfinite(one.*option.member) && option.bounds.contain(one.*option.member),
                               "{}: {} must be a number {}, not {}.", one.record().name, option.name,
                               option.bounds.to_text(), one.*option.member);
      },
      loss);
}

std::string describe(const TripletLoss& loss) {
  return std::visit(
      [](const auto& one) {
        std::vector<std::string> parameters;
        for (const auto& option : one.record().options)
          parameters.push_back(fmt::format("{}={}", option.name, one.*option.member));
        return fmt::format("{}({})", one.record().name, join(parameters, ", "));
      },
      loss);
}

}  // namespace alidade::triplet
