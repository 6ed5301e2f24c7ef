/* SPDX-License-Identifier: Apache-2.0 */
/* xekern/simulate.h's captures: a replay with a context of its own. */
#include <stdlib.h>
#include <string.h>

#include "sim/watch.h"
#include "vgpu/replay.h"

struct xk_capture {
    xk_ctx *c;
    xk_replay *replay;
    struct xk_capture_opts opts;
};

static struct xk_capture_launch launch_of(const struct xk_replay_launch *l)
{
    struct xk_capture_launch out = {.start_va = l->start_va,
                                    .threads_per_group = l->n_threads,
                                    .simd = l->simd,
                                    .stats = l->stats};
    memcpy(out.groups, l->groups, sizeof out.groups);
    memcpy(out.local, l->local, sizeof out.local);
    return out;
}

static void begins(void *user, const struct xk_replay_launch *l)
{
    const struct xk_capture *const c = user;
    const struct xk_capture_launch out = launch_of(l);
    if (c->opts.begins)
        c->opts.begins(c->opts.user, &out);
}

static void ended(void *user, const struct xk_replay_launch *l)
{
    const struct xk_capture *const c = user;
    const struct xk_capture_launch out = launch_of(l);
    if (c->opts.ended)
        c->opts.ended(c->opts.user, &out);
}

/* The context's error, if there is one; it sticks. */
static enum xk_status end_call(const xk_capture *c, struct xk_error *err)
{
    if (err && xk_ctx_status(c->c) != XK_OK)
        *err = c->c->error;
    return xk_ctx_status(c->c);
}

static enum xk_status make_replay(xk_capture *c)
{
    struct xk_replay_config config = {.n_host_threads = c->opts.n_threads,
                                      .max_memory_b = c->opts.max_memory_b,
                                      .look = c->opts.look,
                                      .begins = begins,
                                      .launched = ended,
                                      .user = c};
    const char *const name = c->opts.platform;
    config.platform = name ? xk_platform_find(name) : NULL;
    if (name && !config.platform)
        return xk_fail(c->c, XK_EINVAL,
                       "platform: '%.40s' is unknown (xehpg, xehpc)", name);
    XK_TRY(xk_sim_watch_check_opts(c->opts.look, &c->c->error));
    return xk_replay_create(c->c, &config, &c->replay);
}

enum xk_status xk_capture_create(const struct xk_capture_opts *o,
                                 xk_capture **out, struct xk_error *err)
{
    xk_capture *const c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c || !(c->c = xk_ctx_create(NULL))) {
        free(c);
        if (err)
            *err = (struct xk_error){XK_ENOMEM, "out of memory for a capture"};
        return XK_ENOMEM;
    }
    c->opts = *o;
    if (make_replay(c) == XK_OK) {
        *out = c;
        return XK_OK;
    }
    const enum xk_status s = end_call(c, err);
    xk_capture_destroy(c);
    return s;
}

void xk_capture_destroy(xk_capture *c)
{
    if (!c)
        return;
    xk_replay_destroy(c->replay);
    xk_ctx_destroy(c->c);
    free(c);
}

enum xk_status xk_capture_feed(xk_capture *c, const void *bytes, size_t n_b,
                               struct xk_error *err)
{
    xk_replay_feed(c->replay, bytes, n_b);
    return end_call(c, err);
}

enum xk_status xk_capture_end(xk_capture *c, struct xk_error *err)
{
    xk_replay_end(c->replay);
    return end_call(c, err);
}

const char *xk_capture_platform(const xk_capture *c)
{
    const struct xk_platform *const p = xk_replay_platform(c->replay);
    return p ? p->name : NULL;
}

/* A wrong address does not spoil the capture. */
enum xk_status xk_capture_read(const xk_capture *c, uint64_t va, void *dst,
                               uint64_t n_b, struct xk_error *err)
{
    const struct xk_error before = c->c->error;
    xk_ctx_clear(c->c);
    xk_replay_read(c->replay, va, dst, n_b);
    const enum xk_status s = end_call(c, err);
    c->c->error = before;
    return s;
}
