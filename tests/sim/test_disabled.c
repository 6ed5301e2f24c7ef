/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in channels that are off is nobody's business. Random instructions
 * of every opcode but messages and dpas run twice from the same state, but that
 * the second one has garbage in all that only disabled channels could read:
 * their elements of direct operands, their address registers, their bits of the
 * flag that predicates. Both end the same way, and all other state is the same;
 * which bytes a channel reads is told by the regions' definition (isa.md 2),
 * not by the simulator. (Messages: test_messages.c, test_typed.c,
 * test_sampler.c.)
 */
#include <stdio.h>
#include <string.h>

#include "isa/format.h"
#include "isa/traits.h"
#include "tests/isa/random_inst.h"
#include "tests/sim/check_lab.h"
#include "tests/sim/lab.h"
#include "tests/tap.h"

#define RUNS 60    /* of an opcode, on each platform */
#define TRIES 9000 /* until so many did */
#define N_INSTS 8  /* nop, nop, the instruction, and nops to jump to */
#define AT 2

enum { KEPT, READ_OFF, READ_ON };

static struct xk_sim_thread start, other;
static uint8_t use[XK_RF_END_B]; /* of a byte, by the enum above */
static const struct xk_platform *p;

static void fill(struct rng *r, struct xk_sim_thread *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned b = 0; b < XK_RF_CE; b += 4) {
        const uint64_t v = rng_bits(r);
        const float f = (float)(int)(v % 64) - 20.0f;
        uint32_t bits = (uint32_t)(v >> 32);
        if (v >> 16 & 1)
            memcpy(&bits, &f, 4);
        if (b >= XK_RF_A0)
            bits = (uint32_t)(v % 512) << 16 | (uint32_t)(v >> 12) % 512;
        if (b < XK_RF_ZERO || b >= XK_RF_FLAG)
            xk_rf_set_u32(t, b, bits);
    }
    t->dispatch = (uint32_t)rng_bits(r);
    t->active = t->dispatch & (uint32_t)rng_bits(r);
    t->budget = 50;
    xk_rf_set_u32(t, XK_RF_CR, 0x4c0);
}

static bool run(const uint8_t *code, const struct xk_sim_thread *from,
                struct xk_sim_thread *out, struct xk_error *err)
{
    struct lab *const x = lab_open_code(p->name, code, 16 * N_INSTS);
    lab_start(x, 1, 0x4c0);
    x->t[0] = *from;
    x->t[0].kernel = x->k;
    x->t[0].group = &x->group;
    x->t[0].err = &x->err;
    const bool done = lab_run(x);
    *out = x->t[0];
    *err = x->err;
    lab_close(x);
    return done;
}

/* Element of channel l in a region, in elements; -1: the definition gives a
 * ternary operand no width. */
static int element(const struct xk_inst *i, unsigned k, unsigned l)
{
    const struct xk_region *const g = &i->src[k].rgn;
    unsigned w = g->width ? g->width : 1, vs = g->vs;
    if (xk_math_is_macro(i))
        return (int)l;
    if (xk_opcode_is_ternary((enum xk_opcode)i->op) && k == 2)
        return (int)(l * g->hs);
    if (xk_opcode_is_ternary((enum xk_opcode)i->op)) {
        w = g->hs ? vs / g->hs : 1;
        if (!w || vs % (g->hs ? g->hs : 1))
            return -1;
    }
    if (vs == XK_VS_VXH)
        vs = 0;
    return (int)(l / w * vs + l % w * g->hs);
}

static void mark(int at, unsigned n_b, unsigned how)
{
    for (int b = at; b < at + (int)n_b; b++)
        if (b >= 0 && b < XK_RF_END_B && use[b] < how)
            use[b] = (uint8_t)how;
}

static uint16_t address(unsigned k)
{
    uint16_t a;
    memcpy(&a, start.rf + XK_RF_A0 + 2 * k, 2);
    return a;
}

/* What channel l reads of an operand. All channels are taken to read everything
 * of an operand that is not understood here. */
static void mark_source(const struct xk_inst *i, unsigned k, unsigned l,
                        unsigned how)
{
    const struct xk_operand *const o = &i->src[k];
    const unsigned size = xk_reg_type_b((enum xk_reg_type)o->type);
    const int e = element(i, k, l);
    const unsigned w = o->rgn.width ? o->rgn.width : 1;
    const bool vxh = o->rgn.vs == XK_VS_VXH;
    if (o->file == XK_FILE_IMM)
        return;
    const int sub_b = xk_math_is_macro(i) ? 0 : o->sub_b;
    if (e < 0 || !size || i->op == XK_OPC_MOVI ||
        (o->file == XK_FILE_ARF && o->arf == XK_ARF_ACC)) {
        memset(use, READ_ON, sizeof use);
    } else if (o->file == XK_FILE_ARF && o->arf == XK_ARF_A) {
        mark(XK_RF_A0, 64, READ_ON);
    } else if (o->file == XK_FILE_GRF && !o->indirect) {
        mark(o->reg * p->grf_b + sub_b + e * (int)size, size, how);
    } else if (o->file == XK_FILE_GRF) {
        const unsigned a = o->a0_sub + (vxh ? l / w : 0);
        mark(XK_RF_A0 + 2 * (int)a, 2, vxh ? how : READ_ON);
        mark(address(a) + o->a0_off_b + e * (int)size, size, how);
    }
}

static bool flags_are_by_channel(const struct xk_inst *i)
{
    for (unsigned k = 0; k < xk_inst_n_srcs(i); k++)
        if (i->src[k].file == XK_FILE_ARF && i->src[k].arf == XK_ARF_F)
            return false;
    return i->pred == XK_PRED_NORMAL && i->op != XK_OPC_JMPI;
}

static unsigned flag_bit(const struct xk_inst *i, unsigned l)
{
    return i->flag_reg * 32u + i->flag_sub * 16u + i->chan_off + l;
}

static bool flag(const struct xk_inst *i, unsigned l)
{
    const unsigned b = flag_bit(i, l);
    return (start.rf[XK_RF_FLAG + b / 8] >> b % 8 & 1) != i->pred_inv;
}

/* Channels that surely do nothing. */
static bool is_off(const struct xk_inst *i, unsigned l)
{
    const bool masked = !i->no_mask && !(start.active >> (i->chan_off + l) & 1);
    return masked || (i->pred == XK_PRED_NORMAL && i->op != XK_OPC_SEL &&
                      i->op != XK_OPC_JMPI && !flag(i, l));
}

/* Fills other; false if nothing differs. */
static bool spoil(struct rng *r, const struct xk_inst *i)
{
    bool any = false;
    memset(use, KEPT, sizeof use);
    for (unsigned l = 0; l < i->exec; l++)
        for (unsigned k = 0; k < xk_inst_n_srcs(i); k++)
            mark_source(i, k, l, is_off(i, l) ? READ_OFF : READ_ON);
    if (i->dst.indirect)
        mark(XK_RF_A0, 64, READ_ON);
    other = start;
    const unsigned kind = rng_below(r, 3);
    for (unsigned b = 0; b < XK_RF_CE; b++)
        if (use[b] == READ_OFF) {
            other.rf[b] = kind == 0   ? 0xff
                          : kind == 1 ? (uint8_t)rng_bits(r)
                                      : (uint8_t)(b % 4 == 3 ? 0x7f : 0x80);
            any |= other.rf[b] != start.rf[b];
        }
    if (!flags_are_by_channel(i))
        return any;
    for (unsigned l = 0; l < i->exec; l++)
        if (!i->no_mask && !(start.active >> (i->chan_off + l) & 1)) {
            const unsigned b = flag_bit(i, l);
            other.rf[XK_RF_FLAG + b / 8] ^= (uint8_t)(1u << b % 8);
            any = true;
        }
    return any;
}

/* A byte keeps what it had, or is the same in both. */
static void compare(const struct xk_inst *i, const struct xk_sim_thread *a,
                    const struct xk_sim_thread *b)
{
    struct xk_str text;
    unsigned at = 0;
    xk_str_init(&text, &xk_alloc_default);
    xk_inst_print(p, i, &text);
    for (; at < XK_RF_CE; at++)
        ck_assert_msg(
            a->rf[at] == b->rf[at] ||
                ((a->rf[at] ^ start.rf[at]) == (b->rf[at] ^ other.rf[at]) &&
                 at >= XK_RF_FLAG) ||
                (a->rf[at] == start.rf[at] && b->rf[at] == other.rf[at]),
            "%s: '%s' active %08x: byte %u is %02x, and %02x with garbage",
            p->name, xk_str_get(&text), start.active, at, a->rf[at], b->rf[at]);
    ck_assert_msg(a->active == b->active && a->waiting == b->waiting &&
                      a->budget == b->budget && a->state == b->state &&
                      !memcmp(a->mme, b->mme, sizeof a->mme) &&
                      !memcmp(a->acc_hi, b->acc_hi, sizeof a->acc_hi),
                  "%s: '%s' active %08x: the thread's state differs", p->name,
                  xk_str_get(&text), start.active);
    xk_str_fini(&text);
}

static void come_near(struct xk_inst *i)
{
    i->dst.reg = i->dst.file == XK_FILE_GRF ? i->dst.reg % 96 : i->dst.reg;
    for (unsigned k = 0; k < XK_COUNTOF(i->src); k++)
        if (i->src[k].file == XK_FILE_GRF)
            i->src[k].reg %= 96;
    i->no_mask = false;
}

/* False if it does not run to the end, or no channel is off. */
static bool try_one(struct rng *r, enum xk_opcode op)
{
    static struct xk_sim_thread clean, spoilt;
    const struct xk_inst nop = {.op = XK_OPC_NOP, .exec = 1};
    uint8_t code[16 * N_INSTS];
    struct xk_inst i;
    struct xk_error err;
    for (unsigned k = 0; k < N_INSTS; k++)
        xk_inst_encode(p, &nop, code + 16 * k, &err);
    random_inst(p, r, op, &i);
    random_targets(r, &i, AT, N_INSTS - 1);
    i.compacted = i.debug = false;
    come_near(&i);
    if (xk_inst_encode(p, &i, code + 16 * AT, &err) < 0)
        return false;
    fill(r, &start);
    if (!spoil(r, &i) || !run(code, &start, &clean, &err))
        return false;
    ck_assert_msg(run(code, &other, &spoilt, &err), "%s: %s: %s", p->name,
                  xk_opcode_name(op), err.message);
    compare(&i, &clean, &spoilt);
    return true;
}

/* No channel is off, or none reads anything. */
static bool has_no_lanes(enum xk_opcode op)
{
    return op == XK_OPC_ILLEGAL || op == XK_OPC_NOP || xk_opcode_is_send(op) ||
           xk_opcode_is_dpas(op) || op == XK_OPC_SYNC || op == XK_OPC_JMPI ||
           op == XK_OPC_ELSE || op == XK_OPC_ENDIF || op == XK_OPC_JOIN;
}

START_TEST(garbage_in_channels_that_are_off_changes_nothing)
{
    struct rng r = {.state = rng_seed() + (unsigned)_i};
    const enum xk_opcode op = (enum xk_opcode)_i;
    unsigned n = 0;
    if (has_no_lanes(op))
        return;
    for (unsigned k = 0; lab_platforms[k]; k++) {
        p = xk_platform_find(lab_platforms[k]);
        if (xk_isa_tables_get(p, NULL)->op_code[op] == XK_NO_CODE)
            continue;
        for (unsigned t = 0, ran = 0; ran < RUNS && t < TRIES; t++) {
            const bool did = try_one(&r, op);
            ran += did;
            n += did;
        }
    }
    ck_assert_msg(n >= (op == XK_OPC_MOVI ? 1 : RUNS), "%s: only %u ran",
                  xk_opcode_name(op), n);
}
END_TEST

/* Channels 4 to 7 have the address of r40, which a load has not written yet. */
#define LATE(flag)                                                             \
    "(W) mov (8|M0) r4.0<1>:ud r3.0<1;1,0>:ud\n"                               \
    "(W) mov (8|M0) a0.0<1>:uw 0x140:uw\n"                                     \
    "(W) mov (4|M0) a0.4<1>:uw 0x500:uw\n"                                     \
    "(W) mov (1|M0) f0.0<1>:uw " flag ":uw\n"                                  \
    "sync.nop null {A@1}\n"                                                    \
    "(W) send.ugm (1|M0) r40 r4 null:0 0x0 0x0210C580 {$2}\n"                  \
    "(f0.0) mov (8|M0) r12.0<1>:ud r[a0.0]<1,0>:ud\n"                          \
    "sync.nop null {A@1}\n"                                                    \
    "sync.nop null {$2.dst}\n"

START_TEST(a_hazard_is_of_channels_that_are_on)
{
    static const struct {
        const char *text;
        bool found;
    } rows[] = {{LATE("0xff"), true},
                {LATE("0x1f"), true},
                {LATE("0x0f"), false},
                {LATE("0"), false}};
    for (unsigned seed = 0; seed < 3; seed++)
        for (unsigned k = 0; k < XK_COUNTOF(rows); k++) {
            struct check_lab x = {
                .platform = "xehpg",
                .text = rows[k].text,
                .n_threads = 1,
                .check = {.on = XK_CHECK_HAZARD, .hazard_seed = seed}};
            check_lab_run(&x);
            /* by chance the load is in time */
            ck_assert_msg(rows[k].found ? x.n || seed : !x.n, "%u: %s", k,
                          x.n ? x.f[0].line : "nothing found");
        }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("disabled");
    TCase *const t = tcase_create("disabled");
    printf("# seed %llu\n", (unsigned long long)rng_seed());
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, garbage_in_channels_that_are_off_changes_nothing, 0,
                        XK_N_OPCODES);
    tcase_add_test(t, a_hazard_is_of_channels_that_are_on);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
