/* SPDX-License-Identifier: Apache-2.0 */
/* Register bytes, accumulator use and pipes; expected values by hand. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/isa.h"
#include "isa/traits.h"
#include "tests/isa/tests.h"

#define G(t, r, s) .file = XK_FILE_GRF, .type = XK_RT_##t, .reg = r, .sub_b = s
#define NIL .file = XK_FILE_ARF, .arf = XK_ARF_NULL
#define ACC .file = XK_FILE_ARF, .arf = XK_ARF_ACC

/* clang-format off */
static const struct {
    struct xk_inst i;
    struct xk_footprint f[4]; /* dst, src0, src1, src2: bytes */
} cases[] = {
    /* add (16|M0) r10.0<1>:f r12.0<1;1,0>:f r14.2<0;1,0>:f */
    {{.op = XK_OPC_ADD, .exec = 16, .dst = {G(F, 10, 0), .rgn = {0, 0, 1}},
      .src = {{G(F, 12, 0), .rgn = {1, 1, 0}},
              {G(F, 14, 8), .rgn = {0, 1, 0}}}},
     {{320, 384}, {384, 448}, {456, 460}, {0, 0}}},
    /* mov (8|M0) r10.1<2>:b r1.1<4;1,0>:ub */
    {{.op = XK_OPC_MOV, .exec = 8, .dst = {G(B, 10, 1), .rgn = {0, 0, 2}},
      .src = {{G(UB, 1, 1), .rgn = {4, 1, 0}}}},
     {{321, 336}, {33, 62}, {0, 0}, {0, 0}}},
    /* mov (16|M0) r10.0<1>:w r1.0<8;4,2>:w: rows at 0,16,32,48 of 7 words */
    {{.op = XK_OPC_MOV, .exec = 16, .dst = {G(W, 10, 0), .rgn = {0, 0, 1}},
      .src = {{G(W, 1, 0), .rgn = {8, 4, 2}}}},
     {{320, 352}, {32, 32 + 2 * (3 * 8 + 3 * 2 + 1)}, {0, 0}, {0, 0}}},
    /* mov (8|M0) null<1>:d r[a0.0]<1,0>:d */
    {{.op = XK_OPC_MOV, .exec = 8, .dst = {NIL, .type = XK_RT_D},
      .src = {{G(D, 0, 0), .indirect = true, .rgn = {XK_VS_VXH, 1, 0}}}},
     {{0, 0}, {0, 8192}, {0, 0}, {0, 0}}},
    /* mad (8|M0) r1.0<2>:f r2.0<8;1>:f r4.0<4;2>:f r6.4<0>:f */
    {{.op = XK_OPC_MAD, .exec = 8, .dst = {G(F, 1, 0), .rgn = {0, 0, 2}},
      .src = {{G(F, 2, 0), .rgn = {8, 0, 1}}, {G(F, 4, 0), .rgn = {4, 0, 2}},
              {G(F, 6, 16), .rgn = {0, 0, 0}}}},
     {{32, 32 + 60}, {64, 96}, {128, 128 + 4 * (3 * 4 + 2 + 1)}, {208, 212}}},
    /* dpas.8x8 r10:f r10:f r20:hf r30.0:hf */
    {{.op = XK_OPC_DPAS, .exec = 8, .sdepth = 8, .rcount = 8,
      .dst = {G(F, 10, 0)},
      .src = {{G(F, 10, 0)}, {G(HF, 20, 0)}, {G(HF, 30, 0)}}},
     {{320, 576}, {320, 576}, {640, 896}, {960, 1216}}},
    /* dpas.8x4 r10:d null:d r20:s4 r30.0:b: src1 packs two depths a dword */
    {{.op = XK_OPC_DPAS, .exec = 8, .sdepth = 8, .rcount = 4,
      .dst = {G(D, 10, 0)},
      .src = {{NIL, .type = XK_RT_D}, {G(S4, 20, 0)}, {G(B, 30, 0)}}},
     {{320, 448}, {0, 0}, {640, 768}, {960, 1088}}},
    /* dpas.8x2 u2 with u4: both below a byte, 64 products a row */
    {{.op = XK_OPC_DPAS, .exec = 8, .sdepth = 8, .rcount = 2,
      .dst = {G(D, 10, 0)},
      .src = {{G(D, 10, 0)}, {G(U4, 20, 0)}, {G(U2, 30, 16)}}},
     {{320, 384}, {320, 384}, {640, 896}, {976, 1008}}},
    /* dpasw.8x8: half of src2's rows are this thread's */
    {{.op = XK_OPC_DPASW, .exec = 8, .sdepth = 8, .rcount = 8,
      .dst = {G(F, 10, 0)},
      .src = {{G(F, 10, 0)}, {G(BF, 20, 0)}, {G(BF, 30, 0)}}},
     {{320, 576}, {320, 576}, {640, 896}, {960, 1088}}},
    /* send.ugm r1 r2 r6:2, 4 registers of address, 2 back */
    {{.op = XK_OPC_SEND, .exec = 16, .dst = {G(UD, 1, 0)},
      .src = {{G(UD, 2, 0)}, {G(UD, 6, 0)}},
      .send = {.sfid = XK_SFID_UGM, .desc = 0x08200580, .src1_len = 2}},
     {{32, 96}, {64, 192}, {192, 256}, {0, 0}}},
    /* the same with the descriptor in a0: the longest there can be */
    {{.op = XK_OPC_SEND, .exec = 16, .dst = {G(UD, 1, 0)},
      .src = {{G(UD, 2, 0)}, {NIL}}, .send = {.desc_reg = true}},
     {{32, 32 + 31 * 32}, {64, 64 + 15 * 32}, {0, 0}, {0, 0}}},
    /* call (16|M0) r1.0 16 */
    {{.op = XK_OPC_CALL, .exec = 16, .dst = {G(UD, 1, 0)}, .jip_b = 16},
     {{32, 40}, {0, 0}, {0, 0}, {0, 0}}},
    {{.op = XK_OPC_NOP, .exec = 1}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}},
};
/* clang-format on */

START_TEST(an_operand_touches_these_bytes)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);

    for (int k = -1; k < 3; k++) {
        const struct xk_footprint f = xk_inst_footprint(p, &cases[_i].i, k);

        ck_assert_uint_eq(f.first_b, cases[_i].f[k + 1].first_b);
        ck_assert_uint_eq(f.end_b, cases[_i].f[k + 1].end_b);
    }
    ck_assert_uint_eq(xk_inst_footprint(p, &cases[_i].i, 3).end_b, 0);
}
END_TEST

/* clang-format off */
static const struct {
    struct xk_inst i;
    unsigned use; /* 1 reads, 2 writes */
} accs[] = {
    {{.op = XK_OPC_ADD, .dst = {G(F, 1, 0)}, .src = {{G(F, 1, 0)}}}, 0},
    {{.op = XK_OPC_ADD, .acc_wr_en = true, .dst = {G(F, 1, 0)}}, 2},
    {{.op = XK_OPC_MUL, .dst = {ACC}, .src = {{G(D, 1, 0)}}}, 2},
    {{.op = XK_OPC_MAC, .dst = {G(F, 1, 0)}}, 1},
    {{.op = XK_OPC_MACH, .dst = {G(D, 1, 0)}}, 3},
    {{.op = XK_OPC_ADDC, .dst = {G(UD, 1, 0)}}, 2},
    {{.op = XK_OPC_SUBB, .dst = {G(UD, 1, 0)}}, 2},
    {{.op = XK_OPC_MOV, .dst = {G(F, 1, 0)}, .src = {{ACC}}}, 1},
    {{.op = XK_OPC_MAD, .dst = {ACC}, .src = {{G(F, 1, 0)}, {G(F, 1, 0)},
                                              {ACC}}}, 3},
};
/* clang-format on */

START_TEST(the_accumulator_is_used_so)
{
    ck_assert_uint_eq(xk_inst_acc_use(&accs[_i].i), accs[_i].use);
}
END_TEST

/* clang-format off */
static const struct {
    struct xk_inst i;
    enum xk_pipe pipe;
} pipes[] = {
    {{.op = XK_OPC_ADD, .dst = {G(F, 1, 0)}}, XK_PIPE_FLOAT},
    {{.op = XK_OPC_MOV, .dst = {G(HF, 1, 0)}, .src = {{G(D, 1, 0)}}},
     XK_PIPE_FLOAT},
    {{.op = XK_OPC_MOV, .dst = {G(D, 1, 0)}, .src = {{G(F, 1, 0)}}},
     XK_PIPE_INT},
    {{.op = XK_OPC_MOV, .dst = {G(D, 1, 0)}, .src = {{G(Q, 1, 0)}}},
     XK_PIPE_LONG},
    {{.op = XK_OPC_MOV, .dst = {G(DF, 1, 0)}, .src = {{G(F, 1, 0)}}},
     XK_PIPE_LONG},
    {{.op = XK_OPC_CMP, .dst = {NIL, .type = XK_RT_F},
      .src = {{G(F, 1, 0)}, {G(F, 2, 0)}}}, XK_PIPE_FLOAT},
    {{.op = XK_OPC_MATH, .math_fn = XK_MATH_INV, .dst = {G(F, 1, 0)}},
     XK_PIPE_MATH},
    {{.op = XK_OPC_DPAS, .dst = {G(F, 1, 0)}}, XK_PIPE_DPAS},
    {{.op = XK_OPC_SEND}, XK_PIPE_SEND},
    {{.op = XK_OPC_GOTO}, XK_PIPE_INT},
    {{.op = XK_OPC_SYNC}, XK_PIPE_NONE},
    {{.op = XK_OPC_NOP}, XK_PIPE_NONE},
};
/* clang-format on */

START_TEST(the_pipe_follows_opcode_and_types)
{
    ck_assert_int_eq(
        xk_inst_pipe(xk_platform_get(XK_PLATFORM_XEHPG), &pipes[_i].i),
        pipes[_i].pipe);
}
END_TEST

/* What differs between the platforms: register size, pipes. */
/* clang-format off */
static const struct {
    enum xk_platform_id id;
    struct xk_inst i;
    struct xk_footprint dst;
    enum xk_pipe pipe;
    bool out_of_order;
} others[] = {
    /* add (16|M0) r10.0<1>:d: two registers of 32 bytes, one of 64 */
    {XK_PLATFORM_XELP,
     {.op = XK_OPC_ADD, .exec = 16, .dst = {G(D, 10, 0), .rgn = {0, 0, 1}}},
     {320, 384}, XK_PIPE_ALL, false},
    {XK_PLATFORM_XEHPC,
     {.op = XK_OPC_ADD, .exec = 16, .dst = {G(D, 10, 0), .rgn = {0, 0, 1}}},
     {640, 704}, XK_PIPE_INT, false},
    /* 64-bit: on xehpc only df destinations are long */
    {XK_PLATFORM_XEHPC,
     {.op = XK_OPC_ADD, .exec = 16, .dst = {G(Q, 10, 0), .rgn = {0, 0, 1}},
      .src = {{G(Q, 1, 0)}, {G(Q, 3, 0)}}}, {640, 768}, XK_PIPE_INT, false},
    {XK_PLATFORM_XEHPC,
     {.op = XK_OPC_MOV, .exec = 8, .dst = {G(F, 10, 0), .rgn = {0, 0, 1}},
      .src = {{G(DF, 1, 0)}}}, {640, 672}, XK_PIPE_FLOAT, false},
    {XK_PLATFORM_XEHPC,
     {.op = XK_OPC_MAD, .exec = 16, .dst = {G(DF, 10, 0), .rgn = {0, 0, 1}}},
     {640, 768}, XK_PIPE_LONG, false},
    {XK_PLATFORM_XEHPG,
     {.op = XK_OPC_MOV, .exec = 8, .dst = {G(F, 10, 0), .rgn = {0, 0, 1}},
      .src = {{G(Q, 1, 0)}}}, {320, 352}, XK_PIPE_LONG, false},
    /* math: a pipe of its own from xehpc */
    {XK_PLATFORM_XELP,
     {.op = XK_OPC_MATH, .exec = 8, .math_fn = XK_MATH_SQT,
      .dst = {G(F, 10, 0), .rgn = {0, 0, 1}}},
     {320, 352}, XK_PIPE_MATH, true},
    {XK_PLATFORM_XEHPC,
     {.op = XK_OPC_MATH, .exec = 16, .math_fn = XK_MATH_SQT,
      .dst = {G(F, 10, 0), .rgn = {0, 0, 1}}},
     {640, 704}, XK_PIPE_MATH, false},
    {XK_PLATFORM_XELP, {.op = XK_OPC_IF, .exec = 8}, {0, 0}, XK_PIPE_ALL, false},
    /* dpas.8x8 of 16 channels; ld.ugm 4 registers of 64 bytes back */
    {XK_PLATFORM_XEHPC,
     {.op = XK_OPC_DPAS, .exec = 16, .sdepth = 8, .rcount = 8,
      .dst = {G(F, 10, 0)}}, {640, 1152}, XK_PIPE_DPAS, true},
    {XK_PLATFORM_XEHPC,
     {.op = XK_OPC_SEND, .exec = 16, .dst = {G(UD, 10, 0)},
      .send = {.desc = 0x04403580}}, {640, 896}, XK_PIPE_SEND, true},
    /* a descriptor in a0 close to the file's end */
    {XK_PLATFORM_XELP,
     {.op = XK_OPC_SEND, .exec = 8, .dst = {G(UD, 250, 0)},
      .send = {.desc_reg = true}}, {8000, 8192}, XK_PIPE_SEND, true},
};

/* Flag halves f0.0 = 1, f0.1 = 2, f1.0 = 4 ...; accumulator bytes. */
static const struct {
    struct xk_inst i;
    unsigned rd, wr;
    struct xk_footprint acc_rd, acc_wr;
} arfs[] = {
    /* (f0.1) add.lt.f0.1 (16|M0) */
    {{.op = XK_OPC_ADD, .exec = 16, .pred = XK_PRED_NORMAL, .flag_sub = 1,
      .cond = XK_COND_LT, .dst = {G(F, 1, 0)}}, 2, 2, {0, 0}, {0, 0}},
    /* (f1.0) cmp.f1.0 (32|M0); the second half of 16 channels: f1.1 */
    {{.op = XK_OPC_CMP, .exec = 32, .pred = XK_PRED_NORMAL, .flag_reg = 1,
      .cond = XK_COND_LT, .dst = {NIL}}, 12, 12, {0, 0}, {0, 0}},
    {{.op = XK_OPC_CMP, .exec = 16, .chan_off = 16, .flag_reg = 1,
      .cond = XK_COND_LT, .dst = {NIL}}, 0, 8, {0, 0}, {0, 0}},
    /* sel.lt is a minimum, (f0.0.any16h) looks at all of f0 */
    {{.op = XK_OPC_SEL, .exec = 16, .cond = XK_COND_LT, .dst = {G(F, 1, 0)}},
     0, 0, {0, 0}, {0, 0}},
    {{.op = XK_OPC_MOV, .exec = 1, .pred = XK_PRED_ANY16H,
      .dst = {G(F, 1, 0)}}, 3, 0, {0, 0}, {0, 0}},
    {{.op = XK_OPC_MOV, .exec = 8, .pred = XK_PRED_ANYV,
      .dst = {G(F, 1, 0)}}, 5, 0, {0, 0}, {0, 0}},
    /* mov (1|M0) f1.0<1>:ud f0.1<0;1,0>:uw */
    {{.op = XK_OPC_MOV, .exec = 1,
      .dst = {.file = XK_FILE_ARF, .arf = XK_ARF_F, .reg = 1,
              .type = XK_RT_UD, .rgn = {0, 0, 1}},
      .src = {{.file = XK_FILE_ARF, .arf = XK_ARF_F, .sub_b = 2,
               .type = XK_RT_UW, .rgn = {0, 1, 0}}}},
     2, 12, {0, 0}, {0, 0}},
    /* add (8|M0) acc3.0<1>:f acc2.0<8;8,1>:f */
    {{.op = XK_OPC_ADD, .exec = 8,
      .dst = {ACC, .reg = 3, .type = XK_RT_F, .rgn = {0, 0, 1}},
      .src = {{ACC, .reg = 2, .type = XK_RT_F, .rgn = {8, 8, 1}}}},
     0, 0, {64, 96}, {96, 128}},
    /* mul (16) acc0:d; mach, addc: acc0 and acc1 unnamed */
    {{.op = XK_OPC_MUL, .exec = 16,
      .dst = {ACC, .type = XK_RT_D, .rgn = {0, 0, 1}}},
     0, 0, {0, 0}, {0, 64}},
    {{.op = XK_OPC_MACH, .exec = 8, .dst = {G(D, 1, 0)}},
     0, 0, {0, 64}, {0, 64}},
    {{.op = XK_OPC_ADDC, .exec = 8, .dst = {G(UD, 1, 0)}},
     0, 0, {0, 0}, {0, 64}},
    {{.op = XK_OPC_MAC, .exec = 16, .dst = {G(F, 1, 0)}},
     0, 0, {0, 64}, {0, 0}},
};
/* clang-format on */

/* The class of each opcode, by its mnemonic, as the PRM's chapters of
 * instructions group them: flow control, messages, systolic, three sources. */
static const struct {
    const char *names;
    enum xk_opcode_trait class;
} classes[] = {
    {" jmpi brd if brc else endif while break cont halt calla call ret goto "
     "join ",
     XK_TRAIT_BRANCH},
    {" send sendc ", XK_TRAIT_SEND},
    {" dpas dpasw ", XK_TRAIT_DPAS},
    {" add3 dp4a mad madm bfn csel bfe bfi2 ", XK_TRAIT_TERNARY},
};

START_TEST(opcodes_have_these_classes)
{
    for (unsigned op = 0; op < XK_N_OPCODES; op++) {
        char word[24];
        snprintf(word, sizeof word, " %s ", xk_opcode_name(op));
        const bool in = strstr(classes[_i].names, word) != NULL;
        ck_assert_msg(xk_opcode_has(op, classes[_i].class) == in,
                      "%s: the class is %d, want %d", xk_opcode_name(op), !in,
                      in);
    }
}
END_TEST

START_TEST(platforms_differ)
{
    const struct xk_platform *const p = xk_platform_get(others[_i].id);
    const struct xk_footprint f = xk_inst_footprint(p, &others[_i].i, -1);

    ck_assert_uint_eq(f.first_b, others[_i].dst.first_b);
    ck_assert_uint_eq(f.end_b, others[_i].dst.end_b);
    ck_assert_int_eq(xk_inst_pipe(p, &others[_i].i), others[_i].pipe);
    ck_assert_int_eq(xk_inst_is_out_of_order(p, &others[_i].i),
                     others[_i].out_of_order);
}
END_TEST

START_TEST(flags_and_accumulators_by_part)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    const struct xk_inst *const i = &arfs[_i].i;
    const struct xk_footprint rd = xk_inst_acc_footprint(p, i, false);
    const struct xk_footprint wr = xk_inst_acc_footprint(p, i, true);

    ck_assert_uint_eq(xk_inst_flag_use(i, false), arfs[_i].rd);
    ck_assert_uint_eq(xk_inst_flag_use(i, true), arfs[_i].wr);
    ck_assert_uint_eq(rd.first_b, arfs[_i].acc_rd.first_b);
    ck_assert_uint_eq(rd.end_b, arfs[_i].acc_rd.end_b);
    ck_assert_uint_eq(wr.first_b, arfs[_i].acc_wr.first_b);
    ck_assert_uint_eq(wr.end_b, arfs[_i].acc_wr.end_b);
}
END_TEST

TCase *isa_footprint_case(void)
{
    TCase *const t = tcase_create("footprint");

    tcase_add_loop_test(t, an_operand_touches_these_bytes, 0,
                        XK_COUNTOF(cases));
    tcase_add_loop_test(t, the_accumulator_is_used_so, 0, XK_COUNTOF(accs));
    tcase_add_loop_test(t, the_pipe_follows_opcode_and_types, 0,
                        XK_COUNTOF(pipes));
    tcase_add_loop_test(t, opcodes_have_these_classes, 0, XK_COUNTOF(classes));
    tcase_add_loop_test(t, platforms_differ, 0, XK_COUNTOF(others));
    tcase_add_loop_test(t, flags_and_accumulators_by_part, 0, XK_COUNTOF(arfs));
    return t;
}
