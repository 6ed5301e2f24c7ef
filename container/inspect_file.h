/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to container/: an opened file behind xekern/inspect.h, and the walk
 * over a kernel's instructions that its parts share. */
#ifndef XK_CONTAINER_INSPECT_FILE_H
#define XK_CONTAINER_INSPECT_FILE_H

#include "container/kernel_file.h"
#include "isa/product.h"
#include "xekern/inspect.h"

struct xk_inspect {
    xk_ctx *c;
    struct xk_kernel_file file;
    /* results of the last xk_inspect_stats */
    struct xk_count *opcode, *message;
    struct xk_loop_facts *loop;
    char *names;                /* texts of the messages */
    struct xk_wa_device device; /* what the rules are checked for */
    bool device_is_known;       /* or the container tells one that is not */
    char device_name[32];       /* "" if it does */
};

/* One step of a walk. */
struct xk_code_step {
    size_t at_b, size_b;
    bool good; /* decoded; otherwise error says why */
    struct xk_inst inst;
    struct xk_error error;
};

/* Decodes the instruction at *at_b and moves *at_b behind it. False at the end
 * of the code, or if only zero padding is left. */
bool xk_code_next(const struct xk_platform *p, const uint8_t *code,
                  size_t code_b, size_t *at_b, struct xk_code_step *step);

/* What the container says of the device. */
struct xk_told_device xk_inspect_told(const xk_inspect *f);

/* Kernel number k, or NULL with the reason in f's context. */
const struct xk_zkernel *xk_inspect_get(const xk_inspect *f, uint32_t k);

/* Ends a public call: copies the context's error to *err (may be NULL), clears
 * it, and returns its status. */
enum xk_status xk_inspect_end(const xk_inspect *f, struct xk_error *err);

#endif
