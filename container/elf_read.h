/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of an ELF64 file, each checked against the file's size. */
#ifndef XK_CONTAINER_ELF_READ_H
#define XK_CONTAINER_ELF_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ctx.h"

struct xk_elf {
    const uint8_t *file;
    size_t n_b;
    uint16_t machine, n_sections, names;
    uint64_t table_b; /* offset of the section headers */
};

struct xk_elf_section {
    const char *name; /* NUL terminated, inside the file */
    uint32_t type;
    uint32_t link;       /* index of the section it refers to */
    const uint8_t *data; /* inside the file */
    uint64_t size_b;
};

enum xk_status xk_elf_open(xk_ctx *c, const void *file, size_t n_b,
                           struct xk_elf *out);
enum xk_status xk_elf_section(xk_ctx *c, const struct xk_elf *e, unsigned i,
                              struct xk_elf_section *out);

#endif
