/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a zebin (ELF64, EM_INTELGT): null, .text.<name> of each kernel,
 * .ze_info, .note.intelgt.compat, .xekern.launches if the file says how it is
 * launched, .shstrtab. .ze_info has the lowest version that describes the
 * kernels. Same inputs give the same bytes. */
#ifndef XK_BINARY_ZEBIN_H
#define XK_BINARY_ZEBIN_H

#include "base/ctx.h"
#include "base/str.h"
#include "binary/abi.h"
#include "xekern/launches.h"

struct xk_zebin_kernel {
    const struct xk_abi *abi;
    const void *code;
    uint32_t code_b;    /* a multiple of 16; the section is padded as the
                           hardware's prefetch demands */
    uint32_t code_at_b; /* the answer: where it lies in the file */
};

struct xk_zebin_contents {
    unsigned n_kernels; /* for one device, with different names */
    struct xk_zebin_kernel *kernels;
    const struct xk_launch_list *launches; /* NULL: the file does not say */
};

/* Appends the file to *out (empty before the call). */
enum xk_status xk_zebin_write(xk_ctx *c, const struct xk_zebin_contents *z,
                              struct xk_str *out);

/* A file with one kernel that does not say how it is launched. */
static inline enum xk_status
xk_zebin_write_kernel(xk_ctx *c, const struct xk_abi *abi, const void *code,
                      uint32_t code_b, struct xk_str *out)
{
    struct xk_zebin_kernel k = {.abi = abi, .code = code, .code_b = code_b};
    const struct xk_zebin_contents z = {.n_kernels = 1, .kernels = &k};
    return xk_zebin_write(c, &z, out);
}

#endif
