/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of a kernel, and writes of cr0. */
#include "tests/idioms/idioms.h"

enum { PROLOGUE = 24 };

/* The dwords of r0 that are read alone. All of it is read as a copy. */
static void tell_r0(const struct kernel *k, struct lines *l)
{
    for (unsigned n = 0; n < k->n; n++) {
        const struct xk_inst *const i = &k->inst[n];
        for (unsigned s = 0; s < 3 && !xk_inst_is_send(i); s++) {
            const struct xk_operand *const o = &i->src[s];
            if (o->file != XK_FILE_GRF || o->reg != 0 || o->indirect)
                continue;
            if (i->exec >= 8)
                xk_str_puts(&l->text, "r0 copied whole");
            else
                xk_str_printf(&l->text, "r0.%u:ud read alone", o->sub_b / 4);
            say(l, "begin");
        }
        if (writes_grf(k, n, 0))
            return; /* no header from here on */
    }
}

static void tell_cr0(const struct kernel *k, struct lines *l)
{
    for (unsigned n = 0; n < k->n; n++) {
        const struct xk_inst *const i = &k->inst[n];
        if (i->dst.file != XK_FILE_ARF || i->dst.arf != XK_ARF_CR)
            continue;
        put_shape(k, n, &l->text);
        if (i->src[1].file == XK_FILE_IMM)
            xk_str_printf(&l->text, " 0x%X", (unsigned)i->src[1].imm);
        put_swsb(i, &l->text);
        say(l, "cr0");
        xk_str_printf(&l->text, "%s the prologue",
                      n < PROLOGUE ? "in" : "behind");
        say(l, "cr0");
        /* An empty sync behind it is what the hardware wants on some. */
        const struct xk_inst *const next = &k->inst[n + 1 < k->n ? n + 1 : n];
        xk_str_puts(&l->text, "behind it: ");
        xk_str_puts(&l->text, next->op == XK_OPC_SYNC ? "sync" : "no sync");
        if (next->op == XK_OPC_SYNC || next->swsb.dist)
            put_swsb(next, &l->text);
        say(l, "cr0");
    }
}

void tell_begin(const struct kernel *k, struct lines *l)
{
    put_shape(k, 0, &l->text);
    put_swsb(&k->inst[0], &l->text);
    xk_str_puts(&l->text, " first of all");
    say(l, "begin");
    for (unsigned n = 0;
         n < k->n && n < PROLOGUE && !xk_inst_is_branch(&k->inst[n]); n++) {
        const struct xk_msg *const m = &k->msg[n];
        if (class_of(k, n) != XK_MCLASS_LOAD || m->sfid != XK_SFID_DC0)
            continue;
        xk_str_puts(&l->text, "payload by ");
        put_form(k, n, &l->text);
        say(l, "begin");
    }
    tell_r0(k, l);
    tell_cr0(k, l);
}

static bool stores_globally(const struct kernel *k)
{
    for (unsigned n = 0; n < k->n; n++) {
        const enum xk_msg_class class = class_of(k, n);
        if ((class == XK_MCLASS_STORE || class == XK_MCLASS_ATOMIC) &&
            k->msg[n].space != XK_MSPACE_SLM &&
            k->msg[n].space != XK_MSPACE_SCRATCH)
            return true;
    }
    return false;
}

/* The last fence behind the last store, or k->n. */
static unsigned last_fence(const struct kernel *k)
{
    for (unsigned n = k->n; n-- > 0;) {
        const enum xk_msg_class class = class_of(k, n);
        if (class == XK_MCLASS_FENCE && k->msg[n].sfid == XK_SFID_UGM)
            return n;
        if (class == XK_MCLASS_STORE)
            break;
    }
    return k->n;
}

static void tell_payload(const struct kernel *k, unsigned eot, struct lines *l)
{
    const unsigned reg = k->inst[eot].src[0].reg;

    for (unsigned n = eot; n-- > 0;) {
        if (!writes_grf(k, n, reg))
            continue;
        xk_str_puts(&l->text, "payload: ");
        put_shape(k, n, &l->text);
        if (k->inst[n].src[0].reg == 0 && k->inst[n].src[0].file == XK_FILE_GRF)
            xk_str_puts(&l->text, " (r0)");
        say(l, "end");
        return;
    }
}

void tell_end(const struct kernel *k, struct lines *l)
{
    const unsigned eot = k->n - 1, fence = last_fence(k);
    const unsigned reg = k->inst[eot].src[0].reg;
    bool clears = false;

    put_mask(&k->inst[eot], &l->text);
    xk_str_printf(&l->text, "EOT to %s SIMD%u from %s",
                  xk_msg_sfid_name(k->inst[eot].send.sfid), k->inst[eot].exec,
                  reg >= 240                 ? "r240 to r255"
                  : reg >= 112 && reg <= 127 ? "r112 to r127"
                                             : "elsewhere");
    put_swsb(&k->inst[eot], &l->text);
    say(l, "end");
    tell_payload(k, eot, l);
    xk_str_puts(&l->text, stores_globally(k) ? "global stores, " : "none, ");
    if (fence < k->n) {
        put_form(k, fence, &l->text);
        xk_str_printf(&l->text, ", waited for by %s", waited_by(k, fence));
    } else {
        xk_str_puts(&l->text, "no fence");
    }
    say(l, "end");
    for (unsigned n = eot; n-- > 0 && n + 6 > eot;)
        clears |= k->inst[n].dst.file == XK_FILE_ARF &&
                  k->inst[n].dst.arf == XK_ARF_ACC &&
                  k->inst[n].src[0].file == XK_FILE_IMM;
    if (clears) {
        xk_str_puts(&l->text, "accumulator cleared");
        say(l, "end");
    }
}
