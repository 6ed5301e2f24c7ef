/* SPDX-License-Identifier: Apache-2.0 */
/* How C gets into memory: the kind of message, what one stores, and so the
 * parts in which the epilogue finishes C.
 *
 * With M in the lanes a message has a dpas's rows. The data port looks up each
 * line that a message touches, so it should store as much of a row as it can:
 * the dwords that a lane has at most. */
#include "plan/operand.h"

enum {
    WIDE = 2
}; /* buffers in front of a conversion: one is converted while
      the next is made */

unsigned xk_plan_block_columns(unsigned n, unsigned element_b)
{
    enum { MOST_B = 256 };  /* of a block message: 64 dwords */
    unsigned cols = n & -n; /* dwords are a power of two (isa.md 6.3) */
    while (cols * element_b > MOST_B)
        cols /= 2;
    return cols;
}

/* N in the lanes: C goes out row by row. */
static void store_rows(struct xk_plan *p, int64_t col_b, int64_t run,
                       bool dwords)
{
    struct xk_plan_epilogue *const e = &p->epi;
    const bool contiguous =
        col_b == xk_dtype_b(e->dst) && run >= e->n_extent && !e->masked_n;
    if (contiguous && dwords && e->n_extent % p->s.simd == 0 &&
        p->s.store != XK_PUT_SCATTERED && !p->con->adds) {
        e->store = XK_STORE_BLOCK;
        const unsigned cols =
            xk_plan_block_columns(p->s.n_thr, xk_dtype_b(e->dst));
        e->cols = e->n_extent % cols == 0 ? (uint16_t)cols : p->s.simd;
        e->why = "rows of C are contiguous";
    } else {
        e->store = XK_STORE_SCATTERED;
        e->cols = p->s.simd;
        e->why = contiguous ? "N is not a multiple of the lanes"
                            : "columns of C are not contiguous, or masked";
    }
}

static void set_parts(struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    const bool systolic = xk_fma_family_of(p->s.fma)->lanes_m;
    const bool dense = xk_plan_stores_dense(e);
    const unsigned element_b = dense ? xk_dtype_b(e->dst) : 4;
    const unsigned grf_b = p->platform->grf_b;
    e->parts = (uint16_t)(systolic ? e->m / p->platform->dpas_exec *
                                         (e->n / xk_plan_part_columns(p))
                                   : e->m);
    e->part_b = (uint16_t)(systolic ? xk_plan_part_elements(e) * element_b
                                    : e->n / e->cols * grf_b *
                                          xk_grfs(p, e->cols * element_b));
    if (e->convert) /* a message reads one while the next is made */
        e->turns = systolic && !dense ? 1 : 2;
}

bool xk_plan_holds_numbers(const struct xk_epi_op *op)
{
    return xk_epi_temps(op) > 3;
}

/* Whether messages may store n columns of a row each: consecutive ones, all of
 * which exist or none. */
static bool may_store(const struct xk_plan *p, unsigned n, int64_t run)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    return e->n % n == 0 && run % n == 0 && e->n_extent % n == 0;
}

static void set_columns(struct xk_plan *p, unsigned n)
{
    struct xk_plan_epilogue *const e = &p->epi;
    e->cols = (uint16_t)n;
    set_parts(p);
}

/* Whether registers hold that many columns, with some buffers in front of the
 * conversion, and two parts of a side under way. */
static bool fits(struct xk_plan *p, unsigned cols, unsigned wide)
{
    struct xk_plan_epilogue *const e = &p->epi;
    set_columns(p, cols);
    e->wide = (uint8_t)(e->wide_in_side ? 0 : wide);
    const bool ahead = e->n_sides && !xk_plan_is_serial(e);
    const unsigned raw = ahead ? 2 * xk_plan_raw_grf(p, &e->side[0]) : 0;
    return xk_plan_count_epilogue(p) + xk_plan_cse_grf(p) + raw <= p->grf.limit;
}

void xk_plan_fit_store(struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    const bool steps = e->in_f32 || p->con->n_epi || e->n_extent > p->n_extent;
    const unsigned rows = p->platform->dpas_rows;
    const unsigned least = e->cols < rows ? e->cols : rows;
    if (!xk_fma_family_of(p->s.fma)->lanes_m || !e->convert)
        return;
    e->wide_in_side = xk_plan_side_takes_columns(p);
    for (unsigned n = e->cols; n >= least; n /= 2)
        for (unsigned wide = steps && !e->wide_in_side ? WIDE : 1; wide; wide--)
            if (fits(p, n, steps ? wide : 0))
                return;
    fits(p, least, 0);
}

/* M in the lanes: columns side by side where they are consecutive and eight of
 * them whole dwords, else column by column. */
static void store_columns(struct xk_plan *p, const struct xk_tile_strides *s,
                          int64_t col_b, int64_t run)
{
    struct xk_plan_epilogue *const e = &p->epi;
    const unsigned dst_b = xk_dtype_b(e->dst), rows = p->platform->dpas_rows;
    const bool eight = col_b == dst_b && run % rows == 0 && s->dwords &&
                       e->n_extent % rows == 0 && !e->masked_n;
    const bool packed = eight && p->s.store != XK_PUT_COLUMNS && !p->con->adds;
    e->store = packed ? XK_STORE_PACKED : XK_STORE_COLUMNS;
    e->why = eight ? "eight columns of C are consecutive dwords"
                   : "columns of C are not eight consecutive dwords";
    /* Without a conversion C's own registers go out, in squares. */
    unsigned n = e->convert ? xk_plan_row_b(p) / dst_b : rows;
    while (n > rows && !may_store(p, n, run))
        n /= 2;
    set_columns(p, packed ? n : 1);
}

/* Whether C goes out as the schedule wants it. */
static enum xk_status check_store(xk_ctx *c, struct xk_plan *p)
{
    static const char *const words[] = {"auto", "block", "scattered", "packed",
                                        "columns"};
    if (p->s.store == XK_PUT_AUTO)
        return XK_OK;
    if (p->epi.store + 1u != p->s.store)
        return xk_fail(c, XK_ENOFIT, "plan: store=%s: %s", words[p->s.store],
                       p->epi.why);
    p->epi.why = "the schedule wants it so";
    return XK_OK;
}

/* Whether what the rows add to an offset and what the columns add stand apart,
 * each from an element at 0. */
static bool adds_up(const struct xk_contraction *p, const struct xk_access *a)
{
    for (unsigned d = 0; d < a->layout.n_dims; d++) {
        const struct xk_coord *const x = &a->at[d];
        uint32_t roles = 0;
        for (unsigned i = 0; i < p->n_index; i++)
            if (x->coef[i] && p->index[i].extent > 1)
                roles |= 1u << p->index[i].role;
        if (x->base || roles >> XK_ROLE_BATCH & 1 ||
            (roles >> XK_ROLE_M & 1 && roles >> XK_ROLE_N & 1))
            return false;
    }
    return true;
}

static bool inputs_add_up(const struct xk_contraction *p)
{
    bool all = true;
    for (unsigned i = 0; i < p->n_inputs; i++)
        all = all && adds_up(p, &p->input[i]);
    return all;
}

static bool masks_columns(const struct xk_view *v, const char *n)
{
    const int d = xk_view_find(v, n);
    for (unsigned i = 0; d >= 0 && i < v->n_masks; i++)
        if (xk_depends_on(v->mask[i], v->dim[d].var))
            return true;
    return false;
}

static bool needs_f32(const struct xk_plan *p)
{
    const unsigned n = p->con->n_epi;
    return p->con->acc_dt != XK_DT_F32 &&
           ((n && !p->con->epi[n - 1].in_acc) || p->epi.dst != XK_DT_S32);
}

/* Vectors of each turn: enough that moving the others is little beside the
 * functions, and few enough that the bodies of all loops stay short. */
static unsigned loop_vectors(const struct xk_plan *p)
{
    enum { MOST = 8, BODIES = 512 };
    if (!xk_schedule_has_loops(&p->shape, &p->s))
        return 0;
    const unsigned n = BODIES / p->shape.looped;
    return n > MOST ? MOST : n ? n : 1;
}

enum xk_status xk_plan_store(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    const struct xk_view *const v = &p->con->c.view;
    const char *const n = xk_plan_n_index(p)->name;
    const struct xk_tile_strides s = xk_tile_strides_of(c, p, v, n);
    XK_TRY(xk_ctx_status(c));
    e->dst = v->layout.dt;
    e->in_f32 = needs_f32(p);
    e->convert = e->dst != (e->in_f32 ? XK_DT_F32 : p->con->acc_dt);
    e->loop_vectors = (uint8_t)loop_vectors(p);
    e->masked = p->con->c.leaves;
    e->masked_n = masks_columns(v, n);
    e->merged = p->shape.even_c && !e->masked;
    e->row_stride_b = p->shape.row_b;
    e->whole = !inputs_add_up(&p->con->of) ||
               (!e->merged && !adds_up(&p->con->of, &p->con->of.c));
    e->merged = e->merged && !e->whole;
    e->m_masked = p->a.row_masked;
    e->n_masked = e->n_extent % ((int64_t)p->s.n_thr * p->s.tg_n) != 0;
    if (xk_fma_family_of(p->s.fma)->lanes_m) {
        store_columns(p, &s, s.row_b, s.row_run);
    } else {
        store_rows(p, s.row_b, s.row_run, s.dwords);
        set_parts(p);
    }
    xk_plan_inputs(c, p);
    return check_store(c, p);
}
