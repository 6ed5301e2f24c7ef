# SPDX-License-Identifier: Apache-2.0
"""What OpenCL says of images: chapters 5.3.1 (formats), 6.15.15 (functions) and
8.2 to 8.3 (addressing, filters, conversions) of its specification, in numpy,
written from the text alone. Coordinates are arrays [items][4]; an image is an
array [elements or slices][rows][columns][channels as stored]."""
import numpy as np

# For each channel order: which stored channel red, green, blue and alpha are;
# None is absent.
ORDERS = {"R": (0, None, None, None), "A": (None, None, None, 0),
          "RG": (0, 1, None, None), "RGBA": (0, 1, 2, 3),
          "BGRA": (2, 1, 0, 3), "INTENSITY": (0, 0, 0, 0),
          "LUMINANCE": (0, 0, 0, None), "sRGBA": (0, 1, 2, 3),
          "sBGRA": (2, 1, 0, 3), "DEPTH": (0, None, None, None)}
TYPES = {"UNORM_INT8": "u1", "UNORM_INT16": "u2", "SNORM_INT8": "i1",
         "SNORM_INT16": "i2", "SIGNED_INT8": "i1", "SIGNED_INT16": "i2",
         "SIGNED_INT32": "i4", "UNSIGNED_INT8": "u1", "UNSIGNED_INT16": "u2",
         "UNSIGNED_INT32": "u4", "HALF_FLOAT": "f2", "FLOAT": "f4"}
# For each kind: coordinates that are filtered, and whether an element follows.
KINDS = {"1d": (1, False), "1d_buffer": (1, False), "1d_array": (1, True),
         "2d": (2, False), "2d_array": (2, True), "3d": (3, False)}


def family(name):
    """The ending of the function that reads a type: f, i or ui."""
    return {"SIG": "i", "UNS": "ui"}.get(name[:3], "f")


def channels(order):
    """Stored channels."""
    return len({c for c in ORDERS[order] if c is not None})


def decoded(order, kind, texels):
    """Stored channels as red, green, blue, alpha."""
    how = family(kind)
    out = np.zeros(texels.shape[:-1] + (4,),
                   {"f": np.float32, "i": np.int32, "ui": np.uint32}[how])
    out[..., 3] = 1
    for k, at in enumerate(ORDERS[order]):
        if at is None:
            continue
        v = texels[..., at]
        if kind.startswith("UNORM"):
            v = v.astype(np.float32) / np.float32(np.iinfo(v.dtype).max)
        elif kind.startswith("SNORM"):
            v = np.maximum(v.astype(np.float32)
                           / np.float32(np.iinfo(v.dtype).max), -1)
        if order.startswith("s") and k < 3:
            x = v.astype(np.float64)
            v = np.where(x <= 0.04045, x / 12.92,
                         ((x + 0.055) / 1.055) ** 2.4)
        out[..., k] = v
    return out


def encoded(order, kind, values):
    """What is stored of red, green, blue, alpha; rounded to nearest even."""
    dtype = np.dtype(TYPES[kind])
    out = np.zeros(values.shape[:-1] + (channels(order),), dtype)
    for k, at in enumerate(ORDERS[order]):
        if at is None:
            continue
        v = values[..., k]
        if "NORM" in kind:
            least = -1 if kind[0] == "S" else 0
            v = np.rint(np.clip(v.astype(np.float64), least, 1)
                        * np.iinfo(dtype).max)
        elif "INT" in kind:
            v = np.clip(v.astype(np.int64), np.iinfo(dtype).min,
                        np.iinfo(dtype).max)
        out[..., at] = v
    return out


def border(order, kind):
    """The border's colour; opaque black if images have no alpha."""
    out = decoded(order, kind, np.zeros((1, channels(order)),
                                        TYPES[kind]))[0]
    return out


def element(coordinate, count):
    """An array's element: rounded to the nearest even, clamped."""
    return np.clip(np.rint(coordinate), 0, count - 1).astype(np.int64)


def unfolded(c, mode, normalized, width):
    """A coordinate as a number of texels, in single precision as 8.2 has it."""
    c, w = c.astype(np.float32), np.float32(width)
    if not normalized:
        return c
    if mode == "REPEAT":
        return ((c - np.floor(c)) * w).astype(np.float32)
    if mode == "MIRRORED_REPEAT":
        s = np.float32(2) * np.rint(np.float32(0.5) * c)
        return (np.abs(c - s) * w).astype(np.float32)
    return (c * w).astype(np.float32)


def placed(i, mode, width):
    """Column or row of a texel number; -1 is the border."""
    if mode == "REPEAT":
        i = np.where(i < 0, i + width, i)
        return np.where(i > width - 1, i - width, i)
    if mode == "CLAMP":
        return np.where((i < 0) | (i > width - 1), -1, i)
    return np.clip(i, 0, width - 1)


def gather(image, order, kind, z, y, x):
    """Texels, or the border where a coordinate is -1."""
    outside = (x < 0) | (y < 0) | (z < 0)
    v = decoded(order, kind, image[np.maximum(z, 0), np.maximum(y, 0),
                                   np.maximum(x, 0)])
    v[outside] = border(order, kind)
    return v


def axes(image, shape):
    """Width, height, depth of the filtered coordinates, and the elements."""
    dims, array = KINDS[shape]
    depth, height, width = image.shape[:3]
    return [width, height, depth][:dims], \
        (height if dims == 1 else depth) if array else 0


def arranged(shape, at, chosen):
    """z, y, x of numbers per filtered coordinate, and an element if any."""
    dims, array = KINDS[shape]
    zero = np.zeros(len(at), np.int64)
    full = list(chosen) + [zero] * (3 - len(chosen))
    if array:
        full = chosen[:dims] + [at] + [zero] * (2 - dims)
    return full[2], full[1], full[0]


def nearest(image, order, kind, shape, at, mode, normalized):
    """read_image with CLK_FILTER_NEAREST."""
    sizes, elements = axes(image, shape)
    which = element(at[:, len(sizes)], elements) if elements else at[:, 0]
    chosen = []
    for k, n in enumerate(sizes):
        u = unfolded(at[:, k], mode, normalized, n)
        chosen.append(placed(np.floor(u).astype(np.int64), mode, n))
    return gather(image, order, kind, *arranged(shape, which, chosen))


def linear(image, order, kind, shape, at, mode, normalized):
    """read_image with CLK_FILTER_LINEAR, exactly, and how far weights that are
    rounded to 1/256 may lead away from it."""
    sizes, elements = axes(image, shape)
    which = element(at[:, len(sizes)], elements) if elements else at[:, 0]
    low, high, part = [], [], []
    for k, n in enumerate(sizes):
        u = unfolded(at[:, k], mode, normalized, n).astype(np.float64) - 0.5
        i = np.floor(u).astype(np.int64)
        part.append(u - i)
        low.append(placed(i, mode, n))
        high.append(placed(i + 1, mode, n))
    total, corners = 0, []
    for corner in range(1 << len(sizes)):
        chosen, weight = [], 1
        for k in range(len(sizes)):
            second = corner >> k & 1
            chosen.append(high[k] if second else low[k])
            weight = weight * (part[k] if second else 1 - part[k])
        v = gather(image, order, kind,
                   *arranged(shape, which, chosen)).astype(np.float64)
        corners.append(v)
        total = total + v * weight[:, None]
    spread = np.max(corners, 0) - np.min(corners, 0)
    bound = spread * (len(sizes) / 512) + np.max(np.abs(corners), 0) * 2 ** -21
    return total, bound
