/* SPDX-License-Identifier: Apache-2.0 */
/* The nest of a plan: its buffers, and the calls of passes that make its loop
 * of it. docs/passes.md says what they do. */
#include <stdio.h>
#include <string.h>

#include "plan/operand.h"

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
    return xk_fma_family_of(p->s.fma)->dpas ? p->platform->dpas_exec
                                            : p->s.simd;
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
    if (p->con->empty && over_all(p))
        return xk_fail(c, XK_ENOFIT, "plan: nothing is summed, in no loop");
    if (p->con->empty || p->t.batch)
        return XK_OK;
    add_buffer(p, "acc", &p->acc, p->acc_b);
    add_operand(p, "ra", "xa", &p->a);
    add_operand(p, "rb", "xb", &p->b);
    add_first(p);
    if (xk_schedule_is_one_loop(&p->s)) {
        if (p->flat.trip > 1 || p->walk.rest > 1)
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
