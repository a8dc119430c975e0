# Installs the build into a fresh folder, then builds and runs a project that finds alidade there:
#   cmake -D BUILD=<build folder> -D CONSUMER=<source folder> -D WORK=<scratch folder> -D GENERATOR=<name>
#         -D CXX=<compiler> -P install_test.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")

# The command works from there, and its manual page and completions came along.
run("${WORK}/prefix/bin/alidade" list problems ete)
foreach(file IN ITEMS man/man1/alidade.1 bash-completion/completions/alidade zsh/site-functions/_alidade)
  file(SIZE "${WORK}/prefix/share/${file}" size)
  if(size LESS 1000)
    message(FATAL_ERROR "share/${file} has ${size} bytes.")
  endif()
endforeach()

# Nothing of an installed package may point back into the folders it was made in.
file(GLOB_RECURSE packaged "${WORK}/prefix/*.cmake")
if(NOT packaged)
  message(FATAL_ERROR "No CMake package was installed.")
endif()
foreach(file IN LISTS packaged)
  file(READ "${file}" text)
  string(FIND "${text}" "${BUILD}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file} names the build folder ${BUILD}.")
  endif()
endforeach()

run("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${WORK}/build" -G "${GENERATOR}" -D "CMAKE_CXX_COMPILER=${CXX}"
    -D CMAKE_BUILD_TYPE=Release -D "CMAKE_PREFIX_PATH=${WORK}/prefix")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer")
message("${output}")
if(NOT output MATCHES "ceres: [a-z_]+, triplet error 0\\.[0-9]+")
  message(FATAL_ERROR "The consumer did not print what it should.")
endif()
# Ceres brings a BLAS of its own: the one that CSDP is linked with has to answer in other programs too.
string(REGEX MATCH "BLAS: [^\n]+" there "${output}")
run("${WORK}/prefix/bin/alidade" --version)
string(REGEX MATCH "BLAS: [^\n]+" here "${output}")
if(NOT here OR NOT here STREQUAL there)
  message(FATAL_ERROR "The command has ${here}, the consumer ${there}.")
endif()
file(REMOVE_RECURSE "${WORK}")
