// How far each annotator's answers can be trusted, as estimated along with a map.
// Rates and standard errors are in [0, 1]; which annotators are named is decided where they are estimated.
// Row i is annotator i of the Observations of the map.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade {

struct AnnotatorEstimate {
  std::string name;
  Index answers = 0;          // given; 0: the other members but guess_rate mean nothing
  double guess_rate = 0;      // share of answers that are guesses
  double standard_error = 0;  // of guess_rate, the map taken as known
  /// How sharply answers follow differences in distance, relative to the typical annotator's 1. Nothing if it is not
  /// estimated or the annotator guesses.
  std::optional<double> sharpness{};
  double agreement = 0;         // share of answers that the map satisfies
  bool likely_guesser = false;  // not reversed; guess_rate > 0.5, and significantly more than the median annotator's
  bool reversed = false;        // the map satisfies significantly fewer than half of the answers
  std::size_t group = 0;        // of people who agree with each other and not with other ones, from 1; 0: none is known
};

struct AnnotatorEstimates {
  std::vector<AnnotatorEstimate> annotators;
  /// P(near is named) of an annotator, of squared distances a to near and b to far. May be called by several threads.
  std::function<double(std::size_t annotator, double a, double b)> probability{};
};

}  // namespace alidade
