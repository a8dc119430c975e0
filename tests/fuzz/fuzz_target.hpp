// What every fuzzer has in common: bytes in, and nothing but our own errors out.
// A target reads bytes as one of the program's readers would and asserts what must hold of whatever was read;
// fuzz_main.cpp hands it bytes of libFuzzer, corpus_test.cpp those of tests/fuzz/corpus/TARGET/.
// Targets take what they need to choose among options from the front of the bytes.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace alidade::fuzz {

using Target = void (*)(std::string_view bytes);

/// What a target finds wrong: of no kind that a reader may throw.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// @throws Finding with `claim` unless it holds.
void claim_that(bool holds, const std::string& claim);

/// Runs the target. An alidade::Error, which is always one printable line, is a good end if it says something; all else
/// passes on.
/// @throws Finding if it says nothing.
void run_target(Target target, std::string_view bytes);

/// Takes the first byte: 0 .. count - 1, of which the digit '0' is 0, '1' is 1 and so on; 0 where there is none.
[[nodiscard]] std::size_t take_choice(std::string_view& bytes, std::size_t count);
/// Takes the first line, without its end.
[[nodiscard]] std::string take_line(std::string_view& bytes);

// One a reader, in the file of its name.
void answers(std::string_view bytes);
void archive(std::string_view bytes);
void attributes(std::string_view bytes);
void clusterings(std::string_view bytes);
void config(std::string_view bytes);
void delimited_text(std::string_view bytes);
void dissimilarities(std::string_view bytes);
void edges(std::string_view bytes);
void experiment(std::string_view bytes);
void features(std::string_view bytes);
void finished_map(std::string_view bytes);
void graph_dot(std::string_view bytes);
void graphml(std::string_view bytes);
void gzip(std::string_view bytes);
void idx(std::string_view bytes);
void json(std::string_view bytes);
void labels(std::string_view bytes);
void map_csv(std::string_view bytes);
void matlab(std::string_view bytes);
void norb(std::string_view bytes);
void npy(std::string_view bytes);
void numbered_graph(std::string_view bytes);
void numeric_table(std::string_view bytes);
void option_text(std::string_view bytes);
void order(std::string_view bytes);
void pair_signs(std::string_view bytes);
void projector(std::string_view bytes);
void rows(std::string_view bytes);
void sdpa(std::string_view bytes);
void solution(std::string_view bytes);
void triplets(std::string_view bytes);

}  // namespace alidade::fuzz
