/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue's order. Inputs that are the same for all rows are loaded once.
 * Where one step reads parts (a sum, or another side), they are asked for
 * `ahead` parts before they are used, into buffers that take turns, so that the
 * others' latency passes while one is computed. Where several do, each loads
 * where it is. */
#include "lower/epilogue.h"

#include "views/access.h"

void xk_lower_n_only(const struct xk_lowering *l, const xk_expr *n,
                     const xk_expr **at)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        at[x] = xk_s32(l->c, 0);
    xk_lower_set_n(l, n, at);
}

const xk_expr *xk_lower_out_columns(struct xk_lowering *l, unsigned first)
{
    return xk_lower_lanes(l, xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first));
}

bool xk_epi_loads_zero(const struct xk_lowering *l,
                       const struct xk_plan_side *s)
{
    return l->p->t.dpas && !(s->leaves && l->p->con->input[s->input].fill);
}

/* Elements n of an input, where mask says. */
static void load_elements(struct xk_lowering *l, unsigned input,
                          const struct xk_send *send, const xk_expr *n,
                          const xk_expr *reg, const xk_expr *mask)
{
    const struct xk_operand_view *const v = &l->p->con->input[input];
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    xk_lower_n_only(l, n, at);
    const struct xk_lower_args x = {.mem = l->arg_in[input],
                                    .off = xk_lower_offset(l, &v->view, at),
                                    .reg = reg,
                                    .mask = mask};
    xk_lower_send(l, &l->w, send, &x);
}

/* As it lies in memory. */
static void load_blocks(struct xk_lowering *l, unsigned input,
                        const xk_expr *buf)
{
    struct xk_send send = {.op = XK_SEND_LOAD,
                           .space = XK_SPACE_GLOBAL,
                           .data_b = 4,
                           .lanes = 1,
                           .block = true};
    const enum xk_dtype dt = l->p->con->input[input].view.layout.dt;
    const unsigned per = 4 / xk_dtype_b(dt), n = l->p->epi.n / per;
    const xk_expr *const all = xk_lower_true(l, 1);
    for (unsigned first = 0; first < n; first += send.vec) {
        const xk_expr *const at =
            xk_bin_imm(l->c, XK_OP_ADD, l->out_n0, first * per);
        send.vec = (uint8_t)xk_plan_block_vec(n - first);
        load_elements(l, input, &send, at, xk_lower_reg(l, buf, 4 * first),
                      all);
    }
}

/* n elements of an input from a column of the thread's part on, each a dword,
 * into buf; zero beyond N. */
static void gather_columns(struct xk_lowering *l, unsigned input,
                           unsigned first, unsigned n, const xk_expr *buf)
{
    const struct xk_plan *const p = l->p;
    const unsigned simd = p->t.lanes;
    const enum xk_dtype dt = p->con->input[input].view.layout.dt;
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = (uint8_t)xk_dtype_b(dt),
                                 .vec = 1,
                                 .lanes = (uint8_t)simd,
                                 .zero = p->t.dpas};
    if (p->epi.input_masked && !(send.zero && p->t.surfaces))
        xk_lower_zero(l, buf, 4u * n);
    for (unsigned i = 0; i < n; i += simd) {
        const xk_expr *const at = xk_lower_out_columns(l, first + i);
        const xk_expr *mask = xk_lower_true(l, simd);
        if (p->epi.input_masked)
            mask = xk_block_let(&l->w, "in_n",
                                xk_bin_imm(l->c, XK_OP_LT, at, p->n_extent));
        load_elements(l, input, &send, at, xk_lower_reg(l, buf, 4 * i), mask);
    }
}

/* n elements become f32; stride: one lies so many after another. */
static void to_f32(struct xk_lowering *l, enum xk_dtype dt, unsigned stride,
                   unsigned n, const xk_expr *from, const xk_expr *to)
{
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    struct xk_reorder *const r = &f.u.reorder;
    r->dst = XK_DT_F32;
    r->src = (uint8_t)dt;
    r->n_dims = 1;
    r->extent[0] = (uint16_t)n;
    r->dst_stride[0] = 1;
    r->src_stride[0] = (uint16_t)stride;
    const xk_expr *const args[2] = {xk_lower_reg(l, to, 0),
                                    xk_lower_reg(l, from, 0)};
    xk_block_call(&l->w, &f, args, 2);
}

/* An element for all, in every lane of a gather. */
static void gather_one(struct xk_lowering *l, unsigned input,
                       const xk_expr *buf)
{
    const unsigned simd = l->p->t.lanes;
    const enum xk_dtype dt = l->p->con->input[input].view.layout.dt;
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = (uint8_t)xk_dtype_b(dt),
                                 .vec = 1,
                                 .lanes = (uint8_t)simd};
    load_elements(l, input, &send, xk_bcast(l->c, xk_s32(l->c, 0), simd),
                  xk_lower_reg(l, buf, 0), xk_lower_true(l, simd));
}

/* n f32 of an input become one over them, if that is what is used. */
static void invert(struct xk_lowering *l, unsigned input, unsigned n,
                   const xk_expr *buf)
{
    const unsigned simd = l->p->t.lanes;
    for (unsigned i = 0; l->p->con->input[input].inverse && i < n; i += simd) {
        const xk_expr *const at = xk_lower_reg(l, buf, 4 * i);
        const xk_expr *const x =
            xk_block_load(&l->w, "rhs", xk_type_vec(XK_DT_F32, simd), at);
        xk_block_add(&l->w, xk_store(l->c, at, xk_un(l->c, XK_OP_INV, x)));
    }
}

/* An argument that is the value, as f32 in all lanes. */
static const xk_expr *hold_value(struct xk_lowering *l, unsigned input)
{
    const struct xk_operand_view *const v = &l->p->con->input[input];
    const unsigned simd = l->p->t.lanes;
    const xk_expr *const buf = xk_block_alloc(&l->w, v->name, 4u * simd, 0);
    const xk_expr *const x = xk_cast(l->c, XK_DT_F32, l->arg_in[input]);
    xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, buf, 0),
                                 xk_bcast(l->c, x, simd)));
    invert(l, input, simd, buf);
    return buf;
}

/* An input that is broadcast over M: epi.n elements, zero beyond N; or one. */
static const xk_expr *load_input(struct xk_lowering *l, unsigned input)
{
    const struct xk_plan *const p = l->p;
    const char *const name = p->con->input[input].name;
    const enum xk_dtype dt = p->con->input[input].view.layout.dt;
    const bool one = p->epi.input[input] == XK_INPUT_ONE;
    const bool block = p->epi.input_block[input];
    const unsigned n = one ? p->t.lanes : p->epi.n;
    if (p->con->input[input].by_value)
        return hold_value(l, input);
    const xk_expr *const buf = xk_block_alloc(&l->w, name, 4u * n, 0);
    const bool as_it_is = dt == XK_DT_F32 || xk_nest_in_acc(p->con, input);
    const xk_expr *const raw =
        as_it_is ? buf : xk_block_alloc(&l->w, "raw_in", 4u * n, 0);
    if (one)
        gather_one(l, input, raw);
    else if (block)
        load_blocks(l, input, raw);
    else
        gather_columns(l, input, 0, n, raw);
    if (raw != buf)
        to_f32(l, dt, block ? 1 : 4 / xk_dtype_b(dt), n, raw, buf);
    invert(l, input, n, buf);
    return buf;
}

const struct xk_view *xk_epi_view(const struct xk_lowering *l,
                                  const struct xk_plan_side *s)
{
    const struct xk_nest *const con = l->p->con;
    return s->input == XK_SIDE_C ? &con->c.view : &con->input[s->input].view;
}

/* In front of a load: places outside of an input's intervals are its fill. */
static void fill_outside(struct xk_epilogue *e, const struct xk_plan_side *s,
                         const xk_expr *raw)
{
    struct xk_lowering *const l = e->l;
    if (!s->leaves)
        return;
    const struct xk_operand_view *const v = &l->p->con->input[s->input];
    if (!xk_lower_loads_zero(l, v))
        xk_lower_fill_registers(
            l, raw, s->part_b,
            xk_imm(l->c, XK_DT_U32, xk_fill_dword(v->view.layout.dt, v->fill)));
}

/* Asks for a part of the only side. Masked lanes read as zero. */
static void load_part(struct xk_epilogue *e, unsigned number)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    const struct xk_plan_side *const s = &p->side[0];
    const xk_expr *const raw = e->raw[number % p->ahead];
    const struct xk_epi_part at = e->f->part(e->l, number);
    if (number < p->ahead && s->masked)
        xk_lower_zero(e->l, raw, s->part_b);
    fill_outside(e, s, raw);
    e->f->load(e, s, &at, raw);
}

/* What has been loaded of a side, as f32. */
static void hold(struct xk_epilogue *e, const struct xk_plan_side *s,
                 const xk_expr *raw)
{
    const bool converts = xk_plan_side_converts(s);
    if (converts)
        e->f->widen(e, s, raw);
    e->held = converts ? e->f32 : raw;
}

static void fetch_columns(struct xk_epilogue *e, const struct xk_plan_side *s,
                          const struct xk_epi_part *at)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    const unsigned n = e->f->n_lanes ? p->n : xk_plan_part_columns(e->l->p);
    gather_columns(e->l, s->input, at->n, n, e->raw[0]);
    e->held = xk_plan_side_converts(s) ? e->f32 : e->raw[0];
    const enum xk_dtype dt = (enum xk_dtype)s->dt;
    if (e->held != e->raw[0])
        to_f32(e->l, dt, 4 / xk_dtype_b(dt), n, e->raw[0], e->f32);
    invert(e->l, s->input, n, e->held);
}

/* All sides of a part, where its first one is used. */
static void fetch_all(struct xk_epilogue *e, const struct xk_plan_side *s,
                      const struct xk_epi_part *at)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    for (unsigned i = 0; s == p->side && i < p->n_sides; i++) {
        fill_outside(e, &p->side[i], e->raw[i]);
        e->f->load(e, &p->side[i], at, e->raw[i]);
    }
    hold(e, s, e->raw[s - p->side]);
}

void xk_epi_fetch(struct xk_epilogue *e, const struct xk_epi_part *at,
                  unsigned step)
{
    const struct xk_plan_side *const s = xk_epi_side(e->l, step);
    if (!s || !xk_plan_is_serial(&e->l->p->epi))
        return;
    if (s->late) {
        fetch_columns(e, s, at);
        return;
    }
    if (e->l->p->epi.together) {
        fetch_all(e, s, at);
        return;
    }
    fill_outside(e, s, e->raw[0]);
    e->f->load(e, s, at, e->raw[0]);
    hold(e, s, e->raw[0]);
}

static void finish_part(struct xk_epilogue *e, unsigned number)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    const struct xk_epi_part at = e->f->part(e->l, number);
    const xk_expr *const out = p->turns ? e->out[number % p->turns] : NULL;
    e->f->finish(e, &at, out);
    xk_epi_store(e, &at, out);
}

/* Registers that steps which load where they are share. */
static void shared_raw(struct xk_epilogue *e)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    uint32_t most_b = 0;
    bool masked = false;
    for (unsigned i = 0; i < p->n_sides; i++) {
        masked |= p->side[i].masked;
        if (p->side[i].part_b > most_b)
            most_b = p->side[i].part_b;
    }
    e->raw[0] = xk_block_alloc(&e->l->w, "raw", most_b, 0);
    if (masked) /* lanes that no message fills */
        xk_lower_zero(e->l, e->raw[0], most_b);
}

/* Registers of each side. */
static void own_raw(struct xk_epilogue *e)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    for (unsigned i = 0; i < p->n_sides; i++) {
        const struct xk_plan_side *const s = &p->side[i];
        e->raw[i] = xk_block_alloc(&e->l->w, "raw", s->part_b, 0);
        if (s->masked)
            xk_lower_zero(e->l, e->raw[i], s->part_b);
    }
}

/* Asks for all that can be under way from here on. */
static void preload(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    for (unsigned i = 0; i < l->p->con->n_inputs; i++)
        if (p->input[i] != XK_INPUT_PARTS && p->input[i] != XK_INPUT_SUMS)
            e->input[i] = load_input(l, i);
    if (p->n_sides)
        e->f->prepare(e);
    for (unsigned i = 0; i < p->ahead; i++)
        e->raw[i] = xk_block_alloc(&l->w, "raw", p->side[0].part_b, 0);
    if (p->ahead > 1)
        for (unsigned i = 0; i < p->ahead; i++)
            load_part(e, i);
}

/* f32 of the largest part of a side that has another type; 0: none has. */
static uint32_t f32_b(const struct xk_epilogue *e)
{
    const struct xk_plan *const p = e->l->p;
    uint32_t most = 0;
    for (unsigned i = 0; i < p->epi.n_sides; i++) {
        const struct xk_plan_side *const s = &p->epi.side[i];
        const uint32_t n = s->one    ? p->t.lanes
                           : s->late ? p->epi.n
                                     : xk_plan_part_elements(&p->epi);
        if (xk_plan_side_converts(s) && n > most)
            most = n;
    }
    return 4 * most;
}

/* Registers of conversions. */
static void buffers(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_plan_epilogue *const p = &l->p->epi;
    if (p->together)
        own_raw(e);
    else if (xk_plan_is_serial(p))
        shared_raw(e);
    if (f32_b(e))
        e->f32 = xk_block_alloc(&l->w, "old", f32_b(e), 0);
    for (unsigned i = 0; i < p->wide; i++)
        e->wide[i] = xk_block_alloc(&l->w, "wide", xk_plan_square_b(l->p), 0);
    for (unsigned i = 0; i < p->turns; i++) {
        e->out[i] = xk_block_alloc(&l->w, "out", p->part_b, 0);
        if (!xk_plan_stores_dense(p)) /* the rest of each lane's dword */
            xk_lower_zero(l, e->out[i], p->part_b);
    }
}

/* Whether two operations differ in what they read alone. */
static bool is_alike(const struct xk_epi_op *a, const struct xk_epi_op *b)
{
    return a->kind == b->kind && a->alpha == b->alpha && a->beta == b->beta &&
           a->zero == b->zero && a->old_dt == b->old_dt &&
           a->in_acc == b->in_acc;
}

/* An operation's text as a list of operators. Most of a long chain are alike.
 */
static void compile_one(struct xk_epilogue *e, unsigned i)
{
    const struct xk_epi_op *const op = e->l->p->con->epi;
    for (unsigned before = 0; before < i; before++)
        if (is_alike(&op[before], &op[i])) {
            e->code[i] = e->code[before];
            return;
        }
    if (xk_epi_compile(e->l->c, &op[i], &e->code[i]) < 0)
        e->code[i].n = 0;
}

static void compile(struct xk_epilogue *e)
{
    const struct xk_nest *const con = e->l->p->con;
    if (con->n_epi)
        e->code = xk_malloc(e->l->c, con->n_epi * sizeof(*e->code));
    for (unsigned i = 0; e->code && i < con->n_epi; i++)
        compile_one(e, i);
}

/* The numbers of long operations: registers hold them, so that no mad needs a
 * move in front of it. */
struct numbers {
    unsigned n;
    const xk_expr *of[XK_PLAN_HELD_NUMBERS];
};

static void add_number(struct numbers *s, const xk_expr *number)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->of[i] == number)
            return;
    if (s->n < XK_PLAN_HELD_NUMBERS)
        s->of[s->n++] = number;
}

static void collect_numbers(const struct xk_epilogue *e, struct numbers *s)
{
    const struct xk_nest *const con = e->l->p->con;
    for (unsigned i = 0; e->code && i < con->n_epi; i++)
        for (unsigned j = 0; j < e->code[i].n; j++)
            if (xk_plan_holds_numbers(&con->epi[i]) &&
                xk_op(e->code[i].node[j].e) == XK_OP_FIMM)
                add_number(s, e->code[i].node[j].e);
}

static void use_number(struct xk_epilogue *e, const xk_expr *number,
                       const xk_expr *held)
{
    const struct xk_nest *const con = e->l->p->con;
    for (unsigned i = 0; i < con->n_epi; i++)
        for (unsigned j = 0; j < e->code[i].n; j++)
            if (xk_plan_holds_numbers(&con->epi[i]) &&
                e->code[i].node[j].e == number)
                e->code[i].node[j].held = held;
}

static void hold_numbers(struct xk_epilogue *e)
{
    struct xk_block_writer *const w = &e->l->w;
    struct numbers s = {0};
    collect_numbers(e, &s);
    if (!s.n)
        return;
    const xk_expr *const buf = xk_block_alloc(w, "numbers", 4 * s.n, 0);
    for (unsigned i = 0; i < s.n; i++)
        xk_block_add(
            w, xk_store(e->l->c, xk_lower_reg(e->l, buf, 4 * i), s.of[i]));
    for (unsigned i = 0; i < s.n; i++)
        use_number(e, s.of[i],
                   xk_block_load(w, "k", xk_type_vec(XK_DT_F32, 1),
                                 xk_lower_reg(e->l, buf, 4 * i)));
}

void xk_lower_epilogue_begin(struct xk_lowering *l, struct xk_epilogue *e)
{
    *e = (struct xk_epilogue){.l = l, .f = &xk_epi_rows};
    if (l->p->t.lanes_m)
        e->f = &xk_epi_columns;
    e->c = xk_plan_side_of_c(l->p);
    compile(e);
    preload(e);
}

/* Whether one of these steps reads the only side. */
static bool reads_ahead(const struct xk_epilogue *e, unsigned first,
                        unsigned end)
{
    bool any = false;
    for (unsigned i = first; e->l->p->epi.ahead && i < end; i++)
        any |= xk_epi_side(e->l, i) != NULL;
    return any;
}

/* Steps first .. end - 1 on all parts in turn; behind the last ones each goes
 * out. */
static void do_parts(struct xk_epilogue *e, unsigned first, unsigned end)
{
    const struct xk_plan_epilogue *const p = &e->l->p->epi;
    const unsigned ahead = reads_ahead(e, first, end) ? p->ahead : 0;
    for (unsigned i = 0; i < p->parts; i++) {
        if (ahead == 1)
            load_part(e, i);
        if (ahead)
            hold(e, &p->side[0], e->raw[i % ahead]);
        if (end == xk_epi_steps(e->l)) {
            finish_part(e, i);
        } else {
            const struct xk_epi_part at = e->f->part(e->l, i);
            e->f->operate(e, &at, first, end);
        }
        if (ahead > 1 && i + ahead < p->parts)
            load_part(e, i + ahead);
    }
}

/* Runs of functions as loops, and the steps in front of each. */
static void do_loops(struct xk_epilogue *e)
{
    struct xk_lowering *const l = e->l;
    const struct xk_nest *const con = l->p->con;
    struct xk_epi_run run = {0};
    struct xk_epi_ring ring;
    if (xk_epi_ring_init(l, &ring))
        return;
    while (xk_epi_next_run(con->epi, con->n_epi, &run)) {
        if (!run.loops)
            continue;
        const unsigned first = xk_epi_step_of(l, run.first);
        if (xk_epi_has_steps(l, e->first, first))
            do_parts(e, e->first, first);
        e->first = xk_epi_step_of(l, run.end - 1) + 1;
        xk_epi_loop(e, &ring, first, e->first);
    }
}

void xk_lower_epilogue_end(struct xk_epilogue *e)
{
    buffers(e);
    hold_numbers(e);
    if (e->l->p->epi.loop_vectors)
        do_loops(e);
    do_parts(e, e->first, xk_epi_steps(e->l));
    xk_free(e->l->c, e->code);
}
