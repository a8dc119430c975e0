#!/usr/bin/env bash
# Tries Alidade in bare roots of Debian 12, where nothing is installed. Needs root's rights, and some GB of disk.
#
#   tests/bare_root.sh packages        the Debian packages and the wheel, each alone in a root: sizes, seconds to install, a
#                                      first map, the examples compiled with libalidade-dev
#   tests/bare_root.sh quickstart      experiments/quickstart.sh: its seconds and its CPU seconds
#   tests/bare_root.sh run COMMAND...  any command in the checkout there, such as tests/run.sh, timed
#
# Environment:
#   BARE_ROOT   folder for the roots (default: build/bare_root); the one that the others start from is kept in it
# What is committed and what is changed goes into the root, nothing that was built. A compiler's cache is not used.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
roots=${BARE_ROOT:-$root/build/bare_root}
fail() {
  printf 'tests/bare_root.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}
usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"; }
[ $# -ge 1 ] || { usage >&2; exit 2; }
[ "$(id -u)" = 0 ] || fail "a root of its own is root's to make"

made=
trap '[ -z "$made" ] || rm -rf -- "$made"' EXIT
# A root to spoil, in $made. Packages come to it as to this machine.
new_root() {
  local base=$roots/base
  if [ ! -f "$base.done" ]; then
    "$root/third_party/install.sh" --packages
    rm -rf -- "$base"
    mkdir -p -- "$roots"
    debootstrap --variant=minbase bookworm "$base" >"$base.log" 2>&1 || fail "no root could be made; $base.log says why"
    touch "$base.done"
  fi
  [ -z "$made" ] || rm -rf -- "$made"
  made=$(mktemp -d "$roots/XXXXXX")
  cp -a --reflink=auto "$base/." "$made/"
  chmod 755 "$made"
  cp -aL /etc/resolv.conf /etc/hosts "$made/etc/"
  # What this machine's packagers trust and ask, those of npm among them.
  mkdir -p "$made/usr/local/share/ca-certificates"
  cp -aL /usr/local/share/ca-certificates/. "$made/usr/local/share/ca-certificates/" 2>/dev/null || true
  [ ! -f /etc/npmrc ] || cp -L /etc/npmrc "$made/etc/npmrc"
  [ ! -f "$HOME/.npmrc" ] || cp -L "$HOME/.npmrc" "$made/root/.npmrc"
  cp -a /etc/apt/apt.conf.d/. "$made/etc/apt/apt.conf.d/"
  if [ -n "$(ls /etc/apt/sources.list.d 2>/dev/null)" ]; then
    cp -a /etc/apt/sources.list.d/. "$made/etc/apt/sources.list.d/"
    rm -f -- "$made/etc/apt/sources.list"
  fi
  inside apt-get -qq update
}
# inside COMMAND...: in the root
inside() {
  unshare --mount bash -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && root=$1 && shift &&
    exec env -C / CCACHE_DISABLE=1 DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root chroot "$root" "$@"' _ "$made" "$@"
}
# timed WHAT COMMAND...: in the root, with its seconds
timed() {
  local what=$1 status=0 begun=$SECONDS
  shift
  { TIMEFORMAT='%R s, %U + %S CPU s' && time inside "$@" >"$roots/log" 2>&1 || status=$?; } 2>"$roots/time"
  printf '%-44s %s\n' "$what" "$(tail -n 1 "$roots/time")"
  [ "$status" -eq 0 ] || { tail -n 40 "$roots/log" >&2; fail "'$*' ended with $status after $((SECONDS - begun)) s"; }
}
copy_sources() {
  mkdir -p "$made/alidade"
  git -C "$root" ls-files -z --cached --others --exclude-standard | tar -C "$root" --null -T - -c --ignore-failed-read |
    tar -C "$made/alidade" -x
}
size() { du -h --apparent-size -- "$1" | cut -f1; }

answers='anchor,near,far
espresso,ristretto,latte
latte,cappuccino,espresso
ristretto,espresso,cappuccino
cappuccino,latte,ristretto'

packages() {
  local build=$root/build/release out=$roots/packages file
  "$root/third_party/install.sh" --build --python
  cmake -S "$root" --preset release -DALIDADE_BUILD_PYTHON=ON >/dev/null
  cmake --build "$build" --target all alidade_stubs --parallel "${JOBS:-$(nproc)}" >"$roots/build.log" 2>&1 ||
    fail "the build failed; $roots/build.log says why"
  rm -rf -- "$out"
  mkdir -p -- "$out"
  (cd -- "$build" && cpack -G DEB -B "$out" >"$roots/cpack.log" 2>&1) || fail "$roots/cpack.log says why no package was made"
  ALIDADE_BUILD_DIR=$build ALIDADE_BUNDLE=1 /usr/bin/python3 -m pip wheel --quiet --no-deps --no-build-isolation \
    --wheel-dir "$out" "$root/experiments/python"
  for file in "$out"/*.deb "$out"/*.whl; do printf '%-44s %s\n' "${file##*/}" "$(size "$file")"; done

  new_root
  mkdir "$made/packages"
  cp -- "$out"/*.deb "$out"/*.whl "$made/packages/"
  printf '%s\n' "$answers" >"$made/coffee.csv"
  timed 'apt-get install alidade' bash -c 'apt-get install -qq --no-install-recommends /packages/alidade_*.deb'
  timed 'first map by the command' bash -c 'cd /tmp && alidade embed /coffee.csv -o coffee && test -s coffee/report.html'
  timed 'manual page and completion' bash -c 'grep -q alidade /usr/share/man/man1/alidade.1* &&
    test -s /usr/share/bash-completion/completions/alidade && test -s /usr/share/zsh/site-functions/_alidade'
  timed 'apt-get install libalidade-dev' bash -c 'apt-get install -qq --no-install-recommends g++ cmake ninja-build \
    /packages/libalidade-dev_*.deb'
  timed 'examples by libalidade-dev' bash -c 'for one in library own_methods; do
      cmake -G Ninja -S /usr/share/doc/alidade/examples/$one -B /tmp/$one && cmake --build /tmp/$one || exit
    done; cd /tmp && library/max_cut && alidade --plugin own_methods/libown_methods.so list problems nca'

  new_root
  mkdir "$made/packages"
  cp -- "$out"/*.whl "$made/packages/"
  timed 'apt-get install python3-sklearn, pip, venv' apt-get install -qq --no-install-recommends python3-sklearn python3-pip \
    python3-venv
  timed 'pip install of the wheel' bash -c 'python3 -m venv --system-site-packages /venv &&
    /venv/bin/pip install --quiet --no-deps --no-index /packages/*.whl'
  timed 'first map by the package' /venv/bin/python -c 'import alidade, numpy
answers = numpy.array([[0, 1, 2], [2, 3, 0], [1, 0, 3], [3, 2, 1]])
print(alidade.STE(random_state=0).fit_transform(answers))'
}

case $1 in
  -h | --help) usage ;;
  packages)
    mkdir -p -- "$roots"
    packages
    ;;
  quickstart)
    new_root
    copy_sources
    timed "third_party/install.sh --build" /alidade/third_party/install.sh --build
    timed 'experiments/quickstart.sh' env SKIP_INSTALL=1 /alidade/experiments/quickstart.sh
    ;;
  run)
    shift
    [ $# -gt 0 ] || fail 'run what?' 2
    new_root
    copy_sources
    timed "$*" env -C /alidade "$@"
    tail -n 25 "$roots/log"
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
