/* SPDX-License-Identifier: Apache-2.0 */
/* Units of A whose elements of K do not lie side by side, as with channels
 * outermost, on their way to shared local memory. A gather brings two elements of
 * K of eight rows, a dword each; packed they are the dwords of K that the
 * multiplies take. Once a group, not once a thread. */
#include "lower/slm.h"

enum { LANES = 16, GATHER_B = 64 }; /* of a gather; of its raw registers */

static unsigned elem_b(const struct xk_slm_loop *g)
{
    return xk_dtype_b(g->l->p->a.tile.dt);
}

void xk_slm_gather_elements(struct xk_slm_loop *g, struct xk_block_writer *w,
                            unsigned b, const xk_expr *from)
{
    struct xk_lowering *const l = g->l;
    const struct xk_type lanes = xk_type_vec(XK_DT_U32, LANES);
    const struct xk_send s = xk_lower_gather_send(l, elem_b(g), 1, LANES);
    const xk_expr *const first = xk_block_load(w, "at", lanes, from);
    for (unsigned at_b = 0, n = 0; at_b < g->s->raw_b; at_b += GATHER_B, n++) {
        const xk_expr *head = from;
        if (n) { /* two take turns: the one before may still be on its way */
            head = xk_lower_reg(l, g->next_k, n % 2 * GATHER_B);
            const xk_expr *const by = xk_lower_u32(l, 2 * n * g->s->k_b);
            xk_block_add(w, xk_store(l->c, head, xk_add(l->c, first, by)));
        }
        xk_lower_sendh(l, w, &s, head,
                       xk_lower_reg(l, g->staged, b * g->s->raw_b + at_b));
    }
}

void xk_slm_pack(struct xk_slm_loop *g, struct xk_block_writer *w, unsigned b)
{
    struct xk_lowering *const l = g->l;
    const unsigned per_dw = 4 / elem_b(g), lanes = g->s->lanes;
    struct xk_func f = {.kind = XK_FUNC_REORDER};
    f.u.reorder = (struct xk_reorder){.n_dims = 1};
    f.u.reorder.dst = f.u.reorder.src =
        per_dw == 2 ? XK_DT_U16 : XK_DT_U8;
    f.u.reorder.extent[0] = (uint16_t)lanes;
    f.u.reorder.dst_stride[0] = f.u.reorder.src_stride[0] = (uint16_t)per_dw;
    for (unsigned k = 0; k < l->p->s.k_step; k++) {
        const uint32_t to_b = k / per_dw * 4 * lanes + k % per_dw * elem_b(g);
        const xk_expr *const to = xk_lower_reg(l, g->packed, to_b);
        const xk_expr *const from = xk_lower_reg(
            l, g->staged, b * g->s->raw_b + k * 4 * lanes);
        const xk_expr *const args[2] = {to, from};
        xk_block_call(w, &f, args, 2);
    }
}
