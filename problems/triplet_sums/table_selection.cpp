#include "problems/triplet_sums/table_selection.hpp"

namespace alidade::triplet {
namespace {

/// The table under a chain of views, and the views from the outermost inwards.
const AttributeTable* root_of(const TripletSource& source, std::vector<const TripletView*>& chain) {
  const TripletSource* at = &source;
  while (const auto* view = dynamic_cast<const TripletView*>(at)) {
    chain.push_back(view);
    at = view->base().get();
  }
  return dynamic_cast<const AttributeTable*>(at);
}

}  // namespace

std::optional<TableSelection> table_selection(const TripletSource& source) {
  std::vector<const TripletView*> chain;
  TableSelection out;
  out.table = root_of(source, chain);
  if (!out.table) return std::nullopt;
  if (chain.empty()) return out;
  const std::uint64_t size = out.table->size();
  const TripletView& last = *chain.back();
  const std::uint64_t rest = size - last.size();
  // For a view of the table itself, the complement (the positions after the view's) may be smaller.
  const bool clear = chain.size() == 1 && rest < last.size();
  out.mask.assign(static_cast<std::size_t>(size / 64 + 2), clear ? ~std::uint64_t{0} : 0);
  out.mask.back() = 0;
  const auto word = [&](std::uint64_t u) -> std::uint64_t& { return out.mask[static_cast<std::size_t>(u / 64)]; };
  if (clear) {
    for (std::uint64_t i = 0; i < rest; ++i) {
      const std::uint64_t u = last.base_index(last.size() + i);
      word(u) &= ~(std::uint64_t{1} << (u % 64));
    }
    return out;
  }
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    std::uint64_t u = i;
    for (const TripletView* view : chain) u = view->base_index(u);
    word(u) |= std::uint64_t{1} << (u % 64);
  }
  return out;
}

}  // namespace alidade::triplet
