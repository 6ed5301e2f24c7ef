/* SPDX-License-Identifier: Apache-2.0 */
/* Typed messages and media blocks on linear surfaces, on all platforms, against
 * what images hold by OpenCL's rules, written down plainly here. Format codes:
 * Mesa's isl_format. Payloads as Intel's compiler sends them: the coordinates,
 * then the channels, on the old port in one row over both sources. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "isa/message.h"
#include "sim/sim.h"
#include "isa/format.h"
#include "tests/sim/flip_judge.h"
#include "tests/tap.h"

enum { COORD = 10, DATA = 40, DST = 70, END = 120 };
enum { UINT, SINT, UNORM, SNORM, FLOAT };
#define IMAGE_VA UINT64_C(0x500000000)
#define DUMP_VA UINT64_C(0x600000000)
#define STATE_VA UINT64_C(0x700000000)
#define WIDTH 13u
#define HEIGHT 5u
#define PITCH_B 256u
#define ROWS 8u /* of a slice: a multiple of 4 */
#define SLICES 3u
#define IMAGE_B (PITCH_B * ROWS * SLICES)
#define LANES 8

static const struct format {
    unsigned code, n, bits, kind;
    bool bgra;
} formats[] = {
    {0, 4, 32, FLOAT, 0},   {1, 4, 32, SINT, 0},    {2, 4, 32, UINT, 0},
    {128, 4, 16, UNORM, 0}, {129, 4, 16, SNORM, 0}, {130, 4, 16, SINT, 0},
    {131, 4, 16, UINT, 0},  {132, 4, 16, FLOAT, 0}, {133, 2, 32, FLOAT, 0},
    {134, 2, 32, SINT, 0},  {135, 2, 32, UINT, 0},  {192, 4, 8, UNORM, 1},
    {199, 4, 8, UNORM, 0},  {201, 4, 8, SNORM, 0},  {202, 4, 8, SINT, 0},
    {203, 4, 8, UINT, 0},   {204, 2, 16, UNORM, 0}, {205, 2, 16, SNORM, 0},
    {206, 2, 16, SINT, 0},  {207, 2, 16, UINT, 0},  {208, 2, 16, FLOAT, 0},
    {214, 1, 32, SINT, 0},  {215, 1, 32, UINT, 0},  {216, 1, 32, FLOAT, 0},
    {262, 2, 8, UNORM, 0},  {263, 2, 8, SNORM, 0},  {264, 2, 8, SINT, 0},
    {265, 2, 8, UINT, 0},   {266, 1, 16, UNORM, 0}, {267, 1, 16, SNORM, 0},
    {268, 1, 16, SINT, 0},  {269, 1, 16, UINT, 0},  {270, 1, 16, FLOAT, 0},
    {320, 1, 8, UNORM, 0},  {321, 1, 8, SNORM, 0},  {322, 1, 8, SINT, 0},
    {323, 1, 8, UINT, 0},
};

static const char *const platforms[] = {"xelp", "xehpg", "xehpc"};
static const struct xk_platform *p;
static uint8_t image[IMAGE_B], want[IMAGE_B], dump[4 * 64];
/* a binding table, and the surface's state behind it */
static uint8_t space[128], *const state = space + 64;
static uint8_t regs[128 * 64];
static uint32_t coord[3][LANES], value[4][LANES];
static uint64_t seed;

static uint32_t rnd(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 11);
}

static void put32(uint8_t *at, uint32_t v)
{
    memcpy(at, &v, 4);
}

/* 1D: 0, 2D: 1, 3D: 2, and 2D arrays. The extent is in the state. */
static void write_state(unsigned type, bool array, unsigned code)
{
    const uint64_t va = IMAGE_VA;
    memset(space, 0, sizeof space);
    put32(space, 64);
    put32(state, type << 29 | (uint32_t)array << 28 | code << 18);
    put32(state + 4, ROWS / 4);
    put32(state + 8, (WIDTH - 1) | (HEIGHT - 1) << 16);
    put32(state + 12, (PITCH_B - 1) | (SLICES - 1) << 21);
    put32(state + 28, 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16);
    memcpy(state + 32, &va, 8);
}

static void draw_payload(void)
{
    static const float few[] = {0.0f, 1.0f, -1.0f, 2.0f, -3.0f, 0.5f, NAN};
    const uint32_t limit[3] = {WIDTH + 2, HEIGHT + 2, SLICES + 1};
    for (size_t i = 0; i < sizeof regs; i++)
        regs[i] = (uint8_t)rnd();
    for (unsigned l = 0; l < LANES; l++) {
        /* lanes apart: column l, or now and then outside */
        coord[0][l] = rnd() % 5 ? l : limit[0] + rnd() % 3 - 2 + l;
        coord[1][l] = rnd() % limit[1];
        coord[2][l] = rnd() % limit[2];
        for (unsigned k = 0; k < 4; k++) {
            const float f = rnd() % 4 ? (float)(int32_t)rnd() / 0x1p31f
                                      : few[rnd() % XK_COUNTOF(few)];
            value[k][l] = rnd() % 2 ? rnd() >> rnd() % 32 : rnd();
            if (seed >> 62 & 1)
                memcpy(&value[k][l], &f, 4);
        }
    }
}

/* Channels of values are floats where the format's are. */
static void draw_values(const struct format *f)
{
    for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; l < LANES; l++) {
            const float x = rnd() % 9 == 0   ? NAN
                            : rnd() % 9 == 1 ? 7.0f
                                             : (float)(int32_t)rnd() / 0x1p30f;
            if (f->kind >= UNORM)
                memcpy(&value[k][l], &x, 4);
        }
}

static void place_planes(unsigned first, uint32_t v[][LANES], unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned l = 0; l < LANES; l++)
            put32(regs + (first + k) * p->grf_b + 4 * l, v[k][l]);
}

static struct xk_operand grf(unsigned r)
{
    return (struct xk_operand){
        .file = XK_FILE_GRF, .type = XK_RT_UD, .reg = (uint16_t)r};
}

static struct xk_operand null_operand(void)
{
    return (struct xk_operand){
        .file = XK_FILE_ARF, .type = XK_RT_UD, .arf = XK_ARF_NULL};
}

struct code {
    uint8_t bytes[16 * 12];
    unsigned n;
};

static void emit(struct code *c, const struct xk_inst *i)
{
    struct xk_error err = {.message = ""};
    ck_assert_msg(xk_inst_encode(p, i, c->bytes + 16 * c->n, &err) == XK_OK,
                  "%s", err.message);
    c->n++;
}

/* Coordinates come from COORD on, src1_len registers from DATA on. */
static void send_raw(struct code *c, unsigned sfid, uint32_t desc,
                     unsigned src1_len, unsigned dst, unsigned exec)
{
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = (uint8_t)exec};
    struct xk_inst all = {
        .op = XK_OPC_SYNC, .exec = 1, .sync_fn = XK_SYNC_ALLWR};
    all.dst = all.src[0] = null_operand();
    i.no_mask = sfid != XK_SFID_DC1 && sfid != XK_SFID_TGM;
    i.swsb.mode = XK_SBID_SET;
    i.send.sfid = (uint8_t)sfid;
    i.send.desc = desc;
    i.send.src1_len = (uint8_t)src1_len;
    i.send.exdesc = (uint32_t)src1_len << 6;
    i.src[0] = grf(COORD);
    i.src[1] = src1_len ? grf(DATA) : null_operand();
    i.dst = dst ? grf(dst) : null_operand();
    emit(c, &i);
    emit(c, &all);
}

static void build(struct code *c, struct xk_msg *m, unsigned src0,
                  unsigned src1)
{
    struct xk_error err = {.message = ""};
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = m->exec, .no_mask = true};
    i.swsb.mode = XK_SBID_SET;
    i.swsb.sbid = c->n % 16;
    i.src[0] = grf(src0);
    i.src[1] = src1 ? grf(src1) : null_operand();
    i.dst = null_operand();
    ck_assert_msg(xk_msg_build(p, m, &i, &err) == XK_OK, "%s", err.message);
    emit(c, &i);
}

/* Registers DST... to memory, end of the thread; then all of it runs. */
static enum xk_status run(struct code *c, uint32_t mask, uint32_t checks,
                          struct xk_error *err)
{
    const uint64_t va = DUMP_VA;
    struct xk_msg end = {.kind = xk_msg_exists(p, XK_MSG_EOT, XK_SFID_GTWY)
                                     ? XK_MSG_EOT
                                     : XK_MSG_TS_EOT,
                         .exec = 8};
    for (unsigned k = 0; k < 4u * p->grf_b / 128; k++) {
        struct xk_msg m = {.kind = XK_MSG_DC1_A64_OWORD_STORE_BYTES,
                           .exec = 8,
                           .bti = XK_BTI_STATELESS,
                           .vec = 8,
                           .header = true};
        const uint64_t at = va + 128 * k;
        memcpy(regs + (100 + k) * p->grf_b, &at, 8);
        build(c, &m, 100 + k, DST + k * 128 / p->grf_b);
    }
    build(c, &end, END, 0);
    const struct xk_zkernel z = {.name = "typed",
                                 .simd = 8,
                                 .grf_count = 128,
                                 .code = c->bytes,
                                 .code_b = 16 * c->n};
    xk_sim_kernel *k;
    ck_assert_msg(xk_sim_kernel_create(NULL, p, &z, &k, err) == XK_OK, "%s",
                  err->message);
    struct xk_sim_region r[] = {{IMAGE_VA, IMAGE_B, image, XK_SIM_BUFFER},
                                {DUMP_VA, sizeof dump, dump, XK_SIM_BUFFER},
                                {STATE_VA, sizeof space, space, XK_SIM_STATE}};
    const struct xk_sim_dispatch d = {.kernel = k,
                                      .groups = {1, 1, 1},
                                      .simd = 8,
                                      .n_threads = 1,
                                      .last_mask = mask,
                                      .thread_data = regs + p->grf_b,
                                      .thread_data_b = 127 * p->grf_b,
                                      .surface_va = STATE_VA,
                                      .bindless_va = STATE_VA,
                                      .binding_table_va = STATE_VA,
                                      .regions = r,
                                      .n_regions = 3,
                                      .n_host_threads = 1,
                                      .check = {.on = checks}};
    const enum xk_status st = xk_sim_dispatch(&d, NULL, err);
    xk_sim_kernel_destroy(k);
    return st;
}

/* -- What images hold -- */

static uint8_t *texel(uint8_t *in, const struct format *f, const unsigned at[3])
{
    if (at[0] >= WIDTH || at[1] >= HEIGHT || at[2] >= SLICES)
        return NULL;
    return in + at[2] * ROWS * PITCH_B + at[1] * PITCH_B +
           at[0] * f->n * f->bits / 8;
}

static unsigned byte_at(const struct format *f, unsigned k)
{
    return (f->bgra && k != 3 ? 2 - k : k) * f->bits / 8;
}

static uint32_t bits_of(double d)
{
    const float f = (float)d;
    uint32_t v;
    memcpy(&v, &f, 4);
    return v;
}

static uint32_t want_read(const struct format *f, const uint8_t *t, unsigned k)
{
    const double most = ldexp(1, (int)f->bits) - 1,
                 half = ldexp(1, (int)f->bits - 1) - 1;
    uint32_t u = 0;
    if (!t)
        return 0;
    if (k >= f->n)
        return k < 3 ? 0 : f->kind < UNORM ? 1 : bits_of(1);
    memcpy(&u, t + byte_at(f, k), f->bits / 8);
    const double s = u > half ? (double)u - most - 1 : (double)u;
    switch (f->kind) {
    case UINT:
        return u;
    case SINT:
        return (uint32_t)(int64_t)s;
    case UNORM:
        return bits_of((float)u / (float)most);
    case SNORM:
        return bits_of(s < -half ? -1 : (float)s / (float)half);
    default:
        return f->bits == 32 ? u : bits_of(xk_half_to_float((uint16_t)u));
    }
}

static void want_write(const struct format *f, uint8_t *t, unsigned k,
                       uint32_t v)
{
    const double most = ldexp(1, (int)f->bits) - 1,
                 half = ldexp(1, (int)f->bits - 1) - 1;
    float x;
    memcpy(&x, &v, 4);
    if (!t || k >= f->n)
        return;
    if (f->kind == UINT)
        v = v > most ? (uint32_t)most : v;
    else if (f->kind == SINT)
        v = (uint32_t)(int64_t)fmax(-half - 1, fmin(half, (int32_t)v));
    else if (f->kind == UNORM)
        v = isnan(x) ? 0 : (uint32_t)rint(fmax(0, fmin(1, (double)x)) * most);
    else if (f->kind == SNORM)
        v = isnan(x)
                ? 0
                : (uint32_t)(int64_t)rint(fmax(-1, fmin(1, (double)x)) * half);
    else if (f->bits == 16)
        v = xk_half_from_float(x);
    memcpy(t + byte_at(f, k), &v, f->bits / 8);
}

/* -- One message -- */

struct
try {
    const struct format *f;
    unsigned n_coords, cmask;
    bool store, tgm;
};

static unsigned n_on(unsigned cmask)
{
    return (unsigned)__builtin_popcount(cmask);
}

static void send_typed(struct code *c, const struct try *y)
{
    const unsigned n_data = n_on(y->cmask), n = y->n_coords;
    const uint32_t rlen = y->store ? 0 : n_data << 20;
    if (y->tgm) { /* quad: 2 load, 6 store; a32, d32, bti */
        send_raw(c, XK_SFID_TGM,
                 (y->store ? 6u : 2u) | 2u << 7 | 2u << 9 | y->cmask << 12 |
                     3u << 29 | n << 25 | rlen,
                 y->store ? n_data : 0, y->store ? 0 : DST, LANES);
        return;
    }
    /* as compilers do: the first coordinate, then all the rest */
    place_planes(DATA, coord + 1, n - 1);
    if (y->store) {
        unsigned k = n - 1;
        for (unsigned v = 0; v < 4; v++)
            if (y->cmask >> v & 1)
                place_planes(DATA + k++, value + v, 1);
    }
    const unsigned rest = n - 1 + (y->store ? n_data : 0);
    send_raw(c, XK_SFID_DC1,
             (y->store ? 0x34000u : 0x14000u) | 1u << 12 |
                 (~y->cmask & 15) << 8 | 1u << 25 | rlen,
             rest, y->store ? 0 : DST, LANES);
}

static void check_one(const struct try *y, uint32_t mask)
{
    unsigned plane = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (!(y->cmask >> k & 1))
            continue;
        for (unsigned l = 0; l < LANES; l++) {
            unsigned at[3] = {coord[0][l], y->n_coords > 1 ? coord[1][l] : 0,
                              y->n_coords > 2 ? coord[2][l] : 0};
            uint8_t *const t = texel(want, y->f, at);
            uint32_t got;
            memcpy(&got, dump + plane * p->grf_b + 4 * l, 4);
            if (!(mask >> l & 1))
                continue;
            if (y->store)
                want_write(y->f, t, k, value[k][l]);
            else
                ck_assert_msg(got == want_read(y->f, t, k),
                              "%s format %u channel %u lane %u: %08x, not %08x",
                              p->name, y->f->code, k, l, got,
                              want_read(y->f, t, k));
        }
        plane++;
    }
    const bool same = !memcmp(image, want, IMAGE_B);
    for (unsigned b = 0; b < IMAGE_B && !same; b++)
        ck_assert_msg(image[b] == want[b],
                      "%s format %u %s: byte %u is %02x, not %02x", p->name,
                      y->f->code, y->tgm ? "tgm" : "dc1", b, image[b], want[b]);
}

/* Coordinates that no image has, in lanes that are off. */
static void spoil_lanes(uint32_t mask)
{
    for (unsigned k = 0; k < 3; k++)
        for (unsigned l = 0; l < LANES; l++)
            if (!(mask >> l & 1))
                coord[k][l] = rnd() | 0x40000000u;
}

/* Surface, registers and the message. */
static struct code draw_one(const struct try *y, uint32_t mask)
{
    struct code c = {.n = 0};
    for (size_t i = 0; i < IMAGE_B; i++)
        image[i] = want[i] = (uint8_t)rnd();
    write_state(y->n_coords - 1, false, y->f->code);
    draw_payload();
    spoil_lanes(mask);
    draw_values(y->f);
    place_planes(COORD, coord, y->tgm ? y->n_coords : 1);
    if (y->tgm && y->store) {
        unsigned n = 0;
        for (unsigned v = 0; v < 4; v++)
            if (y->cmask >> v & 1)
                place_planes(DATA + n++, value + v, 1);
    }
    send_typed(&c, y);
    return c;
}

static void one(const struct try *y)
{
    const uint32_t mask = rnd() % 2 ? 0xff : 1 + rnd() % 255;
    struct code c = draw_one(y, mask);
    struct xk_error err = {.message = ""};
    ck_assert_msg(run(&c, mask, XK_CHECK_ALL, &err) == XK_OK, "%s",
                  err.message);
    check_one(y, mask);
}

START_TEST(texels_are_read_and_written)
{
    p = xk_platform_find(platforms[_i / 2]);
    const bool tgm = _i % 2;
    unsigned n = 0;
    if (tgm && !xk_msg_exists(p, XK_MSG_LSC_LOAD_CMASK, XK_SFID_TGM))
        return;
    for (size_t f = 0; f < XK_COUNTOF(formats); f++)
        for (unsigned k = 0; k < 24; k++) {
            const struct try y = {.f = &formats[f],
                                  .n_coords = 1 + k % 3,
                                  .cmask = k < 6 ? 15 : 1 + rnd() % 15,
                                  .store = k / 3 % 2,
                                  .tgm = tgm};
            one(&y);
            n++;
        }
    printf("# %s %s: %u messages\n", p->name, tgm ? "tgm" : "dc1", n);
}
END_TEST

static const struct format r32 = {215, 1, 32, UINT, 0};

/* An addition at two coordinates, which returns. */
static struct code draw_atomic(bool tgm, uint32_t mask)
{
    struct code c = {.n = 0};
    for (size_t i = 0; i < IMAGE_B; i++)
        image[i] = want[i] = (uint8_t)rnd();
    write_state(1, false, r32.code);
    draw_payload();
    spoil_lanes(mask);
    place_planes(COORD, coord, tgm ? 2 : 1);
    if (tgm) /* atomic_iadd 0xc */
        place_planes(DATA, value, 1);
    else
        place_planes(DATA, coord + 1, 1), place_planes(DATA + 1, value, 1);
    if (tgm)
        send_raw(&c, XK_SFID_TGM,
                 0xcu | 2u << 7 | 2u << 9 | 3u << 29 | 2u << 25 | 1u << 20, 1,
                 DST, LANES);
    else /* add 7, returns */
        send_raw(&c, XK_SFID_DC1,
                 0x18000u | 7u << 8 | 1u << 13 | 1u << 25 | 1u << 20, 2, DST,
                 LANES);
    return c;
}

START_TEST(typed_atomics_return_the_old_value)
{
    struct xk_error err = {.message = ""};
    p = xk_platform_find(platforms[_i / 2]);
    const bool tgm = _i % 2;
    const uint32_t mask = rnd() % 256 | 1;
    if (tgm && !xk_msg_exists(p, XK_MSG_LSC_ATOMIC, XK_SFID_TGM))
        return;
    struct code c = draw_atomic(tgm, mask);
    ck_assert_msg(run(&c, mask, XK_CHECK_ALL, &err) == XK_OK, "%s",
                  err.message);
    for (unsigned l = 0; l < LANES; l++) {
        const unsigned at[3] = {coord[0][l], coord[1][l], 0};
        uint8_t *const t = texel(want, &r32, at);
        uint32_t old = 0, got;
        memcpy(&got, dump + 4 * l, 4);
        if (!(mask >> l & 1))
            continue;
        if (t)
            memcpy(&old, t, 4);
        if (t)
            put32(t, old + value[0][l]);
        ck_assert_uint_eq(got, old);
    }
    ck_assert(!memcmp(image, want, IMAGE_B));
}
END_TEST

struct media {
    unsigned x, y, width_b, height, row_b;
    bool store;
};

/* The header's rest and the rows' padding are garbage. */
static struct code media_code(bool store, const struct media *b)
{
    struct code c = {.n = 0};
    const unsigned n_grf = (b->row_b * b->height + p->grf_b - 1) / p->grf_b;
    put32(regs + COORD * p->grf_b, b->x);
    put32(regs + COORD * p->grf_b + 4, b->y);
    put32(regs + COORD * p->grf_b + 8,
          (b->height - 1) << 16 | (b->width_b - 1));
    send_raw(&c, XK_SFID_DC1,
             (store ? 0x28000u : 0x10000u) | 1u << 19 | 1u << 25 |
                 (store ? 0 : n_grf << 20),
             store ? n_grf : 0, store ? 0 : DST, 1);
    return c;
}

static struct code draw_media(bool store, struct media *b)
{
    b->store = store;
    b->width_b = 1 + rnd() % 12;
    b->height = 1 + rnd() % HEIGHT;
    b->x = rnd() % (WIDTH - b->width_b + 1);
    b->y = rnd() % (HEIGHT - b->height + 1);
    for (b->row_b = 4; b->row_b < b->width_b;)
        b->row_b *= 2;
    for (size_t i = 0; i < IMAGE_B; i++)
        image[i] = want[i] = (uint8_t)rnd();
    write_state(1, false, 320);
    draw_payload();
    return media_code(store, b);
}

START_TEST(media_blocks_are_rows_of_bytes)
{
    p = xk_platform_find(platforms[_i]);
    for (unsigned k = 0; k < 20; k++) {
        /* one channel sends it */
        const uint32_t mask = rnd() % 256 | 1;
        struct media m;
        struct code c = draw_media(k % 2, &m);
        struct xk_error err = {.message = ""};
        ck_assert_msg(run(&c, mask, XK_CHECK_ALL, &err) == XK_OK, "%s",
                      err.message);
        for (unsigned r = 0; r < m.height; r++)
            for (unsigned b = 0; b < m.width_b; b++) {
                uint8_t *const at = want + (m.y + r) * PITCH_B + m.x + b;
                const unsigned k_b = r * m.row_b + b;
                if (m.store)
                    *at = regs[DATA * p->grf_b + k_b];
                else
                    ck_assert_uint_eq(dump[k_b], *at);
            }
        ck_assert(!memcmp(image, want, IMAGE_B));
    }
}
END_TEST

/* vISA's MEDIA_LD has a largest height for each distance of rows. */
START_TEST(media_blocks_have_at_most_256_bytes)
{
    static const struct {
        unsigned width_b, row_b, height_max;
    } limits[] = {{3, 4, 64}, {5, 8, 32}, {9, 16, 16}};
    p = xk_platform_find(platforms[_i]);
    for (unsigned k = 0; k < 12; k++) {
        struct media m;
        struct xk_error err = {.message = ""};
        draw_media(k % 2, &m);
        m = (struct media){.x = 0, .y = 0, .store = k % 2};
        m.width_b = limits[k / 4].width_b;
        m.row_b = limits[k / 4].row_b;
        m.height = limits[k / 4].height_max + (k / 2 % 2);
        if (m.height > 64)
            continue;
        struct code c = media_code(k % 2, &m);
        ck_assert_int_eq(run(&c, 1, 0, &err), XK_EFAULT);
        ck_assert_msg(strstr(err.message,
                             k / 2 % 2 ? "more than 256" : "leave the surface"),
                      "%s", err.message);
    }
}
END_TEST

/* -- Bits of messages flipped, as test_flip_message.c does -- */

/* The first instruction's descriptor; c has run nothing yet. */
static void flip_descriptor(const struct code *c, uint32_t mask)
{
    static uint8_t before[IMAGE_B], left[IMAGE_B], answer[sizeof dump];
    struct xk_inst i;
    size_t used_b;
    struct xk_error err = {.message = ""};
    struct code base = *c;
    memcpy(before, image, IMAGE_B);
    ck_assert_int_eq(xk_inst_decode(p, c->bytes, 16, &i, &used_b, &err), XK_OK);
    ck_assert_msg(run(&base, mask, 0, &err) == XK_OK, "%s", err.message);
    memcpy(left, image, IMAGE_B);
    memcpy(answer, dump, sizeof dump);
    for (unsigned bit = 0; bit < 128; bit++) {
        unsigned at;
        struct code f = *c;
        if (xk_inst_field_at(p, c->bytes, 16, bit, &at) != XK_FLD_S_DESC)
            continue;
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        memcpy(image, before, IMAGE_B);
        err.message[0] = 0;
        const bool ran = run(&f, mask, 0, &err) == XK_OK;
        const enum flip_outcome o =
            flip_outcome_of(ran, err.message,
                            !memcmp(image, left, IMAGE_B) &&
                                !memcmp(dump, answer, sizeof dump));
        flip_judge_descriptor(&(struct flip){p, &i, o, err.message}, at);
    }
}

static void flip_platform(unsigned n)
{
    const bool tgm = xk_msg_exists(p, XK_MSG_LSC_LOAD_CMASK, XK_SFID_TGM);
    for (unsigned k = 0; k < n; k++) {
        const uint32_t mask = 1 + rnd() % 255;
        const struct try y = {.f = &formats[rnd() % XK_COUNTOF(formats)],
                              .n_coords = 1 + k % 3,
                              .cmask = 1 + rnd() % 15,
                              .store = k % 2,
                              .tgm = tgm && k / 2 % 2};
        struct media m;
        struct code c = draw_one(&y, mask);
        flip_descriptor(&c, mask);
        c = draw_atomic(y.tgm, mask);
        flip_descriptor(&c, mask);
        c = draw_media(k % 2, &m);
        flip_descriptor(&c, mask | 1);
    }
}

START_TEST(flipped_bits_of_typed_messages_do_what_the_table_says)
{
    static const unsigned kinds[] = {
        XK_MSG_DC1_TYPED_LOAD,       XK_MSG_DC1_TYPED_STORE,
        XK_MSG_DC1_TYPED_ATOMIC_INT, XK_MSG_LSC_LOAD_CMASK,
        XK_MSG_LSC_STORE_CMASK,      XK_MSG_LSC_ATOMIC,
        XK_MSG_DC1_MEDIA_LOAD,       XK_MSG_DC1_MEDIA_STORE};
    for (unsigned k = 0; k < XK_COUNTOF(platforms); k++) {
        p = xk_platform_find(platforms[k]);
        flip_platform(24);
    }
    for (unsigned k = 0; k < XK_COUNTOF(kinds); k++)
        ck_assert_msg(!flip_silent_fields(kinds[k]), "%s",
                      xk_msg_kind_name((enum xk_msg_kind)kinds[k]));
}
END_TEST

static const struct {
    unsigned at; /* dword of the state */
    uint32_t value;
    const char *says;
} refused[] = {
    {0, 0u << 29 | 320u << 18 | 1u << 12, "tile mode 1"},
    {0, 1u << 29 | 0x0c2u << 18, "surface of format 194"},
    {0, 3u << 29 | 320u << 18, "surface of type 3"},
    {4, 1u << 18, "first array element 1"},
    {4, 1u << 3, "multisamples"},
    {5, 2, "levels or offsets"},
    {0, 1u << 29 | 320u << 18 | 1u << 11, "vertical line stride 2"},
    {1, 1u << 20 | ROWS / 4, "base level 2"},
    {1, 1u << 18 | ROWS / 4, "corner texels 1"},
    {4, 1u << 29, "turned by quarters, 1"},
    {5, 2u << 18, "tiled resource mode 2"},
    {7, 0x100, "least level, of 256ths 256"},
    {0, 4u << 29 | 215u << 18, ""}, /* a buffer, which is executed */
    {6, 5, "an auxiliary one, mode 5"},
    {7, 1u << 30, "compressed memory 1"},
    {7, 5u << 25, "exchanged channels"},
};

START_TEST(other_surfaces_are_refused_with_a_sentence)
{
    static const struct format r8 = {320, 1, 8, UNORM, 0};
    const struct try y = {.f = &r8, .n_coords = 2, .cmask = 15, .store = true};
    struct code c = {.n = 0};
    struct xk_error err = {.message = ""};
    p = xk_platform_find("xehpg");
    write_state(1, false, r8.code);
    put32(state + 4 * refused[_i].at, refused[_i].value);
    draw_payload();
    place_planes(COORD, coord, 1);
    send_typed(&c, &y);
    ck_assert_int_eq(run(&c, 0xff, 0, &err),
                     refused[_i].says[0] ? XK_EFAULT : XK_OK);
    ck_assert_msg(strstr(err.message, refused[_i].says), "%s", err.message);
}
END_TEST

/* Fields that are not about a kind of image, with a buffer of texels. */
START_TEST(buffers_with_the_same_fields_are_refused)
{
    static const struct format r8 = {320, 1, 8, UNORM, 0};
    const struct try y = {.f = &r8, .n_coords = 1, .cmask = 15};
    p = xk_platform_find("xehpg");
    for (unsigned k = 0; k < XK_COUNTOF(refused); k++) {
        struct code c = {.n = 0};
        struct xk_error err = {.message = ""};
        if (refused[k].at != 6 && refused[k].value != 1u << 30)
            continue;
        write_state(4, false, r8.code);
        put32(state + 4 * refused[k].at, refused[k].value);
        draw_payload();
        place_planes(COORD, coord, 1);
        send_typed(&c, &y);
        ck_assert_int_eq(run(&c, 0xff, 0, &err), XK_EFAULT);
        ck_assert_msg(strstr(err.message, refused[k].says), "%s", err.message);
    }
}
END_TEST

/* A media block of a surface with a field that the rows above have, and of
 * others. */
START_TEST(media_blocks_of_other_surfaces_are_refused)
{
    struct media m;
    struct xk_error err = {.message = ""};
    p = xk_platform_find("xehpg");
    const bool image_kind = refused[_i].at == 0 && refused[_i].value >> 11 & 1;
    if ((refused[_i].at == 0 && !image_kind) ||
        strstr(refused[_i].says, "channels"))
        return; /* says it in its own words; or has one channel only */
    struct code c = draw_media(_i % 2, &m);
    put32(state + 4 * refused[_i].at, refused[_i].value);
    ck_assert_int_eq(run(&c, 0xff, 0, &err), XK_EFAULT);
    ck_assert_msg(strstr(err.message, refused[_i].says), "%s", err.message);
    c = draw_media(_i % 2, &m);
    put32(state, 1u << 29 | 320u << 18 | 3u << 6);
    ck_assert_int_eq(run(&c, 0xff, 0, &err), XK_EFAULT);
    ck_assert_msg(strstr(err.message, "boundary mode 3"), "%s", err.message);
    c = draw_media(_i % 2, &m);
    regs[COORD * p->grf_b + 9] = 1;
    ck_assert_int_eq(run(&c, 0xff, 0, &err), XK_EFAULT);
    ck_assert_msg(strstr(err.message, "dword 2 the bits 256"), "%s",
                  err.message);
}
END_TEST

/* The descriptor of the first instruction, changed. */
static void refuse_lengths(struct code c, int more_back, int more_sent)
{
    struct xk_inst i;
    size_t used_b;
    struct xk_error err = {.message = ""};
    ck_assert_int_eq(xk_inst_decode(p, c.bytes, 16, &i, &used_b, &err), XK_OK);
    i.send.desc += (uint32_t)more_back << 20;
    i.send.src1_len = (uint8_t)(i.send.src1_len + more_sent);
    i.send.exdesc = (uint32_t)i.send.src1_len << 6;
    ck_assert_int_eq(xk_inst_encode(p, &i, c.bytes, &err), XK_OK);
    ck_assert_int_eq(run(&c, 0xff, 0, &err), XK_EFAULT);
    ck_assert_msg(strstr(err.message, "registers"), "%s", err.message);
}

START_TEST(lengths_are_exact)
{
    const struct try load = {.f = &r32, .n_coords = 2, .cmask = 3};
    const struct try store = {
        .f = &r32, .n_coords = 2, .cmask = 3, .store = true};
    struct media m;
    p = xk_platform_find(platforms[_i]);
    refuse_lengths(draw_one(&load, 0xff), 1, 0);
    refuse_lengths(draw_one(&load, 0xff), -1, 0);
    refuse_lengths(draw_one(&store, 0xff), 0, 3); /* 5 coordinates */
    refuse_lengths(draw_atomic(false, 0xff), 1, 0);
    for (unsigned k = 0; k < 8; k++) {
        refuse_lengths(draw_media(false, &m), 1, 0);
        refuse_lengths(draw_media(true, &m), 0, 1);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("typed");
    TCase *t = tcase_create("typed");
    seed = 4711;
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, texels_are_read_and_written, 0, 6);
    tcase_add_loop_test(t, typed_atomics_return_the_old_value, 0, 6);
    tcase_add_loop_test(t, media_blocks_are_rows_of_bytes, 0, 3);
    tcase_add_loop_test(t, media_blocks_have_at_most_256_bytes, 0, 3);
    tcase_add_test(t, flipped_bits_of_typed_messages_do_what_the_table_says);
    tcase_add_loop_test(t, other_surfaces_are_refused_with_a_sentence, 0,
                        (int)XK_COUNTOF(refused));
    tcase_add_test(t, buffers_with_the_same_fields_are_refused);
    tcase_add_loop_test(t, media_blocks_of_other_surfaces_are_refused, 0,
                        (int)XK_COUNTOF(refused));
    tcase_add_loop_test(t, lengths_are_exact, 0, 3);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
