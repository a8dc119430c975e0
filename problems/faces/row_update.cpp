#include "problems/faces/row_update.hpp"

namespace alidade {

RowUpdate::RowUpdate(const Domain& domain, const RowRule& rule)
    : domain_(&domain), rule_(rule), velocity_(domain.zero()) {
  std::size_t rows = 0;
  Index widest = 0;
  for (const DomainBlock& block : domain.blocks()) {
    row_base_.push_back(rows);
    rows += static_cast<std::size_t>(block.rows);
    BlockRule rule_of;
    rule_of.offset = (*velocity_.layout())[row_base_.size() - 1].offset;
    rule_of.cols = static_cast<std::size_t>(block.cols);
    if (std::holds_alternative<Euclidean>(block.manifold)) rule_of.shape = Shape::flat;
    if (const auto* sphere = std::get_if<Oblique>(&block.manifold)) {
      rule_of.shape = Shape::sphere;
      rule_of.radius = sphere->radius;
    }
    if (const auto* box = std::get_if<Box>(&block.manifold); box && box->is_uniform() && block.cols == 1) {
      rule_of.shape = Shape::interval;
      rule_of.lower = box->lower[0];
      rule_of.upper = box->upper[0];
    }
    rules_.push_back(rule_of);
    widest = std::max(widest, block.cols);
  }
  row_base_.push_back(rows);
  next_row_.resize(static_cast<std::size_t>(widest));
  last_step_.assign(rows, 0);
  constexpr double kNothing = 1e-20;
  constexpr std::size_t kMostPowers = 8192;
  double power = 1;
  for (; power > kNothing && powers_.size() < kMostPowers; power *= rule.momentum) powers_.push_back(power);
  vanishes_ = power <= kNothing;
  if (rule.kind == RowRule::Kind::adam) {
    second_.assign(rows, 0.0);
    first_power_.assign(rows, 1.0);
    second_power_.assign(rows, 1.0);
  }
}

void RowUpdate::apply_curved(RowSpan x, RowSpan velocity, RowSpan gradient, std::size_t number,
                             const Manifold& manifold, std::size_t first) {
  const RowSpan next(next_row_.data(), x.size());
  const auto at_row = [first](const auto& m) -> decltype(auto) {
    if constexpr (requires { m.from(first); })
      return m.from(first);
    else
      return (m);
  };
  std::visit(
      [&](const auto& whole) {
        const auto& m = at_row(whole);
        m.gradient(x, gradient, gradient);
        double kept = 0, gain = -rate_;
        if (rule_.kind == RowRule::Kind::adam) {
          const double scale = adam_scale(number, m.inner(x, gradient, gradient));
          for (std::size_t c = 0; c < x.size(); ++c) {
            velocity[c] = rule_.momentum * velocity[c] + (1 - rule_.momentum) * gradient[c];
            gradient[c] = -scale * velocity[c];
          }
        } else {
          if (rule_.kind != RowRule::Kind::plain) kept = decay(number);
          const bool look_ahead = rule_.kind == RowRule::Kind::nesterov;
          for (std::size_t c = 0; c < x.size(); ++c) {
            const double pull = gain * gradient[c];
            velocity[c] = kept * velocity[c] + pull;
            gradient[c] = look_ahead ? rule_.momentum * velocity[c] + pull : velocity[c];
          }
        }
        m.retract(x, gradient, next);
        m.transport(x, next, velocity, velocity);
        std::ranges::copy(next, x.begin());
      },
      manifold);
}

}  // namespace alidade
