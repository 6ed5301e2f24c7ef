/* SPDX-License-Identifier: Apache-2.0 */
/* constant_source ze|ocl: copies a constant to the device and back. Intel's
 * driver fetches the host's side of a copy back from a virtual device, which a
 * constant does not let it do. */
#include <stdio.h>
#include <string.h>

#include "xekern/device.h"

static const int data[5000] = {1, 2, 3, [4999] = 7};

static enum xk_status copy(const char *engine, int *back, struct xk_error *err)
{
    xk_device *d = NULL;
    xk_buffer *b = NULL;
    enum xk_status s = xk_device_create(engine, NULL, 0, &d, err);
    if (s >= 0)
        s = xk_buffer_create(d, sizeof data, &b, err);
    if (s >= 0)
        s = xk_buffer_write(b, 0, data, sizeof data, err);
    if (s >= 0)
        s = xk_buffer_read(b, 0, back, sizeof data, err);
    xk_buffer_unref(b);
    xk_device_unref(d);
    return s;
}

int main(int argc, char **argv)
{
    static int back[5000];
    struct xk_error err;
    if (argc != 2)
        return 2;
    const enum xk_status s = copy(argv[1], back, &err);
    if (s >= 0 && memcmp(back, data, sizeof data) == 0)
        return 0;
    printf("%s: %s\n", argv[1], s < 0 ? err.message : "other bytes");
    return s == XK_EABSENT ? 77 : 1;
}
