# matio, a reader of MATLAB files.
include("${CMAKE_CURRENT_LIST_DIR}/find_plain_library.cmake")
