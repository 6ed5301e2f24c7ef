/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, and what the header pass puts in front of a loop. */
#include "passes/header.h"

/* Addresses. */

/* Where the buffer begins in the group's SLM: behind those that are in force
 * around it, so that buffers that are not at the same time share memory. */
static const xk_expr *slm_origin(struct xk_hd_pass *p,
                                 const struct xk_hd_message *m)
{
    const void *at;
    if (xk_memo_get(&p->slm, xk_serial(m->mem), &at))
        return at;
    xk_fail(p->c, XK_EINVAL, "header: buffer %s is not allocated in SLM",
            xk_var_name(m->mem));
    return NULL;
}

/* What offsets are added to: the pointer, or where it is in its surface. */
const xk_expr *xk_hd_origin(struct xk_hd_pass *p, const struct xk_hd_message *m)
{
    if (m->send->space == XK_SPACE_SLM)
        return slm_origin(p, m);
    if (m->send->addr != XK_SEND_SURFACE)
        return xk_cast(p->c, m->dt, m->mem);
    for (unsigned i = 0; i + 1 < p->k->n_params; i++)
        if (p->k->params[i].var == m->mem &&
            p->k->params[i + 1].kind == XK_PARAM_SURFACE)
            return p->k->params[i + 1].var;
    xk_fail(p->c, XK_EINVAL,
            "header: a message through a surface, of which "
            "no parameter says where the buffer begins");
    return NULL;
}

/* start + cast(part), where start is a scalar or has the message's lanes. */
const xk_expr *xk_hd_advance(xk_ctx *c, enum xk_dtype dt, const xk_expr *start,
                             const struct xk_hd_part *part)
{
    const xk_expr *off = part->scalar;
    if (part->vec)
        off = off ? xk_add(c, part->vec, off) : part->vec;
    return xk_add(c, start, xk_cast(c, dt, off));
}

const xk_expr *xk_hd_to_lanes(xk_ctx *c, const xk_expr *e, unsigned lanes)
{
    return e && xk_type_of(e).lanes != lanes ? xk_bcast(c, e, lanes) : e;
}

/* Whether the first lane's offset moves in the innermost loop, and what the
 * others add to it does not. */
static bool first_lane_moves(struct xk_hd_pass *p,
                             const struct xk_hd_message *m)
{
    return p->loop && m->dt == XK_DT_U32 && xk_op(m->off) == XK_OP_RAMP &&
           xk_levels_of(&p->levels, xk_kid(m->off, 0)) == p->loop->level &&
           xk_levels_of(&p->levels, xk_kid(m->off, 1)) < p->loop->level;
}

const xk_expr *xk_hd_whole_address(struct xk_hd_pass *p,
                                   const struct xk_hd_message *m)
{
    const bool uniform = xk_op(m->off) == XK_OP_BCAST;
    const bool apart = first_lane_moves(p, m);
    const struct xk_hd_part part = {uniform || apart ? NULL : m->off,
                                    uniform || apart ? xk_kid(m->off, 0)
                                                     : NULL};
    const xk_expr *const at = xk_hd_to_lanes(
        p->c, xk_hd_advance(p->c, m->dt, xk_hd_origin(p, m), &part), m->lanes);
    if (!apart)
        return at;
    const xk_expr *const zero =
        xk_imm(p->c, (enum xk_dtype)xk_type_of(xk_kid(m->off, 0)).dt, 0);
    const xk_expr *const lane_b =
        xk_ramp(p->c, zero, xk_kid(m->off, 1), m->lanes);
    return xk_add(p->c, xk_cast(p->c, m->dt, lane_b), at);
}

/* Placing things before the loop. */

struct xk_hd_item *xk_hd_push_item(struct xk_hd_pass *p, enum xk_op op,
                                   const xk_expr *var, const xk_expr *value)
{
    struct xk_hd_item *const it = xk_arena_alloc(&p->arena, sizeof(*it));
    if (!it)
        return NULL;
    it->op = op;
    it->var = var;
    it->value = value;
    *p->loop->tail = it;
    p->loop->tail = &it->next;
    return it;
}

void xk_hd_push_alloc(struct xk_hd_pass *p, const xk_expr *var, unsigned size_b)
{
    struct xk_hd_item *const it = xk_hd_push_item(p, XK_OP_ALLOC, var, NULL);
    if (it)
        it->size_b = size_b;
}

struct xk_alloc_info xk_hd_registers(const struct xk_hd_pass *p, unsigned n_b)
{
    const unsigned grf_b = p->env->platform->grf_b;
    const struct xk_alloc_info info = {.size_b =
                                           (n_b + grf_b - 1) / grf_b * grf_b,
                                       .align_b = (uint16_t)grf_b};
    return info;
}

struct xk_alloc_info xk_hd_header_info(const struct xk_hd_pass *p,
                                       const struct xk_hd_message *m)
{
    return xk_hd_registers(p, m->lanes * xk_dtype_b(m->dt));
}

static const xk_stmt *place_item(struct xk_hd_pass *p,
                                 const struct xk_hd_item *it,
                                 const xk_stmt *rest)
{
    const xk_stmt *two[2];
    switch (it->op) {
    case XK_OP_LET:
        return xk_let(p->c, it->var, it->value, rest);
    case XK_OP_ALLOC:
        return xk_alloc_stmt(p->c, it->var, xk_hd_registers(p, it->size_b),
                             rest);
    default:
        two[0] = xk_store(p->c, it->var, it->value);
        two[1] = rest;
        return two[0] && rest ? xk_seq(p->c, two, 2) : NULL;
    }
}

const xk_stmt *xk_hd_place_items(struct xk_hd_pass *p,
                                 const struct xk_hd_item *it,
                                 const xk_stmt *loop)
{
    if (!it)
        return loop;
    return place_item(p, it, xk_hd_place_items(p, it->next, loop));
}

/* Messages. */

const xk_expr *xk_hd_header_ptr(xk_ctx *c, const xk_expr *header)
{
    return xk_ptr(c, header, xk_s32(c, 0));
}

/* With the header at a place in registers. */
const xk_stmt *xk_hd_send_at(struct xk_hd_pass *p,
                             const struct xk_hd_message *m,
                             const xk_expr *place)
{
    const struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = *m->send};
    const xk_expr *const args[] = {place, m->reg, m->mask};
    return args[0] ? xk_call(p->c, &f, args, 3) : NULL;
}

const xk_stmt *xk_hd_send_with(struct xk_hd_pass *p,
                               const struct xk_hd_message *m,
                               const xk_expr *header)
{
    return xk_hd_send_at(p, m, xk_hd_header_ptr(p->c, header));
}
