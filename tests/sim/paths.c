/* SPDX-License-Identifier: Apache-2.0 */
/* Writes random instructions of the forms that the interpreter executes
 * directly; the test runs each of them both ways and compares registers. */
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

enum cond_use { NO_COND, MAY_COND, IS_COND };

static const struct op {
    const char *name, *dst; /* dst: type, or NULL: as the kind says */
    const char *src;        /* type of a move's source */
    unsigned n_srcs;
    enum cond_use cond;
    bool is_float, unsigned_only, signed_only;
} ops[] = {
    {"add", NULL, NULL, 2, MAY_COND, false, false, false},
    {"mul", NULL, NULL, 2, MAY_COND, false, false, false},
    {"and", NULL, NULL, 2, MAY_COND, false, true, false},
    {"or", NULL, NULL, 2, MAY_COND, false, true, false},
    {"xor", NULL, NULL, 2, MAY_COND, false, true, false},
    {"not", NULL, NULL, 1, MAY_COND, false, true, false},
    {"shl", NULL, NULL, 2, NO_COND, false, true, false},
    {"shr", NULL, NULL, 2, MAY_COND, false, true, false},
    {"asr", NULL, NULL, 2, MAY_COND, false, false, true},
    {"mov", NULL, NULL, 1, NO_COND, false, false, false},
    {"add3", NULL, NULL, 3, MAY_COND, false, false, false},
    {"mad", NULL, NULL, 3, MAY_COND, false, false, false},
    {"cmp", NULL, NULL, 2, IS_COND, false, false, false},
    {"sel", NULL, NULL, 2, NO_COND, false, false, false},
    {"add", NULL, NULL, 2, NO_COND, true, false, false},
    {"mul", NULL, NULL, 2, NO_COND, true, false, false},
    {"mad", NULL, NULL, 3, NO_COND, true, false, false},
    {"cmp", NULL, NULL, 2, IS_COND, true, false, false},
    {"sel", NULL, NULL, 2, IS_COND, true, false, false},
    {"sel", NULL, NULL, 2, NO_COND, true, false, false},
    {"rnde", NULL, NULL, 1, NO_COND, true, false, false},
    {"mov", "f", "hf", 1, NO_COND, false, false, false},
    {"mov", "f", "d", 1, NO_COND, false, false, false},
    {"mov", "f", "w", 1, NO_COND, false, false, false},
    {"mov", "hf", "f", 1, NO_COND, false, false, false},
    {"mov", "ub", "f", 1, NO_COND, false, false, false},
    {"mov", "b", "f", 1, NO_COND, false, false, false},
    {"mov", "uw", "f", 1, NO_COND, false, false, false},
    {"mov", "w", "f", 1, NO_COND, false, false, false},
    {"mov", "uw", "uw", 1, NO_COND, false, false, false},
    {"mov", "w", "uw", 1, NO_COND, false, false, false},
    {"mov", "ub", "ub", 1, NO_COND, false, false, false},
    {"mov", "hf", "hf", 1, NO_COND, false, false, false},
    {"rol", NULL, NULL, 2, MAY_COND, false, true, false},
    {"ror", NULL, NULL, 2, MAY_COND, false, true, false},
    {"cbit", NULL, NULL, 1, NO_COND, false, true, false},
    {"addc", NULL, NULL, 2, NO_COND, false, true, false},
    {"subb", NULL, NULL, 2, NO_COND, false, true, false},
    {"mach", NULL, NULL, 2, NO_COND, false, false, false},
    {"mach", NULL, NULL, 2, NO_COND, false, true, false},
    {"math.inv", NULL, NULL, 1, NO_COND, true, false, false},
    {"math.exp", NULL, NULL, 1, NO_COND, true, false, false},
    {"math.rsqt", NULL, NULL, 1, NO_COND, true, false, false},
};

static bool is_op(const struct op *o, const char *name)
{
    return strcmp(o->name, name) == 0;
}

static bool is_carry(const struct op *o)
{
    return is_op(o, "addc") || is_op(o, "subb");
}

/* Reads or writes the accumulator unnamed. */
static bool uses_acc(const struct op *o)
{
    return is_carry(o) || is_op(o, "mach");
}

/* May name it. */
static bool may_name_acc(const struct op *o)
{
    return is_op(o, "mad") || is_op(o, "add") || is_op(o, "mul") ||
           (is_op(o, "mov") && !o->src);
}

static const char *type_of(struct writer *w, const struct op *o, unsigned k)
{
    const bool narrow = k == 1 && rnd(w, 3) == 0;
    if (o->src)
        return o->src;
    if (o->is_float)
        return "f";
    if (is_carry(o))
        return "ud";
    if (is_op(o, "mach"))
        return o->unsigned_only ? "ud" : "d";
    if (k == 0 && o->n_srcs == 2 && is_op(o, "add") && rnd(w, 4) == 0)
        return rnd(w, 2) ? "ub" : "b";
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
    if (k == 0 && may_name_acc(o) && strchr("df", type[0]) && rnd(w, 4) == 0) {
        put(w, " acc0.0%s:%s", o->n_srcs < 3 ? "<1;1,0>" : "<1;0>", type);
        return;
    }
    const uint32_t r = 40 + 2 * rnd(w, 14), shape = rnd(w, 3);
    const char *rgn = o->n_srcs < 3 ? two[shape]
                      : k < 2       ? three[shape]
                                    : last[shape];
    if (o->n_srcs == 2 && k == 1 && !o->is_float && rnd(w, 4) == 0) {
        put(w, " 0x%X:%s", rnd(w, 65536), type);
        return;
    }
    put(w, " %sr%u.%u%s:%s", may_negate(o) && rnd(w, 3) == 0 ? "-" : "", r,
        shape == 1                    ? rnd(w, 8)
        : shape == 2 && o->n_srcs < 3 ? rnd(w, 2)
                                      : 0,
        rgn, type);
}

static void instruction(struct writer *w)
{
    static const char *const conds[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    const struct op *o = &ops[rnd(w, sizeof(ops) / sizeof(ops[0]))];
    const uint32_t exec = 1u << rnd(w, 5);
    const bool cond =
        o->cond == IS_COND || (o->cond == MAY_COND && rnd(w, 3) == 0);
    const bool by_flag = strcmp(o->name, "sel") == 0 && !cond;
    const bool pred = by_flag || (strcmp(o->name, "sel") && rnd(w, 4) == 0);
    const char *type = o->dst             ? o->dst
                       : o->is_float      ? "f"
                       : o->unsigned_only ? "ud"
                                          : "d";
    const unsigned step = o->n_srcs == 3 || uses_acc(o) ? 1 : 1u + rnd(w, 2);
    const bool acc = step == 1 && !cond && may_name_acc(o) && rnd(w, 4) == 0;
    const bool narrow = type[1] == 'b' || type[0] == 'b';
    put(w, "%s %s (%u|M0) %s%s%s", pred ? "(f0.0)" : "", o->name, exec,
        cond ? "(" : "", cond ? conds[rnd(w, 6)] : "", cond ? ")f0.0 " : "");
    if (acc)
        put(w, "acc0.0<1>:%s", type);
    else if (cond && o->cond == MAY_COND && step == 1 && rnd(w, 3) == 0)
        put(w, "null<1>:%s", type);
    else
        put(w, "r20.%u<%u>:%s", step == 2 && !narrow ? rnd(w, 2) : 0,
            narrow ? 4 : step, type);
    for (unsigned k = 0; k < o->n_srcs; k++)
        source(w, o, k);
    put(w, "%s\n",
        is_carry(o) || (is_op(o, "mach") && rnd(w, 2)) ? " {AccWrEn}" : "");
}

void paths_write(char *text, size_t size_b, unsigned n, uint32_t seed)
{
    struct writer w = {text, size_b, 0, seed};
    for (unsigned i = 0; i < n; i++)
        instruction(&w);
}

void paths_write_dpas(char *text, size_t size_b, uint32_t seed)
{
    static const char *const pairs[][4] = {
        {"f", "f", "hf", "hf"}, {"f", "f", "bf", "bf"},
        {"d", "d", "b", "b"},   {"d", "d", "ub", "b"},
        {"d", "d", "b", "ub"},  {"ud", "ud", "ub", "ub"},
        {"d", "d", "ub", "ub"}, {"d", "d", "s4", "b"},
        {"d", "d", "ub", "u4"},
    };
    struct writer w = {text, size_b, 0, seed};
    for (unsigned p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++)
        for (unsigned rows = 1; rows <= 8; rows++)
            for (unsigned c = 0; c < 3; c++) {
                put(&w, "%s dpas.8x%u (8|M0) r20:%s ", c == 1 ? "(W)" : "",
                    rows, pairs[p][0]);
                if (c == 2)
                    put(&w, "null:%s", pairs[p][1]);
                else
                    put(&w, "r%u:%s", c ? 20 : 30, pairs[p][1]);
                /* also sources that the destination overwrites */
                put(&w, " r%u:%s r%u.0:%s\n", c ? 40 + rnd(&w, 8) : 22,
                    pairs[p][2], c ? 50 : 24, pairs[p][3]);
            }
}

static uint32_t special(struct writer *w, uint32_t x)
{
    switch (rnd(w, 48)) {
    case 0:
        return x & 0x807fffff; /* a denormal float */
    case 1:
        return (x & 0x80000000) | 0x7f800000; /* infinities and NaNs */
    case 2:
        return (x & 0x807fffff) | 0x7f800000;
    case 3:
        return x & 0x83ff83ff; /* denormal halves */
    case 4:
        return (x & 0x8000ffff) | 0x7c000000;
    case 5:
        return (x & 0xffff83ff) | 0x7c00;
    case 6:
        return x & 0x80000000;
    case 7:
        return x & 0xffff;
    default: /* halves in reach of each other, floats too */
        return (x & 0x8fff8fff) | 0x30003000;
    }
}

void paths_fill(uint8_t *rf, size_t n_b, uint32_t seed)
{
    struct writer w = {.seed = seed};
    for (size_t at = 0; at < n_b; at += 4) {
        const uint32_t x = rnd(&w, 65536) << 16 | rnd(&w, 65536);
        const uint32_t y = rnd(&w, 4) ? special(&w, x) : x;
        memcpy(rf + at, &y, 4);
    }
}
