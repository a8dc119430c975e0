// Notes on how a file was read, and those of them that are guesses: it might mean otherwise.
// A note goes to a list, or to a file: whatever has a list `notes`; a guess goes to a file that has `guesses` too.
// An empty text is no note, so that functions which make one may have nothing to say.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/files/counted.hpp"

namespace alidade {

using Notes = std::vector<std::string>;
[[nodiscard]] inline Notes& notes_of(Notes& list) { return list; }
template <class File>
[[nodiscard]] Notes& notes_of(File& file) {
  return file.notes;
}

template <class Out>
void add_note(Out& out, std::string text) {
  if (!text.empty()) notes_of(out).push_back(std::move(text));
}
template <class Out>
void add_note(Out& out, const Notes& texts) {
  for (const std::string& text : texts) add_note(out, text);
}
template <class Out, class First, class... More>
void add_note(Out& out, fmt::format_string<First, More...> text, First&& first, More&&... more) {
  add_note(out, fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}
/// "3 MANY", if there are any.
template <class Out, class Count>
void add_count(Out& out, Count count, std::string_view one, std::string_view many) {
  if (count > 0) add_note(out, counted(count, one, many));
}

/// Adds a guess, or several, to the guesses and to the notes.
template <class File>
void add_guess(File& out, const Notes& texts) {
  add_note(out.guesses, texts);
  add_note(out.notes, texts);
}
template <class File>
void add_guess(File& out, std::string text) {
  add_guess(out, Notes{std::move(text)});
}
template <class File, class First, class... More>
void add_guess(File& out, fmt::format_string<First, More...> text, First&& first, More&&... more) {
  add_guess(out, fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}
/// What is said of a part of a file.
struct Said {
  Notes notes{}, guesses{};
};
template <class File>
void add_said(File& out, const Said& said) {
  add_note(out.notes, said.notes);
  add_note(out.guesses, said.guesses);
}

/// Puts guesses before the other notes and guesses of a file.
template <class File>
void add_guesses(File& out, const Notes& guesses) {
  out.guesses.insert(out.guesses.begin(), guesses.begin(), guesses.end());
  out.notes.insert(out.notes.begin(), guesses.begin(), guesses.end());
}

}  // namespace alidade
