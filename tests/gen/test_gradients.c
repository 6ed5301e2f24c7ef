/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of convolutions as programs of one launch a class, made from
 * their contractions, run on the simulator with its checkers, and compared with
 * the textbook's loops. Integers, so sums are exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/tensors.h"
#include "gen/contraction_launches.h"
#include "launches_lab.h"
#include "tests/conv/conv_nest.h"
#include "tests/conv/textbook.h"
#include "tests/tap.h"
#include "typed.h"

enum { MOST = 1 << 14 }; /* elements of a tensor */

static xk_ctx *c;
static struct xk_arena arena;
static int64_t tensor[XK_N_CONV_ARGS][MOST], want[MOST];
static uint64_t data[XK_N_CONV_ARGS][MOST / 2];

static void setup(void)
{
    c = xk_ctx_create(NULL);
    xk_arena_init(&arena, c);
}

static void teardown(void)
{
    xk_arena_fini(&arena);
    xk_ctx_destroy(c);
}

static int64_t below(unsigned *seed, int64_t n)
{
    return rand_r(seed) / 7 % n;
}

static const uint32_t types[] = {XK_F32, XK_F16};
static const char *const tags[][3] = {
    {"abcd", "abcd", "abcd"},
    {"acdb", "cdba", "acdb"},
    {"aBcd16b", "abcd", "aBcd16b"},
    {"acdb", "AcdB16a16b", "aBcd16b"},
};

/* One dim, or two; strides up to 3. */
static void any_problem(unsigned *seed, bool square, struct xk_conv_desc *d)
{
    const int64_t last = square ? 6 : 24;
    *d = (struct xk_conv_desc)XK_CONV_DESC_INIT;
    d->mb = 1 + below(seed, 2);
    d->ic = 1 + below(seed, 20);
    d->oc = 1 + below(seed, 20);
    d->ih = square ? 1 + below(seed, 6) : 1;
    d->kh = square ? 1 + below(seed, 3) : 1;
    d->sh = square ? 1 + below(seed, 3) : 1;
    d->dh = square ? below(seed, 2) : 0;
    d->ph = square ? below(seed, 3) : 0;
    d->oh = square ? 1 + below(seed, 5) : 1;
    d->iw = 1 + below(seed, last);
    d->kw = 1 + below(seed, square ? 3 : 6);
    d->sw = 1 + below(seed, 3);
    d->dw = below(seed, 3);
    d->pw = below(seed, 4);
    d->ow = 1 + below(seed, square ? 5 : 12);
}

/* One that forward would take, its tensors in any layout. */
static void next_problem(unsigned *seed, bool square, struct xk_conv_desc *full,
                         struct xk_conv_info *info)
{
    const char *const *const tag = tags[below(seed, 4)];
    const uint32_t type = types[below(seed, 2)];
    struct xk_conv_desc d;
    do {
        xk_ctx_clear(c);
        any_problem(seed, square, &d);
    } while (xk_conv_check(c, &d, full) != XK_OK);
    full->src_type = full->wei_type = full->dst_type = type;
    *info = (struct xk_conv_info){.size = sizeof(*info)};
    ck_assert_msg(test_conv_tensors(c, full, tag, info) == XK_OK, "%s",
                  c->error.message);
}

static enum xk_dtype type_of(const struct xk_conv_desc *f, unsigned arg)
{
    return xk_conv_dtype(arg == XK_ARG_SRC   ? f->src_type
                         : arg == XK_ARG_WEI ? f->wei_type
                                             : f->dst_type);
}

/* Small integers in all elements, zeros in padding. */
static void fill(unsigned *seed, const struct xk_conv_desc *f,
                 const struct xk_conv_info *info, unsigned arg)
{
    const struct xk_tensor_info *const t = &info->tensor[arg];
    int64_t at[4] = {0}, n = 1;
    memset(tensor[arg], 0, sizeof(tensor[arg]));
    memset(data[arg], 0, sizeof(data[arg]));
    for (unsigned d = 0; d < 4; d++)
        n *= t->dims[d];
    ck_assert_uint_le(t->size_b, sizeof(data[arg]) / 2);
    for (; n; n--) {
        const int64_t e = textbook_element(info, arg, at);
        tensor[arg][e] = below(seed, 4) - 2;
        typed_put(type_of(f, arg), data[arg], e, (double)tensor[arg][e]);
        for (unsigned d = 4; d-- > 0;) {
            if (++at[d] < t->dims[d])
                break;
            at[d] = 0;
        }
    }
}

static xk_program *make(const struct xk_contraction *p,
                        const struct xk_conv_info *info, unsigned result)
{
    static const char *const names[] = {"src", "wei", "bia", "dst"};
    static const unsigned numbers[] = {XK_ARG_SRC, XK_ARG_WEI, XK_ARG_DST};
    struct xk_program_arg_info args[3];
    struct xk_contraction_launches made;
    memset(args, 0, sizeof(args));
    for (unsigned i = 0; i < 3; i++) {
        snprintf(args[i].name, sizeof(args[i].name), "%s", names[numbers[i]]);
        args[i].number = numbers[i];
        args[i].size_b = info->tensor[numbers[i]].size_b;
        args[i].written = numbers[i] == result;
    }
    ck_assert_msg(xk_contraction_check(c, p) == XK_OK, "%s", c->error.message);
    ck_assert_msg(xk_contraction_launches_make(
                      c, &arena, xk_platform_get(XK_PLATFORM_XEHPG), p, false,
                      &made) == XK_OK,
                  "%s", c->error.message);
    const struct xk_launches list = {
        .n_args = 3, .args = args, .n = made.n, .at = made.launch};
    return lab_must_make_in(c, &list);
}

static void run(const struct xk_conv_desc *f, const struct xk_conv_info *info,
                const struct xk_contraction *p, unsigned result,
                const char *what)
{
    const enum xk_dtype t = type_of(f, result);
    const int64_t *all[XK_N_CONV_ARGS];
    struct lab_arg args[XK_N_CONV_ARGS];
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        all[i] = tensor[i];
        args[i] = (struct lab_arg){data[i], (size_t)info->tensor[i].size_b};
    }
    memset(want, 0, sizeof(want));
    memset(data[result], 0, sizeof(data[result]));
    textbook_products(f, info, result, all, want);
    xk_program *const program = make(p, info, result);
    lab_run(program, args);
    xk_program_unref(program);
    for (size_t i = 0; i < args[result].size_b / xk_dtype_b(t); i++)
        ck_assert_msg(typed_get(t, data[result], (int64_t)i) ==
                          typed_as(t, (double)want[i]),
                      "%s: element %zu is %g, not %lld", what, i,
                      typed_get(t, data[result], (int64_t)i),
                      (long long)want[i]);
}

/* A problem's text, for messages. */
static const char *text_of(const struct xk_conv_desc *f, unsigned seed)
{
    static char text[300];
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_conv_print(f, &s);
    snprintf(text, sizeof(text), "seed %u: %s", seed, xk_str_get(&s));
    xk_str_fini(&s);
    return text;
}

static unsigned strided, empty, uneven, last;

static void both(unsigned seed, bool square)
{
    const unsigned first = seed;
    struct xk_conv_desc f;
    struct xk_conv_info info;
    struct xk_contraction p;
    next_problem(&seed, square, &f, &info);
    for (unsigned a = 0; a < XK_N_CONV_ARGS; a++)
        if (info.tensor[a].ndims)
            fill(&seed, &f, &info, a);
    const struct xk_conv_tiled may = xk_conv_may_tile(&f);
    const unsigned ways[] = {may.all, may.even, may.last};
    const unsigned tiled = ways[below(&seed, 3)];
    last += (tiled & ~may.all) != 0;
    uneven += tiled != may.even;
    ck_assert_int_eq(xk_conv_backward_data(c, &arena, &f, &info, tiled, &p),
                     XK_OK);
    strided += f.sw > 1;
    for (unsigned r = 0; r < p.class_dim[1].n; r++)
        empty += !p.class_dim[1].k_extent[r];
    run(&f, &info, &p, XK_ARG_SRC, text_of(&f, first));
    fill(&seed, &f, &info, XK_ARG_SRC);
    ck_assert_int_eq(xk_conv_backward_weights(c, &f, &info, &p), XK_OK);
    run(&f, &info, &p, XK_ARG_WEI, text_of(&f, first));
}

enum { EACH = 10 };

START_TEST(one_dim)
{
    for (unsigned i = 0; i < EACH; i++)
        both(3000u + (unsigned)_i * EACH + i, false);
}
END_TEST

START_TEST(two_dims)
{
    for (unsigned i = 0; i < EACH; i++)
        both(4000u + (unsigned)_i * EACH + i, true);
}
END_TEST

/* What the problems above were meant to have. */
START_TEST(there_were_strides_and_empty_classes)
{
    ck_assert_uint_gt(strided, 50);
    ck_assert_uint_gt(empty, 20);
    ck_assert_uint_gt(uneven, 20);
    ck_assert_uint_gt(last, 10);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("gradients");
    TCase *const t = tcase_create("gradients");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, one_dim, 0, 10);
    tcase_add_loop_test(t, two_dims, 0, 10);
    tcase_add_test(t, there_were_strides_and_empty_classes);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
