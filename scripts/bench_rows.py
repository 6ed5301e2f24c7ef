# SPDX-License-Identifier: Apache-2.0
"""What xkbench says of many problems, as rows of fields: for scripts and for tests."""
import re
import subprocess
import tempfile

MARK = "row|"


def rows_of(xkbench, options, fields, lines, env=None):
    """(rows, what xkbench printed, exit code): a row has the fields, "%desc%|%ptime%", of
    a problem that was made, as texts. lines: of a batch file."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("\n".join(lines) + "\n")
        batch.flush()
        done = subprocess.run(
            [xkbench, *options, f"--perf-template={MARK}{fields}",
             "--batch=" + batch.name], stdout=subprocess.PIPE, text=True, check=False,
            env=env)
    rows = [line.removeprefix(MARK).split("|") for line in done.stdout.splitlines()
            if line.startswith(MARK)]
    return rows, done.stdout, done.returncode


def us_of(ms, hypotheses=""):
    """{"nominal": us, "hypothesis=value": us, ...} of %ptime% and %hypotheses%."""
    return {"nominal": 1000 * float(ms),
            **{name: float(us)
               for name, us in re.findall(r"(\S+):([\d.]+)", hypotheses)}}
