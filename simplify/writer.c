/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/writer.h"

#include <string.h>

enum item_kind {
    ITEM_STMT,
    ITEM_LET,
    ITEM_LOAD,
    ITEM_ALLOC,
    ITEM_FOR,
    ITEM_END
};

struct xk_item {
    enum item_kind kind;
    const xk_stmt *stmt;
    const xk_expr *var, *value;
    struct xk_alloc_info alloc;
    int64_t extent;
};

void xk_block_init(struct xk_block_writer *w, xk_ctx *c, xk_facts *facts)
{
    memset(w, 0, sizeof(*w));
    w->c = c;
    w->facts = facts;
}

/* Out of memory is recorded in the ctx; the item is dropped. */
static void push(struct xk_block_writer *w, struct xk_item item)
{
    if (xk_grow(w->c, &w->items, w->n, &w->cap, sizeof(item)))
        w->items[w->n++] = item;
}

void xk_block_add(struct xk_block_writer *w, const xk_stmt *s)
{
    if (s)
        push(w, (struct xk_item){.kind = ITEM_STMT, .stmt = s});
}

const xk_expr *xk_block_let(struct xk_block_writer *w, const char *name,
                            const xk_expr *value)
{
    const xk_expr *const v = xk_simplify(w->c, value, w->facts);
    int64_t lo, hi, mod = 1, rem = 0;
    if (!v || xk_op(v) == XK_OP_VAR || xk_is_const(v, &lo))
        return v;
    const xk_expr *const var = xk_var(w->c, xk_type_of(v), name);
    if (!var)
        return NULL;
    if (xk_dtype_is_int(xk_type_of(v).dt) &&
        xk_facts_range(w->facts, v, &lo, &hi)) {
        xk_facts_divisibility(w->facts, v, &mod, &rem);
        xk_facts_set(w->facts, var, lo, hi, mod ? mod : 1, mod ? rem : 0);
    }
    push(w, (struct xk_item){.kind = ITEM_LET, .var = var, .value = v});
    return var;
}

const xk_expr *xk_block_load(struct xk_block_writer *w, const char *name,
                             struct xk_type type, const xk_expr *ptr)
{
    const xk_expr *const var = xk_var(w->c, type, name);
    if (var && ptr)
        push(w, (struct xk_item){.kind = ITEM_LOAD, .var = var, .value = ptr});
    return var;
}

const xk_expr *xk_block_alloc(struct xk_block_writer *w, const char *name,
                              uint32_t size_b, uint8_t bank)
{
    const xk_expr *const buf = xk_var(w->c, xk_type_ptr(XK_SPACE_GRF), name);
    const struct xk_alloc_info info = {size_b, 32, bank};
    if (buf)
        push(w,
             (struct xk_item){.kind = ITEM_ALLOC, .var = buf, .alloc = info});
    return buf;
}

void xk_block_call(struct xk_block_writer *w, const struct xk_func *f,
                   const xk_expr *const *args, unsigned n)
{
    xk_block_add(w, xk_call(w->c, f, args, n));
}

void xk_block_for(struct xk_block_writer *w, const xk_expr *var, int64_t extent)
{
    push(w, (struct xk_item){.kind = ITEM_FOR, .var = var, .extent = extent});
}

void xk_block_end_for(struct xk_block_writer *w)
{
    push(w, (struct xk_item){.kind = ITEM_END});
}

/* Statements of the block that is being closed, last first. */
struct tail {
    const xk_stmt **s;
    unsigned n;
};

static const xk_stmt *take(xk_ctx *c, struct tail *t, unsigned from)
{
    for (unsigned i = from, j = t->n; i + 1 < j; i++) {
        const xk_stmt *const x = t->s[i];
        t->s[i] = t->s[--j];
        t->s[j] = x;
    }
    const xk_stmt *const r = xk_seq(c, t->s + from, t->n - from);
    t->n = from;
    return r;
}

static const xk_stmt *close_item(xk_ctx *c, const struct xk_item *it,
                                 const xk_stmt *body)
{
    switch (it->kind) {
    case ITEM_LET:
        return xk_let(c, it->var, it->value, body);
    case ITEM_LOAD:
        return xk_load(c, it->var, it->value, body);
    case ITEM_ALLOC:
        return xk_alloc_stmt(c, it->var, it->alloc, body);
    case ITEM_FOR:
        return xk_for(c, it->var, xk_s32(c, 0), xk_s32(c, it->extent), 1, body);
    case ITEM_STMT:
    case ITEM_END:
        break;
    }
    return it->stmt;
}

/* From the last item to the first. starts[] remembers, for each open loop,
 * where its statements begin in the tail. */
static const xk_stmt *fold(struct xk_block_writer *w, struct tail *t,
                           unsigned *starts)
{
    unsigned depth = 0;
    for (unsigned i = w->n; i-- > 0;) {
        const struct xk_item *const it = &w->items[i];
        if (it->kind == ITEM_END) {
            starts[depth++] = t->n;
            continue;
        }
        if (it->kind != ITEM_STMT) {
            const unsigned from = depth ? starts[depth - 1] : 0;
            const xk_stmt *const s = close_item(w->c, it, take(w->c, t, from));
            if (!s)
                return NULL;
            t->s[t->n++] = s;
            depth -= it->kind == ITEM_FOR;
            continue;
        }
        t->s[t->n++] = it->stmt;
    }
    return take(w->c, t, 0);
}

const xk_stmt *xk_block_end(struct xk_block_writer *w)
{
    const xk_stmt *r = NULL;
    struct tail t = {xk_calloc(w->c, w->n + 1u, sizeof(*t.s)), 0};
    unsigned *const starts = xk_calloc(w->c, w->n + 1u, sizeof(*starts));
    if (t.s && starts && xk_ctx_status(w->c) == XK_OK)
        r = fold(w, &t, starts);
    xk_free(w->c, t.s);
    xk_free(w->c, starts);
    xk_free(w->c, w->items);
    w->items = NULL;
    w->n = w->cap = 0;
    return r;
}
