#include "problems/faces/term_run.hpp"

#include <cmath>
#include <limits>

namespace alidade {
namespace {

std::size_t row_total(const Domain& domain) {
  std::size_t rows = 0;
  for (const DomainBlock& block : domain.blocks()) rows += static_cast<std::size_t>(block.rows);
  return rows;
}

}  // namespace

Index widest_block(const Layout& layout) {
  Index widest = 1;
  for (const BlockShape& block : layout) widest = std::max(widest, block.cols);
  return widest;
}

void TermGradient::clear_to_nan() {
  clear();
  std::ranges::fill(storage_, std::numeric_limits<double>::quiet_NaN());
}

std::string TermGradient::fault(const Layout& layout) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const auto& [block, row, gradient] = entries_[i];
    if (block >= layout.size() || row < 0 || row >= layout[block].rows)
      return fmt::format("it writes row {} of block {}, which the domain does not have", row, block);
    for (std::size_t k = 0; k < i; ++k)
      if (entries_[k].block == block && entries_[k].row == row)
        return fmt::format("it adds row {} of block {} twice; add up what belongs to one row", row, block);
    const double* end = i + 1 < count_ ? entries_[i + 1].gradient : storage_.data() + used_;
    if (end - gradient != layout[block].cols)
      return fmt::format("it adds {} columns to block {}, which has {}", end - gradient, block, layout[block].cols);
    for (Index c = 0; c < layout[block].cols; ++c)
      if (std::isnan(gradient[c]))
        return fmt::format("it leaves column {} of row {} of block {} unwritten, or writes NaN", c, row, block);
  }
  return "";
}

void TermGradient::throw_no_room() const {
  throw ConfigError(fmt::format(
      "A term of a finite sum writes more than {} numbers, which is what its rows have room for. Let the "
      "problem say how many rows a term touches at most: std::size_t rows_per_term() const; it is {} unless "
      "it says so.",
      limit_, kUsualRows));
}

RunScratch::RunScratch(const Domain& domain, std::size_t rows_per_term)
    : term(widest_block(*domain.layout()), rows_per_term),
      batch_gradient(domain.zero()),
      stamp(row_total(domain), 0U) {}

}  // namespace alidade
