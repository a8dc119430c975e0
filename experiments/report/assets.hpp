// The fixed parts of the report page, embedded in the program at build time (assets.cmake).
// They live as long as the program.
// The page needs nothing else: no network, no library.
#pragma once

#include <string_view>

namespace alidade::report_assets {

[[nodiscard]] std::string_view page();    // report.html, with {{places}}
[[nodiscard]] std::string_view style();   // report.css
[[nodiscard]] std::string_view script();  // script/*.js, one after the other

}  // namespace alidade::report_assets
