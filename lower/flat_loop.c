/* SPDX-License-Identifier: Apache-2.0 */
/* All of K in one loop (plan.h, struct xk_plan_flat), without SLM. The loads of a
 * step are sent one time step ahead of its multiplies: into the other register
 * buffer, or over what was just multiplied, part by part.
 *
 * A's addresses are headers in registers, one for each tap and item, which move
 * on by a step before each use. A lane beside the tensor moves along beyond any
 * surface, from XK_OFF_NULL on, and reads zeros. */
#include "lower/taps.h"

struct flat {
    struct xk_lowering *l;
    const struct xk_plan_flat *f;
    const xk_expr *i;    /* step */
    const xk_expr *from; /* headers: [tap][item] */
};

static const struct xk_plan_list *items(const struct flat *g)
{
    return &g->l->p->seg[0].a;
}

static const struct xk_plan_msg *m_of(const struct flat *g, unsigned item)
{
    return &items(g)->item[item].msg;
}

static unsigned lanes_of(const struct flat *g, unsigned item)
{
    return m_of(g, item)->send.lanes;
}

/* Registers of the headers in front of an item's, in bytes. */
static uint32_t header_b(const struct flat *g, unsigned item)
{
    uint32_t sum_b = 0;
    for (unsigned k = 0; k < item; k++)
        sum_b += 4u * lanes_of(g, k);
    return sum_b;
}

/* Whether the next item's rows follow this one's: their headers are neighbours,
 * and made together. */
static bool is_pair(const struct flat *g, unsigned item)
{
    if (item % 2 || item + 1 >= items(g)->n)
        return false;
    const struct xk_plan_msg *const m = m_of(g, item);
    const struct xk_plan_msg *const o = m_of(g, item + 1);
    return m->send.lanes == 8 && o->send.lanes == 8 && o->row == m->row + 8 &&
           o->k == m->k;
}

/* Pairs begin at even items. */
static bool is_second(const struct flat *g, unsigned item)
{
    return item % 2 && is_pair(g, item - 1);
}

/* The headers of rows of an item, or of two, for each tap. */
static void prepare_rows(struct flat *g, unsigned item, unsigned lanes)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_msg *const m = m_of(g, item);
    const xk_expr *const first = xk_bin_imm(l->c, XK_OP_ADD, l->m0, m->row);
    const xk_expr *const row = xk_block_let(
        &l->w, "m", xk_ramp(l->c, first, xk_s32(l->c, 1), lanes));
    struct xk_tap_rows rows;
    xk_lower_tap_rows(l, row, m->k, g->f->step_b, &rows);
    for (unsigned tap = 0; tap < g->f->taps; tap++)
        xk_block_add(
            &l->w,
            xk_store(l->c,
                     xk_lower_reg(l, g->from, tap * g->f->headers_b +
                                                  header_b(g, item)),
                     xk_lower_tap_offset(l, &rows, tap)));
}

static void prepare(struct flat *g)
{
    g->from = xk_block_alloc(&g->l->w, "from", g->f->taps * g->f->headers_b, 0);
    for (unsigned n = 0; n < items(g)->n; n++) {
        const bool two = is_pair(g, n);
        prepare_rows(g, n, two ? 16 : lanes_of(g, n));
        n += two;
    }
}

/* &headers of this step's tap, at_b behind its first. */
static const xk_expr *header(struct flat *g, uint32_t at_b)
{
    struct xk_lowering *const l = g->l;
    const xk_expr *const tap =
        xk_bin_imm(l->c, XK_OP_MUL,
                   xk_bin_imm(l->c, XK_OP_MOD, g->i, g->f->taps),
                   g->f->headers_b);
    return xk_lower_slot_reg(l, g->from, tap, at_b);
}

/* Two registers an instruction. */
static void advance(struct flat *g, struct xk_block_writer *w, uint32_t first_b,
                    uint32_t size_b)
{
    struct xk_lowering *const l = g->l;
    const uint32_t most_b = 2u * l->p->platform->grf_b;
    for (uint32_t at_b = first_b; at_b < first_b + size_b;) {
        const uint32_t left_b = first_b + size_b - at_b;
        const unsigned n = (left_b < most_b ? left_b : most_b) / 4;
        const xk_expr *const at = header(g, at_b);
        const xk_expr *const now =
            xk_block_load(w, "at", xk_type_vec(XK_DT_U32, n), at);
        const xk_expr *const step = xk_bcast(
            l->c, xk_imm(l->c, XK_DT_U32, (int64_t)(uint32_t)g->f->step_b), n);
        xk_block_add(w, xk_store(l->c, at, xk_add(l->c, now, step)));
        at_b += 4 * n;
    }
}

static void gather(struct flat *g, struct xk_block_writer *w, unsigned item)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_msg *const m = m_of(g, item);
    const xk_expr *const slot = xk_lower_slot_b(l, g->i, &l->p->a);
    struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = m->send};
    f.u.send.addr = XK_SEND_SURFACE;
    f.u.send.surface = xk_lower_pointer_number(l, l->arg_a);
    const xk_expr *const args[] = {header(g, header_b(g, item)),
                                   xk_lower_slot_reg(l, l->a, slot, m->reg_b),
                                   xk_lower_true(l, m->send.lanes)};
    xk_block_call(w, &f, args, 3);
}

/* Which of the body's parts comes next. */
struct order {
    struct flat *g;
    const xk_stmt *st[2 * XK_LOWER_MAX_BLOCKS + 3];
    unsigned n;
};

static void end_stage(struct order *o, struct xk_block_writer *w,
                      unsigned number)
{
    const xk_stmt *const body = xk_block_end(w);
    xk_block_fini(w);
    if (body)
        o->st[o->n++] = xk_stage(o->g->l->c, number, body);
}

static void load_b(struct order *o)
{
    struct xk_lowering *const l = o->g->l;
    struct xk_block_writer w;
    xk_block_init(&w, l->c, l->facts);
    xk_lower_tap_b(l, &w, o->g->i, o->g->f->taps, o->g->f->b_in_order);
    end_stage(o, &w, 0);
}

/* Items first .. last - 1. The second of a pair moves on with the first one:
 * its last load has left. */
static void load_a(struct order *o, unsigned first, unsigned last)
{
    struct flat *const g = o->g;
    struct xk_block_writer w;
    xk_block_init(&w, g->l->c, g->l->facts);
    for (unsigned n = first; n < last; n++) {
        if (!is_second(g, n))
            advance(g, &w, header_b(g, n),
                    header_b(g, n + 1 + is_pair(g, n)) - header_b(g, n));
        gather(g, &w, n);
    }
    end_stage(o, &w, 0);
}

static void multiply(struct order *o, unsigned first_row, unsigned rows)
{
    struct xk_lowering *const l = o->g->l;
    struct xk_block_writer w;
    xk_block_init(&w, l->c, l->facts);
    xk_lower_multiply(l, &w, o->g->i, first_row, rows);
    end_stage(o, &w, 1);
}

/* A has one buffer: the rows of an item are loaded when they are multiplied. */
static void in_turn(struct order *o)
{
    const struct xk_plan_list *const list = items(o->g);
    const unsigned m = o->g->l->p->s.m_thr;
    for (unsigned n = 0, next; n < list->n; n = next) {
        const unsigned row = list->item[n].msg.row;
        for (next = n + 1;
             next < list->n && list->item[next].msg.row == row;)
            next++;
        const unsigned end = next < list->n ? list->item[next].msg.row : m;
        multiply(o, row, end - row);
        load_a(o, n, next);
    }
}

void xk_lower_flat_loop(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    struct flat g = {.l = l, .f = &p->flat};
    struct order o = {.g = &g, .n = 0};
    const struct xk_pipe_info info = {(uint8_t)g.f->copies, 2};
    g.i = xk_var(l->c, xk_type_vec(XK_DT_S32, 1), "i");
    if (!g.i)
        return;
    xk_facts_set(l->facts, g.i, 0, g.f->trip - 1, 1, 0);
    prepare(&g);
    if (p->b.slots > 1)
        load_b(&o);
    if (p->a.slots > 1) {
        load_a(&o, 0, items(&g)->n);
        multiply(&o, 0, p->s.m_thr);
    } else {
        in_turn(&o);
    }
    if (p->b.slots == 1)
        load_b(&o);
    xk_block_add(&l->w, xk_pipe(l->c, g.i, xk_s32(l->c, g.f->trip), info,
                                xk_seq(l->c, o.st, o.n)));
}
