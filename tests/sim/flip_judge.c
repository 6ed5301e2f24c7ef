/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/flip_judge.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "isa/format.h"
#include "isa/message_table.h"

static unsigned shown[XK_N_MSG_KINDS][XK_N_MSG_PARTS],
    flipped[XK_N_MSG_KINDS][XK_N_MSG_PARTS];
static unsigned field_shown[XK_N_OPCODES][XK_N_FIELDS],
    field_flipped[XK_N_OPCODES][XK_N_FIELDS];

static void flip_judge(const struct flip *f, const char *field, unsigned bit,
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

void flip_judge_field(const struct flip *f, unsigned id, unsigned bit)
{
    const enum xk_opcode op = (enum xk_opcode)f->i->op;
    flip_judge(f, flip_field_name(id), bit, flip_field_verdict(op, id));
    if (id < XK_N_FIELDS) {
        field_flipped[op][id]++;
        field_shown[op][id] += f->outcome != FLIP_SAME;
    }
}

void flip_judge_descriptor(const struct flip *f, unsigned bit)
{
    struct xk_msg m;
    const unsigned part = xk_msg_part_at(f->p, f->i, bit);
    xk_msg_decode(f->p, f->i, &m);
    flip_judge(f, flip_part_name(part), bit, flip_part_verdict(part));
    flipped[m.kind][part]++;
    shown[m.kind][part] += f->outcome != FLIP_SAME;
}

unsigned flip_silent_fields(unsigned kind)
{
    unsigned n = 0;
    for (unsigned part = 0; part < XK_N_MSG_PARTS; part++) {
        if (flipped[kind][part] < FLIP_JUDGED || shown[kind][part] ||
            flip_part_verdict(part) != XK_KNOWN_ACTS)
            continue;
        printf("# %s: %u flips of %s changed nothing\n", xk_msg_kind_name(kind),
               flipped[kind][part], flip_part_name(part));
        n++;
    }
    return n;
}

unsigned flip_judged_fields(enum xk_opcode op, unsigned least)
{
    unsigned n = 0;
    for (unsigned id = 0; id < XK_N_FIELDS; id++)
        n += field_flipped[op][id] >= least;
    return n;
}

unsigned flip_silent_of(enum xk_opcode op, unsigned least)
{
    unsigned n = 0;
    for (unsigned id = 0; id < XK_N_FIELDS; id++) {
        if (field_flipped[op][id] < least || field_shown[op][id] ||
            xk_known_field_of(op, id) != XK_KNOWN_ACTS ||
            xk_known_shown_by(op, id))
            continue;
        printf("# %s: %u flips of %s changed nothing\n", xk_opcode_name(op),
               field_flipped[op][id], xk_field_rows[id].text);
        n++;
    }
    return n;
}
