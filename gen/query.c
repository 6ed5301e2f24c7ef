/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptor strings, and the query: no IR, no code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/conv.h"
#include "conv/tensors.h"
#include "gen/gen.h"
#include "plan/plan.h"

#define MOST_PIXELS (1 << 24) /* no footprint is that large */

/* Whether channels are not in blocks: a tag ends with its innermost one, "16b".
 */
static bool is_plain(const char *tag)
{
    const size_t n = tag ? strlen(tag) : 0;
    return n > 1 && !xk_conv_tag_is_any(tag) &&
           !(tag[n - 1] == 'b' && tag[n - 2] >= '0' && tag[n - 2] <= '9');
}

static bool has_no_blocks(const char *tag)
{
    return !xk_conv_tag_is_any(tag) && !strpbrk(tag, "0123456789");
}

/* "nhwc", or letters in the order of dims, where b is channels. */
static bool ends_with_channels(const char *tag)
{
    return tag[strlen(tag) - 1] == (strchr(tag, 'n') ? 'c' : 'b');
}

static int64_t at_most(int64_t v, int64_t most)
{
    return v < most ? v : most;
}

/* Pixels of the padded image: for 1024 outputs, and from a first filter tap to
 * the last (views/halo.h has them exactly). */
static void set_pixels(const struct xk_conv_desc *d, struct xk_shape *s)
{
    s->reach = 0;
    s->pixels_1k = 1024;
    for (unsigned i = 0; i < 3; i++) {
        const struct xk_conv_axis x = xk_conv_axis(d, i);
        const int64_t step = x.taps > 1 ? x.step : 1;
        const int64_t far = (x.taps - 1) * x.apart;
        const int64_t extent = (x.places - 1) * step + far + 1;
        s->reach = at_most(s->reach * extent + far, MOST_PIXELS);
        s->pixels_1k = at_most(s->pixels_1k * extent / x.places, MOST_PIXELS);
    }
}

/* What neighbouring pixels of an image's row share. */
static void set_window(const struct xk_conv_desc *d, struct xk_shape *s)
{
    const struct xk_conv_axis x = xk_conv_axis(d, 2);
    if (!s->eights || !xk_conv_taps_slide(d))
        return;
    s->window.rows = xk_conv_image_block(d);
    s->window.places = x.places;
    s->window.taps = x.taps;
}

/* Whether eight rows of M share a pixel, and whether they are neighbours in
 * src: its images lie inside the pixels, or may, for systolic types. The tag
 * has been checked. */
static void set_rows(xk_ctx *c, const struct xk_conv_desc *d,
                     struct xk_shape *s)
{
    const struct xk_conv_edge e = xk_conv_edge(d);
    struct xk_layout l;
    const bool any = xk_conv_tag_is_any(d->src_tag);
    if (!any && xk_conv_layout(c, d, XK_ARG_SRC, d->src_tag, &l) != XK_OK)
        return;
    const bool by_images =
        any ? d->mb % 8 == 0 && s->elem_b < 4 : xk_conv_rows_by_images(d, &l);
    s->eights = by_images && d->mb % 8 == 0;
    s->sixteens = s->eights && d->mb % 16 == 0;
    s->images = s->eights && (any || xk_conv_images_inside(&l));
    if ((by_images || d->mb == 1) && e.beside) {
        s->edge_rows = s->m / e.places;
        s->edge_1k = 1024 * e.beside / (e.places * e.taps);
    }
    set_window(d, s);
    if (by_images)
        s->reach = at_most(s->reach * d->mb, MOST_PIXELS);
    if (s->images) /* neighbours along M are those of a pixel */
        s->stride = 1;
}

/* Taps of a line go inside K with few channels where those are innermost in
 * src, and padded for that in wei, or may be. */
static void set_taps(xk_ctx *c, const struct xk_conv_desc *d,
                     struct xk_shape *s)
{
    const bool any_src = xk_conv_tag_is_any(d->src_tag);
    const bool any_wei = xk_conv_tag_is_any(d->wei_tag);
    struct xk_layout src, wei;
    if (s->k_inner > XK_PACK_FEW || s->elem_b > 2 || d->kw < 2 || s->loose_a ||
        (!any_src &&
         xk_conv_layout(c, d, XK_ARG_SRC, d->src_tag, &src) != XK_OK) ||
        (!any_wei &&
         xk_conv_layout(c, d, XK_ARG_WEI, d->wei_tag, &wei) != XK_OK))
        return;
    s->used_e = any_src ? XK_PACK_FEW : src.padded[1];
    if (s->used_e <= XK_PACK_FEW &&
        (any_wei || xk_conv_taps_inside(&wei, 8 / s->elem_b)))
        s->line_taps = d->kw;
}

/* Whether weights are any, or dwords of two steps, eight rows of each side by
 * side. */
static bool may_have_lines(const char *tag)
{
    return xk_conv_tag_is_any(tag) || strstr(tag, "16b8a");
}

/* Extents without building the contraction. */
static struct xk_shape shape_of(xk_ctx *c, const struct xk_conv_desc *d)
{
    struct xk_shape s = {.m = d->mb * d->od * d->oh * d->ow,
                         .n = d->oc,
                         .k_inner = d->ic,
                         .k_outer = d->kd * d->kh * d->kw,
                         .elem_b = xk_dtype_b(xk_conv_dtype(d->src_type)),
                         .plain_a = is_plain(d->src_tag),
                         .plain_b = has_no_blocks(d->wei_tag),
                         .lines_b = may_have_lines(d->wei_tag),
                         .stride = d->sw};
    s.loose_a = s.plain_a && d->ic > 1 && !ends_with_channels(d->src_tag);
    set_pixels(d, &s);
    set_rows(c, d, &s);
    set_taps(c, d, &s);
    return s;
}

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
    struct xk_any_tags any;
    memset(out, 0, sizeof(*out));
    XK_TRY(xk_conv_check(c, d, &out->desc));
    /* xk_conv_check admits only platforms that have a row. */
    out->platform = xk_platform_get((enum xk_platform_id)out->desc.platform);
    const struct xk_shape s = shape_of(c, &out->desc);
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
    const struct xk_shape s = shape_of(c, &p->desc);
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
