/* SPDX-License-Identifier: Apache-2.0 */
/* IR to text; grammar in docs/ir.md. Parentheses are as few as the parser's
 * precedence allows, so operand order and grouping survive the way back.
 *
 * A variable prints as its name; if another variable of that name is in scope
 * already, the first free suffix .1, .2 ... is added where it is bound. Names
 * therefore depend on the structure alone, not on ids. */
#include "ir/stmt.h"

#include <inttypes.h>
#include <string.h>

#include "ir/func_table.h"
#include "ir/syntax.h"
#include "ir/tiles_text.h"

struct bound {
    const xk_expr *var;
    unsigned suffix; /* 0: the plain name */
};

struct printer {
    struct xk_str *out;
    struct xk_alloc alloc;
    struct bound *bound; /* in scope, innermost last */
    unsigned n, cap;
    struct bound *free_vars; /* never bound: printed by first appearance */
    unsigned n_free, free_cap;
    unsigned indent;
};

static void print_expr(struct printer *p, const xk_expr *e, int parent);
static void print_stmt(struct printer *p, const xk_stmt *s);

static bool suffix_taken(const struct printer *p, const char *name,
                         unsigned suffix)
{
    for (unsigned i = 0; i < p->n; i++) {
        if (p->bound[i].suffix == suffix &&
            !strcmp(xk_var_name(p->bound[i].var), name))
            return true;
    }
    for (unsigned i = 0; i < p->n_free; i++) {
        if (p->free_vars[i].suffix == suffix &&
            !strcmp(xk_var_name(p->free_vars[i].var), name))
            return true;
    }
    return false;
}

static unsigned push_var(struct printer *p, struct bound **list, unsigned *n,
                         unsigned *cap, const xk_expr *var)
{
    unsigned suffix = 0;
    while (suffix_taken(p, xk_var_name(var), suffix))
        suffix++;
    if (*n == *cap) {
        const unsigned new_cap = *cap ? *cap * 2 : 32;
        struct bound *const b =
            p->alloc.realloc(p->alloc.user, *list, new_cap * sizeof(**list));
        if (!b) {
            p->out->failed = true;
            return suffix;
        }
        *list = b;
        *cap = new_cap;
    }
    (*list)[*n].var = var;
    (*list)[(*n)++].suffix = suffix;
    return suffix;
}

static void print_name(struct printer *p, const xk_expr *var, unsigned suffix)
{
    xk_str_puts(p->out, xk_var_name(var));
    if (suffix)
        xk_str_printf(p->out, ".%u", suffix);
}

static void bind_var(struct printer *p, const xk_expr *var)
{
    print_name(p, var, push_var(p, &p->bound, &p->n, &p->cap, var));
}

static void print_var(struct printer *p, const xk_expr *var)
{
    for (unsigned i = p->n; i-- > 0;) {
        if (p->bound[i].var == var) {
            print_name(p, var, p->bound[i].suffix);
            return;
        }
    }
    for (unsigned i = 0; i < p->n_free; i++) {
        if (p->free_vars[i].var == var) {
            print_name(p, var, p->free_vars[i].suffix);
            return;
        }
    }
    print_name(p, var,
               push_var(p, &p->free_vars, &p->n_free, &p->free_cap, var));
}

static void print_type(struct printer *p, struct xk_type t)
{
    if (t.space) {
        xk_str_printf(p->out, "ptr.%s", xk_space_name((enum xk_space)t.space));
        return;
    }
    xk_str_puts(p->out, xk_dtype_name((enum xk_dtype)t.dt));
    if (t.lanes != 1)
        xk_str_printf(p->out, "x%u", t.lanes);
}

static void print_imm(struct printer *p, const xk_expr *e)
{
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    const int64_t v = xk_imm_value(e);
    if (dt == XK_DT_BOOL) {
        xk_str_puts(p->out, v ? "true" : "false");
        return;
    }
    if (dt == XK_DT_U64)
        xk_str_printf(p->out, "%" PRIu64, (uint64_t)v);
    else
        xk_str_printf(p->out, "%" PRId64, v);
    if (dt != XK_DT_S32)
        xk_str_printf(p->out, ":%s", xk_dtype_name(dt));
}

/* Hexadecimal bits for what decimal text does not carry; else the shortest
 * decimal that reads back as the same value. */
static void print_fimm(struct printer *p, const xk_expr *e)
{
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    const double v = xk_fimm_value(e);
    char text[40];
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    if ((bits >> 52 & 0x7ff) == 0x7ff) {
        xk_str_printf(p->out, "fbits(0x%" PRIx64 "):%s", bits,
                      xk_dtype_name(dt));
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        xk_syntax_print_double(text, sizeof(text), digits, v);
        if (xk_fimm_round(dt, xk_syntax_double(text)) == v)
            break;
    }
    xk_str_puts(p->out, text);
    if (!strpbrk(text, ".e"))
        xk_str_puts(p->out, ".0");
    if (dt != XK_DT_F32)
        xk_str_printf(p->out, ":%s", xk_dtype_name(dt));
}

static void print_args(struct printer *p, const xk_expr *e)
{
    xk_str_putc(p->out, '(');
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        if (i)
            xk_str_puts(p->out, ", ");
        print_expr(p, xk_kid(e, i), 0);
    }
    xk_str_putc(p->out, ')');
}

static void print_infix(struct printer *p, const xk_expr *e, int parent)
{
    const int prec = xk_syntax_precedence(xk_op(e));
    const bool parens = prec < parent;
    if (parens)
        xk_str_putc(p->out, '(');
    print_expr(p, xk_kid(e, 0), prec);
    xk_str_printf(p->out, " %s ", xk_op_text(xk_op(e)));
    print_expr(p, xk_kid(e, 1), prec + 1);
    if (parens)
        xk_str_putc(p->out, ')');
}

static void print_shuffle(struct printer *p, const xk_expr *e)
{
    xk_str_puts(p->out, "shuffle[");
    for (unsigned i = 0; i < xk_type_of(e).lanes; i++)
        xk_str_printf(p->out, "%s%u", i ? ", " : "", xk_shuffle_index(e, i));
    xk_str_putc(p->out, ']');
    print_args(p, e);
}

static void print_expr(struct printer *p, const xk_expr *e, int parent)
{
    const enum xk_op op = xk_op(e);
    switch (op) {
    case XK_OP_VAR:
        print_var(p, e);
        return;
    case XK_OP_IMM:
        print_imm(p, e);
        return;
    case XK_OP_FIMM:
        print_fimm(p, e);
        return;
    case XK_OP_PTR:
        xk_str_putc(p->out, '&');
        print_expr(p, xk_kid(e, 0), 0);
        xk_str_putc(p->out, '[');
        print_expr(p, xk_kid(e, 1), 0);
        xk_str_putc(p->out, ']');
        return;
    case XK_OP_SHUFFLE:
        print_shuffle(p, e);
        return;
    case XK_OP_CAST:
    case XK_OP_BITS:
        xk_str_printf(p->out, "%s.%s", xk_op_text(xk_op(e)),
                      xk_dtype_name((enum xk_dtype)xk_type_of(e).dt));
        print_args(p, e);
        return;
    case XK_OP_RAMP:
    case XK_OP_BCAST:
        xk_str_printf(p->out, "%s.%u", xk_op_text(op), xk_type_of(e).lanes);
        print_args(p, e);
        return;
    default:
        if (xk_op_flags(op) & XK_EF_T) {
            print_infix(p, e, parent);
            return;
        }
        xk_str_puts(p->out, xk_op_text(op));
        print_args(p, e);
    }
}

static void new_line(struct printer *p)
{
    xk_str_putc(p->out, '\n');
    for (unsigned i = 0; i < p->indent; i++)
        xk_str_puts(p->out, "    ");
}

/* "{", the statement's lines, "}". */
static void print_block(struct printer *p, const xk_stmt *s)
{
    const unsigned mark = p->n;
    xk_str_puts(p->out, " {");
    p->indent++;
    print_stmt(p, s);
    p->indent--;
    p->n = mark;
    new_line(p);
    xk_str_putc(p->out, '}');
}

static void print_let(struct printer *p, const xk_stmt *s)
{
    new_line(p);
    xk_str_printf(p->out, "%s ", xk_op_text(xk_op(s)));
    bind_var(p, xk_kid(s, 0));
    xk_str_puts(p->out, ": ");
    print_type(p, xk_type_of(xk_kid(s, 0)));
    xk_str_puts(p->out, " = ");
    print_expr(p, xk_kid(s, 1), 0);
}

static void print_alloc(struct printer *p, const xk_stmt *s)
{
    const struct xk_alloc_info info = xk_alloc_info_of(s);
    const xk_expr *const buf = xk_kid(s, 0);
    new_line(p);
    xk_str_puts(p->out, "alloc ");
    bind_var(p, buf);
    xk_str_printf(p->out, ": %s[%u]",
                  xk_space_name((enum xk_space)xk_type_of(buf).space),
                  info.size_b);
    if (info.align_b)
        xk_str_printf(p->out, " align %u", info.align_b);
    if (info.bank)
        xk_str_printf(p->out, " bank %u", info.bank);
}

static void print_tiling(struct printer *p, const xk_stmt *s)
{
    const struct xk_tiling *const t = xk_tiling_of(s);
    new_line(p);
    xk_tiling_print_index(t, p->out);
    for (unsigned i = 0; i < t->n_views; i++) {
        new_line(p);
        xk_str_printf(p->out, "view %s = ", t->view[i].name);
        print_var(p, xk_tiling_mem(s, i));
        xk_str_putc(p->out, ' ');
        xk_tiling_print_view(t, i, p->out);
    }
    new_line(p);
    xk_tiling_print_walks(t, p->out);
    for (unsigned i = 0; i < t->n_tiles; i++) {
        new_line(p);
        xk_tiling_print_tile(&t->tile[i], p->out);
    }
}

static void print_for(struct printer *p, const xk_stmt *s)
{
    const unsigned mark = p->n;
    struct xk_str *const out = p->out;
    new_line(p);
    xk_str_puts(out, "for ");
    bind_var(p, xk_kid(s, 0));
    xk_str_puts(out, " in ");
    print_expr(p, xk_kid(s, 1), 0);
    xk_str_puts(out, "..");
    print_expr(p, xk_kid(s, 2), 0);
    xk_str_printf(out, " step %d", xk_for_step(s));
    print_block(p, xk_kid(s, 3));
    p->n = mark;
}

static void print_pipe(struct printer *p, const xk_stmt *s)
{
    const unsigned mark = p->n;
    const struct xk_pipe_info info = xk_pipe_info_of(s);
    new_line(p);
    xk_str_puts(p->out, "pipe ");
    bind_var(p, xk_kid(s, 0));
    xk_str_puts(p->out, " in 0..");
    print_expr(p, xk_kid(s, 1), 0);
    xk_str_printf(p->out, " slots %u stages %u", info.slots, info.stages);
    print_block(p, xk_kid(s, 2));
    p->n = mark;
}

static void print_if(struct printer *p, const xk_stmt *s)
{
    const xk_stmt *const else_s = xk_kid(s, 2);
    new_line(p);
    xk_str_puts(p->out, "if (");
    print_expr(p, xk_kid(s, 0), 0);
    xk_str_putc(p->out, ')');
    print_block(p, xk_kid(s, 1));
    if (xk_op(else_s) == XK_OP_SEQ && !xk_n_kids(else_s))
        return;
    xk_str_puts(p->out, " else");
    print_block(p, else_s);
}

static void print_seq(struct printer *p, const xk_stmt *s)
{
    for (unsigned i = 0; i < xk_n_kids(s); i++) {
        const xk_stmt *const k = xk_kid(s, i);
        const bool binds = xk_op(k) == XK_OP_LET || xk_op(k) == XK_OP_LOAD ||
                           xk_op(k) == XK_OP_ALLOC || xk_op(k) == XK_OP_TILING;
        /* Scope ends before the next statement: show it. */
        if (binds && i + 1 < xk_n_kids(s)) {
            new_line(p);
            xk_str_puts(p->out, "scope");
            print_block(p, k);
        } else {
            print_stmt(p, k);
        }
    }
}

/* One statement that is neither a binder of its tail nor a sequence. */
static void print_simple(struct printer *p, const xk_stmt *s)
{
    switch (xk_op(s)) {
    case XK_OP_FOR:
        print_for(p, s);
        return;
    case XK_OP_PIPE:
        print_pipe(p, s);
        return;
    case XK_OP_IF:
        print_if(p, s);
        return;
    case XK_OP_STAGE:
        new_line(p);
        xk_str_printf(p->out, "stage %u", xk_stage_of(s));
        print_block(p, xk_kid(s, 0));
        return;
    case XK_OP_STORE:
        new_line(p);
        xk_str_puts(p->out, "store ");
        print_expr(p, xk_kid(s, 0), 0);
        xk_str_puts(p->out, " = ");
        print_expr(p, xk_kid(s, 1), 0);
        return;
    case XK_OP_CALL:
        new_line(p);
        xk_func_print(xk_func_of(s), p->out);
        print_args(p, s);
        return;
    default:
        return;
    }
}

static void print_stmt(struct printer *p, const xk_stmt *s)
{
    for (;;) {
        switch (xk_op(s)) {
        case XK_OP_LET:
        case XK_OP_LOAD:
            print_let(p, s);
            s = xk_kid(s, 2);
            break;
        case XK_OP_ALLOC:
            print_alloc(p, s);
            s = xk_kid(s, 1);
            break;
        case XK_OP_TILING:
            print_tiling(p, s);
            s = xk_tiling_body(s);
            break;
        case XK_OP_SEQ:
            print_seq(p, s);
            return;
        default:
            print_simple(p, s);
            return;
        }
    }
}

static void init_printer(struct printer *p, struct xk_str *out)
{
    memset(p, 0, sizeof(*p));
    p->out = out;
    p->alloc = out->alloc;
}

static void fini_printer(struct printer *p)
{
    if (p->bound)
        p->alloc.realloc(p->alloc.user, p->bound, 0);
    if (p->free_vars)
        p->alloc.realloc(p->alloc.user, p->free_vars, 0);
}

void xk_print(const xk_expr *e, struct xk_str *out)
{
    struct printer p;
    if (!e) {
        xk_str_puts(out, "(null)");
        return;
    }
    init_printer(&p, out);
    if (xk_is_expr(e))
        print_expr(&p, e, 0);
    else
        print_stmt(&p, e);
    fini_printer(&p);
}

static void print_param(struct printer *p, const struct xk_kernel *k,
                        unsigned i)
{
    const struct xk_param *const q = &k->params[i];
    bind_var(p, q->var);
    xk_str_puts(p->out, ": ");
    if (q->kind == XK_PARAM_GLOBAL || q->kind == XK_PARAM_VALUE)
        print_type(p, xk_type_of(q->var));
    else
        xk_str_puts(p->out, xk_syntax_param_kind(q->kind));
    if (k->extent[i])
        xk_str_printf(p->out, " < %" PRId64, k->extent[i]);
}

void xk_kernel_print(const struct xk_kernel *k, struct xk_str *out)
{
    struct printer p;
    init_printer(&p, out);
    xk_str_printf(out, "kernel %s simd %u (", k->name, k->simd);
    for (unsigned i = 0; i < k->n_params; i++) {
        if (i)
            xk_str_puts(out, ", ");
        print_param(&p, k, i);
    }
    xk_str_putc(out, ')');
    print_block(&p, k->body);
    xk_str_putc(out, '\n');
    fini_printer(&p);
}
