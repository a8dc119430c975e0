# CSDP, Brian Borchers' solver for semidefinite programs, as Debian and Ubuntu package it
# (libsdp-dev: headers csdp/*.h, library sdp). It brings no CMake or pkg-config file of its own.
#
# Defines the imported target CSDP::CSDP, which carries LAPACK and BLAS, and
#   CSDP_FOUND, CSDP_INCLUDE_DIR, CSDP_LIBRARY.
# Set CMAKE_PREFIX_PATH, CSDP_INCLUDE_DIR or CSDP_LIBRARY if it lies elsewhere.
#
# What is looked for is CSDP 6.2 with 32-bit indices in `struct sparseblock`; older releases store
# `unsigned short` there unless they were compiled with NOSHORTS, which a program can not see, so a
# header that still mentions NOSHORTS is refused.

find_path(CSDP_INCLUDE_DIR NAMES csdp/declarations.h DOC "Folder that holds csdp/declarations.h")
find_library(CSDP_LIBRARY NAMES sdp DOC "CSDP's library")
mark_as_advanced(CSDP_INCLUDE_DIR CSDP_LIBRARY)

set(_csdp_wide_indices TRUE)
set(_csdp_reason "on Debian and Ubuntu it is in libsdp-dev, which third_party/install.sh installs")
if(EXISTS "${CSDP_INCLUDE_DIR}/csdp/blockmat.h")
  file(STRINGS "${CSDP_INCLUDE_DIR}/csdp/blockmat.h" _csdp_noshorts REGEX "NOSHORTS")
  if(_csdp_noshorts)
    set(_csdp_wide_indices FALSE)
    set(_csdp_reason "${CSDP_INCLUDE_DIR}/csdp is older than CSDP 6.2: its index type depends on NOSHORTS")
  endif()
  unset(_csdp_noshorts)
endif()

find_package(LAPACK QUIET)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CSDP
  REQUIRED_VARS CSDP_LIBRARY CSDP_INCLUDE_DIR _csdp_wide_indices LAPACK_FOUND
  REASON_FAILURE_MESSAGE "${_csdp_reason}")

if(CSDP_FOUND AND NOT TARGET CSDP::CSDP)
  add_library(CSDP::CSDP UNKNOWN IMPORTED)
  set_target_properties(
    CSDP::CSDP
    PROPERTIES IMPORTED_LOCATION "${CSDP_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${CSDP_INCLUDE_DIR}"
               INTERFACE_LINK_LIBRARIES LAPACK::LAPACK)
endif()

unset(_csdp_wide_indices)
unset(_csdp_reason)
