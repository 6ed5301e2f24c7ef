/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and kernels. Text is flat where the tree nests: a let, load or
 * alloc scopes to the end of its block, so a block is read as a list of items
 * that is folded from its end. */
#include "ir/parse.h"

#include <string.h>

#include "ir/func_table.h"

/* A finished statement, or a binder that still waits for its body. */
struct item {
    const xk_stmt *stmt; /* NULL: a binder */
    enum xk_op op;
    const xk_expr *var, *value;
    struct xk_alloc_info info;
    struct declared *declared; /* TILING */
    struct xk_token at;
};

/* A tiling, as far as its lines are read. */
struct declared {
    struct xk_tiling tiling;
    const xk_expr *mem[XK_MAX_VIEWS];
};

struct block {
    struct item *item;
    uint32_t n, cap;
};

static const xk_stmt *parse_block(struct xk_parse *p);

static bool add_block_item(struct xk_parse *p, struct block *b, struct item it)
{
    if (!xk_grow(p->c, &b->item, b->n, &b->cap, sizeof(*b->item)))
        return false;
    b->item[b->n++] = it;
    return true;
}

static bool parse_identifier(struct xk_parse *p, struct xk_token *word)
{
    *word = p->tok;
    if (word->kind != XK_TOKEN_WORD)
        return xk_parse_fail(p, "expected a name");
    xk_parse_advance(p);
    return true;
}

/* let x: s32 = e; load x: f32x16 = &b[0] */
static bool parse_let(struct xk_parse *p, enum xk_op op, struct item *it)
{
    struct xk_type t;
    struct xk_token word;
    if (!parse_identifier(p, &word) || !xk_parse_expect(p, ":") ||
        !xk_parse_type(p, &t) || !xk_parse_expect(p, "="))
        return false;
    it->op = op;
    it->value = op == XK_OP_LET ? xk_parse_value_as(p, t) : xk_parse_value(p);
    if (!it->value)
        return false;
    it->var = xk_parse_bind(p, word, t);
    return it->var != NULL;
}

static bool parse_space(struct xk_parse *p, struct xk_type *t)
{
    if (xk_parse_accept(p, "grf"))
        *t = xk_type_ptr(XK_SPACE_GRF);
    else if (xk_parse_accept(p, "slm"))
        *t = xk_type_ptr(XK_SPACE_SLM);
    else
        return xk_parse_fail(p, "expected grf or slm");
    return true;
}

/* alloc b: grf[4096] align 32 bank 1 */
static bool parse_alloc(struct xk_parse *p, struct item *it)
{
    struct xk_token word;
    struct xk_type t;
    uint64_t size_b, align_b = 0, bank = 0;
    if (!parse_identifier(p, &word) || !xk_parse_expect(p, ":") ||
        !parse_space(p, &t) || !xk_parse_expect(p, "[") ||
        !xk_parse_uint(p, UINT32_MAX, &size_b) || !xk_parse_expect(p, "]"))
        return false;
    if (xk_parse_accept(p, "align") && !xk_parse_uint(p, 32768, &align_b))
        return false;
    if (xk_parse_accept(p, "bank") && !xk_parse_uint(p, 2, &bank))
        return false;
    it->op = XK_OP_ALLOC;
    it->info.size_b = (uint32_t)size_b;
    it->info.align_b = (uint16_t)align_b;
    it->info.bank = (uint8_t)bank;
    it->var = xk_parse_bind(p, word, t);
    return it->var != NULL;
}

static const xk_stmt *parse_store(struct xk_parse *p)
{
    const xk_expr *const ptr = xk_parse_value(p);
    if (!ptr || !xk_parse_expect(p, "="))
        return NULL;
    const xk_expr *const value = xk_parse_value(p);
    return xk_store(p->c, ptr, value);
}

/* for i in 0..3 step 1 { } */
static const xk_stmt *parse_for(struct xk_parse *p)
{
    struct xk_token word;
    uint64_t step = 1;
    const uint32_t mark = p->n_symbols;
    if (!parse_identifier(p, &word) || !xk_parse_expect(p, "in"))
        return NULL;
    const xk_expr *const lo = xk_parse_value(p);
    if (!lo || !xk_parse_expect(p, ".."))
        return NULL;
    const xk_expr *const hi = xk_parse_value(p);
    if (!hi ||
        (xk_parse_accept(p, "step") && !xk_parse_uint(p, INT32_MAX, &step)))
        return NULL;
    const xk_expr *const var =
        xk_parse_bind(p, word, xk_type_vec(XK_DT_S32, 1));
    const xk_stmt *const body = var ? parse_block(p) : NULL;
    p->n_symbols = mark;
    return xk_for(p->c, var, lo, hi, (int32_t)step, body);
}

/* pipe i in 0..16 slots 2 stages 3 { stage 0 { } } */
static const xk_stmt *parse_pipe(struct xk_parse *p)
{
    struct xk_token word;
    uint64_t zero, trip, slots, stages;
    const uint32_t mark = p->n_symbols;
    if (!parse_identifier(p, &word) || !xk_parse_expect(p, "in") ||
        !xk_parse_uint(p, 0, &zero) || !xk_parse_expect(p, "..") ||
        !xk_parse_uint(p, INT32_MAX, &trip) || !xk_parse_expect(p, "slots") ||
        !xk_parse_uint(p, UINT8_MAX, &slots) || !xk_parse_expect(p, "stages") ||
        !xk_parse_uint(p, UINT8_MAX, &stages))
        return NULL;
    const struct xk_pipe_info info = {(uint8_t)slots, (uint8_t)stages};
    const xk_expr *const var =
        xk_parse_bind(p, word, xk_type_vec(XK_DT_S32, 1));
    const xk_stmt *const body = var ? parse_block(p) : NULL;
    p->n_symbols = mark;
    return xk_pipe(p->c, var, xk_s32(p->c, (int64_t)trip), info, body);
}

static const xk_stmt *parse_stage(struct xk_parse *p)
{
    uint64_t stage;
    if (!xk_parse_uint(p, UINT8_MAX, &stage))
        return NULL;
    const xk_stmt *const body = parse_block(p);
    return xk_stage(p->c, (unsigned)stage, body);
}

static const xk_stmt *parse_if(struct xk_parse *p)
{
    if (!xk_parse_expect(p, "("))
        return NULL;
    const xk_expr *const cond = xk_parse_value(p);
    if (!cond || !xk_parse_expect(p, ")"))
        return NULL;
    const xk_stmt *const then_s = parse_block(p);
    if (!then_s)
        return NULL;
    if (!xk_parse_accept(p, "else"))
        return xk_if(p->c, cond, then_s, NULL);
    const xk_stmt *const else_s = parse_block(p);
    return else_s ? xk_if(p->c, cond, then_s, else_s) : NULL;
}

static bool parse_u16(struct xk_parse *p, uint16_t *v)
{
    uint64_t wide;
    if (!xk_parse_uint(p, UINT16_MAX, &wide))
        return false;
    *v = (uint16_t)wide;
    return true;
}

/* [extent:dst_stride:src_stride, ...] */
static bool parse_reorder_dims(struct xk_parse *p, struct xk_reorder *r)
{
    if (!xk_parse_expect(p, "["))
        return false;
    while (!xk_parse_accept(p, "]")) {
        const unsigned i = r->n_dims;
        if (i == XK_REORDER_MAX_DIMS)
            return xk_parse_fail(p, "too many dimensions");
        if ((i && !xk_parse_expect(p, ",")) || !parse_u16(p, &r->extent[i]) ||
            !xk_parse_expect(p, ":") || !parse_u16(p, &r->dst_stride[i]) ||
            !xk_parse_expect(p, ":") || !parse_u16(p, &r->src_stride[i]))
            return false;
        r->n_dims++;
    }
    return true;
}

/* What stands in brackets behind a function's name. */
static bool parse_brackets(struct xk_parse *p, struct xk_func *f)
{
    if (f->kind == XK_FUNC_REORDER)
        return parse_reorder_dims(p, &f->u.reorder);
    return f->kind != XK_FUNC_TILE || xk_parse_tile_parts(p, &f->u.tile);
}

static const xk_stmt *parse_call_stmt(struct xk_parse *p)
{
    struct xk_func f;
    const xk_expr *args[8];
    unsigned n = 0;
    const char *const e = xk_func_parse(p->tok.s, p->tok.n, &f);
    if (e) {
        xk_parse_fail(p, e);
        return NULL;
    }
    xk_parse_advance(p);
    if (!parse_brackets(p, &f) || !xk_parse_expect(p, "("))
        return NULL;
    while (!xk_parse_accept(p, ")")) {
        if (n == XK_COUNTOF(args)) {
            xk_parse_fail(p, "too many arguments");
            return NULL;
        }
        if (n && !xk_parse_expect(p, ","))
            return NULL;
        args[n] = xk_parse_value(p);
        if (!args[n++])
            return NULL;
    }
    return xk_call(p->c, &f, args, n);
}

static const xk_stmt *parse_stmt(struct xk_parse *p)
{
    if (xk_parse_accept(p, "store"))
        return parse_store(p);
    if (xk_parse_accept(p, "for"))
        return parse_for(p);
    if (xk_parse_accept(p, "pipe"))
        return parse_pipe(p);
    if (xk_parse_accept(p, "stage"))
        return parse_stage(p);
    if (xk_parse_accept(p, "if"))
        return parse_if(p);
    if (xk_parse_accept(p, "scope"))
        return parse_block(p);
    if (p->tok.kind == XK_TOKEN_WORD)
        return parse_call_stmt(p);
    xk_parse_fail(p, "expected a statement");
    return NULL;
}

/* All lines of a tiling; none: it->declared stays NULL. */
static bool parse_declared(struct xk_parse *p, struct item *it)
{
    static const char *const words[] = {"index", "view", "walk", "tile"};
    bool any = false;
    for (unsigned i = 0; i < XK_COUNTOF(words); i++)
        any |= xk_token_is(&p->tok, words[i]);
    if (!any)
        return true;
    it->op = XK_OP_TILING;
    it->declared = xk_malloc(p->c, sizeof(*it->declared));
    if (!it->declared)
        return false;
    memset(it->declared, 0, sizeof(*it->declared));
    while (any)
        if (!xk_parse_tiling(p, &it->declared->tiling, it->declared->mem, &any))
            return false;
    return true;
}

static bool parse_item(struct xk_parse *p, struct item *it)
{
    memset(it, 0, sizeof(*it));
    it->at = p->tok;
    if (xk_parse_accept(p, "let"))
        return parse_let(p, XK_OP_LET, it);
    if (xk_parse_accept(p, "load"))
        return parse_let(p, XK_OP_LOAD, it);
    if (xk_parse_accept(p, "alloc"))
        return parse_alloc(p, it);
    const bool ok = parse_declared(p, it);
    if (!ok || it->declared)
        return ok;
    it->stmt = parse_stmt(p);
    if (!it->stmt)
        xk_parse_wrap(p, it->at);
    return it->stmt != NULL;
}

static const xk_stmt *seq_of(struct xk_parse *p, const struct item *items,
                             uint32_t n)
{
    const xk_stmt *small[32] = {NULL};
    const xk_stmt **const s =
        n <= XK_COUNTOF(small) ? small : xk_malloc(p->c, n * sizeof(*s));
    if (!s)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        s[i] = items[i].stmt;
    const xk_stmt *const r = xk_seq(p->c, s, n);
    if (s != small)
        xk_free(p->c, s);
    return r;
}

static const xk_stmt *close_parsed_item(struct xk_parse *p,
                                        const struct item *it,
                                        const xk_stmt *body)
{
    if (it->op == XK_OP_LET)
        return xk_let(p->c, it->var, it->value, body);
    if (it->op == XK_OP_LOAD)
        return xk_load(p->c, it->var, it->value, body);
    if (it->op == XK_OP_TILING)
        return xk_tiling_stmt(p->c, &it->declared->tiling, it->declared->mem,
                              body);
    return xk_alloc_stmt(p->c, it->var, it->info, body);
}

/* Gives every binder what follows it as its body. */
static const xk_stmt *fold_block(struct xk_parse *p, struct block *b)
{
    uint32_t end = b->n;
    for (uint32_t i = b->n; i-- > 0;) {
        if (b->item[i].stmt)
            continue;
        const xk_stmt *const body = seq_of(p, b->item + i + 1, end - i - 1);
        b->item[i].stmt = close_parsed_item(p, &b->item[i], body);
        if (!b->item[i].stmt) {
            xk_parse_wrap(p, b->item[i].at);
            return NULL;
        }
        end = i + 1;
    }
    return seq_of(p, b->item, end);
}

static const xk_stmt *parse_block(struct xk_parse *p)
{
    struct block b = {NULL, 0, 0};
    const uint32_t mark = p->n_symbols;
    const xk_stmt *r = NULL;
    bool ok = xk_parse_expect(p, "{");
    if (ok && p->depth >= XK_PARSE_MAX_DEPTH)
        ok = xk_parse_fail(p, "nested too deeply");
    p->depth++;
    while (ok && !xk_parse_accept(p, "}")) {
        struct item it;
        ok = parse_item(p, &it);
        if (!add_block_item(p, &b, it)) {
            xk_free(p->c, it.declared);
            ok = false;
        }
    }
    if (ok)
        r = fold_block(p, &b);
    p->depth--;
    p->n_symbols = mark;
    for (uint32_t i = 0; i < b.n; i++)
        xk_free(p->c, b.item[i].declared);
    xk_free(p->c, b.item);
    return r;
}

static bool parse_param_kind(struct xk_parse *p, uint8_t *kind,
                             struct xk_type *t)
{
    for (unsigned k = XK_PARAM_GROUP_X; xk_syntax_param_kind(k); k++) {
        if (xk_parse_accept(p, xk_syntax_param_kind(k))) {
            *kind = (uint8_t)k;
            *t = xk_type_vec(k == XK_PARAM_SURFACE ? XK_DT_U32 : XK_DT_S32, 1);
            return true;
        }
    }
    if (!xk_parse_type(p, t))
        return false;
    *kind = t->space ? XK_PARAM_GLOBAL : XK_PARAM_VALUE;
    return true;
}

static bool parse_param(struct xk_parse *p, struct xk_kernel *k)
{
    struct xk_token word;
    struct xk_type t;
    uint64_t extent = 0;
    const unsigned i = k->n_params;
    if (i == XK_KERNEL_MAX_PARAMS)
        return xk_parse_fail(p, "too many parameters");
    if (!parse_identifier(p, &word) || !xk_parse_expect(p, ":") ||
        !parse_param_kind(p, &k->params[i].kind, &t) ||
        (xk_parse_accept(p, "<") && !xk_parse_uint(p, INT64_MAX, &extent)))
        return false;
    k->params[i].var = xk_parse_bind(p, word, t);
    k->extent[i] = (int64_t)extent;
    k->n_params++;
    return k->params[i].var != NULL;
}

static bool parse_head(struct xk_parse *p, struct xk_kernel *k)
{
    struct xk_token word;
    uint64_t simd;
    if (!xk_parse_expect(p, "kernel") || !parse_identifier(p, &word))
        return false;
    if (word.n >= sizeof(k->name))
        return xk_parse_fail(p, "kernel name above 63 characters");
    memcpy(k->name, word.s, word.n);
    if (!xk_parse_expect(p, "simd") || !xk_parse_uint(p, 64, &simd) ||
        !xk_parse_expect(p, "("))
        return false;
    k->simd = (unsigned)simd;
    while (!xk_parse_accept(p, ")")) {
        if ((k->n_params && !xk_parse_expect(p, ",")) || !parse_param(p, k))
            return false;
    }
    return true;
}

enum xk_status xk_kernel_parse(xk_ctx *c, const char *text, struct xk_kernel *k)
{
    struct xk_parse p;
    memset(k, 0, sizeof(*k));
    if (xk_ctx_status(c) != XK_OK)
        return xk_ctx_status(c);
    xk_parse_init(&p, c, text);
    bool ok = parse_head(&p, k);
    if (ok) {
        k->body = parse_block(&p);
        ok = k->body && (p.tok.kind == XK_TOKEN_END ||
                         xk_parse_fail(&p, "text after the kernel"));
    }
    xk_parse_fini(&p);
    if (ok)
        return XK_OK;
    k->body = NULL;
    return xk_ctx_status(c) ? xk_ctx_status(c)
                            : xk_fail(c, XK_EPARSE, "ir text: not a kernel");
}
