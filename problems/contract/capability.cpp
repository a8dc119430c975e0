#include "problems/contract/capability.hpp"

#include "problems/contract/problem_model.hpp"

namespace alidade {
namespace {

template <class... C>
std::vector<std::string> names_of(CapabilitySet set, TypeList<C...>) {
  std::vector<std::string> out;
  ((set.has<C>() ? static_cast<void>(out.emplace_back(C::kName)) : void()), ...);
  return out;
}

}  // namespace

std::vector<std::string> CapabilitySet::names() const { return names_of(*this, Capabilities{}); }

}  // namespace alidade
