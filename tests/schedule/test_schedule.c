/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates obey their rules, come best first, and give groups of at least
 * four threads where the problem has the work. */
#include <stdio.h>
#include <string.h>

#include "schedule/buffers.h"
#include "schedule/score.h"
#include "tests/tap.h"
#include "tests/set_schedule.h"

static const struct xk_platform *xehpg(void)
{
    return xk_platform_get(XK_PLATFORM_XEHPG);
}

static const struct xk_schedule good = {.simd = 16,
                                        .m_thr = 16,
                                        .n_thr = 32,
                                        .n_sub = 32,
                                        .k_step = 4,
                                        .tg_m = 4,
                                        .tg_n = 2,
                                        .slots_a = 2,
                                        .slots_b = 1,
                                        .slices = 1,
                                        .splits = 1,
                                        .k_walk = XK_WALK_EACH,
                                        .grf_count = 128};
static const struct xk_shape shape = {3136, 64, 64, 9, 4};

/* One field is changed from the good schedule; the rule that must break. */
static const struct {
    const char *rule;
    size_t offset;
    int value;
    int size;
} broken[] = {
    {"fields", offsetof(struct xk_schedule, simd), 0, 2},
    {"fields", offsetof(struct xk_schedule, simd), 32, 2},
    {"fields", offsetof(struct xk_schedule, m_thr), 0, 2},
    {"fields", offsetof(struct xk_schedule, k_step), 0, 2},
    {"fields", offsetof(struct xk_schedule, tg_m), 0, 2},
    {"fields", offsetof(struct xk_schedule, slots_b), 0, 1},
    {"fields", offsetof(struct xk_schedule, slices), 0, 1},
    {"fields", offsetof(struct xk_schedule, grf_count), 64, 2},
    {"fields", offsetof(struct xk_schedule, grf_count), 192, 2},
    {"fields", offsetof(struct xk_schedule, grf_count), 512, 2},
    {"fields", offsetof(struct xk_schedule, m_thr), 1040, 2},
    {"fields", offsetof(struct xk_schedule, n_thr), 65504, 2},
    {"fields", offsetof(struct xk_schedule, k_step), 65535, 2},
    {"fields", offsetof(struct xk_schedule, tg_m), 32768, 2},
    {"fields", offsetof(struct xk_schedule, tg_n), 1025, 2},
    {"parts", offsetof(struct xk_schedule, n_sub), 16, 2}, /* of mad */
    {"lanes", offsetof(struct xk_schedule, m_thr), 8, 2},
    {"lanes", offsetof(struct xk_schedule, n_thr), 24, 2},
    {"step", offsetof(struct xk_schedule, k_step), 5, 2},
    {"registers", offsetof(struct xk_schedule, m_thr), 64, 2},
    {"group", offsetof(struct xk_schedule, tg_m), 128, 2},
    {"parts", offsetof(struct xk_schedule, slots_a), 2 | 2 << 8, 2},
    {"slm", offsetof(struct xk_schedule, slm), 3, 1}, /* of mad */
};

START_TEST(a_broken_rule_is_named)
{
    struct xk_schedule s = good;
    char *const field = (char *)&s + broken[_i].offset;
    const uint16_t v16 = (uint16_t)broken[_i].value;
    if (strcmp(broken[_i].rule, "parts") == 0)
        s.n_sub = 16;
    memcpy(field, &v16, (size_t)broken[_i].size);
    const struct xk_schedule_rule *const r =
        xk_schedule_check(xehpg(), &shape, &s);
    ck_assert_ptr_nonnull(r);
    ck_assert_str_eq(r->name, broken[_i].rule);
}
END_TEST

/* A schedule for dpasw through SLM, and what must not be changed in it. */
static const struct xk_schedule shared = {.fma = XK_FMA_DPASW,
                                          .simd = 8,
                                          .m_thr = 32,
                                          .n_thr = 32,
                                          .n_sub = 32,
                                          .k_step = 16,
                                          .tg_m = 4,
                                          .tg_n = 2,
                                          .slots_a = 1,
                                          .slots_b = 1,
                                          .k_walk = XK_WALK_INSIDE,
                                          .slices = 1,
                                          .slm = 3,
                                          .surfaces = true,
                                          .grf_count = 256};
#define DOTS "fma=dp4a simd=16 k=16 slm=0 walk=o:p"
#define BATCH "fma=lanes simd=16 m=14 n=16 nsub=16 k=1 slm=0 walk=o:p"
#define OF_BATCH OF_BATCH_WITH(.sums = false)
#define OF_BATCH_WITH(field)                                                   \
    {                                                                          \
        3136, 1, 1, 9, 4, field, .lanes = {                                    \
            .n = 64,                                                           \
            .outer_m = 1,                                                      \
            .outer_k = 1,                                                      \
            .group_n = 1,                                                      \
            .group_k = 1,                                                      \
            .tile_columns = 7,                                                 \
            .k_columns = 3,                                                    \
            .parts = 1,                                                        \
            .k = 9,                                                            \
            .axis = {{0, 1, 56, 3, 1, 1}, {2, 3, 56, 3, 1, 1}}                 \
        }                                                                      \
    }
#define HOLD "holds=3 slots=1,2 slm=0 walk=:po m=16 n=16 nsub=16"
#define PACKED "slm=0 slots=1,1 m=16"
#define PACK PACKED " walk=o:xp"
static const struct {
    const char *rule, *change;
    struct xk_shape shape;
} spoiled[] = {
    {NULL, "", {3136, 64, 64, 9, 2}},
    {"slm", "", {3136, 64, 24, 9, 2}},          /* K: one step and a half */
    {"slm", "", {3136, 64, 64, 25, 2}},         /* filter taps */
    {"shared", "tg=4x1", {3136, 64, 64, 9, 2}}, /* nobody shares A */
    {NULL, "tg=4x8", {3136, 64, 64, 9, 2}},     /* 4 tiles, 8 threads */
    {NULL, "slm=2", {3136, 64, 64, 9, 2}},
    {NULL, "slm=1", {3136, 64, 64, 9, 2}},
    {"slm", "slm=4", {3136, 64, 64, 9, 2}},
    {"slm", "walk=o:p", {3136, 64, 64, 9, 2}},
    {"parts", "fma=dpas slm=0 walk=o:p nsub=4", {3136, 64, 64, 9, 2}},
    {NULL, "fma=dpas slm=0 walk=o:p nsub=8", {3136, 64, 64, 9, 2}},
    {NULL, "fma=dpas slm=0 walk=o:p m=8 n=48 nsub=24", {3136, 64, 64, 9, 2}},
    {"lanes", "fma=dpas slm=0 walk=o:p n=8 m=72", {3136, 64, 64, 9, 2}},
    {NULL, "fma=dpas slm=0 walk=o:p n=8 nsub=8 m=64", {3136, 64, 64, 9, 2}},
    {"lanes", "fma=dpas slm=0 walk=o:p m=8 n=72", {3136, 64, 64, 9, 2}},
    {NULL, "fma=dpas slm=0 walk=o:p m=8 n=64", {3136, 64, 64, 9, 2}},
    {"slm", "slm=3 addr=a64", {3136, 64, 64, 9, 2}},
    {"pairs", "tg=1x2", {3136, 64, 64, 9, 2}},
    {"pairs", "n=8 nsub=8", {3136, 64, 64, 9, 2}},
    {"step", "k=32", {3136, 64, 64, 9, 2}},
    {NULL, DOTS, {3136, 64, 64, 9, 1}},
    {NULL, DOTS " k=4", {3136, 64, 3, 9, 1}},
    {NULL, DOTS " k=8", {3136, 64, 5, 9, 1}},
    {NULL, DOTS " simd=8 n=8 nsub=8 tg=2x8", {3136, 64, 64, 9, 1}},
    /* Work items: 512 with 256 registers, 1024 with 128. */
    {NULL, DOTS " tg=8x4", {3136, 128, 64, 9, 1}},
    {"group", DOTS " tg=8x8", {3136, 256, 64, 9, 1}},
    {NULL, DOTS " tg=8x8 grf=128 m=16 n=16 nsub=16", {3136, 256, 64, 9, 1}},
    {"group", DOTS " tg=8x16 grf=128 m=16 n=16 nsub=16", {3136, 256, 64, 9, 1}},
    {"step", DOTS " k=8", {3136, 64, 4, 9, 1}},
    {"step", DOTS " k=6", {3136, 64, 64, 9, 1}},
    {"step", DOTS " k=20", {3136, 64, 64, 9, 1}},
    {"step", DOTS, {3136, 64, 64, 9, 2}}, /* not bytes */
    {"step", DOTS, {3136, 64, 64, 9, 4}},
    {"step", "k=8", {3136, 64, 64, 9, 4}}, /* dpas of f32 */
    {"step", "fma=mad simd=16 k=4 slm=0", {3136, 64, 64, 9, 2}},
    {"parts", DOTS " nsub=16", {3136, 64, 64, 9, 1}},
    {"slots", DOTS " k=4 slots=2,1", {3136, 64, 4, 9, 1}},
    {"slm", "slm=2", {3136, 64, 64, 9, 2, .loose_a = true}},
    {"slm", "slm=2 slices=2 tg=2x2", {3136, 64, 64, 9, 2}},
    {"slm", "slots=1,1", {3136, 64, 16, 1, 2}}, /* one step */
    {NULL, "order=m", {3136, 64, 64, 9, 2}},
    /* 9 copies for the taps, then 18; 36 steps. */
    {NULL, "unroll=9", {3136, 64, 64, 9, 2}},
    {NULL, "unroll=10", {3136, 64, 64, 9, 2}},
    {NULL, "unroll=18", {3136, 64, 64, 9, 2}},
    {"unroll", "unroll=19", {3136, 64, 64, 9, 2}},
    {NULL, "unroll=8", {3136, 64, 64, 2, 2}},
    {"unroll", "unroll=9", {3136, 64, 64, 2, 2}}, /* steps */
    {NULL, "unroll=4 slm=0 walk=o:p", {3136, 64, 64, 9, 2}},
    {"unroll", "unroll=5 slm=0 walk=o:p", {3136, 64, 64, 9, 2}},
    {"unroll", "unroll=19 slm=0 walk=o:p", {3136, 64, 512, 9, 2}},
    {"unroll", "unroll=5 slm=0 walk=:po slices=2", {3136, 64, 128, 1, 2}},
    /* Three register buffers: taps innermost, without SLM.
     */
    {"slots",
     "slots=4,1 slm=0 walk=:po m=16 n=16 nsub=16",
     {3136, 64, 128, 9, 2}},
    {"slots", "slots=2,3 slm=0 walk=o:p n=16 nsub=16", {3136, 64, 128, 9, 2}},
    {"slots", "slots=3,1 slm=0 walk=o:p n=16 nsub=16", {3136, 64, 128, 9, 2}},
    {"slots", "slots=1,3", {3136, 64, 64, 9, 2}},
    {NULL, "slots=3,3 slm=0 walk=:po m=16 n=16 nsub=16", {3136, 64, 64, 9, 2}},
    {NULL, "slots=2,3 slm=0 walk=:po m=16 n=16 nsub=16", {3136, 64, 64, 9, 2}},
    {NULL, "slots=3,1 slm=0 walk=:po m=16 n=16 nsub=16", {3136, 64, 48, 1, 2}},
    {"slots",
     "slots=3,1 slm=0 walk=:po m=16 n=16 nsub=16",
     {3136, 64, 32, 1, 2}}, /* two steps */
    {"slots",
     "slots=3,3 slm=0 walk=:po m=16 n=16 nsub=16 slices=2",
     {3136, 64, 64, 1, 2}},
    {"offsets", "slm=0 walk=o:p", {3136, 64, 16, 1 << 27, 2}},
    {NULL, "slm=0 walk=o:p", {3136, 64, 16, 1 << 26, 2}},
    {NULL, "slm=0 walk=:po prefetch=1", {3136, 64, 64, 9, 2}},
    {NULL,
     "fma=mad simd=16 k=4 slm=0 walk=:po m=16 prefetch=1",
     {3136, 64, 64, 9, 4}},
    /* Steps that share rows: lines of 14 places of 16 rows, or of 28 of 8. */
    {NULL, HOLD, {3136, 64, 64, 9, 2, .eights = true, .shared = {16, 3, 224}}},
    {NULL,
     HOLD " slots=1,3 slices=2",
     {3136, 64, 64, 9, 2, .eights = true, .shared = {8, 3, 224}}},
    {NULL,
     HOLD " holds=5",
     {3136, 64, 64, 5, 1, .eights = true, .shared = {8, 5, 224}}},
    {"holds", HOLD, {3136, 64, 64, 9, 2}},
    {"holds",
     HOLD,
     {3136, 64, 64, 9, 2, .eights = true, .shared = {8, 5, 224}}},
    {"holds",
     HOLD " holds=1",
     {3136, 64, 64, 9, 2, .eights = true, .shared = {16, 3, 224}}},
    {"holds",
     HOLD " slots=2,2",
     {3136, 64, 64, 9, 2, .eights = true, .shared = {16, 3, 224}}},
    {"holds",
     HOLD " walk=o:p",
     {3136, 64, 64, 9, 2, .eights = true, .shared = {16, 3, 224}}},
    {"holds",
     HOLD " m=32",
     {3136, 64, 64, 9, 2, .eights = true, .shared = {8, 3, 112}}},
    {"holds",
     HOLD, /* a step moves more rows than a tile has */
     {3136, 64, 64, 9, 2, .eights = true, .shared = {32, 3, 224}}},
    {"holds",
     "holds=3",
     {3136, 64, 64, 9, 2, .eights = true, .shared = {16, 3, 224}}}, /* SLM */
    {"registers",
     HOLD " m=32 n=32 nsub=32 slots=1,3",
     {3136, 64, 64, 9, 2, .eights = true, .shared = {32, 3, 224}}},
    /* Two steps and a half of K. */
    {NULL, "slm=0", {3136, 64, 40, 9, 2}},
    {NULL, "slm=0", {3136, 64, 40, 9, 2, .plain_a = true}},
    {"walk", "slm=0", {3136, 64, 41, 9, 2, .plain_a = true}},
    {"walk",
     "fma=mad simd=16 k=4 slm=0 walk=:po m=16 n=16 nsub=16",
     {3136, 64, 42, 9, 4}},
    {"slices", "slm=0 slices=2", {3136, 64, 40, 9, 2}},
    {"holds",
     HOLD,
     {3136, 64, 40, 9, 2, .eights = true, .shared = {8, 3, 224}}},
    {"prefetch", "prefetch=1", {3136, 64, 64, 9, 2}}, /* SLM */
    {"prefetch", "slm=0 walk=o:p prefetch=1", {3136, 64, 64, 9, 2}},
    {"prefetch", "slm=0 walk=:po prefetch=1 order=m", {3136, 64, 64, 9, 2}},
    /* Sums of B's columns. */
    {NULL, "slm=0 k=32", {3136, 64, 64, 1, 1, .sums = true}},
    {"sums", "slm=0 k=32 walk=o:p", {3136, 64, 72, 1, 1, .sums = true}},
    {"sums",
     "slm=0 walk=o:p fma=dp4a simd=16 m=16 n=16 nsub=16 k=16 tg=2x2",
     {3136, 64, 64, 1, 1, .sums = true}},
    {NULL, PACK, {3136, 64, 3, 49, 2, .line_places = 7, .used_e = 3}},
    {NULL, PACK, {3136, 64, 3, 49, 1, .line_places = 7, .used_e = 4}},
    {NULL,
     PACK,
     {3136, 64, 3, 49, 2, .together = true, .line_places = 7, .used_e = 4}},
    {"few", PACK, {3136, 64, 3, 49, 2}},
    {"walk",
     PACKED " walk=:xpo",
     {3136, 64, 3, 49, 2, .line_places = 7, .used_e = 4}},
    {"few",
     PACK " addr=a64",
     {3136, 64, 3, 49, 2, .line_places = 7, .used_e = 4}},
    {"slots",
     PACK " slots=2,2",
     {3136, 64, 3, 49, 2, .line_places = 7, .used_e = 4}},
    {"slm",
     "walk=o:xp",
     {3136, 64, 3, 9, 2, .line_places = 3, .used_e = 4}}, /* SLM */
    {"few",
     PACK " fma=dpas n=8 nsub=8",
     {3136, 64, 3, 49, 2, .line_places = 7, .used_e = 4}},
    /* All of K comes at once, by messages of its own. */
    {NULL, BATCH, OF_BATCH},
    {"sums", BATCH, OF_BATCH_WITH(.sums = true)},
    {"walk", BATCH " walk=:po", OF_BATCH},
    {"walk", BATCH " walk=:po prefetch=1", OF_BATCH},
    {"walk", BATCH " walk=:po slices=2", OF_BATCH},
    {"step", BATCH " walk=:op", OF_BATCH}, /* of rows of three */
    {NULL, BATCH " walk=:op k=3", OF_BATCH},
    {NULL, BATCH " walk=:op k=9", OF_BATCH},
    {"step", BATCH " walk=:op k=6", OF_BATCH}, /* three rows */
    {"slices", BATCH " walk=:op k=3 slices=2", OF_BATCH},
    {NULL, "store=packed", {3136, 64, 64, 9, 2}},
    {NULL, "store=columns", {3136, 64, 64, 9, 2}},
    {"store", "store=block", {3136, 64, 64, 9, 2}},
    {"store", "store=scattered", {3136, 64, 64, 9, 2}},
    {NULL, DOTS " store=block", {3136, 64, 64, 9, 1}},
    {NULL, DOTS " store=scattered", {3136, 64, 64, 9, 1}},
    {"store", DOTS " store=packed", {3136, 64, 64, 9, 1}},
    {"store", DOTS " store=columns", {3136, 64, 64, 9, 1}},
};

START_TEST(rules_of_shared_memory_and_pairs)
{
    struct xk_schedule s = shared;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (spoiled[_i].shape.elem_b == 1)
        s.k_step = 32;
    ck_assert_int_eq(test_set_schedule(c, spoiled[_i].change, &s), XK_OK);
    const struct xk_schedule_rule *const r =
        xk_schedule_check(xehpg(), &spoiled[_i].shape, &s);
    ck_assert_pstr_eq(r ? r->name : NULL, spoiled[_i].rule);
    xk_ctx_destroy(c);
}
END_TEST

/* Random fields come back from their text; other fields are left alone. */
START_TEST(text_parses_back)
{
    static const struct xk_k_walk walks[] = {
        XK_WALK_EACH,
        XK_WALK_INSIDE,
        XK_WALK_ALL,
        XK_WALK_FEW,
        {2, {XK_K_LAST, XK_K_FEW}},
        {1, {XK_K_FEW, XK_K_LAST, XK_K_OUTER}}};
    uint64_t rng = 4711;
    xk_ctx *const c = xk_ctx_create(NULL);
    for (unsigned i = 0; i < 1000; i++) {
        struct xk_schedule a = shared, b = good;
        struct xk_str s, t;
        rng = rng * 6364136223846793005u + 1442695040888963407u;
        a.fma = (uint8_t)(rng >> 33) % 4;
        a.simd = (uint16_t)(rng >> 13);
        a.m_thr = (uint16_t)(rng >> 17);
        a.n_thr = (uint16_t)(rng >> 19);
        a.n_sub = (uint16_t)(rng >> 27);
        a.k_step = (uint16_t)(rng >> 31);
        a.tg_m = (uint16_t)(rng >> 35);
        a.tg_n = (uint16_t)(rng >> 40);
        a.slots_a = (uint8_t)(rng >> 49);
        a.slots_b = (uint8_t)(rng >> 51);
        a.slices = (uint8_t)(rng >> 47);
        a.k_walk = walks[(rng >> 57) % XK_COUNTOF(walks)];
        a.slm = (uint8_t)(rng >> 55);
        a.holds = (uint8_t)(rng >> 43);
        a.surfaces = rng >> 63;
        a.prefetch = rng >> 59 & 1;
        b.prefetch = !a.prefetch;
        a.grf_count = (uint16_t)(rng >> 23);
        a.m_first = rng >> 61 & 1;
        b.m_first = !a.m_first;
        a.unroll = (uint8_t)(rng >> 53);
        a.store = (uint8_t)(rng >> 29) % 5;
        b.score = a.score;
        xk_str_init(&s, NULL);
        xk_str_init(&t, NULL);
        xk_schedule_print(&a, &s);
        ck_assert_int_eq(test_set_schedule(c, xk_str_get(&s), &b), XK_OK);
        xk_schedule_print(&b, &t);
        ck_assert_str_eq(xk_str_get(&s), xk_str_get(&t));
        xk_str_fini(&t);
        xk_str_fini(&s);
    }
    xk_ctx_destroy(c);
}
END_TEST

static const struct {
    const char *text, *names;
} wrong[] = {
    {"m=32 q=3", "'q=3'"},
    {"m", "'m'"},
    {"m=", "'m='"},
    {"m=12x", "'m=12x'"},
    {"m=70000", "'m=70000'"},
    {"slm=300", "'slm=300'"},
    {"tg=2", "'tg=2'"},
    {"tg=2,4", "'tg=2,4'"},
    {"fma=dp4b", "'fma=dp4b'"},
    {"slots=1,", "'slots=1,'"},
    {"addr=surfaces", "'addr="},
    {"m=-1", "'m=-1'"},
    {"slm=2 prefetch=yes", "'prefetch=yes'"},
    {"kloop=inner", "'kloop=inner'"}, /* until November 2026 */
    {"walk=", "'walk='"},
    {"walk", "'walk'"},
    {"walk=:", "'walk=:'"},
    {"walk=op", "'walk=op'"},
    {"walk=o::p", "'walk=o::p'"},
    {"walk=o:pp", "'walk=o:pp'"},
    {"walk=o:y", "'walk=o:y'"},
    {"walk=o: p", "names no field"},
    {"slm=0 walk=inner", "'walk=inner'"},
    {"order=k", "'order=k'"},
    {"order=", "'order='"},
    {"unroll=256", "'unroll=256'"},
    {"unroll=n", "'unroll=n'"},
    {"load_a=auto", "'load_a=auto'"}, /* until November 2026 */
    {"load=auto", "'load=auto'"},
    {"store=rows", "'store=rows'"},
    {"m=8 store=elements", "'store=elements'"},
};

START_TEST(a_wrong_word_is_named)
{
    struct xk_schedule s = good;
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(test_set_schedule(c, wrong[_i].text, &s), XK_EPARSE);
    ck_assert_ptr_nonnull(strstr(c->error.message, wrong[_i].names));
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_field_stands_once_in_a_text)
{
    struct xk_schedule_fixed fixed = {0};
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(xk_schedule_parse(c, "m=16 n=16 m=32", &fixed), XK_EPARSE);
    ck_assert_str_eq(c->error.message,
                     "schedule: 'm=32' stands behind another m");
    xk_ctx_clear(c);
    ck_assert_int_eq(xk_schedule_parse(c, "m=16", &fixed), XK_OK);
    ck_assert_int_eq(xk_schedule_parse(c, "m=32", &fixed), XK_OK);
    ck_assert_uint_eq(fixed.to.m_thr, 32);
    xk_ctx_destroy(c);
}
END_TEST

/* What a text fixes all candidates have, and the search completes it: with a
 * schedule that obeys the rules, or with the rule that refuses what comes
 * furthest. */
static const struct {
    const char *text, *rule; /* NULL: there is a schedule */
    struct xk_shape shape;
} fixed_rows[] = {
    {"", NULL, {3136, 64, 64, 9, 2}},
    {"m=16", NULL, {3136, 64, 64, 9, 2}},
    {"n=40", NULL, {3136, 64, 64, 9, 2}},
    {"n=16 nsub=8", NULL, {3136, 64, 64, 9, 2}},
    {"m=32 n=32", NULL, {3136, 64, 64, 9, 2}},
    {"m=32 n=32 slots=2,2 grf=128", "registers", {3136, 64, 64, 9, 2}},
    {"slots=2,2 grf=128", NULL, {3136, 64, 64, 9, 2}},
    {"addr=a64", NULL, {3136, 64, 64, 9, 2}},
    {"addr=a64 walk=:po", "walk", {3136, 64, 64, 9, 2}},
    {"slm=2 tg=3x2", NULL, {3136, 64, 64, 9, 2}},
    {"slm=2 walk=o:p", "slm", {3136, 64, 64, 9, 2}},
    {"slm=3 n=8 fma=dpas", NULL, {3136, 64, 64, 1, 2}},
    {"slm=3 slices=2", "slm", {3136, 64, 64, 1, 2}},
    {"order=m", NULL, {3136, 64, 64, 9, 2}},
    {"order=m prefetch=1", "prefetch", {3136, 64, 64, 9, 2}},
    {"unroll=3", NULL, {3136, 64, 64, 9, 2}},
    {"slices=8", NULL, {3136, 64, 128, 9, 2}},
    {"slices=3", "slices", {3136, 64, 96, 9, 2}},
    {"fma=dp4a simd=8", NULL, {3136, 64, 64, 9, 1}},
    {"fma=mad", "step", {3136, 64, 64, 9, 2}},
    {"k=12", "step", {3136, 64, 64, 9, 2}},
    {"store=block", "store", {3136, 64, 64, 9, 2}},
    {"tg=64x64", "group", {3136, 64, 64, 9, 4}},
    {"m=1024", "lanes", {3136, 64, 64, 9, 4}},
    {"fma=lanes", "lanes", {3136, 64, 64, 9, 2}},
    {"m=0", "fields", {3136, 64, 64, 9, 4}},
};

START_TEST(the_search_completes_what_is_fixed)
{
    static struct xk_schedule out[XK_MAX_CANDIDATES];
    const struct xk_shape *const seen = &fixed_rows[_i].shape;
    const struct xk_schedule_rule *refusal = NULL;
    struct xk_schedule_fixed fixed = {0};
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(xk_schedule_parse(c, fixed_rows[_i].text, &fixed), XK_OK);
    const unsigned n =
        xk_schedule_candidates(xehpg(), seen, &fixed, out, &refusal);
    ck_assert_msg(!n == !!fixed_rows[_i].rule, "%s: %s", fixed_rows[_i].text,
                  refusal ? refusal->name : "");
    if (!n)
        ck_assert_str_eq(refusal->name, fixed_rows[_i].rule);
    for (unsigned i = 0; i < n; i++) {
        struct xk_schedule same = out[i];
        xk_schedule_fix(&fixed, &same);
        ck_assert(xk_schedule_same(&same, &out[i]));
        ck_assert_ptr_null(xk_schedule_check(xehpg(), seen, &out[i]));
        ck_assert_int_eq(out[i].score,
                         xk_schedule_score(xehpg(), seen, &out[i]));
    }
    xk_ctx_destroy(c);
}
END_TEST

/* A multiple of what taps and buffers need, by hand. */
START_TEST(copies_are_whole_rounds)
{
    static const struct {
        const char *text;
        unsigned taps, copies;
    } rows[] = {
        {"slm=0 walk=o:p", 9, 1},
        {"slm=0 walk=o:p slots=2,1", 9, 2},
        {"slm=0 walk=o:p slots=2,3", 9, 6},
        {"slm=0 walk=o:p unroll=5", 9, 5},
        {"slm=0 walk=o:p slots=1,2 unroll=5", 9, 6},
        {"slm=0 walk=:po", 4, 4},
        {"slm=0 walk=:po slots=1,3", 4, 12},
        {"slm=0 walk=:po slots=2,2 unroll=4", 4, 4},
        {"slm=0 walk=:po unroll=5", 4, 8},
        {"slm=3 slots=1,2", 9, 18},
    };
    xk_ctx *const c = xk_ctx_create(NULL);
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_schedule s = shared;
        ck_assert_int_eq(test_set_schedule(c, rows[i].text, &s), XK_OK);
        ck_assert_msg(xk_schedule_copies(&s, rows[i].taps) == rows[i].copies,
                      "%s", rows[i].text);
    }
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(two_buffers_need_two_steps)
{
    const struct xk_shape one = {3136, 64, 4, 9, 4};
    const struct xk_schedule_rule *const r =
        xk_schedule_check(xehpg(), &one, &good);
    ck_assert_ptr_nonnull(r);
    ck_assert_str_eq(r->name, "slots");
}
END_TEST

/* Where B is masked, or masked elements are not 0, registers are filled: not in
 * SLM, nor with addresses beside a surface. */
START_TEST(what_is_filled_has_taps_outside)
{
    struct xk_shape s = shape;
    struct xk_schedule inner = good;
    inner.k_walk = (struct xk_k_walk)XK_WALK_INSIDE;
    inner.surfaces = true;
    ck_assert_ptr_null(xk_schedule_check(xehpg(), &s, &inner));
    s.filled = true;
    ck_assert_ptr_null(xk_schedule_check(xehpg(), &s, &good));
    const struct xk_schedule_rule *const r =
        xk_schedule_check(xehpg(), &s, &inner);
    ck_assert_ptr_nonnull(r);
    ck_assert_str_eq(r->name, "fill");
}
END_TEST

/* C 16x32 is 32 vectors; it is stored, and read twice. */
START_TEST(long_epilogues_have_small_tiles)
{
    static const struct {
        unsigned epilogue, scatter;
        bool ok;
    } rows[] = {{64, 0, true},   {65, 0, false}, {16, 16, true},
                {17, 16, false}, {0, 21, true},  {0, 22, false}};
    struct xk_shape s = shape;
    s.moves = 3;
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        s.epilogue = rows[i].epilogue;
        s.scatter = rows[i].scatter;
        const struct xk_schedule_rule *const r =
            xk_schedule_check(xehpg(), &s, &good);
        ck_assert_int_eq(!r, rows[i].ok);
        ck_assert(!r || !strcmp(r->name, "epilogue"));
    }
}
END_TEST

/* Whatever layouts are chosen behind it. */
START_TEST(the_last_resort_has_any_epilogue)
{
    static const unsigned lengths[] = {0, 38, 39, 128, 129, 10000};
    static const unsigned scatters[] = {0, 16, XK_MOST_SCATTER};
    for (unsigned elem_b = 1; elem_b <= 4; elem_b *= 2)
        for (unsigned i = 0; i < XK_COUNTOF(lengths); i++) {
            struct xk_shape s = shape;
            s.elem_b = elem_b;
            s.moves = 3;
            s.epilogue = lengths[i];
            const struct xk_schedule last = xk_schedule_last_resort(&s);
            ck_assert_uint_eq(last.simd,
                              elem_b == 2 || lengths[i] > 38 ? 8 : 16);
            for (unsigned k = 0; k < XK_COUNTOF(scatters); k++) {
                s.scatter = scatters[k];
                ck_assert_ptr_null(xk_schedule_check(xehpg(), &s, &last));
            }
        }
}
END_TEST

START_TEST(the_good_schedule_is_valid)
{
    ck_assert_ptr_null(xk_schedule_check(xehpg(), &shape, &good));
    /* C 16x32, two A buffers of 16x4, one B buffer of 32x4, 4 bytes each, in
     * registers of 32 bytes. */
    ck_assert_uint_eq(xk_schedule_buffer_grf(xehpg(), &good), 64 + 16 + 16);
}
END_TEST

static const struct xk_shape shapes[] = {
    {12544, 64, 3, 49, 4},  {3136, 256, 64, 1, 4},   {784, 128, 128, 9, 4},
    {196, 1024, 512, 1, 4}, {49, 2048, 512, 1, 4},   {1, 1, 1, 1, 4},
    {5, 3, 2, 4, 4},        {1 << 20, 7, 17, 25, 4}, {12544, 64, 3, 49, 2},
    {196, 1024, 512, 1, 2}, {49, 2048, 512, 1, 1},   {5, 3, 2, 4, 1},
};

/* A candidate whose fields are all fixed is found again, alone. */
START_TEST(a_whole_schedule_is_found)
{
    static struct xk_schedule all[XK_MAX_CANDIDATES], one[XK_MAX_CANDIDATES];
    const struct xk_shape *const s = &shapes[_i];
    const unsigned n = xk_schedule_candidates(xehpg(), s, NULL, all, NULL);
    xk_ctx *const c = xk_ctx_create(NULL);
    for (unsigned i = 0; i < n; i++) {
        struct xk_schedule_fixed fixed = {0};
        struct xk_str text;
        xk_str_init(&text, NULL);
        xk_schedule_print(&all[i], &text);
        ck_assert_int_eq(xk_schedule_parse(c, xk_str_get(&text), &fixed),
                         XK_OK);
        ck_assert_uint_ge(xk_schedule_candidates(xehpg(), s, &fixed, one, NULL),
                          1);
        ck_assert(xk_schedule_same(&one[0], &all[i]));
        xk_str_fini(&text);
    }
    xk_ctx_destroy(c);
}
END_TEST

/* Scores order candidates of one class. */
static unsigned class_of(const struct xk_schedule *c)
{
    const bool systolic = c->fma == XK_FMA_DPAS || c->fma == XK_FMA_DPASW;
    return systolic && c->m_thr * c->n_thr < 256;
}

/* Deep sums are dpas's; where a step of dpas would be mostly padding, dp4a
 * wins; and it is all that a platform without a systolic unit has. */
START_TEST(dp4a_comes_where_dpas_would_be_padding)
{
    static const struct {
        struct xk_shape shape;
        bool dots;
    } rows[] = {
        {{50176, 64, 64, 9, 1}, false},
        {{50176, 256, 64, 1, 1}, false},
        {{3136, 512, 512, 9, 1}, false},
        {{200704, 64, 3, 49, 1, .stride = 2}, true},
        {{12544, 64, 3, 49, 1, .stride = 2}, true},
    };
    struct xk_platform none = *xehpg();
    none.dpas_exec = 0;
    none.has_dpasw = false;
    for (unsigned i = 0; i < XK_COUNTOF(rows); i++) {
        struct xk_schedule c[XK_MAX_CANDIDATES];
        const struct xk_shape *const s = &rows[i].shape;
        ck_assert_uint_gt(xk_schedule_candidates(xehpg(), s, NULL, c, NULL), 0);
        ck_assert_int_eq(c[0].fma == XK_FMA_DP4A, rows[i].dots);
        const unsigned n = xk_schedule_candidates(&none, s, NULL, c, NULL);
        ck_assert_uint_gt(n, 0);
        for (unsigned k = 0; k < n; k++)
            ck_assert_int_eq(c[k].fma, XK_FMA_DP4A);
    }
}
END_TEST

START_TEST(candidates_are_valid_and_sorted)
{
    struct xk_schedule c[XK_MAX_CANDIDATES], again[XK_MAX_CANDIDATES];
    const struct xk_shape *const s = &shapes[_i];
    const unsigned n = xk_schedule_candidates(xehpg(), s, NULL, c, NULL);
    ck_assert_uint_gt(n, 0);
    for (unsigned i = 0; i < n; i++) {
        ck_assert_ptr_null(xk_schedule_check(xehpg(), s, &c[i]));
        if (i == n - 1) /* the last resort */
            break;
        if (i && class_of(&c[i]) == class_of(&c[i - 1]))
            ck_assert_int_ge(c[i].score, c[i - 1].score);
        if (i) /* small tiles later */
            ck_assert_uint_ge(class_of(&c[i]), class_of(&c[i - 1]));
    }
    ck_assert_uint_eq(xk_schedule_candidates(xehpg(), s, NULL, again, NULL), n);
    for (unsigned i = 0; i < n; i++) {
        ck_assert_uint_eq(c[i].n_thr, again[i].n_thr);
        ck_assert_uint_eq(c[i].k_step, again[i].k_step);
    }
}
END_TEST

enum { N_SUMMED = 6 };

/* A zero point's sums inside, with what launches of them would come to: the
 * same candidates, and about the best score of a search without sums. */
START_TEST(sums_inside_are_compared_without_a_second_search)
{
    static const struct xk_shape rows[N_SUMMED] = {
        {50176, 256, 64, 1, 1},
        {3136, 256, 512, 1, 1},
        {3136, 512, 1024, 1, 1, .plain_a = true, .eights = true},
        {784, 2048, 512, 1, 1, .plain_a = true},
        {784, 512, 2048, 1, 1},
        {200704, 16, 32, 1, 1},
    };
    static struct xk_schedule c[2 * XK_MAX_CANDIDATES], one[XK_MAX_CANDIDATES];
    const struct xk_shape *const plain = &rows[_i];
    struct xk_shape s = *plain;
    int64_t least;
    s.sums = true;
    const unsigned n = xk_schedule_with_sums(xehpg(), &s, plain, c, &least);
    ck_assert_uint_eq(xk_schedule_candidates(xehpg(), &s, NULL, one, NULL), n);
    for (unsigned i = 0; i < n; i++) {
        ck_assert(xk_schedule_same(&c[i], &one[i]));
        ck_assert_int_eq(c[i].score, one[i].score);
    }
    ck_assert_uint_gt(xk_schedule_candidates(xehpg(), plain, NULL, one, NULL),
                      0);
    ck_assert_int_ge(least, one[0].score);
    ck_assert_int_le(100 * least, 101 * one[0].score);
}
END_TEST

/* Tiles of 64 columns have loops of their own where one loop cannot have all
 * places, and A's elements need not be gathered. */
START_TEST(the_widest_tile_has_loops_of_its_own_beyond_nine_places)
{
    static const int64_t places[] = {1, 9, 25, 27};
    for (unsigned i = 0; i < 2 * XK_COUNTOF(places); i++) {
        struct xk_shape s = {26950, 64, 64, places[i / 2], 2};
        struct xk_schedule c[XK_MAX_CANDIDATES];
        bool each = false;
        s.loose_a = i % 2;
        for (unsigned n = xk_schedule_candidates(xehpg(), &s, NULL, c, NULL);
             n-- > 0;)
            each |= c[n].n_thr == 64 && xk_schedule_is_each(&c[n]);
        ck_assert_int_eq(each, places[i / 2] > 9 && !s.loose_a);
    }
}
END_TEST

/* One tile of one thread in the larger register file, with nothing ahead; and
 * valid without surfaces. */
START_TEST(the_last_candidate_is_the_last_resort)
{
    struct xk_schedule c[XK_MAX_CANDIDATES];
    const struct xk_shape *const s = &shapes[_i];
    const unsigned n = xk_schedule_candidates(xehpg(), s, NULL, c, NULL);
    struct xk_schedule last = c[n - 1];
    ck_assert_uint_eq(last.m_thr * last.n_thr, last.simd * last.simd);
    ck_assert_uint_eq(last.tg_m * last.tg_n * xk_schedule_slices(&last), 1);
    ck_assert_uint_eq(last.slots_a * last.slots_b, 1);
    ck_assert_uint_eq(last.grf_count, 256);
    ck_assert(xk_schedule_is_each(&last) && !last.slm &&
              !xk_schedule_packs(&last));
    last.surfaces = false;
    ck_assert_ptr_null(xk_schedule_check(xehpg(), s, &last));
}
END_TEST

/* Rows of the last tile beyond M keep below 2^31; how far apart they are does
 * not matter. */
START_TEST(rows_beyond_m_count)
{
    struct xk_shape s = {.m = INT32_MAX / 16 * 16 - 1024,
                         .n = 16,
                         .k_inner = 16,
                         .k_outer = 1,
                         .elem_b = 4,
                         .even_c = true,
                         .row_b = 131056};
    struct xk_schedule c = xk_schedule_last_resort(&s);
    ck_assert_ptr_null(xk_schedule_check(xehpg(), &s, &c));
    s.m++; /* another tile of 16 rows */
    ck_assert_str_eq(xk_schedule_check(xehpg(), &s, &c)->name, "offsets");
    s.n = s.m;
    s.m = 16;
    ck_assert_str_eq(xk_schedule_check(xehpg(), &s, &c)->name, "offsets");
    s.n--;
    ck_assert_ptr_null(xk_schedule_check(xehpg(), &s, &c));
}
END_TEST

/* A search scores a tile's groups from one part, and those that are too slow
 * not to their end. */
START_TEST(scores_do_not_depend_on_how_they_are_asked_for)
{
    struct xk_schedule c[XK_MAX_CANDIDATES];
    struct xk_score_tile t;
    const struct xk_shape *const s = &shapes[_i];
    const unsigned n = xk_schedule_candidates(xehpg(), s, NULL, c, NULL);
    for (unsigned i = 0; i < n; i++) {
        const int64_t score = xk_schedule_score(xehpg(), s, &c[i]);
        ck_assert_int_eq(c[i].score, score);
        const struct xk_shape seen = xk_schedule_shape(s, &c[i]);
        xk_score_tile_set(xehpg(), s, &seen, &c[i], &t);
        ck_assert_int_eq(xk_score_group(xehpg(), &t, &c[i], score), score);
        for (int64_t most = score - 1; most > 0; most /= 2)
            ck_assert_int_gt(xk_score_group(xehpg(), &t, &c[i], most), most);
    }
}
END_TEST

START_TEST(a_tile_s_and_a_group_s_rules_are_all_rules)
{
    struct xk_schedule s = good;
    ck_assert_ptr_null(xk_schedule_check_tile(xehpg(), &shape, &s));
    ck_assert_ptr_null(xk_schedule_check_group(xehpg(), &shape, &s));
    s.tg_m = 64; /* 128 threads of 16 lanes */
    ck_assert_ptr_null(xk_schedule_check_tile(xehpg(), &shape, &s));
    ck_assert_str_eq(xk_schedule_check_group(xehpg(), &shape, &s)->name,
                     "group");
    s = good;
    s.m_thr = 8;
    ck_assert_str_eq(xk_schedule_check_tile(xehpg(), &shape, &s)->name,
                     "lanes");
    ck_assert_ptr_null(xk_schedule_check_group(xehpg(), &shape, &s));
}
END_TEST

START_TEST(groups_have_two_threads_where_there_is_work)
{
    struct xk_schedule c[XK_MAX_CANDIDATES];
    const struct xk_shape *const s = &shapes[_i];
    const unsigned n = xk_schedule_candidates(xehpg(), s, NULL, c, NULL);
    for (unsigned i = 0; i + 1 < n; i++) { /* but for the last resort */
        const int64_t tiles = (s->m + c[i].m_thr - 1) / c[i].m_thr *
                              ((s->n + c[i].n_thr - 1) / c[i].n_thr);
        if (tiles >= 8 && !c[i].slm)
            ck_assert_uint_ge(
                (unsigned)c[i].tg_m * c[i].tg_n * xk_schedule_slices(&c[i]), 2);
    }
}
END_TEST

START_TEST(prints_every_field)
{
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_schedule_print(&good, &s);
    ck_assert_str_eq(xk_str_get(&s),
                     "fma=mad simd=16 m=16 n=32 nsub=32 k=4 tg=4x2 "
                     "slices=1 splits=1 walk=o:p slots=2,1 holds=0 slm=0 "
                     "prefetch=0 addr=a64 grf=128 order=n unroll=0 "
                     "store=auto");
    struct xk_schedule edge = shared;
    edge.prefetch = true;
    xk_str_clear(&s);
    xk_schedule_print(&edge, &s);
    ck_assert_ptr_nonnull(strstr(xk_str_get(&s),
                                 " walk=:po slots=1,1 holds=0 slm=3 prefetch=1 "
                                 "addr=surface "));
    xk_str_fini(&s);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("schedule");
    TCase *const t = tcase_create("schedule");
    tcase_add_loop_test(t, a_broken_rule_is_named, 0, XK_COUNTOF(broken));
    tcase_add_test(t, two_buffers_need_two_steps);
    tcase_add_loop_test(t, rules_of_shared_memory_and_pairs, 0,
                        XK_COUNTOF(spoiled));
    tcase_add_test(t, text_parses_back);
    tcase_add_test(t, a_field_stands_once_in_a_text);
    tcase_add_loop_test(t, a_wrong_word_is_named, 0, XK_COUNTOF(wrong));
    tcase_add_loop_test(t, the_search_completes_what_is_fixed, 0,
                        XK_COUNTOF(fixed_rows));
    tcase_add_loop_test(t, a_whole_schedule_is_found, 0, XK_COUNTOF(shapes));
    tcase_add_test(t, copies_are_whole_rounds);
    tcase_add_test(t, what_is_filled_has_taps_outside);
    tcase_add_test(t, the_good_schedule_is_valid);
    tcase_add_test(t, long_epilogues_have_small_tiles);
    tcase_add_test(t, the_last_resort_has_any_epilogue);
    tcase_add_test(t, a_tile_s_and_a_group_s_rules_are_all_rules);
    tcase_add_loop_test(t, scores_do_not_depend_on_how_they_are_asked_for, 0,
                        XK_COUNTOF(shapes));
    tcase_add_loop_test(t, sums_inside_are_compared_without_a_second_search, 0,
                        N_SUMMED);
    tcase_add_test(t, the_widest_tile_has_loops_of_its_own_beyond_nine_places);
    tcase_add_loop_test(t, candidates_are_valid_and_sorted, 0,
                        XK_COUNTOF(shapes));
    tcase_add_loop_test(t, the_last_candidate_is_the_last_resort, 0,
                        XK_COUNTOF(shapes));
    tcase_add_test(t, rows_beyond_m_count);
    tcase_add_loop_test(t, groups_have_two_threads_where_there_is_work, 0,
                        XK_COUNTOF(shapes));
    tcase_add_test(t, prints_every_field);
    tcase_add_test(t, dp4a_comes_where_dpas_would_be_padding);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
