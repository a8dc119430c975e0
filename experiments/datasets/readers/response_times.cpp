#include "experiments/datasets/readers/response_times.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "experiments/files/delimited_text.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {

std::vector<double> median_times(const ResponseTimes& times, const std::vector<std::uint32_t>& place,
                                 std::size_t people) {
  std::vector<std::vector<double>> times_of(people);
  bool any = false;
  for (const auto& [annotator, time] : times)
    if (!std::isnan(time)) {
      times_of[place[annotator]].push_back(time);
      any = true;
    }
  if (!any) return {};
  std::vector<double> out;
  for (std::vector<double>& of_person : times_of) {
    const auto middle = of_person.begin() + static_cast<std::ptrdiff_t>(of_person.size() / 2);
    if (!of_person.empty()) std::ranges::nth_element(of_person, middle);
    out.push_back(of_person.empty() ? std::nan("") : *middle);
  }
  return out;
}

std::string note_on_times(const std::vector<double>& medians, const std::vector<std::string>& annotators) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::size_t> order;
  for (std::size_t a = 0; a < medians.size(); ++a)
    if (!std::isnan(medians[a])) order.push_back(a);
  if (order.size() <= kNamed) return "";
  std::ranges::stable_sort(order, {}, [&](std::size_t a) { return medians[a]; });
  std::vector<std::string> fastest;
  for (const std::size_t a : std::span(order).first(kNamed))
    fastest.push_back(fmt::format("{} ({:.4g})", shown(annotators[a]), medians[a]));
  return fmt::format("Fastest annotators by their median response time: {}. The median of {} is {:.4g}.",
                     join(fastest, ", "), order.size(), medians[order[order.size() / 2]]);
}

}  // namespace alidade::datasets
