# ReadStat, a reader of SPSS, Stata and SAS files.
include("${CMAKE_CURRENT_LIST_DIR}/find_plain_library.cmake")
