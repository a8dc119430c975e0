# A library that brings a pkg-config file and none of CMake's, as Debian and Ubuntu package it: lib<name>-dev has
# the header <name>.h and lib<name>, where <name> is the package's in small letters. Find<Package>.cmake includes this.
#
# Defines the imported target <Package>::<Package> and <Package>_FOUND, <Package>_INCLUDE_DIR, <Package>_LIBRARY.
# Set CMAKE_PREFIX_PATH, <Package>_INCLUDE_DIR or <Package>_LIBRARY if it lies elsewhere.

set(alidade_found ${CMAKE_FIND_PACKAGE_NAME})
string(TOLOWER "${alidade_found}" alidade_name)
find_path(${alidade_found}_INCLUDE_DIR NAMES ${alidade_name}.h DOC "Folder that holds ${alidade_name}.h")
find_library(${alidade_found}_LIBRARY NAMES ${alidade_name} DOC "${alidade_found}'s library")
mark_as_advanced(${alidade_found}_INCLUDE_DIR ${alidade_found}_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ${alidade_found}
  REQUIRED_VARS ${alidade_found}_LIBRARY ${alidade_found}_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "on Debian and Ubuntu it is in lib${alidade_name}-dev, which third_party/install.sh installs")

if(${alidade_found}_FOUND AND NOT TARGET ${alidade_found}::${alidade_found})
  add_library(${alidade_found}::${alidade_found} UNKNOWN IMPORTED)
  set_target_properties(
    ${alidade_found}::${alidade_found} PROPERTIES IMPORTED_LOCATION "${${alidade_found}_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${${alidade_found}_INCLUDE_DIR}")
endif()
