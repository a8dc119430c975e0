#!/usr/bin/env bash
# Packs a built command with every library that it needs, the C library included: the archive runs on any Linux of the
# same kind of processor, with nothing installed. Runs under mpirun are left out: they need the machine's own MPI.
#
#   third_party/bundle.sh [BUILD] [ARCHIVE]
#
#   BUILD    folder of the build with the command (default: build/release)
#   ARCHIVE  what to write (default: alidade-VERSION-linux-MACHINE.tar.gz)
#
# The archive holds one folder: `alidade`, to be run; lib/ with the program and the libraries; copyright/ with the licence
# of each package that a library is from.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
case ${1:-} in
  -h | --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac
fail() {
  printf 'third_party/bundle.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}
[ $# -le 2 ] || fail "expected a build and an archive, got $# arguments" 2
build=${1:-$root/build/release}
program=$build/alidade
[ -x "$program" ] || fail "there is no program '$program'; build it by: cmake --build --preset release --target alidade" 2
version=$("$program" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)
name=alidade-$version-linux-$(uname -m)
archive=${2:-$name.tar.gz}

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
into=$work/$name
mkdir -p -- "$into/lib" "$into/copyright"
cp -- "$program" "$into/lib/alidade"
strip --strip-unneeded "$into/lib/alidade"

# "name => path (address)", and the loader by its path alone.
loader=
while read -r path; do
  cp -L -- "$path" "$into/lib/"
  case ${path##*/} in ld-linux*) loader=${path##*/} ;; esac
  package=$(dpkg -S -- "$(readlink -f -- "$path")" 2>/dev/null | head -1 | cut -d: -f1) || package=
  [ -z "$package" ] || [ ! -f "/usr/share/doc/$package/copyright" ] ||
    cp -L -- "/usr/share/doc/$package/copyright" "$into/copyright/$package"
done < <(ldd "$program" | grep -oE '/[^ ]+' | sort -u)
[ -n "$loader" ] || fail "ldd names no loader for '$program'"
cp -- "$root/LICENSE" "$into/"

cat > "$into/alidade" <<RUN
#!/bin/sh
# Starts the program by the C library beside it.
here=\$(CDPATH='' cd -- "\$(dirname -- "\$(readlink -f -- "\$0")")" && pwd -P)
# With limited memory the program would start itself again to say this, and knows no way back through the loader.
[ "\$(ulimit -v)" = unlimited ] || export OPENBLAS_NUM_THREADS=1
exec "\$here/lib/$loader" --library-path "\$here/lib" "\$here/lib/alidade" "\$@"
RUN
chmod +x "$into/alidade"

tar --create --gzip --owner=0 --group=0 --sort=name --file "$archive.part" --directory "$work" "$name"
mv -- "$archive.part" "$archive"
printf '%s: %s\n' "$archive" "$(du -h -- "$archive" | cut -f1)"
