// What a problem says of single answers, for objectives that are sums over answers: the loss of each, a function of two
// squared distances on one Euclidean map, and the weight of an L2 term.
// For what judges a finished map: how probable answers are under it, and how far it would move with other answers.
// Solvers do not need it.
#pragma once

#include <functional>

namespace alidade {

/// The loss of an answer of weight 1 and its partial derivatives.
struct AnswerLoss {
  double value, d_near, d_far;
};

struct AnswerModel {
  /// Of a = |y_anchor - y_near|^2 and b = |y_anchor - y_far|^2, both >= 0. May be called by several threads.
  std::function<AnswerLoss(double a, double b)> loss;
  double lambda = 0;  // of lambda * (sum of |y_i|^2 over the objects in answers)
  /// Whether the loss is -ln P(answer), where an answer and its reverse have probabilities that add up to 1.
  bool likelihood = false;
};

}  // namespace alidade
