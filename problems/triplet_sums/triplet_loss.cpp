#include "problems/triplet_sums/triplet_loss.hpp"

#include <cmath>

#include "problems/core/error.hpp"

namespace alidade::triplet {
namespace {

void require_parameters(const SteLoss& loss) {
  require<ConfigError>(loss.lapse_rate >= 0 && loss.lapse_rate < 1, "ste: lapse_rate must be in [0, 1), not {}.",
                       loss.lapse_rate);
}
void require_parameters(const GnmdsLoss& loss) {
  require<ConfigError>(std::isfinite(loss.smoothing) && loss.smoothing >= 0,
                       "gnmds: smoothing must be a number >= 0, not {}.", loss.smoothing);
}
void require_parameters(const CklLoss& loss) {
  require<ConfigError>(std::isfinite(loss.mu) && loss.mu > 0, "ckl: mu must be a positive number, not {}.", loss.mu);
}
void require_parameters(const SoeLoss& loss) {
  require<ConfigError>(std::isfinite(loss.margin) && loss.margin > 0, "soe: margin must be a positive number, not {}.",
                       loss.margin);
}

void require_parameters(const TSteLoss& loss) {
  require<ConfigError>(std::isfinite(loss.alpha) && loss.alpha > 0, "tste: alpha must be a positive number, not {}.",
                       loss.alpha);
}

void require_parameters(const EteLoss& loss) {
  require<ConfigError>(std::isfinite(loss.t) && loss.t >= 1, "ete: t must be a number >= 1, not {}.", loss.t);
  require<ConfigError>(loss.t_prime >= 1 && loss.t_prime <= 2, "ete: t_prime must be between 1 and 2, not {}.",
                       loss.t_prime);
}

std::string text(const SteLoss& loss) {
  return loss.lapse_rate > 0 ? fmt::format("{}(lapse_rate={})", loss.kName, loss.lapse_rate) : std::string(loss.kName);
}
std::string text(const GnmdsLoss& loss) {
  return loss.smoothing > 0 ? fmt::format("{}(smoothing={})", loss.kName, loss.smoothing) : std::string(loss.kName);
}
std::string text(const CklLoss& loss) { return fmt::format("{}(mu={})", loss.kName, loss.mu); }
std::string text(const SoeLoss& loss) { return fmt::format("{}(margin={})", loss.kName, loss.margin); }
std::string text(const TSteLoss& loss) { return fmt::format("{}(alpha={})", loss.kName, loss.alpha); }
std::string text(const EteLoss& loss) { return fmt::format("{}(t={}, t_prime={})", loss.kName, loss.t, loss.t_prime); }

bool likelihood(const SteLoss&) { return true; }
bool likelihood(const TSteLoss&) { return true; }
bool likelihood(const EteLoss& loss) { return loss.t == 1; }
bool likelihood(const CklLoss&) { return true; }
bool likelihood(const GnmdsLoss&) { return false; }
bool likelihood(const SoeLoss&) { return false; }

}  // namespace

bool is_likelihood(const TripletLoss& loss) {
  return std::visit([](const auto& one) { return likelihood(one); }, loss);
}

void require_valid(const TripletLoss& loss) {
  std::visit([](const auto& one) { require_parameters(one); }, loss);
}

std::string describe(const TripletLoss& loss) {
  return std::visit([](const auto& one) { return text(one); }, loss);
}

}  // namespace alidade::triplet
