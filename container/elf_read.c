/* SPDX-License-Identifier: Apache-2.0 */
#include "container/elf_read.h"

#include <inttypes.h>
#include <string.h>

#define HEADER_B 64
#define SECTION_B 64
#define NOBITS 8

static uint64_t get_le(const uint8_t *p, unsigned n_b)
{
    uint64_t v = 0;
    for (unsigned i = n_b; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static bool is_inside_file(const struct xk_elf *e, uint64_t off, uint64_t n_b)
{
    return off <= e->n_b && n_b <= e->n_b - off;
}

enum xk_status xk_elf_open(xk_ctx *c, const void *file, size_t n_b,
                           struct xk_elf *out)
{
    static const uint8_t magic[6] = {0x7f, 'E', 'L', 'F', 2, 1};
    const uint8_t *f = file;
    if (!f || n_b < HEADER_B)
        return xk_fail(c, XK_EPARSE,
                       "zebin: %zu bytes are too few for an ELF "
                       "header",
                       n_b);
    if (memcmp(f, magic, sizeof(magic)) != 0)
        return xk_fail(c, XK_EPARSE, "zebin: not a little-endian ELF64 file");
    *out = (struct xk_elf){.file = f,
                           .n_b = n_b,
                           .machine = (uint16_t)get_le(f + 18, 2),
                           .table_b = get_le(f + 40, 8),
                           .n_sections = (uint16_t)get_le(f + 60, 2),
                           .names = (uint16_t)get_le(f + 62, 2)};
    const unsigned entry_b = (unsigned)get_le(f + 58, 2);
    if (entry_b != SECTION_B)
        return xk_fail(c, XK_EPARSE, "zebin: e_shentsize is %u, not 64",
                       entry_b);
    if (!is_inside_file(out, out->table_b,
                        (uint64_t)out->n_sections * SECTION_B))
        return xk_fail(c, XK_EPARSE,
                       "zebin: %u section headers at 0x%" PRIx64
                       " do not fit into %zu bytes",
                       out->n_sections, out->table_b, n_b);
    if (out->names >= out->n_sections)
        return xk_fail(c, XK_EPARSE,
                       "zebin: e_shstrndx is %u, but there are "
                       "%u sections",
                       out->names, out->n_sections);
    return XK_OK;
}

static enum xk_status bounds(xk_ctx *c, const struct xk_elf *e, unsigned i,
                             uint64_t *off, uint64_t *size_b)
{
    const uint8_t *h = e->file + e->table_b + (uint64_t)i * SECTION_B;
    *off = get_le(h + 24, 8);
    *size_b = get_le(h + 32, 8);
    if (get_le(h + 4, 4) == NOBITS)
        *off = *size_b = 0;
    if (!is_inside_file(e, *off, *size_b))
        return xk_fail(c, XK_EPARSE,
                       "zebin: section %u, [0x%" PRIx64 ", +0x%" PRIx64
                       "), lies outside the file",
                       i, *off, *size_b);
    return XK_OK;
}

enum xk_status xk_elf_section(xk_ctx *c, const struct xk_elf *e, unsigned i,
                              struct xk_elf_section *out)
{
    uint64_t names, names_b, off, size_b;
    XK_TRY(bounds(c, e, e->names, &names, &names_b));
    XK_TRY(bounds(c, e, i, &off, &size_b));
    const uint8_t *h = e->file + e->table_b + (uint64_t)i * SECTION_B;
    const uint64_t name = get_le(h, 4);
    if (name >= names_b ||
        !memchr(e->file + names + name, 0, (size_t)(names_b - name)))
        return xk_fail(c, XK_EPARSE,
                       "zebin: section %u: name offset 0x%" PRIx64
                       " is not in the string table",
                       i, name);
    *out =
        (struct xk_elf_section){.name = (const char *)(e->file + names + name),
                                .type = (uint32_t)get_le(h + 4, 4),
                                .link = (uint32_t)get_le(h + 40, 4),
                                .data = e->file + off,
                                .size_b = size_b};
    return XK_OK;
}
