#include "problems/faces/term_run.hpp"

namespace alidade {
namespace {

Index widest_block(const Domain& domain) {
  Index widest = 1;
  for (const DomainBlock& block : domain.blocks()) widest = std::max(widest, block.cols);
  return widest;
}

std::size_t row_total(const Domain& domain) {
  std::size_t rows = 0;
  for (const DomainBlock& block : domain.blocks()) rows += static_cast<std::size_t>(block.rows);
  return rows;
}

}  // namespace

RunScratch::RunScratch(const Domain& domain, std::size_t rows_per_term)
    : term(widest_block(domain), rows_per_term), batch_gradient(domain.zero()), stamp(row_total(domain), 0U) {}

}  // namespace alidade
