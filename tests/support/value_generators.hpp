// Values for properties: trees of tables and lists with every kind of leaf.
// Numbers are of any finite bit pattern; text has quotes, backslashes and characters of several bytes.
// Drawn inside a property of RapidCheck, so that a failing tree shrinks.
#pragma once

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <string>

#include "problems/core/value.hpp"

namespace alidade::testing {

struct ValueKinds {
  bool nulls = true;
  bool control_characters = true;  // below blank, and 0x7f
};

[[nodiscard]] inline std::string drawn_text(const ValueKinds& kinds) {
  std::string out;
  const auto pieces = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  for (const int piece : pieces) switch (piece) {
      case 0: out += '"'; break;
      case 1: out += '\\'; break;
      case 2: out += "\xc3\xa9"; break;
      case 3: out += "\xe2\x88\x9e"; break;
      case 4: out += ", "; break;
      case 5: out += "]}="; break;
      case 6:
        if (kinds.control_characters) out += static_cast<char>(*rc::gen::element(1, 9, 10, 13, 31, 127));
        break;
      default: out += *rc::gen::inRange('a', 'z'); break;
    }
  return out;
}

[[nodiscard]] inline double drawn_number() {
  const auto number = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  return std::isfinite(number) ? number : 0.5;
}

[[nodiscard]] inline Value drawn_value(int depth, const ValueKinds& kinds);

[[nodiscard]] inline ValueTable drawn_table(int depth, const ValueKinds& kinds) {
  ValueTable out;
  const int entries = *rc::gen::inRange(0, 4);
  for (int e = 0; e < entries; ++e) out.set("k" + std::to_string(e) + drawn_text(kinds), drawn_value(depth - 1, kinds));
  return out;
}

[[nodiscard]] inline Value drawn_value(int depth, const ValueKinds& kinds) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0: return *rc::gen::arbitrary<bool>();
    case 1: return *rc::gen::arbitrary<std::int64_t>();
    case 2: return drawn_number();
    case 3: return kinds.nulls ? Value() : Value(-0.0);
    case 4: return drawn_text(kinds);
    case 5: return drawn_table(depth, kinds);
    default: break;
  }
  ValueArray out;
  const int items = *rc::gen::inRange(0, 4);
  for (int i = 0; i < items; ++i) out.push_back(drawn_value(depth - 1, kinds));
  return out;
}

}  // namespace alidade::testing
