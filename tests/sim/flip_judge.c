/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/flip_judge.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "isa/message_table.h"

static unsigned shown[XK_N_MSG_KINDS][XK_N_MSG_PARTS],
    flipped[XK_N_MSG_KINDS][XK_N_MSG_PARTS];

bool flip_says_stop(const char *message)
{
    return strstr(message, "not modelled") ||
           strstr(message, "are no instruction") ||
           strstr(message, "does not know this instruction");
}

void flip_judge(const struct flip *f, const char *field, unsigned bit,
                enum xk_known v)
{
    char name[24];
    struct xk_str text;
    xk_str_init(&text, &xk_alloc_default);
    xk_inst_print(f->p, f->i, &text);
    snprintf(name, sizeof name, "bit %u", bit);
    ck_assert_msg(v != XK_KNOWN_UNKNOWN ||
                      (f->outcome == FLIP_STOPPED &&
                       (strstr(f->message, name) || strstr(f->message, field))),
                  "%s: '%s': unknown %s, bit %u, does not stop: %s", f->p->name,
                  xk_str_get(&text), field, bit, f->message);
    ck_assert_msg(v != XK_KNOWN_NO_EFFECT || f->outcome != FLIP_CHANGED,
                  "%s: '%s': %s, bit %u, has an effect: %s", f->p->name,
                  xk_str_get(&text), field, bit, f->message);
    xk_str_fini(&text);
}

static enum xk_known verdict_of(unsigned part)
{
    return part < XK_N_MSG_FIELDS
               ? (enum xk_known)xk_known_message_field(part)->verdict
           : part == XK_MSG_PART_RESERVED ? XK_KNOWN_UNKNOWN
                                          : XK_KNOWN_ACTS;
}

static const char *name_of(unsigned part)
{
    static const char *const others[] = {"operation", "response length",
                                         "payload length", "reserved"};
    return part < XK_N_MSG_FIELDS ? xk_msg_field_name(part)
                                  : others[part - XK_N_MSG_FIELDS];
}

void flip_judge_descriptor(const struct flip *f, unsigned bit)
{
    struct xk_msg m;
    const unsigned part = xk_msg_part_at(f->p, f->i, bit);
    xk_msg_decode(f->p, f->i, &m);
    flip_judge(f, name_of(part), bit, verdict_of(part));
    flipped[m.kind][part]++;
    shown[m.kind][part] += f->outcome != FLIP_SAME;
}

unsigned flip_silent_fields(unsigned kind)
{
    unsigned n = 0;
    for (unsigned part = 0; part < XK_N_MSG_PARTS; part++) {
        if (flipped[kind][part] < FLIP_JUDGED || shown[kind][part] ||
            verdict_of(part) != XK_KNOWN_ACTS)
            continue;
        printf("# %s: %u flips of %s changed nothing\n", xk_msg_kind_name(kind),
               flipped[kind][part], name_of(part));
        n++;
    }
    return n;
}
