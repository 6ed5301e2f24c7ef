/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers and scatters, blocks, headers, descriptors in registers, and the form
 * of every message. */
#include "isa/message_table.h"
#include "tests/idioms/idioms.h"

static const char *kind_of(const struct kernel *k, unsigned at)
{
    const struct xk_msg *const m = &k->msg[at];

    if (m->op == XK_MOP_LOAD_BLOCK2D || m->op == XK_MOP_STORE_BLOCK2D)
        return "2D block";
    if (m->transpose || k->inst[at].exec == 1)
        return "block";
    return "gather";
}

/* Who writes the address register last; its first register stands for it. */
static void tell_address(const struct kernel *k, unsigned at, struct lines *l)
{
    const unsigned reg = k->inst[at].src[0].reg;

    for (unsigned n = at; n-- > 0;) {
        const struct xk_inst *const i = &k->inst[n];
        if (!writes_grf(k, n, reg))
            continue;
        xk_str_printf(&l->text, "%s: address %s by %s(%u)", kind_of(k, at),
                      k->msg[at].header ? "in a header" : "alone",
                      xk_inst_is_send(i)        ? "a message"
                      : i->pred == XK_PRED_NONE ? "an instruction"
                      : i->op == XK_OPC_SEL     ? "sel"
                                                : "a predicated one",
                      i->exec);
        say(l, "header");
        return;
    }
}

static void tell_access(const struct kernel *k, unsigned at, struct lines *l)
{
    const struct xk_inst *const i = &k->inst[at];
    const struct xk_msg *const m = &k->msg[at];

    put_mask(i, &l->text);
    xk_str_printf(&l->text, "%s %s SIMD%u%s%s", xk_msg_op_name(m->op),
                  xk_msg_sfid_name(m->sfid), i->exec,
                  m->header ? " header" : "",
                  i->dst.file == XK_FILE_ARF && m->dst_grf ? " to null" : "");
    say(l, kind_of(k, at));
}

void tell_messages(const struct kernel *k, struct lines *l)
{
    for (unsigned n = 0; n < k->n; n++) {
        const struct xk_inst *const i = &k->inst[n];
        const enum xk_msg_class class = class_of(k, n);
        if (i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_A) {
            put_shape(k, n, &l->text);
            say(l, "descriptor");
        }
        if (!xk_inst_is_send(i))
            continue;
        put_form(k, n, &l->text);
        say(l, "form");
        if (class != XK_MCLASS_LOAD && class != XK_MCLASS_STORE)
            continue;
        tell_access(k, n, l);
        tell_address(k, n, l);
    }
}
