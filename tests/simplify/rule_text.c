/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/simplify/rule_text.h"

#include <string.h>

const char *const rule_var_names[RULE_N_VARS] = {
    "x",  "y",  "z",  "w",  "u",  "v",  "p",  "q",  "r",  "c0",
    "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "bits"};

static const xk_expr *parse(xk_ctx *c, const struct rule_text *r, const char *s,
                            size_t n)
{
    char text[256];
    if (n >= sizeof(text))
        return NULL;
    memcpy(text, s, n);
    text[n] = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '#')
            text[i] = ' ';
    }
    return xk_parse_expr(c, text, RULE_N_VARS, rule_var_names, r->vars);
}

static bool read_clause(xk_ctx *c, struct rule_text *r, const char *s, size_t n)
{
    while (n && *s == ' ') {
        s++;
        n--;
    }
    while (n && s[n - 1] == ' ')
        n--;
    if (!n)
        return true;
    if (n == 6 && !memcmp(s, "nowrap", n)) {
        r->nowrap = true;
        return true;
    }
    if (n == 3 && !memcmp(s, "any", n)) {
        r->any = true;
        return true;
    }
    if (r->n_clauses == RULE_MAX_CLAUSES)
        return false;
    r->clause[r->n_clauses] = parse(c, r, s, n);
    return r->clause[r->n_clauses++] != NULL;
}

bool rule_text_read(xk_ctx *c, const struct xk_rule_row *row,
                    struct rule_text *out)
{
    memset(out, 0, sizeof(*out));
    out->name = row->name;
    for (unsigned i = 0; i < RULE_N_VARS; i++) {
        const bool is_bool =
            i >= RULE_N_NUMBERS && i < RULE_N_NUMBERS + RULE_N_BOOLS;
        out->vars[i] = xk_var(c,
                              xk_type_vec(is_bool ? XK_DT_BOOL : XK_DT_S32,
                                          i == 4 || i == 5 ? 4 : 1),
                              rule_var_names[i]);
    }
    out->left = parse(c, out, row->pattern, strlen(row->pattern));
    out->right = parse(c, out, row->replacement, strlen(row->replacement));
    if (!out->left || !out->right)
        return false;
    for (unsigned i = 0; i < RULE_N_VARS; i++)
        out->used[i] = xk_depends_on(out->left, out->vars[i]);
    for (const char *s = row->guard;;) {
        const char *const end = strstr(s, "&&");
        if (!read_clause(c, out, s, end ? (size_t)(end - s) : strlen(s)))
            return false;
        if (!end)
            return true;
        s = end + 2;
    }
}

bool rule_is_number(const struct rule_text *r, const xk_expr *e)
{
    for (unsigned i = 0; i < RULE_N_NUMBERS + RULE_N_BOOLS; i++) {
        if (xk_depends_on(e, r->vars[i]))
            return false;
    }
    return true;
}

unsigned rule_nodes(const struct rule_text *r, const xk_expr *e)
{
    unsigned n = 1;
    if (rule_is_number(r, e))
        return 1;
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        n += rule_nodes(r, xk_kid(e, i));
    return n;
}

static unsigned op_weight(enum xk_op op)
{
    switch (op) {
    case XK_OP_VAR:
    case XK_OP_IMM:
        return 0;
    case XK_OP_DIV:
    case XK_OP_MOD:
        return 8;
    case XK_OP_MUL:
        return 3;
    case XK_OP_SELECT:
    case XK_OP_MAD:
    case XK_OP_ADD3:
        return 2;
    default:
        return 1;
    }
}

unsigned rule_weight(const struct rule_text *r, const xk_expr *e)
{
    unsigned n = op_weight(xk_op(e));
    if (rule_is_number(r, e))
        return 0;
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        n += rule_weight(r, xk_kid(e, i));
    return n;
}
