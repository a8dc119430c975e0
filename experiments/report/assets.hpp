// The fixed parts of the report page, embedded in the program when it is built (assets.cmake).
// They live as long as the program.
// plotly() is empty if plotly.js was missing then.
#pragma once

#include <string_view>

namespace alidade::report_assets {

[[nodiscard]] std::string_view page();    // report.html, with {{places}}
[[nodiscard]] std::string_view style();   // report.css
[[nodiscard]] std::string_view script();  // script/*.js, one after the other
[[nodiscard]] std::string_view plotly();  // plotly.js of its distribution with 2-D WebGL

}  // namespace alidade::report_assets
