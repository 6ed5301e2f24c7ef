#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""images_device.py OUT [SECTION]...: makes images on the first OpenCL device, runs
the kernels of images.cl on them and writes what they returned to the file OUT,
with what they were given. Knows nothing of what should come out."""
import os
import sys
from pathlib import Path

import numpy as np

from images_opencl import READ_ONLY, WRITE_ONLY, Error, OpenCL
from images_reference import KINDS, TYPES, channels, family

N = 192  # work items of a launch
MODES = ("CLAMP", "CLAMP_TO_EDGE", "REPEAT", "MIRRORED_REPEAT")
VECTOR = {"f": np.float32, "i": np.int32, "ui": np.uint32}
# Extents, fastest first, that leave parts of tiles unused and need several.
SIZES = {"1d": (777,), "1d_buffer": (777,), "1d_array": (77, 5),
         "2d": (301, 141), "2d_array": (141, 67, 3), "3d": (69, 45, 19)}
SMALL = {"1d": (23,), "1d_buffer": (23,), "1d_array": (23, 4),
         "2d": (19, 11), "2d_array": (19, 11, 3), "3d": (13, 7, 5)}


class Device(OpenCL):
    """With the programs built so far, and what was done."""

    def __init__(self):
        super().__init__()
        self.text = Path(__file__).with_name("images.cl").read_text("utf-8")
        self.programs, self.results = {}, {}

    def kernels(self, shape, how, more=""):
        """images.cl for a kind of image and a family of functions."""
        key = (shape, how, more)
        if key not in self.programs:
            dims, array = KINDS[shape]
            lines = [f"#define KIND {shape}", f"#define READ {how}",
                     f"#define DIMS {dims + array}",
                     "#define TYPE " + {"f": "float4", "i": "int4",
                                        "ui": "uint4"}[how]]
            lines += ["#define DEEP"] * (shape == "3d")
            lines += ["#define ELEMENTS"] * array
            lines += ["#define ELEMENTS_OF_ROWS"] * (shape == "1d_array")
            lines += ["#define NO_SAMPLER"] * (shape == "1d_buffer")
            lines += [f"#define {m}" for m in more.split()]
            self.programs[key] = self.program(
                "\n".join(lines) + "\n" + self.text,
                "-cl-std=" + os.environ.get("XK_CL_STD", "CL2.0"))
        return self.programs[key]

    def result(self, name, program, how, *args):
        """A launch whose last argument is what it writes."""
        out = np.full((N, 4), 77, VECTOR[how])
        room = self.buffer(out)
        self.launch(program, name, N, 32, *args, room)
        return self.read(room, out)

    def keep(self, case, **arrays):
        """Results of a case, by name."""
        self.results.update({f"{case}/{k}": v for k, v in arrays.items()})


def dimensions(shape, size):
    """Slices, rows, columns of the array that holds its texels."""
    if shape == "1d_array":
        return 1, size[1], size[0]
    full = tuple(size) + (1,) * (3 - len(size))
    return full[::-1]


def random_texels(rng, shape, order, kind, size):
    """Bits of all kinds; floats are finite."""
    dims = dimensions(shape, size) + (channels(order),)
    dtype = np.dtype(TYPES[kind])
    if dtype.kind == "f":
        return (rng.random(dims) * 200 - 100).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, dims, dtype, endpoint=True)


def whole_coordinates(rng, size, beyond=0):
    """Texels of the image, or beside it."""
    at = np.zeros((N, 4), np.int32)
    for k, n in enumerate(size):
        at[:, k] = rng.integers(-beyond, n + beyond, N)
    for k, n in enumerate(size):
        at[0, k], at[1, k] = 0, n - 1
    return at


def real_coordinates(rng, shape, size, normalized, wide):
    """Some on texels' middles and edges."""
    at = np.zeros((N, 4), np.float32)
    dims, array = KINDS[shape]
    for k in range(dims):
        n = size[k]
        u = rng.random(N) * (3.5 if wide else 1) * n - (1.2 * n if wide else 0)
        u[::4] = np.floor(u[::4]) + 0.5
        u[1::8] = np.floor(u[1::8])
        u[2::8] = np.floor(u[2::8] * 256) / 256
        at[:, k] = u / n if normalized else u
    if array:
        at[:, dims] = rng.random(N) * (size[-1] + 3) - 1.5
        at[::3, dims] = np.rint(at[::3, dims])
    return at


def renewals(d, rng, case, shape, order, kind, size):
    """Kernels that read what they have written; each texel at most once."""
    if "XK_CL_STD" in os.environ:
        return
    how = family(kind)
    texels = random_texels(rng, shape, order, kind, size)
    image = d.image(shape, order, kind, size, texels)
    at = np.unique(whole_coordinates(rng, size), axis=0)
    at = np.resize(at, (len(at) // 32 * 32, 4))
    out = np.full((len(at), 4), 77, VECTOR[how])
    room = d.buffer(out)
    d.launch(d.kernels(shape, how, "RENEW"), "renew", len(at), 32, image,
             d.buffer(at), room)
    d.keep(case, texels=texels, at=at, renew=d.read(room, out))


def fetches(d, rng, case, shape, order, kind, size):
    """Reading without and with a sampler, asking, copying out."""
    how = family(kind)
    has_halves = how == "f" and "XK_CL_STD" not in os.environ
    program = d.kernels(shape, how, "NO_WRITE" + " HALVES" * has_halves)
    texels = random_texels(rng, shape, order, kind, size)
    image = d.image(shape, order, kind, size, texels, READ_ONLY)
    at = whole_coordinates(rng, size)
    extent = np.zeros(8, np.int32)
    result = d.buffer(extent)
    d.launch(program, "extent", 1, 1, image, result)
    extent = d.read(result, extent)
    if shape != "1d_buffer":
        d.keep(case, back=d.read_image(image, size, texels))
    d.keep(case, texels=texels, at=at, extent=extent,
           fetch=d.result("fetch", program, how, image, d.buffer(at)))
    if shape == "1d_buffer":
        return
    real = real_coordinates(rng, shape, size, True, True)
    d.keep(case, real=real, parted=d.result(
        "parted", program, how, image, d.buffer(real), d.buffer(at)))
    linear = how == "f"
    for mode in MODES:
        for normalized in (True, False):
            if mode not in ("CLAMP", "CLAMP_TO_EDGE") and not normalized:
                continue
            for filters in ("NEAREST", "LINEAR")[:1 + linear]:
                sampler = d.sampler(normalized, mode, filters)
                at = real_coordinates(rng, shape, size, normalized, True)
                name = f"{case}/{mode}-{int(normalized)}-{filters}"
                d.keep(name, at=at, sample=d.result("sample", program, how, image,
                                                  sampler, d.buffer(at)))
                if has_halves:
                    d.keep(name, halves=d.result(
                        "halves", program, how, image, sampler, d.buffer(at)))
                if normalized or filters == "LINEAR":
                    continue
                at = whole_coordinates(rng, size, 5)
                d.keep(name, whole_at=at, whole=d.result(
                    "whole", program, how, image, sampler, d.buffer(at)))


def stores(d, rng, case, shape, order, kind, size):
    """Every texel at most once; what lies outside is dropped."""
    how = family(kind)
    program = d.kernels(shape, how)
    texels = random_texels(rng, shape, order, kind, size)
    image = d.image(shape, order, kind, size, texels)
    every = np.stack(np.meshgrid(*[np.arange(-1, n + 1) for n in size[::-1]],
                                 indexing="ij")[::-1], -1)
    every = every.reshape(-1, len(size))
    at = np.zeros((N, 4), np.int32)
    at[:, :len(size)] = rng.permutation(
        np.resize(every, (max(N, len(every)), len(size))))[:N]
    _, first = np.unique(at, axis=0, return_index=True)
    again = np.setdiff1d(np.arange(N), first)
    at[again, 0] = -5
    if how == "f":
        values = (rng.random((N, 4)) * 3 - 1.5).astype(np.float32)
        values[::5] = np.rint(values[::5] * 4) / 4
    else:
        values = rng.integers(0, 2 ** 32, (N, 4), np.uint32).view(VECTOR[how])
        values[::2] %= 300
    d.launch(program, "store", N, 32, image, d.buffer(at), d.buffer(values))
    d.keep(case, before=texels, store_at=at, values=values,
           after=d.read_image(image, size, texels))


def copies(d, rng, case, shape, order, kind, size):
    """Rectangles: from host, to host, to another image, filled."""
    texels = random_texels(rng, shape, order, kind, size)
    other = random_texels(rng, shape, order, kind, size)
    image = d.image(shape, order, kind, size, texels)
    target = d.image(shape, order, kind, size, other)
    origin, region = [n // 3 for n in size], [n // 2 for n in size]
    d.copy_image(image, target, origin, region)
    d.keep(case, texels=texels, other=other, origin=np.array(origin),
           region=np.array(region), copied=d.read_image(target, size, texels))
    part = random_texels(rng, shape, order, kind, region)
    d.write_image(image, region, part, origin)
    d.keep(case, part=part, put=d.read_image(image, size, texels))
    color = np.array([0.2, 1.0, 0.6, 0.8], np.float32)
    if family(kind) != "f":
        color = np.array([1, 20, 77, 127], VECTOR[family(kind)])
    d.fill_image(image, color, origin, region)
    d.keep(case, color=color, filled=d.read_image(image, size, texels),
           fill_part=d.read_image(image, region, part, origin))


def run(sections):
    """All cases; one that the device refuses is kept as a sentence."""
    d = Device()

    def attempt(what, case, *rest):
        if sections and not any(case.startswith(s) for s in sections):
            return
        try:
            what(d, np.random.default_rng(sum(case.encode())), case, *rest)
        except Error as why:
            d.keep(case, error=np.array(str(why)[:300]))
    for shape in KINDS:
        for order, kind in (("RGBA", "UNSIGNED_INT8"), ("R", "UNORM_INT8"),
                            ("RGBA", "FLOAT"), ("R", "HALF_FLOAT"),
                            ("RG", "SIGNED_INT32")):
            name = f"{shape}-{order}-{kind}"
            size = SIZES[shape]
            attempt(fetches, "read-" + name, shape, order, kind, size)
            attempt(stores, "write-" + name, shape, order, kind, size)
            if order == "RGBA" and shape in ("2d", "2d_array", "3d"):
                attempt(renewals, "renew-" + name, shape, order, kind, size)
            if shape != "1d_buffer":
                attempt(copies, "copy-" + name, shape, order, kind, size)
    for shape in ("2d", "3d"):
        for order, kind in d.formats(shape, READ_ONLY):
            if order != "DEPTH":
                attempt(fetches, f"format-{shape}-{order}-{kind}", shape,
                        order, kind, SMALL[shape])
        for order, kind in d.formats(shape, WRITE_ONLY):
            if order != "DEPTH":
                attempt(stores, f"store-{shape}-{order}-{kind}", shape, order,
                        kind, SMALL[shape])
    return d.results


if __name__ == "__main__":
    np.savez(sys.argv[1], **run(sys.argv[2:]))
