/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a zebin (ELF64, EM_INTELGT): null, .text.<name>, .ze_info,
 * .note.intelgt.compat, .shstrtab. .ze_info has the lowest version that
 * describes the kernel. Same inputs give the same bytes. */
#ifndef XK_BINARY_ZEBIN_H
#define XK_BINARY_ZEBIN_H

#include "base/ctx.h"
#include "base/str.h"
#include "binary/abi.h"

/* Appends the file to *out (empty before the call). code_b is a multiple of 16;
 * the section is padded as the hardware's prefetch demands. */
enum xk_status xk_zebin_write(xk_ctx *c, const struct xk_abi *abi,
                              const void *code, uint32_t code_b,
                              struct xk_str *out);

#endif
