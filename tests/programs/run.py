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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

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


def hashcat(name, mode, digest):
    """Its self-test of the mode, then the password abc, of three letters: the
    least work that it can be given, since it sizes itself for 512 units. It
    writes from constants, which the driver cannot (docs/vgpu.md)."""
    return ("hashcat " + name, "hashcat",
            ["env", "DoCpuCopyOnWriteBuffer=1", "hashcat", "-a", "3",
             "--potfile-disable", "--force", "-n", "1", "-u", "1", "-T", "32",
             "-M", "-m", mode, digest, "?l?l?l"], True,
            digest + r":abc\b(.|\n)*Recovered\.*: 1/1",
            r"Self-test failed|Kernel self-test", True)


def blast(name):
    """A program of clBLAST's: against a CPU's BLAS, in all precisions that the
    device has; what it has not, fp64, it skips itself."""
    return ("clBLAST " + name, "clblast-tests", ["clblast_test_x" + name], True,
            r"[1-9]\d* test\(s\) passed",
            r"[1-9]\d* failed|[1-9]\d* test\(s\) failed",
            True)


def ffmpeg(opencl, plain, psnr):
    """A filter of ffmpeg's on the device against its own on the CPU."""
    return ("ffmpeg " + opencl.split("=")[0], "ffmpeg",
            ["ffmpeg", "-v", "info", "-init_hw_device", "opencl=gpu",
             "-filter_hw_device", "gpu", "-f", "lavfi", "-i",
             "testsrc=size=70x50:rate=2:duration=1", "-filter_complex",
             f"format=yuv420p,split[a][b];[a]hwupload,{opencl},hwdownload,"
             f"format=yuv420p[c];[b]{plain}[d];[c][d]psnr", "-f", "null", "-"],
            True, "PSNR .*" + psnr, r"Error|Failed", True)


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
    # The same with copies on the copy engine, as on a user's machine.
    ("pyopencl, copy engine", "python3-pyopencl",
     ["env", "EnableBlitterForEnqueueOperations=1", PYTHON,
      HERE / "pyopencl_numpy.py"], True, r"all right", r"Traceback", False),
    # Scattering of particles against values that the package has.
    ("sasmodels", "python3-sasmodels",
     [PYTHON, "-m", "sasmodels.model_test", "-e", "opencl", "sphere",
      "cylinder"], True, r"Ran 2 tests(.|\n)*\nOK\b", r"FAILED", False),
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
    piglit(EXECUTE + "image-read-2d.cl"),
    piglit(EXECUTE + "image-write-2d.cl"),
    piglit(EXECUTE + "image-attributes.cl"),
    piglit(EXECUTE + "sampler.cl"),
    ffmpeg("transpose_opencl=1", "transpose=1", "average:inf"),
    # A program's own text serves as a film. Its threads change what the driver
    # reads back (docs/vgpu.md).
    ("x264", "x264",
     ["env", "DoCpuCopyOnWriteBuffer=1", "x264", "--opencl", "--input-res",
      "96x80", "--fps", "25", "--frames", "3", "--demuxer", "raw", "-o",
      "/dev/null", "/bin/bash"], True,
     r"OpenCL acceleration enabled(.|\n)*encoded 3 frames", r"OpenCL error",
     True),
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
    # Element-wise kernels that libgpuarray writes, against numpy.
    ("pygpu", "python3-pygpu",
     ["env", "DEVICE=opencl0:0", PYTHON, "-m", "pytest", "-q", "-p",
      "no:cacheprovider", "/usr/lib/python3/dist-packages/pygpu/tests/"
      "test_elemwise.py", "-k", "bool or divmod or broadcast or infinity"],
     True, r"\b[1-9]\d* passed", r"\bfailed\b|\berror\b", True),
    blast("axpy"),
    blast("dot"),
    blast("gemv"),
    blast("gemm"),
    # The digests of abc that RFC 1321, FIPS 180 and NTLM's description give.
    hashcat("MD5", "0", "900150983cd24fb0d6963f7d28e17f72"),
    hashcat("SHA1", "100", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    hashcat("SHA2-256", "1400", "ba7816bf8f01cfea414140de5dae2223"
            "b00361a396177a9cb410ff61f20015ad"),
    hashcat("NTLM", "1000", "e0fba38268d0ec66ef1cb452d5885e53"),
]
LONG_S, SHORT_S = 3600, 120
# What needs images, and where there are none.
IMAGES = re.compile(r"image-|sampler|ffmpeg|x264")
NO_IMAGES = ("xehpc",)
# What a module uses only here.
NEEDS = {"sasmodels": ["pyopencl"], "pygpu": ["pytest"]}


def run(words, limit_s):
    """Exit status and output; None after limit_s seconds. xk hands SIGTERM on:
    killed at once, it would leave the program behind, which waits for ever."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          errors="replace") as p:
        try:
            out = p.communicate(timeout=limit_s)[0]
        except subprocess.TimeoutExpired:
            p.terminate()
            try:
                p.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                p.kill()
            return None
        return p.returncode, out


def missing(package, command):
    """Why the row cannot run, or None."""
    for word in command[:2]:
        path = str(word)
        if path.startswith("-") or path.isdigit():
            continue
        if path != PYTHON and path.startswith("/") and not Path(path).exists():
            return f"{path} is missing (package {package})"
    words = command[2:] if command[0] == "env" else command
    if not shutil.which(str(words[0])):
        return f"{words[0]} is missing (package {package})"
    if words[0] != PYTHON:
        return None
    modules = [package.replace("python3-", "").replace("opencv", "cv2")]
    modules += NEEDS.get(modules[0], [])
    for module in modules:
        if subprocess.run([PYTHON, "-c", f"import {module}"],
                          capture_output=True, check=False).returncode:
            return f"{PYTHON} has no {module} (for {package})"
    return None


def run_row(xk, platform, row, report):
    """None if it went well, else what is wrong, and the output's end."""
    _, _, command, launches, must, must_not, is_long = row
    words = [xk, "vgpu", "-p", platform, "--json", "-o", report, "--"]
    done = run(words + [str(w) for w in command],
               LONG_S if is_long else SHORT_S)
    if not done:
        return "it does not end in time"
    out = re.sub(r"\x1b\[[0-9;]*m", "", done[1])
    end = "\n".join("# " + line for line in out.splitlines()[-12:])
    if done[0]:
        return f"exit status {done[0]}\n{end}"
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
    rows = [r for r in rows
            if platform not in NO_IMAGES or not IMAGES.match(r[0])]
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
