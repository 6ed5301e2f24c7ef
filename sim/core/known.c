/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sim/core/known.def, and what the simulator asks it. An
 * instruction is judged once, when it is decoded. A control register is judged
 * when it is written. A descriptor in a register is judged when its message is
 * sent. */
#include "sim/core/known.h"

#include <stdio.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "isa/message_table.h"

#define ACTS XK_KNOWN_ACTS
#define NO_EFFECT XK_KNOWN_NO_EFFECT
#define UNKNOWN XK_KNOWN_UNKNOWN

static const struct xk_known_row fields[XK_N_FIELDS] = {
#define XK_KNOWN_FIELD(id, verdict, note) [XK_FLD_##id] = {verdict, note},
#include "sim/core/known.def"
#undef XK_KNOWN_FIELD
};

static const struct xk_known_row message_fields[XK_N_MSG_FIELDS] = {
#define XK_KNOWN_MESSAGE(id, verdict, note) [XK_MF_##id] = {verdict, note},
#include "sim/core/known.def"
#undef XK_KNOWN_MESSAGE
};

static const struct xk_known_row sync_functions[16] = {
#define XK_KNOWN_SYNC(id, verdict, note) [XK_SYNC_##id] = {verdict, note},
#include "sim/core/known.def"
#undef XK_KNOWN_SYNC
};

static const struct {
    const char *name, *note;
    uint8_t read, write; /* enum xk_known */
} arfs[XK_ARF_MME + 1] = {
#define XK_KNOWN_ARF(id, r, w, note) [XK_ARF_##id] = {#id, note, r, w},
#include "sim/core/known.def"
#undef XK_KNOWN_ARF
};

static const struct control {
    uint8_t arf, dword, first, count;
    uint8_t read, write; /* enum xk_known */
    const char *name;
} controls[] = {
#define XK_KNOWN_CONTROL(arf, dw, first, count, name, r, w, note)              \
    {XK_ARF_##arf, dw, first, count, r, w, name},
#include "sim/core/known.def"
#undef XK_KNOWN_CONTROL
};

/* Fields that have no effect with some opcodes. */
static const struct {
    uint8_t op;
    uint16_t field;
} idle[] = {
#define XK_KNOWN_IDLE(op, field, note) {XK_OPC_##op, XK_FLD_##field},
#include "sim/core/known.def"
#undef XK_KNOWN_IDLE
};

/* Fields whose effect shows only in a test of their own. */
static const struct {
    uint8_t op;
    uint16_t field;
    const char *test;
} shown[] = {
#define XK_KNOWN_SHOWN(op, field, test) {XK_OPC_##op, XK_FLD_##field, test},
#include "sim/core/known.def"
#undef XK_KNOWN_SHOWN
};

/* Options that are unknown with some opcodes only. */
static const struct option {
    uint8_t op;
    uint16_t field;
    uint16_t member; /* offset of a byte in struct xk_inst */
} options[] = {
#define XK_KNOWN_OPTION(op, field, member, note)                               \
    {XK_OPC_##op, XK_FLD_##field, offsetof(struct xk_inst, member)},
#include "sim/core/known.def"
#undef XK_KNOWN_OPTION
};

const struct xk_known_row *xk_known_field(unsigned field)
{
    return &fields[field < XK_N_FIELDS ? field : 0];
}

const struct xk_known_row *xk_known_message_field(unsigned field)
{
    return &message_fields[field < XK_N_MSG_FIELDS ? field : 0];
}

enum xk_known xk_known_field_of(enum xk_opcode op, unsigned field)
{
    for (unsigned k = 0; k < XK_COUNTOF(options); k++)
        if (options[k].op == op && options[k].field == field)
            return XK_KNOWN_UNKNOWN;
    for (unsigned k = 0; k < XK_COUNTOF(idle); k++)
        if (idle[k].op == op && idle[k].field == field)
            return XK_KNOWN_NO_EFFECT;
    return (enum xk_known)xk_known_field(field)->verdict;
}

const char *xk_known_shown_by(enum xk_opcode op, unsigned field)
{
    const char *const note = xk_known_field(field)->note;
    for (unsigned k = 0; k < XK_COUNTOF(shown); k++)
        if (shown[k].op == op && shown[k].field == field)
            return shown[k].test;
    return strstr(note, "tests/") ? note : NULL;
}

static bool option_not_known(const struct xk_inst *i, char *why, size_t why_b)
{
    if (i->debug) {
        snprintf(why, why_b, "%s", xk_field_rows[XK_FLD_DEBUG].text);
        return true;
    }
    for (unsigned k = 0; k < XK_COUNTOF(options); k++) {
        const struct option *const o = &options[k];
        uint8_t set;
        if (o->op != i->op)
            continue;
        memcpy(&set, (const uint8_t *)i + o->member, sizeof(set));
        if (set) {
            snprintf(why, why_b, "%s of %s", xk_field_rows[o->field].text,
                     xk_opcode_name((enum xk_opcode)i->op));
            return true;
        }
    }
    return false;
}

static const struct control *control_at(unsigned arf, unsigned dword)
{
    for (unsigned k = 0; k < XK_COUNTOF(controls); k++)
        if (controls[k].arf == arf && controls[k].dword == dword)
            return &controls[k];
    return NULL;
}

/* A dword of sr0 or cr0; some of its bits may not be read, or written. */
static bool dword_not_known(unsigned arf, unsigned dword, bool write, char *why,
                            size_t why_b)
{
    const struct control *const c = control_at(arf, dword);
    if (c &&
        (c->count < 32 || (write ? c->write : c->read) != XK_KNOWN_UNKNOWN))
        return false;
    snprintf(why, why_b, "%s the register %s0.%u (%s)",
             write ? "writing" : "reading", xk_arf_rows[arf].text, dword,
             c ? c->name : "not listed");
    return true;
}

/* The same for every dword that an operand's elements touch. */
static bool dwords_not_known(const struct xk_operand *o, unsigned exec,
                             bool write, char *why, size_t why_b)
{
    const unsigned size_b = xk_reg_type_b((enum xk_reg_type)o->type);
    const unsigned width = write || !o->rgn.width ? exec : o->rgn.width;
    if (o->arf != XK_ARF_CR && o->arf != XK_ARF_SR)
        return false;
    for (unsigned n = 0; n < exec; n++) {
        const unsigned first_b =
            o->sub_b + size_b * (n / width * o->rgn.vs + n % width * o->rgn.hs);
        for (unsigned dw = first_b / 4; dw <= (first_b + size_b - 1) / 4; dw++)
            if (dword_not_known(o->arf, dw, write, why, why_b))
                return true;
    }
    return false;
}

static bool operand_not_known(const struct xk_operand *o, unsigned exec,
                              bool write, char *why, size_t why_b)
{
    if (o->file != XK_FILE_ARF)
        return false;
    const unsigned verdict = write ? arfs[o->arf].write : arfs[o->arf].read;
    if (verdict != XK_KNOWN_UNKNOWN)
        return dwords_not_known(o, exec, write, why, why_b);
    snprintf(why, why_b, "%s the register %s (%s)",
             write ? "writing" : "reading", xk_arf_rows[o->arf].text,
             arfs[o->arf].note);
    return true;
}

/* `mov tm0.4 N:uw` makes the thread pause; bits 9:5 count 32 cycles each
 * (Intel's pti-gpu, OpenCLBuiltIn.md, intel_eu_thread_pause). It changes no
 * result. */
static bool is_pause(const struct xk_sim_inst *e)
{
    const struct xk_inst *const i = &e->in;
    return i->op == XK_OPC_MOV && i->dst.file == XK_FILE_ARF &&
           i->dst.arf == XK_ARF_TM && i->dst.sub_b == 16 &&
           i->src[0].file == XK_FILE_IMM && !(i->src[0].imm & ~(uint64_t)0x3e0);
}

static bool operands_not_known(const struct xk_sim_inst *e, char *why,
                               size_t why_b)
{
    if (!is_pause(e) &&
        operand_not_known(&e->in.dst, e->in.exec, true, why, why_b))
        return true;
    for (unsigned n = 0; n < e->n_srcs; n++)
        if (operand_not_known(&e->in.src[n], e->in.exec, false, why, why_b))
            return true;
    return false;
}

/* sim/message/message_sample.c refuses what it does not know of the sampler's
 * messages, whose record is OTHER. */
bool xk_sim_message_not_known(const struct xk_platform *p,
                              const struct xk_inst *i, char *why, size_t why_b)
{
    struct xk_error err = {.message = ""};
    struct xk_msg m;
    xk_msg_decode(p, i, &m);
    if (m.kind == XK_MSG_OTHER || m.kind == XK_MSG_UNKNOWN ||
        xk_msg_check_padded(p, i, &err) == XK_OK)
        return false;
    snprintf(why, why_b, "%s", err.message);
    return true;
}

/* The unnamed accumulator has the destination's stride, but it has an end. */
static bool accumulator_not_known(const struct xk_inst *i, char *why,
                                  size_t why_b)
{
    const uint32_t step_b = xk_inst_acc_step_b(i);
    const uint32_t end_b =
        xk_inst_acc_first_b(i) + i->exec * (step_b < 8 ? 8 : step_b);
    if (!xk_inst_acc_use(i) || end_b <= XK_SIM_SPAN_B)
        return false;
    snprintf(why, why_b, "%u bytes of the accumulator that is not named",
             end_b);
    return true;
}

bool xk_sim_not_known(const struct xk_sim_kernel *k,
                      const struct xk_sim_inst *e, char *why, size_t why_b)
{
    const struct xk_inst *const i = &e->in;
    if (option_not_known(i, why, why_b))
        return true;
    if (xk_inst_is_send(i))
        return !i->send.desc_reg &&
               xk_sim_message_not_known(k->platform, i, why, why_b);
    if (i->op == XK_OPC_SYNC &&
        sync_functions[i->sync_fn & 15].verdict == XK_KNOWN_UNKNOWN) {
        snprintf(why, why_b, "sync.%s", xk_sync_name(i->sync_fn));
        return true;
    }
    return accumulator_not_known(i, why, why_b) ||
           operands_not_known(e, why, why_b);
}

void xk_sim_exec_not_known(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    char why[256] = "";
    xk_sim_not_known(t->kernel, e, why, sizeof(why));
    xk_sim_fault(t, e, "not modelled: %s", why);
}

void xk_sim_control_written(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e)
{
    for (unsigned k = 0; k < XK_COUNTOF(controls); k++) {
        const struct control *const c = &controls[k];
        if (c->arf != XK_ARF_CR || c->write != XK_KNOWN_UNKNOWN)
            continue;
        const uint32_t v = xk_rf_u32(t, XK_RF_CR + 4u * c->dword) >> c->first;
        if (v & (uint32_t)((UINT64_C(1) << c->count) - 1)) {
            xk_sim_fault(t, e, "not modelled: cr0.%u has 0x%x: %s", c->dword,
                         xk_rf_u32(t, XK_RF_CR + 4u * c->dword), c->name);
            return;
        }
    }
    xk_sim_thread_cr_written(t);
}
