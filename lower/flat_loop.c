/* SPDX-License-Identifier: Apache-2.0 */
/* All of K in one loop (plan.h, struct xk_plan_flat), without SLM. A load goes over
 * what was just multiplied, part by part, so it is as many steps ahead as there
 * are register buffers.
 *
 * A's addresses are headers in registers, one for each tap and item, which move
 * on before each use. A lane beside the tensor moves along beyond any
 * surface, from XK_OFF_NULL on, and reads zeros. */
#include "ir/fold.h"
#include "lower/headers.h"
#include "lower/taps.h"

enum { MOST_LANES = 16 /* of dwords an instruction */ };

struct flat {
    struct xk_lowering *l;
    const struct xk_plan_flat *f;
    struct xk_stages loop;
    const xk_expr *i;    /* step */
    const xk_expr *from; /* headers, or places: [tap][item] */
    /* Of items whose rows share a pixel: headers; u32: bytes of each row behind the
     * first; a register of the bytes along K, NULL: K has one step. */
    const xk_expr *heads, *rows, *along;
    /* s32: the edge's coordinate of the first and last rows of a fused pair, at
     * the first tap. */
    const xk_expr *low, *high;
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
    const bool eights = m->send.lanes == 8 && o->send.lanes == 8;
    return eights && o->row == m->row + 8 && o->k == m->k;
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
    const xk_expr *const row =
        xk_block_let(&l->w, "m", xk_lower_a_rows(l, m->row, lanes));
    struct xk_tap_rows rows;
    xk_lower_tap_rows(l, row, xk_s32(l->c, m->k), g->f->step_b, &rows);
    for (unsigned tap = 0; tap < g->f->taps; tap++)
        xk_lower_set_header(l, g->from,
                            tap * g->f->headers_b + header_b(g, item),
                            xk_lower_tap_offset(l, &rows, tap));
}

/* s32 x lanes: of items from `first` on the first rows, and where their elements begin
 * in a step. */
struct item_lanes {
    unsigned first, lanes;
    const xk_expr *m, *k;
};

static struct item_lanes item_lanes(struct flat *g, unsigned first)
{
    struct xk_lowering *const l = g->l;
    xk_ctx *const c = l->c;
    const unsigned each = g->f->each, left = g->f->headers_b / 4 - first;
    struct item_lanes i = {first, left < MOST_LANES ? left : MOST_LANES, l->m0,
                           xk_s32(c, 0)};
    if (each == 1) {
        const xk_expr *const eights = xk_s32(c, 8);
        i.m = xk_ramp(c, l->m0, eights, i.lanes);
    } else {
        const xk_expr *const one = xk_s32(c, 1);
        const xk_expr *const item = xk_block_let(
            &l->w, "item", xk_ramp(c, xk_s32(c, first), one, i.lanes));
        const xk_expr *const tap = xk_bin_imm(c, XK_OP_MOD, item, each);
        const xk_expr *const eight = xk_bin_imm(c, XK_OP_DIV, item, each);
        const xk_expr *const row = xk_bin_imm(c, XK_OP_MUL, eight, 8);
        i.m = xk_add(c, row, xk_lower_widen(l, l->m0, i.lanes));
        i.k = xk_block_let(&l->w, "k",
                           xk_bin_imm(c, XK_OP_MUL, tap, XK_PACK_FEW));
    }
    i.m = xk_block_let(&l->w, "m", i.m);
    return i;
}

/* A place of each of these items for each tap; lanes beyond the items say nothing. */
static void set_places(struct flat *g, const struct item_lanes *i)
{
    struct xk_lowering *const l = g->l;
    struct xk_tap_rows rows;
    xk_lower_tap_rows(l, i->m, i->k, g->f->step_b, &rows);
    for (unsigned tap = 0; tap < g->f->taps; tap++) {
        const xk_expr *const at = xk_lower_tap_offset(l, &rows, tap);
        const xk_expr *const to =
            xk_lower_reg(l, g->from, tap * g->f->headers_b + 4 * i->first);
        xk_block_add(&l->w, xk_store(l->c, to, xk_lower_widen(l, at, i->lanes)));
    }
}

/* Bytes from an item's place to each lane's. */
static const xk_expr *rows_b(struct flat *g)
{
    struct xk_lowering *const l = g->l;
    const xk_expr *const none = xk_lower_u32(l, 0);
    const xk_expr *const row_b = xk_lower_u32(l, g->f->row_b);
    return xk_ramp(l->c, none, row_b, 8);
}

static void prepare_places(struct flat *g)
{
    struct xk_lowering *const l = g->l;
    xk_ctx *const c = l->c;
    const unsigned heads = xk_schedule_headers(items(g)->n);
    const xk_expr *const none = xk_lower_u32(l, 0);
    struct item_lanes of[XK_MAX_PLACES / MOST_LANES];
    unsigned n = 0;
    for (unsigned i = 0; i < items(g)->n; i += MOST_LANES)
        of[n++] = item_lanes(g, i);
    g->from = xk_block_alloc(&l->w, "from", g->f->taps * g->f->headers_b, 0);
    g->heads = xk_block_alloc(&l->w, "heads", heads * XK_HEADER_B, 0);
    if (g->f->step_b)
        g->along = xk_block_alloc(&l->w, "along", 4, 0);
    g->rows = xk_block_let(&l->w, "rows", rows_b(g));
    if (g->along)
        xk_block_add(&l->w, xk_store(c, xk_lower_reg(l, g->along, 0), none));
    for (unsigned i = 0; i < n; i++)
        set_places(g, &of[i]);
}

static void prepare(struct flat *g)
{
    if (g->f->row_b) {
        prepare_places(g);
        return;
    }
    g->from = xk_block_alloc(&g->l->w, "from", g->f->taps * g->f->headers_b, 0);
    for (unsigned n = 0; n < items(g)->n; n++) {
        const bool two = is_pair(g, n);
        prepare_rows(g, n, two ? 16 : lanes_of(g, n));
        n += two;
    }
}

/* Where the headers of this step's tap begin. */
static const xk_expr *tap_b(struct flat *g)
{
    xk_ctx *const c = g->l->c;
    return xk_bin_imm(c, XK_OP_MUL, xk_lower_tap_of(g->l, g->i),
                      g->f->headers_b);
}

/* Headers of items first .. last - 1. */
static void advance(struct flat *g, struct xk_block_writer *w, unsigned first,
                    unsigned last)
{
    const uint32_t first_b = header_b(g, first);
    const struct xk_header_run r = {g->from, tap_b(g), first_b,
                                    header_b(g, last) - first_b};
    xk_lower_move_headers(g->l, w, &r, XK_OP_ADD,
                          xk_lower_u32(g->l, g->f->step_b));
}

static const xk_expr *u32_at(struct xk_block_writer *w, const xk_expr *ptr)
{
    return xk_block_load(w, "at", xk_type_vec(XK_DT_U32, 1), ptr);
}

/* A step further along K, before its first tap. */
static void move_along(struct flat *g, struct xk_block_writer *w)
{
    struct xk_lowering *const l = g->l;
    xk_ctx *const c = l->c;
    struct xk_block_writer in;
    const xk_expr *const first =
        xk_bin_imm(c, XK_OP_EQ, xk_lower_tap_of(l, g->i), 0);
    xk_block_init(&in, c, l->facts);
    const xk_expr *const at = xk_lower_reg(l, g->along, 0);
    const xk_expr *const now = u32_at(&in, at);
    const xk_expr *const step = xk_lower_u32(l, g->f->step_b);
    xk_block_add(&in, xk_store(c, at, xk_add(c, now, step)));
    xk_block_add_if(w, first, &in);
}

/* Headers take turns. */
static const xk_expr *head_of(struct flat *g, unsigned item)
{
    const unsigned turn = item % xk_schedule_headers(items(g)->n);
    return xk_lower_reg(g->l, g->heads, turn * XK_HEADER_B);
}

/* The header of an item at this step's tap. */
static void make_header(struct flat *g, struct xk_block_writer *w,
                        unsigned item)
{
    struct xk_lowering *const l = g->l;
    xk_ctx *const c = l->c;
    const xk_expr *at =
        u32_at(w, xk_lower_slot_reg(l, g->from, tap_b(g), 4 * item));
    if (g->along)
        at = xk_add(c, at, u32_at(w, xk_lower_reg(l, g->along, 0)));
    at = xk_lower_widen(l, at, lanes_of(g, item));
    const xk_expr *const head = head_of(g, item);
    xk_block_add(w, xk_store(c, head, xk_add(c, at, g->rows)));
}

/* Where an item's load of this step goes. */
static const xk_expr *into(struct flat *g, unsigned item)
{
    struct xk_lowering *const l = g->l;
    return xk_lower_slot_reg(l, l->a, xk_lower_slot_b(l, g->i, &l->p->a),
                             m_of(g, item)->reg_b);
}

static void gather(struct flat *g, struct xk_block_writer *w, unsigned item)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_msg *const m = m_of(g, item);
    const struct xk_send s = xk_lower_through_surface(l, &m->send, l->arg_a);
    const xk_expr *const head =
        g->f->row_b
            ? head_of(g, item)
            : xk_lower_slot_reg(l, g->from, tap_b(g), header_b(g, item));
    xk_lower_sendh(l, w, &s, head, into(g, item));
}

static void load_b(struct flat *g)
{
    struct xk_lowering *const l = g->l;
    struct xk_block_writer w;
    xk_block_init(&w, l->c, l->facts);
    xk_lower_tap_b(l, &w, g->i);
    xk_stages_add(&g->loop, l->p->b.stage, &w);
}

/* An item of A whose rows share pixels. */
static void load_place(struct flat *g, struct xk_block_writer *w, unsigned item)
{
    make_header(g, w, item);
    gather(g, w, item);
}

/* Items first .. last - 1. The second of a pair moves on with the first one:
 * its last load has left. */
static void load_a(struct flat *g, unsigned first, unsigned last)
{
    struct xk_lowering *const l = g->l;
    struct xk_block_writer in;
    if (first == last)
        return;
    xk_block_init(&in, l->c, l->facts);
    if (g->along && first == 0)
        move_along(g, &in);
    for (unsigned n = first; n < last; n++) {
        if (g->f->row_b) {
            load_place(g, &in, n);
            continue;
        }
        if (!is_second(g, n))
            advance(g, &in, n, n + 1 + is_pair(g, n));
        gather(g, &in, n);
    }
    xk_stages_add(&g->loop, l->p->a.stage, &in);
}

/* The place of row m's coordinate at the first tap. */
static const xk_expr *edge_at(struct flat *g, const char *name,
                              const xk_expr *m)
{
    struct xk_lowering *const l = g->l;
    const struct xk_edge *const e = &g->f->edge;
    const xk_expr *const in =
        xk_bin_imm(l->c, XK_OP_MIN, m, l->p->m_extent - 1);
    const xk_expr *const at = xk_bin_imm(l->c, XK_OP_DIV, in, e->rows);
    const xk_expr *const by = xk_bin_imm(l->c, XK_OP_MUL, at, e->m_step);
    return xk_block_let(&l->w, name,
                        xk_bin_imm(l->c, XK_OP_ADD, by, e->start));
}

/* How many threads along M from a multiple on go one way together: a fused pair
 * shares M or, with B or with one column of threads, has rows that follow each
 * other; with odd columns it may have any of the group's. */
static unsigned threads_together(const struct xk_plan *p)
{
    const unsigned m = p->s.tg_m, n = p->s.tg_n;
    if (xk_plan_is_wide(p) || (n == 1 && m % 2 == 0))
        return 2;
    return n % 2 ? m : 1;
}

static void prepare_edges(struct flat *g)
{
    struct xk_lowering *const l = g->l;
    xk_ctx *const c = l->c;
    const unsigned n = threads_together(l->p);
    const xk_expr *const rows = xk_lower_rows_of_thread(l);
    const xk_expr *first = l->m0;
    if (n > 1) {
        const xk_expr *const before = xk_bin_imm(c, XK_OP_MOD, l->thread_m, n);
        first = xk_block_let(&l->w, "pair_m0",
                             xk_sub(c, first, xk_mul(c, before, rows)));
    }
    const xk_expr *const size = xk_bin_imm(c, XK_OP_MUL, rows, n);
    const xk_expr *const end = xk_add(c, first, size);
    g->low = edge_at(g, "low", first);
    g->high = edge_at(g, "high", xk_bin_imm(c, XK_OP_ADD, end, -1));
}

/* Whether the step's tap is inside the tensor for any row of the pair. For taps
 * that are inside on one side for all of M, no row is asked: in copies of the
 * loop's body those conditions are constants. */
static const xk_expr *meets(struct flat *g)
{
    xk_ctx *const c = g->l->c;
    const struct xk_edge *const e = &g->f->edge;
    const struct xk_nest *const con = g->l->p->con;
    int64_t inner = 1; /* taps that share a place of the edge's index */
    for (unsigned i = e->k + 1u; i < xk_lower_k_inner(g->l); i++)
        inner *= con->index[i].role == XK_ROLE_K ? con->index[i].extent : 1;
    const xk_expr *const tap = xk_lower_tap_of(g->l, g->i);
    const xk_expr *const k =
        xk_bin_imm(c, XK_OP_MOD, xk_bin_imm(c, XK_OP_DIV, tap, inner),
                   con->index[e->k].extent);
    const xk_expr *const by = xk_bin_imm(c, XK_OP_MUL, k, e->k_step);
    const xk_expr *const high = xk_add(c, g->high, by);
    const xk_expr *const low = xk_add(c, g->low, by);
    const int64_t far = (con->index[e->m].extent - 1) * e->m_step + e->start;
    const bool up = e->k_step > 0; /* taps count up along the coordinate */
    const int64_t step = up ? e->k_step : -e->k_step;
    const int64_t of_begin = xk_floor_div(e->start, step);
    const int64_t of_end = xk_floor_div(e->extent - 1 - far, step);
    /* One after the other: compilers differ in the order of arguments. */
    const xk_expr *const begun_for_all =
        xk_bin_imm(c, up ? XK_OP_GE : XK_OP_LE, k, up ? -of_begin : of_begin);
    const xk_expr *const begun = xk_bin_imm(c, XK_OP_GE, high, 0);
    const xk_expr *const goes_on_for_all =
        xk_bin_imm(c, up ? XK_OP_LE : XK_OP_GE, k, up ? of_end : -of_end);
    const xk_expr *const goes_on = xk_bin_imm(c, XK_OP_LT, low, e->extent);
    const xk_expr *const not_before = xk_or(c, begun_for_all, begun);
    return xk_and(c, not_before, xk_or(c, goes_on_for_all, goes_on));
}

static void multiply(struct flat *g, const struct xk_plan_turn *t)
{
    struct xk_lowering *const l = g->l;
    struct xk_block_writer w, in;
    xk_block_init(&w, l->c, l->facts);
    xk_block_init(&in, l->c, l->facts);
    xk_lower_multiply_all(l, &in, g->i, t->row, t->rows);
    const xk_expr *const met = l->p->s.skip ? meets(g) : NULL;
    if (met)
        xk_block_add_if(&w, met, &in);
    xk_stages_add(&g->loop, g->f->stage, met ? &w : &in);
}

static void step(struct flat *g)
{
    unsigned a = 0;
    for (unsigned u = 0; u < g->f->n_turns; u++) {
        const struct xk_plan_turn *const t = &g->f->turn[u];
        multiply(g, t);
        load_a(g, a, t->a_end);
        a = t->a_end;
    }
    load_b(g);
}

void xk_lower_flat_loop(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    struct flat g = {.l = l, .f = &p->flat};
    xk_stages_init(&g.loop, l, g.f->trip);
    g.i = g.loop.i;
    if (!g.i)
        return;
    prepare(&g);
    if (p->s.skip)
        prepare_edges(&g);
    step(&g);
    xk_stages_end(&g.loop, (struct xk_pipe_info){(uint8_t)g.f->copies,
                                                 (uint8_t)(g.f->stage + 1)});
    if (g.f->ahead.groups)
        xk_lower_prefetch(l);
}
