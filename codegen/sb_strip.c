/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a compiler's scoreboard annotations out of decoded code. */
#include <string.h>

#include "codegen/sb.h"
#include "codegen/scoreboard.h"

/* Where each instruction begins, in units of 8 bytes, and the way back. */
struct places {
    int32_t *index_at; /* per unit: index in the new list, -1: inside one */
    int64_t end;       /* units */
};

static void find_places(const struct xk_inst *in, unsigned n, struct places *w)
{
    int64_t at = 0;
    int32_t kept = 0;
    for (unsigned i = 0; i < n; i++) {
        w->index_at[at++] = kept;
        if (xk_inst_size_b(&in[i]) > 8)
            w->index_at[at++] = -1;
        kept += !xk_sb_is_ours(&in[i]);
    }
    w->end = at;
}

static enum xk_status retarget(xk_ctx *c, const struct places *w, unsigned i,
                               int64_t at, int32_t *offset_b)
{
    const int64_t to_b = at * 8 + *offset_b;
    if (to_b % 8 || to_b < 0 || to_b / 8 >= w->end || w->index_at[to_b / 8] < 0)
        return xk_fail(c, XK_EINVAL,
                       "scoreboard: instruction %u jumps by %d bytes, to no "
                       "instruction",
                       i, *offset_b);
    *offset_b = w->index_at[to_b / 8];
    return XK_OK;
}

static enum xk_status copy_all(xk_ctx *c, const struct xk_inst *in, unsigned n,
                               const struct places *w, struct xk_inst *out,
                               unsigned *n_out)
{
    int64_t at = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < n; at += xk_inst_size_b(&in[i++]) / 8) {
        struct xk_inst *const x = &out[kept];
        if (xk_sb_is_ours(&in[i]))
            continue;
        *x = in[i];
        memset(&x->swsb, 0, sizeof x->swsb);
        x->atomic = x->compacted = false;
        if (xk_sb_has_jip(x))
            XK_TRY(retarget(c, w, i, at, &x->jip_b));
        if (xk_sb_has_uip(x))
            XK_TRY(retarget(c, w, i, at, &x->uip_b));
        kept++;
    }
    *n_out = kept;
    return XK_OK;
}

enum xk_status xk_scoreboard_strip(xk_ctx *c, const struct xk_inst *in,
                                   unsigned n, struct xk_inst **out,
                                   unsigned *n_out)
{
    struct places w = {.index_at = xk_malloc(c, (2ull * n + 1) * 4)};
    struct xk_inst *const list = xk_malloc(c, (n + 1ull) * sizeof *list);
    enum xk_status st = XK_ENOMEM;
    *out = NULL;
    *n_out = 0;
    if (w.index_at && list) {
        find_places(in, n, &w);
        st = copy_all(c, in, n, &w, list, n_out);
    }
    xk_free(c, w.index_at);
    if (st < 0)
        xk_free(c, list);
    else
        *out = list;
    return st;
}
