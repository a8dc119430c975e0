#!/usr/bin/env bash
# Installs what Alidade is built, tested and run with, on Debian 12 and Ubuntu 24.04.
#
#   third_party/install.sh [--build | --no-browser | --fuzzers] [--python] [--packages] [--check]
#
#   --build       only what compiling and running needs: no tests, no npm, no browser
#   --no-browser  all but what opens report.html in a browser to test it: no npm either
#   --fuzzers     what --build does, and the compiler of tests/fuzz, which nothing else installs
#   --python      also what the Python package (experiments/python) is built, tested and run with
#   --packages    also what Debian packages are made by and tried with
#   --check       change nothing; list what is missing, one a line, and exit 1 if anything is
#
# Packages come from apt (as root or through sudo) and npm, with the configuration and proxies those
# have on this machine. Nothing missing: nothing done, nothing said. Exit status: 0 all there,
# 1 something is missing or could not be installed, 2 bad usage or a system this can not install on.
set -euo pipefail

here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly here program=third_party/install.sh

# Package of Debian and Ubuntu | core, build, report, tests, browser, fuzzers, python or packages, whichever it belongs to | what it
# is for. Nothing can be configured without core; build and report go with it under every option.
readonly apt_packages='
g++|core|C++20 compiler, version 12 or newer
cmake|core|configures the build, version 3.25 or newer
ninja-build|core|runs the build
libeigen3-dev|core|Eigen: linear algebra
libceres-dev|core|Ceres: L-BFGS, BFGS, nonlinear conjugate gradients
libboost-dev|core|Boost headers: Math, Graph, Multiprecision
libspectra-dev|core|Spectra: Lanczos eigenvalues
libnanoflann-dev|core|nanoflann: nearest neighbours in few dimensions
libhnswlib-dev|core|hnswlib: approximate nearest neighbours
libfmt-dev|core|fmt: text
libspdlog-dev|core|spdlog: log
libcli11-dev|core|CLI11: command line
libtomlplusplus-dev|core|toml++: configurations
nlohmann-json3-dev|core|JSON for Modern C++: rows and manifests
zlib1g-dev|core|zlib: compressed data files
libutf8proc-dev|core|utf8proc: Unicode forms of names
libmatio-dev|tests|matio: MATLAB files that the tests write
doctest-dev|tests|doctest: the tests
libsdp-dev|build|CSDP: semidefinite programs
libboost-graph-dev|build|Boost.Graph: reading GraphML and DOT
libopenblas-dev|build|OpenBLAS, under CSDP and Eigen
liblapack-dev|build|LAPACK, under CSDP and Eigen
libcurl4-openssl-dev|build|libcurl: fetching public data sets
libarchive-dev|build|libarchive: data sets in archives
libreadstat-dev|build|ReadStat: tables of SPSS, Stata and SAS
libopenmpi-dev|build|Open MPI: runs on several machines
openmpi-bin|build|Open MPI: mpirun
ccache|build|ccache: what was compiled before is not compiled again
libbenchmark-dev|tests|Google Benchmark: the benchmarks
librapidcheck-dev|tests|RapidCheck: the property tests
python3-pandas|tests|pandas and NumPy: the test of results as Python reads them
clang-16|fuzzers|clang: compiles the fuzzers
libclang-rt-16-dev|fuzzers|libFuzzer and the sanitizers of clang
pybind11-dev|python|pybind11: the module in C++
python3-dev|python|headers of Python
python3-numpy|python|NumPy: arrays
python3-scipy|python|SciPy: sparse matrices
python3-sklearn|python|scikit-learn: the interface of its estimators
python3-matplotlib|python|matplotlib: pictures of maps
python3-pip|python|pip: installs the package
python3-setuptools|python|setuptools: builds the package
python3-wheel|python|wheel: packs the package
python3-build|python|build: makes a wheel of the package
python3-venv|python|venv: an environment to install the package in
python3-pytest|python|pytest: the tests of the package
python3-sparse|python|sparse: arrays of answers, in the tests
python3-ipython|python|IPython: the test of what Jupyter shows
python3-nbconvert|python|nbconvert: the examples as notebooks
python3-ipykernel|python|ipykernel: runs them
python3-sphinx|python|Sphinx: the reference, of the docstrings
mypy|python|mypy: the test of the type stubs
dpkg-dev|packages|dpkg-shlibdeps: what a Debian package depends on
debootstrap|packages|bare roots that packages are tried in
librsvg2-bin|report|rsvg-convert: figures as PNG
ca-certificates|browser|lets npm check whom it talks to
nodejs|browser|Node.js, version 18 or newer: drives the browser in the test of report.html
npm|browser|fetches the npm package below
chromium|browser|the browser that the test opens report.html in
'
# The version is that of package.json.
readonly npm_packages='
playwright-core|browser|drives the browser in the test of report.html
'

# fail STATUS LINE...
fail() {
  local status=$1
  printf '%s: %s\n' "$program" "$2" >&2
  shift 2
  [ $# -eq 0 ] || printf '%s\n' "$@" >&2
  exit "$status"
}

# version_at_least HAVE WANT
version_at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# command_version COMMAND ARGUMENT: the first number with dots (or alone) it prints; empty if there is none
command_version() {
  command -v "$1" >/dev/null 2>&1 || return 0
  "$1" "$2" 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9.]*\).*/\1/p' | sed -n 1p || true
}

command_at_least() {
  local version
  version=$(command_version "$1" "$2")
  [ -n "$version" ] && version_at_least "$version" "$3"
}

# A name alone is not enough: Ubuntu's chromium-browser is a script that only asks for the snap.
has_browser() {
  local name
  for name in chromium google-chrome google-chrome-stable chromium-headless-shell chromium-browser; do
    if command -v "$name" >/dev/null 2>&1 && "$name" --version >/dev/null 2>&1; then return 0; fi
  done
  return 1
}

# npm_version_wanted NAME and npm_version_installed NAME
npm_version_wanted() {
  sed -n "s|^ *\"$1\": *\"\([0-9][^\"]*\)\".*|\1|p" "$here/package.json"
}
npm_version_installed() {
  local file="$here/node_modules/$1/package.json"
  [ ! -f "$file" ] || sed -n 's|^ *"version": *"\([^"]*\)".*|\1|p' "$file" | sed -n 1p
}

has_apt_package() {
  case $1 in
    g++) command_at_least g++ -dumpfullversion 12 ;;
    cmake) command_at_least cmake --version 3.25 ;;
    ninja-build) command_at_least ninja --version 1 ;;
    nodejs) command_at_least node --version 18 ;;
    npm) [ ${#missing_npm[@]} -eq 0 ] || command_at_least npm --version 7 ;;
    ca-certificates) [ ${#missing_npm[@]} -eq 0 ] || [ -s /etc/ssl/certs/ca-certificates.crt ] ;;
    chromium) has_browser ;;
    *) [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ] ;;
  esac
}

wanted_at() {
  case $level:$1 in
    *:fuzzers) [ "$level" = fuzzers ] ;;
    *:python) [ "$python" = yes ] ;;
    *:packages) [ "$packages" = yes ] ;;
    all:* | *:core | *:build | *:report | no_browser:tests) return 0 ;;
    *) return 1 ;;
  esac
}

# Fills missing_apt and missing_npm, and missing_lines with what --check says of them.
find_missing() {
  local name stage purpose
  missing_apt=() missing_npm=() missing_lines=()
  local npm_lines=()
  while IFS='|' read -r name stage purpose; do
    if [ -z "$name" ] || ! wanted_at "$stage"; then continue; fi
    if [ "$(npm_version_installed "$name")" != "$(npm_version_wanted "$name")" ]; then
      missing_npm+=("$name")
      npm_lines+=("$(describe "$name" "$stage" "npm, $purpose")")
    fi
  done <<<"$npm_packages"
  while IFS='|' read -r name stage purpose; do
    if [ -z "$name" ] || ! wanted_at "$stage" || has_apt_package "$name"; then continue; fi
    if [ "$name" = chromium ] && [ "$distribution" = ubuntu ]; then
      # Ubuntu has Chromium only as a snap, which is the user's to want.
      missing_lines+=("$(describe "$name" "$stage" "$purpose (by hand: snap install chromium)")")
    else
      missing_apt+=("$name")
      missing_lines+=("$(describe "$name" "$stage" "$purpose")")
    fi
  done <<<"$apt_packages"
  missing_lines+=(${npm_lines[@]+"${npm_lines[@]}"})
}

describe() {
  local use
  case $2 in
    core) use=required ;;
    *) use=optional ;;
  esac
  printf '%-24s %s: %s' "$1" "$use" "$3"
}

read_distribution() {
  distribution=unknown distribution_version=0 distribution_name='this system'
  local file=/etc/os-release
  [ -r "$file" ] || file=/usr/lib/os-release
  [ -r "$file" ] || return 0
  # shellcheck disable=SC1090
  { read -r distribution; read -r distribution_version; read -r distribution_name; } < <(
    . "$file"
    printf '%s\n%s\n%s\n' "${ID:-unknown}" "${VERSION_ID:-999}" "${PRETTY_NAME:-${ID:-this system}}"
  )
}

# Debian 12 and Ubuntu 24.04 are tried; newer ones and their derivatives are let through.
require_distribution() {
  local why=
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    why='has no apt-get'
  elif [ "$distribution" = debian ] && ! version_at_least "$distribution_version" 12; then
    why='is older than Debian 12'
  elif [ "$distribution" = ubuntu ] && ! version_at_least "$distribution_version" 24.04; then
    why='is older than Ubuntu 24.04'
  else
    return 0
  fi
  {
    printf '%s: %s %s; this script knows Debian 12 and Ubuntu 24.04.\n' "$program" "$distribution_name" "$why"
    printf 'Install these (Debian names) by other means, then build with SKIP_INSTALL=1 set:\n'
    local name stage purpose
    while IFS='|' read -r name stage purpose; do
      if [ -n "$name" ] && wanted_at "$stage"; then printf '  %s\n' "$(describe "$name" "$stage" "$purpose")"; fi
    done <<<"$apt_packages"
    [ "$level" != all ] || printf 'and run "npm ci --ignore-scripts" in %s\n' "$here"
  } >&2
  exit 2
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -- "$@"; fi
}

# Runs a command with its chatter in the log; shows the end of the log if it fails.
logged() {
  local what=$1
  shift
  printf '\n$ %s\n' "$*" >>"$log"
  if "$@" >>"$log" 2>&1 </dev/null; then return 0; fi
  printf '%s: %s failed; the end of its output (all of it: %s):\n' "$program" "$what" "$log" >&2
  tail -n 15 -- "$log" | sed 's/^/  /' >&2
  keep_log=yes
  return 1
}

install_apt() {
  local by_hand="  apt-get install --no-install-recommends ${missing_apt[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || fail 1 'not root, and there is no sudo. Ask root to run:' "$by_hand"
    sudo -n true 2>/dev/null || sudo -v || fail 1 'sudo was refused. Ask root to run:' "$by_hand"
  fi
  printf 'Installing with apt: %s\n' "${missing_apt[*]}"
  # sudo drops these from the environment; apt reads them.
  local environment=(DEBIAN_FRONTEND=noninteractive) name
  for name in http_proxy https_proxy ftp_proxy no_proxy; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
  done
  local apt=(env "${environment[@]}" apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  # A failed update may concern some other source: what counts is whether the packages can be had.
  printf '\n$ apt-get update\n' >>"$log"
  local updated=yes
  as_root "${apt[@]}" update >>"$log" 2>&1 </dev/null || updated=no
  logged 'apt-get install' as_root "${apt[@]}" --no-install-recommends install "${missing_apt[@]}" || {
    [ "$updated" = yes ] || printf '%s: apt-get update had failed before it.\n' "$program" >&2
    exit 1
  }
}

# Under "sudo install.sh" the npm packages belong to whom the checkout belongs.
install_npm() {
  printf 'Installing with npm: %s\n' "${missing_npm[*]}"
  hash -r
  local npm=(npm ci --ignore-scripts --no-audit --no-fund)
  if [ "$(id -u)" -eq 0 ] && [ "${SUDO_UID:-0}" != 0 ] && [ "$(stat -c %u "$here")" = "$SUDO_UID" ]; then
    npm=(sudo -H -u "#$SUDO_UID" -- "${npm[@]}")
  fi
  cd -- "$here"
  logged 'npm ci' "${npm[@]}" || {
    printf '%s: without %s %s\n' "$program" "${missing_npm[*]}" \
      'the library and the command still build (SKIP_INSTALL=1): see third_party/README.md.' >&2
    exit 1
  }
}

level=all
python=no
packages=no
check=no
for argument in "$@"; do
  case $argument in
    --build) level=build ;;
    --no-browser) level=no_browser ;;
    --fuzzers) level=fuzzers ;;
    --python) python=yes ;;
    --packages) packages=yes ;;
    --check) check=yes ;;
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail 2 "unknown option '$argument'; expected --build, --no-browser, --fuzzers, --python, --packages, --check or --help" ;;
  esac
done

read_distribution
require_distribution
find_missing

if [ "$check" = yes ]; then
  [ ${#missing_lines[@]} -gt 0 ] || exit 0
  printf '%s\n' "${missing_lines[@]}"
  exit 1
fi

[ $((${#missing_apt[@]} + ${#missing_npm[@]})) -gt 0 ] || exit 0

log=$(mktemp "${TMPDIR:-/tmp}/alidade-install.XXXXXX")
keep_log=no
trap '[ "$keep_log" = yes ] || rm -f -- "$log"' EXIT

if [ ${#missing_apt[@]} -gt 0 ]; then
  install_apt
fi
if [ ${#missing_npm[@]} -gt 0 ]; then
  install_npm
fi

hash -r
find_missing
if [ $((${#missing_apt[@]} + ${#missing_npm[@]})) -gt 0 ]; then
  keep_log=yes
  fail 1 "installed, yet still missing or too old (an older one earlier on PATH?); log: $log" \
    "${missing_lines[@]}"
fi
