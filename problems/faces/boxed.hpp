// The capability `boxed`: what restricts the unknowns are bounds of single numbers, lower ones, upper ones or both.
// It is a property of the domain, as `borderless` is: a problem offers it if Domain::is_boxed() is true.
// It has no members, and so no face.
#pragma once

#include <string_view>

namespace alidade {

class Boxed {
 public:
  static constexpr std::string_view kName = "boxed";
  template <class P>
  static constexpr bool kOfferedBy = false;
};

}  // namespace alidade
