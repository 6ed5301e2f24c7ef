/* SPDX-License-Identifier: Apache-2.0 */
/* tile.load and tile.store as messages. A shape's messages that cannot say with
 * one mask what is there are taken apart into those of a worse shape. */
#include <string.h>

#include "base/integer.h"
#include "isa/isa.h"
#include "passes/expand.h"

const xk_expr *xk_expand_reg(struct xk_expand *x, const struct xk_tile_move *m,
                             const int64_t *at)
{
    const struct xk_layout *const l = &m->part.tile->layout;
    const int64_t off_b = xk_layout_offset_e(l, at) * xk_dtype_b(l->dt);
    return xk_ptr(x->c, m->buf,
                  xk_simplify(x->c,
                              xk_bin_imm(x->c, XK_OP_ADD, m->buf_off, off_b),
                              x->facts));
}

/* The parameter behind a pointer, and the pointer's number among them. */
static const struct xk_param *param_behind(const struct xk_expand *x,
                                           const xk_expr *mem, uint8_t *number)
{
    const struct xk_kernel *const k = x->kernel;
    *number = 0;
    for (unsigned i = 0; i + 1 < k->n_params; i++) {
        if (k->params[i].var == mem)
            return &k->params[i + 1];
        *number = (uint8_t)(*number + (k->params[i].kind == XK_PARAM_GLOBAL));
    }
    return NULL;
}

bool xk_expand_has_surface(const struct xk_expand *x, const xk_expr *mem)
{
    uint8_t number;
    const struct xk_param *const p = param_behind(x, mem, &number);
    return p && p->kind == XK_PARAM_SURFACE;
}

void xk_expand_send(struct xk_expand *x, const struct xk_tile_move *m,
                    struct xk_send send, const xk_expr *off, const xk_expr *reg,
                    const xk_expr *mask)
{
    struct xk_func f = {.kind = XK_FUNC_SEND, .u.send = send};
    f.u.send.space = (uint8_t)xk_type_of(m->mem).space;
    f.u.send.addr = f.u.send.space == XK_SPACE_SLM ? XK_SEND_A32 : XK_SEND_A64;
    if (xk_expand_has_surface(x, m->mem)) {
        f.u.send.addr = XK_SEND_SURFACE;
        param_behind(x, m->mem, &f.u.send.surface);
    }
    if (off && send.lanes > 1 && xk_type_of(off).lanes == 1)
        off = xk_bcast(x->c, off, send.lanes);
    if (mask && send.lanes > 1 && xk_type_of(mask).lanes == 1)
        mask = xk_bcast(x->c, mask, send.lanes);
    const xk_expr *const args[] = {xk_ptr(x->c, m->mem, xk_s32(x->c, 0)), off,
                                   reg, mask};
    for (unsigned i = 0; i < 4; i++)
        if (!args[i])
            return;
    xk_block_call(&x->w, &f, args, 4);
}

const xk_expr *xk_expand_at(struct xk_expand *x, const xk_expr *ptr,
                            int64_t off_b)
{
    const xk_expr *const off =
        xk_bin_imm(x->c, XK_OP_ADD, xk_kid(ptr, 1), off_b);
    return xk_ptr(x->c, xk_kid(ptr, 0), xk_simplify(x->c, off, x->facts));
}

void xk_expand_fill(struct xk_expand *x, const xk_expr *reg, unsigned n_b,
                    uint32_t dword)
{
    const unsigned most_b = 2u * x->platform->grf_b;
    for (unsigned at = 0; reg && at < n_b;) {
        const unsigned part_b = n_b - at < most_b ? n_b - at : most_b;
        const xk_expr *const v =
            xk_bcast(x->c, xk_imm(x->c, XK_DT_U32, dword), part_b / 4);
        xk_block_add(&x->w, xk_store(x->c, xk_expand_at(x, reg, at), v));
        at += part_b;
    }
}

static bool is_always(const xk_expr *mask)
{
    int64_t v = 0;
    return xk_is_const(mask, &v) && v;
}

static bool is_never(const xk_expr *mask)
{
    int64_t v = 1;
    return xk_is_const(mask, &v) && !v;
}

static unsigned registers_b(const struct xk_expand *x, unsigned lanes)
{
    const unsigned n_b = 4 * lanes, grf_b = x->platform->grf_b;
    return (n_b + grf_b - 1) / grf_b * grf_b;
}

/* Whether a message's n_b bytes are whole registers of the tile, in which
 * elements may be a stride apart: then some lie in front of its first one. */
static bool is_whole_registers(struct xk_expand *x,
                               const struct xk_tile_move *m, const int64_t *at,
                               unsigned n_b, unsigned stride_b)
{
    int64_t mod, rem;
    const int64_t grf_b = x->platform->grf_b;
    const xk_expr *const reg = xk_expand_reg(x, m, at);
    if (!reg || n_b % grf_b)
        return false;
    xk_facts_divisibility(x->facts, xk_kid(reg, 1), &mod, &rem);
    return mod % grf_b == 0 && rem % grf_b < stride_b;
}

/* Bytes of registers that a message takes. */
static unsigned message_data_b(const struct xk_expand *x,
                               const struct xk_tile_shape *s)
{
    if (s->kind == XK_SHAPE_RUNS)
        return 8u * s->lanes;
    return s->kind == XK_SHAPE_BLOCK ? 4u * s->vec
                                     : s->vec * registers_b(x, s->lanes);
}

/* Bytes from an element of a message to the next in the tile. */
static unsigned tile_stride_b(const struct xk_tile_move *m,
                              const struct xk_tile_shape *s)
{
    const unsigned stride = s->kind == XK_SHAPE_BLOCK ? s->reg_stride : 1;
    return stride * xk_dtype_b(m->part.tile->layout.dt);
}

/* The message's bytes in the tile. */
static unsigned tile_data_b(const struct xk_expand *x,
                            const struct xk_tile_move *m,
                            const struct xk_tile_shape *s)
{
    return message_data_b(x, s) * tile_stride_b(m, s) /
           xk_dtype_b(m->access->layout.dt);
}

/* Whether the mask at every corner of a message's places is that of its first
 * ones: where conditions are linear, nothing else can hold between corners.
 * Where no corner is there, places between them may be. */
static bool has_one_mask(struct xk_expand *x, const struct xk_tile_move *m,
                         const struct xk_tile_shape *s, const int64_t *at,
                         const struct xk_tile_place *first)
{
    unsigned alike = 0;
    for (unsigned d = 0; d < m->n_dims; d++) {
        const int64_t last = at[d] + s->n[d] - 1;
        if (xk_expand_is_alike(x, m, d, at[d], last))
            alike |= 1u << d;
        else if ((int)d != s->lane_dim &&
                 !xk_expand_is_straight(x, m, d, at[d], last))
            return false;
    }
    for (unsigned corner = 1; corner < 1u << m->n_dims; corner++) {
        int64_t end[XK_N_ROLES];
        struct xk_tile_place p;
        bool is_one = true;
        for (unsigned d = 0; d < m->n_dims; d++) {
            const bool moves = corner >> d & 1;
            is_one &= !moves || (s->n[d] > 1 && (int)d != s->lane_dim &&
                                 !(alike >> d & 1));
            end[d] = at[d] + (moves ? s->n[d] - 1 : 0);
        }
        if (is_one &&
            (is_never(first->mask) || !xk_expand_place(x, m, s, end, &p) ||
             p.mask != first->mask ||
             (m->access->fill && p.inside != first->inside)))
            return false;
    }
    return true;
}

/* Whether a message's runs are there together, a stride apart. */
static bool runs_are_even(struct xk_expand *x, const struct xk_tile_move *m,
                          const struct xk_tile_shape *s, const int64_t *at)
{
    const unsigned d = s->run_dim;
    const int64_t last = at[d] + s->n[d] - 1;
    return xk_expand_is_alike(x, m, d, at[d], last) &&
           xk_expand_is_even(x, m, d, at[d], last);
}

/* Whether all places of a message share the mask of its first ones, and blocks
 * that are loaded are all there, or, where nothing but elements could take
 * their place, all of a block or nothing; dword messages begin at dwords. */
static bool is_one_message(struct xk_expand *x, const struct xk_tile_move *m,
                           const struct xk_tile_shape *s, const int64_t *at,
                           const struct xk_tile_place *first)
{
    int64_t mod, rem;
    unsigned data_b = tile_data_b(x, m, s);
    if (s->kind == XK_SHAPE_BLOCK && m->f->op == XK_TILE_STORE)
        data_b = xk_round_up(data_b, x->platform->grf_b); /* reads no more */
    xk_facts_divisibility(x->facts, first->off, &mod, &rem);
    if (s->kind != XK_SHAPE_ELEMENTS &&
        (mod % 4 || rem % 4 ||
         !is_whole_registers(x, m, at, data_b, tile_stride_b(m, s))))
        return false;
    if (s->kind == XK_SHAPE_RUNS &&
        (mod % 8 || rem % 8 || !runs_are_even(x, m, s, at)))
        return false;
    if (s->kind == XK_SHAPE_BLOCK && !is_always(first->mask) &&
        m->f->op == XK_TILE_LOAD &&
        (!s->alone || (m->access->fill && first->inside)))
        return false;
    return has_one_mask(x, m, s, at, first);
}

static struct xk_send send_of(const struct xk_tile_move *m,
                              const struct xk_tile_shape *s)
{
    static const uint8_t ops[] = {[XK_TILE_LOAD] = XK_SEND_LOAD,
                                  [XK_TILE_STORE] = XK_SEND_STORE,
                                  [XK_TILE_ADD] = XK_SEND_ATOMIC_ADD};
    const unsigned elem_b = xk_dtype_b(m->access->layout.dt);
    return (struct xk_send){.op = ops[m->f->op],
                            .data_b =
                                (uint8_t)(s->kind == XK_SHAPE_ELEMENTS ? elem_b
                                          : s->kind == XK_SHAPE_RUNS   ? 8
                                                                       : 4),
                            .vec = s->vec,
                            .lanes = s->lanes,
                            .block = s->kind == XK_SHAPE_BLOCK};
}

/* Between lanes' dwords, or a block, and the elements of a tile. */
static void reorder_lanes(struct xk_expand *x, const struct xk_tile_move *m,
                          const struct xk_tile_shape *s, unsigned used,
                          const xk_expr *tile, const xk_expr *dwords)
{
    const bool load = m->f->op == XK_TILE_LOAD;
    const bool block = s->kind == XK_SHAPE_BLOCK;
    const unsigned elem_b = xk_dtype_b(m->access->layout.dt);
    const uint16_t per_dw = (uint16_t)(block ? 1 : 4 / elem_b);
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    f.u.reorder.n_dims = 1;
    f.u.reorder.extent[0] = (uint16_t)(block ? 4u * s->vec / elem_b : used);
    f.u.reorder.dst_stride[0] = load ? s->reg_stride : per_dw;
    f.u.reorder.src_stride[0] = load ? per_dw : s->reg_stride;
    f.u.reorder.dst =
        (uint8_t)(load ? m->part.tile->layout.dt : m->access->layout.dt);
    f.u.reorder.src =
        (uint8_t)(load ? m->access->layout.dt : m->part.tile->layout.dt);
    const xk_expr *const args[] = {load ? tile : dwords, load ? dwords : tile};
    if (args[0] && args[1])
        xk_block_call(&x->w, &f, args, 2);
}

/* Lanes of a message that belong to the part. */
static unsigned used_lanes(const struct xk_tile_move *m,
                           const struct xk_tile_shape *s, const int64_t *at)
{
    if (s->kind != XK_SHAPE_ELEMENTS)
        return s->lanes;
    if (s->lane_dim < 0)
        return 1;
    const int64_t left =
        m->part.first[s->lane_dim] + m->part.n[s->lane_dim] - at[s->lane_dim];
    return left < s->lanes ? (unsigned)left : s->lanes;
}

/* Elements straight into the tile need no staging: those of the same type, each
 * in a dword of its own, in all lanes, of whole registers. */
static bool moves_directly(struct xk_expand *x, const struct xk_tile_move *m,
                           const struct xk_tile_shape *s, const int64_t *at)
{
    if (xk_expand_converts(m) ||
        (s->kind == XK_SHAPE_BLOCK && s->reg_stride > 1))
        return false;
    return s->kind != XK_SHAPE_ELEMENTS ||
           (s->reg_stride * xk_dtype_b(m->access->layout.dt) == 4 && s->alone &&
            used_lanes(m, s, at) == s->lanes &&
            is_whole_registers(x, m, at, 4u * s->lanes, 1));
}

/* The range of a sum in all lanes: variables that are known to be below their
 * extents are so only where an element is there. False: not known. */
static bool range_in_all_lanes(struct xk_expand *x, const xk_expr *sum,
                               int64_t *lo, int64_t *hi)
{
    const xk_expr *var[XK_MAX_INDEX], *value[XK_MAX_INDEX];
    unsigned n = 0;
    for (uint32_t i = 0; sum && i < x->n_levels; i++)
        for (uint32_t k = 0; k < x->level[i].n; k++) {
            if (!x->level[i].bound[k].extent ||
                !xk_depends_on(sum, x->level[i].bound[k].var))
                continue;
            if (n == XK_COUNTOF(var))
                return false;
            var[n] = x->level[i].bound[k].var;
            value[n++] = x->level[i].bound[k].value;
        }
    if (sum && n)
        sum = xk_substitute(x->c, sum, n, var, value);
    return sum && xk_facts_range(x->facts, sum, lo, hi);
}

/* A sum in two: what moves, NULL: nothing, and the rest. In a scalar that is
 * what varies with loops behind `level`, in a vector what is the same for all
 * lanes. False: too many terms. */
static bool part_sum(struct xk_expand *x, const xk_expr *off, unsigned level,
                     struct xk_linear *rest, const xk_expr **moving)
{
    struct xk_linear all, out = {0};
    const bool vector = xk_type_of(off).lanes > 1;
    *rest = (struct xk_linear){0};
    if (!xk_linear_from(x->c, off, &all))
        return false;
    rest->constant = all.constant;
    for (unsigned i = 0; i < all.n; i++) {
        const bool moves = vector
                               ? xk_op(all.term[i]) == XK_OP_BCAST
                               : xk_levels_of(&x->levels, all.term[i]) > level;
        struct xk_linear *const to = moves ? &out : rest;
        to->term[to->n] =
            moves && vector ? xk_kid(all.term[i], 0) : all.term[i];
        to->coef[to->n++] = all.coef[i];
    }
    *moving = out.n ? xk_linear_to(x->c, XK_DT_S32, 1, &out) : NULL;
    return true;
}

/* The offset where the mask holds, else beyond any surface, where a load gives
 * 0. What moves is added behind that, as long as it and `more_b` leave it
 * there, so that it can move in a loop. As s32: addresses of 32 bits wrap. */
static const xk_expr *off_or_beside(struct xk_expand *x, const xk_expr *off,
                                    const xk_expr *mask, unsigned level,
                                    int64_t more_b)
{
    xk_ctx *const c = x->c;
    const unsigned lanes = xk_type_of(off).lanes;
    const xk_expr *beside = xk_s32(c, (int32_t)XK_OFF_NULL), *moving;
    struct xk_linear rest;
    int64_t lo, hi;
    beside = lanes > 1 ? xk_bcast(c, beside, lanes) : beside;
    if (!part_sum(x, off, level, &rest, &moving)) /* none moves */
        return xk_select(c, mask, off, beside);
    const bool apart = range_in_all_lanes(x, moving, &lo, &hi) && lo >= 0 &&
                       hi + more_b < UINT32_MAX - XK_OFF_NULL;
    const xk_expr *const still =
        apart ? xk_linear_to(c, XK_DT_S32, lanes, &rest) : off;
    const xk_expr *const at = xk_select(c, mask, still, beside);
    if (!apart)
        return at;
    return xk_add(c, at, lanes > 1 ? xk_bcast(c, moving, lanes) : moving);
}

/* From a message's first byte to each lane's. */
static const xk_expr *lanes_of_runs(struct xk_expand *x,
                                    const struct xk_tile_move *m,
                                    const struct xk_tile_shape *s)
{
    xk_ctx *const c = x->c;
    const unsigned each = s->lanes / s->n[s->run_dim];
    const xk_expr *const lane =
        xk_ramp(c, xk_s32(c, 0), xk_s32(c, 1), s->lanes);
    const xk_expr *const run =
        xk_bin_imm(c, XK_OP_MUL, xk_bin_imm(c, XK_OP_DIV, lane, each),
                   m->stride_b[s->run_dim] - 8 * (int64_t)each);
    return xk_expand_bind(x, "lane_b",
                          xk_add(c, xk_bin_imm(c, XK_OP_MUL, lane, 8), run), 0);
}

/* A place's offset, beside the surface where its mask does not hold. */
static const xk_expr *at_or_beside(struct xk_expand *x,
                                   const struct xk_tile_place *p)
{
    return is_always(p->mask) ? p->off
                              : xk_select(x->c, p->mask, p->off,
                                          xk_s32(x->c, (int32_t)XK_OFF_NULL));
}

/* The offset of runs' lanes, all of them beside the surface where they are not
 * there. */
static const xk_expr *runs_or_beside(struct xk_expand *x,
                                     const struct xk_tile_move *m,
                                     const struct xk_tile_shape *s,
                                     const struct xk_tile_place *p)
{
    const xk_expr *const first = at_or_beside(x, p);
    return first ? xk_add(x->c, xk_bcast(x->c, first, s->lanes),
                          lanes_of_runs(x, m, s))
                 : NULL;
}

/* The offset of a message's lanes, beside the surface where they are not there.
 * Lanes that are there together have one place, which need not be a vector. */
static const xk_expr *or_beside(struct xk_expand *x,
                                const struct xk_tile_move *m,
                                const struct xk_tile_shape *s,
                                const struct xk_tile_place *p)
{
    xk_ctx *const c = x->c;
    const unsigned lanes = s->lanes;
    const xk_expr *off = p->off, *mask = p->mask;
    int64_t lane_b;
    if (xk_type_of(mask).lanes == 1 && xk_op(off) == XK_OP_RAMP &&
        xk_is_const(xk_kid(off, 1), &lane_b) && lane_b >= 0 &&
        lane_b * lanes < UINT32_MAX - XK_OFF_NULL) {
        const unsigned level = xk_levels_of(&x->levels, m->pos[s->lane_dim]);
        const xk_expr *const first =
            off_or_beside(x, xk_kid(off, 0), mask, level, lane_b * lanes);
        return xk_ramp(c, first, xk_kid(off, 1), lanes);
    }
    off = xk_type_of(off).lanes == 1 ? xk_bcast(c, off, lanes) : off;
    mask = xk_type_of(mask).lanes == 1 ? xk_bcast(c, mask, lanes) : mask;
    return off && mask ? off_or_beside(x, off, mask, 0, 0) : NULL;
}

/* What a message's registers hold where it loads nothing: fill beside the
 * tensor, 0 beyond K. */
static void fill_message_outside(struct xk_expand *x,
                                 const struct xk_tile_move *m,
                                 const struct xk_tile_shape *s,
                                 const struct xk_tile_place *p,
                                 const xk_expr *to, unsigned n_b)
{
    xk_ctx *const c = x->c;
    const uint32_t dword = xk_fill_dword(m->access->layout.dt, m->access->fill);
    int64_t in = 1;
    if (!p->inside || !dword || xk_is_const(p->inside, &in)) {
        xk_expand_fill(x, to, n_b, in ? dword : 0);
        return;
    }
    const bool vector = xk_type_of(p->inside).lanes > 1;
    const xk_expr *const inside =
        vector ? p->inside : xk_bcast(c, p->inside, s->lanes);
    const xk_expr *const v =
        xk_select(c, inside, xk_bcast(c, xk_imm(c, XK_DT_U32, dword), s->lanes),
                  xk_bcast(c, xk_imm(c, XK_DT_U32, 0), s->lanes));
    for (unsigned at = 0; to && at < n_b; at += registers_b(x, s->lanes))
        xk_block_add(&x->w, xk_store(c, xk_expand_at(x, to, at), v));
}

static void load_message(struct xk_expand *x, const struct xk_tile_move *m,
                         const struct xk_tile_shape *s, const int64_t *at,
                         const struct xk_tile_place *p)
{
    const unsigned used = used_lanes(m, s, at);
    const bool direct = moves_directly(x, m, s, at), all = is_always(p->mask);
    const unsigned n_b = message_data_b(x, s);
    const xk_expr *const tile = xk_expand_reg(x, m, at);
    const xk_expr *to = tile;
    if (!direct) {
        const xk_expr *const stage = xk_block_alloc(
            &x->w, "stage", xk_round_up(n_b, x->platform->grf_b), 0);
        to = stage ? xk_ptr(x->c, stage, xk_s32(x->c, 0)) : NULL;
    }
    if (s->kind == XK_SHAPE_RUNS) {
        xk_expand_send(x, m, send_of(m, s), runs_or_beside(x, m, s, p), to,
                       xk_imm(x->c, XK_DT_BOOL, 1));
    } else if (!all && !m->access->fill && s->lanes > 1 && !is_never(p->mask) &&
               xk_expand_has_surface(x, m->mem)) {
        xk_expand_send(x, m, send_of(m, s), or_beside(x, m, s, p), to,
                       xk_imm(x->c, XK_DT_BOOL, 1));
    } else {
        if (!all)
            fill_message_outside(x, m, s, p, to, n_b);
        if (!is_never(p->mask))
            xk_expand_send(x, m, send_of(m, s), p->off, to, p->mask);
    }
    if (!direct)
        reorder_lanes(x, m, s, used, tile, to);
}

static void store_message(struct xk_expand *x, const struct xk_tile_move *m,
                          const struct xk_tile_shape *s, const int64_t *at,
                          const struct xk_tile_place *p)
{
    const xk_expr *const tile = xk_expand_reg(x, m, at);
    const unsigned used = used_lanes(m, s, at);
    const xk_expr *from = tile;
    if (is_never(p->mask))
        return;
    if (!moves_directly(x, m, s, at)) {
        const xk_expr *const stage =
            xk_block_alloc(&x->w, "stage", registers_b(x, s->lanes), 0);
        from = stage ? xk_ptr(x->c, stage, xk_s32(x->c, 0)) : NULL;
        reorder_lanes(x, m, s, used, tile, from);
    }
    xk_expand_send(x, m, send_of(m, s), p->off, from, p->mask);
}

/* The mask with the lanes behind the part's end off. */
static const xk_expr *mask_used(struct xk_expand *x,
                                const struct xk_tile_shape *s, unsigned used,
                                const xk_expr *mask)
{
    if (used == s->lanes)
        return mask;
    const xk_expr *const lane =
        xk_ramp(x->c, xk_s32(x->c, 0), xk_s32(x->c, 1), s->lanes);
    if (xk_type_of(mask).lanes == 1)
        mask = xk_bcast(x->c, mask, s->lanes);
    return xk_simplify(
        x->c, xk_and(x->c, mask, xk_bin_imm(x->c, XK_OP_LT, lane, used)),
        x->facts);
}

/* A message's place and where it is, from which others are a constant away. */
struct known_place {
    struct xk_tile_place p;
    int64_t at[XK_N_ROLES];
};

/* The place of the message at `at`, from one that is known if that is certain
 * to differ in nothing but the offset. */
static bool place_from(struct xk_expand *x, const struct xk_tile_move *m,
                       const struct xk_tile_shape *s, const int64_t *at,
                       const struct known_place *k, struct xk_tile_place *out)
{
    int64_t by_b = 0;
    if (!k->p.off || !k->p.mask)
        return false;
    for (unsigned d = 0; d < m->n_dims; d++) {
        const int64_t first = k->at[d] < at[d] ? k->at[d] : at[d];
        const int64_t last =
            (k->at[d] < at[d] ? at[d] : k->at[d]) + s->n[d] - 1;
        if (k->at[d] == at[d])
            continue;
        if (!xk_expand_is_alike(x, m, d, first, last) ||
            !xk_expand_is_even(x, m, d, first, last))
            return false;
        by_b += (at[d] - k->at[d]) * m->stride_b[d];
    }
    *out = k->p;
    out->off = xk_simplify(x->c, xk_bin_imm(x->c, XK_OP_ADD, k->p.off, by_b),
                           x->facts);
    return out->off;
}

/* Whether what is left of the part from here on is there together, less than
 * beside the surface is room for. */
static bool are_runs_together(struct xk_expand *x, const struct xk_tile_move *m,
                              const struct xk_tile_shape *s, const int64_t *at)
{
    for (unsigned d = 0; d < m->n_dims; d++) {
        const bool runs = d == s->run_dim;
        const int64_t last =
            runs ? m->part.first[d] + m->part.n[d] - 1 : at[d] + s->n[d] - 1;
        if (!xk_expand_is_alike(x, m, d, at[d], last))
            return false;
        if (runs && (!xk_expand_is_even(x, m, d, at[d], last) ||
                     (last - at[d] + 1) * m->stride_b[d] >= XK_RUNS_MOST_B))
            return false;
    }
    return true;
}

/* The place's offset says whether it is there, once for all places that are a
 * constant away. */
static void bind_runs(struct xk_expand *x, struct xk_tile_place *p)
{
    const xk_expr *const off = at_or_beside(x, p);
    p->off = off ? xk_expand_bind(x, "at", off, 0) : NULL;
    p->mask = xk_imm(x->c, XK_DT_BOOL, 1);
}

/* The offsets of what is stored to memory are one value and a constant each:
 * those of rows in lanes stand where all parts of a tile find them, that of a
 * row in front of its messages. */
static void bind_offset(struct xk_expand *x, const struct xk_tile_move *m,
                        const struct xk_tile_shape *s, struct xk_tile_place *p)
{
    const bool rows =
        s->lane_dim >= 0 && m->part.tile->role[s->lane_dim] == XK_ROLE_M;
    struct xk_linear sum;
    const struct xk_type type = xk_type_of(p->off);
    if (!xk_linear_from(x->c, p->off, &sum) || !sum.n)
        return;
    const int64_t by = sum.constant;
    sum.constant = 0;
    const xk_expr *const rest =
        xk_linear_to(x->c, (enum xk_dtype)type.dt, type.lanes, &sum);
    const xk_expr *const at = rows ? xk_expand_bind(x, "off", rest, 0)
                                   : xk_block_let(&x->w, "off", rest);
    p->off = at && by ? xk_bin_imm(x->c, XK_OP_ADD, at, by) : at;
}

static bool place_of(struct xk_expand *x, const struct xk_tile_move *m,
                     const struct xk_tile_shape *s, const int64_t *at,
                     struct known_place *k, struct xk_tile_place *out)
{
    if (place_from(x, m, s, at, k, out))
        return true;
    if (!xk_expand_place(x, m, s, at, out))
        return false;
    if (s->kind == XK_SHAPE_RUNS && are_runs_together(x, m, s, at))
        bind_runs(x, out);
    if (xk_tile_call_writes(m->f) &&
        xk_type_of(m->mem).space == XK_SPACE_GLOBAL)
        bind_offset(x, m, s, out);
    k->p = *out;
    memcpy(k->at, at, sizeof(k->at));
    return out->off;
}

static void move_part(struct xk_expand *x, const struct xk_tile_move *m,
                      unsigned best, unsigned most);

/* A message's places by smaller messages: by half as long vectors first. */
static void move_box(struct xk_expand *x, const struct xk_tile_move *m,
                     const struct xk_tile_shape *s, const int64_t *at)
{
    struct xk_tile_move box = *m;
    for (unsigned d = 0; d < m->n_dims; d++) {
        box.part.first[d] = (uint16_t)at[d];
        box.part.n[d] = s->n[d];
    }
    if (s->kind == XK_SHAPE_GATHER && s->vec > 1)
        move_part(x, &box, s->kind, s->vec / 2u);
    else
        move_part(x, &box, s->kind + 1u, x->platform->lane_dwords);
}

/* All of m's part, by messages of this shape at best. */
static void move_part(struct xk_expand *x, const struct xk_tile_move *m,
                      unsigned best, unsigned most)
{
    struct xk_tile_shape s;
    struct known_place known = {0};
    int64_t at[XK_N_ROLES] = {0};
    xk_expand_shape(x, m, best, most, &s);
    for (unsigned d = 0; d < m->n_dims; d++)
        at[d] = m->part.first[d];
    do {
        struct xk_tile_place p;
        if (!place_of(x, m, &s, at, &known, &p))
            return;
        p.mask = mask_used(x, &s, used_lanes(m, &s, at), p.mask);
        if (!is_one_message(x, m, &s, at, &p)) {
            if (s.kind < XK_SHAPE_ELEMENTS)
                move_box(x, m, &s, at);
        } else if (m->f->op == XK_TILE_LOAD) {
            load_message(x, m, &s, at, &p);
        } else {
            store_message(x, m, &s, at, &p);
        }
    } while (xk_ctx_status(x->c) == XK_OK && xk_expand_next(m, &s, at));
}

/* A message adds one element a lane. */
static void add_to_memory(struct xk_expand *x, const struct xk_tile_move *m)
{
    if (xk_type_of(m->mem).space != XK_SPACE_GLOBAL)
        xk_fail(x->c, XK_EUNSUPPORTED,
                "expand: tile.add adds to global memory");
    else
        move_part(x, m, XK_SHAPE_GATHER, 1);
}

void xk_expand_move(struct xk_expand *x, const xk_stmt *call)
{
    struct xk_tile_move m;
    if (!xk_expand_move_of(x, call, &m))
        return;
    const bool converts = m.f->op == XK_TILE_STORE && xk_expand_converts(&m);
    if (m.f->op == XK_TILE_ADD)
        add_to_memory(x, &m);
    else
        move_part(x, &m, converts ? XK_SHAPE_ELEMENTS : XK_SHAPE_RUNS,
                  x->platform->lane_dwords);
}
