/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptor strings, and the query: no IR, no code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/conv.h"
#include "conv/tensors.h"
#include "gen/gen.h"
#include "plan/plan.h"

/* XK_SCHEDULE: the first candidate with what the text says instead, alone; in
 * 256 registers if it needs them and the text lets it. */
static enum xk_status override(xk_ctx *c, const char *text,
                               const struct xk_shape *s, struct xk_problem *p)
{
    struct xk_schedule *const x = &p->candidate[0];
    struct xk_schedule large = *x;
    large.grf_count = 256;
    XK_TRY(xk_schedule_parse(c, text, x));
    XK_TRY(xk_schedule_parse(c, text, &large));
    const struct xk_schedule_rule *const broken =
        xk_schedule_check(p->platform, s, x);
    if (broken && xk_schedule_check(p->platform, s, &large))
        return xk_fail(c, XK_EINVAL,
                       "schedule: breaks the rule %s: %s; given '%s'",
                       broken->name, broken->why, text);
    if (broken)
        *x = large;
    x->score = xk_schedule_score(p->platform, s, x);
    p->n_candidates = 1;
    return XK_OK;
}

enum xk_status xk_problem_make(xk_ctx *c, const struct xk_conv_desc *d,
                               struct xk_problem *out)
{
    struct xk_contraction con;
    struct xk_any_tags any;
    memset(out, 0, sizeof(*out));
    XK_TRY(xk_conv_check(c, d, &out->desc));
    /* xk_conv_check admits only platforms that have a row. */
    out->platform = xk_platform_get((enum xk_platform_id)out->desc.platform);
    XK_TRY(xk_conv_contraction(c, &out->desc, NULL, &con));
    const struct xk_shape s = xk_shape_of(&con);
    const struct xk_schedule_rule *broken = NULL;
    out->n_candidates =
        xk_schedule_candidates(out->platform, &s, out->candidate, &broken);
    if (!out->n_candidates)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "schedule: no candidate is valid; the best one breaks "
                       "the rule %s: %s",
                       broken ? broken->name : "", broken ? broken->why : "");
    const char *const text = secure_getenv("XK_SCHEDULE");
    if (text && *text)
        XK_TRY(override(c, text, &s, out));
    xk_plan_any_tags(&out->candidate[0], &s, xk_conv_is_3d(&out->desc) ? 3 : 2,
                     &any);
    const char *const best[3] = {any.src, any.wei, any.dst};
    const char *const plain[3] = {any.plain, any.wei, any.plain};
    out->info.size = sizeof(out->info);
    const enum xk_status status =
        xk_conv_tensors(c, &out->desc, best, &out->info);
    if (status != XK_EUNSUPPORTED ||
        (strcmp(any.src, any.plain) == 0 && strcmp(any.dst, any.plain) == 0))
        return status;
    /* The padding of blocks made a tensor too large: plain ones may fit. */
    xk_ctx_clear(c);
    return xk_conv_tensors(c, &out->desc, plain, &out->info);
}

enum xk_status xk_problem_use_addresses(xk_ctx *c, struct xk_problem *p)
{
    struct xk_contraction con;
    XK_TRY(xk_conv_contraction(c, &p->desc, NULL, &con));
    const struct xk_shape s = xk_shape_of(&con);
    const struct xk_schedule_rule *broken = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < p->n_candidates; i++) {
        struct xk_schedule x = p->candidate[i];
        x.surfaces = false;
        broken = xk_schedule_check(p->platform, &s, &x);
        if (!broken)
            p->candidate[n++] = x;
    }
    p->n_candidates = n;
    if (!n)
        return xk_fail(c, XK_EINVAL,
                       "schedule: with XK_CREATE_A64 it breaks the rule %s: %s",
                       broken ? broken->name : "", broken ? broken->why : "");
    return XK_OK;
}

/* Copies the context's error out and destroys it. */
static enum xk_status finish(xk_ctx *c, struct xk_error *err)
{
    const enum xk_status status = xk_ctx_status(c);
    if (err)
        *err = c->error;
    xk_ctx_destroy(c);
    return status;
}

static enum xk_status no_memory(struct xk_error *err)
{
    if (err) {
        err->status = XK_ENOMEM;
        snprintf(err->message, sizeof(err->message), "out of memory");
    }
    return XK_ENOMEM;
}

enum xk_status xk_conv_query(const struct xk_conv_desc *d,
                             struct xk_conv_info *info, struct xk_error *err)
{
    struct xk_problem p;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (!c)
        return no_memory(err);
    if (!info || info->size < sizeof(info->size))
        xk_fail(c, XK_EINVAL, "info: NULL, or its size is not set");
    else if (xk_problem_make(c, d, &p) == XK_OK) {
        const uint32_t size = info->size;
        memset(info, 0, size);
        memcpy(info, &p.info, size < sizeof(p.info) ? size : sizeof(p.info));
        info->size = size;
    }
    return finish(c, err);
}

enum xk_status xk_conv_desc_parse(const char *text, struct xk_conv_desc *d,
                                  char *name, size_t name_size,
                                  struct xk_error *err)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    if (!c)
        return no_memory(err);
    if (!text || !d)
        xk_fail(c, XK_EINVAL, "%s is NULL", text ? "descriptor" : "text");
    else
        xk_conv_parse(c, text, d, name, name_size);
    return finish(c, err);
}

size_t xk_conv_desc_print(const struct xk_conv_desc *d, char *out,
                          size_t out_size)
{
    struct xk_str s;
    xk_str_init(&s, NULL);
    xk_conv_print(d, &s);
    if (out_size)
        snprintf(out, out_size, "%s", xk_str_get(&s));
    const size_t n = s.len;
    xk_str_fini(&s);
    return n;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
const char *xk_version(void)
{
    return TEXT(XK_VERSION);
}
