# matio, a reader of MATLAB's files, as Debian and Ubuntu package it (libmatio-dev). It brings a pkg-config
# file and none of CMake's.
#
# Defines the imported target Matio::Matio and Matio_FOUND, Matio_INCLUDE_DIR, Matio_LIBRARY.
# Set CMAKE_PREFIX_PATH, Matio_INCLUDE_DIR or Matio_LIBRARY if it lies elsewhere.

find_path(Matio_INCLUDE_DIR NAMES matio.h DOC "Folder that holds matio.h")
find_library(Matio_LIBRARY NAMES matio DOC "matio's library")
mark_as_advanced(Matio_INCLUDE_DIR Matio_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Matio
  REQUIRED_VARS Matio_LIBRARY Matio_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "on Debian and Ubuntu it is in libmatio-dev, which third_party/install.sh installs")

if(Matio_FOUND AND NOT TARGET Matio::Matio)
  add_library(Matio::Matio UNKNOWN IMPORTED)
  set_target_properties(Matio::Matio PROPERTIES IMPORTED_LOCATION "${Matio_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${Matio_INCLUDE_DIR}")
endif()
