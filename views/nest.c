/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked about a nest; its text, for the "views" dump. */
#include "views/nest.h"

#include <string.h>

const struct xk_index *xk_nest_k_inner(const struct xk_nest *p)
{
    const struct xk_index *k = NULL;
    for (unsigned i = 0; i < p->n_index; i++)
        if (p->index[i].role == XK_ROLE_K)
            k = &p->index[i];
    return k;
}

static const char *role_name(uint8_t role)
{
    switch ((enum xk_role)role) {
    case XK_ROLE_M:
        return "M";
    case XK_ROLE_N:
        return "N";
    case XK_ROLE_K:
        return "K";
    case XK_ROLE_BATCH:
        return "batch";
    }
    return "?";
}

bool xk_nest_in_acc(const struct xk_nest *p, unsigned input)
{
    for (unsigned i = 0; i < p->n_epi && p->epi[i].in_acc; i++)
        if (p->epi[i].input == input)
            return true;
    return false;
}

static void print_nest_operand(const char *letter,
                               const struct xk_operand_view *o,
                               struct xk_str *out)
{
    xk_str_printf(out, "%s: argument %u, ", letter, o->arg);
    xk_view_print(&o->view, o->name, out);
}

static void print_epi(const struct xk_nest *p, struct xk_str *out)
{
    for (unsigned i = 0; i < p->n_epi; i++) {
        const struct xk_epi_op *const e = &p->epi[i];
        xk_str_printf(out, "epilogue %u: ", i);
        xk_epi_print(e, p->input[e->input].name, out);
        xk_str_printf(out, "%s\n", e->times_b ? " times B's sum over K" : "");
    }
}

void xk_nest_print(const struct xk_nest *p, struct xk_str *out)
{
    xk_str_printf(out, "contraction, accumulated in %s\n",
                  xk_dtype_name(p->acc_dt));
    for (unsigned i = 0; i < p->n_index; i++)
        xk_str_printf(out, "index %s: %lld, %s\n", p->index[i].name,
                      (long long)p->index[i].extent,
                      role_name(p->index[i].role));
    print_nest_operand("A", &p->a, out);
    print_nest_operand("B", &p->b, out);
    print_nest_operand("C", &p->c, out);
    for (unsigned i = 0; i < p->n_inputs; i++)
        print_nest_operand(p->totals && i + 1u == p->n_inputs ? "B's sums"
                                                              : "input",
                           &p->input[i], out);
    print_epi(p, out);
}
