#include "experiments/datasets/sets/chemical_elements.hpp"

#include <algorithm>
#include <vector>

#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

struct ElementTable {
  std::vector<Element> elements;
  std::array<std::string_view, kElementAspectCount> aspects;
};

ElementTable read_element_table() {
  constexpr std::size_t kBefore = 3;  // columns before the aspects
  RowReader rows(chemical_elements_csv(), "chemical_elements.csv", ',');
  ElementTable out;
  const auto take = [&](auto& aspects) { std::ranges::copy(rows.fields().subspan(kBefore), aspects.begin()); };
  if (rows.next()) take(out.aspects);
  while (rows.next()) {
    const auto fields = rows.fields();
    take(out.elements.emplace_back(Element{fields[0], fields[1], static_cast<int>(*parse_double(fields[2])), {}})
             .aspects);
  }
  return out;
}

const ElementTable& element_table() {
  static const ElementTable table = read_element_table();
  return table;
}

}  // namespace

std::span<const Element> chemical_elements() { return element_table().elements; }

std::span<const std::string_view> element_aspect_names() { return element_table().aspects; }

}  // namespace alidade::datasets
