// Responses of two-choice trials: which of two objects, left or right, is more like a reference.
// A file writes them in one way throughout: the chosen object's name, a side in words or as a key (f and j, q and p,
// z and m), a and b, 0 and 1, or 1 and 2.
// Which way is decided when all rows are known; a response that does not fit the others is an error, never a guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

class TwoChoiceResponses {
 public:
  /// Adds the response of a row; false, without effect, if it marks that there is none. The texts must outlive this.
  [[nodiscard]] bool add(std::string_view response, std::string_view left, std::string_view right, std::size_t line);

  /// The way of writing that most responses fit.
  struct Fit {
    std::size_t fitting = 0, on_right = 0;  // responses
    bool by_name = false;
  };
  [[nodiscard]] Fit best_fit() const;
  [[nodiscard]] std::size_t count() const { return all_.size(); }

  struct Sides {
    std::vector<bool> right;  // one per response: whether the right object was chosen
    std::string how;          // a note on how numbers were read; "" for names and words
  };
  /// O(responses). @pre there is one. @throws DataError "file:line: what is wrong and what to do" if no way of writing
  /// fits all responses, or two that do disagree.
  [[nodiscard]] Sides sides(const std::string& file) const;

 private:
  struct Response {
    std::string_view text;
    std::uint32_t readings;  // for each way of writing two bits: may be left, may be right
    std::size_t line;
  };
  std::vector<Response> all_;
};

/// How often an annotator chose the right side.
struct ChosenSides {
  double right = 0, all = 0;
  void add(bool is_right) {
    right += is_right ? 1 : 0;
    ++all;
  }
};
/// Who chose one side in nine of ten of at least 20 answers; empty if nobody did. Who presses one key answers nothing.
/// Nobody where all of them together choose one side so often: then the file orders its objects by the answer.
[[nodiscard]] std::vector<bool> one_sided(const std::vector<ChosenSides>& chosen);
/// A sentence on them, with the share of the others; "" if there is nobody.
[[nodiscard]] std::string note_on_sides(const std::vector<ChosenSides>& chosen, const std::vector<bool>& one_sided,
                                        const std::vector<std::string>& annotators);

}  // namespace alidade::datasets
