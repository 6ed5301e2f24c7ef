# SPDX-License-Identifier: Apache-2.0
"""OpenCV's OpenCL path (UMat) against its own CPU path."""
import cv2
import numpy as np

CASES = {
    "blur": lambda m: cv2.blur(m, (3, 3)),
    "threshold": lambda m: cv2.threshold(m, 100, 255, cv2.THRESH_BINARY)[1],
    "add": lambda m: cv2.add(m, m),
    "erode": lambda m: cv2.erode(m, np.ones((3, 3), np.uint8)),
}


def main():
    """At most one step of eight bits apart."""
    cv2.ocl.setUseOpenCL(True)
    assert cv2.ocl.useOpenCL(), "OpenCV finds no OpenCL device"
    rng = np.random.default_rng(1)
    a = rng.integers(0, 256, (120, 160), dtype=np.uint8)
    u = cv2.UMat(a)
    for name, fn in CASES.items():
        apart = fn(u).get().astype(int) - fn(a).astype(int)
        assert abs(apart).max() <= 1, name
    print("all right")


main()
