/* SPDX-License-Identifier: Apache-2.0 */
/* Reads iga64 -Xdsd: remarks, then fields, then the message in words, then what
 * lies where in the registers of the data. */
#include "tests/isa/dsd.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *after(const char *line, const char *key)
{
    const size_t n = strlen(key);

    while (*line == ' ')
        line++;
    if (strncmp(line, key, n) != 0)
        return NULL;
    line += n;
    while (*line == ' ')
        line++;
    return line;
}

static void copy(char *to, size_t to_b, const char *from)
{
    size_t n = strcspn(from, "\n");

    while (n && from[n - 1] == ' ')
        n--;
    snprintf(to, to_b, "%.*s", (int)n, from);
}

/* "  Desc[18:14]     MessageType  ..." */
static void read_field(const char *line, struct dsd_facts *f)
{
    unsigned hi, lo;

    if (sscanf(line, "  Desc[%u:%u]", &hi, &lo) != 2) {
        if (sscanf(line, "  Desc[%u]", &hi) != 1)
            return;
        lo = hi;
    }
    for (unsigned k = lo; k <= hi && k < 32; k++)
        f->defined |= 1u << k;
}

/* "Desc[14:13]: bits set in undefined field" and other remarks. */
static void read_remark(const char *line, bool ex, struct dsd_facts *f)
{
    unsigned hi, lo, n = 0;
    const char *const text = strchr(line, ']');

    if (sscanf(line, ex ? "ExDesc[%u:%u" : "Desc[%u:%u", &hi, &lo) != 2)
        n = 1;
    if (n && sscanf(line, ex ? "ExDesc[%u]" : "Desc[%u]", &hi) == 1)
        lo = hi;
    if (strstr(line, "bits set in undefined field")) {
        for (unsigned k = lo; k <= hi && k < 32; k++)
            *(ex ? &f->ex_spare : &f->spare) |= 1u << k;
    } else if (strstr(line, "requires a header")) {
        f->no_header = true;
    } else if (text && !f->complaint[0]) {
        copy(f->complaint, sizeof(f->complaint), line);
    }
}

static void read_channels(const char *v, struct dsd_facts *f)
{
    const char *c = strstr(v, "(.");

    for (unsigned k = 0; c && k < 4 && c[2 + k] && c[2 + k] != ' '; k++) {
        f->channels[k] = (char)tolower((unsigned char)c[2 + k]);
        f->channels[k + 1] = 0;
    }
}

void dsd_read_line(const char *line, struct dsd_facts *f)
{
    const char *v;

    if (!strncmp(line, "Desc[", 5) || !strncmp(line, "ExDesc[", 7))
        read_remark(line, line[0] == 'E', f);
    else if (!strncmp(line, "  Desc[", 7))
        read_field(line, f);
    else if ((v = after(line, "Op: ")) != NULL)
        copy(f->op, sizeof(f->op), v);
    else if ((v = after(line, "Address Type:")) != NULL)
        copy(f->addr_type, sizeof(f->addr_type), v);
    else if ((v = after(line, "Surface:")) != NULL)
        copy(f->surface, sizeof(f->surface), v);
    else if ((v = after(line, "Address Size:")) != NULL)
        f->addr_bits = (unsigned)atoi(v);
    else if ((v = after(line, "Data Size:")) != NULL)
        f->reg_bits = f->mem_bits = (unsigned)atoi(v);
    else if ((v = after(line, "Data Size (RegFile):")) != NULL)
        f->reg_bits = (unsigned)atoi(v);
    else if ((v = after(line, "Data Size (Memory):")) != NULL)
        f->mem_bits = (unsigned)atoi(v);
    else if ((v = after(line, "Data Elements Per Address:")) != NULL)
        f->elems = (unsigned)atoi(v), read_channels(v, f);
    else if ((v = after(line, "Execution Width:")) != NULL)
        f->width = (unsigned)atoi(v);
    else if ((v = after(line, "L1 Caching:")) != NULL)
        copy(f->l1, sizeof(f->l1), v);
    else if ((v = after(line, "L3 Caching:")) != NULL)
        copy(f->l3, sizeof(f->l3), v);
    else if (strstr(line, "  reg[") != NULL)
        f->payload++;
    else if ((v = after(line, "- ")) != NULL) {
        f->transposed |= !strncmp(v, "transposed", 10);
        f->slm |= !strncmp(v, "slm", 3);
        f->returns |= !strncmp(v, "atomic returns", 14);
    } else if (line[0] > ' ' && !f->op[0] && strchr(line, '(') &&
               !f->symbol[0]) {
        copy(f->symbol, sizeof(f->symbol), line);
    }
}
