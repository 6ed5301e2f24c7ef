/* SPDX-License-Identifier: Apache-2.0 */
/* Places of values: no two that live at the same time share a byte, short-lived
 * ones get registers of their own where there are some, and fills of buffers
 * go behind what does not need them. */
#include <check.h>
#include <string.h>

#include "base/alloc.h"
#include "codegen/cg.h"
#include "suites.h"

#define N_TILES 80
#define GRF_B 32

struct code {
    struct xk_cg g;
    struct xk_platform p;
    struct xk_abi abi;
};

static void begin(struct code *k, unsigned limit)
{
    *k = (struct code){.p = *xk_platform_get(XK_PLATFORM_XEHPG),
                       .abi = {.grf_count = 128}};
    k->p.kernel_grf = (uint16_t)limit;
    k->g = (struct xk_cg){.c = xk_ctx_create(NULL), .p = &k->p, .abi = &k->abi};
    ck_assert(
        xk_grow(k->g.c, &k->g.loop, 0, &k->g.cap_loops, sizeof *k->g.loop));
    k->g.loop[0] = (struct xk_cg_loop){0, 0, UINT32_MAX};
    k->g.n_loops = 1;
}

static void end(struct code *k)
{
    xk_ctx *const c = k->g.c;
    xk_free(c, k->g.loop);
    xk_free(c, k->g.tile);
    xk_free(c, k->g.inst);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}

static struct xk_cg_val scalar(struct xk_cg *g)
{
    return xk_cg_temp(g, XK_DT_S32, 1);
}

static struct xk_cg_val buffer(struct xk_cg *g, unsigned n_grf)
{
    const uint32_t tile = xk_cg_tile_new(g, n_grf * GRF_B, GRF_B);
    g->tile[tile].pinned = true;
    return xk_cg_reg(XK_DT_F32, tile, 0, 1);
}

static void set(struct xk_cg *g, const struct xk_cg_val *d)
{
    const struct xk_cg_val zero = xk_cg_imm((enum xk_dtype)d->dt, 0);
    xk_cg_op1(g, XK_OPC_MOV, d, &zero, d->stride ? 8 : 1);
}

static void add(struct xk_cg *g, const struct xk_cg_val *d,
                const struct xk_cg_val *a)
{
    xk_cg_op2(g, XK_OPC_ADD, d, a, a, d->stride ? 8 : 1);
}

static unsigned grf_of(const struct xk_cg *g, const struct xk_cg_val *v)
{
    return (unsigned)g->tile[v->tile].at_b / GRF_B;
}

/* ---- random code ---- */

static unsigned below(uint64_t *s, unsigned n)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*s >> 33) % n;
}

/* Scalars, vectors and buffers that begin and end anywhere, some in a loop. */
static void make_random(struct xk_cg *g, uint64_t seed)
{
    uint64_t s = seed * 7919 + 1;
    struct xk_cg_val v[N_TILES];
    const unsigned loop_at = below(&s, N_TILES), loop_end = N_TILES;
    for (unsigned t = 0; t < N_TILES; t++) {
        const unsigned kind = below(&s, 8);
        if (t == loop_at)
            xk_cg_loop_begin(g);
        v[t] = kind == 0   ? buffer(g, 1 + below(&s, 9))
               : kind == 1 ? xk_cg_temp(g, XK_DT_F32, 8)
                           : scalar(g);
        set(g, &v[t]);
        for (unsigned k = below(&s, 3); k > 0; k--) {
            const unsigned back = below(&s, t < 12 ? t + 1 : 12);
            add(g, &v[t - back], &v[t - back]);
        }
        if (t + 1 == loop_end && g->cur_loop != XK_CG_NO_LOOP)
            xk_cg_loop_end(g);
    }
}

static void check_apart(const struct xk_cg *g)
{
    for (uint32_t a = 0; a < g->n_tiles; a++)
        for (uint32_t b = 0; b < a; b++) {
            const struct xk_cg_tile *const x = &g->tile[a], *const y =
                                                                &g->tile[b];
            if (x->first > y->last || y->first > x->last)
                continue;
            ck_assert_msg(x->at_b + (int32_t)x->size_b <= y->at_b ||
                              y->at_b + (int32_t)y->size_b <= x->at_b,
                          "tiles %u and %u meet", a, b);
        }
}

START_TEST(what_lives_together_lies_apart)
{
    unsigned fit = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct code k;
        begin(&k, 20 + (unsigned)seed % 60);
        make_random(&k.g, seed);
        const enum xk_status st = xk_cg_allocate(&k.g);
        ck_assert(st == XK_OK || st == XK_ENOFIT);
        if (st == XK_OK) {
            check_apart(&k.g);
            ck_assert_uint_le(k.g.peak_grf, 20 + (unsigned)seed % 60);
            fit++;
        }
        end(&k);
    }
    ck_assert_uint_gt(fit, 150);
    ck_assert_uint_lt(fit, 400);
}
END_TEST

/* ---- slots ---- */

#define N_SLOTS 10

/* Chains of scalars, in front of a buffer of n_grf registers. */
static void make_chains(struct xk_cg *g, struct xk_cg_val *v, unsigned n_grf,
                        bool early)
{
    const struct xk_cg_val b = buffer(g, n_grf);
    if (early)
        set(g, &b);
    for (unsigned t = 0; t < N_SLOTS; t++) {
        v[t] = scalar(g);
        if (t < 2)
            set(g, &v[t]);
        else
            add(g, &v[t], &v[t - 2]);
    }
    set(g, &b);
    add(g, &b, &b);
}

/* The code of chains before a buffer of 60 GRFs, or beside it, with places. */
static void allocate_chains(struct code *k, unsigned limit, struct xk_cg_val *v,
                            bool early)
{
    begin(k, limit);
    make_chains(&k->g, v, 60, early);
    ck_assert_int_eq(xk_cg_allocate(&k->g), XK_OK);
}

START_TEST(short_lived_slots_lie_alone_where_there_is_room)
{
    struct xk_cg_val v[N_SLOTS];
    struct code k;
    allocate_chains(&k, 0, v, false);
    for (unsigned a = 0; a < N_SLOTS; a++)
        for (unsigned b = 0; b < a; b++)
            ck_assert_uint_ne(grf_of(&k.g, &v[a]), grf_of(&k.g, &v[b]));
    ck_assert_uint_eq(k.g.peak_grf, 60);
    end(&k);
}
END_TEST

START_TEST(they_take_none_where_the_most_are_in_use)
{
    struct xk_cg_val v[N_SLOTS];
    struct code k;
    allocate_chains(&k, 0, v, true);
    for (unsigned a = 1; a < N_SLOTS; a++)
        ck_assert_uint_eq(grf_of(&k.g, &v[a]), grf_of(&k.g, &v[0]));
    ck_assert_uint_eq(k.g.peak_grf, 61);
    end(&k);
}
END_TEST

/* All of the file is the buffer's later: what is gone by then lies there. */
START_TEST(what_is_gone_when_a_buffer_comes_lies_in_its_place)
{
    struct xk_cg_val v[N_SLOTS];
    struct code k;
    allocate_chains(&k, 60, v, false);
    ck_assert_uint_eq(k.g.peak_grf, 60);
    end(&k);
}
END_TEST

/* ---- fills ---- */

START_TEST(fills_go_behind_what_does_not_need_them)
{
    struct code k;
    begin(&k, 0);
    struct xk_cg *const g = &k.g;
    const struct xk_cg_val acc = buffer(g, 4), used = buffer(g, 1);
    const struct xk_cg_val x = scalar(g);
    set(g, &acc);  /* 0: sinks */
    set(g, &used); /* 1: is read by 2 */
    add(g, &used, &used);
    set(g, &x); /* 3: no buffer */
    const uint32_t label = xk_cg_label_new(g);
    xk_cg_jump(g, label, NULL, true); /* 4 */
    set(g, &acc);                     /* 5: behind it */
    xk_cg_label_here(g, label);
    add(g, &x, &x);
    ck_assert_int_eq(xk_cg_sink(g), XK_OK);
    const uint32_t want[] = {used.tile, used.tile, x.tile, acc.tile};
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(g->inst[i].dst.reg, want[i]);
    ck_assert_int_eq(g->inst[4].op, XK_OPC_JMPI);
    ck_assert_uint_eq(g->inst[5].dst.reg, acc.tile);
    xk_free(g->c, g->label);
    end(&k);
}
END_TEST

/* What is filled for a later loop need not keep its registers free of what is
 * larger and ends before: 4 + 12, then 4 + 3 of 17. */
START_TEST(a_fill_for_later_lies_where_a_larger_buffer_was)
{
    struct code k;
    begin(&k, 17);
    struct xk_cg *const g = &k.g;
    const struct xk_cg_val acc = buffer(g, 4), large = buffer(g, 12);
    const struct xk_cg_val later = buffer(g, 3);
    add(g, &acc, &acc);
    set(g, &later); /* sinks */
    add(g, &large, &large);
    add(g, &acc, &large);
    const uint32_t label = xk_cg_label_new(g);
    xk_cg_label_here(g, label);
    xk_cg_loop_begin(g);
    add(g, &acc, &later);
    xk_cg_jump(g, label, NULL, true);
    xk_cg_loop_end(g);
    ck_assert_int_eq(xk_cg_sink(g), XK_OK);
    ck_assert_msg(xk_cg_allocate(g) == XK_OK, "%s", g->c->error.message);
    check_apart(g);
    xk_free(g->c, g->label);
    end(&k);
}
END_TEST

/* Steps of planning for so many buffers, of which three live at a time. */
static uint32_t steps_for(unsigned n)
{
    struct code k;
    begin(&k, 64);
    struct xk_cg *const g = &k.g;
    struct xk_cg_val last[3];
    for (unsigned i = 0; i < n; i++) {
        last[i % 3] = buffer(g, 1 + i % 2);
        set(g, &last[i % 3]);
        for (unsigned j = 1; j < 3 && j <= i; j++)
            add(g, &last[i % 3], &last[(i - j) % 3]);
    }
    ck_assert_msg(xk_cg_allocate(g) == XK_OK, "%s", g->c->error.message);
    check_apart(g);
    const uint32_t steps = g->plan_steps;
    end(&k);
    return steps;
}

/* Kernels have a thousand buffers; looking at all of them for each was a
 * quarter of a creation. Each is looked at while it lives, and its registers
 * when it begins. */
START_TEST(planning_is_linear_in_the_number_of_buffers)
{
    const uint32_t one = steps_for(200), four = steps_for(800);
    ck_assert_uint_ge(one, 200);
    ck_assert_msg(four <= 5 * one, "%u steps, then %u", one, four);
}
END_TEST

TCase *cg_place_tests(void)
{
    TCase *const t = tcase_create("places");
    tcase_add_test(t, what_lives_together_lies_apart);
    tcase_add_test(t, short_lived_slots_lie_alone_where_there_is_room);
    tcase_add_test(t, they_take_none_where_the_most_are_in_use);
    tcase_add_test(t, what_is_gone_when_a_buffer_comes_lies_in_its_place);
    tcase_add_test(t, fills_go_behind_what_does_not_need_them);
    tcase_add_test(t, a_fill_for_later_lies_where_a_larger_buffer_was);
    tcase_add_test(t, planning_is_linear_in_the_number_of_buffers);
    return t;
}
