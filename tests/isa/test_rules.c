/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of the validator: an instruction that keeps it and breaks nothing,
 * and one that breaks it and nothing else. */
#include <string.h>

#include "base/alloc.h"
#include "isa/validate.h"
#include "tests/isa/tests.h"

/* clang-format off */
#define R(t, r, s) .file = XK_FILE_GRF, .type = XK_RT_##t, .reg = r, .sub_b = s
#define ARF(t, a, r) .file = XK_FILE_ARF, .type = XK_RT_##t, .arf = a, .reg = r
#define DST(t, r, s, h) .dst = {R(t, r, s), .rgn = {0, 0, h}}
#define NULLD(t) .dst = {ARF(t, XK_ARF_NULL, 0), .rgn = {0, 0, 1}}
/* sources: direct with region, packed, scalar, of three, immediate */
#define S(t, r, s, v, w, h) {R(t, r, s), .rgn = {v, w, h}}
#define PK(t, r) S(t, r, 0, 1, 1, 0)
#define SC(t, r) S(t, r, 0, 0, 1, 0)
#define T3(t, r) S(t, r, 0, 1, 0, 0)
#define T3L(t, r) S(t, r, 0, 0, 0, 1)
#define COMMA ,
#define IMM(t, v) {.file = XK_FILE_IMM, .type = XK_RT_##t, .imm = v}
#define OP(o, e) .op = XK_OPC_##o, .exec = e
#define MOV(e, d, s0) {OP(MOV, e), d, .src = {s0}}
#define BIN(o, e, d, s0, s1) {OP(o, e), d, .src = {s0, s1}}
#define BINX(o, e, d, s0, s1, x) {OP(o, e), d, .src = {s0, s1}, x}
#define TRI(o, e, d, s0, s1, s2) {OP(o, e), d, .src = {s0, s1, s2}}
#define TRIX(o, e, d, s0, s1, s2, x) {OP(o, e), d, .src = {s0, s1, s2}, x}
#define DPX(e, depth, d, s0, s1, s2)                                           \
    {OP(DPAS, e), .sdepth = depth, .rcount = 8, .dst = {d},                    \
     .src = {{s0}, {s1}, {s2}}}
#define DP(d, s0, s1, s2)                                                      \
    {OP(DPAS, 8), .sdepth = 8, .rcount = 8, .dst = {d},                        \
     .src = {{s0}, {s1}, {s2}}}
#define PAY(r) {R(UD, r, 0)}
#define PNULL {ARF(UD, XK_ARF_NULL, 0)}
/* 16 channels, flat 64-bit addresses: 4 registers of them, 2 of data */
#define LOAD 0x08200580u
#define STORE 0x08000584u
#define SEND(d, s0, s1, ds, len)                                               \
    {OP(SEND, 16), .dst = d, .src = {s0, s1},                                  \
     .send = {.sfid = XK_SFID_UGM, .desc = ds, .src1_len = len,                \
              .exdesc = (len) * 64u}}
#define EOT(f, d, s0, ds)                                                      \
    {OP(SEND, 8), .dst = d, .src = {s0, PNULL},                                \
     .send = {.sfid = XK_SFID_##f, .desc = ds, .eot = true}}

static const struct {
    const char *rule;
    struct xk_inst good, bad;
} cases[] = {
    {"op_exists", MOV(8, DST(F, 1, 0, 1), PK(F, 2)),
     {OP(MATH, 8), DST(F, 1, 0, 1), .src = {PK(F, 2), PK(F, 3)},
      .math_fn = XK_MATH_POW}},
    {"no_tile", MOV(8, DST(F, 1, 0, 1), PK(F, 2)),
     {OP(MOV, 8), DST(F, 1, 0, 1), .src = {{.file = XK_FILE_TILE,
      .type = XK_RT_F, .rgn = {0, 1, 0}}}}},
    {"exec_size", MOV(8, DST(F, 1, 0, 1), PK(F, 2)),
     MOV(6, DST(F, 1, 0, 1), PK(F, 2))},
    {"chan_range", {OP(MOV, 8), .chan_off = 24, DST(F, 1, 0, 1),
                    .src = {PK(F, 2)}},
     {OP(MOV, 16), .chan_off = 24, DST(F, 1, 0, 1), .src = {PK(F, 2)}}},
    {"op_pred", {OP(MOV, 8), .pred = XK_PRED_NORMAL, DST(F, 1, 0, 1),
                 .src = {PK(F, 2)}},
     TRIX(CSEL, 8, DST(F, 1, 0, 1), T3(F, 2), T3(F, 3), T3L(F, 4),
         .cond = XK_COND_GT COMMA .pred = XK_PRED_NORMAL)},
    {"op_cond", BINX(ADD, 8, DST(F, 1, 0, 1), PK(F, 2), PK(F, 3),
                    .cond = XK_COND_GT),
     BINX(MACH, 8, DST(D, 1, 0, 1), PK(D, 2), PK(D, 3), .cond = XK_COND_GT)},
    {"op_sat", BINX(ADD, 8, DST(F, 1, 0, 1), PK(F, 2), PK(F, 3), .sat = true),
     BINX(AND, 8, DST(UD, 1, 0, 1), PK(UD, 2), PK(UD, 3), .sat = true)},
    {"op_srcmod", BIN(ADD, 8, DST(F, 1, 0, 1), PK(F, 2),
                      {R(F, 3, 0) COMMA .rgn = {1 COMMA 1 COMMA 0} COMMA
                       .neg = true}),
     BIN(ROL, 8, DST(UD, 1, 0, 1), PK(UD, 2),
         {R(UD, 3, 0) COMMA .rgn = {1 COMMA 1 COMMA 0} COMMA .neg = true})},
    {"flag_range", {OP(MOV, 8), .pred = XK_PRED_NORMAL, .flag_reg = 1,
                    .flag_sub = 1, DST(F, 1, 0, 1), .src = {PK(F, 2)}},
     {OP(MOV, 8), .pred = XK_PRED_NORMAL, .flag_reg = 2, DST(F, 1, 0, 1),
      .src = {PK(F, 2)}}},
    {"flag_room", {OP(MOV, 16), .pred = XK_PRED_NORMAL, .flag_sub = 1,
                   DST(F, 1, 0, 1), .src = {PK(F, 4)}},
     {OP(MOV, 16), .pred = XK_PRED_NORMAL, .flag_sub = 1, .chan_off = 16,
      DST(F, 1, 0, 1), .src = {PK(F, 4)}}},
    {"swsb_form", {OP(MOV, 8), DST(F, 1, 0, 1), .src = {PK(F, 2)},
                   .swsb = {.dist = 3, .mode = XK_SBID_DST, .sbid = 15}},
     {OP(MOV, 8), DST(F, 1, 0, 1), .src = {PK(F, 2)},
      .swsb = {.pipe = XK_PIPE_FLOAT, .dist = 3, .mode = XK_SBID_DST}}},
    {"op_types", BIN(ADD, 8, DST(D, 1, 0, 1), PK(D, 2), PK(W, 3)),
     BIN(ADD, 8, DST(F, 1, 0, 1), PK(F, 2), PK(D, 3))},
    {"no_int64", MOV(4, DST(UD, 1, 0, 1), PK(UD, 2)),
     MOV(4, DST(UQ, 1, 0, 1), PK(UQ, 2))},
    {"no_fp64", MOV(4, DST(F, 1, 0, 1), PK(F, 2)),
     MOV(4, DST(DF, 1, 0, 1), PK(DF, 2))},
    {"grf_range", MOV(8, DST(F, 255, 0, 1), PK(F, 2)),
     MOV(16, DST(F, 255, 0, 1), PK(F, 2))},
    {"acc_range", {OP(MOV, 8), DST(F, 1, 0, 1),
                   .src = {{ARF(F, XK_ARF_ACC, 7), .rgn = {1, 1, 0}}}},
     {OP(MOV, 8), DST(F, 1, 0, 1),
      .src = {{ARF(F, XK_ARF_ACC, 8), .rgn = {1, 1, 0}}}}},
    {"span_2_grf", MOV(16, DST(D, 1, 0, 1), PK(D, 4)),
     MOV(32, DST(D, 1, 0, 1), SC(D, 4))},
    {"dst_stride", MOV(8, DST(D, 1, 0, 2), PK(D, 4)),
     MOV(8, DST(D, 1, 0, 0), PK(D, 4))},
    {"operand_align", MOV(8, DST(D, 1, 4, 1), PK(D, 4)),
     MOV(8, DST(D, 1, 2, 1), PK(D, 4))},
    {"dst_null_mods", BINX(ADD, 8, DST(F, 1, 0, 1), PK(F, 2), PK(F, 3),
                          .sat = true),
     BINX(ADD, 8, NULLD(F), PK(F, 2), PK(F, 3), .sat = true)},
    {"imm_place", BIN(ADD, 8, DST(D, 1, 0, 1), PK(D, 2), IMM(D, 7)),
     BIN(ADD, 8, DST(D, 1, 0, 1), IMM(D, 7), PK(D, 2))},
    {"rgn_width_exec", MOV(8, DST(D, 1, 0, 1), S(D, 2, 0, 4, 4, 1)),
     MOV(2, DST(D, 1, 0, 1), S(D, 2, 0, 4, 4, 1))},
    {"rgn_one_row", MOV(8, DST(D, 1, 0, 1), S(D, 2, 0, 8, 8, 1)),
     MOV(8, DST(D, 1, 0, 1), S(D, 2, 0, 4, 8, 1))},
    {"rgn_width_1", MOV(8, DST(D, 1, 0, 1), S(D, 2, 0, 1, 1, 0)),
     MOV(8, DST(D, 1, 0, 1), S(D, 2, 0, 1, 1, 1))},
    {"rgn_scalar", MOV(1, DST(D, 1, 0, 1), S(D, 2, 0, 0, 1, 0)),
     MOV(1, DST(D, 1, 0, 1), S(D, 2, 0, 1, 1, 0))},
    {"rgn_broadcast", MOV(8, DST(D, 1, 0, 1), S(D, 2, 0, 0, 1, 0)),
     MOV(8, DST(D, 1, 0, 1), S(D, 2, 0, 0, 4, 0))},
    {"rgn_row_in_grf", MOV(8, DST(D, 1, 0, 1), S(D, 2, 16, 4, 4, 1)),
     MOV(8, DST(D, 1, 0, 1), S(D, 2, 16, 8, 8, 1))},
    {"vxh_float", {OP(MOV, 8), DST(D, 1, 0, 1),
                   .src = {{R(D, 0, 0), .indirect = true,
                            .rgn = {XK_VS_VXH, 1, 0}}}},
     {OP(MOV, 8), DST(F, 1, 0, 1),
      .src = {{R(F, 0, 0), .indirect = true, .rgn = {XK_VS_VXH, 1, 0}}}}},
    {"float_same_bits", BIN(ADD, 8, DST(F, 1, 4, 1), SC(F, 2),
                            S(F, 3, 4, 1, 1, 0)),
     BIN(ADD, 8, DST(F, 1, 4, 1), SC(F, 2), S(F, 3, 8, 1, 1, 0))},
    {"float_arf", {OP(MOV, 8), DST(F, 1, 0, 1),
                   .src = {{ARF(F, XK_ARF_ACC, 0), .rgn = {1, 1, 0}}}},
     {OP(MOV, 1), DST(F, 1, 0, 1),
      .src = {{ARF(F, XK_ARF_SR, 0), .rgn = {0, 1, 0}}}}},
    {"dst_exec_stride", MOV(8, DST(W, 1, 0, 2), PK(D, 2)),
     MOV(8, DST(W, 1, 0, 1), PK(D, 2))},
    {"dst_exec_align", MOV(4, DST(W, 1, 4, 2), PK(D, 2)),
     MOV(4, DST(W, 1, 2, 2), PK(D, 2))},
    {"byte_packed", MOV(8, DST(UB, 1, 0, 1), PK(B, 2)),
     MOV(8, DST(UB, 1, 0, 1), PK(W, 2))},
    {"byte_src1", BIN(ADD, 8, DST(W, 1, 0, 1), PK(B, 2), PK(W, 3)),
     BIN(ADD, 8, DST(W, 1, 0, 1), PK(W, 2), PK(B, 3))},
    {"vector_imm", MOV(8, DST(W, 1, 16, 1), IMM(V, 0x76543210)),
     MOV(8, DST(W, 1, 4, 1), IMM(V, 0x76543210))},
    {"mul_dw_dw", BIN(MUL, 8, DST(D, 1, 0, 1), PK(D, 2), PK(W, 3)),
     BIN(MUL, 8, DST(D, 1, 0, 1), PK(D, 2), PK(D, 3))},
    {"mul_dw_first", BIN(MUL, 8, DST(D, 1, 0, 1), PK(D, 2), PK(W, 3)),
     BIN(MUL, 8, DST(D, 1, 0, 1), PK(W, 2), PK(D, 3))},
    {"mul_dw_sat", BINX(MUL, 8, DST(D, 1, 0, 1), PK(W, 2), PK(W, 3),
                       .sat = true),
     BINX(MUL, 8, DST(D, 1, 0, 1), PK(D, 2), PK(W, 3), .sat = true)},
    {"mul_dw_mods", BIN(MUL, 8, DST(D, 1, 0, 1), PK(D, 2), PK(W, 3)),
     BIN(MUL, 8, DST(D, 1, 0, 1), PK(D, 2),
         {R(W, 3, 0) COMMA .rgn = {1 COMMA 1 COMMA 0} COMMA .neg = true})},
    {"mul_acc_src",
     {OP(MUL, 8), .dst = {ARF(D, XK_ARF_ACC, 0), .rgn = {0, 0, 1}},
      .src = {PK(D, 2), PK(W, 3)}},
     {OP(MUL, 8), DST(D, 1, 0, 1),
      .src = {{ARF(D, XK_ARF_ACC, 0), .rgn = {1, 1, 0}}, PK(W, 3)}}},
    {"carry_acc", BINX(ADDC, 8, DST(UD, 1, 0, 1), PK(UD, 2), PK(UD, 3),
                       .acc_wr_en = true),
     BIN(ADDC, 8, DST(UD, 1, 0, 1), PK(UD, 2), PK(UD, 3))},
    {"logic_abs", BIN(AND, 8, DST(D, 1, 0, 1), PK(D, 2),
                      {R(D, 3, 0) COMMA .rgn = {1 COMMA 1 COMMA 0} COMMA
                       .neg = true}),
     BIN(AND, 8, DST(D, 1, 0, 1), PK(D, 2),
         {R(D, 3, 0) COMMA .rgn = {1 COMMA 1 COMMA 0} COMMA .abs = true})},
    {"cmp_cond", BINX(CMP, 8, NULLD(D), PK(D, 2), PK(D, 3),
                     .cond = XK_COND_EQ),
     BINX(CMP, 8, NULLD(D), PK(D, 2), PK(D, 3), .cond = XK_COND_NONE)},
    {"sel_one_of", BINX(SEL, 8, DST(D, 1, 0, 1), PK(D, 2), PK(D, 3),
                       .cond = XK_COND_LT),
     BINX(SEL, 8, DST(D, 1, 0, 1), PK(D, 2), PK(D, 3), .cond = XK_COND_LT COMMA
         .pred = XK_PRED_NORMAL)},
    {"csel_cond", TRIX(CSEL, 8, DST(F, 1, 0, 1), T3(F, 2), T3(F, 3), T3L(F, 4),
                      .cond = XK_COND_GT),
     TRIX(CSEL, 8, DST(F, 1, 0, 1), T3(F, 2), T3(F, 3), T3L(F, 4),
         .cond = XK_COND_NONE)},
    {"bf_src1", BIN(ADD, 8, DST(F, 1, 0, 1), S(BF, 2, 0, 2, 1, 0), PK(F, 3)),
     BIN(ADD, 8, DST(F, 1, 0, 1), PK(F, 3), S(BF, 2, 0, 2, 1, 0))},
    {"bf_scalar", BIN(ADD, 8, DST(F, 1, 0, 1), S(BF, 2, 0, 2, 1, 0), PK(F, 3)),
     BIN(ADD, 8, DST(F, 1, 0, 1), SC(BF, 2), PK(F, 3))},
    {"bf_exec", BIN(ADD, 8, DST(F, 1, 0, 1), S(BF, 2, 0, 2, 1, 0), PK(F, 4)),
     BIN(ADD, 16, DST(F, 1, 0, 1), S(BF, 2, 0, 2, 1, 0), PK(F, 4))},
    {"tern_same_bits", TRI(MAD, 8, DST(F, 1, 0, 1), T3(F, 2),
                           S(F, 3, 12, 0, 0, 0), S(F, 4, 0, 0, 0, 1)),
     TRI(MAD, 8, DST(F, 1, 0, 1), T3(F, 2), T3(F, 3), S(F, 4, 4, 0, 0, 1))},
    {"dpas_exec", DP(R(F, 10, 0), R(F, 10, 0), R(HF, 20, 0), R(HF, 30, 0)),
     DPX(4, 8, R(F, 10, 0), R(F, 10, 0), R(HF, 20, 0), R(HF, 40, 0))},
    {"dpas_depth", DP(R(F, 10, 0), R(F, 10, 0), R(HF, 20, 0), R(HF, 30, 0)),
     DPX(8, 4, R(F, 10, 0), R(F, 10, 0), R(HF, 20, 0), R(HF, 30, 0))},
    {"dpas_file", DP(R(F, 10, 0), ARF(F, XK_ARF_NULL, 0), R(HF, 20, 0),
                     R(HF, 30, 0)),
     DP(R(F, 10, 0), R(F, 10, 0), ARF(HF, XK_ARF_ACC, 0), R(HF, 30, 0))},
    {"dpas_align", DP(R(D, 10, 0), R(D, 10, 0), R(B, 20, 0), R(S4, 30, 16)),
     DP(R(D, 10, 0), R(D, 10, 0), R(B, 20, 0), R(B, 30, 16))},
    {"dpas_overlap", DP(R(F, 10, 0), R(F, 10, 0), R(HF, 20, 0), R(HF, 30, 0)),
     DP(R(F, 10, 0), R(F, 12, 0), R(HF, 20, 0), R(HF, 30, 0))},
    {"dpas_acc_type", DP(R(D, 10, 0), R(UD, 10, 0), R(UB, 20, 0), R(S2, 30, 0)),
     DP(R(F, 10, 0), R(HF, 40, 0), R(HF, 20, 0), R(HF, 30, 0))},
    {"dpas_pair", DP(R(D, 10, 0), R(D, 10, 0), R(UB, 20, 0), R(S2, 30, 0)),
     DP(R(D, 10, 0), R(D, 10, 0), R(D, 20, 0), R(D, 30, 0))},
    {"send_src0", SEND(PAY(10), PAY(2), PNULL, LOAD, 0),
     SEND(PAY(10), PNULL, PNULL, LOAD, 0)},
    {"send_src1_len", SEND(PNULL, PAY(2), PAY(6), STORE, 2),
     SEND(PAY(10), PAY(2), PAY(6), LOAD, 0)},
    {"send_rlen", SEND(PAY(10), PAY(2), PNULL, LOAD, 0),
     SEND(PNULL, PAY(2), PNULL, LOAD, 0)},
    {"send_lengths", SEND(PNULL, PAY(2), PAY(6), STORE, 2),
     SEND(PNULL, PAY(2), PAY(6), STORE, 1)},
    {"eot_high", EOT(GTWY, PNULL, PAY(127), 0x02000010),
     EOT(GTWY, PNULL, PAY(111), 0x02000010)},
    {"eot_response", EOT(GTWY, PNULL, PAY(112), 0x02000010),
     EOT(GTWY, PAY(10), PAY(112), 0x02100010)},
    {"eot_sfid", EOT(GTWY, PNULL, PAY(112), 0x02000010),
     EOT(TS, PNULL, PAY(112), 0x02000010)},
    {"branch_align", {OP(ENDIF, 16), .jip_b = 24}, {OP(ENDIF, 16), .jip_b = 4}},
    {"jmpi_scalar", {OP(JMPI, 1), .no_mask = true, .jip_b = 16},
     {OP(JMPI, 1), .jip_b = 16}},
};
/* clang-format on */

static void print_broken(struct xk_str *s, const struct xk_isa_violation *v,
                         unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        xk_str_printf(s, " %s", v[k].rule);
}

static void expect_rules(const struct xk_inst *i, const char *rule)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    struct xk_isa_violation v[64];
    const unsigned n = xk_inst_validate(p, i, v, XK_COUNTOF(v));
    struct xk_str s;

    xk_str_init(&s, NULL);
    xk_inst_print(p, i, &s);
    xk_str_puts(&s, " breaks");
    print_broken(&s, v, n);
    ck_assert_msg(n == (rule ? 1u : 0u) && (!rule || !strcmp(v[0].rule, rule)),
                  "%s, expected %s", xk_str_get(&s), rule ? rule : "none");
    if (rule) {
        ck_assert_uint_gt(strlen(v[0].why), 10);
        ck_assert_uint_gt(strlen(v[0].source), 3);
    }
    xk_str_fini(&s);
}

START_TEST(a_rule_is_kept_or_broken_alone)
{
    expect_rules(&cases[_i].good, NULL);
    expect_rules(&cases[_i].bad, cases[_i].rule);
}
END_TEST

START_TEST(every_rule_has_a_case)
{
    ck_assert_uint_ge(xk_isa_n_rules(), 50);
    for (unsigned k = 0; k < xk_isa_n_rules(); k++) {
        bool found = false;

        for (unsigned j = 0; j < XK_COUNTOF(cases); j++)
            found |= !strcmp(cases[j].rule, xk_isa_rule_name(k));
        ck_assert_msg(found, "no case for %s", xk_isa_rule_name(k));
    }
}
END_TEST

START_TEST(violations_past_the_room_are_counted)
{
    const struct xk_inst i =
        BINX(ADD, 6, DST(F, 1, 2, 0), PK(F, 2), PK(D, 3), .flag_sub = 2);
    struct xk_isa_violation v[1];
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);

    ck_assert_uint_eq(xk_inst_validate(p, &i, NULL, 0),
                      xk_inst_validate(p, &i, v, 1));
    ck_assert_uint_gt(xk_inst_validate(p, &i, v, 1), 3);
    ck_assert_str_eq(v[0].rule, "exec_size");
}
END_TEST

TCase *isa_rules_case(void)
{
    TCase *const t = tcase_create("rules");

    tcase_add_loop_test(t, a_rule_is_kept_or_broken_alone, 0,
                        XK_COUNTOF(cases));
    tcase_add_test(t, every_rule_has_a_case);
    tcase_add_test(t, violations_past_the_room_are_counted);
    return t;
}
