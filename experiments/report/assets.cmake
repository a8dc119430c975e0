# The report page's fixed parts as bytes of the program: the library alidade_report_assets.
# Include it from a project with the language ASM.

set(alidade_asset_dir "${CMAKE_CURRENT_BINARY_DIR}/report_assets")
set(alidade_asset_page "${CMAKE_CURRENT_LIST_DIR}/report.html")
set(alidade_asset_style "${CMAKE_CURRENT_LIST_DIR}/report.css")
# Read one after the other, in this order, in one function.
set(alidade_asset_script "")
foreach(part IN ITEMS page tables pens map_view maps charts printing)
  list(APPEND alidade_asset_script "${CMAKE_CURRENT_LIST_DIR}/script/${part}.js")
endforeach()

# FILE(GENERATE) and CONFIGURE leave an unchanged file alone, so nothing is rebuilt for nothing.
set(alidade_asset_text "")
set(alidade_asset_files "")
foreach(part IN ITEMS page style script)
  string(APPEND alidade_asset_text "  .global alidade_asset_${part}\n  .global alidade_asset_${part}_end\n"
         "alidade_asset_${part}:\n")
  foreach(file IN LISTS alidade_asset_${part})
    string(APPEND alidade_asset_text "  .incbin \"${file}\"\n")
    list(APPEND alidade_asset_files "${file}")
  endforeach()
  string(APPEND alidade_asset_text "alidade_asset_${part}_end:\n  .byte 0\n")
endforeach()
file(
  CONFIGURE
  OUTPUT "${alidade_asset_dir}/assets.S"
  CONTENT "  .section .rodata\n${alidade_asset_text}  .section .note.GNU-stack,\"\",%progbits\n"
  @ONLY)
set_source_files_properties("${alidade_asset_dir}/assets.S" PROPERTIES OBJECT_DEPENDS
                                                                       "${alidade_asset_files}")

add_library(alidade_report_assets STATIC "${CMAKE_CURRENT_LIST_DIR}/assets.cpp"
                                         "${alidade_asset_dir}/assets.S")
target_compile_features(alidade_report_assets PUBLIC cxx_std_20)
target_include_directories(alidade_report_assets PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
set_target_properties(alidade_report_assets PROPERTIES EXPORT_NAME report_assets POSITION_INDEPENDENT_CODE ON)
if(TARGET alidade_build_flags)
  target_link_libraries(alidade_report_assets PRIVATE $<BUILD_INTERFACE:alidade_build_flags>)
endif()
