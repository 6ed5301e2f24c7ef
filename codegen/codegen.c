/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of one translation, and the last of them: from the annotated list
 * to bytes. */
#include "codegen/codegen.h"

#include "base/budget.h"
#include "codegen/cg.h"
#include "codegen/order.h"
#include "codegen/sb.h"
#include "codegen/scoreboard.h"
#include "isa/workaround.h"

static enum xk_status check_platform(xk_ctx *c, const struct xk_platform *p,
                                     const struct xk_kernel *k,
                                     const struct xk_abi *abi)
{
    if (!p || p->id != XK_PLATFORM_XEHPG)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "codegen: platform %s is not "
                       "implemented",
                       p ? p->name : "(none)");
    if (k->simd != 8 && k->simd != 16)
        return xk_fail(c, XK_EUNSUPPORTED, "codegen: simd %u, need 8 or 16",
                       k->simd);
    if (abi->grf_count != 128 && abi->grf_count != 256)
        return xk_fail(c, XK_EINVAL, "codegen: %u registers, need 128 or 256",
                       abi->grf_count);
    if (abi->uses_local_ids)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "codegen: local ids are not implemented");
    if (!k->body)
        return xk_fail(c, XK_EINVAL, "codegen: kernel %s has no body", k->name);
    return xk_ctx_status(c);
}

/* Few kernels have fewer. */
#define FIRST_INSTS 1024

static enum xk_status generate_code(struct xk_cg *g)
{
    g->inst = xk_malloc(g->c, FIRST_INSTS * sizeof *g->inst);
    if (!g->inst)
        return XK_ENOMEM;
    g->cap_inst = FIRST_INSTS;
    if (!xk_grow(g->c, &g->loop, 0, &g->cap_loops, sizeof *g->loop))
        return XK_ENOMEM;
    g->loop[0] = (struct xk_cg_loop){0, 0, UINT32_MAX};
    g->n_loops = 1;
    XK_TRY(xk_cg_find_uses(g));
    XK_TRY(xk_cg_prologue(g));
    XK_TRY(xk_cg_stmt(g, g->k->body));
    xk_cg_epilogue(g);
    XK_TRY(xk_ctx_status(g->c));
    XK_TRY(xk_cg_sink(g));
    XK_TRY(xk_cg_guard_room(g));
    XK_TRY(xk_cg_allocate(g));
    for (uint32_t i = 0; i < g->n_inst; i++)
        if (g->inst[i].op == XK_OPC_JMPI)
            g->inst[i].jip_b = (int32_t)g->label[(uint32_t)g->inst[i].jip_b];
    return XK_OK;
}

/* What the validator says about a program: the first violations, and their
 * number. */
#define MAX_TOLD 4

struct verdict {
    const struct xk_cg *g;
    const struct xk_inst *list;
    unsigned n;
    struct xk_str text;
};

static void tell_violation(void *user, unsigned at,
                           const struct xk_isa_violation *v)
{
    struct verdict *const d = user;
    if (d->n++ >= MAX_TOLD)
        return;
    xk_str_printf(&d->text,
                  "%sinstruction %u breaks %s (%s): ", d->n > 1 ? "; " : "", at,
                  v->rule, v->why);
    xk_inst_print(d->g->p, &d->list[at], &d->text);
}

/* Refuses an illegal program, in debug builds and where the context asks for
 * it. */
static enum xk_status judge_list(struct xk_cg *g, const struct xk_inst *list,
                                 unsigned n)
{
    struct verdict d = {.g = g, .list = list};
#ifdef NDEBUG
    if (!g->c->verify)
        return XK_OK;
#endif
    xk_str_init(&d.text, &g->c->alloc);
    if (xk_program_validate(g->p, list, n, tell_violation, &d) > 0)
        xk_fail(g->c, XK_EINTERNAL, "codegen: %u violations: %s", d.n,
                xk_str_get(&d.text));
    xk_str_fini(&d.text);
    return d.n ? XK_EINTERNAL : XK_OK;
}

static enum xk_status write_inst(struct xk_cg *g, const struct xk_inst *i,
                                 uint32_t at, struct xk_str *code,
                                 struct xk_str *text)
{
    uint8_t bytes[XK_INST_B];
    struct xk_error err = {0};
    if (xk_inst_encode(g->p, i, bytes, &err) < 0)
        return xk_fail(g->c, err.status, "codegen: instruction %u: %s", at,
                       err.message);
    xk_str_write(code, bytes, sizeof bytes);
    if (text) {
        xk_inst_print(g->p, i, text);
        xk_str_putc(text, '\n');
    }
    return XK_OK;
}

static enum xk_status order(struct xk_cg *g, struct xk_sb_access *access,
                            struct xk_code_stats *s)
{
    struct xk_order_stats o;
    if (g->c->code_off & XK_CODE_ORDER)
        return XK_OK;
    XK_TRY(xk_order(g->c, g->p, g->inst, access, g->n_inst, &o));
    s->blocks = o.blocks;
    s->reordered = o.changed;
    s->source_cyc = o.before_cyc;
    s->order_cyc = o.after_cyc;
    return XK_OK;
}

/* The final list: ordered, with annotations and branches in bytes. */
static enum xk_status finish_list(struct xk_cg *g, struct xk_code_stats *s,
                                  struct xk_inst **list, unsigned *n)
{
    xk_scoreboard_chain(g->p, g->inst, g->n_inst);
    struct xk_sb_access *access =
        xk_sb_accesses(g->c, g->p, g->inst, g->n_inst);
    enum xk_status st = access ? order(g, access, s) : XK_ENOMEM;
    if (st == XK_OK)
        st = xk_cg_guard_dpas(g, &access);
    if (st == XK_OK)
        st = xk_sb_annotate(g->c, &g->device,
                            &(struct xk_sb_list){g->inst, access, g->n_inst},
                            list, n);
    xk_free(g->c, access);
    for (uint32_t i = 0; st == XK_OK && i < *n; i++)
        if ((*list)[i].op == XK_OPC_JMPI)
            (*list)[i].jip_b = ((*list)[i].jip_b - (int32_t)i) * XK_INST_B;
    return st;
}

static enum xk_status write_program(struct xk_cg *g, struct xk_str *code,
                                    struct xk_str *text,
                                    struct xk_code_stats *s)
{
    struct xk_inst *list = NULL;
    unsigned n = 0;
    enum xk_status st = finish_list(g, s, &list, &n);
    if (st == XK_OK)
        st = judge_list(g, list, n);
    for (uint32_t i = 0; i < n && st == XK_OK; i++) {
        s->syncs += list[i].op == XK_OPC_SYNC;
        st = write_inst(g, &list[i], i, code, text);
    }
    xk_free(g->c, list);
    s->instructions = n;
    if (st == XK_OK && (code->failed || (text && text->failed)))
        st = xk_fail(g->c, XK_ENOMEM, "codegen: out of memory");
    return st;
}

static void free_codegen(struct xk_cg *g)
{
    xk_free(g->c, g->inst);
    xk_free(g->c, g->tile);
    xk_free(g->c, g->loop);
    xk_free(g->c, g->label);
    xk_free(g->c, g->var);
    xk_free(g->c, g->memo);
    xk_free(g->c, g->range);
    xk_cg_map_fini(g->c, &g->var_at);
    xk_cg_map_fini(g->c, &g->memo_at);
    xk_cg_map_fini(g->c, &g->range_at);
    xk_cg_map_fini(g->c, &g->let_at);
    xk_free(g->c, g->scope);
    xk_cg_map_fini(g->c, &g->last_use);
    xk_cg_map_fini(g->c, &g->first_write);
}

enum xk_status xk_codegen(xk_ctx *c, const struct xk_platform *p,
                          const struct xk_kernel *k, const struct xk_abi *abi,
                          const struct xk_code_out *out)
{
    struct xk_cg g = {.c = c, .p = p, .k = k, .abi = abi};
    struct xk_code_stats s = {0};
    XK_TRY(check_platform(c, p, k, abi));
    g.device = abi->device;
    if (abi->device.platform == XK_PLATFORM_NONE)
        xk_product_find(p, "", &g.device);
    g.old_ports = xk_wa_always_applies(XK_WA_ugm_backup, &g.device);
    const xk_scope scope = xk_scope_begin(c);
    enum xk_status st = generate_code(&g);
    if (st == XK_OK)
        st = write_program(&g, out->code, out->text, &s);
    xk_scope_end(c, scope, NULL);
    /* What is not placed and ordered took two thirds. */
    xk_budget_spend(c, st == XK_OK ? g.n_inst : g.n_inst / 3 * 2);
    s.fma = g.n_fma;
    s.sends = g.n_sends;
    s.peak_grf = g.peak_grf;
    if (out->stats)
        *out->stats = s;
    free_codegen(&g);
    return st < 0 && xk_ctx_status(c) < 0 ? xk_ctx_status(c) : st;
}
