/* SPDX-License-Identifier: Apache-2.0 */
/* The pending table of one thread. A quick look at each place that an
 * instruction touches says whether anything could be in flight there. Only then
 * are elements compared and rules asked. */
#include "sim/hazard/hazard_check.h"

#include <string.h>

#define NEVER 0x7fffffff
#define MOST_ISSUED 0x40000000
#define FIRST_EXTRA 32u
#define NO_INST UINT32_MAX

/* An instruction that arrives. */
struct arrival {
    const struct xk_hz_table *t;
    struct xk_hz_thread *th;
    const struct xk_hz_inst *e;
    uint32_t at, mask;
    const uint8_t *a0;
    struct xk_hz_range *range; /* of dynamic operands: dst, src0..2 */
};

#define ALWAYS static inline __attribute__((always_inline))

void xk_hz_thread_begin(struct xk_hz_thread *th, uint32_t start, bool strict)
{
    for (unsigned k = 0; k < XK_HZ_SLOTS; k++)
        th->slot[k].inst = NO_INST;
    th->next = start;
    th->strict = strict;
}

static bool any(xk_hz_pipes v)
{
    const union {
        xk_hz_pipes v;
        uint64_t half[2];
    } u = {v};
    return u.half[0] | u.half[1];
}

/* The dynamic access as it is now; false: none. */
static bool resolve_dynamic(struct arrival *v, const struct xk_hz_access *a,
                            struct xk_hz_access *out)
{
    struct xk_hz_range *const r = &v->range[a->operand + 1];
    const bool is_send = v->e->unit == XK_HZ_SEND;
    if (v->a0)
        xk_hz_range_now(v->t, v->e, a, v->mask, v->a0, r);
    else if (is_send || v->th->strict)
        *r = (struct xk_hz_range){a->first, a->end};
    *out = *a;
    out->first = r->first;
    out->end = r->end;
    if (r->first >= r->end)
        return false;
    out->place = (uint16_t)(r->first / v->t->grf_b);
    out->n_places = (uint16_t)((r->end - 1) / v->t->grf_b - out->place + 1);
    return true;
}

/* ---- the rules, once two accesses meet ---- */

static bool lanes_reach(const struct arrival *v, uint32_t first, bool reads)
{
    struct xk_hz_thread *const th = v->th;
    const unsigned k = (first * 31 + v->at * 2 + reads) % XK_HZ_MEMO;
    if (th->memo[k].known != 1 + reads || th->memo[k].first != first ||
        th->memo[k].second != v->at) {
        th->memo[k].first = first;
        th->memo[k].second = v->at;
        th->memo[k].known = (uint8_t)(1 + reads);
        th->memo[k].reaches = xk_hz_lane_reaches(v->t, first, v->at, reads);
    }
    return th->memo[k].reaches;
}

/* Dependencies that the vendor's compiler takes for granted. */
static bool is_granted(const struct arrival *v, enum xk_hz_kind kind,
                       const struct xk_hz_access *a, uint32_t first,
                       uint64_t slot)
{
    const struct xk_hz_inst *const f = &v->t->inst[first];
    const bool both_late =
        f->unit != XK_HZ_IN_ORDER && v->e->unit != XK_HZ_IN_ORDER;
    if (kind != XK_HZ_RAW && a->file == XK_HZ_ACC && f->is_macro &&
        v->e->is_macro)
        return true;
    if (f->half_known || v->e->half_known)
        return true;
    if (both_late && kind == XK_HZ_WAR && f->function == v->e->function)
        return true;
    if (v->e->unit == XK_HZ_DPAS && (slot & v->th->chain))
        return true;
    return !lanes_reach(v, first, kind == XK_HZ_WAR);
}

/* Compares with what is in flight; slot: 0 in order; distance: 0 out of it. */
static void compare_flight(const struct arrival *v, enum xk_hz_kind kind,
                           const struct xk_hz_access *a,
                           const struct xk_hz_flight *flight, uint64_t slot,
                           unsigned distance)
{
    const struct xk_hz_inst *const f = &v->t->inst[flight->inst];
    const bool reads = kind == XK_HZ_WAR;
    const struct xk_hz_access *o =
        &v->t->access[f->access + (reads ? 0 : f->n_rd)];
    bool meets = reads && a->file == XK_HZ_STATE && f->touches_state;
    uint32_t begin = a->first, end = a->end;
    for (unsigned n = reads ? f->n_rd : f->n_wr; n && !meets; n--, o++) {
        struct xk_hz_access now = *o;
        if (o->file != a->file)
            continue;
        if (o->dynamic) {
            now.first = flight->at[o->operand + 1].first;
            now.end = flight->at[o->operand + 1].end;
        }
        meets = now.first < now.end && xk_hz_meet(&now, a);
        begin = now.first > a->first ? now.first : a->first;
        end = now.end < a->end ? now.end : a->end;
    }
    if (!meets ||
        (!v->th->strict && is_granted(v, kind, a, flight->inst, slot)))
        return;
    const struct xk_hz_finding found = {.kind = kind,
                                        .first = flight->inst,
                                        .second = v->at,
                                        .begin = begin,
                                        .end = end,
                                        .distance = distance};
    v->th->report(v->th->user, &found);
}

static void compare_flights(const struct arrival *v, enum xk_hz_kind kind,
                            const struct xk_hz_access *a, xk_hz_pipes done,
                            uint64_t slots)
{
    struct xk_hz_thread *const th = v->th;
    for (unsigned p = 0; p < XK_HZ_PIPES; p++) {
        for (int32_t n = th->issued[p]; n > done[p]; n--)
            compare_flight(v, kind, a, &th->ring[p][(uint32_t)n % XK_HZ_RING],
                           0, (unsigned)(th->issued[p] + 1 - n));
    }
    for (; slots; slots &= slots - 1)
        compare_flight(v, kind, a, &th->slot[__builtin_ctzll(slots)],
                       slots & (0 - slots), 0);
}

/* ---- the quick look ---- */

/* Flags, accumulators and a0 that in-order instructions wrote have
 * interlocks. */
static bool interlocks(const struct arrival *v, unsigned file)
{
    return (v->t->one_pipe || !v->th->strict) && file != XK_HZ_GRF &&
           file != XK_HZ_STATE;
}

ALWAYS void look_at_read(const struct arrival *v, const struct xk_hz_access *a)
{
    const struct xk_hz_thread *const th = v->th;
    const struct xk_hz_place *p = &th->place[a->place];
    xk_hz_pipes late = {0};
    uint64_t slots = 0;
    for (unsigned n = a->n_places; n; n--, p++) {
        late |= p->w > th->done;
        slots |= p->ow;
    }
    slots &= th->live_w;
    if (interlocks(v, a->file))
        late = (xk_hz_pipes){0};
    if (any(late) || slots)
        compare_flights(v, XK_HZ_RAW, a, any(late) ? th->done : th->issued,
                        slots);
}

/* A pipe executes its own earlier instructions first anyway. Returns the number
 * to compare with. */
static xk_hz_pipes but_own(const struct arrival *v)
{
    static const xk_hz_pipes never[XK_HZ_PIPES + 1] = {
        {NEVER, 0, 0, 0}, {0, NEVER, 0, 0}, {0, 0, NEVER, 0}, {0, 0, 0, NEVER}};
    const unsigned own =
        v->e->unit == XK_HZ_IN_ORDER ? v->e->pipe : XK_HZ_PIPES;
    return v->th->done | never[own];
}

ALWAYS void look_at_write(const struct arrival *v, const struct xk_hz_access *a)
{
    const struct xk_hz_thread *const th = v->th;
    const struct xk_hz_place *p = &th->place[a->place];
    const xk_hz_pipes read = but_own(v);
    /* only general registers are merged: flags of the same pipe come in order
     */
    const bool in_turn =
        a->file == XK_HZ_FLAG && !v->t->flags_overtake && !th->strict;
    const bool merges = a->file == XK_HZ_GRF && v->e->writes_bytes &&
                        (th->strict || !v->e->byte_float);
    const xk_hz_pipes written = merges ? th->done : read;
    xk_hz_pipes late_w = {0}, late_r = {0};
    uint64_t slots_w = 0, slots_r = 0;
    for (unsigned n = a->n_places; n; n--, p++) {
        late_w |= p->w > written;
        late_r |= p->r > read;
        slots_w |= p->ow;
        slots_r |= p->or_;
    }
    slots_w &= th->live_w;
    slots_r &= th->live_r;
    if (in_turn)
        late_w = late_r = (xk_hz_pipes){0};
    if (any(late_w) || slots_w)
        compare_flights(v, XK_HZ_WAW, a, written, slots_w);
    if (any(late_r) && (a->file != XK_HZ_A0 || th->strict))
        compare_flights(v, XK_HZ_WAR, a, read, slots_r);
    else if (slots_r)
        compare_flights(v, XK_HZ_WAR, a, th->issued, slots_r);
}

static void look(struct arrival *v)
{
    const struct xk_hz_access *a = &v->t->access[v->e->access], *what;
    struct xk_hz_access now;
    if (v->e->touches_state && v->th->wrote_state)
        look_at_read(v, &v->t->state);
    for (unsigned k = v->e->n_rd; k; k--, a++) {
        what = a->dynamic ? &now : a;
        if (!a->dynamic || resolve_dynamic(v, a, &now))
            look_at_read(v, what);
    }
    for (unsigned k = v->e->n_wr; k; k--, a++) {
        what = a->dynamic ? &now : a;
        if (!a->dynamic || resolve_dynamic(v, a, &now))
            look_at_write(v, what);
    }
}

/* A store or fence must not overtake a load from shared local memory. */
static void look_at_slm(const struct arrival *v)
{
    struct xk_hz_thread *const th = v->th;
    uint64_t slots = th->slm_loads & th->live_w;
    for (; slots; slots &= slots - 1) {
        const struct xk_hz_finding found = {
            .kind = XK_HZ_SLM,
            .first = th->slot[__builtin_ctzll(slots)].inst,
            .second = v->at};
        if (th->strict || !v->t->inst[found.first].slm_unused)
            th->report(th->user, &found);
    }
}

/* ---- waits ---- */

static void wait_distance(struct xk_hz_thread *th, const struct xk_hz_inst *e)
{
    for (unsigned p = 0; p < XK_HZ_PIPES; p++) {
        const int32_t done = th->issued[p] + 1 - e->dist;
        if (e->dist_pipes >> p & 1 && done > th->done[p])
            th->done[p] = done;
    }
}

static void wait_tokens(struct xk_hz_thread *th, const struct xk_hz_inst *e)
{
    for (uint32_t m = e->wait_dst; m; m &= m - 1) {
        uint64_t *const slots = &th->of_token[__builtin_ctz(m)];
        th->live_w &= ~*slots;
        th->live_r &= ~*slots;
        *slots = 0;
    }
    for (uint32_t m = e->wait_src; m; m &= m - 1)
        th->live_r &= ~th->of_token[__builtin_ctz(m)];
}

/* Setting a token waits for its last user, except for those of the chain that
 * this instruction ends. */
static void wait_set(struct xk_hz_thread *th, const struct xk_hz_inst *e)
{
    const uint64_t slots = th->of_token[e->set] & ~th->chain;
    th->live_w &= ~slots;
    th->live_r &= ~slots;
    th->of_token[e->set] &= ~slots;
}

/* Distances count along the layout: a jump takes longer than a pipe. */
static void note_jump(struct arrival *v)
{
    struct xk_hz_thread *const th = v->th;
    const bool again = v->e->is_sync && v->at + 1 == th->next;
    if (v->at != th->next && !again && !th->strict)
        th->done = th->issued;
}

/* ---- issue ---- */

/* The places of an access now. */
ALWAYS struct xk_hz_place *places(const struct arrival *v,
                                  const struct xk_hz_access *a, unsigned *n)
{
    *n = a->n_places;
    if (!a->dynamic)
        return &v->th->place[a->place];
    const struct xk_hz_range *const r = &v->range[a->operand + 1];
    const uint32_t from = r->first / v->t->grf_b;
    *n = r->first < r->end ? (r->end - 1) / v->t->grf_b - from + 1 : 0;
    return &v->th->place[from];
}

static void mark_in_order(const struct arrival *v, unsigned pipe,
                          int32_t number)
{
    const struct xk_hz_access *a = &v->t->access[v->e->access];
    unsigned n;
    for (unsigned k = v->e->n_rd; k; k--, a++)
        for (struct xk_hz_place *p = places(v, a, &n); n; n--, p++)
            p->r[pipe] = number;
    for (unsigned k = v->e->n_wr; k; k--, a++) {
        v->th->wrote_state |= a->file == XK_HZ_STATE;
        for (struct xk_hz_place *p = places(v, a, &n); n; n--, p++)
            p->w[pipe] = number;
    }
}

/* Instructions that complete out of order take flags, addresses and modes along
 * when they are issued. */
static void mark_late(const struct arrival *v, uint64_t slot)
{
    const struct xk_hz_access *a = &v->t->access[v->e->access];
    unsigned n;
    for (unsigned k = v->e->n_rd; k; k--, a++) {
        if (a->file != XK_HZ_GRF && a->file != XK_HZ_ACC)
            continue;
        for (struct xk_hz_place *p = places(v, a, &n); n; n--, p++)
            p->or_ |= slot;
    }
    for (unsigned k = v->e->n_wr; k; k--, a++) {
        v->th->wrote_state |= a->file == XK_HZ_STATE;
        for (struct xk_hz_place *p = places(v, a, &n); n; n--, p++)
            p->ow |= slot;
    }
}

static void issue_in_order(const struct arrival *v)
{
    struct xk_hz_thread *const th = v->th;
    const unsigned p = v->e->pipe;
    const int32_t window = th->strict ? v->t->strict_window : v->t->window[p];
    /* Nobody knows whether the machine counts a branch. */
    if (!(th->strict && v->e->is_branch && !v->e->n_wr)) {
        th->issued[p]++;
        struct xk_hz_flight *const f =
            &th->ring[p][(uint32_t)th->issued[p] % XK_HZ_RING];
        f->inst = v->at;
        if (v->e->is_dynamic)
            memcpy(f->at, v->range, sizeof f->at);
    }
    mark_in_order(v, p, th->issued[p]);
    if (v->e->touches_state)
        th->place[v->t->state.place].r[p] = th->issued[p];
    if (th->issued[p] - window > th->done[p])
        th->done[p] = th->issued[p] - window;
}

/* Takes a slot's marks back. */
static void retire(const struct xk_hz_table *t, struct xk_hz_thread *th,
                   unsigned k)
{
    struct xk_hz_flight *const f = &th->slot[k];
    const uint64_t keep = ~(UINT64_C(1) << k);
    if (f->inst == NO_INST)
        return;
    const struct xk_hz_inst *const e = &t->inst[f->inst];
    const struct xk_hz_access *a = &t->access[e->access];
    for (unsigned n = e->n_rd + e->n_wr; n; n--, a++) {
        for (unsigned m = 0; m < a->n_places; m++) {
            th->place[a->place + m].ow &= keep;
            th->place[a->place + m].or_ &= keep;
        }
    }
    th->live_w &= keep;
    th->live_r &= keep;
    th->slm_loads &= keep;
    th->chain &= keep;
    th->of_function[e->function] &= keep;
    if (e->token >= 0)
        th->of_token[e->token] &= keep;
    f->inst = NO_INST;
}

/* A shared function reads its payloads in order. A wait for a later payload's
 * read is a wait for the earlier ones, too. */
static void pass_on(const struct arrival *v)
{
    struct xk_hz_thread *const th = v->th;
    const uint64_t earlier = th->of_function[v->e->function] & th->live_r;
    const struct xk_hz_access *a = &v->t->access[v->e->access];
    if (!earlier || th->strict)
        return;
    for (unsigned n = v->e->n_rd + v->e->n_wr; n; n--, a++) {
        if (a->file != XK_HZ_GRF)
            continue;
        for (unsigned m = 0; m < a->n_places; m++)
            th->place[a->place + m].or_ &= ~earlier;
    }
}

static void issue_late(const struct arrival *v)
{
    struct xk_hz_thread *const th = v->th;
    const struct xk_hz_inst *const e = v->e;
    const unsigned k =
        e->set >= 0
            ? (unsigned)e->set
            : FIRST_EXTRA + th->next_extra++ % (XK_HZ_SLOTS - FIRST_EXTRA);
    const uint64_t slot = UINT64_C(1) << k;
    retire(v->t, th, k);
    pass_on(v);
    th->slot[k].inst = v->at;
    if (e->is_dynamic)
        memcpy(th->slot[k].at, v->range, sizeof th->slot[k].at);
    mark_late(v, slot);
    th->live_w |= slot;
    th->live_r |= slot;
    th->of_function[e->function] |= slot;
    if (e->token >= 0)
        th->of_token[e->token] |= slot;
    if (e->slm_load)
        th->slm_loads |= slot;
    th->chain = e->in_chain ? th->chain | slot : 0;
}

/* Numbers must not run out: at worst a few dependencies are forgotten. */
static void renumber(struct xk_hz_thread *th)
{
    th->issued = th->done = (xk_hz_pipes){0};
    for (unsigned k = 0; k < XK_HZ_PLACES; k++)
        th->place[k].w = th->place[k].r = th->issued;
}

void xk_hz_step(const struct xk_hz_table *t, struct xk_hz_thread *th,
                uint32_t at, uint32_t mask, const uint8_t *a0)
{
    const struct xk_hz_inst *const e = &t->inst[at];
    struct xk_hz_range range[4];
    struct arrival v = {.t = t,
                        .th = th,
                        .e = e,
                        .at = at,
                        .mask = mask,
                        .a0 = a0,
                        .range = range};
    if (e->is_dynamic)
        memset(range, 0, sizeof range);
    note_jump(&v);
    if (e->dist)
        wait_distance(th, e);
    if (e->wait_dst | e->wait_src)
        wait_tokens(th, e);
    if (e->set >= 0)
        wait_set(th, e);
    if (e->unit != XK_HZ_DPAS)
        th->chain = 0;
    if (e->unit != XK_HZ_NOWHERE) {
        look(&v);
        if (e->slm_store)
            look_at_slm(&v);
        if (e->unit == XK_HZ_IN_ORDER)
            issue_in_order(&v);
        else
            issue_late(&v);
        if (th->issued[e->pipe] > MOST_ISSUED)
            renumber(th);
    }
    th->next = at + 1;
}
