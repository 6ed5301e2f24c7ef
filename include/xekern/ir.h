/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as IR text (docs/ir.md), written by hand or by a dump. The header is
 * for people who work on kernels and may change until 1.0. */
#ifndef XK_XEKERN_IR_H
#define XK_XEKERN_IR_H

#include "xekern/inspect.h"
#include "xekern/xekern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One kernel. Its parameters group_x, group_y and group_z have the number of
 * groups as their extents; thread has the number of threads in a group. The
 * number is 1 if there is no such parameter. Pointers and values are the
 * program's arguments, in their order. A pointer with a surface parameter
 * behind it is a surface. Either all pointers are surfaces, or none is. */
struct xk_ir_source {
    uint32_t size;      /* sizeof(struct xk_ir_source) */
    uint32_t platform;  /* enum xk_platform_id */
    const char *text;   /* the kernel */
    const char *passes; /* calls of passes, such as "split(m=8) pipe(ra
                           ahead=1) expand" (docs/passes.md); NULL: none */
    uint32_t grf_count; /* registers of a thread: 128, 256; 0: 128 */
    uint32_t spare_grf; /* how many of these passes may use for values */
    const char *device; /* as xk_attr.device; NULL is "" */
};

/* Runs the named passes in this order, and no others, and writes the kernel as
 * text. XK_EPARSE (where in the text, or which call), XK_EINVAL (why it is no
 * kernel), else the status of a pass. */
XK_API enum xk_status xk_ir_rewrite(const struct xk_ir_source *s,
                                    xk_write_fn write, void *user,
                                    struct xk_error *err);
/* Runs the named passes, then all others, and makes a program of one launch.
 * options may be NULL. XK_EINVAL for
 * XK_CREATE_A64 if the text has surfaces: it says itself how memory is reached.
 */
XK_API XK_GIVE enum xk_status xk_ir_create(const struct xk_ir_source *s,
                                           const struct xk_create_options *o,
                                           xk_program **out,
                                           struct xk_error *err);

#ifdef __cplusplus
}
#endif
#endif
