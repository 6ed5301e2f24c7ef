/* SPDX-License-Identifier: Apache-2.0 */
#include "container/aub.h"
#include "base/bytes.h"

#include <string.h>

#define TYPE_AUB 7
#define OPCODE_MEMTRACE 0x2e
#define OPCODE_CONTEXT 1

/* How many dwords the fixed part of each packet has, by opcode and
 * sub-opcode. */
static const struct row {
    uint8_t opcode, sub, kind, dwords;
} rows[] = {
    {OPCODE_MEMTRACE, 0x0e, XK_AUB_VERSION, 1},
    {OPCODE_MEMTRACE, 0x03, XK_AUB_REGISTER, 6},
    {OPCODE_MEMTRACE, 0x02, XK_AUB_POLL, 2},
    {OPCODE_MEMTRACE, 0x06, XK_AUB_MEMORY, 5},
    {OPCODE_MEMTRACE, 0x08, XK_AUB_COMMENT, 2},
    {OPCODE_CONTEXT, 0x14, XK_AUB_CONTEXT, 5},
};

struct header {
    uint8_t type, opcode, sub;
    uint64_t length_b;
};

static struct header header_of(const uint8_t *p)
{
    const uint32_t v = xk_get_dword(p, 0);
    struct header h = {
        .type = v >> 29, .opcode = v >> 23 & 0x3f, .sub = v >> 16 & 0x7f};
    const unsigned extra = h.opcode == OPCODE_MEMTRACE ? 1 : 2;
    h.length_b = ((uint64_t)(v & 0xffff) + extra) * 4;
    return h;
}

static const struct row *packet_row(const struct header *h)
{
    for (size_t k = 0; k < XK_COUNTOF(rows); k++)
        if (rows[k].opcode == h->opcode && rows[k].sub == h->sub)
            return &rows[k];
    return NULL;
}

bool xk_aub_recognise(const void *file, size_t n_b)
{
    if (!file || n_b < 4)
        return false;
    const struct header h = header_of(file);
    const struct row *const r = packet_row(&h);
    return h.type == TYPE_AUB && r && r->kind == XK_AUB_VERSION;
}

enum xk_status xk_aub_open(xk_ctx *c, const void *file, size_t n_b,
                           struct xk_aub *out)
{
    if (!xk_aub_recognise(file, n_b))
        return xk_fail(c, XK_EPARSE, "aub: no version packet at the start");
    *out = (struct xk_aub){.file = file, .n_b = n_b};
    return XK_OK;
}

/* Sets the packet's data: n_b bytes behind its fixed part. */
static enum xk_status take_data(xk_ctx *c, const struct header *h,
                                unsigned dwords, uint64_t n_b,
                                struct xk_aub_packet *out, const uint8_t *p)
{
    if (n_b > h->length_b - 4u * dwords)
        return xk_fail(c, XK_EPARSE,
                       "aub: packet at 0x%zx: %llu bytes of data in a packet "
                       "of %llu",
                       out->at_b, (unsigned long long)n_b,
                       (unsigned long long)h->length_b);
    out->data = p + 4u * dwords;
    out->data_b = (size_t)n_b;
    return XK_OK;
}

static enum xk_status read_packet(xk_ctx *c, const struct header *h,
                                  const struct row *r, const uint8_t *p,
                                  struct xk_aub_packet *out)
{
    out->kind = r->kind;
    switch ((enum xk_aub_kind)r->kind) {
    case XK_AUB_REGISTER:
        out->offset = xk_get_dword(p, 1);
        out->value = xk_get_dword(p, 5);
        return XK_OK;
    case XK_AUB_POLL:
        out->offset = xk_get_dword(p, 1);
        return XK_OK;
    case XK_AUB_MEMORY:
        out->address = xk_get_u64(p + 4);
        out->hint = xk_get_dword(p, 3) >> 20 & 0xff;
        out->space = xk_get_dword(p, 3) >> 28;
        return take_data(c, h, r->dwords, xk_get_dword(p, 4), out, p);
    case XK_AUB_COMMENT:
        return take_data(c, h, r->dwords, h->length_b - 4u * r->dwords, out, p);
    case XK_AUB_CONTEXT:
        out->address = xk_get_u64(p + 12);
        return XK_OK;
    case XK_AUB_VERSION:
        if (h->length_b >= 12)
            out->value = xk_get_dword(p, 2) >> 8 & 0xff;
        return XK_OK;
    case XK_AUB_OTHER:
        return XK_OK;
    }
    return XK_OK;
}

uint64_t xk_aub_packet_b(const void *p, size_t n_b)
{
    return n_b < 4 ? 0 : header_of(p).length_b;
}

enum xk_status xk_aub_next(xk_ctx *c, struct xk_aub *a,
                           struct xk_aub_packet *out, bool *end)
{
    *end = a->at_b >= a->n_b;
    if (*end)
        return XK_OK;
    const uint8_t *const p = a->file + a->at_b;
    const size_t left_b = a->n_b - a->at_b;
    if (left_b < 4)
        return xk_fail(c, XK_EPARSE, "aub: %zu bytes behind the last packet",
                       left_b);
    const struct header h = header_of(p);
    const struct row *const r = packet_row(&h);
    if (h.type != TYPE_AUB)
        return xk_fail(c, XK_EPARSE, "aub: packet at 0x%zx: type is %u, not %u",
                       a->at_b, h.type, TYPE_AUB);
    if (h.length_b > left_b || (r && h.length_b < 4u * r->dwords))
        return xk_fail(c, XK_EPARSE,
                       "aub: packet at 0x%zx: %llu bytes, %zu are left",
                       a->at_b, (unsigned long long)h.length_b, left_b);
    *out = (struct xk_aub_packet){.kind = XK_AUB_OTHER, .at_b = a->at_b};
    a->at_b += (size_t)h.length_b;
    return r ? read_packet(c, &h, r, p, out) : XK_OK;
}
