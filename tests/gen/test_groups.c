/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution of several groups gives the bytes of the dense one whose
 * weights are zero between groups, for random problems on the simulator. Both
 * come from the same descriptor but for g and weights; data are small integers,
 * so every sum is exact. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/element.h"
#include "tests/gen/launches_lab.h"
#include "tests/gen/typed.h"
#include "tests/tap.h"
#include "conv/tensors.h"

#define TYPES 6
#define CHANNELS 9
#define RUNS (TYPES * CHANNELS * 4) /* each with each, four times */

static uint64_t state;

/* Seeds that follow each other give draws that have nothing in common
 * (splitmix64's finalizer). */
static void set_seed(uint64_t seed)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    state = x ^ x >> 31;
}

static int64_t draw(int64_t lo, int64_t hi)
{
    state =
        state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (int64_t)((state >> 33) % (uint64_t)(hi - lo + 1));
}

/* One of the two convolutions. */
struct side {
    struct xk_conv_desc desc;
    xk_program *program;
    const struct xk_conv_info *info;
    struct lab_arg arg[XK_N_CONV_ARGS];
};

static enum xk_dtype type_of(const struct side *s, unsigned arg)
{
    return xk_conv_dtype(s->info->tensor[arg].type);
}

static int64_t element(const struct side *s, unsigned arg, const int64_t *at)
{
    return element_at(&s->info->tensor[arg], at);
}

static void create(struct side *s)
{
    struct xk_error err;
    char text[256];
    xk_conv_desc_print(&s->desc, text, sizeof(text));
    ck_assert_msg(xk_conv_create(&s->desc, NULL, &s->program, &err) == XK_OK,
                  "%s, %s to %s: %s", text, s->desc.src_tag, s->desc.dst_tag,
                  err.message);
    s->info = xk_program_info(s->program);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        s->arg[i].size_b = s->info->tensor[i].size_b;
        s->arg[i].data = calloc(1, s->arg[i].size_b + 1);
        ck_assert_ptr_nonnull(s->arg[i].data);
    }
}

static void destroy(struct side *s)
{
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        free(s->arg[i].data);
    xk_program_unref(s->program);
}

/* The same random integers in both sides' tensor, which lie alike. */
static void fill(struct side *g, struct side *dense, unsigned arg)
{
    const int64_t n = (int64_t)g->arg[arg].size_b / xk_dtype_b(type_of(g, arg));
    const bool whole = type_of(g, arg) == XK_DT_U8;
    ck_assert_str_eq(g->info->tensor[arg].tag, dense->info->tensor[arg].tag);
    for (int64_t i = 0; i < n; i++)
        typed_put(type_of(g, arg), g->arg[arg].data, i,
                  (double)draw(whole ? 0 : -3, 3));
    memcpy(dense->arg[arg].data, g->arg[arg].data, g->arg[arg].size_b);
}

/* Weights of a group are a block on the dense ones' diagonal. */
static void fill_weights(struct side *g, struct side *dense)
{
    const struct xk_tensor_info *const t = &g->info->tensor[XK_ARG_WEI];
    const unsigned n = t->ndims;
    int64_t at[XK_MAX_NDIMS] = {0};
    for (;;) {
        int64_t same[XK_MAX_NDIMS] = {at[0] * t->dims[1] + at[1],
                                      at[0] * t->dims[2] + at[2]};
        for (unsigned d = 3; d < n; d++)
            same[d - 1] = at[d];
        const double v = (double)draw(-2, 2);
        typed_put(type_of(g, XK_ARG_WEI), g->arg[XK_ARG_WEI].data,
                  element(g, XK_ARG_WEI, at), v);
        typed_put(type_of(g, XK_ARG_WEI), dense->arg[XK_ARG_WEI].data,
                  element(dense, XK_ARG_WEI, same), v);
        unsigned d = n;
        while (d > 0 && ++at[d - 1] == t->dims[d - 1])
            at[--d] = 0;
        if (!d)
            return;
    }
}

static void set_axis(int64_t *i, int64_t *k, int64_t *s, int64_t *d, int64_t *p)
{
    *k = draw(1, 4);
    *s = draw(1, 2);
    *d = draw(0, 3) == 0;
    *p = draw(0, 2);
    *i = (*k - 1) * (*d + 1) + 1 + draw(0, 7);
}

static void set_problem(struct xk_conv_desc *d, unsigned run)
{
    static const uint32_t types[TYPES][3] = {
        {XK_F32, XK_F32, XK_F32}, {XK_F16, XK_F16, XK_F32},
        {XK_U8, XK_S8, XK_S32},   {XK_BF16, XK_BF16, XK_F32},
        {XK_F16, XK_F16, XK_F16}, {XK_S8, XK_S8, XK_S8}};
    static const int64_t channels[CHANNELS][2] = {{1, 1}, {1, 1},  {1, 3},
                                                  {5, 1}, {2, 4},  {4, 4},
                                                  {8, 8}, {17, 6}, {16, 32}};
    static const char *const tags[] = {"axb", "axb", "abx", "aBx16b"};
    const int64_t *const c = channels[run % CHANNELS];
    const uint32_t *const t = types[run / CHANNELS % TYPES];
    *d = (struct xk_conv_desc)XK_CONV_DESC_INIT;
    d->src_type = t[0];
    d->wei_type = t[1];
    d->dst_type = t[2];
    d->prop = draw(0, 1) ? XK_FWD_B : XK_FWD_D;
    d->g = draw(2, c[0] * c[1] > 70 ? 3 : 20);
    if (c[0] == c[1] && c[0] > 1 && c[0] < 16)
        d->g = 8 * draw(1, 2);
    d->mb = draw(1, 2);
    d->ic = d->g * c[0];
    d->oc = d->g * c[1];
    set_axis(&d->ih, &d->kh, &d->sh, &d->dh, &d->ph);
    set_axis(&d->iw, &d->kw, &d->sw, &d->dw, &d->pw);
    if (draw(0, 3) == 0) {
        set_axis(&d->id, &d->kd, &d->sd, &d->dd, &d->pd);
        d->od = 0; /* as many as fit */
    }
    strcpy(d->src_tag, tags[draw(0, XK_COUNTOF(tags) - 1)]);
    strcpy(d->dst_tag, tags[draw(0, XK_COUNTOF(tags) - 1)]);
    if (draw(0, 1))
        d->post_ops[d->n_post_ops++].kind = XK_POST_RELU;
}

START_TEST(groups_are_a_dense_convolution_with_zeros)
{
    struct side g = {.program = NULL}, dense = {.program = NULL};
    char text[256];
    set_seed(1000 + (uint64_t)_i);
    set_problem(&g.desc, (unsigned)_i);
    dense.desc = g.desc;
    dense.desc.g = 1;
    create(&g);
    create(&dense);
    fill(&g, &dense, XK_ARG_SRC);
    if (g.info->tensor[XK_ARG_BIA].ndims)
        fill(&g, &dense, XK_ARG_BIA);
    fill_weights(&g, &dense);
    lab_run(g.program, g.arg);
    lab_run(dense.program, dense.arg);
    xk_conv_desc_print(&g.desc, text, sizeof(text));
    ck_assert_msg(memcmp(g.arg[XK_ARG_DST].data, dense.arg[XK_ARG_DST].data,
                         g.arg[XK_ARG_DST].size_b) == 0,
                  "seed %d: %s, %s to %s: another dst", _i, text,
                  g.desc.src_tag, g.desc.dst_tag);
    destroy(&g);
    destroy(&dense);
}
END_TEST

/* Which of the three ways a problem takes, and what query says of it. */
static const struct {
    const char *problem;
    uint32_t src, wei;
    const char *schedule; /* of the main kernel begins so */
    bool packs;
} ways[] = {
    {"g32mb1ic32ih9oc32kh3ph1", XK_F16, XK_F16, "fma=lanes", false},
    {"g32mb1ic32ih9oc64kh3ph1", XK_U8, XK_S8, "fma=lanes", false},
    {"g32ic32iw9oc32kw3pw1", XK_F32, XK_F32, "fma=lanes", false},
    {"g24mb1ic24id4oc24kd3pd1", XK_BF16, XK_BF16, "fma=lanes", false},
    {"g8mb1ic16ih9oc16kh3ph1", XK_F32, XK_F32, "fma=lanes", false},
    {"g32mb1ic128ih9oc128kh3ph1", XK_F16, XK_F16, "fma=dpas", true},
    {"g32mb1ic256ih9oc256kh3ph1", XK_U8, XK_S8, "fma=dpas", true},
    {"g2mb1ic64ih9oc64kh3ph1", XK_F16, XK_F16, "fma=dpas", false},
    {"g3mb1ic12ih9oc12kh3ph1", XK_F16, XK_F16, "fma=", false},
    {"g2mb1ic34ih9oc2kh7ph3", XK_U8, XK_S8, "fma=d", false},
};

START_TEST(groups_are_multiplied_in_one_of_three_ways)
{
    struct side s = {.desc = XK_CONV_DESC_INIT};
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_error err;
    s.desc.src_type = ways[_i].src;
    s.desc.wei_type = ways[_i].wei;
    ck_assert_int_eq(
        xk_conv_desc_parse(ways[_i].problem, &s.desc, NULL, 0, &err), XK_OK);
    create(&s);
    ck_assert_int_eq(xk_conv_query(&s.desc, &info, &err), XK_OK);
    ck_assert_uint_eq(info.n_launches, ways[_i].packs ? 2 : 1);
    ck_assert_uint_eq(info.n_launches, s.info->n_launches);
    ck_assert_uint_eq(info.scratch_b, s.info->scratch_b);
    ck_assert_int_eq(info.scratch_b > 0, ways[_i].packs);
    const char *const schedule =
        xk_program_launch(s.program, ways[_i].packs)->schedule;
    ck_assert_msg(
        strncmp(schedule, ways[_i].schedule, strlen(ways[_i].schedule)) == 0,
        "%s: %s", ways[_i].problem, schedule);
    destroy(&s);
}
END_TEST

/* Gradients by data and deconvolutions, a class of residues a launch. */
static const struct {
    const char *problem;
    uint32_t alg, prop, type;
    unsigned launches;
} lanes_rows[] = {
    {"g32mb1ic32ih9oc32kh3ph1", XK_ALG_DIRECT, XK_BWD_D, XK_F16, 1},
    {"g32mb1ic32ih9oc32kh3ph1sh2", XK_ALG_DIRECT, XK_BWD_D, XK_BF16, 4},
    {"g32mb1ic32ih9oc64kh3ph1", XK_ALG_DIRECT, XK_BWD_D, XK_F32, 1},
    {"g32mb1ic32ih9oc32kh3ph1", XK_ALG_DECONV_DIRECT, XK_FWD_B, XK_F16, 1},
    {"g32mb1ic32ih7oc32kh3ph1", XK_ALG_DIRECT, XK_BWD_W, XK_F16, 1},
};

START_TEST(moved_places_of_groups_are_in_the_lanes)
{
    struct side s = {.desc = XK_CONV_DESC_INIT};
    s.desc.alg = lanes_rows[_i].alg;
    s.desc.prop = lanes_rows[_i].prop;
    s.desc.src_type = s.desc.wei_type = lanes_rows[_i].type;
    ck_assert_int_eq(
        xk_conv_desc_parse(lanes_rows[_i].problem, &s.desc, NULL, 0, NULL),
        XK_OK);
    create(&s);
    ck_assert_uint_eq(s.info->n_launches, lanes_rows[_i].launches);
    for (unsigned i = 0; i < lanes_rows[_i].launches; i++) {
        const char *const schedule = xk_program_launch(s.program, i)->schedule;
        ck_assert_msg(strncmp(schedule, "fma=lanes", 9) == 0, "%s: %s",
                      lanes_rows[_i].problem, schedule);
    }
    destroy(&s);
}
END_TEST

/* What the lanes cannot do is refused where a schedule asks for them. */
static const struct {
    const char *problem, *schedule, *rule;
    uint32_t alg, prop, src, wei, zero_point;
} refused_rows[] = {
    /* A deconvolution's sums of zero points are taken from s32, which the lanes
     * have with dp4a alone. */
    {"g32mb2ic32ih9oc32kh3ph1", "fma=lanes k=1", "step", XK_ALG_DECONV_DIRECT,
     XK_FWD_D, XK_U8, XK_S8, XK_QUANT_DEVICE},
    /* A dilation that the stride divides leaves classes without a tap. */
    {"g32mb1ic32ih9oc32kh3ph1dh1sh2", "fma=lanes", "lanes", XK_ALG_DIRECT,
     XK_BWD_D, XK_F16, XK_F16, XK_QUANT_NONE},
    {"g32mb2ic32ih9oc32kh3ph2dh1sh2", "fma=lanes", "lanes",
     XK_ALG_DECONV_DIRECT, XK_FWD_D, XK_F32, XK_F32, XK_QUANT_NONE},
    /* Steps of K are for one column a group, and for floats. */
    {"g16mb1ic16ih4oc32oh4kh3ph1", "fma=lanes walk=:op m=4 k=3", "step",
     XK_ALG_DIRECT, XK_FWD_D, XK_F32, XK_F32, XK_QUANT_NONE},
    {"g32mb1ic32ih4oc32oh4kh3ph1", "fma=lanes walk=:op m=4 k=3", "step",
     XK_ALG_DIRECT, XK_FWD_D, XK_U8, XK_S8, XK_QUANT_NONE},
};

START_TEST(what_lanes_cannot_do_is_refused)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err;
    xk_program *p = NULL;
    char rule[32];
    d.alg = refused_rows[_i].alg;
    d.prop = refused_rows[_i].prop;
    d.src_type = refused_rows[_i].src;
    d.wei_type = refused_rows[_i].wei;
    d.attr.zero_point[XK_ARG_SRC].source = refused_rows[_i].zero_point;
    ck_assert_int_eq(
        xk_conv_desc_parse(refused_rows[_i].problem, &d, NULL, 0, NULL), XK_OK);
    setenv("XK_SCHEDULE", refused_rows[_i].schedule, 1);
    const enum xk_status st = xk_conv_create(&d, NULL, &p, &err);
    unsetenv("XK_SCHEDULE");
    ck_assert_int_eq(st, XK_EINVAL);
    snprintf(rule, sizeof(rule), "breaks the rule %s", refused_rows[_i].rule);
    ck_assert_msg(strstr(err.message, rule) != NULL, "%s", err.message);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("groups");
    TCase *const t = tcase_create("groups");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, groups_are_a_dense_convolution_with_zeros, 0, RUNS);
    tcase_add_loop_test(t, groups_are_multiplied_in_one_of_three_ways, 0,
                        (int)XK_COUNTOF(ways));
    tcase_add_loop_test(t, what_lanes_cannot_do_is_refused, 0,
                        (int)XK_COUNTOF(refused_rows));
    tcase_add_loop_test(t, moved_places_of_groups_are_in_the_lanes, 0,
                        (int)XK_COUNTOF(lanes_rows));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
