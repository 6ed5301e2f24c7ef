# SPDX-License-Identifier: Apache-2.0
"""OpenCL's C interface as far as the tests of images need it, through the
installable client driver and nothing else. Arrays are numpy's; every refusal is
an Error with the function's name and code."""
import ctypes

import numpy as np

SIZE, PTR, UINT, INT = (ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint32,
                        ctypes.c_int32)
BITS = ctypes.c_uint64
THREE = SIZE * 3
READ_WRITE, READ_ONLY, WRITE_ONLY, COPY = 1, 4, 2, 32
BUILD_LOG = 0x1183
ORDER = {"R": 0x10B0, "A": 0x10B1, "RG": 0x10B2, "RGBA": 0x10B5,
         "BGRA": 0x10B6, "INTENSITY": 0x10B8, "LUMINANCE": 0x10B9,
         "DEPTH": 0x10BD, "sRGBA": 0x10C1, "sBGRA": 0x10C2}
TYPE = {"SNORM_INT8": 0x10D0, "SNORM_INT16": 0x10D1, "UNORM_INT8": 0x10D2,
        "UNORM_INT16": 0x10D3, "SIGNED_INT8": 0x10D7, "SIGNED_INT16": 0x10D8,
        "SIGNED_INT32": 0x10D9, "UNSIGNED_INT8": 0x10DA,
        "UNSIGNED_INT16": 0x10DB, "UNSIGNED_INT32": 0x10DC,
        "HALF_FLOAT": 0x10DD, "FLOAT": 0x10DE}
KIND = {"2d": 0x10F1, "3d": 0x10F2, "2d_array": 0x10F3, "1d": 0x10F4,
        "1d_array": 0x10F5, "1d_buffer": 0x10F6}
MODE = {"CLAMP_TO_EDGE": 0x1131, "CLAMP": 0x1132, "REPEAT": 0x1133,
        "MIRRORED_REPEAT": 0x1134}
FILTER = {"NEAREST": 0x1140, "LINEAR": 0x1141}


class Error(Exception):
    """What OpenCL refused."""


class Format(ctypes.Structure):
    """cl_image_format"""
    _fields_ = [("order", UINT), ("type", UINT)]


class Desc(ctypes.Structure):
    """cl_image_desc"""
    _fields_ = [("kind", UINT), ("width", SIZE), ("height", SIZE),
                ("depth", SIZE), ("elements", SIZE), ("row_b", SIZE),
                ("slice_b", SIZE), ("levels", UINT), ("samples", UINT),
                ("behind", PTR)]


def three(values, rest):
    """Three sizes, of which the later ones may be missing."""
    return THREE(*(list(map(int, values)) + [rest] * 3)[:3])


class OpenCL:
    """A queue on the first device of the first platform."""

    def __init__(self):
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        for name in ("Context", "CommandQueue", "ProgramWithSource", "Kernel",
                     "Buffer", "Image", "Sampler"):
            getattr(self.cl, "clCreate" + name).restype = PTR
        platform, self.device = PTR(), PTR()
        self.call("clGetPlatformIDs", 1, ctypes.byref(platform), None)
        self.call("clGetDeviceIDs", platform, BITS(0xFFFFFFFF), 1,
                  ctypes.byref(self.device), None)
        self.context = self.make("Context", None, 1, ctypes.byref(self.device),
                                 None, None)
        self.queue = self.make("CommandQueue", self.context, self.device,
                               BITS(0))

    def call(self, name, *args):
        """A function that returns a code."""
        code = getattr(self.cl, name)(*args)
        if code:
            raise Error(f"{name}: {code}")

    def make(self, what, *args):
        """A function that returns an object."""
        code = INT()
        made = getattr(self.cl, "clCreate" + what)(*args, ctypes.byref(code))
        if code.value:
            raise Error(f"clCreate{what}: {code.value}")
        return PTR(made)

    def program(self, text, options):
        """A built program."""
        source = ctypes.c_char_p(text.encode())
        made = self.make("ProgramWithSource", self.context, 1,
                         ctypes.byref(source), None)
        if self.cl.clBuildProgram(made, 1, ctypes.byref(self.device),
                                  options.encode(), None, None):
            log = ctypes.create_string_buffer(20000)
            self.cl.clGetProgramBuildInfo(made, self.device, BUILD_LOG,
                                          SIZE(20000), log, None)
            raise Error("build: " + log.value.decode(errors="replace")[:600])
        return made

    def formats(self, kind, flags):
        """(order, type) of the device's list that have a name here."""
        room, count = (Format * 300)(), UINT()
        self.call("clGetSupportedImageFormats", self.context, BITS(flags),
                  KIND[kind], 300, room, ctypes.byref(count))
        orders = {v: k for k, v in ORDER.items()}
        types = {v: k for k, v in TYPE.items()}
        return [(orders[f.order], types[f.type]) for f in room[:count.value]
                if f.order in orders and f.type in types]

    def buffer(self, data):
        """A buffer with these bytes."""
        data = np.ascontiguousarray(data)
        return self.make("Buffer", self.context, BITS(READ_WRITE | COPY),
                         SIZE(data.nbytes), data.ctypes.data_as(PTR))

    def image(self, kind, order, channel, size, texels, flags=READ_WRITE):
        """An image of this size, fastest first, that holds texels."""
        data, form = np.ascontiguousarray(texels), Format(ORDER[order],
                                                          TYPE[channel])
        desc = Desc(kind=KIND[kind], width=size[0])
        plain = size[:-1] if kind.endswith("array") else size
        desc.height = plain[1] if len(plain) > 1 else 0
        desc.depth = plain[2] if len(plain) > 2 else 0
        desc.elements = size[-1] if kind.endswith("array") else 0
        if kind == "1d_buffer":
            desc.behind = self.buffer(data)
            return self.make("Image", self.context, BITS(flags),
                             ctypes.byref(form), ctypes.byref(desc), None)
        return self.make("Image", self.context, BITS(flags | COPY),
                         ctypes.byref(form), ctypes.byref(desc),
                         data.ctypes.data_as(PTR))

    def sampler(self, normalized, mode, filters):
        """A sampler, modes by name."""
        return self.make("Sampler", self.context, UINT(normalized),
                         UINT(MODE[mode]), UINT(FILTER[filters]))

    def launch(self, program, name, items, group, *args):
        """A kernel over one dimension; arguments are objects."""
        kernel = self.make("Kernel", program, name.encode())
        for k, arg in enumerate(args):
            self.call("clSetKernelArg", kernel, UINT(k), SIZE(8),
                      ctypes.byref(arg))
        self.call("clEnqueueNDRangeKernel", self.queue, kernel, 1, None,
                  THREE(items), THREE(group), 0, None, None)
        self.call("clFinish", self.queue)
        self.cl.clReleaseKernel(kernel)

    def read(self, buffer, like):
        """A buffer's contents."""
        out = np.zeros_like(like)
        self.call("clEnqueueReadBuffer", self.queue, buffer, 1, SIZE(0),
                  SIZE(out.nbytes), out.ctypes.data_as(PTR), 0, None, None)
        return out

    def read_image(self, image, size, like, origin=(0, 0, 0)):
        """A part of an image."""
        out = np.zeros_like(like)
        self.call("clEnqueueReadImage", self.queue, image, 1, three(origin, 0),
                  three(size, 1), SIZE(0), SIZE(0), out.ctypes.data_as(PTR), 0,
                  None, None)
        return out

    def write_image(self, image, size, data, origin):
        """Changes a part of an image."""
        data = np.ascontiguousarray(data)
        self.call("clEnqueueWriteImage", self.queue, image, 1,
                  three(origin, 0), three(size, 1), SIZE(0), SIZE(0),
                  data.ctypes.data_as(PTR), 0, None, None)

    def copy_image(self, source, target, origin, size):
        """To the target's beginning."""
        self.call("clEnqueueCopyImage", self.queue, source, target,
                  three(origin, 0), three((), 0), three(size, 1), 0, None,
                  None)

    def fill_image(self, image, color, origin, size):
        """color: four floats or integers."""
        color = np.ascontiguousarray(color)
        self.call("clEnqueueFillImage", self.queue, image,
                  color.ctypes.data_as(PTR), three(origin, 0), three(size, 1),
                  0, None, None)
