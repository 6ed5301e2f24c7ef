/* SPDX-License-Identifier: Apache-2.0 */
/* The nest of a plan: its buffers, and the calls of passes that make its loop
 * of it. docs/passes.md says what they do. */
#include <stdio.h>
#include <string.h>

#include "plan/operand.h"

/* Places of a role, the last index's in whole steps, are s32. */
static bool is_s32(const struct xk_contraction *con, enum xk_role role,
                   int64_t step)
{
    const int last = xk_contraction_last(con, role);
    int64_t all = 1;
    for (unsigned i = 0; i < con->n_index; i++) {
        int64_t n = con->index[i].extent;
        if (con->index[i].role != role)
            continue;
        if ((int)i == last)
            n = xk_ceil_div(n, step) * step;
        if (__builtin_mul_overflow(all, n, &all))
            return false;
    }
    return all <= INT32_MAX - step;
}

/* How many times the places of a role its tiles count, rounded up. */
static int64_t tiles_over(const struct xk_contraction *con, enum xk_role role,
                          int64_t step)
{
    const int64_t n = xk_contraction_extent(con, role);
    return xk_ceil_div(xk_ceil_div(n, step) * step, n);
}

/* Lanes of a tile that lie behind the tensor have offsets of 32 bits, too. */
static bool is_near(const struct xk_access *a, int64_t times)
{
    return xk_layout_size_b(&a->layout) <= INT32_MAX / times;
}

static bool tiles_are_near(const struct xk_plan *p)
{
    const struct xk_contraction *const con = &p->con->walked;
    const int64_t k = tiles_over(con, XK_ROLE_K, p->s.k_step);
    const int64_t m =
        tiles_over(con, XK_ROLE_M, (int64_t)p->s.m_thr * p->s.tg_m);
    const int64_t n =
        tiles_over(con, XK_ROLE_N, (int64_t)p->s.n_thr * p->s.tg_n);
    return is_near(&con->a, m * k) && is_near(&con->b, n * k);
}

bool xk_plan_has_nest(const struct xk_plan *p)
{
    const struct xk_contraction *const con = &p->con->walked;
    /* Messages of a nest are what the layouts allow; kinds that the schedule
     * names are the other writers' to make. */
    if (p->s.load_a != XK_LOAD_AUTO || p->s.load_b != XK_LOAD_AUTO)
        return false;
    if (p->con->empty || p->s.fma == XK_FMA_LANES ||
        xk_contraction_last(con, XK_ROLE_K) < 0 ||
        !is_s32(con, XK_ROLE_K, p->s.k_step) ||
        !is_s32(con, XK_ROLE_M, (int64_t)p->s.m_thr * p->s.tg_m))
        return false;
    return tiles_are_near(p);
}

static struct xk_plan_buffer *add_buffer(struct xk_plan *p, const char *name,
                                         const struct xk_layout *tile,
                                         uint32_t slot_b)
{
    struct xk_plan_buffer *const b = &p->buffer[p->n_buffers++];
    *b = (struct xk_plan_buffer){
        .slots = 1, .space = XK_SPACE_GRF, .slot_b = slot_b, .tile = *tile};
    snprintf(b->name, sizeof(b->name), "%s", name);
    return b;
}

/* Whether one loop goes over all of K. */
static bool over_all(const struct xk_plan *p)
{
    return xk_schedule_is_one_loop(&p->s) || xk_schedule_is_walk(&p->s);
}

/* The tile with the rows that further steps need. */
static void add_more(struct xk_plan_buffer *b, const struct xk_plan_operand *o)
{
    const uint32_t row_b = o->tile_b / (uint32_t)o->tile.dim[0];
    const uint32_t more = o->more_b / row_b;
    struct xk_layout *const l = &b->tile;
    l->block[0].size += more / (l->dim[0] / l->block[0].size);
    l->dim[0] = l->padded[0] += more;
    b->slot_b += o->more_b;
}

/* One buffer is loaded where it is used; in a loop over all of K it is loaded
 * over what was just multiplied or put in order, so that it is as far ahead as
 * there are places. */
static void add_operand(struct xk_plan *p, const char *name, const char *raw,
                        const struct xk_plan_operand *o)
{
    struct xk_plan_buffer *b = add_buffer(p, name, &o->tile, o->tile_b);
    if (o->raw_b)
        b = add_buffer(p, raw, &o->raw, o->raw_b);
    if (o->served > 1)
        add_more(b, o);
    b->slots = o->slots;
    b->ahead = (uint8_t)(over_all(p) ? o->slots : o->slots - 1);
}

static struct xk_pass_call *add_call(struct xk_plan *p, const char *name)
{
    struct xk_pass_call *const k = &p->call[p->n_calls++];
    *k = (struct xk_pass_call){{0}, {0}};
    snprintf(k->name, sizeof(k->name), "%s", name);
    return k;
}

/* Rows of A that come together. */
static unsigned rows_of_turn(const struct xk_plan *p)
{
    return xk_fma_family_of(p->s.fma)->dpas ? 8 : p->s.simd;
}

/* The buffers that operands come to. What goes through SLM is stored there a
 * step ahead, behind the multiplies with two places, in front of them with
 * three; with one it is loaded ahead alone. */
static void add_pipe(struct xk_plan *p, unsigned copies)
{
    const struct xk_plan_buffer a = p->buffer[p->a.raw_b ? 2 : 1];
    const struct xk_plan_buffer b = p->buffer[p->n_buffers - 1];
    struct xk_pass_call *const k = add_call(p, "pipe");
    if (p->s.slm) {
        snprintf(k->args, sizeof(k->args),
                 "ra_u ahead=%u slots=1; ra_s ahead=%u slots=%u; %s ahead=1 "
                 "slots=%u; copies=%u",
                 p->s.slm > 1 ? p->s.slm - 1u : 1, p->s.slm > 1, p->s.slm,
                 b.name, b.slots, copies);
        return;
    }
    snprintf(k->args, sizeof(k->args),
             "%s ahead=%u slots=%u; %s ahead=%u slots=%u; copies=%u", a.name,
             a.ahead, a.slots, b.name, b.ahead, b.slots, copies);
}

/* Who shares what, and which rows come together. */
static void add_first(struct xk_plan *p)
{
    struct xk_pass_call *k;
    if (p->a.served > 1) {
        k = add_call(p, "hold");
        snprintf(k->args, sizeof(k->args), "ra=%u", p->a.served);
    }
    if (p->s.slm) {
        k = add_call(p, "stage");
        snprintf(k->args, sizeof(k->args), "ra");
    } else if (xk_schedule_is_one_loop(&p->s) ||
               (xk_schedule_is_walk(&p->s) && !p->a.raw_b)) {
        k = add_call(p, "split");
        snprintf(k->args, sizeof(k->args), "m=%u", rows_of_turn(p));
    }
}

enum xk_status xk_plan_calls(xk_ctx *c, struct xk_plan *p)
{
    if (!xk_plan_has_nest(p))
        return over_all(p)
                   ? xk_fail(c, XK_ENOFIT,
                             "plan: no loop over all of K: places or bytes of "
                             "an operand are beyond 2^31")
                   : XK_OK;
    add_buffer(p, "acc", &p->acc, p->acc_b);
    add_operand(p, "ra", "xa", &p->a);
    add_operand(p, "rb", "xb", &p->b);
    add_first(p);
    if (xk_schedule_is_one_loop(&p->s)) {
        if (p->flat.trip > 1)
            add_pipe(p, p->flat.copies);
    } else if (p->seg[0].trip > 1) {
        add_pipe(p, xk_schedule_copies(&p->s, 1));
    }
    return XK_OK;
}

void xk_plan_print_calls(const struct xk_plan *p, struct xk_str *out)
{
    for (unsigned i = 0; i < p->n_calls; i++) {
        const struct xk_pass_call *const k = &p->call[i];
        xk_str_printf(out, "%s%s", i ? " " : "", k->name);
        if (k->args[0])
            xk_str_printf(out, "(%s)", k->args);
    }
}
