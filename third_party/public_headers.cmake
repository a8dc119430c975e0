# Lays out our headers so that another project has them below alidade/ alone:
#   cmake -D SOURCE=<this repository> -D TO=<include folder> -D LAYERS=problems,solvers[,experiments] -P public_headers.cmake
# The headers of the folders public/ become alidade/NAME.hpp, all others alidade/detail/..., and what includes or mentions
# them is written to match.
cmake_minimum_required(VERSION 3.25)

string(REPLACE "," ";" layers "${LAYERS}")
list(JOIN layers "|" any_layer)
foreach(layer IN LISTS layers)
  file(GLOB_RECURSE headers RELATIVE "${SOURCE}" "${SOURCE}/${layer}/*.hpp")
  list(FILTER headers EXCLUDE REGEX "^experiments/(python|configs)/")
  foreach(header IN LISTS headers)
    set(place "alidade/detail/${header}")
    if(header MATCHES "/public/")
      cmake_path(GET header FILENAME name)
      set(place "alidade/${name}")
    endif()
    file(READ "${SOURCE}/${header}" text)
    string(REGEX REPLACE "([^A-Za-z0-9_/])(${any_layer})/public/([a-z0-9_]+[.]hpp)" "\\1alidade/\\3" text "${text}")
    string(REGEX REPLACE "([^A-Za-z0-9_/])((${any_layer})/[a-z0-9_/]+[.]hpp)" "\\1alidade/detail/\\2" text "${text}")
    file(CONFIGURE OUTPUT "${TO}/${place}" CONTENT "${text}" @ONLY)
  endforeach()
endforeach()
