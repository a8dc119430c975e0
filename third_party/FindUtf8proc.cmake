# utf8proc, Unicode's normal forms, as Debian and Ubuntu package it (libutf8proc-dev). It brings a pkg-config
# file and none of CMake's.
#
# Defines the imported target Utf8proc::Utf8proc and Utf8proc_FOUND, Utf8proc_INCLUDE_DIR, Utf8proc_LIBRARY.
# Set CMAKE_PREFIX_PATH, Utf8proc_INCLUDE_DIR or Utf8proc_LIBRARY if it lies elsewhere.

find_path(Utf8proc_INCLUDE_DIR NAMES utf8proc.h DOC "Folder that holds utf8proc.h")
find_library(Utf8proc_LIBRARY NAMES utf8proc DOC "utf8proc's library")
mark_as_advanced(Utf8proc_INCLUDE_DIR Utf8proc_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Utf8proc
  REQUIRED_VARS Utf8proc_LIBRARY Utf8proc_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "on Debian and Ubuntu it is in libutf8proc-dev, which third_party/install.sh installs")

if(Utf8proc_FOUND AND NOT TARGET Utf8proc::Utf8proc)
  add_library(Utf8proc::Utf8proc UNKNOWN IMPORTED)
  set_target_properties(Utf8proc::Utf8proc PROPERTIES IMPORTED_LOCATION "${Utf8proc_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${Utf8proc_INCLUDE_DIR}")
endif()
