#include "experiments/report/assets.hpp"

#include <cstddef>

// Defined by assets.S, which CMake writes.
extern "C" {
extern const char alidade_asset_page[];
extern const char alidade_asset_page_end[];
extern const char alidade_asset_style[];
extern const char alidade_asset_style_end[];
extern const char alidade_asset_script[];
extern const char alidade_asset_script_end[];
}

namespace alidade::report_assets {
namespace {

std::string_view bytes_between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view page() { return bytes_between(alidade_asset_page, alidade_asset_page_end); }
std::string_view style() { return bytes_between(alidade_asset_style, alidade_asset_style_end); }
std::string_view script() { return bytes_between(alidade_asset_script, alidade_asset_script_end); }

}  // namespace alidade::report_assets
