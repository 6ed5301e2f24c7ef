/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the container that compilers wrote before zebin: a program header, and
 * for each kernel a name, heaps and a list of patch tokens. The container may
 * be the whole file or, as ocloc writes it, a section of an ELF file. The
 * layout is that of the compiler's public header patch_list.h, version 1081,
 * checked on Debian's ocloc. */
#ifndef XK_CONTAINER_PATCH_TOKENS_H
#define XK_CONTAINER_PATCH_TOKENS_H

#include "container/zebin_read.h"

/* True if the file is such a program, by its magic number or its ELF
 * section. */
bool xk_patch_tokens_recognise(const void *file, size_t n_b);

/* Fills the same record as xk_zebin_read; file must outlive it. *gfx_core
 * becomes the core for which the program was compiled. Truncated, inconsistent
 * or hostile files give a status and a sentence; *out then holds nothing. */
enum xk_status xk_patch_tokens_read(xk_ctx *c, const void *file, size_t n_b,
                                    struct xk_zebin *out, uint32_t *gfx_core);

#endif
