/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/contraction_launches.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "gen/empty_classes.h"
#include "gen/gen.h"
#include "views/access.h"

#define MOST_BOXES 8 /* of empty classes */

/* The classes of a contraction, and room for one at a time. */
struct classes {
    xk_ctx *c;
    const struct xk_platform *platform;
    const struct xk_contraction *con;
    struct xk_contraction *one;
};

/* One place of each K index: nothing is summed anyway. */
static void empty_k(struct xk_contraction *p)
{
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K)
            p->index[i].extent = 1;
}

/* Where an index moves a coordinate of C beyond its interval nothing is stored:
 * the class has as many places as elements, and inputs, which stand where C
 * does, stay inside. */
static void cut_places(struct xk_contraction *p)
{
    for (unsigned d = 0; d < p->c.n_coord; d++) {
        const struct xk_coord *const x = &p->c.at[d];
        const uint32_t moved_by = xk_coord_indices(x);
        if (!moved_by || moved_by & (moved_by - 1))
            continue;
        const int i = __builtin_ctz(moved_by);
        const int64_t step = x->coef[i], room = x->hi - 1 - x->base;
        if (step > 0 && room >= 0 && room / step + 1 < p->index[i].extent)
            p->index[i].extent = room / step + 1;
    }
}

/* Class `number`, which has so many places as elements, in *one. *terms:
 * something is summed. False: it has no element of C. */
static bool set_class(const struct classes *k, uint64_t number, bool *terms)
{
    struct xk_contraction *const one = k->one;
    uint32_t r[XK_MAX_CLASS_DIMS];
    xk_contraction_class_at(k->con, number, r);
    *terms = xk_contraction_class(k->con, r, one);
    if (xk_access_misses(one, &one->c))
        return false;
    cut_places(one);
    if (!*terms)
        empty_k(one);
    return true;
}

/* The problems of all classes that have elements of C, those with most terms
 * first. */
struct problems {
    unsigned n;
    unsigned n_apart; /* at the end, each of several empty classes at once */
    struct xk_contraction_problem **of;
    uint8_t number[XK_MAX_LAUNCHES]; /* of the class, or of the first */
};

static int64_t terms_of(const struct xk_contraction_problem *p)
{
    return p->nest.empty ? 0 : xk_contraction_extent(&p->nest.of, XK_ROLE_K);
}

/* The last problem goes in front of those with fewer terms. */
static void sort_last(struct problems *p)
{
    unsigned at = p->n - 1;
    struct xk_contraction_problem *const last = p->of[at];
    const uint8_t number = p->number[at];
    for (; at && terms_of(p->of[at - 1]) < terms_of(last); at--) {
        p->of[at] = p->of[at - 1];
        p->number[at] = p->number[at - 1];
    }
    p->of[at] = last;
    p->number[at] = number;
}

/* Boxes of empty classes that are problems of their own. */
struct boxes {
    unsigned n;
    struct xk_class_box at[MOST_BOXES];
};

/* Classes without a term that have elements of C. */
static unsigned count_empty(const struct classes *k)
{
    const uint64_t n = xk_contraction_classes(k->con);
    unsigned count = 0;
    for (uint64_t i = 0; i < n; i++) {
        bool terms;
        count += set_class(k, i, &terms) && !terms;
    }
    return count;
}

/* Whether the epilogue sums an operand up. */
static bool sums_operand(const struct xk_contraction *p)
{
    bool sums = p->totals;
    for (unsigned i = 0; i < p->n_epi; i++)
        sums |= p->epi[i].times_b;
    return sums;
}

/* Where empty classes are more than two launches have, boxes
 * of them are launches of their own. The epilogue reads no operand then. */
static void choose_boxes(const struct classes *k, struct boxes *out)
{
    out->n = 0;
    if (xk_given_schedule() || sums_operand(k->con) ||
        k->con->n_index + k->con->n_class_dims > XK_MAX_INDEX ||
        !xk_nest_has_room(k->con, k->con->n_class_dims))
        return;
    const unsigned empty = count_empty(k);
    if (empty < 2 * XK_MAX_CLASSES_JOINED)
        return;
    const unsigned n = xk_empty_classes_list(k->con, out->at, MOST_BOXES);
    out->n = n <= MOST_BOXES && n < empty ? n : 0;
}

static struct xk_contraction_problem *
add_problem(struct xk_arena *arena, uint64_t number, struct problems *out)
{
    struct xk_contraction_problem *const p = xk_arena_room(arena, sizeof(*p));
    if (!p)
        return NULL;
    out->of[out->n] = p;
    out->number[out->n++] = (uint8_t)number;
    return p;
}

/* The number of the box's first class. */
static uint64_t first_class_of(const struct xk_contraction *p,
                               const struct xk_class_box *box)
{
    uint64_t number = 0;
    for (unsigned d = 0; d < p->n_class_dims; d++)
        number = number * p->class_dim[d].n + box->first[d];
    return number;
}

/* Searches schedules for each box. */
static enum xk_status search_boxes(const struct classes *k,
                                   struct xk_arena *arena,
                                   const struct boxes *boxes,
                                   struct problems *out)
{
    struct xk_contraction *const closed = xk_arena_room(arena, sizeof(*closed));
    if (!closed)
        return xk_ctx_status(k->c);
    xk_contraction_copy(closed, k->con);
    XK_TRY(xk_contraction_close(k->c, closed));
    for (unsigned i = 0; i < boxes->n; i++) {
        const struct xk_class_box *const box = &boxes->at[i];
        struct xk_contraction_problem *const p =
            add_problem(arena, first_class_of(k->con, box), out);
        if (!p)
            return xk_ctx_status(k->c);
        XK_TRY(xk_empty_classes_contraction(k->c, closed, box, k->one));
        cut_places(k->one);
        XK_TRY(
            xk_contraction_problem_search(k->c, k->platform, k->one, true, p));
        out->n_apart++;
    }
    return XK_OK;
}

/* Searches schedules for each class that is in no box, then for the boxes. */
static enum xk_status search_classes(const struct classes *k,
                                     struct xk_arena *arena,
                                     struct problems *out)
{
    const uint64_t n = xk_contraction_classes(k->con);
    struct boxes boxes;
    choose_boxes(k, &boxes);
    out->n = out->n_apart = 0;
    out->of = xk_arena_alloc(
        arena, (n + boxes.n) * sizeof(struct xk_contraction_problem *));
    XK_TRY(xk_ctx_status(k->c));
    for (uint64_t i = 0; i < n; i++) {
        bool terms;
        if (!set_class(k, i, &terms) || (boxes.n && !terms))
            continue;
        struct xk_contraction_problem *const p = add_problem(arena, i, out);
        if (!p)
            return xk_ctx_status(k->c);
        XK_TRY(xk_contraction_problem_search(k->c, k->platform, k->one, !terms,
                                             p));
        sort_last(out);
    }
    return search_boxes(k, arena, &boxes, out);
}

/* A class's schedule where it shares a launch that has this one. */
static struct xk_schedule in_class(const struct xk_contraction_problem *p,
                                   const struct xk_schedule *joined)
{
    return p->nest.empty ? xk_schedule_without_loop(joined) : *joined;
}

/* Predicted cycles of classes that share a launch: of each its part of a launch
 * of n such ones, which fill the machine together; no fewer than of the first
 * alone. */
static int64_t score_joined(const struct xk_platform *platform,
                            struct xk_contraction_problem *const *of,
                            unsigned n, const struct xk_schedule *joined)
{
    int64_t all = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct xk_schedule s = in_class(of[i], joined);
        struct xk_shape shape = of[i]->shape;
        shape.classes = n;
        all += xk_schedule_score(platform, &shape, &s);
    }
    const int64_t first = xk_schedule_score(platform, &of[0]->shape, joined);
    return xk_larger(all / n, first);
}

/* Whether all classes can have it. A group's place along z says whose it is, so
 * each has as many places of a batch. */
static bool is_for_all(const struct xk_platform *platform,
                       struct xk_contraction_problem *const *of, unsigned n,
                       const struct xk_schedule *joined)
{
    const int64_t batch = xk_shape_batch(&of[0]->shape);
    if (xk_schedule_packs(joined) || joined->fma == XK_FMA_LANES)
        return false;
    for (unsigned i = 0; i < n; i++) {
        const struct xk_schedule s = in_class(of[i], joined);
        if (xk_shape_batch(&of[i]->shape) != batch ||
            xk_schedule_check(platform, &of[i]->shape, &s))
            return false;
    }
    return true;
}

static void keep_for_all(const struct xk_platform *platform,
                         struct xk_contraction_problem *const *of, unsigned n,
                         struct xk_contraction_problem *joined)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < joined->n_candidates; i++)
        if (is_for_all(platform, of, n, &joined->candidate[i]))
            joined->candidate[kept++] = joined->candidate[i];
    joined->n_candidates = kept;
}

/* A launch: its classes from number `first` on, and, of several, its
 * candidates. */
struct part {
    unsigned first, n;
    bool joins; /* else they are launches of their own */
    int64_t score;
    struct xk_contraction_problem *joined;
};

/* Leaves those of the candidates that all classes can have; INT64_MAX: the last
 * resort is none of them, else the predicted cycles of the best. Only dpas
 * gains enough: loops of mad are long, and four of them are more code than a
 * kernel may have (docs/measurements.md). */
static int64_t leave_joined(const struct classes *k,
                            struct xk_contraction_problem *const *of,
                            unsigned n, struct xk_contraction_problem *joined)
{
    const struct xk_schedule *const s = joined->candidate;
    const struct xk_schedule last = s[joined->n_candidates - 1];
    keep_for_all(k->platform, of, n, joined);
    return joined->n_candidates && xk_fma_family_of(s[0].fma)->dpas &&
                   xk_schedule_same(&last, &s[joined->n_candidates - 1])
               ? score_joined(k->platform, of, n, &s[0])
               : INT64_MAX;
}

static void copy_candidates(const struct xk_contraction_problem *from,
                            struct xk_contraction_problem *to)
{
    memcpy(to->candidate, from->candidate, sizeof(to->candidate));
    to->n_candidates = from->n_candidates;
}

/* The candidates of the better of two: of as many classes like the first, or of
 * the first alone, which may have most of the terms. */
static enum xk_status
search_joined(const struct classes *k, struct xk_contraction_problem *const *of,
              unsigned n, struct xk_contraction_problem *out, int64_t *score)
{
    struct xk_shape shape = of[0]->shape;
    copy_candidates(of[0], out);
    const int64_t alone = leave_joined(k, of, n, out);
    shape.classes = n;
    XK_TRY(xk_candidates_of(k->c, k->platform, &shape, out->candidate,
                            &out->n_candidates));
    *score = leave_joined(k, of, n, out);
    if (alone >= *score)
        return XK_OK;
    copy_candidates(of[0], out);
    *score = leave_joined(k, of, n, out);
    return XK_OK;
}

/* Whether classes share a launch: where its predicted cycles are fewer. */
static enum xk_status choose_joined(const struct classes *k,
                                    const struct problems *p, struct part *x)
{
    struct xk_contraction_problem *const *const of = &p->of[x->first];
    int64_t score;
    x->joins = false;
    x->score = 0;
    for (unsigned i = 0; i < x->n; i++)
        x->score += of[i]->candidate[0].score;
    if (x->n < 2)
        return XK_OK;
    XK_TRY(search_joined(k, of, x->n, x->joined, &score));
    x->joins = score < x->score;
    if (x->joins)
        x->score = score;
    return XK_OK;
}

/* The launches from number `first` on, those that share one or each its own. */
static enum xk_status part_from(const struct classes *k,
                                const struct problems *p, unsigned first,
                                struct part *x)
{
    const unsigned all = p->n - p->n_apart;
    const unsigned n = first < all ? all - first : 1;
    x->first = first;
    x->n = n < XK_MAX_CLASSES_JOINED ? n : XK_MAX_CLASSES_JOINED;
    return choose_joined(k, p, x);
}

static void set_launch(const struct xk_contraction_problem *p, unsigned number,
                       bool several, struct xk_launch *out)
{
    char tail[12] = "";
    if (several)
        snprintf(tail, sizeof(tail), "_%u", number);
    *out = (struct xk_launch){
        .kind = XK_LAUNCH_CONTRACT,
        .u.contract = {.nest = &p->nest,
                       .whole = p->has_lanes ? &p->whole : NULL,
                       .lanes = p->has_lanes ? &p->lanes : NULL,
                       .candidate = p->candidate,
                       .n_candidates = p->n_candidates}};
    snprintf(out->name, sizeof(out->name), "xk_%s%s", p->nest.c.name, tail);
}

/* While launches are made. */
struct launch_maker {
    struct classes k;
    struct xk_arena *arena;
    bool addresses;
    struct problems all;
    struct part part;
};

/* The nest of a problem whose schedules are known. */
static enum xk_status nest_of_class(struct launch_maker *m,
                                    struct xk_contraction_problem *p)
{
    const bool empty = p->nest.empty;
    XK_TRY(xk_nest_make(m->k.c, &p->nest.of, &p->nest));
    p->nest.empty = empty;
    return XK_OK;
}

/* Every place that one of the classes has. */
static void keep_places(const struct classes *k, const uint8_t *number,
                        unsigned n, struct xk_contraction *p)
{
    const unsigned more = p->n_index - k->con->n_index;
    for (unsigned i = 0; i < k->con->n_index; i++)
        p->index[i + more].extent = 1;
    for (unsigned c = 0; c < n; c++) {
        bool terms;
        set_class(k, number[c], &terms);
        for (unsigned i = 0; i < k->con->n_index; i++) {
            int64_t *const extent = &p->index[i + more].extent;
            *extent = xk_larger(*extent, k->one->index[i].extent);
        }
    }
}

/* Whether each of the launch's candidates is one for a problem of classes
 * without a term. */
static bool may_be_same(const struct launch_maker *m,
                        const struct xk_contraction_problem *launch,
                        const struct xk_contraction_problem *p)
{
    const struct xk_platform *const platform = m->k.platform;
    for (unsigned i = 0; i < launch->n_candidates; i++) {
        const struct xk_schedule *const s = &launch->candidate[i];
        const struct xk_schedule own = in_class(p, s);
        if (xk_schedule_check(platform, &p->shape, &own) ||
            (launch->nest.empty && xk_schedule_check(platform, &p->shape, s)))
            return false;
    }
    for (unsigned i = 0; i < p->nest.of.n_inputs; i++)
        if (xk_access_leaves(&p->nest.of, &p->nest.of.input[i]))
            return false;
    return true;
}

/* The problem of several classes without a term, from number `first` on, where
 * one code can be theirs; else NULL. */
static enum xk_status find_same(struct launch_maker *m, unsigned first,
                                unsigned n,
                                const struct xk_contraction_problem *launch,
                                struct xk_contraction_problem **out)
{
    xk_ctx *const c = m->k.c;
    struct xk_contraction_problem *const p =
        xk_arena_room(m->arena, sizeof(*p));
    *out = NULL;
    if (!p)
        return xk_ctx_status(c);
    struct xk_contraction *const of = &p->nest.of;
    enum xk_status status = xk_empty_classes_batch(c, m->k.con, of);
    if (status == XK_OK) {
        keep_places(&m->k, &m->all.number[first], n, of);
        status = xk_contraction_close(c, of);
    }
    if (status == XK_OK)
        status = xk_contraction_prepare(c, of);
    if (status == XK_OK)
        status = xk_shape_of(c, of, &p->shape);
    p->nest.empty = true;
    if (status == XK_OK && xk_nest_has_room(of, 0) && may_be_same(m, launch, p))
        *out = p;
    if (status != XK_ENOMEM)
        xk_ctx_clear(c);
    return status == XK_ENOMEM ? status : XK_OK;
}

/* Classes of the part without a term, several of which have one code. */
static enum xk_status share_code(struct launch_maker *m,
                                 const struct xk_contraction_problem *launch,
                                 struct xk_contraction_problem **of,
                                 unsigned *n, struct xk_same_classes *same)
{
    struct xk_contraction_problem *found;
    unsigned first = 0;
    while (first < *n && !of[first]->nest.empty)
        first++;
    *same = (struct xk_same_classes){0};
    if (*n - first < 2 || sums_operand(m->k.con))
        return XK_OK;
    XK_TRY(find_same(m, m->part.first + first, *n - first, launch, &found));
    if (!found)
        return XK_OK;
    uint8_t *const number = xk_arena_room(m->arena, *n - first);
    if (!number)
        return xk_ctx_status(m->k.c);
    memcpy(number, &m->all.number[m->part.first + first], *n - first);
    *same = (struct xk_same_classes){
        .n = *n - first,
        .all = (unsigned)xk_contraction_classes(m->k.con),
        .number = number};
    of[first] = found;
    *n = first + 1;
    return XK_OK;
}

/* Leaves the launch's candidates that all classes can have with addresses. */
static enum xk_status keep_with_addresses(struct launch_maker *m,
                                          struct xk_contraction_problem **of,
                                          unsigned n)
{
    struct xk_contraction_problem *const launch = of[0];
    if (!m->addresses)
        return XK_OK;
    XK_TRY(xk_contraction_problem_use_addresses(m->k.c, m->k.platform, launch));
    keep_for_all(m->k.platform, of, n, launch);
    return launch->n_candidates
               ? XK_OK
               : xk_fail(m->k.c, XK_EINVAL,
                         "XK_SCHEDULE: with XK_CREATE_A64 no candidate is "
                         "one for all classes of %s",
                         m->k.con->c.name);
}

/* The classes of the part are one launch, that of its first code, with the
 * candidates that all have. */
static enum xk_status add_joined(struct launch_maker *m,
                                 struct xk_contraction_launches *out)
{
    const struct part *const x = &m->part;
    struct xk_contraction_problem **const of = &m->all.of[x->first];
    struct xk_contraction_problem *const launch = of[0];
    const struct xk_nest **const more =
        xk_arena_alloc(m->arena, x->n * sizeof(*more));
    struct xk_same_classes same;
    unsigned n = x->n;
    XK_TRY(xk_ctx_status(m->k.c));
    copy_candidates(x->joined, launch);
    XK_TRY(keep_with_addresses(m, of, n));
    XK_TRY(share_code(m, launch, of, &n, &same));
    if (of[0] != launch)
        copy_candidates(launch, of[0]);
    for (unsigned i = 0; i < n; i++) {
        XK_TRY(nest_of_class(m, of[i]));
        if (i)
            more[i - 1] = &of[i]->nest;
    }
    out->problem[out->n] = of[0];
    struct xk_launch *const l = &out->launch[out->n++];
    set_launch(of[0], m->all.number[x->first], x->n < m->all.n, l);
    l->u.contract.more = more;
    l->u.contract.n_more = n - 1;
    l->u.contract.same = same;
    return XK_OK;
}

static enum xk_status add_apart(struct launch_maker *m, bool several,
                                struct xk_contraction_launches *out)
{
    for (unsigned i = m->part.first; i < m->part.first + m->part.n; i++) {
        struct xk_contraction_problem *const p = m->all.of[i];
        XK_TRY(nest_of_class(m, p));
        if (m->addresses)
            XK_TRY(
                xk_contraction_problem_use_addresses(m->k.c, m->k.platform, p));
        out->problem[out->n] = p;
        set_launch(p, m->all.number[i], several, &out->launch[out->n++]);
    }
    return XK_OK;
}

/* Room for what a class and a launch need while they are looked at, and the
 * search for each class. */
static enum xk_status begin_classes(struct launch_maker *m)
{
    m->k.one = xk_arena_room(m->arena, sizeof(*m->k.one));
    m->part.joined = xk_arena_room(m->arena, sizeof(*m->part.joined));
    XK_TRY(xk_ctx_status(m->k.c));
    return search_classes(&m->k, m->arena, &m->all);
}

enum xk_status xk_contraction_launches_make(xk_ctx *c, struct xk_arena *arena,
                                            const struct xk_platform *platform,
                                            const struct xk_contraction *con,
                                            bool addresses,
                                            struct xk_contraction_launches *out)
{
    struct launch_maker m = {
        .k = {c, platform, con, NULL}, .arena = arena, .addresses = addresses};
    const uint64_t n = xk_contraction_classes(con);
    *out = (struct xk_contraction_launches){0};
    if (n > XK_MAX_LAUNCHES)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "%s: %" PRIu64 " classes, a program has at most %d "
                       "launches",
                       con->c.name, n, XK_MAX_LAUNCHES);
    out->problem = xk_arena_alloc(arena, n * sizeof(*out->problem));
    out->launch = xk_arena_alloc(arena, n * sizeof(*out->launch));
    XK_TRY(begin_classes(&m));
    for (unsigned i = 0; i < m.all.n; i += m.part.n) {
        XK_TRY(part_from(&m.k, &m.all, i, &m.part));
        XK_TRY(m.part.joins ? add_joined(&m, out) : add_apart(&m, n > 1, out));
    }
    return out->n ? XK_OK
                  : xk_fail(c, XK_EINVAL, "%s: no coordinates are an element",
                            con->c.name);
}

enum xk_status xk_contraction_launches_score(xk_ctx *c, struct xk_arena *arena,
                                             const struct xk_platform *platform,
                                             const struct xk_contraction *con,
                                             int64_t *score)
{
    struct launch_maker m = {.k = {c, platform, con, NULL}, .arena = arena};
    *score = INT64_MAX;
    if (xk_contraction_classes(con) > XK_MAX_LAUNCHES)
        return XK_OK;
    XK_TRY(begin_classes(&m));
    *score = 0;
    for (unsigned i = 0; i < m.all.n; i += m.part.n) {
        XK_TRY(part_from(&m.k, &m.all, i, &m.part));
        *score += m.part.score;
    }
    return XK_OK;
}

bool xk_contraction_pads(const struct xk_contraction *con)
{
    const struct xk_layout *const l = &con->c.layout;
    const int n = xk_contraction_last(con, XK_ROLE_N);
    const bool one =
        n >= 0 && con->index[n].extent > 1 && xk_contraction_before(con, n) < 0;
    const int written = one ? xk_access_dim_of(&con->c, (unsigned)n) : -1;
    for (int d = 0; d < l->n_dims; d++)
        if (l->padded[d] != l->dim[d] && d != written)
            return false;
    return true;
}
