#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py XK PLATFORM [long|all|NAME...]: programs of Debian packages, unmodified, on
the virtual GPU. A row says what is run and what shows that it was right; a row
whose program is not installed is skipped with the package's name. TAP."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PIGLIT = "/usr/lib/x86_64-linux-gnu/piglit/"
# Python packages of Debian belong to Debian's interpreter.
PYTHON = "/usr/bin/python3"


def piglit(path):
    """A program of piglit's own OpenCL suite; it compares each result."""
    return (Path(path).name.split(".")[0].replace("builtin-", ""), "piglit",
            [PIGLIT + "bin/cl-program-tester", PIGLIT + path], True,
            r'PIGLIT: \{"result": "pass" \}', r'"fail"', False)


EXECUTE = "tests/cl/program/execute/"
BUILTIN = "generated_tests/cl/builtin/"
# The least work that it can be given; it sizes itself for 512 units.
# It writes from constants, which the driver cannot (docs/vgpu.md).
HASHCAT = ["env", "DoCpuCopyOnWriteBuffer=1", "hashcat", "-a", "3",
           "--potfile-disable", "--force", "-n", "1", "-u", "1", "-T", "32",
           "-M"]


def blast(name):
    """A program of clBLAST's: against a CPU's BLAS, in all precisions that the
    device has; what it has not, fp64, it skips itself."""
    return ("clBLAST " + name, "clblast-tests", ["clblast_test_x" + name], True,
            r"[1-9]\d* test\(s\) passed",
            r"[1-9]\d* failed|[1-9]\d* test\(s\) failed",
            True)


# Name, package, command, whether it launches kernels, what its output must and
# must not have, whether it is for the long suite.
ROWS = [
    ("clinfo", "clinfo", ["clinfo"], False,
     r"Number of devices +1\b(.|\n)*Max compute units +[1-9]",
     r"Max (compute units|work group size) +0\b", False),
    # Checks its result, says so, and ends with 1 if it is wrong.
    ("clFFT 64 x 8", "clfft-client",
     ["clFFT-client", "-x", "64", "-y", "8", "-b", "2"], True,
     r"Internal Client Test \*+PASS", r"FAIL", False),
    ("clFFT 243", "clfft-client", ["clFFT-client", "-x", "243", "-o"], True,
     r"Internal Client Test \*+PASS", r"FAIL", False),
    # The package's algorithms against numpy.
    ("pyopencl", "python3-pyopencl", [PYTHON, HERE / "pyopencl_numpy.py"], True,
     r"all right", r"Traceback", False),
    piglit(EXECUTE + "scalar-comparison-long.cl"),
    piglit(EXECUTE + "int-definitions.cl"),
    piglit(EXECUTE + "bswap.cl"),
    piglit(EXECUTE + "vector-load-int4.cl"),
    piglit(EXECUTE + "builtin/atomic/atomic_int32_add-local.cl"),
    piglit(EXECUTE + "builtin/atomic/atomic_int64_or-local.cl"),
    piglit("generated_tests/cl/vstore/vstore-uint-global.cl"),
    piglit("generated_tests/cl/vload/vload-half-constant.cl"),
    piglit(BUILTIN + "math/builtin-float-atan2pi-1.0.generated.cl"),
    piglit(BUILTIN + "int/builtin-ushort-mad_sat-1.0.generated.cl"),
    # The package's tests, against numpy.
    ("gpyfft", "python3-gpyfft",
     [PYTHON, "-m", "unittest", "gpyfft.test.test_gpyfft"], True, r"\nOK\b",
     r"FAILED", False),
    ("silx", "python3-silx",
     [PYTHON, "-m", "unittest", "silx.opencl.test.test_addition",
      "silx.opencl.test.test_kahan", "silx.opencl.test.test_doubleword"], True,
     r"\nOK\b", r"FAILED", True),
    # The package's OpenCL path against its CPU path.
    ("opencv", "python3-opencv", [PYTHON, HERE / "opencv_cpu.py"], True,
     r"all right", r"Traceback", True),
    blast("axpy"),
    blast("dot"),
    blast("gemv"),
    blast("gemm"),
    # A self-test with a known password, then the password that md5(1) gives.
    ("hashcat MD5", "hashcat",
     HASHCAT + ["-m", "0", "900150983cd24fb0d6963f7d28e17f72", "?l?l?l"], True,
     r"900150983cd24fb0d6963f7d28e17f72:abc\b(.|\n)*Recovered\.*: 1/1",
     r"Self-test failed|Kernel self-test", True),
]
LONG_S, SHORT_S = 3600, 120


def missing(package, command):
    """Why the row cannot run, or None."""
    for word in command[:2]:
        path = str(word)
        if path.startswith("-") or path.isdigit():
            continue
        if path != PYTHON and path.startswith("/") and not Path(path).exists():
            return f"{path} is missing (package {package})"
    program = command[2] if command[0] == "env" else command[0]
    if not shutil.which(str(program)):
        return f"{program} is missing (package {package})"
    if command[0] == PYTHON:
        module = package.replace("python3-", "").replace("opencv", "cv2")
        if subprocess.run([PYTHON, "-c", f"import {module}"],
                          capture_output=True, check=False).returncode:
            return f"{PYTHON} has no {module} (package {package})"
    return None


def run_row(xk, platform, row, report):
    """None if it went well, else what is wrong, and the output's end."""
    _, _, command, launches, must, must_not, is_long = row
    words = [xk, "vgpu", "-p", platform, "--json", "-o", report, "--"]
    try:
        done = subprocess.run(words + [str(w) for w in command], check=False,
                              stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace",
                              timeout=LONG_S if is_long else SHORT_S)
    except subprocess.TimeoutExpired:
        return "it does not end in time"
    out = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    end = "\n".join("# " + line for line in out.splitlines()[-12:])
    if done.returncode:
        return f"exit status {done.returncode}\n{end}"
    if not re.search(must, out):
        return f"the output has no {must}\n{end}"
    if re.search(must_not, out):
        return f"the output has {must_not}\n{end}"
    told = Path(report).read_text(encoding="utf-8")
    if launches and not re.search(r'"instructions": [1-9]', told):
        return "the device has executed nothing"
    said = json.loads(told)["said"]
    if said:
        return f"the device says: {said[0]}"
    return None


def has_driver():
    """Intel's OpenCL driver is registered."""
    return Path("/etc/OpenCL/vendors/intel.icd").exists()


def main():
    """All rows of the suite that is asked for."""
    xk, platform, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not has_driver():
        print("1..0 # SKIP no Intel OpenCL driver (package intel-opencl-icd)")
        return 0
    rows = [r for r in ROWS if r[0] in names or
            "all" in names or (not [n for n in names if n != "long"] and
                               r[6] == ("long" in names))]
    failed = 0
    print(f"1..{len(rows)}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder  # caches of kernels, settings
        for number, row in enumerate(rows, 1):
            why = missing(row[1], row[2])
            if why:
                print(f"ok {number} - {row[0]} # SKIP {why}")
                continue
            start = time.monotonic()
            wrong = run_row(xk, platform, row, folder + "/report")
            failed += wrong is not None
            took = time.monotonic() - start
            print(f"{'not ok' if wrong else 'ok'} {number} - {row[0]} "
                  f"({row[1]}, {took:.1f} s)" + (f": {wrong}" if wrong else ""),
                  flush=True)
    return 1 if failed else 0


sys.exit(main())
