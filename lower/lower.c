/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of the kernel: parameters, tile origin, register buffers; then the
 * K loops and the epilogue. No branch depends on the thread: what a thread has
 * too much is masked or moved back inside, so that both sides of a fused pair
 * stay together. */
#include "lower/lower.h"

#include <stdio.h>
#include <string.h>

#include "lower/epilogue.h"

/* A pointer, with the place in its surface where that is used. */
static const xk_expr *pointer_param(struct xk_lowering *l, struct xk_kernel *k,
                                    const char *name)
{
    char at[40];
    const xk_expr *const p =
        xk_kernel_add_param(k, xk_var(l->c, xk_type_ptr(XK_SPACE_GLOBAL), name),
                            XK_PARAM_GLOBAL, 0);
    snprintf(at, sizeof(at), "%s_at", name);
    if (l->p->t.surfaces)
        xk_kernel_add_param(k, xk_var(l->c, xk_type_vec(XK_DT_U32, 1), at),
                            XK_PARAM_SURFACE, 0);
    return p;
}

/* Pointers and values in the order of the callers' argument numbers. */
static void pointer_params(struct xk_lowering *l, struct xk_kernel *k)
{
    const struct xk_nest *const con = l->p->con;
    const struct xk_operand_view *v[3 + XK_MAX_INPUTS] = {&con->a, &con->b,
                                                          &con->c};
    const xk_expr **slot[3 + XK_MAX_INPUTS] = {&l->arg_a, &l->arg_b, &l->arg_c};
    const unsigned n = 3u + con->n_inputs;
    for (unsigned i = 0; i < con->n_inputs; i++) {
        v[3 + i] = &con->input[i];
        slot[3 + i] = &l->arg_in[i];
    }
    for (unsigned arg = 0; arg <= UINT8_MAX; arg++)
        for (unsigned i = 0; i < n; i++)
            if (v[i]->arg == arg)
                *slot[i] =
                    v[i]->by_value
                        ? xk_kernel_add_param(
                              k,
                              xk_var(l->c, xk_type_vec(v[i]->view.layout.dt, 1),
                                     v[i]->name),
                              XK_PARAM_VALUE, 0)
                        : pointer_param(l, k, v[i]->name);
}

static const xk_expr *id_param(struct xk_lowering *l, struct xk_kernel *k,
                               const char *name, enum xk_param_kind kind,
                               int64_t extent)
{
    return xk_kernel_add_param(k, xk_lower_counter(l, name, extent), kind,
                               extent);
}

/* (group * threads + thread) * tile. */
static const xk_expr *origin(struct xk_lowering *l, const char *name,
                             const xk_expr *group, const xk_expr *thread,
                             unsigned threads, unsigned tile)
{
    xk_ctx *const c = l->c;
    const xk_expr *const i =
        xk_add(c, xk_bin_imm(c, XK_OP_MUL, group, threads), thread);
    return xk_block_let(&l->w, name, xk_bin_imm(c, XK_OP_MUL, i, tile));
}

/* The group's place of each batch index: together they count the grid's z. */
static void place_batch(struct xk_lowering *l, struct xk_kernel *k)
{
    const struct xk_nest *const con = l->p->con;
    int64_t outer = l->p->groups[2];
    const xk_expr *z = xk_s32(l->c, 0);
    if (outer > 1)
        z = id_param(l, k, "tg_z", XK_PARAM_GROUP_Z, outer);
    l->group_z = z;
    for (unsigned i = 0; i < con->n_index; i++) {
        const struct xk_index *const x = &con->index[i];
        if (x->role != XK_ROLE_BATCH)
            continue;
        outer /= x->extent;
        const xk_expr *const all = xk_bin_imm(l->c, XK_OP_DIV, z, outer);
        l->batch[i] = xk_block_let(&l->w, x->name,
                                   xk_bin_imm(l->c, XK_OP_MOD, all, x->extent));
    }
}

/* Places in the group: a fused pair shares M, or what dpasw shares, N. */
static void place_thread(struct xk_lowering *l)
{
    const bool wide = xk_plan_is_wide(l->p);
    const unsigned fast = wide ? l->p->t.group_m : l->p->t.group_n;
    const xk_expr *const in = xk_bin_imm(l->c, XK_OP_MOD, l->tid, fast);
    const xk_expr *const over = xk_bin_imm(l->c, XK_OP_DIV, l->tid, fast);
    l->thread_m = wide ? in : over;
    l->thread_n = wide ? over : in;
}

static void tile_origin(struct xk_lowering *l, struct xk_kernel *k)
{
    const struct xk_plan *const p = l->p;
    const unsigned tg_n = p->t.group_n, tg_m = p->t.group_m;
    const xk_expr *const gx =
        id_param(l, k, "tg_x", XK_PARAM_GROUP_X, p->groups[0]);
    const xk_expr *const gy =
        id_param(l, k, "tg_y", XK_PARAM_GROUP_Y, p->groups[1]);
    const xk_expr *tid = id_param(l, k, "tid", XK_PARAM_THREAD,
                                  (int64_t)tg_n * tg_m * p->slices.n);
    if (p->slices.n > 1) {
        l->slice = xk_block_let(&l->w, "slice",
                                xk_bin_imm(l->c, XK_OP_DIV, tid, tg_n * tg_m));
        tid = xk_block_let(&l->w, "tile",
                           xk_bin_imm(l->c, XK_OP_MOD, tid, tg_n * tg_m));
    }
    l->tid = tid;
    place_batch(l, k);
    l->group_m = p->t.m_first ? gx : gy;
    place_thread(l);
    l->group_n = p->t.m_first ? gy : gx;
    l->n0 = origin(l, "n0", l->group_n, l->thread_n, tg_n, p->t.n);
    l->m0 = origin(l, "m0", l->group_m, l->thread_m, tg_m, p->t.m);
    l->out_n0 = l->n0;
    l->out_m0 = l->m0;
    l->n0_b = l->n0;
    if (p->b.clamp_rows && p->b.access == XK_ACCESS_BLOCK)
        l->n0_b = xk_block_let(
            &l->w, "n0_b",
            xk_bin_imm(l->c, XK_OP_MIN, l->n0, p->b.rows_padded - p->t.n));
    xk_lower_places(l);
}

const xk_expr *xk_lower_true(struct xk_lowering *l, unsigned lanes)
{
    const xk_expr *const t = xk_imm(l->c, XK_DT_BOOL, 1);
    return lanes > 1 ? xk_bcast(l->c, t, lanes) : t;
}

const xk_expr *xk_lower_counter(struct xk_lowering *l, const char *name,
                                int64_t extent)
{
    const xk_expr *const v = xk_var(l->c, xk_type_vec(XK_DT_S32, 1), name);
    if (v)
        xk_facts_set(l->facts, v, 0, extent - 1, 1, 0);
    return v;
}

const xk_expr *xk_lower_widen(const struct xk_lowering *l, const xk_expr *v,
                              unsigned lanes)
{
    return v && xk_type_of(v).lanes == 1 ? xk_bcast(l->c, v, lanes) : v;
}

const xk_expr *xk_lower_lanes(struct xk_lowering *l, const xk_expr *first)
{
    return xk_ramp(l->c, first, xk_s32(l->c, 1), l->p->t.lanes);
}

const xk_expr *xk_lower_reg(struct xk_lowering *l, const xk_expr *buf,
                            uint32_t off_b)
{
    return xk_ptr(l->c, buf, xk_s32(l->c, off_b));
}

/* Gathers the view's coordinates from the contraction's. */
static void view_index(const struct xk_lowering *l, const struct xk_view *v,
                       const xk_expr *const *at, const xk_expr *zero,
                       const xk_expr **index)
{
    const struct xk_nest *const con = l->p->con;
    for (unsigned i = 0; i < con->n_index; i++) {
        const int d = xk_view_find(v, con->index[i].name);
        if (d >= 0)
            index[d] = l->batch[i] ? l->batch[i] : at[i];
    }
    /* What no index moves has one place. */
    for (unsigned d = 0; d < v->n_dims; d++)
        if (!index[d] && v->dim[d].extent == 1)
            index[d] = zero;
}

const xk_expr *xk_lower_offset(struct xk_lowering *l, const struct xk_view *v,
                               const xk_expr *const *at)
{
    const xk_expr *index[XK_VIEW_MAX_DIMS] = {0};
    view_index(l, v, at, xk_s32(l->c, 0), index);
    return xk_view_offset_b(l->c, v, index, l->facts);
}

const xk_expr *xk_lower_mask(struct xk_lowering *l, const struct xk_view *v,
                             const xk_expr *const *at)
{
    const xk_expr *index[XK_VIEW_MAX_DIMS] = {0};
    view_index(l, v, at, xk_s32(l->c, 0), index);
    return xk_view_mask(l->c, v, index, l->facts);
}

/* A variable of the place of M index i, which is v; m: the merged index. */
static const xk_expr *place_let(struct xk_lowering *l, unsigned i,
                                const xk_expr *v, const xk_expr *m,
                                struct xk_lower_row *last)
{
    const struct xk_index *const x = &l->p->con->index[i];
    v = xk_simplify(l->c, v, l->facts);
    if (last && v && last->place[i] == v)
        return last->at[i];
    const xk_expr *const at = xk_block_let(&l->w, x->name, v);
    /* Rows beyond M are masked, so an index is known to be inside. Not so
     * m itself: its mask must not be proven away by what it implies. */
    if (at && at != m && xk_op(at) == XK_OP_VAR)
        xk_facts_set(l->facts, at, 0, x->extent - 1, 1, 0);
    if (last) {
        last->place[i] = v;
        last->at[i] = at;
    }
    return at;
}

void xk_lower_unpack_m(struct xk_lowering *l, const xk_expr *m,
                       struct xk_lower_row *last, const xk_expr **at)
{
    const struct xk_nest *const con = l->p->con;
    const int64_t tile = l->p->t.batch ? l->p->t.m : 1;
    int64_t outer = l->p->m_extent;
    bool first = true;
    const bool again = last && last->m == m;
    for (unsigned i = 0; i < con->n_index; i++) {
        const struct xk_index *const x = &con->index[i];
        if (x->role != XK_ROLE_M)
            continue;
        if (again) {
            at[i] = last->at[i];
            continue;
        }
        outer /= x->extent;
        /* First by the tile, of which all rows have the same quotient. */
        const int64_t whole = outer % tile == 0 ? tile : 1;
        const xk_expr *v =
            xk_bin_imm(l->c, XK_OP_DIV, xk_bin_imm(l->c, XK_OP_DIV, m, whole),
                       outer / whole);
        if (!first)
            v = xk_bin_imm(l->c, XK_OP_MOD, v, x->extent);
        first = first && x->extent == 1;
        if (x->extent == 1)
            v = xk_s32(l->c, 0);
        at[i] = place_let(l, i, v, m, last);
    }
    if (last)
        last->m = m;
}

const xk_expr *xk_lower_below_m(struct xk_lowering *l, const xk_expr *m)
{
    return xk_bin_imm(l->c, XK_OP_LT, m, l->p->m_extent);
}

void xk_lower_set_n(const struct xk_lowering *l, const xk_expr *n,
                    const xk_expr **at)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        if (l->p->con->index[x].role == XK_ROLE_N)
            at[x] = n;
}

unsigned xk_lower_k_inner(const struct xk_lowering *l)
{
    return (unsigned)(xk_plan_k_inner(l->p) - l->p->con->index);
}

const xk_expr *xk_lower_surface_at(const struct xk_lowering *l,
                                   const xk_expr *mem)
{
    const struct xk_kernel *const k = l->kernel;
    for (unsigned i = 0; i + 1 < k->n_params; i++)
        if (k->params[i].var == mem)
            return k->params[i + 1].var;
    return NULL;
}

struct xk_send xk_lower_through_surface(const struct xk_lowering *l,
                                        const struct xk_send *s,
                                        const xk_expr *mem)
{
    struct xk_send r = *s;
    r.addr = XK_SEND_SURFACE;
    r.surface = xk_kernel_pointer(l->kernel, mem);
    return r;
}

/* A scattered load through a surface of which lanes may be off. */
static bool may_give_zero(const struct xk_send *s, const xk_expr *mask)
{
    int64_t all = 0;
    return s->op == XK_SEND_LOAD && s->addr == XK_SEND_SURFACE && !s->block &&
           mask && !(xk_is_const(mask, &all) && all);
}

void xk_lower_send(struct xk_lowering *l, struct xk_block_writer *w,
                   const struct xk_send *s, const struct xk_lower_args *x)
{
    xk_ctx *const c = l->c;
    const xk_expr *const args[4] = {xk_ptr(c, x->mem, xk_s32(c, 0)),
                                    xk_lower_widen(l, x->off, s->lanes), x->reg,
                                    x->mask};
    struct xk_func f = {.kind = XK_FUNC_SEND, .u.send = *s};
    if (l->p->t.surfaces && s->space == XK_SPACE_GLOBAL)
        f.u.send = xk_lower_through_surface(l, s, x->mem);
    f.u.send.zero = s->zero && may_give_zero(&f.u.send, x->mask);
    for (unsigned i = 0; i < 4; i++)
        if (!args[i]) {
            xk_fail(c, XK_EINTERNAL, "lower: a message lacks argument %u", i);
            return;
        }
    xk_block_call(w, &f, args, 4);
}

/* All of K with a batch in the lanes, in a block of its own: its registers are
 * free behind it. */
static void multiply_lanes(struct xk_lowering *l)
{
    struct xk_block_writer outer = l->w;
    xk_block_init(&l->w, l->c, l->facts);
    xk_lower_lane_window(l);
    const xk_stmt *const body = xk_block_end(&l->w);
    l->w = outer;
    xk_block_add(&l->w, body);
}

/* What becomes of the sums, in a block of its own with its tiling. */
static void write_epilogue(struct xk_lowering *l)
{
    const xk_expr *const mem[] = {l->arg_c};
    struct xk_block_writer outer = l->w;
    struct xk_tiling t;
    struct xk_epilogue e;
    xk_lower_out_tiling(l, &t);
    xk_block_init(&l->w, l->c, l->facts);
    if (l->slice)
        xk_lower_slices(l, &e);
    else
        xk_lower_epilogue_begin(l, &e);
    xk_lower_epilogue_end(&e);
    const xk_stmt *const body = xk_block_end(&l->w);
    l->w = outer;
    xk_block_add(&l->w, xk_tiling_stmt(l->c, &t, mem, body));
}

static void write_body(struct xk_lowering *l, struct xk_kernel *k)
{
    const uint32_t acc_b = l->p->acc_b;
    tile_origin(l, k);
    l->acc = xk_block_alloc(&l->w, "acc", acc_b, 0);
    if (l->p->n_buffers) {
        xk_lower_nest(l);
    } else {
        xk_lower_zero(l, l->acc, acc_b);
        if (l->p->t.batch)
            multiply_lanes(l);
    }
    write_epilogue(l);
    k->body = xk_block_end(&l->w);
}

enum xk_status xk_lower(xk_ctx *c, const struct xk_plan *p, const char *name,
                        struct xk_kernel *out)
{
    struct xk_lowering l = {.c = c, .p = p, .kernel = out};
    memset(out, 0, sizeof(*out));
    snprintf(out->name, sizeof(out->name), "%s", name);
    out->simd = p->t.lanes;
    l.facts = xk_facts_create(c);
    if (!l.facts)
        return xk_ctx_status(c);
    xk_block_init(&l.w, c, l.facts);
    pointer_params(&l, out);
    write_body(&l, out);
    xk_facts_unref(l.facts);
    if (xk_ctx_status(c) == XK_OK && !out->body)
        return xk_fail(c, XK_EINTERNAL, "lower: no body");
    return xk_ctx_status(c);
}
