// A question about three objects, and how questions are drawn: which of left and right is more like the anchor?
// Every question has a number, so that distinct random questions are the first images of a keyed permutation.
// Left and right may be swapped without changing the question; the order shown to people is drawn for each question.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::asking {

/// Three different objects.
struct Question {
  ObjectId anchor = 0;
  ObjectId left = 0;
  ObjectId right = 0;
  friend bool operator==(const Question&, const Question&) = default;
};

/// All questions about n objects, numbered from 0. O(1) each way.
class QuestionSpace {
 public:
  /// @throws DataError unless 3 <= n <= 2,000,000 (beyond, numbers need more than 64 bits)
  explicit QuestionSpace(Index object_count);

  [[nodiscard]] Index object_count() const { return objects_; }
  /// n (n - 1) (n - 2) / 2
  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(objects_) * pairs_; }
  /// With left < right. @pre number < size()
  [[nodiscard]] Question at(std::uint64_t number) const;
  /// The same for both orders of left and right. @pre the objects differ and are below n
  [[nodiscard]] std::uint64_t number_of(const Question& question) const;

 private:
  Index objects_;
  std::uint64_t pairs_;  // of other objects, per anchor
};

/// Numbers of the questions that the triplets answer. O(triplets)
[[nodiscard]] std::unordered_set<std::uint64_t> answered_questions(const QuestionSpace& space,
                                                                   const TripletSource& answers);

/// Different questions in random order, none of them in `leave_out`; fewer than `count` if there are no more. Left and
/// right are in random order. Every remaining question is equally likely. O(count + size of leave_out).
[[nodiscard]] std::vector<Question> draw_questions(const QuestionSpace& space,
                                                   const std::unordered_set<std::uint64_t>& leave_out,
                                                   std::size_t count, std::uint64_t key);

}  // namespace alidade::asking
