#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""found_without.py XKBENCH_WITHOUT XK LIST: kernels made without the rows of
isa/workaround.def that the generator obeys, linted: each of RULES is found there, and
none where the same kernels are made with the rows. So lint of our kernels is no
formality. (a0_war: nothing of ours writes a0; state_distance, eot_file_end and others
are no choice of the generator's that could be left out.) TAP."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

RULES = ["wa_eot_csel", "wa_eot_distance", "wa_rs_dpas", "wa_rs_dpas_fused",
         "wa_slm_war"]
# Forward, and gradients by weights, whose loads have predicates beside dpas.
KINDS = ["--dt=f16", "--dir=BWD_W --dt=f16:f32:f16"]


def rules_found(xkbench, tool, listed, what):
    """Rules that find something in the kernels of the list, nhwc, and how many
    kernels there are."""
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder, "batch")
        batch.write_text("".join(
            f"--reset --mode=I {kind} --stag=axb --dtag=axb --batch={listed}\n"
            for kind in KINDS))
        done = subprocess.run(
            [xkbench, f"--batch={batch}"], capture_output=True, text=True, check=False,
            env=os.environ | {"XK_DUMP": "zebin", "XK_DUMP_DIR": folder,
                              "XK_WITHOUT": what, "XK_VERIFY": "0"})
        files = sorted(Path(folder).rglob("*zebin.bin"))
        if done.returncode or not files:
            sys.exit(f"{xkbench}: {done.stdout[-500:]}{done.stderr}")
        found = [json.loads(subprocess.run([tool, "lint", "--json", f], check=False,
                                           stdout=subprocess.PIPE).stdout)
                 for f in files]
    return {f["rule"] for one in found for f in one}, len(files)


def main():
    """Command line."""
    xkbench, tool, listed = sys.argv[1:]
    tap = Tap()
    obeyed, n = rules_found(xkbench, tool, listed, "nothing")
    tap.check(not obeyed, f"{n} kernels with all rows have no finding", str(obeyed))
    found, n = rules_found(xkbench, tool, listed, "workarounds")
    for rule in RULES:
        tap.check(rule in found, f"{rule} is found among {n} kernels made without",
                  f"found: {' '.join(sorted(found))}")
    tap.check(found <= set(RULES), "nothing else is found", str(found))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
