// The capability `borderless`: the domain has no border, so retractions are smooth and line searches unrestricted.
// It is a property of the domain, which a class alone cannot promise: a problem offers it if Domain::has_border() is
// false. It has no members, and so no face.
#pragma once

#include <string_view>

namespace alidade {

class Borderless {
 public:
  static constexpr std::string_view kName = "borderless";
  template <class P>
  static constexpr bool kOfferedBy = false;
};

}  // namespace alidade
