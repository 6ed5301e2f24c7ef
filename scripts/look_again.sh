#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# look_again.sh DIR...: configures build folders anew, with the options that they
# have, so that packages installed since then are found. meson remembers which
# headers it has not found, and `meson configure --clearcache` (1.0.1) forgets
# packages alone. Without its state it starts from its record of the command line,
# and what was built stays.
set -euo pipefail
for dir in "$@"; do
    [ -f "$dir/meson-private/cmd_line.txt" ] || {
        echo "look_again: $dir is no build folder of meson" >&2
        exit 2
    }
    : >"$dir/meson-private/coredata.dat"
    meson setup --reconfigure "$dir"
done
