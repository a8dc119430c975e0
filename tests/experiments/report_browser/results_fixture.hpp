// Results folders made up for the tests of the report, small and always the same.
// The rows have the form that a run writes; the numbers are made, not measured, and the page says so.
// Some names try to be markup or script.
#pragma once

#include <cstddef>
#include <filesystem>

namespace alidade::testing {

/// 3 methods x 2 datasets x 3 repeats: "towns" with 6 labels, and "shapes <b>", whose object names are
/// hostile; one method fails on a dataset with a log of 40 lines, one is skipped, one chose by validation, two have
/// ellipses of the towns.
void write_experiment(const std::filesystem::path& folder);

/// One run of one method, with a map of the towns, their ellipses and a dimension that was chosen.
void write_single_run(const std::filesystem::path& folder);

/// Two runs with maps of `count` objects in two clusters, one of them with three coordinates.
void write_large_maps(const std::filesystem::path& folder, std::size_t count);

/// Two runs with maps of the towns in space, one the other turned and mirrored, with standard deviations that grow from
/// object to object; the last but one has none.
void write_maps_in_space(const std::filesystem::path& folder);

/// 15 methods in five groups hard to tell apart, of short and long names, without maps: "ten repeats", on which the
/// last method has only four, and "three repeats". On the first the first three methods differ by chance alone.
void write_fifteen_methods(const std::filesystem::path& folder);

/// What is rare: a map with one coordinate, a run with two aspects, an object without a place, 26 labels,
/// ten methods, a run that was interrupted.
void write_odd_maps(const std::filesystem::path& folder);

}  // namespace alidade::testing
