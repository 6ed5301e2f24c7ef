/* SPDX-License-Identifier: Apache-2.0 */
/* Removes barriers and fences that order nothing.
 *
 * A barrier orders what a thread accesses before its signal against what others
 * access after their wait. So a pair of signal and wait is redundant
 * - if there was no access since the last signal, or since the kernel began:
 *   the last barrier orders the same things, or there are none;
 * - if there is no access from its wait to the next one, or to the end: the
 *   next barrier orders the same things, or there are none.
 * The second is asked when what the first allows is gone: two barriers must
 * not each go because of the other. A fence is redundant
 * - if its space was not accessed since the last fence of the space;
 * - if it is for SLM and neither an access nor a signal follows: nobody else
 *   can tell. (What is in global memory is seen after the kernel.)
 * A fence that stays counts as an access in front of a signal: it makes the
 * later barrier say more than the earlier one.
 *
 * Only a signal and a wait that follow each other in one block are a pair; what
 * is split over stages or around a loop stays. A kernel in which threads of a
 * group may take different ways to a barrier (it stands under an IF, or in a
 * loop without constant bounds) keeps all its barriers.
 *
 * The statements become a list of events, in which loops, stages and branches
 * are BEGIN, body, MIDDLE, else part, END. May-facts are carried through it in
 * both directions, around loops until nothing changes. */
#include "passes/walk.h"

enum kind {
    NOTHING, /* a signal, wait or fence that was removed */
    SIGNAL,
    WAIT,
    FENCE_SLM,
    FENCE_GLOBAL,
    ACCESS_SLM,
    ACCESS_GLOBAL,
    BEGIN,
    BEGIN_LOOP,
    MIDDLE,
    END,
    N_KINDS
};

/* Facts, forwards and backwards. */
enum {
    DIRTY = 1,       /* access or fence since the last signal */
    SLM_OPEN = 2,    /* access to SLM since its last fence */
    GLOBAL_OPEN = 4, /* access to global memory since its last fence */
    USED = 1,        /* access until the next wait */
    TOLD = 2         /* access to SLM, or a signal, until the end */
};

static const struct effect {
    uint8_t sets, clears;
} forwards[N_KINDS] =
    {
        [SIGNAL] = {0, DIRTY},
        [FENCE_SLM] = {DIRTY, SLM_OPEN},
        [FENCE_GLOBAL] = {DIRTY, GLOBAL_OPEN},
        [ACCESS_SLM] = {DIRTY | SLM_OPEN, 0},
        [ACCESS_GLOBAL] = {DIRTY | GLOBAL_OPEN, 0},
},
  backwards[N_KINDS] = {
      [SIGNAL] = {TOLD, 0},
      [WAIT] = {0, USED},
      [ACCESS_SLM] = {USED | TOLD, 0},
      [ACCESS_GLOBAL] = {USED, 0},
};

struct event {
    uint8_t kind; /* enum kind */
    uint8_t seen; /* facts before it, in the direction of the walk */
    uint8_t kept; /* facts at the end of the body, or of the else part */
    uint32_t begin, middle, end; /* of the bracket, at each of its three */
    uint32_t wait;               /* SIGNAL: its wait, 0: not in one block */
};

struct pass {
    xk_ctx *c;
    struct event *ev;
    uint32_t n, cap;
    uint32_t open; /* signal of this block without a wait, plus 1 */
    uint32_t at;   /* next event, when the statements are rewritten */
    unsigned odd;  /* constructs around that threads may leave differently */
    bool has_odd_barrier, failed;
};

/* Collecting. */

static uint32_t add_event(struct pass *p, enum kind kind)
{
    if (p->failed || !xk_grow(p->c, &p->ev, p->n, &p->cap, sizeof(*p->ev))) {
        p->failed = true;
        return 0;
    }
    p->ev[p->n] = (struct event){.kind = (uint8_t)kind};
    return p->n++;
}

static bool is_access(const struct xk_func *f)
{
    return (f->kind == XK_FUNC_SEND || f->kind == XK_FUNC_SENDH) &&
           f->u.send.op != XK_SEND_PREFETCH;
}

static enum kind event_kind_of(const xk_stmt *s)
{
    if (xk_op(s) != XK_OP_CALL)
        return NOTHING;
    const struct xk_func *const f = xk_func_of(s);
    switch ((enum xk_func_kind)f->kind) {
    case XK_FUNC_BARRIER_SIGNAL:
        return SIGNAL;
    case XK_FUNC_BARRIER_WAIT:
        return WAIT;
    case XK_FUNC_FENCE:
        return f->u.space == XK_SPACE_SLM ? FENCE_SLM : FENCE_GLOBAL;
    default:
        if (!is_access(f))
            return NOTHING;
        return f->u.send.space == XK_SPACE_SLM ? ACCESS_SLM : ACCESS_GLOBAL;
    }
}

static bool has_event(const xk_stmt *s)
{
    return xk_has(s, XK_HAS_ACCESS | XK_HAS_SYNC);
}

static void collect_call(struct pass *p, enum kind kind)
{
    const uint32_t at = add_event(p, kind);
    if (kind == SIGNAL)
        p->open = at + 1;
    if (kind == WAIT && p->open) {
        p->ev[p->open - 1].wait = at;
        p->open = 0;
    }
    if (kind == SIGNAL || kind == WAIT)
        p->has_odd_barrier |= p->odd > 0;
}

static void collect_events(struct pass *p, const xk_stmt *s);

/* A body and what may run instead of it. */
static void collect_bracket(struct pass *p, bool loop, const xk_stmt *body,
                            const xk_stmt *other)
{
    const uint32_t outer = p->open,
                   begin = add_event(p, loop ? BEGIN_LOOP : BEGIN);
    const uint32_t first = p->n;
    p->open = 0;
    collect_events(p, body);
    const uint32_t middle = add_event(p, MIDDLE);
    p->open = 0;
    if (other)
        collect_events(p, other);
    const uint32_t end = add_event(p, END);
    if (p->failed)
        return;
    const uint32_t at[] = {begin, middle, end};
    for (unsigned i = 0; i < 3; i++) {
        p->ev[at[i]].begin = begin;
        p->ev[at[i]].middle = middle;
        p->ev[at[i]].end = end;
    }
    p->open = outer;
    for (uint32_t i = first; i < end; i++)
        if (p->ev[i].kind == SIGNAL || p->ev[i].kind == WAIT)
            p->open = 0;
}

static bool has_constant_bounds(const xk_stmt *s)
{
    return xk_op(s) == XK_OP_PIPE ||
           (xk_is_const(xk_kid(s, 1), NULL) && xk_is_const(xk_kid(s, 2), NULL));
}

static void collect_events(struct pass *p, const xk_stmt *s)
{
    const enum kind kind = event_kind_of(s);
    const unsigned n = xk_n_kids(s);
    bool odd;
    if (!has_event(s))
        return;
    switch (xk_op(s)) {
    case XK_OP_CALL:
        if (kind != NOTHING)
            collect_call(p, kind);
        return;
    case XK_OP_FOR:
    case XK_OP_PIPE:
        odd = !has_constant_bounds(s);
        p->odd += odd;
        collect_bracket(p, true, xk_kid(s, n - 1), NULL);
        p->odd -= odd;
        return;
    case XK_OP_STAGE:
        collect_bracket(p, false, xk_kid(s, 0), NULL);
        return;
    case XK_OP_IF:
        p->odd++;
        collect_bracket(p, false, xk_kid(s, 1), n > 2 ? xk_kid(s, 2) : NULL);
        p->odd--;
        return;
    default:
        for (unsigned i = 0; i < n && !p->failed; i++)
            if (!xk_is_expr(xk_kid(s, i)))
                collect_events(p, xk_kid(s, i));
    }
}

/* Facts. The bracket's first end in the direction of the walk keeps what holds
 * there, the other ends join it; a loop's first end also gets what holds at the
 * far end of the body. */

static bool carry(struct event *to, uint8_t facts)
{
    const bool more = facts & ~to->kept;
    to->kept |= facts;
    return more;
}

static bool step_forwards(struct pass *p, uint32_t i, uint8_t *s)
{
    struct event *const e = &p->ev[i], *const begin = &p->ev[e->begin];
    bool again = false;
    switch (e->kind) {
    case BEGIN:
    case BEGIN_LOOP:
        *s |= e->kept;
        e->seen = *s;
        break;
    case MIDDLE:
        e->kept = *s;
        if (begin->kind == BEGIN_LOOP)
            again = carry(begin, *s);
        *s = begin->seen;
        break;
    case END:
        *s |= p->ev[e->middle].kept;
        break;
    default:
        e->seen |= *s;
        *s = (uint8_t)((*s & ~forwards[e->kind].clears) |
                       forwards[e->kind].sets);
    }
    return again;
}

static bool step_backwards(struct pass *p, uint32_t i, uint8_t *s)
{
    struct event *const e = &p->ev[i], *const end = &p->ev[e->end];
    bool again = false;
    switch (e->kind) {
    case END:
        *s |= e->kept;
        e->seen = *s;
        break;
    case MIDDLE: /* the else part is done, the body follows */
        e->kept = *s;
        *s = end->seen;
        break;
    case BEGIN_LOOP:
        again = carry(end, *s);
        *s |= p->ev[e->middle].kept;
        break;
    case BEGIN:
        *s |= p->ev[e->middle].kept;
        break;
    default:
        e->seen |= *s;
        *s = (uint8_t)((*s & ~backwards[e->kind].clears) |
                       backwards[e->kind].sets);
    }
    return again;
}

static void find_facts(struct pass *p, bool back)
{
    bool again = true;
    for (uint32_t i = 0; i < p->n; i++)
        p->ev[i].seen = p->ev[i].kept = 0;
    while (again) {
        uint8_t s = 0;
        again = false;
        for (uint32_t k = 0; k < p->n; k++)
            again |= back ? step_backwards(p, p->n - 1 - k, &s)
                          : step_forwards(p, k, &s);
    }
}

/* Decisions. */

static bool remove_fences(struct pass *p, bool back)
{
    bool any = false;
    find_facts(p, back);
    for (uint32_t i = 0; i < p->n; i++) {
        struct event *const e = &p->ev[i];
        const bool slm = e->kind == FENCE_SLM;
        if (!slm && (back || e->kind != FENCE_GLOBAL))
            continue;
        if (e->seen & (back ? TOLD : slm ? SLM_OPEN : GLOBAL_OPEN))
            continue;
        e->kind = NOTHING;
        any = true;
    }
    return any;
}

static bool remove_pairs(struct pass *p, bool back)
{
    bool any = false;
    find_facts(p, back);
    for (uint32_t i = 0; i < p->n; i++) {
        struct event *const e = &p->ev[i];
        if (e->kind != SIGNAL || !e->wait)
            continue;
        if (back ? p->ev[e->wait].seen & USED : e->seen & DIRTY)
            continue;
        e->kind = p->ev[e->wait].kind = NOTHING;
        any = true;
    }
    return any;
}

static bool decide_events(struct pass *p)
{
    bool any = remove_fences(p, false);
    if (!p->has_odd_barrier) {
        any |= remove_pairs(p, false);
        any |= remove_pairs(p, true);
    }
    any |= remove_fences(p, true);
    return any;
}

/* Rewriting: calls in the order in which they were collected. */

static const xk_expr *drop_removed(void *user, const xk_expr *s)
{
    struct pass *const p = user;
    if (!has_event(s))
        return s;
    if (xk_op(s) != XK_OP_CALL)
        return xk_pass_map_kids(p->c, s, drop_removed, p);
    if (event_kind_of(s) == NOTHING)
        return s;
    while (p->ev[p->at].kind >= BEGIN)
        p->at++;
    return p->ev[p->at++].kind == NOTHING ? xk_seq(p->c, NULL, 0) : s;
}

enum xk_status xk_pass_barrier(xk_ctx *c, struct xk_kernel *k,
                               const struct xk_pass_env *env)
{
    struct pass p = {.c = c};
    const xk_stmt *body = k->body;
    (void)env;
    if (!xk_has(k->body, XK_HAS_SYNC))
        return XK_OK;
    collect_events(&p, k->body);
    if (!p.failed && decide_events(&p))
        body = drop_removed(&p, body);
    xk_free(c, p.ev);
    return xk_pass_end(c, k, p.failed ? NULL : body);
}
