/* SPDX-License-Identifier: Apache-2.0 */
/* The platforms, for descriptors and for kernels alike. */
#ifndef XK_PLATFORM_H
#define XK_PLATFORM_H

enum xk_platform_id {
    XK_PLATFORM_NONE = 0,
    XK_PLATFORM_XELP = 1,
    XK_PLATFORM_XEHPG = 2,
    XK_PLATFORM_XEHPC = 3,
};

#endif
