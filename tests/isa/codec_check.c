/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/isa/codec_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "tests/isa/iga.h"
#include "tests/isa/random_inst.h"

#define N_SAID 10

XK_PRINTF(2, 3)
static void wrong(struct codec_counts *c, const char *fmt, ...)
{
    va_list ap;

    if (++c->wrong > N_SAID)
        return;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

/* One program of random instructions. */
struct program {
    const struct xk_platform *p;
    unsigned n;
    struct xk_inst *inst;
    uint8_t *bytes;
    struct xk_str text; /* to be assembled */
};

static void program_fini(struct program *g)
{
    xk_str_fini(&g->text);
    free(g->bytes);
    free(g->inst);
}

/* The record encodes, and decodes to itself. */
static void encode_one(struct program *g, unsigned k, struct codec_counts *c)
{
    uint8_t *const bytes = g->bytes + k * XK_INST_B;
    struct xk_error err = {0};
    struct xk_inst back;
    size_t used_b;

    if (xk_inst_encode(g->p, &g->inst[k], bytes, &err) < 0)
        wrong(c, "%s: encode: %s", g->p->name, err.message);
    else if (xk_inst_decode(g->p, bytes, XK_INST_B, &back, &used_b, &err) < 0)
        wrong(c, "%s: decode: %s", g->p->name, err.message);
    else if (memcmp(&back, &g->inst[k], sizeof(back)) != 0)
        wrong(c, "%s: %s: decode gives another record", g->p->name,
              xk_opcode_name(back.op));
}

static bool program_make(struct program *g, uint64_t seed,
                         struct codec_counts *c)
{
    struct rng r = {seed};

    xk_str_init(&g->text, NULL);
    g->inst = calloc(g->n, sizeof(*g->inst));
    g->bytes = calloc(g->n, XK_INST_B);
    for (unsigned k = 0; g->inst && g->bytes && k < g->n; k++) {
        random_inst(g->p, &r, random_opcode(g->p, &r), &g->inst[k]);
        random_targets(&r, &g->inst[k], k, g->n);
        encode_one(g, k, c);
        xk_inst_print(g->p, &g->inst[k], &g->text);
        xk_str_putc(&g->text, '\n');
    }
    return g->inst && g->bytes;
}

static void compare_texts(const struct program *g, const struct iga_lines *iga,
                          struct codec_counts *c)
{
    const struct xk_print_opts as_iga = {.bfn_numbers = true};
    struct xk_str ours;

    xk_str_init(&ours, NULL);
    if (iga->n != g->n)
        wrong(c, "%s: iga64 -d: %zu lines for %u instructions", g->p->name,
              iga->n, g->n);
    for (unsigned k = 0; iga->n == g->n && k < g->n; k++) {
        xk_str_clear(&ours);
        xk_inst_print_as(g->p, &g->inst[k], &as_iga, &ours);
        if (strcmp(xk_str_get(&ours), iga->line[k]) != 0)
            wrong(c, "%s: ours:  %s\n%s: iga64: %s", g->p->name,
                  xk_str_get(&ours), g->p->name, iga->line[k]);
    }
    xk_str_fini(&ours);
}

static void compare_bytes(const struct program *g, const uint8_t *theirs,
                          size_t n_b, const struct iga_lines *iga,
                          struct codec_counts *c)
{
    if (n_b != (size_t)g->n * XK_INST_B) {
        wrong(c, "%s: iga64 -a: %zu bytes for %u instructions", g->p->name, n_b,
              g->n);
        return;
    }
    for (unsigned k = 0; k < g->n; k++) {
        if (memcmp(theirs + k * XK_INST_B, g->bytes + k * XK_INST_B,
                   XK_INST_B) != 0)
            wrong(c, "%s: iga64 -a: other bytes: %s", g->p->name,
                  k < iga->n ? iga->line[k] : "?");
    }
}

void check_random_texts(const struct xk_platform *p, uint64_t seed, unsigned n,
                        struct codec_counts *c)
{
    struct program g = {.p = p, .n = n};
    struct iga_lines iga = {0};
    uint8_t *theirs = NULL;
    size_t n_b = 0;

    c->n += n;
    if (!program_make(&g, seed, c))
        wrong(c, "no memory for %u instructions", n);
    else if (!iga_disassemble(p, g.bytes, (size_t)n * XK_INST_B, false, &iga))
        wrong(c, "%s: iga64 -d refuses, seed %llu", p->name,
              (unsigned long long)seed);
    else if (!(theirs = iga_assemble(p, xk_str_get(&g.text), &n_b)))
        wrong(c, "%s: iga64 -a refuses, seed %llu", p->name,
              (unsigned long long)seed);
    if (theirs) {
        compare_texts(&g, &iga, c);
        compare_bytes(&g, theirs, n_b, &iga, c);
    }
    free(theirs);
    iga_lines_fini(&iga);
    program_fini(&g);
}

/* iga64 prints :0 whatever the length of a null payload, and has no words for
 * dpas operands of types that are none. */
static bool has_no_text(const struct xk_inst *i)
{
    return (xk_inst_is_send(i) && i->send.src1_len &&
            i->src[1].file == XK_FILE_ARF) ||
           (xk_inst_is_dpas(i) && (xk_reg_type_b(i->src[1].type) > 2 ||
                                   xk_reg_type_b(i->src[2].type) > 2));
}

/* A legal instruction with one bit flipped, which decodes. */
static void flipped_inst(const struct program *g, struct rng *r, unsigned k)
{
    uint8_t *const bytes = g->bytes + k * XK_INST_B;
    unsigned bit;
    size_t used_b;

    do {
        random_inst(g->p, r, random_opcode(g->p, r), &g->inst[k]);
        xk_inst_encode(g->p, &g->inst[k], bytes, NULL);
        do
            bit = rng_below(r, 128);
        while (bit == 29);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    } while (xk_inst_decode(g->p, bytes, XK_INST_B, &g->inst[k], &used_b,
                            NULL) < 0 ||
             has_no_text(&g->inst[k]));
}

/* Leaves out what iga64 does not decode; returns how many. */
static unsigned drop_refused(struct program *g)
{
    bool *const refused = calloc(g->n, sizeof(*refused));
    const unsigned n =
        refused ? iga_refusals(g->p, g->bytes, g->n, refused) : 0;
    unsigned to = 0;

    for (unsigned k = 0; n && k < g->n; k++) {
        if (refused[k])
            continue;
        g->inst[to] = g->inst[k];
        memmove(g->bytes + to * XK_INST_B, g->bytes + k * XK_INST_B, XK_INST_B);
        to++;
    }
    g->n -= n;
    free(refused);
    return n;
}

void check_random_flips(const struct xk_platform *p, uint64_t seed, unsigned n,
                        struct codec_counts *c)
{
    struct program g = {.p = p, .n = n};
    struct iga_lines iga = {0};
    struct rng r = {seed};

    c->n += n;
    xk_str_init(&g.text, NULL);
    g.inst = calloc(n, sizeof(*g.inst));
    g.bytes = calloc(n, XK_INST_B);
    for (unsigned k = 0; g.inst && g.bytes && k < n; k++)
        flipped_inst(&g, &r, k);
    if (!g.inst || !g.bytes)
        wrong(c, "no memory for %u instructions", n);
    else
        c->refused += drop_refused(&g);
    if (!c->wrong &&
        !iga_disassemble(p, g.bytes, (size_t)g.n * XK_INST_B, false, &iga))
        wrong(c, "%s: iga64 -d refuses, seed %llu", p->name,
              (unsigned long long)seed);
    else if (!c->wrong)
        compare_texts(&g, &iga, c);
    iga_lines_fini(&iga);
    program_fini(&g);
}

/* Whatever decodes can be printed and judged; the bits come back. */
static void check_decoded(const struct xk_platform *p, const struct xk_inst *i,
                          const uint8_t *bytes, size_t used_b,
                          struct codec_counts *c)
{
    struct xk_isa_violation v[4];
    struct xk_error err = {0};
    uint8_t again[XK_INST_B];
    size_t again_b = 0;
    struct xk_str text;

    xk_inst_validate(p, i, v, XK_COUNTOF(v));
    for (int k = -1; k < 3; k++)
        xk_inst_footprint(p, i, k);
    xk_str_init(&text, NULL);
    xk_inst_print(p, i, &text);
    if (xk_inst_encode_as_marked(p, i, again, &again_b, &err) < 0)
        wrong(c, "%s: decodes, but: %s: %s", p->name, err.message,
              xk_str_get(&text));
    else if (again_b != used_b || memcmp(bytes, again, used_b) != 0)
        wrong(c, "%s: encodes to other bits: %s", p->name, xk_str_get(&text));
    c->compact += i->compacted;
    xk_str_fini(&text);
}

static void check_pattern(const struct xk_platform *p, const uint8_t *bytes,
                          struct codec_counts *c)
{
    struct xk_error err = {0};
    struct xk_inst i;
    size_t used_b = 0;
    const enum xk_status st =
        xk_inst_decode(p, bytes, XK_INST_B, &i, &used_b, &err);

    c->n++;
    if (used_b != (bytes[3] & 0x20 ? 8 : 16))
        wrong(c, "%s: decode uses %zu bytes", p->name, used_b);
    if (st == XK_OK) {
        check_decoded(p, &i, bytes, used_b, c);
        return;
    }
    c->refused++;
    if (strlen(err.message) < 8)
        wrong(c, "%s: decode refuses without a reason", p->name);
}

/* Sparse patterns decode more often; bit 29 says compacted. */
static void bits(struct rng *r, bool compacted, uint8_t out[XK_INST_B])
{
    uint64_t w[2] = {rng_bits(r), rng_bits(r)};

    if (rng_below(r, 2) && !compacted)
        w[0] &= rng_bits(r), w[1] &= rng_bits(r);
    for (unsigned k = 0; k < XK_INST_B; k++)
        out[k] = (uint8_t)(w[k / 8] >> k % 8 * 8);
    out[3] = (uint8_t)((out[3] & 0xdf) | (compacted ? 0x20 : 0));
}

/* A legal instruction with one to four bits flipped, bit 29 excepted. */
static bool flipped(const struct xk_platform *p, struct rng *r,
                    uint8_t out[XK_INST_B])
{
    struct xk_inst i;

    random_inst(p, r, random_opcode(p, r), &i);
    if (xk_inst_encode(p, &i, out, NULL) < 0)
        return false;
    for (unsigned n = 1 + rng_below(r, 4); n; n--) {
        const unsigned bit = rng_below(r, 128);

        out[bit / 8] ^= (uint8_t)(bit == 29 ? 0 : 1u << bit % 8);
    }
    return true;
}

void check_random_bits(const struct xk_platform *p, uint64_t seed, unsigned n,
                       struct codec_counts *c)
{
    struct rng r = {seed};

    for (unsigned k = 0; k < n; k++) {
        uint8_t bytes[XK_INST_B];

        if (k % 3 < 2)
            bits(&r, k % 3, bytes);
        else if (!flipped(p, &r, bytes))
            wrong(c, "%s: a legal instruction does not encode", p->name);
        check_pattern(p, bytes, c);
    }
}
