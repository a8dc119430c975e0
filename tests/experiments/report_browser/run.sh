#!/usr/bin/env bash
# Opens reports in headless Chromium and looks at them: run.sh WRITE_REPORTS NODE_MODULES
#
#   WRITE_REPORTS  the program that writes the reports
#   NODE_MODULES   folder with playwright-core
#
# Environment:
#   CHROMIUM      the browser (default: /usr/bin/chromium)
#   SCREENSHOTS   an existing folder: pictures of the pages are left there
# Exit status 77: something needed is missing, and what it is was said.
set -euo pipefail

if [ $# -ne 2 ]; then
  printf 'usage: run.sh WRITE_REPORTS NODE_MODULES\n' >&2
  exit 2
fi
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}

missing() {
  printf 'skipped: %s\n' "$1"
  exit 77
}
command -v node >/dev/null || missing "node is missing; third_party/install.sh installs it"
[ -x "$CHROMIUM" ] || missing "$CHROMIUM is missing; install it or set CHROMIUM"
[ -d "$2/playwright-core" ] || missing "$2/playwright-core is missing; third_party/install.sh installs it"

folder=$(mktemp -d "${TMPDIR:-/tmp}/alidade-reports.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
"$1" "$folder"
node "$here/check.mjs" "$folder" "$2"
