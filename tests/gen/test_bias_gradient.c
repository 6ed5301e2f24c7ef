/* SPDX-License-Identifier: Apache-2.0 */
/* A gradient of the bias that comes out of the loop of the weights' gradient:
 * one launch, both against the definition. Integers, so sums are exact. */
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "conv/conv.h"
#include "conv/tensors.h"
#include "gen/split_sum.h"
#include "tests/element.h"
#include "tests/gen/launches_lab.h"
#include "tests/tap.h"
#include "views/access.h"

static const struct bias_case {
    const char *text, *src, *dst; /* tags */
    const char *schedule;
    unsigned launches;
    uint32_t type; /* of src and dst; 0: f32 */
} bias_cases[] = {
    {"mb2ic20ih5oc24kh3ph1", "any", "any", "splits=1", 1},
    {"mb3ic17ih4oc19kh3ph1sh2", "acdb", "acdb",
     "splits=1 fma=mad m=16 n=16 walk=o:p", 1},
    {"mb3ic17ih4oc19kh3ph1sh2", "acdb", "acdb",
     "splits=1 fma=mad m=8 n=8 simd=8", 1},
    {"mb7ic33ih3oc40kh2ph1dh1", "abcd", "abcd",
     "splits=1 fma=mad n=32 k=3 slots=1,1 grf=256", 1},
    {"mb5ic9ih4iw6oc48kh1kw1", "acdb", "acdb", "splits=1 fma=mad k=4 tg=4x2",
     1},
    {"mb2ic16ih4oc32kh1", "abcd", "acdb", "splits=1 fma=mad walk=:po slots=2,2",
     1},
    {"mb2ic16ih4oc32kh1", "abcd", "acdb",
     "splits=1 fma=mad walk=:po slots=1,2 k=2", 1},
    {"mb4ic16ih4oc32kh1", "acdb", "acdb", "splits=1 fma=mad walk=:op", 1},
    {"mb3ic16ih5oc32kh3ph2", "aBcd16b", "aBcd16b", "splits=1 fma=mad walk=:op",
     1},
    {"g3mb2ic12ih5oc24kh3ph1", "acdb", "acdb", "splits=1 fma=mad", 1},
    {"g4mb2ic4ih5oc4kh3ph1", "acdb", "acdb", "splits=1 fma=mad", 1},
    {"mb2ic8iw30oc20kw5pw2", "acb", "acb", "splits=1 fma=mad", 1},
    {"mb1ic3id3ih4iw4oc17kd2kh3kw3ph1pw1", "acdeb", "acdeb",
     "splits=1 fma=mad grf=256", 1},
    /* Places of dst that meet no element of src count, too. */
    {"mb2ic16ih4oc16kh3ph5", "acdb", "acdb", "splits=1 fma=mad", 1},
    /* In parts: these, and what adds up each gradient's. */
    {"mb4ic20ih6oc24kh3ph1", "any", "any", "splits=2", 3},
    {"mb4ic20ih6oc24kh3ph1", "acdb", "acdb", "splits=6 fma=mad walk=o:p", 3},
    {"mb6ic17ih4oc19kh1", "acdb", "acdb", "splits=3 fma=mad walk=:op", 3},
    {"g3mb2ic12ih6oc24kh3ph1", "acdb", "acdb", "splits=2 fma=mad", 3},
    {"mb2ic8id4ih3iw4oc17kd1kh3kw1ph1", "acdeb", "acdeb", "splits=4", 3},
    /* Slices would have to add their sums up: launches of its own. */
    {"mb4ic16ih4oc32kh1", "any", "any",
     "splits=1 fma=mad walk=:op slices=2 k=4", 3},
    /* dpas: in steps of 16, of one, four and eight slices. */
    {"mb16ic20ih4oc24kh3ph1", "any", "any", "splits=1 slices=1", 1, XK_F16},
    {"mb4ic17ih4oc19kh3ph1", "acdb", "acdb",
     "splits=1 fma=dpas n=16 nsub=16 slices=1 walk=:op", 1, XK_BF16},
    {"mb3ic17ih4oc35kh3ph1", "acdb", "acdb",
     "splits=1 fma=dpasw m=16 n=32 nsub=32 slices=1 walk=:op", 1, XK_F16},
    {"mb16ic16ih4oc80kh1", "acdb", "acdb",
     "splits=1 fma=dpas m=8 n=32 nsub=32 slices=4 walk=:op", 1, XK_BF16},
    {"mb16ic32ih4oc80kh3ph1", "any", "any",
     "splits=1 fma=dpasw m=32 n=32 nsub=32 slices=4 walk=:op", 1, XK_F16},
    /* A turned B, whose slices 2 and 3 exchange both of their places. */
    {"mb16ic32ih4oc64kh3ph1", "acdb", "acdb",
     "splits=1 fma=dpasw m=16 n=32 nsub=32 slices=4 walk=:op", 1, XK_F16},
    {"mb32ic32ih8oc64kh3ph1", "acdb", "acdb",
     "splits=2 fma=dpasw m=16 n=32 nsub=32 slices=4 walk=:op", 3, XK_F16},
    {"mb16ic32ih4oc96kh1", "acdb", "acdb",
     "splits=1 fma=dpasw m=16 n=32 nsub=32 slices=4 tg=2x1 walk=:op", 1,
     XK_BF16},
    {"mb32ic16ih4oc40kh1", "any", "any",
     "splits=1 fma=dpas m=8 n=64 nsub=64 slices=8 walk=:op", 1, XK_F16},
    {"mb32ic16ih4oc72kh1", "any", "any",
     "splits=1 fma=dpasw m=8 n=64 nsub=64 slices=8 tg=2x1 walk=:op", 1,
     XK_BF16},
    {"g2mb16ic32ih4oc64kh3ph1", "acdb", "acdb", "splits=1 slices=1", 1, XK_F16},
    {"mb32ic16ih8oc40kh3ph1", "any", "any", "splits=4 slices=4 walk=:op", 3,
     XK_F16},
    {"mb32ic16ih4oc40kh3ph1", "acdb", "acdb", "splits=2 slices=1", 3, XK_BF16},
    /* A step that is not whole: launches of its own. */
    {"mb3ic17ih3oc19kh1", "acdb", "acdb", "splits=1 slices=1", 3, XK_F16},
};

struct tensors {
    const struct xk_conv_info *info;
    void *data[XK_N_CONV_ARGS];
};

static float at(const struct tensors *t, unsigned arg, const int64_t *index)
{
    const struct xk_tensor_info *const x = &t->info->tensor[arg];
    const int64_t e = element_at(x, index);
    if (x->type == XK_F32)
        return ((const float *)t->data[arg])[e];
    const uint16_t v = ((const uint16_t *)t->data[arg])[e];
    return x->type == XK_F16 ? xk_half_to_float(v) : xk_bf16_to_float(v);
}

static void put(const struct tensors *t, unsigned arg, int64_t e, float v)
{
    const uint32_t type = t->info->tensor[arg].type;
    if (type == XK_F32)
        ((float *)t->data[arg])[e] = v;
    else
        ((uint16_t *)t->data[arg])[e] =
            type == XK_F16 ? xk_half_from_float(v) : xk_bf16_from_float(v);
}

/* Small integers in the elements, and zeros in padding. */
static void fill_integers(const struct tensors *t, unsigned arg)
{
    const struct xk_tensor_info *const x = &t->info->tensor[arg];
    unsigned seed = 3 + arg;
    int64_t n = 1;
    for (uint32_t d = 0; d < x->ndims; d++)
        n *= x->dims[d];
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, index[XK_MAX_NDIMS];
        for (uint32_t d = x->ndims; d-- > 0; rest /= x->dims[d])
            index[d] = rest % x->dims[d];
        put(t, arg, element_at(x, index), (float)(rand_r(&seed) / 7 % 15 - 7));
    }
}

/* What meets tap k at place o along a dim; -1: padding. */
static int64_t meets(int64_t o, int64_t k, int64_t stride, int64_t dilation,
                     int64_t pad, int64_t extent)
{
    const int64_t i = o * stride + k * (dilation + 1) - pad;
    return i < 0 || i >= extent ? -1 : i;
}

/* Adds the terms of one place of dst to all weights that it meets. */
struct spatial {
    int64_t o[3], k[3];
};

static double term(const struct xk_conv_desc *d, const struct tensors *t,
                   const struct spatial *s, const int64_t *c)
{
    const int64_t i[3] = {meets(s->o[0], s->k[0], d->sd, d->dd, d->pd, d->id),
                          meets(s->o[1], s->k[1], d->sh, d->dh, d->ph, d->ih),
                          meets(s->o[2], s->k[2], d->sw, d->dw, d->pw, d->iw)};
    int64_t src[5] = {c[0], c[1]}, dst[5] = {c[0], c[2]};
    const unsigned first = 5u - t->info->tensor[XK_ARG_SRC].ndims;
    for (unsigned n = first; n < 3; n++) {
        src[2 + n - first] = i[n];
        dst[2 + n - first] = s->o[n];
    }
    if (i[0] < 0 || i[1] < 0 || i[2] < 0)
        return 0;
    return (double)at(t, XK_ARG_SRC, src) * at(t, XK_ARG_DST, dst);
}

static void next(int64_t *v, const int64_t *end)
{
    for (unsigned n = 3; n-- > 0; v[n] = 0)
        if (++v[n] < end[n])
            return;
}

static double weight(const struct xk_conv_desc *d, const struct tensors *t,
                     const int64_t *k, int64_t in, int64_t out)
{
    const int64_t end[3] = {d->od, d->oh, d->ow};
    struct spatial s = {.k = {k[0], k[1], k[2]}};
    double sum = 0;
    for (int64_t n = 0; n < d->mb * d->od * d->oh * d->ow; n++) {
        const int64_t c[3] = {n / (d->od * d->oh * d->ow), in, out};
        sum += term(d, t, &s, c);
        next(s.o, end);
    }
    return sum;
}

static void check_weights(const struct xk_conv_desc *d, const struct tensors *t)
{
    const int64_t taps[3] = {d->kd, d->kh, d->kw};
    const int64_t in = d->ic / d->g, out = d->oc / d->g;
    int64_t k[3] = {0};
    for (int64_t n = 0; n < d->kd * d->kh * d->kw; n++, next(k, taps))
        for (int64_t c = 0; c < d->oc * in; c += 3) { /* every third */
            const int64_t o = c / in, i = c % in, g = o / out;
            int64_t wei[6] = {g, o % out, i};
            const unsigned of = d->g > 1,
                           n_k = t->info->tensor[XK_ARG_WEI].ndims - 2 - of;
            wei[of] = o % out;
            wei[of + 1] = i;
            for (unsigned x = 0; x < n_k; x++)
                wei[of + 2 + x] = k[3 - n_k + x];
            ck_assert_double_eq((double)at(t, XK_ARG_WEI, wei),
                                weight(d, t, k, g * in + i, o));
        }
}

static void check_bias(const struct xk_conv_desc *d, const struct tensors *t)
{
    const int64_t end[3] = {d->od, d->oh, d->ow};
    const unsigned first = 5u - t->info->tensor[XK_ARG_DST].ndims;
    for (int64_t c = 0; c < d->oc; c++) {
        double sum = 0;
        int64_t o[3] = {0};
        for (int64_t n = 0; n < d->mb * d->od * d->oh * d->ow; n++) {
            int64_t dst[5] = {n / (d->od * d->oh * d->ow), c};
            for (unsigned x = first; x < 3; x++)
                dst[2 + x - first] = o[x];
            sum += at(t, XK_ARG_DST, dst);
            next(o, end);
        }
        const float got = at(t, XK_ARG_BIA, &c);
        ck_assert_msg(got == (float)sum, "bias %d is %g, not %g", (int)c, got,
                      sum);
    }
}

static xk_program *make(const struct bias_case *x)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err;
    xk_program *p;
    d.prop = XK_BWD_WB;
    d.wei_type = d.bia_type = XK_F32;
    d.src_type = d.dst_type = x->type ? x->type : XK_F32;
    ck_assert_int_eq(xk_conv_desc_parse(x->text, &d, NULL, 0, NULL), XK_OK);
    strcpy(d.src_tag, x->src);
    strcpy(d.dst_tag, x->dst);
    d.attr.deterministic = 1;
    setenv("XK_SCHEDULE", x->schedule, 1);
    const enum xk_status st = xk_conv_create(&d, NULL, &p, &err);
    unsetenv("XK_SCHEDULE");
    ck_assert_msg(st == XK_OK, "%s: %s", x->schedule, err.message);
    return p;
}

START_TEST(both_gradients_come_out_of_one_loop)
{
    const struct bias_case *const x = &bias_cases[_i];
    xk_program *const p = make(x);
    struct tensors t = {.info = xk_program_info(p)};
    struct xk_conv_desc d = XK_CONV_DESC_INIT, all;
    xk_ctx *const c = xk_ctx_create(NULL);
    struct lab_arg arg[XK_N_PROGRAM_ARGS] = {{NULL, 0}};
    d.prop = XK_BWD_WB;
    ck_assert_int_eq(xk_conv_desc_parse(x->text, &d, NULL, 0, NULL), XK_OK);
    ck_assert_int_eq(xk_conv_check(c, &d, &all), XK_OK);
    ck_assert_uint_eq(t.info->n_launches, x->launches);
    const bool apart =
        !strstr(x->schedule, "splits=1") ? x->launches != 3 : x->launches > 1;
    ck_assert_uint_eq(xk_program_launch(p, 0)->n_args, apart ? 3 : 4);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const size_t size_b = (size_t)t.info->tensor[i].size_b;
        t.data[i] = calloc(1, size_b + 1);
        arg[i] = (struct lab_arg){t.data[i], size_b};
        if (i == XK_ARG_SRC || i == XK_ARG_DST)
            fill_integers(&t, i);
        else
            memset(t.data[i], 0xa5, size_b);
    }
    lab_run(p, arg);
    check_bias(&all, &t);
    check_weights(&all, &t);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        free(t.data[i]);
    xk_ctx_destroy(c);
    xk_program_unref(p);
}
END_TEST

static unsigned index_of(const struct xk_contraction *p, const char *name)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (!strcmp(p->index[i].name, name))
            return i;
    ck_abort_msg("no index %s", name);
}

static void nowhere(struct xk_contraction *p)
{
    p->n_inputs = 0;
}

static void of_bytes(struct xk_contraction *p)
{
    p->b.layout.dt = XK_DT_S8;
}

static void to_halves(struct xk_contraction *p)
{
    p->input[0].layout.dt = XK_DT_F16;
}

static void by_no_column(struct xk_contraction *p)
{
    p->input[0].at[0].coef[index_of(p, "oc")] = 0;
}

static void by_a_row(struct xk_contraction *p)
{
    p->input[0].at[0].coef[index_of(p, "ic")] = 1;
}

static void by_a_term(struct xk_contraction *p)
{
    p->input[0].at[0].coef[index_of(p, "mb")] = 1;
}

static void read_behind(struct xk_contraction *p)
{
    p->epi[p->n_epi++] = (struct xk_epi_op){.kind = XK_EPI_ADD, .input = 0};
}

static const struct {
    void (*make)(struct xk_contraction *);
    const char *message; /* how it begins */
} refused_totals[] = {
    {nowhere, "contraction: B's sums go nowhere"},
    {of_bytes, "bia: sums of B over K"},
    {to_halves, "bia: sums of B over K"},
    {by_no_column, "bia: sums of B over K"},
    {by_a_row, "bia: sums of B over K"},
    {by_a_term, "bia: sums of B over K"},
    {read_behind, "bia: sums of B over K"},
};

START_TEST(other_sums_of_b_are_refused)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT, all;
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_contraction bias, con;
    d.prop = XK_BWD_WB;
    d.src_type = d.wei_type = d.dst_type = d.bia_type = XK_F32;
    ck_assert_int_eq(xk_conv_desc_parse("mb2ic4ih3oc8kh1", &d, NULL, 0, NULL),
                     XK_OK);
    ck_assert_int_eq(xk_conv_check(c, &d, &all), XK_OK);
    ck_assert_int_eq(xk_conv_backward_weights(c, &all, NULL, &con), XK_OK);
    ck_assert_int_eq(xk_conv_backward_bias(c, &all, NULL, &bias), XK_OK);
    xk_conv_share_bias(&bias, &con);
    ck_assert_int_eq(xk_contraction_check(c, &con), XK_OK);
    refused_totals[_i].make(&con);
    ck_assert_int_eq(xk_contraction_check(c, &con), XK_EINVAL);
    ck_assert_msg(!strncmp(c->error.message, refused_totals[_i].message,
                           strlen(refused_totals[_i].message)),
                  "%s", c->error.message);
    xk_ctx_destroy(c);
}
END_TEST

static void parse_f16(const char *text, struct xk_conv_desc *d)
{
    *d = (struct xk_conv_desc)XK_CONV_DESC_INIT;
    d->prop = XK_BWD_WB;
    d->src_type = d->dst_type = d->wei_type = XK_F16;
    ck_assert_int_eq(xk_conv_desc_parse(text, d, NULL, 0, NULL), XK_OK);
    strcpy(d->src_tag, "acdb");
    strcpy(d->dst_tag, "acdb");
}

/* Parts of the bias's sum are columns, too: those of one part follow each
 * other, so that B comes in blocks where memory has channels innermost. */
START_TEST(columns_of_a_part_are_neighbours)
{
    const struct xk_split_ask ask = {.given = 14, .ordered = true};
    struct xk_conv_desc d, all;
    struct xk_contraction bias;
    struct xk_split_sum s;
    xk_ctx *const c = xk_ctx_create(NULL);
    int64_t stride_b = 0, run;
    unsigned columns = 0;
    parse_f16("mb16ic16ih14oc256kh1", &d);
    ck_assert_int_eq(xk_conv_check(c, &d, &all), XK_OK);
    ck_assert_int_eq(xk_conv_backward_bias(c, &all, NULL, &bias), XK_OK);
    ck_assert_int_eq(xk_contraction_check(c, &bias), XK_OK);
    ck_assert_int_eq(xk_split_sum_choose(c, xk_platform_get(XK_PLATFORM_XEHPG),
                                         &bias, ask, &s),
                     XK_OK);
    for (unsigned i = 0; i < s.of.n_index; i++) {
        if (s.of.index[i].role != XK_ROLE_N)
            continue;
        columns++;
        ck_assert(xk_access_stride_b(&s.of, &s.of.b, i, &stride_b, &run));
    }
    ck_assert_uint_eq(columns, 2); /* the part, and then the channel */
    ck_assert_int_eq(stride_b, 2);
    xk_ctx_destroy(c);
}
END_TEST

/* Four parts of the weights' sums read 16 MB together, which takes memory
 * longer than a row of ones takes the loop. */
START_TEST(parts_are_held_against_memory)
{
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_conv_desc d;
    struct xk_error err;
    parse_f16("mb16ic512ih28oc128kh1", &d);
    ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s", err.message);
    ck_assert_uint_eq(info.n_launches, 3);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("bias_gradient");
    TCase *const t = tcase_create("bias_gradient");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, both_gradients_come_out_of_one_loop, 0,
                        (int)XK_COUNTOF(bias_cases));
    tcase_add_loop_test(t, other_sums_of_b_are_refused, 0,
                        (int)XK_COUNTOF(refused_totals));
    tcase_add_test(t, columns_of_a_part_are_neighbours);
    tcase_add_test(t, parts_are_held_against_memory);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
