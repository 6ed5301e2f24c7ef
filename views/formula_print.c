/* SPDX-License-Identifier: Apache-2.0 */
#include "views/formula.h"

static void print_classes(const struct xk_contraction *p, unsigned dim,
                          const int64_t *v, struct xk_str *out)
{
    for (uint32_t r = 0; r < p->class_dim[dim].n; r++)
        xk_str_printf(out, "%s%lld", r ? "," : "{", (long long)v[r]);
    xk_str_printf(out, "}@%u", dim);
}

static void print_tensor(const struct xk_access *a, struct xk_str *out)
{
    char tag[64] = "any";
    xk_str_printf(out, "%s: %s", a->name, xk_dtype_name(a->layout.dt));
    for (unsigned d = 0; d < a->layout.n_dims; d++)
        xk_str_printf(out, "%s%lld", d ? "," : "[",
                      (long long)a->layout.dim[d]);
    if (a->layout.n_blocks)
        xk_layout_tag(&a->layout, tag, sizeof(tag));
    xk_str_printf(out, "] %s", tag);
    if (a->fill)
        xk_str_printf(out, " fill %d", a->fill);
    xk_str_puts(out, "; ");
}

static void print_index(const struct xk_contraction *p, unsigned i,
                        struct xk_str *out)
{
    xk_str_printf(out, "%s = ", p->index[i].name);
    for (unsigned d = 0; d < p->n_class_dims; d++)
        if (p->class_dim[d].k == i) {
            print_classes(p, d, p->class_dim[d].k_extent, out);
            xk_str_puts(out, "; ");
            return;
        }
    xk_str_printf(out, "%lld; ", (long long)p->index[i].extent);
}

static void print_form(const struct xk_contraction *p, const struct xk_coord *x,
                       struct xk_str *out)
{
    bool first = true;
    for (unsigned i = 0; i < p->n_index; i++) {
        const int64_t k = x->coef[i];
        if (!k)
            continue;
        xk_str_puts(out, k < 0 ? "-" : first ? "" : "+");
        if (k != 1 && k != -1)
            xk_str_printf(out, "%lld*", (long long)(k < 0 ? -k : k));
        xk_str_puts(out, p->index[i].name);
        first = false;
    }
    if (x->base || (first && !x->class_base))
        xk_str_printf(out, x->base < 0 || first ? "%lld" : "+%lld",
                      (long long)x->base);
    if (!x->class_base)
        return;
    xk_str_puts(out, first && !x->base ? "" : "+");
    print_classes(p, x->class_dim, x->class_base, out);
}

static void print_access(const struct xk_contraction *p,
                         const struct xk_access *a, struct xk_str *out)
{
    const unsigned n = a->layout.n_dims;
    xk_str_printf(out, "%s[", a->name);
    for (unsigned d = 0; d < a->n_coord; d++) {
        const struct xk_coord *const x = &a->at[d];
        xk_str_puts(out, d == n ? " | " : d ? "," : "");
        print_form(p, x, out);
        if (d >= n || x->lo || x->hi != a->layout.dim[d])
            xk_str_printf(out, " in %lld..%lld", (long long)x->lo,
                          (long long)x->hi);
    }
    xk_str_putc(out, ']');
}

/* " -> relu:0.5", " -> sum:2:1:s8", " -> add S[n]". */
static void print_step(const struct xk_contraction *p,
                       const struct xk_epi_op *e, struct xk_str *out)
{
    const struct xk_post_op_row *const row = xk_post_op_row(e->kind);
    xk_str_printf(out, " -> %s", row ? row->name : "?");
    if (xk_epi_reads_rhs(e)) {
        xk_str_putc(out, ' ');
        print_access(p, &p->input[e->input], out);
        return;
    }
    const bool old = xk_epi_reads_old(e);
    const unsigned n = row ? row->n_numbers : 0;
    if (n > 0)
        xk_str_printf(out, ":%.9g", (double)e->alpha);
    if (n > 1)
        xk_str_printf(out, ":%.9g", (double)e->beta);
    if (old && (e->zero != 0 || e->old_dt))
        xk_str_printf(out, ":%.9g", (double)e->zero);
    if (old && e->old_dt)
        xk_str_printf(out, ":%s", xk_dtype_name((enum xk_dtype)e->old_dt));
}

void xk_formula_print(const struct xk_contraction *p, struct xk_str *out)
{
    print_tensor(&p->a, out);
    print_tensor(&p->b, out);
    print_tensor(&p->c, out);
    for (unsigned i = 0; i < p->n_inputs; i++)
        print_tensor(&p->input[i], out);
    for (unsigned i = 0; i < p->n_index; i++)
        print_index(p, i, out);
    print_access(p, &p->c, out);
    xk_str_puts(out, " += ");
    print_access(p, &p->a, out);
    xk_str_puts(out, " * ");
    print_access(p, &p->b, out);
    for (unsigned i = 0; i < p->n_epi; i++)
        print_step(p, &p->epi[i], out);
}
