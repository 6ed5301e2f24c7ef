/* SPDX-License-Identifier: Apache-2.0 */
/* Bank wishes: random code of mads over tiles, allocated with and without.
 * What is a conflict is said here once more, from get_bank and get_bundle of
 * Intel's compiler (visa/GraphColor.h, HWCaps.inc). */
#include <check.h>
#include <string.h>

#include "base/alloc.h"
#include "codegen/cg.h"
#include "codegen/codegen.h"

#define N_TILES 48

struct rng {
    uint64_t state;
};

static unsigned below(struct rng *r, unsigned n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(r->state >> 33) % n;
}

static unsigned bundle(enum xk_platform_id id, unsigned r)
{
    return id == XK_PLATFORM_XEHPC ? r % 32 / 2 : r % 64 / 4;
}

static unsigned conflicts(const struct xk_cg *g)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < g->n_inst; i++) {
        const struct xk_inst *const x = &g->inst[i];
        if (x->op != XK_OPC_MAD)
            continue;
        const unsigned a = x->src[1].reg, b = x->src[2].reg;
        n += a != b && a % 2 == b % 2 &&
             bundle(g->p->id, a) == bundle(g->p->id, b);
    }
    return n;
}

/* Tiles of 1, 2 or 8 registers, some buffers, written and then multiplied. */
static void make_code(struct xk_cg *g, uint64_t seed, unsigned n_tiles)
{
    struct rng r = {seed * 7919 + 1};
    const unsigned grf_b = g->p->grf_b;
    struct xk_cg_val v[N_TILES];
    for (unsigned t = 0; t < n_tiles; t++) {
        const unsigned n = 1u << (below(&r, 3) ? 0 : 1 + below(&r, 2));
        const uint32_t tile = xk_cg_tile_new(g, n * grf_b, grf_b);
        g->tile[tile].pinned = below(&r, 3) == 0;
        v[t] = xk_cg_reg(XK_DT_F32, tile, below(&r, n) * grf_b, 1);
        const struct xk_cg_val zero = xk_cg_imm(XK_DT_F32, 0);
        xk_cg_op1(g, XK_OPC_MOV, &v[t], &zero, grf_b / 4);
    }
    for (unsigned k = 0; k < 4 * n_tiles; k++) {
        const struct xk_cg_val *const d = &v[below(&r, n_tiles)];
        const struct xk_cg_val *const s[] = {d, &v[below(&r, n_tiles)],
                                             &v[below(&r, n_tiles)]};
        xk_cg_op3(g, XK_OPC_MAD, d, s, grf_b / 4);
    }
}

struct result {
    enum xk_status st;
    unsigned conflicts, peak_grf;
};

static struct result allocate(enum xk_platform_id id, uint64_t seed,
                              unsigned n_tiles, unsigned limit, uint8_t off)
{
    struct xk_platform p = *xk_platform_get(id);
    const struct xk_abi abi = {.grf_count = 128};
    p.kernel_grf = (uint16_t)limit;
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_cg g = {.c = c, .p = &p, .abi = &abi};
    c->code_off = off;
    ck_assert(xk_grow(c, &g.loop, 0, &g.cap_loops, sizeof *g.loop));
    g.loop[0] = (struct xk_cg_loop){0, 0, UINT32_MAX};
    g.n_loops = 1;
    make_code(&g, seed, n_tiles);
    struct result r = {.st = xk_cg_allocate(&g)};
    if (r.st == XK_OK)
        r.conflicts = conflicts(&g);
    r.peak_grf = g.peak_grf;
    ck_assert_int_eq(xk_ctx_status(c), r.st);
    xk_free(c, g.loop);
    xk_free(c, g.tile);
    xk_free(c, g.inst);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
    return r;
}

static const struct {
    enum xk_platform_id id;
    bool fewer;
} platforms[] = {
    {XK_PLATFORM_XELP, true},
    {XK_PLATFORM_XEHPC, true},
    {XK_PLATFORM_XEHPG, false}, /* none to avoid: nothing may change */
};

START_TEST(wishes_lower_conflicts_and_take_no_registers)
{
    unsigned with = 0, without = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct result a =
            allocate(platforms[_i].id, seed, N_TILES, 0, XK_CODE_BANKS);
        const struct result b = allocate(platforms[_i].id, seed, N_TILES, 0, 0);
        ck_assert_int_eq(a.st, b.st);
        ck_assert_uint_eq(a.peak_grf, b.peak_grf);
        without += a.conflicts;
        with += b.conflicts;
    }
    ck_assert_uint_gt(without, 60);
    if (platforms[_i].fewer)
        ck_assert_msg(2 * with <= without, "%u conflicts of %u", with, without);
    else
        ck_assert_uint_eq(with, without);
}
END_TEST

/* In a file that is just large enough, wishes would leave holes. */
START_TEST(a_tight_file_fits_as_it_does_without)
{
    for (uint64_t seed = 0; seed < 40; seed++)
        for (unsigned limit = 60; limit < 100; limit += 3) {
            const struct result a =
                allocate(platforms[_i].id, seed, 30, limit, XK_CODE_BANKS);
            const struct result b =
                allocate(platforms[_i].id, seed, 30, limit, 0);
            ck_assert(b.st == XK_OK || b.st == a.st);
            ck_assert_uint_eq(a.st == XK_OK ? a.peak_grf : 0,
                              a.st == XK_OK ? b.peak_grf : 0);
        }
}
END_TEST

TCase *cg_bank_tests(void);
TCase *cg_bank_tests(void)
{
    TCase *const t = tcase_create("banks");
    tcase_add_loop_test(t, wishes_lower_conflicts_and_take_no_registers, 0, 3);
    tcase_add_loop_test(t, a_tight_file_fits_as_it_does_without, 0, 3);
    return t;
}
