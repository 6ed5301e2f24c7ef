#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# download_size.sh: what make bench and make check download on a Debian 12 that has
# its required packages, apt, git and make and nothing else. apt is asked with an
# empty list of installed packages and an empty cache; nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
mkdir -p "$empty/archives/partial"
: >"$empty/status"

# "FILE BYTES" of every package that has to be fetched for these.
fetched() {
    apt-get install --print-uris -qq -y --no-install-recommends \
        -o Dir::State::status="$empty/status" \
        -o Dir::Cache::archives="$empty/archives" "$@" |
        awk '{ print $2, $3 }' | sort
}

mapfile -t base < <(apt-cache dumpavail |
    awk '/^Package:/ { p = $2 } /^Priority: required/ { print p }' | sort -u)
base+=(apt git make)
fetched "${base[@]}" >"$empty/base"
for which in build all; do
    mapfile -t more < <(scripts/setup.sh "$which" list)
    fetched "${base[@]}" "${more[@]}" >"$empty/$which"
    join -v 2 "$empty/base" "$empty/$which" | awk -v what="$which" \
        '{ s += $2; n++ } END { printf "%s: %d packages, %.1f MB\n", what, n, s / 1e6 }'
done
