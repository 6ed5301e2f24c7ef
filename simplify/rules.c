/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles rules.def once a process into static tables and matches against
 * them. A pattern is stored in every commuted form, so that matching needs no
 * backtracking; forms are indexed by root op and filtered by the ops of the
 * root's kids. No strings are touched when matching.
 *
 * The tables live outside any context, because many contexts (one a thread)
 * use them; they are written once under a lock and read-only afterwards. */
#include "simplify/rules.h"
#include "base/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const struct xk_rule_row rows[] = {
#define XK_OP_ANY XK_N_OPS
#define XK_RULE(id, l, r, g) {#id, l, r, g, NULL, XK_OP_ANY},
#define XK_RULE_FN(id, op, fn) {#id, NULL, NULL, NULL, fn, XK_OP_##op},
#include "simplify/rules.def"
#undef XK_RULE
#undef XK_RULE_FN
};

enum {
    N_ROWS = XK_COUNTOF(rows),
    MAX_PATS = 8192,
    MAX_FORMS = 1024,
    MAX_CLAUSES = 4,
    MAX_FNS = 3,   /* of an op */
    N_NUMBERS = 6, /* x y z w u v */
    N_SLOTS = 9,   /* and p q r */
    N_CONSTS = 10, /* c0..c9 */
    SLOT_BITS = N_CONSTS,
};

enum pat_kind { P_OP, P_ANY, P_CONST, P_LITERAL };

struct pat {
    uint8_t kind; /* enum pat_kind */
    uint8_t op;
    uint8_t slot;
    uint8_t n_kids;
    bool is_bool;  /* literal, or what an ANY slot wants */
    bool constant; /* no ANY below: folds to a number */
    uint16_t kid[3];
    int64_t value; /* literal */
};

/* Kid filter: an op, or one of these. */
enum { K_ANY = 255, K_CONST = 254 };

struct form {
    uint16_t rule;
    uint16_t root;  /* pattern, into pats */
    uint8_t op;     /* of the root */
    uint8_t kid[2]; /* filter */
    uint8_t nodes;  /* size, for the order */
};

struct rule {
    uint16_t replacement;
    uint16_t clause[MAX_CLAUSES];
    uint8_t n_clauses;
    bool nowrap, any;
};

static struct pat pats[MAX_PATS];
static struct form forms[MAX_FORMS];
static struct rule rules[N_ROWS];
static uint16_t first_form[XK_N_OPS + 1];
static unsigned n_pats, n_forms;

/* The functions of an op, the later rows first. */
static struct fns {
    uint8_t n;
    uint16_t row[MAX_FNS];
} fns[XK_N_OPS];

static pthread_mutex_t compile_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool compiled;

unsigned xk_rule_count(void)
{
    return N_ROWS;
}

const char *xk_rule_name(unsigned i)
{
    return i < N_ROWS ? rows[i].name : "";
}

const struct xk_rule_row *xk_rule_row(unsigned i)
{
    return i < N_ROWS ? &rows[i] : NULL;
}

enum xk_status xk_facts_count_hits(xk_facts *f)
{
    if (!f->hits)
        f->hits = xk_calloc(f->c, N_ROWS, sizeof(*f->hits));
    return f->hits ? XK_OK : XK_ENOMEM;
}

uint32_t xk_facts_hits(const xk_facts *f, unsigned rule)
{
    return f->hits && rule < N_ROWS ? f->hits[rule] : 0;
}

enum xk_status xk_facts_rule_off(xk_facts *f, const char *name)
{
    unsigned i = 0;
    while (i < N_ROWS && strcmp(rows[i].name, name))
        i++;
    if (i == N_ROWS)
        return xk_fail(f->c, XK_EINVAL, "rules: no rule is named %s", name);
    if (!f->off)
        f->off = xk_calloc(f->c, N_ROWS, sizeof(*f->off));
    if (!f->off)
        return XK_ENOMEM;
    f->off[i] = true;
    xk_facts_forget_simple(f);
    return XK_OK;
}

/* Names that may stand in a rule, with their variables of the temporary
 * context. */
struct names {
    xk_ctx *c;
    const char *name[N_SLOTS + N_CONSTS + 1];
    const xk_expr *var[N_SLOTS + N_CONSTS + 1];
};

static bool make_names(struct names *n, xk_ctx *c)
{
    static const char *const text[] = {
        "x",  "y",  "z",  "w",  "u",  "v",  "p",  "q",  "r",  "c0",
        "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "bits"};
    n->c = c;
    for (unsigned i = 0; i < XK_COUNTOF(text); i++) {
        const bool is_bool = i >= N_NUMBERS && i < N_SLOTS;
        const unsigned lanes = i == 4 || i == 5 ? 4 : 1;
        n->name[i] = text[i];
        n->var[i] = xk_var(
            c, xk_type_vec(is_bool ? XK_DT_BOOL : XK_DT_S32, lanes), text[i]);
        if (!n->var[i])
            return false;
    }
    return true;
}

/* '#' only tells readers that a part folds. */
static const xk_expr *parse(const struct names *n, const char *s, size_t len)
{
    char text[160];
    if (len >= sizeof(text))
        return NULL;
    for (size_t i = 0; i < len; i++)
        text[i] = s[i];
    text[len] = 0;
    for (char *h = strchr(text, '#'); h; h = strchr(h, '#'))
        *h = ' ';
    return xk_parse_expr(n->c, text, XK_COUNTOF(n->name), n->name, n->var);
}

static bool flatten_var(const struct names *n, const xk_expr *e, struct pat *p)
{
    unsigned i = 0;
    while (i < XK_COUNTOF(n->var) && n->var[i] != e)
        i++;
    if (i == XK_COUNTOF(n->var))
        return false;
    p->constant = i >= N_SLOTS;
    p->kind = i < N_SLOTS ? P_ANY : P_CONST;
    p->slot = (uint8_t)(i < N_SLOTS ? i : i - N_SLOTS);
    p->is_bool = i >= N_NUMBERS && i < N_SLOTS;
    return true;
}

/* Appends e's nodes; returns the root's index or -1. */
static int flatten(const struct names *n, const xk_expr *e)
{
    struct pat p;
    memset(&p, 0, sizeof(p));
    if (xk_op(e) == XK_OP_VAR) {
        if (!flatten_var(n, e, &p))
            return -1;
    } else if (xk_op(e) == XK_OP_IMM) {
        p.kind = P_LITERAL;
        p.value = xk_imm_value(e);
        p.is_bool = xk_type_of(e).dt == XK_DT_BOOL;
        p.constant = true;
    } else {
        p.kind = P_OP;
        p.op = (uint8_t)xk_op(e);
        p.n_kids = (uint8_t)xk_n_kids(e);
        p.constant = true;
        for (unsigned i = 0; i < p.n_kids; i++) {
            const int k = flatten(n, xk_kid(e, i));
            if (k < 0)
                return -1;
            p.kid[i] = (uint16_t)k;
            p.constant = p.constant && pats[k].constant;
        }
        /* A constant matches broadcast as well. */
        if (p.op == XK_OP_BCAST && p.constant)
            return p.kid[0];
    }
    if (n_pats == MAX_PATS)
        return -1;
    pats[n_pats] = p;
    return (int)n_pats++;
}

static bool same_pat(unsigned a, unsigned b)
{
    const struct pat *const p = &pats[a], *const q = &pats[b];
    if (p->kind != q->kind || p->op != q->op || p->slot != q->slot ||
        p->value != q->value || p->is_bool != q->is_bool)
        return false;
    for (unsigned i = 0; i < p->n_kids; i++) {
        if (!same_pat(p->kid[i], q->kid[i]))
            return false;
    }
    return true;
}

static bool pat_commutes(unsigned i)
{
    const struct pat *const p = &pats[i];
    return p->kind == P_OP && (xk_op_flags((enum xk_op)p->op) & XK_EF_C) &&
           !same_pat(p->kid[0], p->kid[1]);
}

/* Copies the tree with the commuting nodes flipped that *mask says, one bit
 * each in the order of the visit. */
static int copy_flipped(unsigned i, unsigned *mask)
{
    struct pat p = pats[i];
    const bool flip = pat_commutes(i) && (*mask & 1);
    if (pat_commutes(i))
        *mask >>= 1;
    for (unsigned k = 0; k < p.n_kids; k++) {
        const int n = copy_flipped(p.kid[k], mask);
        if (n < 0)
            return -1;
        p.kid[k] = (uint16_t)n;
    }
    if (flip) {
        const uint16_t t = p.kid[0];
        p.kid[0] = p.kid[1];
        p.kid[1] = t;
    }
    if (n_pats == MAX_PATS)
        return -1;
    pats[n_pats] = p;
    return (int)n_pats++;
}

static unsigned count_nodes(unsigned i)
{
    unsigned n = 1;
    for (unsigned k = 0; k < pats[i].n_kids; k++)
        n += count_nodes(pats[i].kid[k]);
    return n;
}

static unsigned count_commuting(unsigned i)
{
    unsigned n = pat_commutes(i);
    for (unsigned k = 0; k < pats[i].n_kids; k++)
        n += count_commuting(pats[i].kid[k]);
    return n;
}

static unsigned count_literals(unsigned i)
{
    unsigned n = pats[i].kind == P_LITERAL || pats[i].kind == P_CONST;
    for (unsigned k = 0; k < pats[i].n_kids; k++)
        n += count_literals(pats[i].kid[k]);
    return n;
}

static uint8_t filter_of(unsigned i)
{
    if (pats[i].kind == P_ANY)
        return K_ANY;
    return pats[i].kind == P_OP ? pats[i].op : K_CONST;
}

static bool add_forms(unsigned rule, unsigned root)
{
    const unsigned n = count_commuting(root);
    for (unsigned m = 0; m < 1u << n; m++) {
        unsigned mask = m;
        const int r = copy_flipped(root, &mask);
        if (r < 0 || n_forms == MAX_FORMS)
            return false;
        const struct pat *const p = &pats[r];
        struct form *const f = &forms[n_forms++];
        f->rule = (uint16_t)rule;
        f->root = (uint16_t)r;
        f->op = p->op;
        f->kid[0] = filter_of(p->kid[0]);
        f->kid[1] = p->n_kids > 1 ? filter_of(p->kid[1]) : K_ANY;
        f->nodes = (uint8_t)(count_nodes(root) * 4 + count_literals(root));
    }
    return true;
}

static bool compile_clause(const struct names *n, struct rule *r, const char *s,
                           size_t len)
{
    while (len && *s == ' ') {
        s++;
        len--;
    }
    while (len && s[len - 1] == ' ')
        len--;
    if (!len)
        return true;
    if (xk_text_is(s, len, "nowrap")) {
        r->nowrap = true;
        return true;
    }
    if (xk_text_is(s, len, "any")) {
        r->any = true;
        return true;
    }
    const xk_expr *const e = parse(n, s, len);
    const int at = e ? flatten(n, e) : -1;
    if (at < 0 || r->n_clauses == MAX_CLAUSES)
        return false;
    r->clause[r->n_clauses++] = (uint16_t)at;
    return true;
}

static bool compile_guard(const struct names *n, struct rule *r,
                          const char *guard)
{
    for (;;) {
        const char *const end = strstr(guard, "&&");
        const size_t len = end ? (size_t)(end - guard) : strlen(guard);
        if (!compile_clause(n, r, guard, len))
            return false;
        if (!end)
            return true;
        guard = end + 2;
    }
}

/* The driver asks no rule about a broadcast or an address. */
static bool may_be_root(const struct pat *p)
{
    return p->kind == P_OP && p->op != XK_OP_BCAST && p->op != XK_OP_PTR;
}

static bool compile_rule(const struct names *n, unsigned i)
{
    const struct xk_rule_row *const row = &rows[i];
    if (!row->pattern)
        return true;
    const xk_expr *const l = parse(n, row->pattern, strlen(row->pattern));
    const xk_expr *const r =
        l ? parse(n, row->replacement, strlen(row->replacement)) : NULL;
    if (!r)
        return false;
    const int pattern = flatten(n, l), replacement = flatten(n, r);
    if (pattern < 0 || replacement < 0 || !may_be_root(&pats[pattern]))
        return false;
    memset(&rules[i], 0, sizeof(rules[i]));
    rules[i].replacement = (uint16_t)replacement;
    return compile_guard(n, &rules[i], row->guard) &&
           add_forms(i, (unsigned)pattern);
}

/* forms[first..end) of one op: larger patterns and more constants first, then
 * table order. */
static void sort_range(unsigned first, unsigned end)
{
    for (unsigned i = first + 1; i < end; i++) {
        const struct form f = forms[i];
        unsigned j = i;
        for (; j > first && forms[j - 1].nodes < f.nodes; j--)
            forms[j] = forms[j - 1];
        forms[j] = f;
    }
}

/* By op, then as sort_range says. */
static void sort_forms(void)
{
    static struct form by_op[MAX_FORMS];
    uint16_t at[XK_N_OPS];
    memset(first_form, 0, sizeof(first_form));
    for (unsigned i = 0; i < n_forms; i++)
        first_form[forms[i].op + 1]++;
    for (unsigned op = 0; op < XK_N_OPS; op++) {
        first_form[op + 1] = (uint16_t)(first_form[op + 1] + first_form[op]);
        at[op] = first_form[op];
    }
    for (unsigned i = 0; i < n_forms; i++)
        by_op[at[forms[i].op]++] = forms[i];
    memcpy(forms, by_op, n_forms * sizeof(*forms));
    for (unsigned op = 0; op < XK_N_OPS; op++)
        sort_range(first_form[op], first_form[op + 1]);
}

static bool index_fns(void)
{
    memset(fns, 0, sizeof(fns));
    for (unsigned i = N_ROWS; i-- > 0 && rows[i].fn;)
        for (unsigned op = 0; op < XK_N_OPS; op++) {
            if (rows[i].op != op && rows[i].op != XK_OP_ANY)
                continue;
            if (fns[op].n == MAX_FNS)
                return false;
            fns[op].row[fns[op].n++] = (uint16_t)i;
        }
    return true;
}

static bool compile_in(xk_ctx *c, unsigned *bad_row)
{
    struct names n;
    n_pats = n_forms = 0;
    *bad_row = N_ROWS;
    if (!make_names(&n, c))
        return false;
    for (unsigned i = 0; i < N_ROWS; i++) {
        const xk_scope s = xk_scope_begin(c);
        const bool ok = compile_rule(&n, i);
        xk_scope_end(c, s, NULL);
        if (!ok) {
            *bad_row = i;
            return false;
        }
    }
    sort_forms();
    return index_fns();
}

/* False with the error in c; the next call tries again. */
static bool compile_rules(xk_ctx *c)
{
    bool ok = true;
    pthread_mutex_lock(&compile_lock);
    if (!atomic_load_explicit(&compiled, memory_order_acquire)) {
        unsigned bad_row = N_ROWS;
        xk_ctx *const t = xk_ctx_create(&c->alloc);
        ok = t && compile_in(t, &bad_row);
        if (!t || xk_ctx_status(t) == XK_ENOMEM)
            xk_fail(c, XK_ENOMEM, "out of memory compiling the rules");
        else if (!ok)
            xk_fail(c, XK_EINTERNAL, "rule %s does not compile: %s",
                    xk_rule_name(bad_row), t->error.message);
        xk_ctx_destroy(t);
        if (ok)
            atomic_store_explicit(&compiled, true, memory_order_release);
    }
    pthread_mutex_unlock(&compile_lock);
    return ok;
}

/* One attempt to match a form. */
struct match {
    struct xk_facts *f;
    const struct rule *rule;
    const xk_expr *any[N_SLOTS];
    int64_t value[N_CONSTS + 1];
    uint16_t has_value; /* bit per constant */
    uint8_t dt;         /* of the numbers; UNDEF until one is met */
};

static bool match_any(struct match *m, const struct pat *p, const xk_expr *e)
{
    const unsigned dt = xk_type_of(e).dt;
    if (m->any[p->slot])
        return m->any[p->slot] == e;
    if (p->is_bool) {
        if (dt != XK_DT_BOOL)
            return false;
    } else if (!m->rule->any) {
        if (!xk_dtype_is_int((enum xk_dtype)dt))
            return false;
        m->dt = (uint8_t)dt;
    }
    m->any[p->slot] = e;
    return true;
}

static bool match_const(struct match *m, const struct pat *p, const xk_expr *e)
{
    int64_t v;
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    if (!xk_is_const(e, &v) || (dt == XK_DT_BOOL) != p->is_bool)
        return false;
    if (p->kind == P_LITERAL)
        return v == xk_imm_wrap(dt, p->value);
    if (dt == XK_DT_U64 && v < 0)
        return false;
    if (m->has_value >> p->slot & 1)
        return m->value[p->slot] == v;
    m->has_value |= (uint16_t)(1u << p->slot);
    m->value[p->slot] = v;
    m->dt = (uint8_t)dt;
    return true;
}

static bool match(struct match *m, unsigned i, const xk_expr *e)
{
    const struct pat *const p = &pats[i];
    if (p->kind == P_ANY)
        return match_any(m, p, e);
    if (p->kind != P_OP)
        return match_const(m, p, e);
    if (xk_op(e) != p->op)
        return false;
    for (unsigned k = 0; k < p->n_kids; k++) {
        if (!match(m, p->kid[k], xk_kid(e, k)))
            return false;
    }
    return true;
}

/* A guard's values are integers without bounds. */
static struct xk_info guard_info(const struct match *m, unsigned i)
{
    const struct pat *const p = &pats[i];
    struct xk_info k[3];
    if (p->kind == P_ANY)
        return xk_info_of(m->f, m->any[p->slot]);
    if (p->kind == P_LITERAL)
        return xk_info_const(p->value);
    if (p->kind == P_CONST)
        return xk_info_const(p->slot == SLOT_BITS
                                 ? (int64_t)xk_dtype_bits((enum xk_dtype)m->dt)
                                 : m->value[p->slot]);
    for (unsigned j = 0; j < p->n_kids; j++)
        k[j] = guard_info(m, p->kid[j]);
    return xk_info_op((enum xk_op)p->op, XK_DT_S64, k);
}

static bool guard_holds(const struct match *m)
{
    if (m->rule->nowrap && !xk_dtype_nowrap((enum xk_dtype)m->dt))
        return false;
    for (unsigned i = 0; i < m->rule->n_clauses; i++) {
        const struct xk_info r = guard_info(m, m->rule->clause[i]);
        if (r.mod != 0 || !r.rem)
            return false;
    }
    return true;
}

static bool fold_pat(const struct match *m, unsigned i, enum xk_dtype dt,
                     int64_t *v)
{
    const struct pat *const p = &pats[i];
    int64_t k[3];
    if (p->kind == P_LITERAL) {
        *v = xk_imm_wrap(dt, p->value);
        return true;
    }
    if (p->kind == P_CONST) {
        *v = p->slot == SLOT_BITS ? (int64_t)xk_dtype_bits(dt)
                                  : m->value[p->slot];
        return true;
    }
    for (unsigned j = 0; j < p->n_kids; j++) {
        if (!fold_pat(m, p->kid[j], dt, &k[j]))
            return false;
    }
    return xk_fold((enum xk_op)p->op, dt, k, v);
}

/* Type of the operands of a compare: that of a bound expression in it. */
static bool operand_type(const struct match *m, unsigned i, struct xk_type *t)
{
    const struct pat *const p = &pats[i];
    if (p->kind == P_ANY) {
        *t = xk_type_of(m->any[p->slot]);
        return true;
    }
    for (unsigned k = 0; k < p->n_kids; k++) {
        if (operand_type(m, p->kid[k], t))
            return true;
    }
    return false;
}

static const xk_expr *build_replacement(const struct match *m, unsigned i,
                                        struct xk_type t);

static const xk_expr *build_op(const struct match *m, const struct pat *p,
                               struct xk_type t)
{
    xk_ctx *const c = m->f->c;
    const enum xk_op op = (enum xk_op)p->op;
    const xk_expr *k[3] = {NULL, NULL, NULL};
    struct xk_type kt = t;
    if (op == XK_OP_BCAST || op == XK_OP_RAMP)
        kt.lanes = 1;
    else if (op >= XK_OP_EQ && op <= XK_OP_GE &&
             !operand_type(m, p->kid[0], &kt) &&
             !operand_type(m, p->kid[1], &kt))
        return NULL;
    for (unsigned j = 0; j < p->n_kids; j++) {
        struct xk_type want = kt;
        if (op == XK_OP_SELECT && j == 0)
            want.dt = XK_DT_BOOL;
        k[j] = build_replacement(m, p->kid[j], want);
        if (!k[j])
            return NULL;
    }
    if (op == XK_OP_BCAST)
        return xk_bcast(c, k[0], t.lanes);
    if (op == XK_OP_RAMP)
        return xk_ramp(c, k[0], k[1], t.lanes);
    if (p->n_kids == 1)
        return xk_un(c, op, k[0]);
    return p->n_kids == 2 ? xk_bin(c, op, k[0], k[1])
                          : xk_ternary(c, op, k[0], k[1], k[2]);
}

static const xk_expr *build_replacement(const struct match *m, unsigned i,
                                        struct xk_type t)
{
    const struct pat *const p = &pats[i];
    xk_ctx *const c = m->f->c;
    int64_t v;
    if (p->kind == P_ANY)
        return m->any[p->slot];
    if (!p->constant)
        return build_op(m, p, t);
    if (!fold_pat(m, i, (enum xk_dtype)t.dt, &v))
        return NULL;
    return xk_bcast(c, xk_imm(c, (enum xk_dtype)t.dt, v), t.lanes);
}

static bool passes_filter(const struct form *f, const xk_expr *e)
{
    const unsigned n = xk_n_kids(e) < 2 ? xk_n_kids(e) : 2;
    for (unsigned i = 0; i < n; i++) {
        if (f->kid[i] == K_ANY)
            continue;
        if (f->kid[i] == K_CONST ? !xk_is_const(xk_kid(e, i), NULL)
                                 : xk_op(xk_kid(e, i)) != f->kid[i])
            return false;
    }
    return true;
}

static const xk_expr *try_form(struct xk_facts *f, const struct form *form,
                               const xk_expr *e)
{
    struct match m;
    m.f = f;
    m.rule = &rules[form->rule];
    m.has_value = 0;
    m.dt = XK_DT_UNDEF;
    for (unsigned i = 0; i < N_SLOTS; i++)
        m.any[i] = NULL;
    if (!match(&m, form->root, e) || !guard_holds(&m))
        return NULL;
    const xk_expr *const r =
        build_replacement(&m, m.rule->replacement, xk_type_of(e));
    return r != e ? r : NULL;
}

static bool is_off(const struct xk_facts *f, unsigned rule)
{
    return f->off && f->off[rule];
}

static void count_hit(struct xk_facts *f, unsigned rule)
{
    if (f->hits)
        f->hits[rule]++;
}

static const xk_expr *apply_fns(struct xk_facts *f, const xk_expr *e)
{
    const struct fns *const of = &fns[e->op];
    for (unsigned k = 0; k < of->n; k++) {
        const unsigned i = of->row[k];
        if (is_off(f, i))
            continue;
        const xk_expr *const r = rows[i].fn(f, e);
        if (r && r != e) {
            count_hit(f, i);
            return r;
        }
    }
    return NULL;
}

/* Arithmetic on floats: only a rule about any type has such operands. */
static bool is_of_floats(const xk_expr *e)
{
    const enum xk_op op = xk_op(e);
    return op >= XK_OP_ADD && op <= XK_OP_NEG && xk_n_kids(e) &&
           xk_dtype_is_float((enum xk_dtype)xk_type_of(xk_kid(e, 0)).dt);
}

const xk_expr *xk_rules_apply_text(struct xk_facts *f, const xk_expr *e)
{
    if (!atomic_load_explicit(&compiled, memory_order_acquire) &&
        !compile_rules(f->c))
        return NULL;
    const bool floats = is_of_floats(e);
    for (unsigned i = first_form[e->op]; i < first_form[e->op + 1]; i++) {
        const struct form *const form = &forms[i];
        if ((floats && !rules[form->rule].any) || !passes_filter(form, e) ||
            is_off(f, form->rule))
            continue;
        const xk_expr *const r = try_form(f, form, e);
        if (r) {
            count_hit(f, form->rule);
            return r;
        }
    }
    return NULL;
}

const xk_expr *xk_rules_apply(struct xk_facts *f, const xk_expr *e)
{
    const xk_expr *const r = xk_rules_apply_text(f, e);
    return r ? r : apply_fns(f, e);
}
