// To add a data set: its entry, options and random streams.
//   datasets::with_load({.name = "circle", .summary = "...", .random = true}, options, load)
// where load(const Options&, const datasets::DatasetContext&) returns Observations. What is random comes from
// datasets::data_stream(context, "circle", "noise"). An entry stands in Catalogs (command.hpp) or in ALIDADE_PLUGIN.
#pragma once

#include "experiments/datasets/sets/dataset_entries.hpp"
