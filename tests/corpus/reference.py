#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reference.py: runs OpenCL kernels on PoCL, through the installable client
driver's C interface and nothing else. Reads requests from standard input and
answers on standard output, a line of JSON each:

  {"source": text, "options": text, "kernel": name, "global": [x,y,z],
   "local": [x,y,z], "args": [{"buf": hex} | {"val": hex} | {"local": bytes}]}
  -> {"bufs": [hex...]} or {"error": sentence}

A process of its own, because a crash of the reference must not end a test.
`reference.py --probe` says on one line what it runs on, or why it cannot; exit 0
or 77."""
import ctypes
import ctypes.util
import json
import os
import sys

SIZE, PTR, UINT = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint32
MEM_READ_WRITE, MEM_COPY = 1, 32
BUILD_LOG, PLATFORM_NAME, DEVICE_NAME = 0x1183, 0x0902, 0x102B


class Absent(Exception):
    """Why there is no reference, as a sentence."""


class Reference:
    """A context on PoCL's device and the programs built so far."""

    def __init__(self):
        os.environ.setdefault("POCL_MAX_PTHREAD_COUNT", "1")
        if not os.path.exists("/sys/devices/system/cpu"):
            raise Absent("/sys is not mounted: PoCL dies without it")
        try:
            self.cl = ctypes.CDLL("libOpenCL.so.1")
        except OSError:
            raise Absent("libOpenCL.so.1 is not installed") from None
        for name in ("clCreateContext", "clCreateCommandQueue",
                     "clCreateProgramWithSource", "clCreateKernel",
                     "clCreateBuffer"):
            getattr(self.cl, name).restype = PTR
        self.device = self.find()
        err = ctypes.c_int32()
        self.context = PTR(self.cl.clCreateContext(
            None, 1, ctypes.byref(self.device), None, None,
            ctypes.byref(err)))
        self.queue = PTR(self.cl.clCreateCommandQueue(
            self.context, self.device, ctypes.c_uint64(0), ctypes.byref(err)))
        if err.value:
            raise Absent(f"PoCL has no usable device: error {err.value}")
        self.programs = {}

    def text(self, function, handle, what):
        """A string that a Get...Info function returns."""
        room = ctypes.create_string_buffer(1000)
        function(handle, what, SIZE(1000), room, None)
        return room.value.decode(errors="replace")

    def find(self):
        """The first device of the platform that calls itself portable."""
        platforms, count = (PTR * 16)(), UINT()
        self.cl.clGetPlatformIDs(16, platforms, ctypes.byref(count))
        for platform in platforms[:count.value]:
            handle = PTR(platform)
            if "Portable" not in self.text(self.cl.clGetPlatformInfo, handle,
                                           PLATFORM_NAME):
                continue
            device = PTR()
            if self.cl.clGetDeviceIDs(handle, ctypes.c_uint64(0xFFFFFFFF), 1,
                                      ctypes.byref(device), None) == 0:
                return device
        raise Absent("no OpenCL platform is PoCL (package pocl-opencl-icd)")

    def program(self, source, options):
        """A built program, or the compiler's complaint."""
        key = (source, options)
        if key in self.programs:
            return self.programs[key]
        text, err = ctypes.c_char_p(source.encode()), ctypes.c_int32()
        made = PTR(self.cl.clCreateProgramWithSource(
            self.context, 1, ctypes.byref(text), None, ctypes.byref(err)))
        bad = self.cl.clBuildProgram(made, 1, ctypes.byref(self.device),
                                     options.encode(), None, None)
        if bad:
            log = ctypes.create_string_buffer(20000)
            self.cl.clGetProgramBuildInfo(made, self.device, BUILD_LOG,
                                          SIZE(20000), log, None)
            made = log.value.decode(errors="replace")[:600] or f"error {bad}"
        self.programs[key] = made
        return made

    def set_args(self, kernel, args):
        """Buffers made for the arguments, in order."""
        bufs, err = [], ctypes.c_int32()
        for k, arg in enumerate(args):
            if "local" in arg:
                bad = self.cl.clSetKernelArg(kernel, k, SIZE(arg["local"]),
                                             None)
            elif "val" in arg:
                data = bytes.fromhex(arg["val"])
                bad = self.cl.clSetKernelArg(kernel, k, SIZE(len(data)), data)
            else:
                data = bytes.fromhex(arg["buf"])
                room = ctypes.create_string_buffer(data, len(data))
                buf = PTR(self.cl.clCreateBuffer(
                    self.context, ctypes.c_uint64(MEM_READ_WRITE | MEM_COPY),
                    SIZE(len(data)), room, ctypes.byref(err)))
                bufs.append((buf, len(data)))
                bad = self.cl.clSetKernelArg(kernel, k, SIZE(8),
                                             ctypes.byref(buf))
            if bad:
                return bufs, f"argument {k}: error {bad}"
        return bufs, None

    def run(self, job):
        """The answer to one request."""
        program = self.program(job["source"], job["options"])
        if isinstance(program, str):
            return {"error": "does not compile: " + program}
        err = ctypes.c_int32()
        kernel = PTR(self.cl.clCreateKernel(program, job["kernel"].encode(),
                                            ctypes.byref(err)))
        if err.value:
            return {"error": f"no kernel: error {err.value}"}
        bufs, bad = self.set_args(kernel, job["args"])
        three = SIZE * 3
        if not bad:
            code = self.cl.clEnqueueNDRangeKernel(
                self.queue, kernel, job.get("dims", 3), None,
                three(*job["global"]), three(*job["local"]), 0, None, None)
            code = code or self.cl.clFinish(self.queue)
            bad = f"launch: error {code}" if code else None
        out = []
        for buf, size in bufs:
            room = ctypes.create_string_buffer(size)
            if not bad:
                self.cl.clEnqueueReadBuffer(self.queue, buf, 1, SIZE(0),
                                            SIZE(size), room, 0, None, None)
            out.append(room.raw.hex())
            self.cl.clReleaseMemObject(buf)
        self.cl.clReleaseKernel(kernel)
        return {"error": bad} if bad else {"bufs": out}


def main():
    """Command line."""
    try:
        reference = Reference()
    except Absent as why:
        print(json.dumps({"absent": str(why)}), flush=True)
        return 77
    print(json.dumps({"device": reference.text(
        reference.cl.clGetDeviceInfo, reference.device, DEVICE_NAME)}),
        flush=True)
    for line in sys.stdin if "--probe" not in sys.argv else ():
        print(json.dumps(reference.run(json.loads(line))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
