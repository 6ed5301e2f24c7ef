/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a formula: words and signs, one declaration after the other. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "views/access.h"
#include "views/formula_text.h"

#define MOST_NUMBER INT32_MAX

enum xk_status xk_formula_fail(const struct xk_formula_parser *p,
                               const char *why)
{
    return xk_fail(p->c, XK_EPARSE, "formula, position %zu: %s at \"%.24s\"",
                   (size_t)(p->s - p->text) + 1, why, p->s);
}

enum xk_status xk_formula_too_many(const struct xk_formula_parser *p, int most,
                                   const char *what)
{
    char why[64];
    snprintf(why, sizeof(why), "there are more than %d %s", most, what);
    return xk_formula_fail(p, why);
}

static void skip_blanks(struct xk_formula_parser *p)
{
    while (*p->s == ' ' || *p->s == '\t')
        p->s++;
}

bool xk_formula_take(struct xk_formula_parser *p, const char *sign)
{
    skip_blanks(p);
    const size_t n = strlen(sign);
    if (strncmp(p->s, sign, n) != 0)
        return false;
    p->s += n;
    skip_blanks(p);
    return true;
}

static enum xk_status expect_sign(struct xk_formula_parser *p, const char *sign)
{
    char why[32] = "expected ";
    if (xk_formula_take(p, sign))
        return XK_OK;
    strcat(why, sign);
    return xk_formula_fail(p, why);
}

enum xk_status xk_formula_take_name(struct xk_formula_parser *p, char *out,
                                    size_t size)
{
    size_t n = 0;
    skip_blanks(p);
    if (!xk_is_letter(*p->s))
        return xk_formula_fail(p, "expected a name");
    while (xk_is_name_char(p->s[n]))
        n++;
    if (n >= size)
        return xk_formula_fail(p, "the name is too long");
    memcpy(out, p->s, n);
    out[n] = 0;
    p->s += n;
    skip_blanks(p);
    return XK_OK;
}

/* Whether the word is next, and no longer one. */
static bool take_word(struct xk_formula_parser *p, const char *word)
{
    const size_t n = strlen(word);
    skip_blanks(p);
    if (strncmp(p->s, word, n) != 0 || xk_is_name_char(p->s[n]))
        return false;
    p->s += n;
    skip_blanks(p);
    return true;
}

static enum xk_status take_number(struct xk_formula_parser *p, int64_t *out)
{
    int64_t v = 0;
    skip_blanks(p);
    if (!xk_is_digit(*p->s))
        return xk_formula_fail(p, "expected a number");
    for (; xk_is_digit(*p->s); p->s++) {
        v = v * 10 + (*p->s - '0');
        if (v > MOST_NUMBER)
            return xk_formula_fail(p, "the number is above 2147483647");
    }
    skip_blanks(p);
    *out = v;
    return XK_OK;
}

static enum xk_status take_signed(struct xk_formula_parser *p, int64_t *out)
{
    const bool negative = xk_formula_take(p, "-");
    XK_TRY(take_number(p, out));
    if (negative)
        *out = -*out;
    return XK_OK;
}

/* "{N, N, ...}@D", its brace not yet taken. */
static enum xk_status take_classes(struct xk_formula_parser *p, uint8_t *dim,
                                   const int64_t **out)
{
    struct xk_contraction *const con = &p->f->con;
    int64_t *v = NULL, d;
    uint32_t n = 0, cap = 0;
    XK_TRY(expect_sign(p, "{"));
    do {
        int64_t one;
        enum xk_status st = take_signed(p, &one);
        if (st == XK_OK && !xk_grow(p->c, &v, n, &cap, sizeof(*v)))
            st = XK_ENOMEM;
        if (st != XK_OK) {
            xk_free(p->c, v);
            return st;
        }
        v[n++] = one;
    } while (xk_formula_take(p, ","));
    int64_t *const kept = xk_arena_alloc(p->arena, n * sizeof(*v));
    if (kept)
        memcpy(kept, v, n * sizeof(*v));
    xk_free(p->c, v);
    if (!kept)
        return xk_ctx_status(p->c);
    XK_TRY(expect_sign(p, "}"));
    XK_TRY(expect_sign(p, "@"));
    XK_TRY(take_number(p, &d));
    if (d >= XK_MAX_CLASS_DIMS)
        return xk_formula_fail(p, "there are class dims 0, 1 and 2");
    if (con->class_dim[d].n && con->class_dim[d].n != n)
        return xk_formula_fail(p, "another number of classes than before");
    con->class_dim[d].n = n;
    *dim = (uint8_t)d;
    *out = kept;
    return XK_OK;
}

static enum xk_status index_of(struct xk_formula_parser *p, const char *name,
                               unsigned *i)
{
    struct xk_contraction *const con = &p->f->con;
    const int found = xk_contraction_find(con, name);
    *i = (unsigned)found;
    if (found >= 0)
        return XK_OK;
    if (con->n_index == XK_MAX_INDEX)
        return xk_formula_too_many(p, XK_MAX_INDEX, "indices");
    *i = xk_contraction_add(con, name, 0, XK_ROLE_K);
    return XK_OK;
}

/* The extents of an index that differ, which is the class dim's. */
static enum xk_status class_extent(struct xk_formula_parser *p, unsigned index)
{
    struct xk_contraction *const con = &p->f->con;
    const int64_t *v;
    uint8_t d;
    XK_TRY(take_classes(p, &d, &v));
    if (con->class_dim[d].k_extent)
        return xk_formula_fail(p, "another index has this class dim");
    con->class_dim[d].k = (uint8_t)index;
    con->class_dim[d].k_extent = v;
    if (con->n_class_dims <= d)
        con->n_class_dims = (uint8_t)(d + 1);
    int64_t *const most = &con->index[index].extent;
    *most = 1;
    for (uint32_t r = 0; r < con->class_dim[d].n; r++)
        *most = v[r] > *most ? v[r] : *most;
    return XK_OK;
}

static enum xk_status index_declaration(struct xk_formula_parser *p,
                                        const char *name)
{
    unsigned i;
    if (strlen(name) >= sizeof(p->f->con.index[0].name))
        return xk_formula_fail(p, "an index's name has at most 7 characters");
    if (xk_contraction_find(&p->f->con, name) >= 0)
        return xk_formula_fail(p, "the index is declared twice");
    XK_TRY(index_of(p, name, &i));
    if (*p->s == '{')
        return class_extent(p, i);
    XK_TRY(take_number(p, &p->f->con.index[i].extent));
    return p->f->con.index[i].extent
               ? XK_OK
               : xk_formula_fail(p, "an extent is at least 1");
}

static enum xk_status take_dims(struct xk_formula_parser *p,
                                struct xk_layout *l)
{
    do {
        if (l->n_dims == XK_LAYOUT_MAX_DIMS)
            return xk_formula_fail(p, "a tensor has at most 6 dims");
        XK_TRY(take_number(p, &l->dim[l->n_dims]));
        if (!l->dim[l->n_dims++])
            return xk_formula_fail(p, "a dim is at least 1");
    } while (xk_formula_take(p, ","));
    return expect_sign(p, "]");
}

static int find_tensor(const struct xk_formula_parser *p, const char *name)
{
    for (unsigned i = 0; i < p->n_tensors; i++)
        if (strcmp(p->tensor[i].name, name) == 0)
            return (int)i;
    return -1;
}

static enum xk_status tensor_declaration(struct xk_formula_parser *p,
                                         const char *name)
{
    char type[16];
    if (find_tensor(p, name) >= 0)
        return xk_formula_fail(p, "the tensor is declared twice");
    if (p->n_tensors == XK_FORMULA_MAX_TENSORS)
        return xk_formula_fail(p, "more tensors than the statement can have");
    struct xk_formula_tensor *const t = &p->tensor[p->n_tensors];
    struct xk_access *const a = &p->access[p->n_tensors++];
    strcpy(t->name, name);
    XK_TRY(xk_formula_take_name(p, type, sizeof(type)));
    a->layout.dt = xk_dtype_find(type, (uint32_t)strlen(type));
    if (a->layout.dt == XK_DT_UNDEF || a->layout.dt == XK_DT_BOOL)
        return xk_formula_fail(p, "there is no such type in front of this");
    t->has_dims = xk_formula_take(p, "[");
    if (t->has_dims)
        XK_TRY(take_dims(p, &a->layout));
    if (xk_is_letter(*p->s) && strncmp(p->s, "fill ", 5) != 0)
        XK_TRY(xk_formula_take_name(p, t->tag, sizeof(t->tag)));
    if (take_word(p, "fill")) {
        int64_t v;
        XK_TRY(take_signed(p, &v));
        a->fill = (int32_t)v;
    }
    return XK_OK;
}

/* INT, INT*INDEX, INDEX, INDEX*INT or {...}@D. */
static enum xk_status take_term(struct xk_formula_parser *p, int64_t sign,
                                struct xk_coord *x)
{
    char name[8];
    int64_t v = 1;
    unsigned i;
    if (*p->s == '{') {
        if (sign < 0 || x->class_base)
            return xk_formula_fail(
                p, "a coordinate adds the bases of classes once");
        return take_classes(p, &x->class_dim, &x->class_base);
    }
    const bool number = xk_is_digit(*p->s);
    if (number)
        XK_TRY(take_number(p, &v));
    if (number && !xk_formula_take(p, "*")) {
        x->base += sign * v;
        return XK_OK;
    }
    XK_TRY(xk_formula_take_name(p, name, sizeof(name)));
    if (!number && xk_formula_take(p, "*"))
        XK_TRY(take_number(p, &v));
    XK_TRY(index_of(p, name, &i));
    x->coef[i] += sign * v;
    return XK_OK;
}

static enum xk_status take_form(struct xk_formula_parser *p, struct xk_coord *x)
{
    int64_t sign = xk_formula_take(p, "-") ? -1 : 1;
    for (;;) {
        XK_TRY(take_term(p, sign, x));
        if (xk_formula_take(p, "+"))
            sign = 1;
        else if (xk_formula_take(p, "-"))
            sign = -1;
        else
            return XK_OK;
    }
}

static enum xk_status take_coord(struct xk_formula_parser *p,
                                 struct xk_access *a, bool condition)
{
    if (a->n_coord == XK_MAX_COORD)
        return xk_formula_fail(p, "an access has at most 8 coordinates");
    struct xk_coord *const x = xk_access_add(a, -1, 0);
    XK_TRY(take_form(p, x));
    if (!take_word(p, "in"))
        return condition ? xk_formula_fail(
                               p, "a condition has an interval, in LO..HI")
                         : XK_OK;
    XK_TRY(take_signed(p, &x->lo));
    XK_TRY(expect_sign(p, ".."));
    XK_TRY(take_signed(p, &x->hi));
    return x->lo < x->hi ? XK_OK : xk_formula_fail(p, "the interval is empty");
}

enum xk_status xk_formula_take_access(struct xk_formula_parser *p,
                                      unsigned which, struct xk_access *a)
{
    struct xk_formula_tensor *const t = &p->f->tensor[which];
    XK_TRY(xk_formula_take_name(p, t->name, sizeof(t->name)));
    const int declared = find_tensor(p, t->name);
    a->layout.dt = XK_DT_F32;
    if (declared >= 0) {
        *t = p->tensor[declared];
        *a = p->access[declared];
    }
    for (unsigned i = 0; i < XK_FORMULA_MAX_TENSORS; i++)
        if (i != which && strcmp(p->f->tensor[i].name, t->name) == 0)
            return xk_formula_fail(p,
                                   "one tensor stands twice in front of this");
    strcpy(a->name, t->name);
    a->arg = (uint8_t)which;
    XK_TRY(expect_sign(p, "["));
    do
        XK_TRY(take_coord(p, a, false));
    while (xk_formula_take(p, ","));
    if (a->n_coord > XK_LAYOUT_MAX_DIMS)
        return xk_formula_fail(p, "a tensor has at most 6 dims");
    if (t->has_dims && a->n_coord != a->layout.n_dims)
        return xk_formula_fail(p, "another number of coordinates than dims");
    a->layout.n_dims = a->n_coord;
    while (xk_formula_take(p, a->n_coord == a->layout.n_dims ? "|" : ","))
        XK_TRY(take_coord(p, a, true));
    return expect_sign(p, "]");
}

static enum xk_status statement(struct xk_formula_parser *p)
{
    struct xk_contraction *const con = &p->f->con;
    XK_TRY(xk_formula_take_access(p, 2, &con->c));
    XK_TRY(expect_sign(p, "+="));
    XK_TRY(xk_formula_take_access(p, 0, &con->a));
    XK_TRY(expect_sign(p, "*"));
    XK_TRY(xk_formula_take_access(p, 1, &con->b));
    while (xk_formula_take(p, "->"))
        XK_TRY(xk_formula_take_step(p));
    xk_formula_take(p, ";");
    while (*p->s == '\n')
        xk_formula_take(p, "\n");
    return *p->s ? xk_formula_fail(p, "expected the end") : XK_OK;
}

static enum xk_status parse_formula(struct xk_formula_parser *p)
{
    for (;;) {
        char name[16];
        while (xk_formula_take(p, ";") || xk_formula_take(p, "\n"))
            ;
        const char *const first = p->s;
        XK_TRY(xk_formula_take_name(p, name, sizeof(name)));
        if (*p->s == '[') {
            p->s = first;
            return statement(p);
        }
        if (xk_formula_take(p, ":"))
            XK_TRY(tensor_declaration(p, name));
        else if (xk_formula_take(p, "="))
            XK_TRY(index_declaration(p, name));
        else
            return xk_formula_fail(p, "expected : or = or [");
        if (*p->s != ';' && *p->s != '\n')
            return xk_formula_fail(p, "expected ; or a line's end");
    }
}

/* What is declared and does nothing is a mistake: an index that moves nothing
 * would multiply C by its extent, and C is stored, never loaded. */
static enum xk_status check_declared(struct xk_formula_parser *p)
{
    struct xk_contraction *const con = &p->f->con;
    struct xk_access *a;
    uint32_t used_indices = 0;
    for (unsigned n = 0; (a = xk_formula_operand(con, n)); n++)
        used_indices |= xk_access_uses(a);
    for (unsigned i = 0; i < con->n_index; i++)
        if (!(used_indices >> i & 1))
            return xk_fail(p->c, XK_EINVAL,
                           "formula: index %s moves no coordinate",
                           con->index[i].name);
    if (con->c.fill)
        return xk_fail(p->c, XK_EINVAL,
                       "formula: %s has a fill, but is not loaded",
                       con->c.name);
    for (unsigned i = 0; i < p->n_tensors; i++) {
        bool used = false;
        for (unsigned k = 0; k < XK_FORMULA_MAX_TENSORS; k++)
            used = used || strcmp(p->f->tensor[k].name, p->tensor[i].name) == 0;
        if (!used)
            return xk_fail(p->c, XK_EINVAL,
                           "formula: tensor %s does not stand in the statement",
                           p->tensor[i].name);
    }
    return XK_OK;
}

static enum xk_status read_formula(struct xk_formula_parser *p)
{
    XK_TRY(parse_formula(p));
    XK_TRY(check_declared(p));
    return xk_formula_infer(p->c, p->f);
}

enum xk_status xk_formula_parse(xk_ctx *c, struct xk_arena *arena,
                                const char *text, struct xk_contraction *out)
{
    struct xk_formula_parser *const p = xk_calloc(c, 1, sizeof(*p));
    struct xk_formula *const f = xk_calloc(c, 1, sizeof(*f));
    enum xk_status status = XK_ENOMEM;
    memset(out, 0, sizeof(*out));
    if (p && f) {
        p->c = c;
        p->arena = arena;
        p->text = p->s = text;
        p->f = f;
        status = read_formula(p);
    }
    if (status == XK_OK)
        *out = f->con;
    xk_free(c, f);
    xk_free(c, p);
    return status;
}
