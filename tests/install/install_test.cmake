# Installs the build into a fresh folder, then builds and runs a project that finds alidade there:
#   cmake -D BUILD=<build folder> -D EXAMPLES=<folder of sources> -D WORK=<scratch folder> -D GENERATOR=<name>
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

function(build example)
  run("${CMAKE_COMMAND}" -S "${EXAMPLES}/${example}" -B "${WORK}/${example}" -G "${GENERATOR}"
      -D "CMAKE_CXX_COMPILER=${CXX}" -D CMAKE_BUILD_TYPE=Release -D "CMAKE_PREFIX_PATH=${WORK}/prefix")
  run("${CMAKE_COMMAND}" --build "${WORK}/${example}")
endfunction()
build(consumer)
run("${WORK}/consumer/consumer")
message("${output}")
if(NOT output MATCHES "ceres: [a-z_]+, triplet error 0\\.[0-9]+")
  message(FATAL_ERROR "The consumer did not print what it should.")
endif()
if(NOT output MATCHES "own headers: 6")
  message(FATAL_ERROR "The consumer did not see its own headers.")
endif()
# Ceres brings a BLAS of its own: the one that CSDP is linked with has to answer in other programs too.
string(REGEX MATCH "BLAS: [^\n]+" there "${output}")
run("${WORK}/prefix/bin/alidade" --version)
string(REGEX MATCH "BLAS: [^\n]+" here "${output}")
if(NOT here OR NOT here STREQUAL there)
  message(FATAL_ERROR "The command has ${here}, the consumer ${there}.")
endif()

file(GLOB beside RELATIVE "${WORK}/prefix/include" "${WORK}/prefix/include/*")
if(NOT beside STREQUAL "alidade")
  message(FATAL_ERROR "Headers are installed beside alidade/: ${beside}")
endif()

# The programs of the guide.
build(library)
foreach(program_and_line IN ITEMS
        "map_of_answers|Hanover +5\\.[0-9]+.*contradicted" "compare_solvers|ceres +15\\.[0-9]+ converged"
        "own_problem|^energy 6\\.881910" "own_function|^open +1\\.0000.*converged\nbounded +0\\.5000.*converged"
        "own_program|^theta 2\\.2360.*\nspread 1716\\.0"
        "psd_matrix|accelerated_gradient +[0-9]e-[0-9]+.*ceres +[0-9]e-[0-9]+" "own_solver|^halving 0\\.0[0-9]+\nceres +0\\.0" "max_cut|at least -4\\.04508")
  string(REPLACE "|" ";" program_and_line "${program_and_line}")
  list(GET program_and_line 0 program)
  list(GET program_and_line 1 line)
  run("${WORK}/library/${program}")
  message("${program}:\n${output}")
  if(NOT output MATCHES "${line}")
    message(FATAL_ERROR "${program} did not print what it should: ${line}")
  endif()
endforeach()

# Programs that are compiled for this processor alone, or with AddressSanitizer.
build(other_flags)
foreach(program IN ITEMS native sanitized)
  run("${WORK}/other_flags/${program}")
  if(NOT output MATCHES "12 objects, products right")
    message(FATAL_ERROR "other_flags/${program} printed: ${output}")
  endif()
endforeach()

# A command that has to fail, with words in its output.
function(refuse_with expected words)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " said "${output}")
  if(NOT status MATCHES "^(${expected})$" OR NOT said MATCHES "${words}")
    message(FATAL_ERROR "${ARGN}\nended with ${status}, and not with '${words}':\n${output}")
  endif()
endfunction()

# What can not be configured says why: a component that there is none of, and shared libraries.
file(WRITE "${WORK}/no_component/CMakeLists.txt"
     "cmake_minimum_required(VERSION 3.25)\nproject(no_component CXX)\nfind_package(alidade REQUIRED COMPONENTS maps)\n")
refuse_with(1 "no component 'maps'. Its components are solvers, experiments and plugin" "${CMAKE_COMMAND}" -S
            "${WORK}/no_component" -B "${WORK}/no_component/build" -G "${GENERATOR}" -D "CMAKE_CXX_COMPILER=${CXX}"
            -D "CMAKE_PREFIX_PATH=${WORK}/prefix")
cmake_path(SET top NORMALIZE "${EXAMPLES}/../..")
refuse_with(1 "libraries are static.*Leave BUILD_SHARED_LIBS out" "${CMAKE_COMMAND}" -S "${top}" -B "${WORK}/shared" -G
            "${GENERATOR}" -D "CMAKE_CXX_COMPILER=${CXX}" -D BUILD_SHARED_LIBS=ON)

# What does not compile says what to do.
run("${CMAKE_COMMAND}" -S "${EXAMPLES}/mistakes" -B "${WORK}/mistakes" -G "${GENERATOR}" -D "CMAKE_CXX_COMPILER=${CXX}"
    -D CMAKE_BUILD_TYPE=Debug -D "CMAKE_PREFIX_PATH=${WORK}/prefix")
foreach(mistake_and_words IN ITEMS "forgotten_header|Include alidade/problem\\.hpp where a problem is made"
                                   "missing_const|is not const" "derived_manifold|final"
                                   "other_layout|link alidade::core"
                                   "abstract_problem|an abstract class has none" "sliced_problem|Make the class *[^a-z]*final"
                                   "no_decode|A problem can be copied and has" "value_alone|is for autodiff")
  string(REPLACE "|" ";" mistake_and_words "${mistake_and_words}")
  list(GET mistake_and_words 0 mistake)
  list(GET mistake_and_words 1 words)
  refuse_with("[1-9][0-9]*" "${words}" "${CMAKE_COMMAND}" --build "${WORK}/mistakes" --target "${mistake}")
endforeach()

# Methods of one's own, in a program of one's own and as a plug-in of the installed command: the same tables.
build(own_methods)
set(study "${EXAMPLES}/own_methods/study.toml")
run("${WORK}/own_methods/own_alidade" run "${study}" --out "${WORK}/by_program")
run("${WORK}/prefix/bin/alidade" run "${study}" --out "${WORK}/by_plugin" --plugin
    "${WORK}/own_methods/libown_methods.so")
foreach(way IN ITEMS program plugin)
  run("${WORK}/prefix/bin/alidade" table "${WORK}/by_${way}" --value metrics.knn_accuracy)
  message("${output}")
  set(table_by_${way} "${output}")
endforeach()
if(NOT table_by_program STREQUAL table_by_plugin OR NOT output MATCHES "nca")
  message(FATAL_ERROR "A program of one's own and a plug-in differ.")
endif()
file(READ "${WORK}/by_plugin/manifest.json" manifest)
if(NOT manifest MATCHES "libown_methods.so [0-9a-f]+")
  message(FATAL_ERROR "The manifest does not name the plug-in.")
endif()

# A whole plug-in on one page; a table keeps the direction of its metric without it.
build(small_plugin)
run("${WORK}/prefix/bin/alidade" run "${EXAMPLES}/small_plugin/study.toml" --out "${WORK}/small" --plugin
    "${WORK}/small_plugin/libsmall_plugin.so")
run("${WORK}/prefix/bin/alidade" table "${WORK}/small" --value metrics.roundness)
if(NOT output MATCHES "hinge" OR NOT output MATCHES "higher is better")
  message(FATAL_ERROR "The small plug-in gave:\n${output}")
endif()

# What is no plug-in, one for another build, and a name that is taken are refused in one line.
function(refuse words)
  refuse_with(2 "${words}" ${ARGN})
endfunction()
build(refused_plugins)
set(alidade "${WORK}/prefix/bin/alidade")
refuse("there is no file" "${alidade}" --plugin "${WORK}/none.so" list)
refuse("can not be loaded" "${alidade}" --plugin "${study}" list)
refuse("is no plug-in" "${alidade}" --plugin "${WORK}/refused_plugins/libno_plugin.so" list)
refuse("built against another version" "${alidade}" --plugin "${WORK}/refused_plugins/libother_build.so" list)
refuse("headers 00000000000004d2 .here [0-9a-f]+" "${alidade}" --plugin "${WORK}/refused_plugins/libother_headers.so"
       list)
# One that ends the process that loads it is refused, too, and one that does nothing is taken.
set(faulty "${WORK}/refused_plugins/libfaulty.so")
run("${alidade}" --plugin "${faulty}" list problems)
foreach(time IN ITEMS loading registering)
  foreach(fault_and_words IN ITEMS "abort|signal 6" "segfault|signal 11" "exit|exit status 0" "throw 7|signal 6")
    string(REPLACE "|" ";" fault_and_words "${fault_and_words}")
    list(GET fault_and_words 0 fault)
    list(GET fault_and_words 1 words)
    refuse("ends the process that loads it .${words}" "${CMAKE_COMMAND}" -E env "ALIDADE_FAULT=${time} ${fault}"
           "${alidade}" --plugin "${faulty}" list)
  endforeach()
endforeach()
refuse("ends the process that loads it .signal 6" "${CMAKE_COMMAND}" -E env "ALIDADE_FAULT=loading throw" "${alidade}"
       --plugin "${faulty}" list)
refuse("does not return from being loaded" "${CMAKE_COMMAND}" -E env "ALIDADE_FAULT=registering wait" "${alidade}"
       --plugin "${faulty}" list)
refuse("gives no entries: no licence" "${CMAKE_COMMAND}" -E env "ALIDADE_FAULT=registering throw" "${alidade}" --plugin
       "${faulty}" list)
run(sh -c "head -c 5000 '${faulty}' > '${WORK}/cut.so'")
refuse("ends the process|can not be loaded" "${alidade}" --plugin "${WORK}/cut.so" list)
set(plugin "${WORK}/own_methods/libown_methods.so")
refuse("There is a problem 'nca' already" "${alidade}" --plugin "${plugin}" --plugin "${plugin}" list)
refuse("There is no problem 'nca'" "${alidade}" check "${study}")
file(REMOVE_RECURSE "${WORK}")
