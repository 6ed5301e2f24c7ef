/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of single messages flipped, against sim/core/known.def: what
 * test_flip_inst.c does for other instructions. Random messages of every kind
 * that has untyped addresses, or none, run on all platforms, once as they are
 * and once with a bit of the instruction flipped; memory and the registers from
 * DST on are compared. A bit that is unknown must stop with its name, one
 * without effect change nothing, and each field that acts and was flipped often
 * enough must have changed something with that kind. (Typed
 * messages: test_typed.c; kernels: tests/corpus/flip_bits.c.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm.h"
#include "isa/format.h"
#include "isa/message_table.h"
#include "tests/isa/random_inst.h"
#include "tests/sim/flip_judge.h"
#include "tests/sim/message_lab.h"
#include "tests/tap.h"

#define RUNS 10     /* messages of a kind that run, on each platform */
#define TRIES 20000 /* until so many did */
#define OTHERS 16   /* flips outside of the descriptor */
#define AT_B 48     /* where the message stands */

static struct message_lab start, after;
static uint32_t mask;

static unsigned below(unsigned n)
{
    return ml_rnd() % n;
}

/* -- A random message -- */

/* Ports are bits by enum xk_sfid. */
static bool random_port(const struct xk_msg_row *row, struct xk_send_info *s)
{
    for (unsigned tries = 0; tries < 99; tries++) {
        s->sfid = (uint8_t)below(16);
        if (row->ports >> s->sfid & 1)
            return true;
    }
    return false;
}

static uint32_t random_fields(const struct xk_msg_row *row)
{
    uint32_t desc = row->value;
    for (const struct xk_msg_slot *s = xk_msg_slots(row->layout); s->width; s++)
        for (unsigned b = 0; b < s->width; b++)
            desc |= (uint32_t)below(2) << (s->first + b);
    return desc;
}

/* Places that the lab has: the buffer by its addresses, by offsets from the
 * general base, or as a surface. */
static void come_home(struct xk_msg *m, const struct xk_msg_row *row)
{
    static const uint8_t bti[] = {BTI, XK_BTI_STATELESS, XK_BTI_STATELESS_NC};
    const bool lsc = xk_msg_is_lsc(m->sfid);
    m->bti = 0;
    m->surf_reg = false;
    if (lsc && m->addr_type == XK_LSC_FLAT && row->shape != XK_SHAPE_FENCE)
        m->addr_b = 8;
    else if (lsc && row->shape != XK_SHAPE_FENCE)
        m->addr_b = row->addr_b ? row->addr_b : 4;
    if (lsc && m->addr_type == XK_LSC_BTI)
        m->bti = bti[below(2)];
    if (lsc && (m->addr_type == XK_LSC_SS || m->addr_type == XK_LSC_BSS)) {
        m->surf_imm = true;
        m->surf_off = 0x140;
    }
    if (!lsc && m->addr_b == 4 && m->space != XK_MSPACE_SCRATCH)
        m->bti = bti[below(3)];
    if (!lsc && m->addr_b == 8)
        m->bti = XK_BTI_STATELESS;
    m->scratch_b = m->scratch_b / 32 % 16 * 32;
}

static bool make_block2d(struct xk_msg *m)
{
    struct xk_error err = {.message = ""};
    uint32_t dw[8];
    const unsigned most_w = m->data_b ? 64u / m->data_b : 0;
    const struct xk_block2d h = {.base = MEM_VA + 64 * below(8),
                                 .width_b = 64 + 8 * below(16),
                                 .height = 1 + below(24),
                                 .pitch_b = 192,
                                 .x = (int)below(24) - 4,
                                 .y = (int)below(16) - 4,
                                 .block_w =
                                     (uint8_t)(1 + below(most_w ? most_w : 1)),
                                 .block_h = (uint8_t)(1 + below(16)),
                                 .n_blocks = (uint8_t)(1u << below(3))};
    if (!most_w)
        return false;
    m->exec = 1;
    const unsigned grfs = xk_block2d_grfs(ml.p, m, &h);
    if (!grfs || grfs > N_DUMPED || xk_block2d_pack(&h, dw, &err) != XK_OK)
        return false;
    memcpy(ml.regs + ADDR * ml.p->grf_b, dw, sizeof dw);
    m->src0_grf = 1;
    m->dst_grf = m->src1_grf = 0;
    *(ml_is_store(m) ? &m->src1_grf : &m->dst_grf) = (uint8_t)grfs;
    return true;
}

static enum place place_of(const struct xk_msg *m)
{
    return m->space == XK_MSPACE_FLAT        ? FLAT
           : m->space == XK_MSPACE_STATELESS ? STATELESS
           : m->space == XK_MSPACE_SLM       ? LOCAL
                                             : SURFACE;
}

static void block_address(const struct xk_msg *m)
{
    uint8_t *const at = ml.regs + ADDR * ml.p->grf_b;
    const uint64_t a =
        ml_address(place_of(m), 64 + below(40) * 64) /
        (!xk_msg_is_lsc(m->sfid) && ml_in_owords(m->kind) ? 16 : 1);
    if (xk_msg_is_lsc(m->sfid) || m->addr_b == 8)
        memcpy(at, &a, m->addr_b);
    else
        ml_put32(at + 8, (uint32_t)a);
    ml_put32(at + 20, 0x1000); /* scratch */
}

/* Addresses for what was built. */
static void fill_addresses(const struct xk_msg *m)
{
    uint32_t off[32];
    if (xk_msg_is_block2d(m) || !m->addr_b)
        return;
    if (xk_msg_is_block(m)) {
        block_address(m);
        return;
    }
    const unsigned comps = m->cmask ? 4 : m->vec ? m->vec : 1;
    const unsigned align = ml_alignment(m) < 8 ? 8 : ml_alignment(m);
    ml_choose_offsets(off, 32, comps * (m->data_b ? m->data_b : 8), align,
                      place_of(m) == SURFACE ? SURFACE_B : MEM_B);
    for (unsigned l = 0; l < 32; l++)
        off[l] &= ~(align - 1);
    ml_place_addresses(m, place_of(m), off, mask);
    if (xk_msg_is_strided(m))
        ml_put32(ml.regs + ADDR * ml.p->grf_b + m->addr_b, 32);
}

/* Numbers that compare, add and multiply; every third lane equals the other. */
static void fill_data(void)
{
    for (unsigned k = 0; k < sizeof ml.mem / 4; k++) {
        const float f = (float)((int)below(64) - 32) / 4;
        uint32_t v = below(2) ? below(3) : ml_rnd();
        if (below(2))
            memcpy(&v, &f, 4);
        memcpy(ml.mem + 4 * k, &v, 4);
        if (4 * k + 4 <= 30 * ml.p->grf_b)
            ml_put32(ml.regs + DATA * ml.p->grf_b + 4 * k,
                     below(3) ? v : below(3));
    }
}

static bool predicate(struct xk_inst *i)
{
    struct xk_error err;
    i->pred = below(3) ? XK_PRED_NONE : XK_PRED_NORMAL;
    i->pred_inv = i->pred == XK_PRED_NORMAL && below(2);
    i->flag_reg = (uint8_t)below(2);
    return xk_inst_encode(ml.p, i, ml.code + AT_B, &err) == XK_OK;
}

/* Flags that differ. */
static void emit_flags(void)
{
    char text[160];
    struct xk_asm_source source = {.text = text, .file = "flags"};
    xk_ctx *const c = xk_ctx_create(NULL);
    uint8_t *code = NULL;
    size_t code_b = 0;
    source.n_b = (size_t)snprintf(
        text, sizeof text,
        "(W) mov (1|M0) f0.0<1>:ud 0x%x:ud\n"
        "(W) mov (1|M0) f1.0<1>:ud 0x%x:ud\nsync.nop null {%s@1}\n",
        ml_rnd(), ml_rnd(), ml.p->id == XK_PLATFORM_XELP ? "" : "A");
    ck_assert_msg(xk_assemble_text(c, ml.p, &source, false, &code, &code_b) >=
                          0 &&
                      code_b == AT_B,
                  "%s", c->error.message);
    memcpy(ml.code, code, AT_B);
    ml.n_code = AT_B / 16;
    xk_free(c, code);
    xk_ctx_destroy(c);
}

/* False if there is no such message, or it is not executed as it is. */
static bool try_message(unsigned platform, unsigned kind, struct xk_inst *i)
{
    const struct xk_msg_row *const row = xk_msg_row(kind);
    struct xk_msg m;
    struct xk_error err = {.message = ""};
    size_t used_b;
    ml_begin(platform);
    emit_flags();
    fill_data();
    mask = below(3) ? ml_rnd() | 1 : UINT32_MAX;
    *i = (struct xk_inst){.op = XK_OPC_SEND,
                          .exec = (uint8_t)(1u << below(6)),
                          .send.desc = random_fields(row)};
    if (!random_port(row, &i->send))
        return false;
    xk_msg_decode(ml.p, i, &m);
    if (m.kind != kind)
        return false;
    m.exec = xk_msg_is_lsc(m.sfid) && m.transpose ? 1 : i->exec;
    come_home(&m, row);
    if (xk_msg_is_block2d(&m) && !make_block2d(&m))
        return false;
    if (!ml_send(&m, ADDR, DATA, DST, below(2)) || m.dst_grf > N_DUMPED ||
        m.src1_grf > DST - DATA || m.src0_grf > DATA - ADDR)
        return false;
    fill_addresses(&m);
    ml_finish_code();
    if (xk_inst_decode(ml.p, ml.code + AT_B, 16, i, &used_b, &err) < 0 ||
        !predicate(i))
        return false;
    start = ml;
    const bool ran = ml_run(mask, &err) == XK_OK;
    after = ml;
    return ran;
}

/* -- Bits of it -- */

static enum flip_outcome outcome_of(unsigned bit, struct xk_error *err)
{
    const uint64_t seed = ml.seed;
    *err = (struct xk_error){.message = ""};
    ml = start;
    ml.seed = seed; /* the next bit is another one */
    ml.code[AT_B + bit / 8] ^= (uint8_t)(1u << bit % 8);
    const bool ran = ml_run(mask, err) == XK_OK;
    return flip_outcome_of(ran, err->message,
                           !memcmp(ml.mem, after.mem, sizeof ml.mem) &&
                               !memcmp(ml.dump, after.dump, sizeof ml.dump));
}

static void flip(const struct xk_inst *i, unsigned bit)
{
    struct xk_error err;
    unsigned at = 0;
    const unsigned id = xk_inst_field_at(ml.p, start.code + AT_B, 16, bit, &at);
    const enum flip_outcome o = outcome_of(bit, &err);
    const struct flip f = {ml.p, i, o, err.message};
    if (id == XK_FLD_S_DESC)
        flip_judge_descriptor(&f, at);
    else
        flip_judge_field(&f, id, bit);
}

static void flip_message(const struct xk_inst *i)
{
    bool seen[128] = {false};
    unsigned at, n = 0;
    for (unsigned bit = 0; bit < 128; bit++)
        if (xk_inst_field_at(ml.p, start.code + AT_B, 16, bit, &at) ==
            XK_FLD_S_DESC)
            flip(i, bit);
    for (unsigned k = 0; k < OTHERS; k++) {
        const unsigned bit = below(128);
        n += !seen[bit];
        seen[bit] = true;
        flip(i, bit);
    }
    ck_assert_uint_gt(n, OTHERS / 2);
}

/* Typed messages and media blocks need surfaces of their own, the others of
 * shape GIVEN or the gateway's are refused, or end the thread. */
static bool is_here(const struct xk_msg_row *row, unsigned platform)
{
    static const char *const names[] = {"xelp", "xehpg", "xehpc"};
    const struct xk_platform *const p = xk_platform_find(names[platform]);
    return row->platforms >> p->id & 1 && row->shape != XK_SHAPE_GIVEN &&
           row->shape != XK_SHAPE_GATEWAY && row->shape != XK_SHAPE_STATUS;
}

START_TEST(flipped_bits_of_messages_do_what_the_table_says)
{
    const unsigned kind = (unsigned)_i;
    const struct xk_msg_row *const row = xk_msg_row(kind);
    for (unsigned platform = 0; row && platform < N_PLATFORMS; platform++) {
        unsigned ran = 0;
        ml.seed = rng_seed() + kind;
        ml.quiet = true;
        for (unsigned k = 0; is_here(row, platform) && ran < RUNS && k < TRIES;
             k++) {
            struct xk_inst i;
            if (!try_message(platform, kind, &i))
                continue;
            flip_message(&i);
            ran++;
        }
        ck_assert_msg(ran || !is_here(row, platform), "%s: none ran",
                      xk_msg_kind_name(kind));
    }
    ck_assert_msg(flip_silent_fields(kind) == 0, "%s", xk_msg_kind_name(kind));
}
END_TEST

START_TEST(each_field_of_a_send_acts)
{
    ck_assert_uint_eq(flip_silent_of(XK_OPC_SEND, FLIP_JUDGED), 0);
    ck_assert_uint_gt(flip_judged_fields(XK_OPC_SEND, FLIP_JUDGED), 10);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("flip_message");
    TCase *const t = tcase_create("flip_message");
    printf("# seed %llu\n", (unsigned long long)rng_seed());
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, flipped_bits_of_messages_do_what_the_table_says, 0,
                        XK_N_MSG_KINDS);
    tcase_add_test(t, each_field_of_a_send_acts);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
