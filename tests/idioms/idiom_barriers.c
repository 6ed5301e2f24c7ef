/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers with what stands before and behind them, and fences. */
#include "tests/idioms/idioms.h"

enum { BACK = 64 };

static bool is_slm(const struct kernel *k, unsigned at)
{
    return k->msg[at].space == XK_MSPACE_SLM || k->msg[at].sfid == XK_SFID_SLM;
}

/* Instructions that make the payload, the last ones that write its register. */
static void tell_payload(const struct kernel *k, unsigned at, struct lines *l)
{
    const unsigned reg = k->inst[at].src[0].reg;

    for (unsigned n = at; n-- > 0;) {
        if (!writes_grf(k, n, reg))
            continue;
        xk_str_puts(&l->text, "payload: ");
        put_shape(k, n, &l->text);
        say(l, "barrier");
        if (k->inst[n].dst.type != XK_RT_UB)
            return; /* the rest of dword 2, or of the register */
    }
}

/* What of local memory was fenced before a barrier. */
static void tell_before(const struct kernel *k, unsigned at, struct lines *l)
{
    const char *text = "no store to SLM within reach";
    bool fence = false;

    for (unsigned n = at; n-- > 0 && n + BACK > at;) {
        const enum xk_msg_class class = class_of(k, n);
        if (class == XK_MCLASS_BARRIER)
            break;
        if (class == XK_MCLASS_FENCE && is_slm(k, n))
            fence = true;
        if (class != XK_MCLASS_STORE || !is_slm(k, n))
            continue;
        text = fence ? "store to SLM, fence" : "store to SLM, no fence";
        break;
    }
    xk_str_printf(&l->text, "before it: %s", text);
    say(l, "barrier");
}

static void tell_wait(const struct kernel *k, unsigned at, struct lines *l)
{
    bool memory = false, branch = false;

    for (unsigned n = at + 1; n < k->n; n++) {
        const struct xk_inst *const i = &k->inst[n];
        memory |= xk_inst_is_send(i);
        branch |= xk_inst_is_branch(i);
        if (i->op != XK_OPC_SYNC || i->sync_fn != XK_SYNC_BAR)
            continue;
        put_mask(i, &l->text);
        xk_str_printf(&l->text, "sync.bar %s%s%s",
                      n == at + 1 ? "at once" : "later",
                      memory ? ", messages between" : "",
                      branch ? ", a branch between" : "");
        put_swsb(i, &l->text);
        say(l, "barrier");
        return;
    }
    xk_str_puts(&l->text, "no sync.bar");
    say(l, "barrier");
}

static void tell_fence(const struct kernel *k, unsigned at, struct lines *l)
{
    put_mask(&k->inst[at], &l->text);
    put_form(k, at, &l->text);
    say(l, "fence");
    xk_str_printf(&l->text, "of %s",
                  k->inst[at].src[0].reg ? "a register" : "r0");
    say(l, "fence");
    xk_str_printf(&l->text, "%s waited for by %s",
                  xk_msg_sfid_name(k->msg[at].sfid), waited_by(k, at));
    say(l, "fence");
}

void tell_barriers(const struct kernel *k, struct lines *l)
{
    for (unsigned n = 0; n < k->n; n++) {
        const enum xk_msg_class class = class_of(k, n);
        if (class == XK_MCLASS_FENCE)
            tell_fence(k, n, l);
        if (class != XK_MCLASS_BARRIER)
            continue;
        put_mask(&k->inst[n], &l->text);
        xk_str_printf(&l->text, "message SIMD%u", k->inst[n].exec);
        put_swsb(&k->inst[n], &l->text);
        say(l, "barrier");
        tell_payload(k, n, l);
        tell_before(k, n, l);
        tell_wait(k, n, l);
    }
}
