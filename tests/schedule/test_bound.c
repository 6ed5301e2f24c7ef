/* SPDX-License-Identifier: Apache-2.0 */
/* What a search leaves out without looking: random tiles and groups are never
 * faster than their bounds say, neighbours share a tile's part of their score,
 * and what it takes for granted of rules holds.
 * Rules and scores take any value of a field. XK_TEST_SEED repeats a run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedule/score.h"
#include "tests/tap.h"
#include "tests/set_schedule.h"

#define N_DRAWS 1000000
#define MIN_VALID 10000 /* of these; it is 2 % */

static const struct xk_platform *xehpg(void)
{
    return xk_platform_get(XK_PLATFORM_XEHPG);
}

/* SplitMix64. */
static uint64_t below(uint64_t *state, uint64_t n)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % n;
}

static unsigned pow2_below(uint64_t *r, unsigned n)
{
    return 1u << below(r, n);
}

static uint64_t seed_of(void)
{
    const char *const text = getenv("XK_TEST_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 0) : 20261123;
    printf("# XK_TEST_SEED=%" PRIu64 "\n", seed);
    return seed;
}

/* A convolution's: images inside the pixels or not, odd sizes, few channels. */
static struct xk_shape random_shape(uint64_t *r)
{
    static const int64_t sides[] = {1, 5, 7, 14, 28, 56, 61},
                         k[] = {1, 3, 9, 5};
    const int64_t side = sides[below(r, 7)], images = (int64_t)pow2_below(r, 7);
    const int64_t taps = k[below(r, 4)],
                  channels[] = {3, 32, 48, 64, 256, 1024};
    const bool inside = below(r, 4) > 0, packs = taps > 1 && below(r, 4) == 0;
    struct xk_shape s = {.m = images * side * side,
                         .n = channels[below(r, 6)],
                         .k_inner = packs ? 3 : channels[below(r, 6)],
                         .k_outer = taps,
                         .elem_b = pow2_below(r, 3),
                         .plain_a = !inside,
                         .plain_b = below(r, 4) == 0,
                         .loose_a = below(r, 8) == 0,
                         .eights = inside && images % 8 == 0,
                         .together = inside && images % 8 == 0,
                         .stride = (int64_t)below(r, 3)};
    if (below(r, 4)) {
        s.positions_1k = 1024 + (int64_t)below(r, 3) * 600;
        s.reach = taps * side;
    }
    if (below(r, 3) == 0) {
        s.loose_b = below(r, 2);
        s.runs_a = below(r, 2) ? 32 * (int64_t)pow2_below(r, 3) : 0;
        s.runs_b = s.loose_b && below(r, 2) ? 64 : 0;
        s.leaves_a = below(r, 2);
        s.loose_a = s.runs_a != 0;
        s.plain_a |= s.loose_a;
    }
    if (inside && taps > 1) {
        s.window.rows = images;
        s.window.places = taps == 5 ? 5 : 3;
        if (s.eights) {
            s.shared.rows = 8;
            s.shared.steps = s.window.places;
            s.shared.line = 8 * side;
        }
    }
    if (packs) {
        s.line_places = taps == 5 ? 5 : 3;
        s.used_e = 4;
    }
    if (below(r, 3) == 0) {
        s.epilogue = (unsigned)below(r, 400);
        s.looped = (unsigned)below(r, s.epilogue + 1);
    }
    return s;
}

static uint16_t random_step(uint64_t *r, const struct xk_shape *s, uint8_t fma)
{
    if (xk_fma_family_of(fma)->dpas)
        return (uint16_t)(32 / s->elem_b);
    return (uint16_t)((1 + below(r, 4)) * (fma == XK_FMA_DP4A ? 4 : 1));
}

/* Sets every field that a search sets; most results break a rule. */
static struct xk_schedule random_schedule(uint64_t *r, const struct xk_shape *s)
{
    static const struct xk_k_walk walks[] = {XK_WALK_EACH, XK_WALK_INSIDE,
                                             XK_WALK_ALL};
    static const uint8_t dpas_m[] = {8, 16, 24, 32};
    const uint8_t fma = s->elem_b == 4   ? XK_FMA_MAD
                        : s->elem_b == 2 ? (uint8_t)(1 + below(r, 2))
                                         : (uint8_t)(1 + below(r, 3));
    const bool dpas = xk_fma_family_of(fma)->dpas;
    struct xk_schedule c = {
        .fma = fma,
        .simd = dpas ? 8 : 16,
        .m_thr = dpas ? dpas_m[below(r, 4)] : (uint16_t)(16 * pow2_below(r, 2)),
        .n_thr = (uint16_t)((dpas ? 8 : 16) * pow2_below(r, 3)),
        .k_step = random_step(r, s, fma),
        .tg_m = (uint16_t)pow2_below(r, 4),
        .tg_n = (uint16_t)pow2_below(r, 4),
        .slots_a = (uint8_t)(1 + below(r, 3)),
        .slots_b = (uint8_t)(1 + below(r, 3)),
        .k_walk = walks[below(r, 3)],
        .slices = (uint8_t)pow2_below(r, 4),
        .slm = below(r, 4) ? 0 : (uint8_t)(2 + below(r, 2)),
        .surfaces = true,
        .grf_count = (uint16_t)(128 * pow2_below(r, 2))};
    c.n_sub = (uint16_t)(below(r, 4) ? c.n_thr : 8);
    if (dpas && s->line_places && below(r, 2))
        c.k_walk = (struct xk_k_walk)XK_WALK_FEW;
    if (s->shared.steps && below(r, 2)) {
        c.slots_a = 1;
        c.holds = (uint8_t)s->shared.steps;
    }
    if (c.slm)
        c.slots_a = 1;
    if (c.slm) { /* what they need at least */
        c.k_walk = (struct xk_k_walk)XK_WALK_INSIDE;
        c.n_sub = c.n_thr;
    }
    return c;
}

/* Until the next call. */
static const char *shown(const struct xk_shape *s, const struct xk_schedule *c)
{
    static char out[512];
    struct xk_str text;
    xk_str_init(&text, NULL);
    xk_schedule_print(c, &text);
    snprintf(out, sizeof(out), "m=%lld n=%lld k=%lldx%lld elem_b=%u: %s",
             (long long)s->m, (long long)s->n, (long long)s->k_outer,
             (long long)s->k_inner, s->elem_b, xk_str_get(&text));
    xk_str_fini(&text);
    return out;
}

/* The tile as a search has it, before its group is known. */
static struct xk_schedule tile_of(const struct xk_schedule *c)
{
    struct xk_schedule tile = *c;
    if (!c->slm)
        tile.tg_m = tile.tg_n = 1;
    return tile;
}

/* No bound is above the score: the tile's, in its slices of K and in fewer. */
static void check_bounds(const struct xk_shape *s, const struct xk_shape *seen,
                         const struct xk_schedule *c, int64_t score)
{
    struct xk_score_tile t;
    struct xk_schedule tile = tile_of(c);
    xk_score_tile_set(xehpg(), s, seen, &tile, &t);
    const int64_t least = xk_score_tile_least(&t, &tile);
    ck_assert_msg(least <= score, "least %lld of %lld: %s", (long long)least,
                  (long long)score, shown(s, c));
    for (; tile.slices; tile.slices /= 2) {
        xk_score_tile_set(xehpg(), s, seen, &tile, &t);
        ck_assert_msg(xk_score_sliced_least(&t, &tile) <= score,
                      "from %u slices: %s", tile.slices, shown(s, c));
    }
}

/* With the score as a limit, or a lower one, a group is on the same side of it.
 */
static void check_limits(const struct xk_shape *s, const struct xk_shape *seen,
                         const struct xk_schedule *c, int64_t score)
{
    struct xk_score_tile t;
    const struct xk_schedule tile = tile_of(c);
    xk_score_tile_set(xehpg(), s, seen, &tile, &t);
    ck_assert_msg(xk_score_group(xehpg(), &t, c, score) == score, "%s",
                  shown(s, c));
    for (int64_t most = score - 1; most > 0; most = most * 7 / 8) {
        const int64_t low = xk_score_group(xehpg(), &t, c, most);
        ck_assert_msg(low > most && low <= score, "most %lld: %s",
                      (long long)most, shown(s, c));
    }
}

/* A tile of other slots, parts of B and registers is the same but for what
 * xk_score_tile_slots sets. */
static void check_slots(uint64_t *r, const struct xk_shape *s,
                        const struct xk_shape *seen,
                        const struct xk_schedule *c, int64_t score)
{
    struct xk_score_tile t;
    struct xk_schedule other = tile_of(c);
    if (c->slm)
        return;
    other.slots_a = (uint8_t)(1 + below(r, 3));
    other.slots_b = (uint8_t)(1 + below(r, 3));
    other.n_sub = (uint16_t)(other.n_thr / pow2_below(r, 2));
    other.grf_count = (uint16_t)(128 * pow2_below(r, 2));
    xk_score_tile_set(xehpg(), s, seen, &other, &t);
    xk_score_tile_slots(c, &t);
    ck_assert_msg(xk_score_group(xehpg(), &t, c, INT64_MAX) == score, "%s",
                  shown(s, c));
}

START_TEST(no_group_is_faster_than_its_bounds)
{
    uint64_t r = seed_of();
    unsigned n = 0;
    for (unsigned i = 0; i < N_DRAWS; i++) {
        const struct xk_shape s = random_shape(&r);
        const struct xk_schedule c = random_schedule(&r, &s);
        if (xk_schedule_check(xehpg(), &s, &c))
            continue;
        const struct xk_shape seen = xk_schedule_shape(&s, &c);
        const int64_t score = xk_schedule_score(xehpg(), &s, &c);
        check_bounds(&s, &seen, &c, score);
        check_limits(&s, &seen, &c, score);
        check_slots(&r, &s, &seen, &c, score);
        n++;
    }
    printf("# %u valid\n", n);
    ck_assert_uint_gt(n, MIN_VALID);
}
END_TEST

/* The float pipes of all EUs do 8 lanes a cycle. */
START_TEST(no_launch_is_faster_than_its_epilogue)
{
    enum { LANES = 8, LANES_OF_COST = 16, EUS = 512 };
    uint64_t r = seed_of();
    for (unsigned i = 0; i < N_DRAWS / 10; i++) {
        struct xk_shape s = random_shape(&r);
        const struct xk_schedule c = random_schedule(&r, &s);
        s.epilogue = s.looped = 1 + (unsigned)below(&r, 400);
        if (xk_schedule_check(xehpg(), &s, &c))
            continue;
        const int64_t score = xk_schedule_score(xehpg(), &s, &c);
        const int64_t least = s.m * s.n / LANES_OF_COST * s.epilogue *
                              LANES_OF_COST / LANES / EUS;
        ck_assert_msg(score + 1 >= least, "%lld of %lld: %s", (long long)score,
                      (long long)least, shown(&s, &c));
    }
}
END_TEST

/* A tile that is not valid in some slices of K is not valid in more; with the
 * smaller register file one is if its registers fit. */
static void check_tile(const struct xk_shape *s, const struct xk_shape *seen,
                       const struct xk_schedule *c)
{
    struct xk_schedule fewer = *c, half = *c;
    fewer.slices = c->slices / 2;
    half.grf_count = 128;
    if (c->slices > 1)
        ck_assert_msg(xk_schedule_tile_ok(xehpg(), seen, &fewer), "%s",
                      shown(s, c));
    ck_assert_msg(xk_schedule_tile_ok(xehpg(), seen, &half) ==
                      xk_schedule_fits(xehpg(), seen, &half),
                  "%s", shown(s, c));
}

START_TEST(a_search_may_rely_on_rules)
{
    uint64_t r = seed_of();
    for (unsigned i = 0; i < N_DRAWS; i++) {
        const struct xk_shape s = random_shape(&r);
        const struct xk_schedule c = random_schedule(&r, &s);
        const struct xk_shape seen = xk_schedule_shape(&s, &c);
        const bool tile = xk_schedule_tile_ok(xehpg(), &seen, &c);
        const bool group = xk_schedule_group_ok(xehpg(), &seen, &c);
        ck_assert_msg(tile == !xk_schedule_check_tile(xehpg(), &seen, &c), "%s",
                      shown(&s, &c));
        ck_assert_msg(group == !xk_schedule_check_group(xehpg(), &seen, &c),
                      "%s", shown(&s, &c));
        if (tile)
            check_tile(&s, &seen, &c);
    }
}
END_TEST

/* What a user may say of a field in place of what was chosen. */
static void say(xk_ctx *x, uint64_t *r, struct xk_schedule *c)
{
    static const char *const names[] = {"simd",   "m",   "n",   "nsub",  "k",
                                        "slices", "slm", "grf", "unroll"};
    static const char *const rest[] = {
        "walk=o:p",  "walk=:po",       "fma=mad",       "fma=dpas",
        "fma=dpasw", "fma=dp4a",       "walk=o:xp",     "slots=1,1",
        "slots=2,3", "slots=0,255",    "slots=255,254", "tg=1x1",
        "tg=0x1",    "tg=65535x65535", "tg=1024x1024",  "addr=a64"};
    static const unsigned values[] = {
        0,  1,  2,  3,   4,   5,   7,   8,   9,    16,    24,
        32, 48, 64, 127, 128, 192, 255, 256, 1024, 65520, 65535};
    char text[32];
    if (below(r, 3) == 0)
        snprintf(text, sizeof(text), "%s", rest[below(r, XK_COUNTOF(rest))]);
    else
        snprintf(text, sizeof(text), "%s=%u",
                 names[below(r, XK_COUNTOF(names))],
                 values[below(r, XK_COUNTOF(values))]);
    if (test_set_schedule(x, text, c)) /* 256 in a byte */
        xk_ctx_clear(x);
}

/* Under the sanitizers of CI: nothing overflows. */
START_TEST(any_value_gets_a_rule_or_a_score)
{
    struct xk_schedule all[XK_MAX_CANDIDATES];
    xk_ctx *const x = xk_ctx_create(NULL);
    uint64_t r = seed_of();
    unsigned valid = 0;
    for (unsigned i = 0; i < 2000; i++) {
        const struct xk_shape s = random_shape(&r);
        const unsigned n = xk_schedule_candidates(xehpg(), &s, NULL, all, NULL);
        for (unsigned j = 0; n && j < 200; j++) {
            struct xk_schedule c = all[below(&r, n)];
            for (unsigned words = 1 + (unsigned)below(&r, 3); words; words--)
                say(x, &r, &c);
            if (xk_schedule_check(xehpg(), &s, &c))
                continue;
            valid++;
            ck_assert_int_gt(xk_schedule_score(xehpg(), &s, &c), 0);
        }
    }
    printf("# %u valid\n", valid);
    ck_assert_uint_gt(valid, 1000);
    xk_ctx_destroy(x);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("schedule_bound");
    TCase *const t = tcase_create("schedule_bound");
    tcase_add_test(t, no_group_is_faster_than_its_bounds);
    tcase_add_test(t, no_launch_is_faster_than_its_epilogue);
    tcase_add_test(t, a_search_may_rely_on_rules);
    tcase_add_test(t, any_value_gets_a_rule_or_a_score);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
