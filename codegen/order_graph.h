/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the ordering: a block as a graph of what must come before what, and
 * by how many cycles. */
#ifndef XK_CODEGEN_ORDER_GRAPH_H
#define XK_CODEGEN_ORDER_GRAPH_H

#include "codegen/costs.h"
#include "codegen/sb.h"

#define XK_ORDER_NONE UINT32_MAX

enum { XK_ORDER_ANSWER = 1, XK_ORDER_PAYLOAD = 2 };

enum {
    XK_ORDER_FLOAT,
    XK_ORDER_INT,
    XK_ORDER_XMX,
    XK_ORDER_SEND,
    XK_ORDER_PORTS
};

/* What is moved as one: an instruction, or a chain of dpas. */
struct xk_order_unit {
    uint32_t first, n; /* instructions */
    uint32_t
        region_end; /* unit; none goes behind it, nor those from there before */
    uint8_t port;
    uint8_t pipe;      /* enum of sb.h */
    uint16_t slots;    /* cycles of issue */
    uint16_t busy_cyc; /* of its port */
    uint16_t lat_cyc;  /* from issue until a result is there */
    uint16_t read_cyc; /* until its sources may be written by others */
};

struct xk_order_edge {
    uint32_t to, next;
    uint32_t lat_cyc;
};

/* Node k * n_units + u is unit u of round k: a loop's block is entered twice,
 * so that what one round leaves for the next one is seen. */
struct xk_order_graph {
    xk_ctx *c;
    const struct xk_platform *p;
    const struct xk_cg_costs *costs;
    const struct xk_sb_access *access; /* per instruction of the block */
    struct xk_order_unit *unit;
    uint32_t n_units, rounds;
    uint32_t *edges;  /* per node: its first edge, XK_ORDER_NONE: none */
    uint32_t *before; /* per node: how many edges lead here */
    struct xk_order_edge *edge;
    uint32_t n_edges, cap_edges;
    uint32_t *seen, *seen_edge; /* per node: the last one with an edge from
                                   here, plus 1, and that edge */
    struct xk_order_user {
        uint32_t node;
        uint32_t next;   /* in the list: the first one of other dwords */
        uint32_t like;   /* of the same dwords */
        uint16_t dwords; /* of a GRF, that nobody has written since; in the
                            first one of them */
    } * user;
    uint32_t n_users, cap_users;
    uint32_t steps; /* how often lists of users were gone one further */
    bool failed;    /* no memory */
    /* wrote: the node that wrote all of it. part: a list of nodes that wrote
     * parts since. read: a list of nodes that have read since. */
    uint32_t wrote[XK_SB_N_RES], part[XK_SB_N_RES], read[XK_SB_N_RES];
    uint32_t sent, slm_loaded; /* node */
    /* What messages may still do to a register, as far as the source's order
     * tells. It goes on from block to block. */
    uint8_t pending[XK_SB_N_RES];
};

/* The unit of a node: a loop's nodes are those of its two rounds. */
static inline const struct xk_order_unit *
xk_order_unit_of(const struct xk_order_graph *g, uint32_t node)
{
    return &g->unit[node < g->n_units ? node : node - g->n_units];
}

/* Room for blocks of up to n instructions. */
enum xk_status xk_order_graph_init(struct xk_order_graph *g, unsigned n);
void xk_order_graph_fini(struct xk_order_graph *g);
/* The graph of in[0..n), a block; loops: it is its own successor. */
enum xk_status xk_order_graph_build(struct xk_order_graph *g,
                                    const struct xk_inst *in,
                                    const struct xk_sb_access *access,
                                    unsigned n, bool loops);

#endif
