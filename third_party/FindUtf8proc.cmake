# utf8proc, Unicode's normal forms.
include("${CMAKE_CURRENT_LIST_DIR}/find_plain_library.cmake")
