/* SPDX-License-Identifier: Apache-2.0 */
/* SLM of a kernel: buffers that are in force at different times share it. */
#include "passes/walk.h"

#define MAX_SLM 64 /* buffers, one inside the other */

struct slm {
    uint32_t now_b, most_b;
    uint32_t outer_b[MAX_SLM]; /* of each buffer in force: in front of it */
    unsigned n;
};

uint32_t xk_slm_place(uint32_t outer_b, struct xk_alloc_info info)
{
    const uint32_t line_b = 64;
    const uint32_t align = info.align_b > line_b ? info.align_b : line_b;
    return (outer_b + align - 1) / align * align;
}

static bool is_slm(const xk_expr *s)
{
    return xk_op(s) == XK_OP_ALLOC &&
           xk_type_of(xk_kid(s, 0)).space == XK_SPACE_SLM;
}

static bool enter_slm(const xk_expr *s, void *user)
{
    struct slm *const x = user;
    if (xk_is_expr(s))
        return false;
    if (is_slm(s) && x->n < MAX_SLM) {
        const struct xk_alloc_info info = xk_alloc_info_of(s);
        x->outer_b[x->n] = x->now_b;
        x->now_b = xk_slm_place(x->now_b, info) + info.size_b;
        if (x->now_b > x->most_b)
            x->most_b = x->now_b;
    }
    x->n += is_slm(s);
    return true;
}

static void leave_slm(const xk_expr *s, void *user)
{
    struct slm *const x = user;
    if (xk_is_expr(s) || !is_slm(s))
        return;
    x->n--;
    if (x->n < MAX_SLM)
        x->now_b = x->outer_b[x->n];
}

uint32_t xk_slm_size(const struct xk_kernel *k)
{
    struct slm x = {0};
    xk_visit(k->body, enter_slm, leave_slm, &x);
    return x.most_b;
}
