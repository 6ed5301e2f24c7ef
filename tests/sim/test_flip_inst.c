/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of single instructions flipped, against sim/core/known.def. Random
 * instructions of every opcode but messages run on random registers, once as
 * they are and once with a bit flipped; all of the thread's state is compared.
 * A bit that is unknown must stop with its name, one without effect change
 * nothing, and each field that acts and was flipped often enough must have
 * changed something with its opcode, unless its row names a test that shows it.
 * (Messages: tests/corpus/flip_bits.c.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/format.h"
#include "tests/isa/random_inst.h"
#include "tests/sim/flip_judge.h"
#include "tests/sim/lab.h"
#include "tests/tap.h"

#define RUNS 150   /* instructions of an opcode that run, on each platform */
#define TRIES 9000 /* until so many did */
#define FLIPS 64   /* bits of an instruction */
#define JUDGED 120 /* flips of a field that must have shown something */
#define N_INSTS 8  /* nop, nop, the instruction, and nops to jump to */
#define AT 2

static struct xk_sim_thread state;

/* Small numbers, so that sums, compares, shifts and addresses differ; and
 * random bits. */
static void fill(struct rng *r, struct xk_sim_thread *t)
{
    for (unsigned b = 0; b < XK_RF_CE; b += 4) {
        const uint64_t v = rng_bits(r);
        const float f = (float)(int)(v % 64) - 20.0f;
        uint32_t bits = (uint32_t)(v >> 32);
        if (v >> 16 & 1)
            bits = (uint32_t)(v % 97) * 0x01010101u;
        else if (v >> 17 & 1)
            memcpy(&bits, &f, 4);
        if (b >= XK_RF_A0)
            bits = (uint32_t)(v % 512) << 16 | (uint32_t)(v >> 8) % 512;
        if (b < XK_RF_ZERO || b >= XK_RF_FLAG)
            xk_rf_set_u32(t, b, bits);
    }
}

static bool run(const char *platform, const uint8_t *code,
                struct xk_sim_thread *out, struct xk_error *err)
{
    struct lab *const x = lab_open_code(platform, code, 16 * N_INSTS);
    lab_start(x, 1, 0x4c0);
    state.kernel = x->k;
    state.group = &x->group;
    state.err = &x->err;
    x->t[0] = state;
    const bool done = lab_run(x);
    *out = x->t[0];
    *err = x->err;
    lab_close(x);
    return done;
}

/* Pointers of the two runs differ. */
static bool same_state(struct xk_sim_thread *a, struct xk_sim_thread *b)
{
    return memcmp(a->rf, b->rf, sizeof a->rf) == 0 &&
           memcmp(a->acc_hi, b->acc_hi, sizeof a->acc_hi) == 0 &&
           memcmp(a->mme, b->mme, sizeof a->mme) == 0 &&
           a->active == b->active && a->waiting == b->waiting &&
           a->budget == b->budget && a->state == b->state &&
           (!a->waiting || memcmp(a->pcip, b->pcip, sizeof a->pcip) == 0);
}

static void flip(const char *platform, const struct xk_inst *i, uint8_t *code,
                 unsigned bit, struct xk_sim_thread *before)
{
    static struct xk_sim_thread after;
    struct xk_error err;
    unsigned ignored;
    uint8_t *const at = code + 16 * AT;
    const struct xk_platform *const p = xk_platform_find(platform);
    const unsigned id = xk_inst_field_at(p, at, 16, bit, &ignored);
    at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    const bool done = run(platform, code, &after, &err);
    at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    const enum flip_outcome o =
        flip_outcome_of(done, err.message, done && same_state(before, &after));
    flip_judge_field(&(struct flip){p, i, o, err.message}, id, bit);
}

/* Registers that the thread has, and all of a dpas's operands. */
static void come_near(struct xk_inst *i)
{
    i->dst.reg = i->dst.file == XK_FILE_GRF ? i->dst.reg % 96 : i->dst.reg;
    for (unsigned k = 0; k < XK_COUNTOF(i->src); k++)
        if (i->src[k].file == XK_FILE_GRF)
            i->src[k].reg %= 96;
}

/* False if the instruction does not run to the end as it is. */
static bool try_one(const char *platform, struct rng *r, enum xk_opcode op)
{
    static struct xk_sim_thread before;
    const struct xk_platform *const p = xk_platform_find(platform);
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
    fill(r, &state);
    state.dispatch = (uint32_t)rng_bits(r) & 0xffff;
    state.active = rng_below(r, 8) ? state.dispatch : 0;
    state.budget = 50;
    xk_rf_set_u32(&state, XK_RF_CR, 0x4c0);
    if (!run(platform, code, &before, &err))
        return false;
    for (unsigned k = 0; k < FLIPS; k++)
        flip(platform, &i, code, rng_below(r, 128), &before);
    return true;
}

static bool has_opcode(const struct xk_platform *p, enum xk_opcode op)
{
    return xk_isa_tables_get(p, NULL)->op_code[op] != XK_NO_CODE;
}

START_TEST(flipped_bits_do_what_the_table_says)
{
    struct rng r = {.state = rng_seed() + (unsigned)_i};
    const enum xk_opcode op = (enum xk_opcode)_i;
    unsigned tried = 0;
    if (op == XK_OPC_ILLEGAL || op == XK_OPC_NOP || xk_opcode_is_send(op) ||
        op == XK_OPC_DPASW)
        return;
    for (unsigned n = 0; lab_platforms[n]; n++)
        for (unsigned k = 0, runs = 0;
             has_opcode(xk_platform_find(lab_platforms[n]), op) &&
             runs < RUNS && k < TRIES;
             k++) {
            runs += try_one(lab_platforms[n], &r, op);
            tried += runs > 0;
        }
    ck_assert_msg(tried > 0, "%s: none ran, seed %llu", xk_opcode_name(op),
                  (unsigned long long)rng_seed());
    ck_assert_msg(flip_silent_of(op, JUDGED) == 0, "%s, seed %llu",
                  xk_opcode_name(op), (unsigned long long)rng_seed());
}
END_TEST

int main(void)
{
    Suite *s = suite_create("flip_inst");
    TCase *t = tcase_create("flip_inst");
    printf("# seed %llu\n", (unsigned long long)rng_seed());
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, flipped_bits_do_what_the_table_says, 0,
                        XK_N_OPCODES);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
