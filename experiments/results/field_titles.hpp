// Fields of rows as readers call them, in tables, pages and sentences.
// All of it is plain text, not markup.
// A field unknown here is titled by its own name.
#pragma once

#include <string>
#include <string_view>

namespace alidade {

/// "max_iter" as "max iter".
[[nodiscard]] std::string spaced(std::string text);

/// "metrics.heldout_error" as "Held-out triplet error"; for unknown fields the last part of the name, with blanks.
[[nodiscard]] std::string title_of(std::string_view field);

/// A title within a sentence: "Seconds to solve" as "seconds to solve"; names such as "NeRV cost" stay.
[[nodiscard]] std::string within_sentence(std::string title);

}  // namespace alidade
