# Lays out our headers so that another project has them below alidade/ alone:
#   cmake -D SOURCE=<this repository> -D TO=<include folder> -D LAYERS=problems,solvers[,experiments] -P public_headers.cmake
# With -D HASH=<file.cpp> in place of TO, writes their hash there, as the source of a function.
# The headers of the folders public/ become alidade/NAME.hpp, all others alidade/detail/..., and what includes or mentions
# them is written to match.
cmake_minimum_required(VERSION 3.25)

set(hash)
set(places)
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
    list(APPEND places "${place}")
    set("text_of_${place}" "${text}")
    string(SHA256 hash "${hash}${place}${text}")
  endforeach()
endforeach()

# What a plug-in was compiled with is known by this number, see plugin.hpp.
string(SUBSTRING "${hash}" 0 16 hash)
if(HASH)
  file(CONFIGURE OUTPUT "${HASH}" @ONLY CONTENT "#include \"experiments/command_line/plugin.hpp\"

std::uint64_t alidade::installed_headers() { return 0x@hash@U; }
")
  return()
endif()
foreach(place IN LISTS places)
  string(REPLACE "kHeaders = 0;" "kHeaders = 0x${hash}U;" text "${text_of_${place}}")
  file(CONFIGURE OUTPUT "${TO}/${place}" CONTENT "${text}" @ONLY)
endforeach()
