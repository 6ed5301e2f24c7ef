/* SPDX-License-Identifier: Apache-2.0 */
/* isa/message.def as arrays, and the names in it. */
#include "isa/message_table.h"

#include <string.h>

#include "base/alloc.h"

#define P(sfid) (1u << XK_SFID_##sfid)
#define P_UGM P(UGM)
#define P_UGM_TGM (P(UGM) | P(TGM))
#define P_LSC (P(UGM) | P(UGML) | P(SLM))
#define P_LSC_TGM (P_LSC | P(TGM))
#define P_DC0 P(DC0)
#define P_DC1 P(DC1)
#define P_DCRO P(DCRO)
#define P_GTWY P(GTWY)
#define P_TS P(TS)
#define P_OTHER (P(SMPL) | P(DC2) | P(RC) | P(URB) | P(TS) | P(VME) | P(PIXI))

#define ON_LP (1u << XK_PLATFORM_XELP)
#define ON_HPC (1u << XK_PLATFORM_XEHPC)
#define ON_LSC (1u << XK_PLATFORM_XEHPG | ON_HPC)
#define ON_ALL (ON_LP | ON_LSC)

static const struct xk_msg_row rows[XK_N_MSG_KINDS] = {
#define XK_MSG_ROW(id, text, on, where, m, v, lay, does, how, a, d, r)         \
    [XK_MSG_##id] = {.name = text,                                             \
                     .match = m,                                               \
                     .value = v,                                               \
                     .ports = on,                                              \
                     .platforms = where,                                       \
                     .layout = XK_LAYOUT_##lay,                                \
                     .op = XK_MOP_##does,                                      \
                     .shape = XK_SHAPE_##how,                                  \
                     .addr_b = a,                                              \
                     .data_b = d,                                              \
                     .reg_b = r},
#include "isa/message.def"
#undef XK_MSG_ROW
};

/* The last slot stays zero: XK_MF_END. */
static const struct xk_msg_slot layouts[XK_N_MSG_LAYOUTS]
                                       [XK_MSG_MAX_SLOTS + 1] = {
#define SLOT(f, first, width)                                                  \
    {                                                                          \
        XK_MF_##f, first, width                                                \
    }
#define XK_MSG_LAYOUT(id, ...) [XK_LAYOUT_##id] = {__VA_ARGS__},
#include "isa/message.def"
#undef XK_MSG_LAYOUT
#undef SLOT
};

static const struct xk_msg_atomic atomics[] = {
#define XK_MSG_ATOMIC(f, c, o, d, where)                                       \
    {XK_MSG_##f, c, XK_MOP_ATOMIC_##o, d, where},
#include "isa/message.def"
#undef XK_MSG_ATOMIC
};

static const struct xk_msg_machine machines[] = {
#define XK_MSG_MACHINE(id, ...) [XK_PLATFORM_##id] = {__VA_ARGS__},
#include "isa/message.def"
#undef XK_MSG_MACHINE
};

static const struct {
    const char *text;
    uint8_t class, n_srcs;
} ops[XK_N_MSG_OPS] = {
    [XK_MOP_NONE] = {"", XK_MCLASS_OTHER, 0},
#define XK_MSG_OP(id, text, c, n) [XK_MOP_##id] = {text, XK_MCLASS_##c, n},
#include "isa/message.def"
#undef XK_MSG_OP
};

static const uint8_t caches[8][4] = {
#define XK_MSG_CACHE(code, a, b, c, d)                                         \
    [code] = {XK_CACHE_##a, XK_CACHE_##b, XK_CACHE_##c, XK_CACHE_##d},
#include "isa/message.def"
#undef XK_MSG_CACHE
};

static const char *const kind_names[XK_N_MSG_KINDS] = {
    "UNKNOWN",
#define XK_MSG_ROW(id, ...) #id,
#include "isa/message.def"
#undef XK_MSG_ROW
};

static const char *const field_names[XK_N_MSG_FIELDS] = {
    "",
#define XK_MSG_FIELD(id, text) text,
#include "isa/message_field.def"
#undef XK_MSG_FIELD
};

const char *xk_msg_field_name(unsigned field)
{
    return field < XK_N_MSG_FIELDS ? field_names[field] : "";
}

const struct xk_msg_row *xk_msg_row(unsigned kind)
{
    return kind > XK_MSG_UNKNOWN && kind < XK_N_MSG_KINDS ? &rows[kind] : NULL;
}

const struct xk_msg_slot *xk_msg_slots(unsigned layout)
{
    return layouts[layout];
}

const struct xk_msg_machine *xk_msg_machine(const struct xk_platform *p)
{
    return &machines[p->id < XK_COUNTOF(machines) ? p->id : 0];
}

bool xk_msg_is_lsc(unsigned sfid)
{
    return sfid < 16 && (1u << sfid & P_LSC_TGM);
}

static bool on(const struct xk_platform *p, unsigned platforms)
{
    return platforms >> p->id & 1;
}

static bool has_port(const struct xk_platform *p, unsigned sfid)
{
    return sfid < 16 && (sfid != XK_SFID_UGML || xk_msg_machine(p)->ugml);
}

bool xk_msg_exists(const struct xk_platform *p, enum xk_msg_kind k,
                   unsigned sfid)
{
    const struct xk_msg_row *const r = xk_msg_row(k);

    return r && has_port(p, sfid) && on(p, r->platforms) &&
           r->ports >> sfid & 1;
}

const struct xk_msg_atomic *xk_msg_atomic_by_code(const struct xk_platform *p,
                                                  unsigned family,
                                                  unsigned code)
{
    for (unsigned k = 0; k < XK_COUNTOF(atomics); k++) {
        const struct xk_msg_atomic *const a = &atomics[k];

        if (a->family == family && a->code == code && on(p, a->platforms))
            return a;
    }
    return NULL;
}

const struct xk_msg_atomic *xk_msg_atomic_by_op(const struct xk_platform *p,
                                                unsigned family, unsigned op,
                                                unsigned data_b)
{
    const struct xk_msg_atomic *found = NULL;

    for (unsigned k = 0; k < XK_COUNTOF(atomics); k++) {
        const struct xk_msg_atomic *const a = &atomics[k];

        if (a->family != family || a->op != op || !on(p, a->platforms))
            continue;
        if (a->data_b == data_b) /* the code that says this size */
            return a;
        if (!a->data_b && !found)
            found = a;
    }
    return found;
}

/* An opaque row takes what the others leave, with or without EOT. */
static bool is_row(const struct xk_platform *p, const struct xk_msg_row *r,
                   const struct xk_send_info *s)
{
    if (r->layout == XK_LAYOUT_OPAQUE)
        return true;
    if ((r->op == XK_MOP_EOT) != s->eot)
        return false;
    return r->layout != XK_LAYOUT_LSC_ATOMIC ||
           xk_msg_atomic_by_code(p, XK_MSG_LSC, s->desc & 0x3f);
}

unsigned xk_msg_find(const struct xk_platform *p, const struct xk_send_info *s)
{
    const uint32_t port = has_port(p, s->sfid) ? 1u << s->sfid : 0;

    for (unsigned k = 1; k < XK_N_MSG_KINDS; k++) {
        const struct xk_msg_row *const r = &rows[k];

        if (r->ports & port && (s->desc & r->match) == r->value &&
            on(p, r->platforms) && is_row(p, r, s))
            return k;
    }
    return XK_MSG_UNKNOWN;
}

const char *xk_msg_kind_name(enum xk_msg_kind k)
{
    return (unsigned)k < XK_N_MSG_KINDS ? kind_names[k] : "?";
}

const char *xk_msg_op_name(enum xk_msg_op op)
{
    return (unsigned)op < XK_N_MSG_OPS ? ops[op].text : "";
}

enum xk_msg_op xk_msg_op_find(const char *name)
{
    for (unsigned k = 1; k < XK_N_MSG_OPS; k++) {
        if (!strcmp(ops[k].text, name))
            return (enum xk_msg_op)k;
    }
    return XK_MOP_NONE;
}

enum xk_msg_class xk_msg_op_class(enum xk_msg_op op)
{
    return (unsigned)op < XK_N_MSG_OPS ? (enum xk_msg_class)ops[op].class
                                       : XK_MCLASS_OTHER;
}

unsigned xk_msg_atomic_n_srcs(enum xk_msg_op op)
{
    return (unsigned)op < XK_N_MSG_OPS ? ops[op].n_srcs : 0;
}

const char *xk_msg_sfid_name(unsigned sfid)
{
    static const char *const names[16] = {
#define XK_SFID_WORD(number, xelp, lsc, message) [number] = message,
#include "isa/words.def"
    };

    return sfid < 16 ? names[sfid] : "?";
}

static const char *const cache_names[] = {"df", "uc", "ca", "wb",
                                          "wt", "st", "ri", "?"};

const char *xk_msg_cache_name(enum xk_msg_cache c)
{
    return cache_names[(unsigned)c < XK_CACHE_INVALID ? c : XK_CACHE_INVALID];
}

bool xk_msg_cache_of(const struct xk_platform *p, enum xk_msg_op op,
                     unsigned code, enum xk_msg_cache *l1,
                     enum xk_msg_cache *l3)
{
    const unsigned from = xk_msg_op_class(op) == XK_MCLASS_LOAD ? 0 : 2;

    *l1 = *l3 = XK_CACHE_INVALID;
    if (code >= XK_COUNTOF(caches) || !xk_msg_machine(p)->lsc_simd)
        return false;
    *l1 = (enum xk_msg_cache)caches[code][from];
    *l3 = (enum xk_msg_cache)caches[code][from + 1];
    return true;
}

int xk_msg_cache_code(const struct xk_platform *p, enum xk_msg_op op,
                      enum xk_msg_cache l1, enum xk_msg_cache l3)
{
    enum xk_msg_cache a, b;

    for (unsigned k = 0; k < XK_COUNTOF(caches); k++) {
        if (xk_msg_cache_of(p, op, k, &a, &b) && a == l1 && b == l3)
            return (int)k;
    }
    return -1;
}

const char *xk_msg_fence_scope_name(unsigned code)
{
    static const char *const names[] = {"group", "local",  "tile",  "gpu",
                                        "gpus",  "sysrel", "sysacq"};

    return code < XK_COUNTOF(names) ? names[code] : "?";
}

const char *xk_msg_fence_flush_name(unsigned code)
{
    static const char *const names[] = {"none",      "evict", "invalidate",
                                        "discard",   "clean", "flushl3",
                                        "flushtype6"};

    return code < XK_COUNTOF(names) ? names[code] : "?";
}
