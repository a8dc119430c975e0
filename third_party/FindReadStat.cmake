# ReadStat, a reader of SPSS, Stata and SAS files, as Debian and Ubuntu package it (libreadstat-dev). It brings a pkg-config
# file and none of CMake's.
#
# Defines the imported target ReadStat::ReadStat and ReadStat_FOUND, ReadStat_INCLUDE_DIR, ReadStat_LIBRARY.
# Set CMAKE_PREFIX_PATH, ReadStat_INCLUDE_DIR or ReadStat_LIBRARY if it lies elsewhere.

find_path(ReadStat_INCLUDE_DIR NAMES readstat.h DOC "Folder that holds readstat.h")
find_library(ReadStat_LIBRARY NAMES readstat DOC "ReadStat's library")
mark_as_advanced(ReadStat_INCLUDE_DIR ReadStat_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ReadStat
  REQUIRED_VARS ReadStat_LIBRARY ReadStat_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "on Debian and Ubuntu it is in libreadstat-dev, which third_party/install.sh installs")

if(ReadStat_FOUND AND NOT TARGET ReadStat::ReadStat)
  add_library(ReadStat::ReadStat UNKNOWN IMPORTED)
  set_target_properties(ReadStat::ReadStat PROPERTIES IMPORTED_LOCATION "${ReadStat_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${ReadStat_INCLUDE_DIR}")
endif()
