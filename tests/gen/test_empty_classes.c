/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of classes without a term have the elements of these classes, each
 * once, and no others; and there are few of them. Classes that a batch counts
 * have those of classes, too. */
#include <stdlib.h>
#include <string.h>

#include "conv/tensors.h"
#include "gen/empty_classes.h"
#include "tests/arena_fixture.h"
#include "tests/tap.h"
#include "xekern/xekern.h"

enum { MOST = 1 << 14, MOST_BOXES = 8 };

/* The place in C of the indices, counted as if C were dense; -1: beside it. */
static int64_t place_of(const struct xk_contraction *p, const int64_t *at)
{
    int64_t place = 0;
    for (unsigned d = 0; d < p->c.n_coord; d++) {
        const struct xk_coord *const x = &p->c.at[d];
        int64_t v = x->base;
        for (unsigned i = 0; i < p->n_index; i++)
            v += x->coef[i] * at[i];
        if (v < x->lo || v >= x->hi)
            return -1;
        place = place * p->c.layout.dim[d] + v;
    }
    return place;
}

/* Counts how often each element of C is written. batch: the places of indices
 * in front, which stay; NULL: all are walked. */
static void count_places(const struct xk_contraction *p, const uint32_t *batch,
                         unsigned n_batch, unsigned *n)
{
    int64_t at[XK_MAX_INDEX] = {0};
    for (unsigned i = 0; i < n_batch; i++)
        at[i] = batch[i];
    for (;;) {
        unsigned i = p->n_index;
        const int64_t place = place_of(p, at);
        ck_assert_int_lt(place, MOST);
        if (place >= 0)
            n[place]++;
        while (i-- > n_batch) {
            if (p->index[i].role != XK_ROLE_K && ++at[i] < p->index[i].extent)
                break;
            at[i] = 0;
        }
        if (i + 1 == n_batch)
            return;
    }
}

static const struct {
    const char *problem;
    bool deconv;
    unsigned boxes;
    bool uneven; /* bases of classes are not a line */
} rows[] = {
    {"mb2ic3ih13oc2oh5kh1sh3", false, 2},
    {"mb1ic2ih12iw9oc2oh3ow5kh2kw1sh4sw2ph0pw0", false, 2},
    {"mb1ic2ih22oc2kh3sh5oh4ph0", false, 2},
    /* Padding of two begins with the last residues. */
    {"mb1ic2ih23oc2kh3sh5oh5ph2", false, 4, true},
    {"mb1ic2id9ih8iw4oc3od5oh4ow2kd1kh1kw1sd2sh2sw2pd0ph0pw0", false, 3},
    /* Taps two apart leave every other residue. */
    {"mb1ic2ih1iw24oc2oh1ow6kh1kw2sh1sw4dw1ph0pw0", false, 2},
    {"mb1ic2ih5oc2oh13kh1sh3ph0", true, 2},
    /* Rows beyond the last one are no elements. */
    {"mb1ic2ih6iw3oc2oh1ow3kh2kw1sh7sw1ph0pw0", false, 1},
    {"g2mb1ic4ih13oc6oh5kh1sh3", false, 2},
    /* No class is empty. */
    {"mb1ic2ih8oc2oh4kh2sh2", false, 0},
};

static void make_backward(unsigned row, struct xk_contraction *out)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT, full;
    struct xk_conv_info info = {.size = sizeof(info)};
    static const struct xk_layout *const none[3];
    struct xk_error err;
    ck_assert_msg(xk_conv_desc_parse(rows[row].problem, &d, NULL, 0, &err) ==
                      XK_OK,
                  "%s", err.message);
    d.prop = rows[row].deconv ? XK_FWD_D : XK_BWD_D;
    d.alg = rows[row].deconv ? XK_ALG_DECONV_DIRECT : d.alg;
    ck_assert_msg(xk_conv_check(c, &d, &full) == XK_OK, "%s", c->error.message);
    xk_conv_close_tensors(&full);
    ck_assert_int_eq(xk_conv_tensors(c, &full, none, &info), XK_OK);
    ck_assert_int_eq(xk_conv_backward_data(c, &arena, &full, &info, 0, out),
                     XK_OK);
    ck_assert_int_eq(xk_contraction_check(c, out), XK_OK);
}

START_TEST(boxes_have_the_elements_of_empty_classes)
{
    static struct xk_contraction all, one;
    static unsigned want[MOST], got[MOST];
    struct xk_class_box box[MOST_BOXES];
    make_backward((unsigned)_i, &all);
    memset(want, 0, sizeof(want));
    memset(got, 0, sizeof(got));
    for (uint64_t i = 0; i < xk_contraction_classes(&all); i++) {
        uint32_t r[XK_MAX_CLASS_DIMS];
        xk_contraction_class_at(&all, i, r);
        if (!xk_contraction_class(&all, r, &one))
            count_places(&one, NULL, 0, want);
    }
    const unsigned n = xk_empty_classes_list(&all, box, MOST_BOXES);
    ck_assert_uint_eq(n, rows[_i].boxes);
    for (unsigned i = 0; i < n; i++) {
        ck_assert_msg(xk_empty_classes_contraction(c, &all, &box[i], &one) ==
                          XK_OK,
                      "%s", c->error.message);
        ck_assert_msg(xk_contraction_check(c, &one) == XK_OK, "%s",
                      c->error.message);
        ck_assert_uint_eq(one.n_class_dims, 0);
        count_places(&one, NULL, 0, got);
    }
    ck_assert_int_eq(memcmp(want, got, sizeof(want)), 0);
    ck_assert_uint_eq(xk_empty_classes_list(&all, box, n ? n - 1 : 0), n);
}
END_TEST

/* The places of a class among the batch indices, those of class dims that have
 * several classes. */
static unsigned batch_of(const struct xk_contraction *p, const uint32_t *r,
                         uint32_t *out)
{
    unsigned n = 0;
    for (unsigned d = 0; d < p->n_class_dims; d++)
        if (p->class_dim[d].n > 1)
            out[n++] = r[d];
    return n;
}

START_TEST(a_batch_counts_classes)
{
    static struct xk_contraction all, one, batch;
    static unsigned want[MOST], got[MOST];
    make_backward((unsigned)_i, &all);
    const enum xk_status status = xk_empty_classes_batch(c, &all, &batch);
    ck_assert_int_eq(status, rows[_i].uneven ? XK_EUNSUPPORTED : XK_OK);
    if (rows[_i].uneven)
        return;
    for (uint64_t i = 0; i < xk_contraction_classes(&all); i++) {
        uint32_t r[XK_MAX_CLASS_DIMS], at[XK_MAX_CLASS_DIMS];
        xk_contraction_class_at(&all, i, r);
        const unsigned n = batch_of(&all, r, at);
        for (unsigned k = 0; k < n; k++)
            ck_assert_int_eq(batch.index[k].role, XK_ROLE_BATCH);
        ck_assert_uint_eq(batch.n_index, all.n_index + n);
        memset(want, 0, sizeof(want));
        memset(got, 0, sizeof(got));
        xk_contraction_class(&all, r, &one);
        count_places(&one, NULL, 0, want);
        count_places(&batch, at, n, got);
        ck_assert_int_eq(memcmp(want, got, sizeof(want)), 0);
    }
}
END_TEST

/* 64 residues of which two have a term were as many launches. */
START_TEST(a_gradient_has_few_launches)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_conv_info info = {.size = sizeof(info)};
    struct xk_error err;
    d.prop = XK_BWD_D;
    ck_assert_int_eq(
        xk_conv_desc_parse("mb8ic70id37ih15iw29_oc448od4oh1ow28_kd7kh2kw3_"
                           "sd4sh16sw1_pd0ph1pw0_dd3dh0dw0",
                           &d, NULL, 0, &err),
        XK_OK);
    ck_assert_msg(xk_conv_query(&d, &info, &err) == XK_OK, "%s", err.message);
    ck_assert_uint_le(info.n_launches, 5);
}
END_TEST

/* Its classes as places of a batch would be one index too many for a nest. */
START_TEST(a_full_nest_keeps_codes_apart)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    xk_program *program = NULL;
    struct xk_error err;
    d.prop = XK_BWD_D;
    d.src_type = d.wei_type = d.dst_type = XK_F16;
    ck_assert_int_eq(
        xk_conv_desc_parse("mb1ic1id8ih2iw1_oc48od7oh2ow1_kd3kh3kw1_"
                           "sd2sh2sw2_pd4ph2pw1_dd0dh0dw0",
                           &d, NULL, 0, &err),
        XK_OK);
    ck_assert_msg(xk_conv_create(&d, NULL, &program, &err) == XK_OK, "%s",
                  err.message);
    xk_program_unref(program);
}
END_TEST

int main(void)
{
    unsetenv("XK_SCHEDULE");
    Suite *const s = suite_create("empty_classes");
    TCase *const t = tcase_create("empty_classes");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, boxes_have_the_elements_of_empty_classes, 0,
                        XK_COUNTOF(rows));
    tcase_add_loop_test(t, a_batch_counts_classes, 0, XK_COUNTOF(rows));
    tcase_add_test(t, a_gradient_has_few_launches);
    tcase_add_test(t, a_full_nest_keeps_codes_apart);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
