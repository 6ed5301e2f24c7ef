/* SPDX-License-Identifier: Apache-2.0 */
/* Writes random pairs of instructions: one that the interpreter executes
 * directly, and the same with a flag result nobody reads, for which it takes
 * the general way. Differences gather in r26 and r27. */
#include "tests/sim/paths.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct writer {
    char *text;
    size_t size_b, len;
    uint32_t seed;
};

static uint32_t rnd(struct writer *w, uint32_t n)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 8) % n;
}

static void put(struct writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(w->text + w->len, w->size_b - w->len, fmt, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < w->size_b - w->len)
        w->len += (size_t)n;
}

static const struct op {
    const char *name;
    unsigned n_srcs;
    bool is_float, unsigned_only, signed_only;
} ops[] = {
    {"add", 2, false, false, false}, {"mul", 2, false, false, false},
    {"and", 2, false, true, false},  {"or", 2, false, true, false},
    {"xor", 2, false, true, false},  {"shl", 2, false, true, false},
    {"shr", 2, false, true, false},  {"asr", 2, false, false, true},
    {"mov", 1, false, false, false}, {"add3", 3, false, false, false},
    {"mad", 3, false, false, false}, {"add", 2, true, false, false},
    {"mul", 2, true, false, false},  {"mad", 3, true, false, false},
};

static const char *type_of(struct writer *w, const struct op *o, unsigned k)
{
    const bool narrow = k == 1 && rnd(w, 3) == 0;
    if (o->is_float)
        return "f";
    if (narrow || (k == 1 && strcmp(o->name, "mul") == 0) ||
        (k == 2 && strcmp(o->name, "mad") == 0))
        return o->unsigned_only || rnd(w, 2) ? "uw" : "w";
    return o->unsigned_only ? "ud" : o->signed_only || rnd(w, 2) ? "d" : "ud";
}

static bool may_negate(const struct op *o)
{
    return o->is_float || strcmp(o->name, "add") == 0 ||
           strcmp(o->name, "add3") == 0;
}

static void source(struct writer *w, const struct op *o, unsigned k)
{
    static const char *const two[] = {"<1;1,0>", "<0;1,0>", "<2;1,0>"};
    static const char *const three[] = {"<1;0>", "<0;0>", "<8;2>"};
    static const char *const last[] = {"<1>", "<0>", "<2>"};
    const char *type = type_of(w, o, k);
    const uint32_t r = 40 + 2 * rnd(w, 14), shape = rnd(w, 3);
    const char *rgn = o->n_srcs < 3 ? two[shape]
                      : k < 2       ? three[shape]
                                    : last[shape];
    if (o->n_srcs == 2 && k == 1 && !o->is_float && rnd(w, 4) == 0) {
        put(w, " 0x%X:%s", rnd(w, 65536), type);
        return;
    }
    put(w, " %sr%u.%u%s:%s", may_negate(o) && rnd(w, 3) == 0 ? "-" : "", r,
        shape == 1 ? rnd(w, 8) : 0, rgn, type);
}

/* One instruction to r20 and its twin to r24, from the same random numbers. */
static void pair(struct writer *w)
{
    const struct op *o = &ops[rnd(w, sizeof(ops) / sizeof(ops[0]))];
    const uint32_t exec = 1u << rnd(w, 5), seed = w->seed;
    const bool pred = rnd(w, 4) == 0;
    put(w, "(W) mov (1|M0) f0.0<1>:ud 0x5A3C96F1:ud\n"
           "mov (16|M0) r20.0<1>:ud r30.0<1;1,0>:ud\n"
           "mov (16|M0) r24.0<1>:ud r30.0<1;1,0>:ud\n");
    for (unsigned twin = 0; twin < 2; twin++) {
        w->seed = seed;
        const char *type = o->is_float ? "f" : o->unsigned_only ? "ud" : "d";
        put(w, "%s %s (%u|M0) %sr%u.0<1>:%s", pred ? "(f0.0)" : "", o->name,
            exec, twin ? "(ne)f0.0 " : "", twin ? 24 : 20, type);
        for (unsigned k = 0; k < o->n_srcs; k++)
            source(w, o, k);
        put(w, "\n");
    }
    put(w, "xor (16|M0) r28.0<1>:ud r20.0<1;1,0>:ud r24.0<1;1,0>:ud\n"
           "or (16|M0) r26.0<1>:ud r26.0<1;1,0>:ud r28.0<1;1,0>:ud\n"
           "add (16|M0) r22.0<1>:ud r22.0<1;1,0>:ud r20.0<1;1,0>:ud\n");
}

void paths_write(char *text, size_t size_b, unsigned n, uint32_t seed)
{
    struct writer w = {text, size_b, 0, seed};
    put(&w, "(W) mov (2|M0) r2.0<1>:ud r1.2<1;1,0>:ud\n");
    for (unsigned r = 40; r < 72; r += 8)
        put(&w,
            "(W) send.ugm (1|M0) r%u r2 null:0 0x0 0x0280F580\n"
            "(W) add (1|M0) r2.0<1>:ud r2.0<0;1,0>:ud 0x100:uw\n",
            r);
    put(&w, "mov (16|M0) r22.0<1>:ud 0x0:ud\n"
            "mov (16|M0) r26.0<1>:ud 0x0:ud\n"
            "mov (16|M0) r30.0<1>:ud 0x12345678:ud\n");
    for (unsigned i = 0; i < n; i++)
        pair(&w);
}
