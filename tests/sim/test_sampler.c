/* SPDX-License-Identifier: Apache-2.0 */
/* Sampler messages and tiled surfaces, one message at a time. What a filter is
 * to give is worked out here, from OpenCL's formulas. Whole programs:
 * tests/images. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "isa/message_sampler.h"
#include "sim/message/tiling.h"
#include "tests/sim/lab.h"
#include "tests/tap.h"

enum { LANES = 8, PAYLOAD = 20, DST = 60 };
#define IMAGE_VA UINT64_C(0x500000000)
#define STATE_VA UINT64_C(0x700000000)
#define IMAGE_B (1u << 20)
#define TABLE_B 64u    /* of the binding table, behind the surface's state */
#define SAMPLER_B 128u /* of the sampler's state */
#define BORDER_B 192u
#define WIDTH 200u
#define HEIGHT 70u
#define R32_FLOAT 0x0d8u
#define RGBA8_UINT 0x0cbu

static uint8_t image[IMAGE_B], state[256];
static uint64_t seed = 1;

static uint32_t rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

static void put32(uint8_t *at, uint32_t v)
{
    memcpy(at, &v, 4);
}

/* -- One message -- */

struct surface {
    unsigned format, mode, texel_b;
    struct xk_sim_tiling tiling;
    uint32_t pitch_b;
};

static void write_surface(const char *platform, struct surface *s)
{
    const uint64_t va = IMAGE_VA;
    ck_assert(xk_sim_tiling_find(xk_platform_find(platform), s->mode, false,
                                 s->texel_b, &s->tiling));
    s->pitch_b = 2048;
    memset(state, 0, TABLE_B + 4);
    put32(state, 1u << 29 | s->format << 18 | s->mode << 12);
    put32(state + 8, (WIDTH - 1) | (HEIGHT - 1) << 16);
    put32(state + 12, s->pitch_b - 1);
    put32(state + 28, 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16);
    memcpy(state + 32, &va, 8);
    for (size_t b = 0; b < IMAGE_B; b += 4) {
        const float f = (float)(int)(rnd() % 4096) - 2048;
        const uint32_t v = rnd();
        memcpy(image + b, s->format == R32_FLOAT ? (const void *)&f : &v, 4);
    }
}

/* wrap as in the state: 0 repeat, 1 mirror, 2 edge, 4 border */
static void write_sampler(bool linear, bool whole, unsigned wrap,
                          unsigned wrap_y)
{
    memset(state + SAMPLER_B, 0, 16);
    put32(state + SAMPLER_B, linear ? 1u << 14 | 1u << 17 : 0);
    put32(state + SAMPLER_B + 8, BORDER_B);
    put32(state + SAMPLER_B + 12, wrap << 6 | wrap_y << 3 | wrap |
                                      (uint32_t)whole << 10 |
                                      (linear ? 0x7e000u : 0));
    for (unsigned k = 0; k < 4; k++) {
        const float f = 7.5f + (float)k;
        memcpy(state + BORDER_B + 4 * k, &f, 4);
    }
}

static const uint8_t *texel(const struct surface *s, unsigned x, unsigned y)
{
    return image + xk_sim_tiled_offset(&s->tiling, s->pitch_b, 0,
                                       (uint64_t)x * s->texel_b, y, 0);
}

/* A send to the sampler over 8 lanes; n registers of payload at PAYLOAD. */
static struct lab *open_send(const char *platform, unsigned n, uint32_t desc)
{
    char text[200];
    if (!strcmp(platform, "xelp"))
        snprintf(text, sizeof text,
                 "send.smpl (8|M0) r%d r%d r%d 0x%x 0x%08x {$0}\n"
                 "sync.nop null {$0.dst}\n",
                 DST, PAYLOAD, PAYLOAD + 1, (n - 1) << 6, 1u << 25 ^ desc);
    else
        snprintf(text, sizeof text,
                 "send.smpl (8|M0) r%d r%d r%d:%u 0x0 0x%08x {$0}\n"
                 "sync.nop null {$0.dst}\n",
                 DST, PAYLOAD, PAYLOAD + 1, n - 1, 1u << 25 ^ desc);
    return lab_open(platform, text);
}

static bool run_send(struct lab *x, uint32_t payload[][LANES], unsigned n,
                     uint32_t mask)
{
    struct xk_sim_region r[] = {{IMAGE_VA, IMAGE_B, image, XK_SIM_BUFFER},
                                {STATE_VA, sizeof state, state, XK_SIM_STATE}};
    const struct xk_sim_dispatch d = {.kernel = x->k,
                                      .surface_va = STATE_VA,
                                      .dynamic_va = STATE_VA,
                                      .sampler_b = SAMPLER_B,
                                      .binding_table_va = STATE_VA + TABLE_B};
    struct xk_sim_run run = {.d = &d, .kernel = x->k};
    lab_start(x, 1, 0x4c0 | 1u << 4); /* rounding up is the EU's, not its */
    ck_assert(xk_sim_space_init(&run.space, r, 2, &x->err) == XK_OK);
    x->group.run = &run;
    x->t[0].active = x->t[0].dispatch = mask;
    memset(lab_reg(x, DST), 0xee, 8 * x->k->grf_b);
    for (unsigned k = 0; k < n; k++)
        memcpy(lab_reg(x, PAYLOAD + k), payload[k], sizeof payload[k]);
    return lab_run(x);
}

static uint32_t got_at(struct lab *x, unsigned plane, unsigned lane)
{
    uint32_t v;
    memcpy(&v, lab_reg(x, DST + plane) + 4 * lane, 4);
    return v;
}

static uint32_t bits_of(float f)
{
    uint32_t v;
    memcpy(&v, &f, 4);
    return v;
}

static const struct {
    const char *platform;
    unsigned mode;
} places[] = {{"xelp", 0},  {"xelp", 2},  {"xelp", 3}, {"xehpg", 0},
              {"xehpg", 1}, {"xehpg", 2}, {"xehpg", 3}};

/* ld_lz: integers, outside is zero, some channels only, some lanes only. */
START_TEST(texels_are_fetched)
{
    struct surface s = {RGBA8_UINT, places[_i].mode, 4, {.mask = {0}}, 0};
    write_surface(places[_i].platform, &s);
    for (unsigned unwanted = 0; unwanted < 15; unwanted++) {
        uint32_t pay[3][LANES] = {{0}};
        const unsigned n = 4 - (unsigned)__builtin_popcount(unwanted);
        const uint32_t mask = 1 + rnd() % 255;
        pay[0][2] = unwanted << 12;
        for (unsigned l = 0; l < LANES; l++) {
            const bool on = mask >> l & 1;
            pay[1][l] = on ? rnd() % (WIDTH + 30) - 15 : 0x7fbadbad;
            pay[2][l] = on ? rnd() % (HEIGHT + 10) - 5 : 0xfffffffe;
        }
        struct lab *const x = open_send(places[_i].platform, 3,
                                        0x0a * 4096 + 0x10000 + (1 << 17) +
                                            (1 << 19) + (n << 20));
        ck_assert_msg(run_send(x, pay, 3, mask), "%s", x->err.message);
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned c = 0, k = 0; c < 4; c++) {
                const bool in = pay[1][l] < WIDTH && pay[2][l] < HEIGHT;
                if (unwanted >> c & 1)
                    continue;
                ck_assert_uint_eq(got_at(x, k++, l),
                                  !(mask >> l & 1) ? 0xeeeeeeee
                                  : in ? texel(&s, pay[1][l], pay[2][l])[c]
                                       : 0);
            }
        lab_close(x);
    }
}
END_TEST

/* Column or row i in an image of n; -1 is the border. */
static int fold(int i, int n, unsigned wrap)
{
    if (wrap == 0)
        return (i % n + n) % n;
    if (wrap == 1) {
        const int j = (i % (2 * n) + 2 * n) % (2 * n);
        return j < n ? j : 2 * n - 1 - j;
    }
    if (wrap == 4)
        return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double value_at(const struct surface *s, int x, int y)
{
    float f = 7.5f;
    if (x >= 0 && y >= 0)
        memcpy(&f, texel(s, (unsigned)x, (unsigned)y), 4);
    return (double)f;
}

/* At 64ths of a texel, where weights are exact. */
static double filtered(const struct surface *s, double u, double v, bool linear,
                       unsigned wrap, unsigned wrap_y)
{
    const int n[2] = {(int)WIDTH, (int)HEIGHT};
    if (!linear)
        return value_at(s, fold((int)floor(u), n[0], wrap),
                        fold((int)floor(v), n[1], wrap_y));
    const int i = (int)floor(u - 0.5), j = (int)floor(v - 0.5);
    const double a = u - 0.5 - i, b = v - 0.5 - j;
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += (k & 1 ? a : 1 - a) * (k & 2 ? b : 1 - b) *
               value_at(s, fold(i + (k & 1), n[0], wrap),
                        fold(j + (k >> 1), n[1], wrap_y));
    return sum;
}

/* What a lane that is off may hold: not a number, infinite, far away. */
static const uint32_t spoilt[] = {0x7fc0ffee, 0xff800000, 0x7f7fffff,
                                  0xdeadbeef};

/* What the sampler's state says. */
struct filter {
    bool linear, whole;
    unsigned wrap, wrap_y;
};

static void sample_some(const struct surface *s, const char *platform,
                        struct filter f, bool level)
{
    const bool linear = f.linear, whole = f.whole;
    uint32_t pay[3][LANES];
    double u[LANES], v[LANES];
    const uint32_t mask = rnd() % 2 ? 0xff : 1 + rnd() % 255;
    write_sampler(linear, whole, f.wrap, f.wrap_y);
    for (unsigned l = 0; l < LANES; l++) {
        /* divided by 256 and 64 nothing is lost: extents are no such numbers */
        u[l] = ((double)(rnd() % (3 * WIDTH * 64)) - WIDTH * 64) / 64;
        v[l] = ((double)(rnd() % (3 * HEIGHT * 64)) - HEIGHT * 64) / 64;
        pay[0][l] = 0;
        pay[level][l] = bits_of((float)(whole ? u[l] : u[l] / WIDTH));
        pay[level + 1][l] = bits_of((float)(whole ? v[l] : v[l] / HEIGHT));
        for (unsigned k = 0; k < 3 && !(mask >> l & 1); k++)
            pay[k][l] = spoilt[rnd() % XK_COUNTOF(spoilt)];
    }
    const uint32_t op = level ? 0x2000 : 0x18000;
    struct lab *const x =
        open_send(platform, 2 + level, op | 1 << 17 | 4 << 20);
    ck_assert_msg(run_send(x, pay, 2 + level, mask), "%s", x->err.message);
    for (unsigned l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) {
            ck_assert_uint_eq(got_at(x, l % 4, l), 0xeeeeeeee);
            continue;
        }
        const double want = filtered(s, u[l], v[l], linear, f.wrap, f.wrap_y);
        const uint32_t bits = got_at(x, 0, l);
        float got;
        memcpy(&got, &bits, 4);
        /* a quotient that is rounded leads past a texel's edge */
        if (whole || linear || fabs(u[l] - rint(u[l])) > 0.01)
            if (whole || linear || fabs(v[l] - rint(v[l])) > 0.01)
                ck_assert_msg(fabs((double)got - want) <= (whole    ? 1e-3
                                                           : linear ? 33
                                                                    : 0),
                              "%s %s %s wrap %u: (%g, %g) gave %g, not %g",
                              platform, linear ? "linear" : "nearest",
                              whole ? "whole" : "0..1", f.wrap, u[l], v[l],
                              (double)got, want);
        ck_assert_uint_eq(got_at(x, 1, l), 0);
        ck_assert_uint_eq(got_at(x, 3, l), bits_of(1));
    }
    lab_close(x);
}

START_TEST(coordinates_are_filtered)
{
    struct surface s = {R32_FLOAT, places[_i].mode, 4, {.mask = {0}}, 0};
    write_surface(places[_i].platform, &s);
    for (unsigned k = 0; k < 64; k++) {
        static const unsigned wraps[] = {0, 1, 2, 4};
        const unsigned wrap = wraps[k % 4], wrap_y = wraps[rnd() % 4];
        const bool whole = k & 4 && wrap > 1 && wrap_y > 1;
        sample_some(&s, places[_i].platform,
                    (struct filter){k & 8, whole, wrap, wrap_y}, k & 16);
    }
}
END_TEST

/* Weights have 8 bits: between two of them the state says which. */
START_TEST(weights_are_rounded_or_cut)
{
    struct surface s = {R32_FLOAT, 3, 4, {.mask = {0}}, 0};
    write_surface("xehpg", &s);
    for (unsigned k = 0; k < 20; k++) {
        const unsigned part = rnd() % 256, x = rnd() % (WIDTH - 1);
        const bool rounded = k % 2;
        const float u = (float)x + 0.5f + (float)(2 * part + 1) / 512;
        uint32_t pay[2][LANES];
        float got;
        write_sampler(true, true, 2, 2);
        if (!rounded)
            put32(state + SAMPLER_B + 12, 2u << 6 | 2u << 3 | 2u | 1u << 10);
        for (unsigned l = 0; l < LANES; l++) {
            pay[0][l] = bits_of(u);
            pay[1][l] = bits_of(5.5f);
        }
        struct lab *const lab =
            open_send("xehpg", 2, 0x18000 | 1 << 17 | 4 << 20);
        ck_assert_msg(run_send(lab, pay, 2, 0xff), "%s", lab->err.message);
        const double a = (part + (rounded ? 1 : 0)) / 256.0;
        const double want =
            (1 - a) * value_at(&s, (int)x, 5) + a * value_at(&s, (int)x + 1, 5);
        const uint32_t bits = got_at(lab, 0, 3);
        memcpy(&got, &bits, 4);
        ck_assert_msg(fabs((double)got - want) < 1e-3, "%g, not %g",
                      (double)got, want);
        lab_close(lab);
    }
}
END_TEST

/* -- What is refused, with a sentence that says what -- */

static void refused(const char *platform, unsigned n, uint32_t desc,
                    uint32_t header3, const char *words)
{
    uint32_t pay[6][LANES] = {{0}};
    struct lab *const x = open_send(platform, n, desc);
    pay[0][3] = header3;
    ck_assert_msg(!run_send(x, pay, n, 0xff), "%s: it is executed", words);
    ck_assert_msg(strstr(x->err.message, words), "not '%s' but '%s'", words,
                  x->err.message);
    lab_close(x);
}

START_TEST(what_is_not_simulated_is_named)
{
    const uint32_t simd8 = 1 << 17, lz = 0x18000, r4 = 4 << 20;
    struct surface s = {R32_FLOAT, 0, 4, {.mask = {0}}, 0};
    write_surface("xehpg", &s);
    write_sampler(true, false, 2, 2);
    refused("xehpg", 6, 0x4000 | simd8 | r4, 0, "sample_d");
    refused("xehpg", 2, 0x0000 | simd8 | r4, 0, "sampler message sample ");
    refused("xehpg", 2, 0xa000 | simd8 | r4, 0, "resinfo");
    refused("xelp", 3, 0x7000 | simd8 | r4, 0, "sampler message ld ");
    refused("xehpg", 1, 0xff000 & ~simd8, 0, "sampler message flush");
    refused("xehpg", 1, 0xff000 | 1 << 20 | 1, 0, "sampler message flush");
    refused("xehpg", 3, lz | simd8 | r4 | 1 << 19, 1, "bindless sampler");
    refused("xehpc", 2, lz | simd8 | r4, 0, "has no sampler");
    refused("xehpg", 3, lz | 2 << 17 | 8 << 20, 0, "are not a whole number");
    write_sampler(true, true, 0, 0);
    refused("xehpg", 2, lz | simd8 | r4, 0, "whole coordinates");
    write_sampler(true, false, 7, 7);
    refused("xehpg", 2, lz | simd8 | r4, 0, "address mode 7");
    write_sampler(true, false, 2, 2);
    put32(state + SAMPLER_B, 2u << 14 | 1u << 17);
    refused("xehpg", 2, lz | simd8 | r4, 0, "filters");
    write_sampler(true, false, 2, 2);
    put32(state + 20, 3);
    refused("xehpg", 2, lz | simd8 | r4, 0, "levels");
    s.format = RGBA8_UINT;
    write_surface("xehpg", &s);
    refused("xehpg", 2, lz | simd8 | r4 | 1 << 30, 0, "integer format");
    s.format = R32_FLOAT;
    s.mode = 0;
    write_surface("xelp", &s);
    put32(state, 1u << 29 | R32_FLOAT << 18 | 1u << 12);
    refused("xelp", 2, lz | simd8 | r4, 0, "tile mode 1");
}
END_TEST

/* Bits of the sampler's state, and of a header's dword 2. */
START_TEST(fields_that_act_and_are_not_simulated_are_named)
{
    static const struct {
        unsigned dword, bit;
        const char *words;
    } rows[] = {
        {0, 29, "border colour mode, bit 1"},
        {0, 31, "a disabled sampler, bit 1"},
        {1, 7, "chroma key 1"},
        {2, 1, "skips sRGB decoding, bit 1"},
        {2, 2, "filter weights, bits 1"},
        {2, 3, "filter weights, bits 2"},
        {3, 9, "reduction type, bit 1"},
        {3, 13, "rounds otherwise where it reduces, coordinate 2"},
        {3, 16, "rounds otherwise where it reduces, coordinate 1"},
        {3, 18, "rounds otherwise where it reduces, coordinate 0"},
        {3, 26, "low quality filter 1"},
        {3, 31, "bits 31:27 of dword 3 16"},
    };
    const uint32_t simd8 = 1 << 17, lz = 0x18000, r4 = 4 << 20;
    struct surface s = {R32_FLOAT, 0, 4, {.mask = {0}}, 0};
    write_surface("xehpg", &s);
    for (unsigned k = 0; k < XK_COUNTOF(rows); k++) {
        uint32_t v;
        write_sampler(true, false, 2, 2);
        memcpy(&v, state + SAMPLER_B + 4 * rows[k].dword, 4);
        put32(state + SAMPLER_B + 4 * rows[k].dword, v ^ 1u << rows[k].bit);
        refused("xehpg", 2, lz | simd8 | r4, 0, rows[k].words);
    }
    write_sampler(false, false, 2, 2);
    put32(state + SAMPLER_B + 12, 2u << 6 | 2u << 3 | 2u | 3u << 17);
    refused("xehpg", 2, lz | simd8 | r4, 0, "nearest texels that rounds");
}
END_TEST

START_TEST(texel_offsets_are_named)
{
    static const struct {
        uint32_t dword2;
        const char *words;
    } rows[] = {{0x00f, "texel offsets 15"},
                {0x120, "texel offsets 288"},
                {1u << 16, "dword 2 the bits 65536"}};
    struct surface s = {R32_FLOAT, 3, 4, {.mask = {0}}, 0};
    write_surface("xehpg", &s);
    for (unsigned k = 0; k < XK_COUNTOF(rows); k++) {
        uint32_t pay[3][LANES] = {{0}};
        struct lab *const x = open_send(
            "xehpg", 3, 0x0a << 12 | 1 << 16 | 1 << 17 | 1 << 19 | 4 << 20);
        pay[0][2] = rows[k].dword2;
        ck_assert(!run_send(x, pay, 3, 0xff));
        ck_assert_msg(strstr(x->err.message, rows[k].words), "%s",
                      x->err.message);
        lab_close(x);
    }
}
END_TEST

/* What a message leaves in 32 registers from DST on; false if it is refused. */
static bool sampled(uint32_t desc, uint32_t pay[][LANES], unsigned n,
                    uint8_t out[32 * 32])
{
    struct lab *const x = open_send("xehpg", n, desc);
    const bool ran = run_send(x, pay, n, 0xff);
    memcpy(out, lab_reg(x, DST), 32 * 32);
    lab_close(x);
    return ran;
}

/* A fetch, filtered samples without and with a header, one of a level:
 * whichever bit is flipped, the message is refused or leaves something else. A
 * fetch has no sampler to name, in bits 11:8, and two registers more, by bit
 * 26, have coordinates that this surface has not. */
START_TEST(each_bit_of_a_descriptor_counts)
{
    static const struct {
        uint32_t desc;
        unsigned n; /* registers */
    } rows[] = {{0x0a << 12 | 1 << 16 | 1 << 17 | 4 << 20, 2},
                {0x18000 | 1 << 17 | 4 << 20, 2},
                {0x18000 | 1 << 17 | 1 << 19 | 4 << 20, 3},
                {0x02000 | 1 << 17 | 4 << 20, 3}};
    static uint8_t was[32 * 32], is[32 * 32];
    struct surface s = {R32_FLOAT, 3, 4, {.mask = {0}}, 0};
    uint32_t pay[3][LANES] = {{0}};
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < 3; k++)
            pay[k][l] = _i == 0 ? 3 + l + k : bits_of(3.25f + (float)(l + k));
    if (rows[_i].n == 3)
        memset(pay[0], 0, sizeof pay[0]); /* a header, or level 0 */
    if (_i == 2)
        pay[0][3] = SAMPLER_B;
    write_surface("xehpg", &s);
    write_sampler(true, true, 2, 2);
    for (unsigned k = 1; k < 16; k++) /* the other surfaces are none */
        put32(state + TABLE_B + 4 * k, BORDER_B);
    ck_assert(sampled(rows[_i].desc, pay, rows[_i].n, was));
    for (unsigned bit = 0; bit < 32; bit++) {
        const bool idle = bit == 26 || (_i == 0 && bit >= 8 && bit < 12);
        ck_assert_msg(
            !sampled(rows[_i].desc ^ 1u << bit, pay, rows[_i].n, is) || idle ||
                memcmp(is, was, sizeof was),
            "bit %u of 0x%x changes nothing", bit, rows[_i].desc);
    }
}
END_TEST

/* -- Checkers -- */

/* Four lanes of both registers of the payload. */
#define SOME_LANES                                                             \
    "(W) mov (4|M0) r20.0<1>:ud 0x0:ud\n"                                      \
    "(W) mov (4|M0) r21.0<1>:ud 0x0:ud\n"                                      \
    "sync.nop null {A@1}\n"

static const struct {
    unsigned given; /* registers that have a value: r1 ... */
    uint32_t mask;  /* lanes that are on */
    const char *before, *wait;
    uint32_t finding; /* 0: none */
    const char *words;
} checked[] = {
    {80, 0xff, "", "sync.nop null {$0.dst}\n", 0, NULL},
    {19, 0xff, "", "sync.nop null {$0.dst}\n", XK_CHECK_INIT, "the coordinate"},
    {80, 0xff, "", "", XK_CHECK_HAZARD, "$0"},
    /* a value in the lanes that are on is enough */
    {19, 0x0f, SOME_LANES, "sync.nop null {$0.dst}\n", 0, NULL},
    {19, 0x1f, SOME_LANES, "sync.nop null {$0.dst}\n", XK_CHECK_INIT,
     "the coordinate"},
};

struct heard {
    uint32_t check;
    char line[900];
};

static void hear(void *user, const struct xk_sim_finding *f)
{
    struct heard *const h = user;
    if (h->check)
        return;
    h->check = f->check;
    xk_sim_finding_print(f, h->line, sizeof h->line);
}

/* Two registers come back; the first one is read at once. */
START_TEST(checkers_know_what_a_message_reads_and_returns)
{
    static uint8_t regs[80 * 32];
    char text[600];
    struct heard h = {.check = 0};
    struct surface s = {RGBA8_UINT, 3, 4, {.mask = {0}}, 0};
    struct xk_error err = {.message = ""};
    struct xk_sim_region r[] = {{IMAGE_VA, IMAGE_B, image, XK_SIM_BUFFER},
                                {STATE_VA, sizeof state, state, XK_SIM_STATE}};
    write_surface("xehpg", &s);
    snprintf(text, sizeof text,
             "%ssend.smpl (8|M0) r%d r%d r%d:1 0x0 0x0223a000 {$0}\n%s"
             "mov (8|M0) r90.0<1>:ud r%d.0<1;1,0>:ud\n"
             "(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
             "sync.nop null {A@1}\n"
             "(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}\n",
             checked[_i].before, DST, PAYLOAD, PAYLOAD + 1, checked[_i].wait,
             DST);
    struct lab *const x = lab_open("xehpg", text);
    const struct xk_sim_dispatch d = {
        .kernel = x->k,
        .groups = {1, 1, 1},
        .simd = 8,
        .n_threads = 1,
        .last_mask = checked[_i].mask,
        .thread_data = regs,
        .thread_data_b = checked[_i].given * 32,
        .surface_va = STATE_VA,
        .binding_table_va = STATE_VA + TABLE_B,
        .regions = r,
        .n_regions = 2,
        .n_host_threads = 1,
        .check = {.on = XK_CHECK_ALL, .found = hear, .user = &h}};
    const enum xk_status st = xk_sim_dispatch(&d, NULL, &err);
    ck_assert_msg(h.check == checked[_i].finding, "'%s', '%s'", h.line,
                  err.message);
    ck_assert_int_eq(st, h.check ? XK_EFAULT : XK_OK);
    ck_assert_msg(!h.check || strstr(h.line, checked[_i].words), "'%s'",
                  h.line);
    lab_close(x);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sampler");
    TCase *t = tcase_create("sampler");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, texels_are_fetched, 0, XK_COUNTOF(places));
    tcase_add_loop_test(t, coordinates_are_filtered, 0, XK_COUNTOF(places));
    tcase_add_test(t, weights_are_rounded_or_cut);
    tcase_add_test(t, what_is_not_simulated_is_named);
    tcase_add_test(t, fields_that_act_and_are_not_simulated_are_named);
    tcase_add_test(t, texel_offsets_are_named);
    tcase_add_loop_test(t, each_bit_of_a_descriptor_counts, 0, 4);
    tcase_add_loop_test(t, checkers_know_what_a_message_reads_and_returns, 0,
                        XK_COUNTOF(checked));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
