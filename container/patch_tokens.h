/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the container that compilers wrote before zebin: a program header, and
 * per kernel a name, heaps and a list of patch tokens. It may stand alone or,
 * as ocloc writes it, in a section of an ELF file. Layout facts: the compiler's
 * public header patch_list.h, version 1081; checked on Debian's ocloc. */
#ifndef XK_CONTAINER_PATCH_TOKENS_H
#define XK_CONTAINER_PATCH_TOKENS_H

#include "container/zebin_read.h"

/* Is it such a program, by its magic number or its ELF section? */
bool xk_patch_tokens_recognise(const void *file, size_t n_b);

/* Fills the same record as xk_zebin_read; file must outlive it. *gfx_core is
 * the core that the program was compiled for. Truncated, lying or hostile files
 * give a status and a sentence; *out then holds nothing. */
enum xk_status xk_patch_tokens_read(xk_ctx *c, const void *file, size_t n_b,
                                    struct xk_zebin *out, uint32_t *gfx_core);

#endif
