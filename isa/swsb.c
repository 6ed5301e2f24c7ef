/* SPDX-License-Identifier: Apache-2.0 */
/* Scoreboard annotation to its code and back, by rows. A row is a run of codes:
 * a base, plus a distance, an SBID or both. The codes that hold both mean
 * different things for sends, dpas, math and the rest, so rows name the classes
 * that they are for. Source: isa.md 5.1; measured with iga64 over all codes. */
#include "isa/format.h"

#include "base/alloc.h"

enum {
    ALU = 1 << XK_SWSB_ALU,
    MATH = 1 << XK_SWSB_MATH,
    SEND = 1 << XK_SWSB_SEND,
    DPAS = 1 << XK_SWSB_DPAS,
    ANY = ALU | MATH | SEND | DPAS,
};

/* clang-format off */
/* A distance of zero is no code. sb: bits of an SBID */
#define FIRST_DIST(sb) 1
#define COUNT_DIST(sb) 7
#define FIRST_SBID(sb) 0
#define COUNT_SBID(sb) (1 << (sb))
#define FIRST_BOTH(sb) (1 << (sb))
#define COUNT_BOTH(sb) (7 << (sb))
#define FIRST_MARK(sb) 0
#define COUNT_MARK(sb) 1
#define ROW(sb, base, kind, classes, pipe, mode)                               \
    {base, (base) + FIRST_##kind(sb), COUNT_##kind(sb), XK_SWSB_##kind,        \
     classes, XK_PIPE_##pipe, XK_SBID_##mode}

const struct xk_swsb_row xk_swsb_xelp[XK_N_SWSB_XELP] = {
    ROW(4, 0x00, DIST, ANY,         NONE,  NONE),
    ROW(4, 0x20, SBID, ANY,         NONE,  DST),
    ROW(4, 0x30, SBID, ANY,         NONE,  SRC),
    ROW(4, 0x40, SBID, ANY,         NONE,  SET),
    ROW(4, 0x80, BOTH, SEND | MATH, NONE,  SET),
    ROW(4, 0x80, BOTH, ALU | DPAS,  NONE,  DST),
};

const struct xk_swsb_row xk_swsb_xehpg[XK_N_SWSB_XEHPG] = {
    ROW(4, 0x00, DIST, ANY,         NONE,  NONE),
    ROW(4, 0x20, SBID, ANY,         NONE,  DST),
    ROW(4, 0x30, SBID, ANY,         NONE,  SRC),
    ROW(4, 0x40, SBID, ANY,         NONE,  SET),
    ROW(4, 0x80, BOTH, SEND,        ALL,   SET),
    ROW(4, 0x80, BOTH, MATH | DPAS, NONE,  SET),
    ROW(4, 0x80, BOTH, ALU,         NONE,  DST),
    ROW(4, 0x08, DIST, ANY,         ALL,   NONE),
    ROW(4, 0x10, DIST, ANY,         FLOAT, NONE),
    ROW(4, 0x18, DIST, ANY,         INT,   NONE),
    ROW(4, 0x50, DIST, ANY,         LONG,  NONE),
};

const struct xk_swsb_row xk_swsb_xehpc[XK_N_SWSB_XEHPC] = {
    ROW(5, 0x000, DIST, ANY,        NONE,  NONE),
    ROW(5, 0x080, SBID, ANY,        NONE,  DST),
    ROW(5, 0x0a0, SBID, ANY,        NONE,  SRC),
    ROW(5, 0x0c0, SBID, ANY,        NONE,  SET),
    ROW(5, 0x100, BOTH, SEND,       ALL,   SET),
    ROW(5, 0x200, BOTH, SEND,       FLOAT, SET),
    ROW(5, 0x300, BOTH, SEND,       INT,   SET),
    ROW(5, 0x100, BOTH, DPAS,       NONE,  SET),
    ROW(5, 0x200, BOTH, DPAS,       NONE,  SRC),
    ROW(5, 0x300, BOTH, DPAS,       NONE,  DST),
    ROW(5, 0x100, BOTH, ALU | MATH, NONE,  DST),
    ROW(5, 0x200, BOTH, ALU | MATH, NONE,  SRC),
    ROW(5, 0x300, BOTH, ALU | MATH, ALL,   DST),
    ROW(5, 0x008, DIST, ANY,        ALL,   NONE),
    ROW(5, 0x010, DIST, ANY,        FLOAT, NONE),
    ROW(5, 0x018, DIST, ANY,        INT,   NONE),
    ROW(5, 0x020, DIST, ANY,        LONG,  NONE),
    ROW(5, 0x028, DIST, ANY,        MATH,  NONE),
    ROW(5, 0x0f0, MARK, ANY,        NONE,  NONE),
};
#undef ROW
/* clang-format on */

enum xk_swsb_class xk_swsb_class(enum xk_opcode op)
{
    switch (xk_opcode_format(op)) {
    case XK_FMT_SEND:
        return XK_SWSB_SEND;
    case XK_FMT_DPAS:
        return XK_SWSB_DPAS;
    default:
        return op == XK_OPC_MATH ? XK_SWSB_MATH : XK_SWSB_ALU;
    }
}

bool xk_swsb_encode(const struct xk_isa_tables *t, enum xk_swsb_class class,
                    const struct xk_swsb *s, unsigned *code)
{
    const unsigned kind = s->no_acc_sb         ? XK_SWSB_MARK
                          : s->dist && s->mode ? XK_SWSB_BOTH
                          : s->mode            ? XK_SWSB_SBID
                                               : XK_SWSB_DIST;
    const unsigned pipe = s->dist ? s->pipe : XK_PIPE_NONE;

    *code = 0;
    if (s->dist > 7 || (s->mode && s->sbid >> t->sbid_bits) ||
        (s->no_acc_sb && (s->dist || s->mode)))
        return false;
    if (kind == XK_SWSB_DIST && !s->dist)
        return true;
    for (unsigned k = 0; k < t->n_swsb; k++) {
        const struct xk_swsb_row *const r = &t->swsb[k];

        if (r->kind == kind && r->pipe == pipe && r->mode == s->mode &&
            r->classes >> class & 1) {
            *code = r->base | (unsigned)s->dist
                                  << (kind == XK_SWSB_BOTH ? t->sbid_bits : 0);
            *code |= s->mode ? s->sbid : 0;
            return true;
        }
    }
    return false;
}

bool xk_swsb_decode(const struct xk_isa_tables *t, enum xk_swsb_class class,
                    unsigned code, struct xk_swsb *s)
{
    for (unsigned k = 0; code && k < t->n_swsb; k++) {
        const struct xk_swsb_row *const r = &t->swsb[k];
        unsigned v = code - r->base;

        if (code - r->first >= r->n || !(r->classes >> class & 1))
            continue;
        s->pipe = r->pipe;
        s->mode = r->mode;
        s->no_acc_sb = r->kind == XK_SWSB_MARK;
        if (r->mode) {
            s->sbid = (uint8_t)(v & ((1u << t->sbid_bits) - 1));
            v >>= t->sbid_bits;
        }
        s->dist = (uint8_t)v;
        return true;
    }
    return code == 0;
}
