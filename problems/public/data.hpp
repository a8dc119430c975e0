// What maps are made of: objects, answers (triplets), features, dissimilarities, pair signs, and random numbers.
// Observations holds the evidence about n objects; a Triplet's anchor is nearer to `near` than to `far`.
// evidence.hpp makes Observations of arrays and texts, in the words of the readers of files.
#pragma once

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/evidence/pair_signs.hpp"
