/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as text. */
#include "plan/plan.h"

static void print_operand(const char *name, const struct xk_operand_view *v,
                          const struct xk_plan_operand *o, struct xk_str *out)
{
    static const char *const access[] = {"block", "scattered", "rows",
                                         "elements", "turned"};
    xk_str_printf(out, "%s: %s, %s (%s)\n", name, v->name, access[o->access],
                  o->why);
    xk_str_printf(out, "  tile %u bytes, slots %u, stage %u%s%s%s", o->tile_b,
                  o->slots, o->stage, o->row_masked ? ", rows masked" : "",
                  o->clamp_rows ? ", rows clamped" : "",
                  o->zero_once ? ", zeroed once" : "");
    if (o->staging_b)
        xk_str_printf(out, ", staging %u bytes", o->staging_b);
    xk_str_puts(out, ", registers ");
    xk_layout_print(&o->tile, out);
    if (o->raw_b) {
        xk_str_puts(out, ", comes as ");
        xk_layout_print(&o->raw, out);
    }
    xk_str_putc(out, '\n');
}

static void print_loads(const char *name, const struct xk_plan_loads *l,
                        struct xk_str *out)
{
    xk_str_printf(out, "  %s: %u messages of %u lane%s", name, l->n, l->lanes,
                  l->lanes == 1 ? "" : "s");
    if (l->parts > l->n)
        xk_str_printf(out, ", %u with reorders and zeroed parts", l->parts);
    xk_str_putc(out, '\n');
}

static void print_op(const struct xk_plan *p, const struct xk_epi_op *op,
                     struct xk_str *out)
{
    xk_str_printf(out, "  ");
    xk_epi_print(op, p->con->input[op->input].name, out);
    xk_str_printf(out, "\n");
}

static void print_epilogue(const struct xk_plan *p, struct xk_str *out)
{
    static const char *const store[] = {"block", "scattered", "packed",
                                        "column"};
    const struct xk_plan_epilogue *const e = &p->epi;
    xk_str_printf(out,
                  "epilogue: %s stores of %u columns of %s (%s)%s%s%s%s%s\n",
                  store[e->store], e->cols, xk_dtype_name(e->dst), e->why,
                  e->m_masked ? ", rows masked" : "",
                  e->n_masked ? ", columns masked" : "",
                  e->masked ? ", elements beside C masked" : "",
                  e->in_f32 ? ", operations in f32" : "",
                  e->convert ? ", converted" : "");
    if (e->merged)
        xk_str_printf(out, "  row offset m * %lld bytes\n",
                      (long long)e->row_stride_b);
    for (unsigned i = 0; i < p->con->n_epi; i++)
        print_op(p, &p->con->epi[i], out);
    if (e->loop_vectors)
        xk_str_printf(out,
                      "  functions in loops, by at most %u vectors of 16\n",
                      e->loop_vectors);
    for (unsigned i = 0; i < p->con->n_inputs; i++)
        if (e->input_block[i])
            xk_str_printf(out, "  %s in blocks\n", p->con->input[i].name);
    xk_str_printf(out, "  %u parts of %u bytes", e->parts, e->part_b);
    if (e->ahead > 1)
        xk_str_printf(out, ", of the sum %u under way at once", e->ahead);
    else if (e->ahead)
        xk_str_puts(out, ", of the sum each loaded where it is used");
    xk_str_putc(out, '\n');
}

static void print_slm(const struct xk_plan *p, struct xk_str *out)
{
    if (p->s.slm)
        xk_str_printf(out,
                      "A through SLM: %u buffers of %u bytes, of which a "
                      "thread brings %u\n",
                      p->s.slm, p->slm.place_b, p->slm.share_b);
}

/* The loop over all of K without SLM. */
static void print_flat(const struct xk_plan_flat *f, struct xk_str *out)
{
    xk_str_printf(out,
                  "outer places innermost: %u, %u steps in copies of %u, "
                  "headers of %u bytes "
                  "a place\n",
                  f->places, f->trip, f->copies, f->headers_b);
    if (f->ahead.groups)
        xk_str_printf(
            out,
            "prefetch: rows of the group %u further, %u units of %u of K "
            "a thread\n",
            f->ahead.groups, f->ahead.each, f->ahead.unit);
    else if (f->ahead.why)
        xk_str_printf(out, "no prefetch: %s\n", f->ahead.why);
}

/* The table of buffers and the calls, as the command line takes them. */
static void print_nest(const struct xk_plan *p, struct xk_str *out)
{
    for (unsigned i = 0; i < p->n_buffers; i++) {
        const struct xk_plan_buffer *const b = &p->buffer[i];
        xk_str_printf(out, "buffer %s: %u places of %u bytes, %u ahead, tile ",
                      b->name, b->slots, b->slot_b, b->ahead);
        xk_layout_print(&b->tile, out);
        xk_str_putc(out, '\n');
    }
    if (!p->n_buffers)
        return;
    xk_str_puts(out, "passes: ");
    xk_plan_print_calls(p, out);
    xk_str_putc(out, '\n');
}

static void print_multiplies(const struct xk_plan *p, struct xk_str *out)
{
    static const char *const words[] = {[XK_FMA_MAD] = "mad",
                                        [XK_FMA_DPAS] = "dpas",
                                        [XK_FMA_DPASW] = "dpasw",
                                        [XK_FMA_DP4A] = "dp4a"};
    if (p->s.fma == XK_FMA_LANES)
        xk_str_printf(out, "%s of all of K, a batch in the lanes\n",
                      p->con->lanes->dots ? "dp4a" : "mad");
    else
        xk_str_printf(out, "%u %s in a full step, %u columns of B at once\n",
                      p->fma_per_step, words[p->s.fma], p->s.n_sub);
}

void xk_plan_print(const struct xk_plan *p, struct xk_str *out)
{
    const struct xk_plan_grf *const g = &p->grf;
    xk_str_puts(out, "schedule: ");
    xk_schedule_print(&p->s, out);
    xk_str_printf(out, "\ngroups: %u x %u x %u of %u threads\n", p->groups[0],
                  p->groups[1], p->groups[2],
                  (unsigned)p->s.tg_m * p->s.tg_n * p->s.slices);
    print_multiplies(p, out);
    print_operand("A", &p->con->a, &p->a, out);
    print_operand("B", &p->con->b, &p->b, out);
    for (unsigned i = 0; i < p->n_segments; i++) {
        const struct xk_plan_segment *const s = &p->seg[i];
        xk_str_printf(out, "segment %u: %u steps of %u from k = %lld\n", i,
                      s->trip, s->k_len, (long long)s->k_first);
        print_loads("A", &s->a, out);
        print_loads("B", &s->b, out);
    }
    print_slm(p, out);
    if (p->flat.places)
        print_flat(&p->flat, out);
    if (p->slices.n > 1)
        xk_str_printf(
            out,
            "slices of K: %u, each ends with %u x %u of C, loaded first%s; "
            "%u bytes of SLM a thread\n",
            p->slices.n, p->epi.m, p->epi.n,
            p->slices.by_halves ? "; of a pair's B one half" : "",
            p->slices.place_b);
    print_epilogue(p, out);
    xk_str_printf(out, "registers: loop %u of %u (", g->loop, g->limit);
    xk_buffers_print(p->platform, &p->held, out);
    xk_str_printf(out, "), epilogue %u (", g->epilogue);
    xk_buffers_print(p->platform, &p->ending, out);
    xk_str_puts(out, ")\n");
    print_nest(p, out);
}
