/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard against an independent enumerator. It replays an instruction
 * trace (a loop's body twice, by following its branch) and, for every pair of
 * instructions with a register, flag or accumulator in common, asks whether
 * some wait at or before the second one makes it come after the first. It
 * knows nothing of the pass: it keeps the whole trace and looks at all pairs.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "codegen/scoreboard.h"
#include "isa/traits.h"
#include "harness.h"
#include "suites.h"

#define MAX_TRACE 4096
#define N_BITS (256 + 8 + 2)

struct touched {
    uint8_t rd[N_BITS], wr[N_BITS];
};

static const struct xk_platform *dg2(void)
{
    return xk_platform_get(XK_PLATFORM_XEHPG);
}

static void mark_operand(const struct xk_inst *i, int k, uint8_t *bits)
{
    const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
    if (o->file == XK_FILE_GRF) {
        const struct xk_footprint f = xk_inst_footprint(dg2(), i, k);
        for (uint32_t b = f.first_b; b < f.end_b; b++)
            bits[b / 32] = 1;
    } else if (o->file == XK_FILE_ARF && o->arf == XK_ARF_F) {
        const bool word = o->type == XK_RT_UW || o->type == XK_RT_W;
        bits[256 + o->reg * 2 + o->sub_b / 2] = 1;
        if (!word)
            bits[256 + o->reg * 2 + 1] = 1;
    } else if (o->file == XK_FILE_ARF && o->arf == XK_ARF_ACC) {
        bits[264] = 1;
    } else if (o->file == XK_FILE_ARF && o->arf == XK_ARF_CR) {
        bits[265] = 1;
    }
}

static void touch(const struct xk_inst *i, struct touched *t)
{
    memset(t, 0, sizeof *t);
    if (i->op == XK_OPC_SYNC)
        return;
    t->rd[265] = 1; /* the rounding and denormal modes */
    mark_operand(i, -1, t->wr);
    for (int k = 0; k < 3; k++)
        mark_operand(i, k, t->rd);
    const unsigned f = 256 + i->flag_reg * 2u + i->flag_sub;
    if (i->pred)
        t->rd[f] = 1;
    if (i->cond && i->op != XK_OPC_SEL)
        t->wr[f] = 1;
    if (i->op == XK_OPC_MACH)
        t->rd[264] = t->wr[264] = 1;
    if (i->acc_wr_en)
        t->wr[264] = 1;
}

static bool out_of_order(const struct xk_inst *i)
{
    return xk_inst_is_send(i) || i->op == XK_OPC_MATH || xk_inst_is_dpas(i);
}

/* Which of F (1) and I (2) an in-order instruction runs in. */
static unsigned pipe_bit(const struct xk_inst *i)
{
    if (out_of_order(i) || i->op == XK_OPC_SYNC)
        return 0;
    const bool null = i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_NULL;
    const uint8_t t = null ? i->src[0].type : i->dst.type;
    return t == XK_RT_F || t == XK_RT_HF ? 1 : 2;
}

/* Does the wait of w, at trace place at, cover the in-order instruction at
 * place from? */
static bool covers_distance(const struct xk_inst *const *trace, unsigned from,
                            unsigned at)
{
    const struct xk_inst *const w = trace[at];
    const unsigned mine = pipe_bit(trace[from]);
    unsigned pipes, behind = 0;
    if (!w->swsb.dist)
        return false;
    switch (w->swsb.pipe) {
    case XK_PIPE_ALL:
        pipes = 3;
        break;
    case XK_PIPE_FLOAT:
        pipes = 1;
        break;
    case XK_PIPE_INT:
        pipes = 2;
        break;
    default:
        pipes = out_of_order(w) ? 3 : pipe_bit(w);
        break;
    }
    if (!(pipes & mine))
        return false;
    /* Not counting branches, which may or may not count, is strict. */
    for (unsigned k = from; k < at; k++)
        behind += pipe_bit(trace[k]) == mine && !xk_inst_is_branch(trace[k]);
    return w->swsb.dist <= behind;
}

static bool covers_token(const struct xk_inst *w, unsigned sbid, bool only_read)
{
    if (w->swsb.mode == XK_SBID_DST ||
        (only_read && w->swsb.mode == XK_SBID_SRC))
        return w->swsb.sbid == sbid;
    if (w->swsb.mode == XK_SBID_SET && w->swsb.sbid == sbid)
        return true; /* stalls until the token is free */
    if (w->op != XK_OPC_SYNC || w->src[0].file != XK_FILE_IMM)
        return false;
    if (w->sync_fn == XK_SYNC_ALLWR ||
        (w->sync_fn == XK_SYNC_ALLRD && only_read))
        return w->src[0].imm >> sbid & 1;
    return false;
}

static bool pair_ok(const struct xk_inst *const *trace, unsigned a, unsigned b,
                    bool only_read)
{
    const bool ooo = out_of_order(trace[a]);
    const unsigned last = b;
    unsigned speaker = a; /* the last of an Atomic chain has the token of all */
    while (ooo && trace[speaker]->atomic)
        speaker++;
    if (ooo && trace[speaker]->swsb.mode != XK_SBID_SET)
        return trace[a]->send.eot;
    for (unsigned w = a + 1; w <= last; w++)
        if (ooo ? w > speaker &&
                      covers_token(trace[w], trace[speaker]->swsb.sbid,
                                   only_read)
                : covers_distance(trace, a, w))
            return true;
    return false;
}

/* First uncovered pair; false if there is none. */
static bool find_gap(const struct xk_inst *const *trace, unsigned n,
                     unsigned *first, unsigned *second)
{
    struct touched *const t = malloc(n * sizeof *t);
    bool gap = false;
    for (unsigned i = 0; i < n; i++)
        touch(trace[i], &t[i]);
    for (unsigned b = 1; b < n && !gap; b++)
        for (unsigned a = b > 300 ? b - 300 : 0; a < b && !gap; a++) {
            bool raw = false, waw = false, war = false;
            const bool same =
                pipe_bit(trace[a]) && pipe_bit(trace[a]) == pipe_bit(trace[b]);
            if (xk_inst_is_branch(trace[a]))
                continue;
            for (unsigned r = 0; r < N_BITS; r++) {
                raw |= t[a].wr[r] && t[b].rd[r];
                waw |= t[a].wr[r] && t[b].wr[r];
                /* a message takes its predicate with it */
                war |= t[a].rd[r] && t[b].wr[r] &&
                       (r < 256 || !out_of_order(trace[a]));
            }
            /* nothing may be written after the thread's end */
            raw |= trace[b]->send.eot && out_of_order(trace[a]) &&
                   trace[a]->dst.file == XK_FILE_GRF;
            if (same)
                waw = war = false;
            if (!raw && !waw && !war)
                continue;
            if (!pair_ok(trace, a, b, !raw && !waw)) {
                *first = a;
                *second = b;
                gap = true;
            }
        }
    free(t);
    return gap;
}

/* The decoded instructions of a program, and a trace that takes every backward
 * branch once and no forward one. */
struct program {
    struct xk_inst *i;
    unsigned n;
    const struct xk_inst *trace[MAX_TRACE];
    unsigned n_trace;
};

static void decode(const struct xk_str *code, struct program *p)
{
    struct xk_error err;
    size_t used;
    p->n = (unsigned)(code->len / XK_INST_B);
    p->i = calloc(p->n, sizeof *p->i);
    for (unsigned i = 0; i < p->n; i++)
        ck_assert_int_eq(
            xk_inst_decode(dg2(), (const uint8_t *)code->s + i * XK_INST_B,
                           XK_INST_B, &p->i[i], &used, &err),
            XK_OK);
}

static void trace_program(struct program *p)
{
    bool *const taken = calloc(p->n, sizeof *taken);
    p->n_trace = 0;
    for (unsigned i = 0; i < p->n && p->n_trace < MAX_TRACE;) {
        p->trace[p->n_trace++] = &p->i[i];
        if (xk_inst_is_branch(&p->i[i]) && p->i[i].jip_b < 0 && !taken[i]) {
            taken[i] = true;
            i = (unsigned)((int)i + p->i[i].jip_b / XK_INST_B);
        } else {
            i++;
        }
    }
    free(taken);
}

static const char *const kernels[] = {
    /* gathers in a pipelined loop, masks, a division through acc0 */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, gx: group_x < 90000, "
    "tid: thread < 2) {\n"
    "let lin: s32x16 = ramp.16(gx * 16, 1)\n"
    "let row: s32x16 = lin / bcast.16(1001)\n"
    "let off: s32x16 = row * bcast.16(4096) + (lin % bcast.16(1001)) * "
    "bcast.16(4)\n"
    "let m: boolx16 = (row < bcast.16(50)) & (lin > bcast.16(3))\n"
    "alloc a: grf[512]\nalloc b: grf[256]\nalloc acc: grf[128]\n"
    "store &acc[0] = bcast.16(0.0)\nstore &acc[64] = bcast.16(0.0)\n"
    "for kh in 0..3 {\n"
    "pipe i in 0..9 slots 2 stages 2 {\n stage 0 {\n"
    "  send.load.global.a64.d32x4.s16(&src[0], off + bcast.16(i * 16 + kh * "
    "64), &a[(i % 2) * 256], m)\n"
    "  send.load.global.a64.d32x32.block(&src[0], i * 128 + kh, &b[(i % 2) * "
    "128], true)\n }\n stage 1 {\n"
    "  mad.f32.s16.b110(&acc[0], &acc[0], &a[(i % 2) * 256], &b[(i % 2) * "
    "128])\n"
    "  mad.f32.s16.b110(&acc[64], &acc[64], &a[(i % 2) * 256 + 64], &b[(i % 2)"
    " * 128 + 4])\n"
    "  mad.f32.s16.b110(&acc[0], &acc[0], &a[(i % 2) * 256 + 128], &b[(i % 2) "
    "* 128 + 8])\n }\n}\n}\n"
    "load v: f32x16 = &acc[0]\nstore &acc[0] = max(v, bcast.16(0.0))\n"
    "send.store.global.a64.d32x2.s16(&dst[0], lin * bcast.16(8), &acc[0], m)\n"
    "load w: f32x16 = &acc[64]\nstore &acc[0] = w\n"
    "send.store.global.a64.d32x1.s16(&dst[0], lin * bcast.16(8), &acc[0], m)\n"
    "}\n",
    /* more messages than tokens, buffers reused at once, int after float */
    "kernel t simd 16 (src: ptr.global, dst: ptr.global, tid: thread < 2) {\n"
    "alloc a: grf[1280]\nalloc c: grf[64]\n"
    "for i in 0..5 {\n"
#define LOAD(n)                                                                \
    "send.load.global.a64.d32x16.block(&src[0], i * 64 + " #n ", &a[" #n       \
    "], true)\n"
    LOAD(0) LOAD(64) LOAD(128) LOAD(192) LOAD(256) LOAD(320) LOAD(384) LOAD(448)
        LOAD(512) LOAD(576) LOAD(640) LOAD(704) LOAD(768) LOAD(832) LOAD(896)
            LOAD(960) LOAD(1024) LOAD(1088) LOAD(
                1152) "load x: f32x16 = &a[0]\nload y: f32x16 = &a[1152]\n"
                      "store &c[0] = x * y + x\n"
                      "load z: s32x16 = &c[0]\nstore &a[64] = z + bcast.16(3)\n"
                      "load u: s32x16 = &a[64]\nstore &a[0] = u ^ z\n"
                      "send.store.global.a64.d32x16.block(&dst[0], i * 64, "
                      "&a[0], true)\n}\n}\n",
    /* a chain of dpas behind its loads, in a loop; halves made at the end */
    "kernel t simd 8 (src: ptr.global, dst: ptr.global, gx: group_x < 900, "
    "tid: thread < 2) {\n"
    "let off: s32x8 = ramp.8(gx * 8 + tid, 1) * bcast.8(1024)\n"
    "let m: boolx8 = off < bcast.8(900000)\n"
    "alloc a: grf[256]\nalloc b: grf[768]\nalloc acc: grf[768]\n"
    "alloc out: grf[256]\n"
    "store &acc[0] = bcast.64(0.0)\nstore &acc[256] = bcast.64(0.0)\n"
    "store &acc[512] = bcast.64(0.0)\n"
    "for kh in 0..3 {\nstore &a[0] = bcast.64(0.0)\n"
    "pipe i in 0..7 slots 1 stages 1 {\n stage 0 {\n"
    "  send.load.global.a64.d32x4.s8(&src[0], off + bcast.8(i * 32 + kh * "
    "4096), &a[0], m)\n"
    "  send.load.global.a64.d32x4.s8(&src[0], off + bcast.8(i * 32 + kh * "
    "4096 + 16), &a[128], m)\n"
    "  send.load.global.a64.d32x64.block(&src[0], i * 768 + kh, &b[0], true)\n"
    "  send.load.global.a64.d32x64.block(&src[0], i * 768 + kh + 256, &b[256],"
    " true)\n"
    "  send.load.global.a64.d32x64.block(&src[0], i * 768 + kh + 512, &b[512],"
    " true)\n"
    "  dpas.f32_f32_f16_f16.e8.d8.r8(&acc[0], &acc[0], &a[0], &b[0])\n"
    "  dpas.f32_f32_f16_f16.e8.d8.r8(&acc[256], &acc[256], &a[0], &b[256])\n"
    "  dpas.f32_f32_f16_f16.e8.d8.r8(&acc[512], &acc[512], &a[0], &b[512])\n"
    " }\n}\n}\n"
    "reorder.f16_f32[4:16:16, 2:1:8, 8:2:1](&out[0], &acc[256])\n"
    "send.store.global.a64.d32x4.s8(&dst[0], off, &out[0], m)\n"
    "send.store.global.a64.d32x4.s8(&dst[0], off + bcast.8(16), &acc[512], m)"
    "\n}\n",
};

static void load_kernel(unsigned n, struct program *p)
{
    struct cg_code code;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (cg_generate(c, kernels[n], 0, &code) < 0)
        ck_abort_msg("%s", c->error.message);
    decode(&code.code, p);
    trace_program(p);
    cg_code_fini(&code);
    xk_ctx_destroy(c);
}

START_TEST(every_dependency_is_covered)
{
    struct program p;
    unsigned a, b;
    load_kernel((unsigned)_i, &p);
    if (find_gap(p.trace, p.n_trace, &a, &b))
        ck_abort_msg("instruction %u may overtake %u",
                     (unsigned)(p.trace[b] - p.i),
                     (unsigned)(p.trace[a] - p.i));
    free(p.i);
}
END_TEST

/* A wait in front of a loop spares those inside: they may make up for it. */
static bool enters_loop(const struct program *p, unsigned at)
{
    const int64_t to_b = (int64_t)(at + 1) * XK_INST_B;
    if (p->i[at].op == XK_OPC_JMPI)
        return p->i[at].pred == XK_PRED_NONE && p->i[at].jip_b > 0;
    if (p->i[at].op != XK_OPC_SYNC)
        return false;
    for (unsigned i = at + 1; i < p->n; i++)
        if (p->i[i].op == XK_OPC_JMPI &&
            (int64_t)i * XK_INST_B + p->i[i].jip_b == to_b)
            return true;
    return false;
}

/* The end waits for all pipes whatever its payload needs (W02 14013672992): an
 * earlier instruction may have waited for the payload already. */
static bool ends(const struct xk_inst *i)
{
    return i->op == XK_OPC_SEND && i->send.eot;
}

/* Dropping the distance or the wait of any one instruction leaves a gap, but
 * for the few that a later one happens to make up for. */
START_TEST(dropping_an_annotation_leaves_a_gap)
{
    struct program p;
    unsigned a, b, dropped = 0, found = 0;
    load_kernel((unsigned)_i, &p);
    for (unsigned i = 1; i < p.n; i++) {
        const struct xk_swsb keep = p.i[i].swsb;
        if (p.i[i].op == XK_OPC_SYNC && keep.mode == XK_SBID_NONE &&
            !keep.dist) {
            const uint8_t op = p.i[i].sync_fn; /* an allrd or allwr */
            p.i[i].sync_fn = XK_SYNC_NOP;
            dropped++;
            found += find_gap(p.trace, p.n_trace, &a, &b);
            p.i[i].sync_fn = op;
        }
        if (keep.dist && !enters_loop(&p, i) && !ends(&p.i[i])) {
            p.i[i].swsb.dist = 0;
            dropped++;
            found += find_gap(p.trace, p.n_trace, &a, &b);
            p.i[i].swsb = keep;
        }
        if (keep.mode == XK_SBID_DST || keep.mode == XK_SBID_SRC) {
            p.i[i].swsb.mode = XK_SBID_NONE;
            dropped++;
            found += find_gap(p.trace, p.n_trace, &a, &b);
            p.i[i].swsb = keep;
        }
    }
    ck_assert_uint_gt(dropped, 20);
    ck_assert(ends(&p.i[p.n - 1]));
    ck_assert_uint_eq(p.i[p.n - 1].swsb.dist, 1);
    ck_assert_uint_eq(p.i[p.n - 1].swsb.pipe, XK_PIPE_ALL);
    if (found != dropped)
        ck_abort_msg("%u of %u annotations are needed", found, dropped);
    free(p.i);
}
END_TEST

/* Hand-made lists: what must be waited for, by the rules of isa.md 5.3. */
START_TEST(a_message_in_flight_is_waited_for)
{
    struct xk_inst in[3] = {0}, *out = NULL;
    unsigned n = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    in[0] = (struct xk_inst){.op = XK_OPC_SEND, .exec = 1, .no_mask = true};
    in[0].dst = (struct xk_operand){
        .file = XK_FILE_GRF, .reg = 20, .type = XK_RT_UD, .rgn = {0, 0, 1}};
    in[0].src[0] =
        (struct xk_operand){.file = XK_FILE_GRF, .reg = 10, .type = XK_RT_UD};
    in[0].send = (struct xk_send_info){.sfid = XK_SFID_UGM,
                                       .desc = 0x0210d580}; /* d32x8t a64 */
    in[1] = (struct xk_inst){.op = XK_OPC_MOV, .exec = 8, .no_mask = true};
    in[1].dst = in[0].dst;
    in[1].dst.reg = 10; /* the header: read by the message */
    in[1].src[0] = (struct xk_operand){.file = XK_FILE_IMM, .type = XK_RT_UD};
    in[2] = in[1];
    in[2].dst.reg = 30;
    in[2].src[0] = (struct xk_operand){
        .file = XK_FILE_GRF, .reg = 20, .type = XK_RT_UD, .rgn = {1, 1, 0}};
    ck_assert_int_eq(xk_scoreboard(c, dg2(), in, 3, &out, &n), XK_OK);
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(out[0].swsb.mode, XK_SBID_SET);
    ck_assert_uint_eq(out[1].swsb.mode, XK_SBID_SRC);
    ck_assert_uint_eq(out[2].swsb.mode, XK_SBID_DST);
    ck_assert_uint_eq(out[2].swsb.sbid, out[0].swsb.sbid);
    xk_free(c, out);
    xk_ctx_destroy(c);
}
END_TEST

TCase *cg_scoreboard_tests(void)
{
    TCase *const t = tcase_create("scoreboard");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, every_dependency_is_covered, 0,
                        (int)XK_COUNTOF(kernels));
    tcase_add_loop_test(t, dropping_an_annotation_leaves_a_gap, 0,
                        (int)XK_COUNTOF(kernels));
    tcase_add_test(t, a_message_in_flight_is_waited_for);
    return t;
}
