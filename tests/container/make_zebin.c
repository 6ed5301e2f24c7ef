/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/container/make_zebin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* iga64 -p=12p71: (W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud
 *                 (W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT} */
const uint8_t make_zebin_code[32] = {
    0x61, 0x00, 0x03, 0x80, 0x20, 0x02, 0x05, 0x70, 0x04, 0x00, 0x10,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x31, 0x00, 0x03, 0x80, 0x04, 0x00,
    0x00, 0x00, 0x0c, 0x70, 0x20, 0x30, 0x00, 0x00, 0x00, 0x00,
};

static const char default_info[] = "---\n"
                                   "version: '1.20'\n"
                                   "kernels:\n"
                                   "  - name: k\n"
                                   "    execution_env:\n"
                                   "      barrier_count: 1\n"
                                   "      grf_count: 128\n"
                                   "      has_dpas: true\n"
                                   "      inline_data_payload_size: 32\n"
                                   "      simd_size: 16\n"
                                   "      slm_size: 2048\n"
                                   "      unknown_key: 7\n"
                                   "    payload_arguments:\n"
                                   "      - arg_type: arg_bypointer\n"
                                   "        offset: 0\n"
                                   "        size: 8\n"
                                   "        arg_index: 0\n"
                                   "        addrmode: stateless\n"
                                   "      - arg_type: arg_byvalue\n"
                                   "        offset: 8\n"
                                   "        size: 4\n"
                                   "        arg_index: 1\n"
                                   "      - arg_type: arg_bypointer\n"
                                   "        offset: 16\n"
                                   "        size: 8\n"
                                   "        arg_index: 2\n"
                                   "        addrmode: slm\n"
                                   "      - arg_type: local_size\n"
                                   "        offset: 24\n"
                                   "        size: 12\n"
                                   "      - arg_type: group_count\n"
                                   "        offset: 36\n"
                                   "        size: 12\n"
                                   "      - arg_type: something_new\n"
                                   "        offset: 48\n"
                                   "        size: 4\n"
                                   "    per_thread_payload_arguments:\n"
                                   "      - arg_type: local_id\n"
                                   "        offset: 0\n"
                                   "        size: 96\n"
                                   "...\n";

static void put(uint8_t *p, uint64_t v, unsigned n)
{
    memcpy(p, &v, n);
}

static void section(uint8_t *file, unsigned i, uint32_t name, uint32_t type,
                    uint64_t off, uint64_t size_b)
{
    uint8_t *h = file + 64 + 64 * i;
    put(h, name, 4);
    put(h + 4, type, 4);
    put(h + 24, off, 8);
    put(h + 32, size_b, 8);
}

static void header(uint8_t *f, unsigned n_sections)
{
    static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    memcpy(f, ident, sizeof(ident));
    put(f + 16, 1, 2);
    put(f + 18, 205, 2);
    put(f + 40, 64, 8); /* section headers follow */
    put(f + 58, 64, 2);
    put(f + 60, n_sections, 2);
    put(f + 62, 4, 2);
}

/* Sections 5 to 7: strings, symbols (the second is the one that is told), and
 * its relocation, all at `at`. */
static void put_symbol(uint8_t *f, size_t at, const struct zebin_parts *p,
                       uint32_t name)
{
    const size_t text_b = strlen(p->symbol) + 2;
    uint8_t *const symbol = f + at + text_b + 24;
    uint8_t *const rela = symbol + 24;
    section(f, 5, 0, 3, at, text_b);
    section(f, 6, 0, 2, at + text_b, 48);
    put(f + 64 + 64 * 6 + 40, 5, 4); /* its strings */
    section(f, 7, name, 4, at + text_b + 48, 24);
    memcpy(f + at + 1, p->symbol, text_b - 1);
    put(symbol, 1, 4);
    put(symbol + 6, p->defined_in, 2);
    put(rela, 8, 8);
    put(rela + 8, 1, 4); /* an address of 64 bits */
    put(rela + 12, 1, 4);
}

uint8_t *make_zebin(const struct zebin_parts *p, size_t *n_b)
{
    const char *kernel = p->kernel ? p->kernel : "k";
    const char *info = p->ze_info ? p->ze_info : default_info;
    const unsigned n_sections = p->symbol ? 8 : 5;
    char names[400];
    /* section 1's name is the end of the relocation's */
    const int t =
        snprintf(names + 1, sizeof(names) - 1, ".rela.text.%s", kernel) + 2;
    names[0] = 0;
    static const char rest[] = ".ze_info\0.note.intelgt.compat\0.shstrtab";
    memcpy(names + t, rest, sizeof(rest));
    const size_t names_b = (size_t)t + sizeof(rest), info_b = strlen(info);
    const size_t code = 64 + n_sections * 64u, note = code + 32, at = note + 24;
    const size_t end = at + names_b + info_b;
    *n_b = end + (p->symbol ? strlen(p->symbol) + 2 + 72 : 0);
    uint8_t *f = calloc(1, *n_b);
    if (!f)
        return NULL;
    header(f, n_sections);
    section(f, 1, 6, 1, code, 32);
    section(f, 2, (uint32_t)t, 0xff000011u, at + names_b, info_b);
    section(f, 3, (uint32_t)t + 9, 7, note, 24);
    section(f, 4, (uint32_t)t + 30, 3, at, names_b);
    memcpy(f + code, make_zebin_code, 32);
    put(f + note, 8, 4);
    put(f + note + 4, 4, 4);
    put(f + note + 8, 1, 4);
    memcpy(f + note + 12, "IntelGT", 8);
    put(f + note + 20, p->family ? p->family : 1270, 4);
    memcpy(f + at, names, names_b);
    memcpy(f + at + names_b, info, info_b);
    if (p->symbol)
        put_symbol(f, end, p, 1);
    return f;
}
