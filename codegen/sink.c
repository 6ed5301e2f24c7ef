/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that fill buffers in straight code at the kernel's begin are moved
 * to the end of that code, so that their registers serve other values until
 * then. */
#include "codegen/cg.h"

#include <string.h>

static bool is_fill(const struct xk_cg *g, const struct xk_inst *i)
{
    return i->op == XK_OPC_MOV && !i->pred && !i->cond &&
           i->dst.file == XK_FILE_TILE && g->tile[i->dst.reg].pinned &&
           i->src[0].file == XK_FILE_IMM;
}

/* Instructions in front of the first branch, the first label, the thread's end.
 */
static uint32_t straight_end(const struct xk_cg *g)
{
    uint32_t end = 0;
    while (end < g->n_inst && g->inst[end].op != XK_OPC_JMPI &&
           !g->inst[end].send.eot)
        end++;
    for (uint32_t k = 0; k < g->n_labels; k++)
        end = g->label[k] < end ? g->label[k] : end;
    return end;
}

/* Tiles that something else touches as well. */
static void find_touched_tiles(const struct xk_cg *g, uint32_t end,
                               bool *touched)
{
    for (uint32_t n = 0; n < end; n++) {
        const struct xk_inst *const i = &g->inst[n];
        if (is_fill(g, i))
            continue;
        if (i->dst.file == XK_FILE_TILE)
            touched[i->dst.reg] = true;
        for (unsigned k = 0; k < 3; k++)
            if (i->src[k].file == XK_FILE_TILE)
                touched[i->src[k].reg] = true;
    }
}

enum xk_status xk_cg_sink(struct xk_cg *g)
{
    const uint32_t end = straight_end(g);
    bool *const touched = xk_calloc(g->c, g->n_tiles + 1ull, sizeof *touched);
    struct xk_inst *const sunk = xk_malloc(g->c, (end + 1ull) * sizeof *sunk);
    uint32_t n = 0, kept = 0;
    if (touched && sunk) {
        find_touched_tiles(g, end, touched);
        for (uint32_t i = 0; i < end; i++)
            if (is_fill(g, &g->inst[i]) && !touched[g->inst[i].dst.reg]) {
                g->tile[g->inst[i].dst.reg].sunk = true;
                sunk[n++] = g->inst[i];
            } else
                g->inst[kept++] = g->inst[i];
        memcpy(&g->inst[kept], sunk, n * sizeof *sunk);
    }
    const bool done = touched && sunk;
    xk_free(g->c, touched);
    xk_free(g->c, sunk);
    return done ? XK_OK : XK_ENOMEM;
}
