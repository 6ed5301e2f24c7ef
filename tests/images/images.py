#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""images.py XK PLATFORM [long]: OpenCL images end to end. images_device.py runs
on the virtual GPU, through Intel's driver, with all checkers, and on PoCL; here
what came out is compared with what images_reference.py says, exactly, but for
linear filters, where weights may be rounded to 1/256. PoCL must come to the same
expectations, so that two who never met vouch for them. Sections of
images_device.py may follow instead of `long`. TAP."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # numpy is Debian's


def missing():
    """What is not installed, or None."""
    if not Path("/etc/OpenCL/vendors/intel.icd").exists():
        return "no Intel OpenCL driver (package intel-opencl-icd)"
    if not shutil.which(PYTHON) or subprocess.run(
            [PYTHON, "-c", "import numpy"], capture_output=True,
            check=False).returncode:
        return f"{PYTHON} has no numpy (package python3-numpy)"
    return None


if __name__ == "__main__":
    if missing():
        print("1..0 # SKIP " + missing())
        sys.exit(0)
    if os.path.realpath(sys.executable) != os.path.realpath(PYTHON):
        os.execv(PYTHON, [PYTHON] + sys.argv)

import numpy as np  # noqa: E402

import images_reference as ref  # noqa: E402

# Sections of images_device.py that make check runs.
SHORT = ["read-2d-RGBA-UNS", "read-2d-R-UNORM", "read-3d-RGBA-FLOAT",
         "read-1d_array-RG-", "read-2d_array-R-HALF", "read-1d_buffer-RGBA-U",
         "read-1d-RGBA-FLOAT", "write-2d-R-UNORM", "write-3d-RG-SIG",
         "write-2d_array-RGBA-FLOAT", "write-1d-R-HALF",
         "renew-2d-RGBA-F", "renew-3d-RGBA-U", "copy-3d-RGBA-U",
         "format-2d-A", "format-2d-B", "format-2d-L", "format-2d-I", "format-2d-s", "store-2d-"]
# What PoCL 3.1 does as OpenCL says. Not: the border of images without alpha, which
# it makes transparent, the elements of arrays, which it scales, and 8-bit
# fractions, which are 1 ulp off.
POCL = ["read-1d-RGBA-U", "read-2d-RGBA-F", "read-2d-RGBA-UNS",
        "read-3d-RGBA-F", "write-2d-RGBA-U", "write-3d-RGBA-F",
        "copy-2d-RGBA-U"]


class Results:
    """A file of images_device.py, by case."""

    def __init__(self, path):
        self.all = np.load(path)
        self.cases = {}
        for key in self.all.files:
            case, _, what = key.rpartition("/")
            self.cases.setdefault(case, {})[what] = key

    def get(self, case):
        """Arrays of a case by name."""
        return {w: self.all[k] for w, k in self.cases[case].items()}


def parts(case):
    """Section, kind of image, channel order, channel type."""
    section, shape, order, kind = case.split("/")[0].split("-")
    return section, shape, order, kind


def differ(got, want, allowed=0):
    """A sentence about the first difference, or None. Bits are compared, but
    what both call not a number is equal, and zeros are."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    with np.errstate(invalid="ignore"):
        far = np.abs(got.astype(np.float64) - want.astype(np.float64))
        bad = ~((got == want) | (far <= allowed)
                | (np.isnan(far) & np.isnan(got.astype(np.float64))
                   & np.isnan(want.astype(np.float64))))
    if not bad.any():
        return None
    at = tuple(int(k) for k in np.argwhere(bad)[0])
    return f"at {at} {got[at]!r}, not {want[at]!r} ({int(bad.sum())} differ)"


def flushed(v):
    """Intel's compiler lets kernels read denormals as zero."""
    if v.dtype != np.float32:
        return v
    return np.where(np.abs(v) < np.finfo(np.float32).tiny, np.float32(0), v)


def close(order):
    """How far a decoded channel may be off: the curve of sRGB is rounded."""
    return 2 ** -20 if order.startswith("s") else 0


def image_of(case, results):
    """The texels of the case's image."""
    return results.get(case.split("/")[0])["texels"]


def texels_at(shape, image, order, kind, at):
    """What read_image gives at whole coordinates inside."""
    sizes, elements = ref.axes(image, shape)
    chosen = [at[:, k].astype(np.int64) for k in range(len(sizes))]
    which = at[:, len(sizes)].astype(np.int64) if elements else at[:, 0]
    return ref.gather(image, order, kind, *ref.arranged(shape, which, chosen))


def check_whole_image(case, r):
    """Copying out, reading, asking, branches."""
    _, shape, order, kind = parts(case)
    image = r["texels"]
    if "back" in r:
        yield "copied out", differ(r["back"], image)
    want = texels_at(shape, image, order, kind, r["at"])
    yield "fetched", differ(flushed(r["fetch"]), flushed(want), close(order))
    sizes, elements = ref.axes(image, shape)
    extent = list(sizes) + [0] * (3 - len(sizes)) + [elements]
    yield "extent", differ(r["extent"][:4], np.array(extent))
    if "parted" not in r:
        return
    around = ref.nearest(image, order, kind, shape, r["real"], "REPEAT", True)
    mixed = np.where((np.arange(len(want)) % 3 == 1)[:, None], around, want)
    yield "branches", differ(flushed(r["parted"]), flushed(mixed),
                             close(order))


def check_sampler(case, r, image):
    """Through a sampler."""
    _, shape, order, kind = parts(case)
    mode, normalized, filters = case.split("/")[1].split("-")
    how = (image, order, kind, shape)
    if filters == "NEAREST":
        want = ref.nearest(*how, r["at"], mode, normalized == "1")
        yield case, differ(flushed(r["sample"]), flushed(want), close(order))
        bound = 0
    else:
        want, bound = ref.linear(*how, r["at"], mode, normalized == "1")
        yield case, differ(r["sample"], want, bound + close(order))
    if "halves" in r:
        with np.errstate(over="ignore"):
            want = want.astype(np.float32).astype(np.float16)
        bound = bound * 1.01 + (filters == "LINEAR") * \
            (np.abs(want.astype(np.float64)) * 2 ** -10 + 2 ** -24)
        yield case + " halves", differ(r["halves"], want.astype(np.float32),
                                       bound + 2 ** 10 * close(order))
    if "whole" in r:
        want = ref.nearest(*how, r["whole_at"].astype(np.float32), mode, False)
        yield case + " whole", differ(flushed(r["whole"]),
                                      flushed(want[:, [1, 3, 1, 3]]),
                                      close(order))


def check_renewal(case, r):
    """What was read, its channels turned round, and what was read then."""
    _, shape, order, kind = parts(case)
    was = texels_at(shape, r["texels"], order, kind, r["at"])
    yield "renewed", differ(flushed(r["renew"]), flushed(was[:, ::-1]))


def check_store(case, r):
    """What write_image left."""
    _, shape, order, kind = parts(case)
    want, values = r["before"].copy(), r["values"]
    sizes, elements = ref.axes(want, shape)
    at = r["store_at"].astype(np.int64)
    limits = list(sizes) + [elements] * (elements > 0)
    inside = np.all([(at[:, k] >= 0) & (at[:, k] < n)
                     for k, n in enumerate(limits)], 0)
    at, values = at[inside], values[inside]
    which = at[:, len(sizes)] if elements else at[:, 0]
    z, y, x = ref.arranged(shape, which, [at[:, k] for k in range(len(sizes))])
    want[z, y, x] = ref.encoded(order, kind, values)
    yield "stored", differ(r["after"], want)


def slices(shape, origin, region):
    """The part of an array of texels."""
    o, n = (list(map(int, v)) for v in (origin, region))
    o, n = o + [0] * (3 - len(o)), n + [1] * (3 - len(n))
    return (slice(o[2], o[2] + n[2]), slice(o[1], o[1] + n[1]),
            slice(o[0], o[0] + n[0]))


def check_copies(case, r):
    """Rectangles."""
    _, shape, order, kind = parts(case)
    part = slices(shape, r["origin"], r["region"])
    first = slices(shape, [0] * 3, r["region"])
    want = r["other"].copy()
    want[first] = r["texels"][part]
    yield "image to image", differ(r["copied"], want)
    want = r["texels"].copy()
    want[part] = r["part"]
    yield "host to image", differ(r["put"], want)
    want[part] = ref.encoded(order, kind, r["color"][None, None, None, :])
    yield "filled", differ(r["filled"], want)
    yield "part to host", differ(r["fill_part"], want[part])


def complaints(results):
    """(case, what, sentence or None) of everything that was done."""
    for case in results.cases:
        r = results.get(case)
        if "error" in r:
            yield case, "run", str(r["error"])
        elif "/" in case:
            for what, bad in check_sampler(case, r, image_of(case, results)):
                yield case, what, bad
        else:
            check = {"read": check_whole_image, "format": check_whole_image,
                     "write": check_store, "store": check_store,
                     "copy": check_copies, "renew": check_renewal}[parts(case)[0]]
            for what, bad in check(case, r):
                yield case, what, bad


def summary(number, title, found, wrong):
    """A TAP line."""
    print(f"{'not ok' if wrong else 'ok'} {number} - {title}: {found} "
          f"comparisons", flush=True)
    for line in wrong[:int(os.environ.get("XK_RUN_SHOW", "20"))]:
        print("# " + line)
    if len(wrong) > 20:
        print(f"# ... {len(wrong)} in all")


def on_device(command, folder, sections, more=None):
    """Results, or what the programs said."""
    out = Path(folder) / "results.npz"
    done = subprocess.run(
        command + [PYTHON, str(HERE / "images_device.py"), str(out)] + sections,
        capture_output=True, text=True, check=False,
        env=os.environ | (more or {}))
    if done.returncode:
        return f"exit {done.returncode}: {(done.stdout + done.stderr)[-3000:]}"
    return Results(out)


def report(number, title, results):
    """A TAP line; true if all is well."""
    if isinstance(results, str):
        print(f"not ok {number} - {title}\n# " + results.replace("\n", "\n# "))
        return False
    found = list(complaints(results))
    wrong = [f"{c}: {w}: {bad}" for c, w, bad in found if bad]
    summary(number, title, len(found), wrong)
    return bool(found) and not wrong


def has_pocl():
    """Its driver is registered."""
    return Path("/etc/OpenCL/vendors/pocl.icd").exists()


def main():
    """Command line."""
    xk, platform = sys.argv[1:3]
    sections = sys.argv[3:] or SHORT
    sections = [] if sections == ["long"] else sections
    print("1..2", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        good = report(1, f"images on {platform}", on_device(
            [xk, "vgpu", "-q", "-p", platform, "--check=all", "--"], folder,
            sections))
        if not has_pocl():
            print("ok 2 - images on PoCL # SKIP package pocl-opencl-icd")
        elif not Path("/sys/devices/system/cpu").exists():
            print("ok 2 - images on PoCL # SKIP PoCL dies without /sys")
        else:
            good &= report(2, "images on PoCL", on_device(
                [], folder, POCL, {"OCL_ICD_VENDORS": "pocl.icd",
                                   "POCL_MAX_PTHREAD_COUNT": "1",
                                   "XK_CL_STD": "CL3.0"}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
