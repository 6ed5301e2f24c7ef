/* SPDX-License-Identifier: Apache-2.0 */
/* The node pool of a context: one uniform node layout, hash-consing, deferred
 * reference counting with scopes (docs/design.md). It knows nothing of IR
 * semantics: op is a number, type an opaque word, payload opaque bytes. Traits
 * say what occurs in a whole tree: like the hash they follow from what a node
 * is made of, and are there when it is. Nodes are immutable once made; only
 * pool.c writes to them. */
#ifndef XK_BASE_POOL_H
#define XK_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xekern/status.h"

struct xk_ctx;
struct xk_pool;

struct xk_node {
    uint32_t serial; /* unique for the life of the context, from 1 */
    uint32_t hash;
    uint32_t rc;   /* parents plus explicit holders */
    uint32_t held; /* explicit holders alone */
    uint32_t type; /* opaque to the pool */
    uint32_t n_kids;
    uint16_t payload_b;
    uint8_t op;
    uint8_t flags;        /* the pool's own */
    uint32_t traits;      /* bits of the maker, of this node and of all below */
    struct xk_node *next; /* hash chain or work list */
    const struct xk_node *kid[];
    /* payload_b bytes follow the kids, 8-byte aligned */
};

/* What to make. kids and payload are copied. */
struct xk_node_desc {
    uint8_t op;
    bool intern; /* equal nodes become one */
    bool opaque; /* the kids' traits do not count for this node */
    uint16_t payload_b;
    uint32_t traits; /* opaque to the pool, as type is */
    uint32_t type;
    uint32_t n_kids;
    const struct xk_node *const *kids;
    const void *payload;
};

/* NULL on out of memory, without recording an error. */
struct xk_pool *xk_pool_create(struct xk_ctx *c);
/* Frees every node; returns how many nodes were still explicitly held. NULL is
 * a no-op. */
unsigned xk_pool_destroy(struct xk_ctx *c, struct xk_pool *p);

/* The node, borrowed until the enclosing scope ends. NULL if a kid is NULL (no
 * error is recorded: the kid's maker did) or on out of memory. */
const struct xk_node *xk_pool_make(struct xk_ctx *c,
                                   const struct xk_node_desc *d);

/* Explicit holding beyond the scope. NULL is a no-op. A node whose last
 * reference goes lives on until the current scope ends. */
const struct xk_node *xk_pool_ref(struct xk_ctx *c, const struct xk_node *n);
void xk_pool_unref(struct xk_ctx *c, const struct xk_node *n);

/* Scopes nest. Ending one frees all nodes made or handed out since its begin
 * that nothing references, except `keep`, which goes to the outer scope. Ending
 * an outer scope ends the inner ones that were forgotten. */
typedef struct xk_scope {
    uint32_t mark, depth;
} xk_scope;
xk_scope xk_pool_begin(struct xk_ctx *c);
const struct xk_node *xk_pool_end(struct xk_ctx *c, xk_scope s,
                                  const struct xk_node *keep);

/* Nodes that exist now. */
uint32_t xk_pool_live(const struct xk_ctx *c);
/* Serial that the next node gets: an upper bound for side tables. */
uint32_t xk_pool_next_serial(const struct xk_ctx *c);

static inline const void *xk_pool_payload(const struct xk_node *n)
{
    return n->kid + n->n_kids;
}

#endif
