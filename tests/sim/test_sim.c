/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-written instructions on the simulator; the expected values are worked
 * out by hand or by plain C. The assembler is Intel's iga64. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/select.h"
#include "sim/core/sim_operand.h"
#include "tests/runtime/ocl.h"
#include "tests/sim/asm.h"
#include "tests/sim/halves.h"
#include "tests/sim/paths.h"
#include "tests/tap.h"

static uint32_t out[ASM_OUT_B / 4]; /* r20..r27: eight dwords each */

static void run_ok(struct asm_run *r)
{
    memset(out, 0xee, sizeof(out));
    r->out = (uint8_t *)out;
    const enum xk_status s = asm_run(r);
    ck_assert_msg(s == XK_OK, "%s", r->err.message);
}

static void run_text(const char *text)
{
    run_ok(&(struct asm_run){.text = text});
}

/* Runs, expects a finding, and that its text has all of the words. */
static void run_finds(struct asm_run *r, const char *const words[])
{
    memset(out, 0xee, sizeof(out));
    r->out = (uint8_t *)out;
    ck_assert_int_eq(asm_run(r), XK_EFAULT);
    ck_assert_int_eq(r->err.status, XK_EFAULT);
    for (; *words; words++)
        ck_assert_msg(strstr(r->err.message, *words) != NULL,
                      "'%s' is not in '%s'", *words, r->err.message);
}

#define FINDS(run, ...) run_finds(run, (const char *const[]){__VA_ARGS__, NULL})

static float f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void expect(unsigned first, unsigned n, const uint32_t *want)
{
    for (unsigned i = 0; i < n; i++)
        ck_assert_msg(out[first + i] == want[i], "dword %u is 0x%x, not 0x%x",
                      first + i, out[first + i], want[i]);
}

#define EXPECT(first, ...)                                                     \
    do {                                                                       \
        const uint32_t w_[] = {__VA_ARGS__};                                   \
        expect(first, sizeof(w_) / 4, w_);                                     \
    } while (0)

START_TEST(addc_carries_into_the_high_dword)
{
    run_text("mov (8|M0) r10.0<1>:uw 0x76543210:uv\n"
             "mov (8|M0) r11.0<1>:ud r10.0<1;1,0>:uw\n"
             "add (8|M0) r12.0<1>:ud r11.0<1;1,0>:ud 0xFFFFFFFC:ud\n"
             "addc (8|M0) r20.0<1>:ud r12.0<1;1,0>:ud 0x4:ud {AccWrEn}\n"
             "add (8|M0) r21.0<1>:ud acc0.0<1;1,0>:ud 0x7:ud\n"
             "subb (8|M0) r22.0<1>:ud r11.0<1;1,0>:ud 0x2:ud {AccWrEn}\n"
             "mov (8|M0) r23.0<1>:ud acc0.0<1;1,0>:ud\n" ASM_DUMP);
    EXPECT(0, 0, 1, 2, 3, 4, 5, 6, 7);
    EXPECT(8, 8, 8, 8, 8, 7, 7, 7, 7); /* 4..7 + 0xfffffffc wrapped before */
    EXPECT(16, 0xfffffffe, 0xffffffff, 0, 1);
    EXPECT(24, 1, 1, 0, 0);
}
END_TEST

START_TEST(mul_and_mach_make_both_halves_of_a_product)
{
    run_text("mov (8|M0) r10.0<1>:d -123456789:d\n"
             "mov (8|M0) r11.0<1>:d 987654321:d\n"
             "mul (8|M0) acc0.0<1>:d r10.0<1;1,0>:d r11.0<2;1,0>:uw\n"
             "mach (8|M0) r20.0<1>:d r10.0<1;1,0>:d r11.0<1;1,0>:d\n"
             "mul (8|M0) acc0.0<1>:d r10.0<1;1,0>:d r11.0<2;1,0>:uw\n"
             "mach (8|M0) r21.0<1>:d r10.0<1;1,0>:d r11.0<1;1,0>:d {AccWrEn}\n"
             "mov (8|M0) r22.0<1>:d acc0.0<1;1,0>:d\n"
             "mul (8|M0) acc0.0<1>:ud r10.0<1;1,0>:ud r11.0<2;1,0>:uw\n"
             "mach (8|M0) r23.0<1>:ud r10.0<1;1,0>:ud r11.0<1;1,0>:ud {AccWrEn}"
             "\n" ASM_DUMP);
    const int64_t p = (int64_t)-123456789 * 987654321;
    const uint64_t u = (uint64_t)(uint32_t)-123456789 * 987654321u;
    ck_assert_uint_eq(out[0], (uint32_t)p);
    ck_assert_uint_eq(out[8], (uint32_t)(p >> 32));
    ck_assert_uint_eq(out[23], (uint32_t)p);
    ck_assert_uint_eq(out[31], (uint32_t)(u >> 32));
}
END_TEST

/* Lanes 0..15 address in[lane]; only the first r1.4:d lanes are asked for. */
#define GATHER                                                                 \
    "mov (8|M0) r10.0<1>:uw 0x76543210:uv\n"                                   \
    "add (8|M0) r10.8<1>:uw r10.0<1;1,0>:uw 8:w\n"                             \
    "shl (16|M0) r12.0<1>:ud r10.0<1;1,0>:uw 2:w\n"                            \
    "addc (8|M0) r14.0<2>:ud r12.0<1;1,0>:ud r1.2<0;1,0>:ud {AccWrEn}\n"       \
    "add (8|M0) r14.1<2>:ud acc0.0<2;1,0>:ud r1.3<0;1,0>:ud\n"                 \
    "addc (8|M8) r16.0<2>:ud r13.0<1;1,0>:ud r1.2<0;1,0>:ud {AccWrEn}\n"       \
    "add (8|M8) r16.1<2>:ud acc0.0<2;1,0>:ud r1.3<0;1,0>:ud\n"                 \
    "mov (16|M0) r20.0<1>:ud 0x0:ud\n"                                         \
    "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:uw r1.4<0;1,0>:d\n"           \
    "(f0.0) send.ugm (16|M0) r20 r14 null:0 0x0 0x08200580\n"

START_TEST(predicated_gather_keeps_zeros_in_the_masked_lanes)
{
    const uint32_t in[11] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
    run_ok(&(struct asm_run){
        .text = GATHER ASM_DUMP, .value = {11}, .in = in, .in_b = sizeof(in)});
    EXPECT(0, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 0, 0, 0, 0, 0);
}
END_TEST

START_TEST(an_access_outside_names_instruction_and_address)
{
    const uint32_t in[11] = {0};
    struct asm_run r = {
        .text = GATHER ASM_DUMP, .value = {12}, .in = in, .in_b = sizeof(in)};
    FINDS(&r, "snippet", "send.ugm (16|M0)", "r20", "r14", "at offset 0x90",
          "lane 11", "4 bytes at 0x800000102c", "0 bytes past the end",
          "[0x8000001000, 0x800000102c)", "group 0,0,0 thread 0");
}
END_TEST

START_TEST(an_access_across_the_end_is_outside)
{
    const uint32_t in[11] = {0};
    struct asm_run r = {
        .text = "(W) add (1|M0) r2.0<1>:ud r1.2<0;1,0>:ud 36:w\n"
                "(W) mov (1|M0) r2.1<1>:ud r1.3<0;1,0>:ud\n"
                "(W) send.ugm (1|M0) r20 r2 null:0 0x0 0x0210C580\n" ASM_DUMP,
        .in = in,
        .in_b = sizeof(in)};
    FINDS(&r, "32 bytes at 0x8000001024", "cross the end");
    r.in_b = 0;
    FINDS(&r, "at 0x8000001024", "past the end of the buffer [0x2fffffff80");
}
END_TEST

START_TEST(block_load_and_store_move_whole_registers)
{
    uint32_t in[32];
    for (uint32_t i = 0; i < 32; i++)
        in[i] = i * i + 7;
    run_ok(&(struct asm_run){
        .text = "(W) mov (2|M0) r2.0<1>:ud r1.2<1;1,0>:ud\n"
                "(W) send.ugm (1|M0) r20 r2 null:0 0x0 0x0240E580\n"
                "(W) send.ugm (1|M0) null r1 r20:4 0x0 0x0200E584\n" ASM_EOT,
        .in = in,
        .in_b = sizeof(in)});
    expect(0, 32, in);
}
END_TEST

START_TEST(a_misaligned_block_is_a_finding)
{
    struct asm_run r = {
        .text = "(W) add (1|M0) r1.0<1>:ud r1.0<0;1,0>:ud 2:w\n" ASM_DUMP};
    FINDS(&r, "0x2fffffff82 is not a multiple of 4");
}
END_TEST

#define LANE_NUMBERS                                                           \
    "mov (8|M0) r10.0<1>:uw 0x76543210:uv\n"                                   \
    "add (8|M0) r10.8<1>:uw r10.0<1;1,0>:uw 8:w\n"                             \
    "mov (16|M0) r12.0<1>:d r10.0<1;1,0>:uw\n"

/* Even lanes take one side, odd lanes the other; both sides run. */
START_TEST(goto_and_join_part_and_unite_channels)
{
    run_text(LANE_NUMBERS
             "and (16|M0) (eq)f0.0 null<1>:d r12.0<1;1,0>:d 1:w\n"
             "(f0.0) goto (16|M0) EVEN EVEN\n"
             "add (16|M0) r20.0<1>:d r12.0<1;1,0>:d 100:w\n"
             "goto (16|M0) EVEN BOTH\n"
             "EVEN:\njoin (16|M0) BOTH\n"
             "mul (16|M0) r20.0<1>:d r12.0<1;1,0>:d 3:w\n"
             "BOTH:\njoin (16|M0) END\n"
             "END:\nadd (16|M0) r22.0<1>:d r20.0<1;1,0>:d 1:w\n" ASM_DUMP);
    for (uint32_t i = 0; i < 16; i++) {
        ck_assert_uint_eq(out[i], i & 1 ? i + 100 : 3 * i);
        ck_assert_uint_eq(out[16 + i], out[i] + 1);
    }
}
END_TEST

START_TEST(backward_goto_loops_until_the_last_channel_leaves)
{
    run_text(LANE_NUMBERS
             "mov (16|M0) r20.0<1>:d 0:w\n"
             "mov (16|M0) r22.0<1>:d r12.0<1;1,0>:d\n"
             "LOOP:\nadd (16|M0) r20.0<1>:d r20.0<1;1,0>:d 5:w\n"
             "add (16|M0) (ge)f1.0 r22.0<1>:d r22.0<1;1,0>:d -1:w\n"
             "(f1.0) goto.b (16|M0) OUT LOOP\n"
             "OUT:\njoin (16|M0) END\n"
             "END:\nadd (16|M0) r24.0<1>:d r20.0<1;1,0>:d 1:w\n" ASM_DUMP);
    for (uint32_t i = 0; i < 16; i++) {
        ck_assert_uint_eq(out[i], 5 * (i + 1));
        ck_assert_uint_eq(out[32 + i], 5 * (i + 1) + 1);
    }
}
END_TEST

START_TEST(if_else_endif_choose_per_channel)
{
    run_text(LANE_NUMBERS
             "cmp (16|M0) (lt)f0.0 null<1>:d r12.0<1;1,0>:d 5:w\n"
             "(f0.0) if (16|M0) ELSE END\n"
             "mov (16|M0) r20.0<1>:d 11:w\n"
             "else (16|M0) END END\n"
             "ELSE:\nmov (16|M0) r20.0<1>:d 22:w\n"
             "END:\nendif (16|M0) NEXT\n"
             "NEXT:\nadd (16|M0) r22.0<1>:d r20.0<1;1,0>:d 1:w\n" ASM_DUMP);
    for (uint32_t i = 0; i < 16; i++) {
        ck_assert_uint_eq(out[i], i < 5 ? 11 : 22);
        ck_assert_uint_eq(out[16 + i], i < 5 ? 12 : 23);
    }
}
END_TEST

/* Adds 1 per round; lanes leave by break after lane rounds, or at 10 rounds;
 * round 2 skips the second addition by cont. */
START_TEST(while_with_break_and_cont)
{
    run_text(LANE_NUMBERS
             "mov (16|M0) r20.0<1>:d 0:w\n"
             "mov (16|M0) r22.0<1>:d 0:w\n"
             "LOOP:\ncmp (16|M0) (eq)f0.0 null<1>:d r22.0<1;1,0>:d "
             "r12.0<1;1,0>:d\n"
             "(f0.0) break (16|M0) LATCH LATCH\n"
             "add (16|M0) r22.0<1>:d r22.0<1;1,0>:d 1:w\n"
             "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1:w\n"
             "cmp (16|M0) (eq)f0.0 null<1>:d r22.0<1;1,0>:d 2:w\n"
             "(f0.0) cont (16|M0) LATCH LATCH\n"
             "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1000:w\n"
             "cmp (16|M0) (lt)f1.0 null<1>:d r22.0<1;1,0>:d 10:w\n"
             "LATCH:\n(f1.0) while (16|M0) LOOP\n"
             "add (16|M0) r24.0<1>:d r20.0<1;1,0>:d 1:w\n" ASM_DUMP);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t rounds = i < 10 ? i : 10;
        const uint32_t thousands = rounds - (rounds >= 2);
        ck_assert_uint_eq(out[i], rounds + 1000 * thousands);
        ck_assert_uint_eq(out[32 + i], out[i] + 1);
    }
}
END_TEST

START_TEST(call_and_ret_come_back)
{
    run_text("mov (16|M0) r20.0<1>:d 1:w\n"
             "call (16|M0) r30.0 SUB\n"
             "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 10:w\n"
             "call (16|M0) r30.0 SUB\n"
             "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 10:w\n" ASM_DUMP
             "SUB:\nshl (16|M0) r20.0<1>:d r20.0<1;1,0>:d 2:w\n"
             "ret (16|M0) r30.0\n");
    EXPECT(0, (1 * 4 + 10) * 4 + 10);
    EXPECT(15, 66);
}
END_TEST

START_TEST(multiply_add_rounds_once)
{
    run_text("mov (16|M0) r10.0<1>:f 0x3F800001:f\n" /* 1 + 2^-23 */
             "mov (16|M0) r12.0<1>:f -1.0:f\n"
             "mad (16|M0) r20.0<1>:f r12.0<1;0>:f r10.0<1;0>:f r10.0<1>:f\n"
             "mul (16|M0) r14.0<1>:f r10.0<1;1,0>:f r10.0<1;1,0>:f\n"
             "add (16|M0) r22.0<1>:f r14.0<1;1,0>:f r12.0<1;1,0>:f\n" ASM_DUMP);
    ck_assert_float_eq(f32(out[0]), 0x1p-22f + 0x1p-46f);
    ck_assert_float_eq(f32(out[16]), 0x1p-22f);
}
END_TEST

START_TEST(denormals_follow_cr0)
{
    run_text("mov (16|M0) r10.0<1>:f 0x00400000:f\n"
             "add (16|M0) r20.0<1>:f r10.0<1;1,0>:f r10.0<1;1,0>:f\n"
             "mul (1|M0) r22.0<1>:f r10.0<0;1,0>:f 2.0:f\n"
             "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw\n"
             "add (16|M0) r24.0<1>:f r10.0<1;1,0>:f r10.0<1;1,0>:f\n"
             "mul (1|M0) r26.0<1>:f r10.0<0;1,0>:f 2.0:f\n" ASM_DUMP);
    EXPECT(0, 0, 0);
    EXPECT(16, 0);
    EXPECT(32, 0x00800000, 0x00800000);
    EXPECT(48, 0x00800000);
}
END_TEST

START_TEST(rounding_follows_cr0)
{
    run_text("mov (8|M0) r10.0<1>:f 0x4B800000:f\n" /* 2^24: steps of 2 */
             "add (8|M0) r20.0<1>:f r10.0<1;1,0>:f 1.0:f\n"
             "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x10:uw\n"
             "add (8|M0) r21.0<1>:f r10.0<1;1,0>:f 1.0:f\n"
             "(W) xor (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x20:uw\n"
             "add (8|M0) r22.0<1>:f r10.0<1;1,0>:f 3.0:f\n" ASM_DUMP);
    EXPECT(0, 0x4B800000);
    EXPECT(8, 0x4B800001);
    EXPECT(16, 0x4B800001);
}
END_TEST

START_TEST(saturation_and_flags)
{
    run_text("mov (8|M0) r10.0<1>:f -0.25:f\n"
             "mov (4|M0) r10.0<1>:f 3.0:f\n"
             "add (8|M0) (gt)f0.0 (sat)r20.0<1>:f r10.0<1;1,0>:f 0.0:f\n"
             "mov (1|M0) r21.0<1>:ud f0.0<0;1,0>:uw\n"
             "mov (8|M0) r11.0<1>:d 300:w\n"
             "mov (8|M0) (sat)r22.0<4>:ub r11.0<1;1,0>:d\n"
             "mov (8|M0) (sat)r24.0<2>:w 70000:d\n"
             "sel (8|M0) (ge)f0.0 r26.0<1>:f r10.0<1;1,0>:f 0.0:f\n"
             "(f0.0) sel (8|M0) r27.0<1>:d r11.0<1;1,0>:d 7:w\n" ASM_DUMP);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_float_eq(f32(out[i]), i < 4 ? 1.0f : 0.0f);
        ck_assert_uint_eq(out[16 + i] & 255, 255);
        ck_assert_uint_eq(out[32 + i] & 0xffff, 32767);
        ck_assert_float_eq(f32(out[48 + i]), i < 4 ? 3.0f : 0.0f);
        ck_assert_uint_eq(out[56 + i], i < 4 ? 300 : 7);
    }
    ck_assert_uint_eq(out[8] & 255, 0x0f);
}
END_TEST

START_TEST(three_source_integer_operations)
{
    run_text("mov (8|M0) r10.0<1>:ud 0xF0F0A5A5:ud\n"
             "mov (8|M0) r11.0<1>:ud 0x0FF01234:ud\n"
             "mov (8|M0) r12.0<1>:ud 0x33335555:ud\n"
             "bfn.(s0^s1^s2) (8|M0) r20.0<1>:ud r10.0<1;0>:ud r11.0<1;0>:ud "
             "r12.0<1>:ud\n"
             "bfn.(s0&s1|s2) (8|M0) r21.0<1>:ud r10.0<1;0>:ud r11.0<1;0>:ud "
             "r12.0<1>:ud\n"
             "add3 (8|M0) r22.0<1>:d r10.0<1;0>:d r11.0<1;0>:d -r12.0<1>:d\n"
             "dp4a (8|M0) r23.0<1>:d r12.0<1;0>:d r10.0<1;0>:d r11.0<1>:ud\n"
             "csel (8|M0) (lt)f0.0 r24.0<1>:d r11.0<1;0>:d r12.0<1;0>:d "
             "r10.0<1>:d\n"
             "mad (8|M0) r25.0<1>:d r10.0<1;0>:d r11.0<1;0>:d "
             "r12.0<0>:w\n" ASM_DUMP);
    const uint32_t a = 0xF0F0A5A5, b = 0x0FF01234, c = 0x33335555;
    EXPECT(0, a ^ b ^ c);
    EXPECT(8, (a & b) | c);
    EXPECT(16, a + b - c);
    EXPECT(24, c + (uint32_t)(-91 * 0x34 - 91 * 0x12 - 16 * 0xf0 - 16 * 0x0f));
    EXPECT(32, b);
    EXPECT(40, a + b * 0x5555u);
}
END_TEST

START_TEST(regions_and_indirect_registers)
{
    run_text(LANE_NUMBERS "mov (8|M0) r20.0<1>:d r12.0<8;4,2>:d\n"
                          "mov (8|M0) r21.0<1>:d r12.1<4;4,1>:d\n"
                          "mov (8|M0) r22.0<2>:w r10.3<0;1,0>:w\n"
                          "(W) mov (1|M0) a0.0<1>:uw 0x190:uw\n" /* r12.4 */
                          "mov (8|M0) r24.0<1>:d r[a0.0]<1;1,0>:d\n"
                          "(W) mov (8|M0) a0.0<1>:uw 0x76543210:uv\n"
                          "(W) shl (8|M0) a0.0<1>:uw a0.0<1;1,0>:uw 3:w\n"
                          "mov (8|M0) r25.0<1>:d r[a0.0,384]<1,0>:d\n"
                          "mov (8|M0) r26.0<1>:w 0xFEDCBA98:v\n"
                          "(W) mov (4|M0) r26.4<1>:ud 0xC080400:uv\n"
                          "mov (4|M0) r27.0<1>:f 0x40302010:vf\n" ASM_DUMP);
    EXPECT(0, 0, 2, 4, 6, 8, 10, 12, 14);
    EXPECT(8, 1, 2, 3, 4, 5, 6, 7, 8);
    ck_assert_uint_eq(out[16] & 0xffff, 3);
    ck_assert_uint_eq(out[23] & 0xffff, 3);
    EXPECT(32, 4, 5, 6, 7, 8, 9, 10, 11);
    EXPECT(40, 0, 2, 4, 6, 8, 10, 12, 14);
    /* words -8 to -1; dwords take every other part, as IGC's code expects */
    EXPECT(48, 0xfff9fff8, 0xfffbfffa, 0xfffdfffc, 0xfffffffe);
    EXPECT(52, 0, 4, 8, 12);
    /* restricted floats: exponent - 3, so 0x10 is 0.25 */
    ck_assert_float_eq(f32(out[56]), 0.25f);
    ck_assert_float_eq(f32(out[57]), 0.5f);
    ck_assert_float_eq(f32(out[58]), 1.0f);
    ck_assert_float_eq(f32(out[59]), 2.0f);
}
END_TEST

START_TEST(group_predicates)
{
    run_text("(W) mov (1|M0) f0.0<1>:uw 0x0102:uw\n"
             "mov (16|M0) r20.0<1>:d 0:w\n"
             "mov (16|M0) r22.0<1>:d 0:w\n"
             "mov (16|M0) r24.0<1>:d 0:w\n"
             "(f0.0.any4h) mov (16|M0) r20.0<1>:d 1:w\n"
             "(~f0.0.all2h) mov (16|M0) r22.0<1>:d 1:w\n"
             "(f0.0.any16h) mov (16|M0) r24.0<1>:d 1:w\n" ASM_DUMP);
    EXPECT(0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0);
    for (unsigned i = 16; i < 48; i++)
        ck_assert_uint_eq(out[i], 1);
}
END_TEST

/* dst = 5 + A x B with A[m][k] = m + k - 3 and B[k][n] = n - k, 32 deep. */
START_TEST(dpas_multiplies_bytes)
{
    uint32_t in[128];
    int8_t *b = (int8_t *)in, *a = (int8_t *)(in + 64);
    for (int k = 0; k < 32; k++)
        for (int n = 0; n < 8; n++)
            b[(k / 4 * 8 + n) * 4 + k % 4] = (int8_t)(n - k);
    for (int m = 0; m < 8; m++)
        for (int k = 0; k < 32; k++)
            a[m * 32 + k] = (int8_t)(m + k - 3);
    run_ok(&(struct asm_run){
        .simd = 8,
        .text = "(W) mov (2|M0) r2.0<1>:ud r1.2<1;1,0>:ud\n"
                "(W) send.ugm (1|M0) r40 r2 null:0 0x0 0x0280F580\n"
                "(W) add (1|M0) r2.0<1>:ud r2.0<0;1,0>:ud 256:w\n"
                "(W) send.ugm (1|M0) r50 r2 null:0 0x0 0x0280F580\n"
                "mov (16|M0) r60.0<1>:d 5:w\n"
                "mov (8|M0) r60.0<1>:d 5:w\nmov (8|M0) r61.0<1>:d 5:w\n"
                "mov (8|M0) r62.0<1>:d 5:w\nmov (8|M0) r63.0<1>:d 5:w\n"
                "mov (8|M0) r64.0<1>:d 5:w\nmov (8|M0) r65.0<1>:d 5:w\n"
                "mov (8|M0) r66.0<1>:d 5:w\nmov (8|M0) r67.0<1>:d 5:w\n"
                "dpas.8x8 (8|M0) r20:d r60:d r40:b r50.0:b\n" ASM_DUMP,
        .in = in,
        .in_b = sizeof(in)});
    for (int m = 0; m < 8; m++)
        for (int n = 0; n < 8; n++) {
            int sum = 5;
            for (int k = 0; k < 32; k++)
                sum += (m + k - 3) * (n - k);
            ck_assert_int_eq((int32_t)out[m * 8 + n], sum);
        }
}
END_TEST

START_TEST(dpas_multiplies_halves)
{
    uint16_t in[256];
    for (int k = 0; k < 16; k++)
        for (int n = 0; n < 8; n++)
            in[(k / 2 * 8 + n) * 2 + k % 2] = half_bits(n - k);
    for (int m = 0; m < 8; m++)
        for (int k = 0; k < 16; k++)
            in[128 + m * 16 + k] = half_bits((m + k) * 0.5);
    run_ok(&(struct asm_run){
        .simd = 8,
        .text = "(W) mov (2|M0) r2.0<1>:ud r1.2<1;1,0>:ud\n"
                "(W) send.ugm (1|M0) r40 r2 null:0 0x0 0x0280F580\n"
                "(W) add (1|M0) r2.0<1>:ud r2.0<0;1,0>:ud 256:w\n"
                "(W) send.ugm (1|M0) r50 r2 null:0 0x0 0x0280F580\n"
                "dpas.8x8 (8|M0) r20:f null:f r40:hf r50.0:hf\n" ASM_DUMP,
        .in = in,
        .in_b = sizeof(in)});
    for (int m = 0; m < 8; m++)
        for (int n = 0; n < 8; n++) {
            float sum = 0;
            for (int k = 0; k < 16; k++)
                sum += (float)(m + k) * 0.5f * (float)(n - k);
            ck_assert_float_eq(f32(out[m * 8 + n]), sum);
        }
}
END_TEST

/* r2 = barrier payload from r0.2[31:24]. */
#define SIGNAL                                                                 \
    "(W) mov (8|M0) r2.0<1>:ud 0x0:ud\n"                                       \
    "(W) mov (2|M0) r2.10<1>:ub r0.11<0;1,0>:ub\n"                             \
    "(W) send.gtwy (1|M0) null r2 null:0 0x0 0x02000004\n"

/* Thread t writes t + 1 to SLM dword t, then everyone reads all of them. */
START_TEST(threads_meet_at_barriers)
{
    struct asm_run r = {
        .text = "(W) and (1|M0) r3.0<1>:ud r0.2<0;1,0>:ud 0xFF:uw\n"
                "(W) shl (1|M0) r4.0<1>:ud r3.0<0;1,0>:ud 2:w\n"
                "(W) add (1|M0) r5.0<1>:ud r3.0<0;1,0>:ud 1:w\n"
                "(W) send.slm (1|M0) null r4 r5:1 0x0 0x02008504\n" SIGNAL
                "sync.bar null\n"
                "(W) mov (1|M0) r6.0<1>:ud 0x0:ud\n"
                "(W) send.slm (1|M0) r20 r6 null:0 0x0 0x0210C500\n"
                "(W) shl (1|M0) r3.1<1>:ud r3.0<0;1,0>:ud 5:w\n"
                "(W) addc (1|M0) r7.0<1>:ud r1.0<0;1,0>:ud r3.1<0;1,0>:ud "
                "{AccWrEn}\n"
                "(W) add (1|M0) r7.1<1>:ud acc0.0<0;1,0>:ud r1.1<0;1,0>:ud\n"
                "(W) send.ugm (1|M0) null r7 r20:1 0x0 0x0200C584\n" ASM_EOT,
        .threads = 8,
        .slm_b = 1024,
        .barriers = 1};
    run_ok(&r);
    for (unsigned t = 0; t < 8; t++)
        EXPECT(8 * t, 1, 2, 3, 4, 5, 6, 7, 8);
    ck_assert_uint_eq(r.stats.threads, 8);
    ck_assert_uint_eq(r.stats.syncs, 8);
    ck_assert_uint_eq(r.stats.sends, 5 * 8);
    ck_assert_uint_eq(r.stats.instructions, 16 * 8);
}
END_TEST

START_TEST(misused_barriers_are_findings)
{
    struct asm_run r = {.text = SIGNAL "sync.bar null\n" ASM_EOT, .threads = 4};
    FINDS(&r, "declares no barrier");
    r = (struct asm_run){.text = "sync.bar null\n" ASM_EOT, .barriers = 1};
    FINDS(&r, "sync.bar", "without a barrier signalled");
    r = (struct asm_run){.text = SIGNAL SIGNAL ASM_EOT, .barriers = 1};
    FINDS(&r, "twice without a sync.bar");
    r = (struct asm_run){
        .text = "(W) mov (8|M0) r2.0<1>:ud 0x02020000:ud\n"
                "(W) send.gtwy (1|M0) null r2 null:0 0x0 0x02000004\n" ASM_EOT,
        .threads = 4,
        .barriers = 1};
    FINDS(&r, "2 producers and 2 consumers, the group has 4 threads");
    r = (struct asm_run){
        .text = "(W) and (1|M0) (ne)f0.0 null<1>:ud r0.2<0;1,0>:ud 0xFF:uw\n"
                "(W&f0.0) jmpi (1|M0) OUT\n" SIGNAL "sync.bar null\n"
                "OUT:\n" ASM_EOT,
        .threads = 3,
        .barriers = 1};
    FINDS(&r, "waits for a barrier that only 1 of 3 threads reached",
          "thread 0");
}
END_TEST

START_TEST(endless_loops_end)
{
    struct asm_run r = {.text = "LOOP:\njmpi (1|M0) LOOP\n",
                        .inst_limit = 100000};
    FINDS(&r, "instruction limit of 100000", "jmpi", "offset 0x0",
          "loop from offset 0x0 to 0x0");
    /* the inner one of two, from 16 to 48 */
    r.text = "OUTER:\n(W) mov (1|M0) r1.0<1>:ud 0x0:ud\n"
             "INNER:\n(W) add (1|M0) r1.0<1>:ud r1.0<0;1,0>:ud 0x1:ud\n"
             "(W) cmp (1|M0) (ge)f0.0 null<1>:ud r1.0<0;1,0>:ud 0x0:ud\n"
             "(W&f0.0) jmpi (1|M0) INNER\n"
             "jmpi (1|M0) OUTER\n" ASM_EOT;
    FINDS(&r, "instruction limit of 100000", "loop from offset 0x10 to 0x30");
}
END_TEST

START_TEST(what_is_no_kernel_is_a_finding)
{
    struct asm_run r = {.text = "illegal\n"};
    FINDS(&r, "offset 0x0");
    r = (struct asm_run){.text = "nop\n"};
    FINDS(&r, "past the end of the code, 0x10 bytes");
    r = (struct asm_run){.text = "(W) send.smpl (8|M0) r20 r2 null:0 0x0 "
                                 "0x02100000\n" ASM_EOT};
    FINDS(&r, "the sampler message sample", "0x2100000", "is not simulated");
    r = (struct asm_run){.text = "mov (8|M0) r126.0<4>:ud 0x0:ud\n" ASM_EOT};
    FINDS(&r, "mov (8|M0)", "offset 0x0");
}
END_TEST

/* Groups from 3 on fault; the first of them is reported, always. */
START_TEST(findings_do_not_depend_on_host_threads)
{
    static const char text[] =
        "(W) cmp (1|M0) (lt)f0.0 null<1>:ud r0.1<0;1,0>:ud 3:w\n"
        "(W&f0.0) jmpi (1|M0) GOOD\n"
        "(W) mov (1|M0) r1.1<1>:ud r0.1<0;1,0>:ud\n"
        "GOOD:\n" ASM_DUMP;
    struct asm_run first = {.text = text, .groups = 200, .host_threads = 1};
    FINDS(&first, "group 3,0,0");
    for (unsigned n = 2; n < 9; n++) {
        struct asm_run r = {.text = text, .groups = 200, .host_threads = n};
        FINDS(&r, "group 3,0,0");
        ck_assert_str_eq(r.err.message, first.err.message);
    }
}
END_TEST

START_TEST(the_last_thread_is_masked)
{
    run_ok(&(struct asm_run){.text = "(W) mov (16|M0) r20.0<1>:d 0:w\n"
                                     "mov (16|M0) r20.0<1>:d 9:w\n" ASM_DUMP,
                             .last_lanes = 5});
    EXPECT(0, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
END_TEST

/* As the hardware leaves it open, any NaN is as good as another. */
static bool same_dword(const struct xk_sim_inst *e, uint32_t a, uint32_t b)
{
    return a == b || (e->dst.type == XK_RT_F && isnan(f32(a)) && isnan(f32(b)));
}

/* Check's assertions are too slow for every dword. */
static void compare_files(const struct xk_sim_inst *e,
                          const struct xk_sim_thread *a,
                          const struct xk_sim_thread *b)
{
    struct xk_str s;
    if (memcmp(a->acc_hi, b->acc_hi, sizeof(a->acc_hi)))
        ck_abort_msg("the accumulators' upper bits differ");
    if (memcmp(a->rf, b->rf, XK_RF_END_B) == 0)
        return;
    uint32_t off = 0;
    while (off < XK_RF_END_B &&
           same_dword(e, xk_rf_u32(a, off), xk_rf_u32(b, off)))
        off += 4;
    if (off == XK_RF_END_B)
        return;
    xk_str_init(&s, &xk_alloc_default);
    xk_inst_print(xk_platform_find("xehpg"), &e->in, &s);
    ck_abort_msg("%s: byte %u of the registers is 0x%x, general 0x%x",
                 xk_str_get(&s), off, xk_rf_u32(a, off), xk_rf_u32(b, off));
}

/* cr0 bits: default; denormals kept; towards zero; up, denormals kept. */
static const uint32_t cr0[] = {0, 0x4c0, 0x30, 0x4d0};

static void start_thread(struct xk_sim_thread *t, const xk_sim_kernel *k,
                         uint32_t seed)
{
    memset(t, 0, sizeof(*t));
    t->kernel = k;
    t->active = seed % 4 ? UINT32_MAX : seed * 2654435761u;
    paths_fill(t->rf, 128 * 32, seed);
    paths_fill(t->rf + XK_RF_ACC, XK_SIM_SPAN_B, ~seed);
    for (unsigned i = 0; i < XK_COUNTOF(t->acc_hi); i++) /* of 48 bits */
        t->acc_hi[i] = (int16_t)(seed * 40503u + i * 2654435761u);
    xk_rf_set_u32(t, XK_RF_FLAG, seed * 40503u + (seed << 16));
    xk_rf_set_u32(t, XK_RF_CR, cr0[seed / 4 % XK_COUNTOF(cr0)]);
    xk_sim_thread_cr_written(t);
}

/* One instruction by fn and by the general way, from the same registers. */
static void both_ways(const xk_sim_kernel *k, const struct xk_sim_inst *e,
                      xk_sim_fn *fn, const struct xk_sim_inst *general,
                      uint32_t seed)
{
    static struct xk_sim_thread a, b;
    start_thread(&a, k, seed);
    fn(&a, e);
    start_thread(&b, k, seed);
    general->fn(&b, general);
    fesetround(FE_TONEAREST);
    if (b.state != XK_SIM_RUN)
        ck_abort_msg("the general way faults");
    compare_files(e, &a, &b);
}

static xk_sim_kernel *kernel_of(const char *text)
{
    struct xk_error err = {.status = XK_OK};
    struct xk_zkernel z = {.name = "paths", .simd = 16, .grf_count = 128};
    xk_sim_kernel *k;
    uint8_t *code = ocl_assemble(text, &z.code_b);
    ck_assert_ptr_nonnull(code);
    z.code = code;
    ck_assert_msg(xk_sim_kernel_create(NULL, xk_platform_find("xehpg"), &z, &k,
                                       &err) == XK_OK,
                  "%s", err.message);
    free(code);
    return k;
}

START_TEST(direct_and_general_execution_agree)
{
    static char text[400000];
    unsigned direct = 0;
    paths_write(text, sizeof(text), 1500, 7u + (unsigned)_i);
    xk_sim_kernel *k = kernel_of(text);
    for (uint32_t i = 0; i + 1 < k->n; i++) {
        struct xk_sim_inst general = k->inst[i];
        general.fn = NULL;
        xk_sim_select(k, &general);
        direct += general.fn != k->inst[i].fn;
        for (uint32_t seed = 0; seed < 16; seed++)
            both_ways(k, &k->inst[i], k->inst[i].fn, &general,
                      16 * i + seed + 1);
    }
    ck_assert_uint_gt(direct, k->n / 5 * 4);
    xk_sim_kernel_destroy(k);
}
END_TEST

START_TEST(direct_and_general_dpas_agree)
{
    static char text[100000];
    unsigned direct = 0;
    paths_write_dpas(text, sizeof(text), 3);
    xk_sim_kernel *k = kernel_of(text);
    for (uint32_t i = 0; i + 1 < k->n; i++) {
        struct xk_sim_inst general = k->inst[i];
        ck_assert_int_eq(general.in.op, XK_OPC_DPAS);
        general.fn = xk_sim_exec_dpas;
        if (k->inst[i].fn == xk_sim_exec_dpas)
            continue; /* narrower than a byte */
        direct++;
        for (uint32_t seed = 1; seed < 65; seed++) {
            both_ways(k, &k->inst[i], k->inst[i].fn, &general, seed);
            both_ways(k, &k->inst[i], xk_sim_select_dpas_any(&k->inst[i]),
                      &general, seed);
        }
    }
    ck_assert_uint_ge(direct, 6 * 8 * 3);
    xk_sim_kernel_destroy(k);
}
END_TEST

/* Against arithmetic on doubles. */
START_TEST(every_half_becomes_its_float)
{
    for (uint32_t h = 0; h < 65536; h++) {
        const double want = half_value((uint16_t)h);
        const float got = xk_sim_half_to_float((uint16_t)h);
        if (isnan(want))
            ck_assert(isnan(got));
        else
            ck_assert(got == (float)want && !signbit(got) == !(h >> 15));
    }
}
END_TEST

struct failing {
    unsigned left;
};

static void *failing_realloc(void *user, void *p, size_t n_b)
{
    struct failing *f = user;
    if (n_b && f->left-- == 0) {
        f->left = 0;
        return NULL;
    }
    if (n_b)
        return realloc(p, n_b);
    free(p);
    return NULL;
}

START_TEST(every_failing_allocation_is_survived)
{
    enum xk_status s = XK_ENOMEM;
    unsigned n = 0;
    for (; s == XK_ENOMEM && n < 50; n++) {
        struct failing f = {n};
        const struct xk_alloc a = {failing_realloc, &f};
        struct asm_run r = {
            .text = ASM_DUMP, .alloc = &a, .groups = 4, .out = (uint8_t *)out};
        s = asm_run(&r);
        ck_assert(s == XK_OK || s == XK_ENOMEM);
        ck_assert(s == XK_OK || r.err.message[0]);
    }
    ck_assert_int_eq(s, XK_OK);
    ck_assert_uint_gt(n, 4);
}
END_TEST

static const struct {
    uint64_t va, n_b;
    const char *text; /* NULL: inside */
} spots[] = {
    {0x1000, 1, NULL},
    {0x1fff, 1, NULL},
    {0x1000, 0x1000, NULL},
    {0x3000, 16, NULL},
    {0xfff, 2, "before"},
    {0x1fff, 2, "cross the end"},
    {0x2000, 1, "past the end"},
    {0x2ffe, 1, "2 bytes before"},
    {0x3010, 4, "0 bytes past"},
    {UINT64_MAX, 8, "past the end"},
    {0, 1, "before"},
};

START_TEST(memory_knows_its_borders)
{
    uint8_t a[16], b[0x1000];
    struct xk_sim_region r[] = {{0x3000, 16, a}, {0x1000, 0x1000, b}};
    struct xk_sim_space s;
    struct xk_error err;
    char why[200];
    ck_assert_int_eq(xk_sim_space_init(&s, r, 2, &err), XK_OK);
    const bool in = xk_sim_space_find(&s, spots[_i].va, spots[_i].n_b) != NULL;
    ck_assert_int_eq(in, spots[_i].text == NULL);
    xk_sim_space_explain(&s, spots[_i].va, spots[_i].n_b, why, sizeof(why));
    if (spots[_i].text)
        ck_assert_msg(strstr(why, spots[_i].text) != NULL, "%s", why);
}
END_TEST

START_TEST(overlapping_regions_are_refused)
{
    uint8_t b[64];
    struct xk_sim_region r[] = {{0x1010, 16, b}, {0x1000, 17, b}};
    struct xk_sim_space s;
    struct xk_error err;
    ck_assert_int_eq(xk_sim_space_init(&s, r, 2, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "overlaps"));
}
END_TEST

static void add_asm_tests(TCase *t)
{
    tcase_add_test(t, addc_carries_into_the_high_dword);
    tcase_add_test(t, mul_and_mach_make_both_halves_of_a_product);
    tcase_add_test(t, predicated_gather_keeps_zeros_in_the_masked_lanes);
    tcase_add_test(t, an_access_outside_names_instruction_and_address);
    tcase_add_test(t, an_access_across_the_end_is_outside);
    tcase_add_test(t, block_load_and_store_move_whole_registers);
    tcase_add_test(t, a_misaligned_block_is_a_finding);
    tcase_add_test(t, goto_and_join_part_and_unite_channels);
    tcase_add_test(t, backward_goto_loops_until_the_last_channel_leaves);
    tcase_add_test(t, if_else_endif_choose_per_channel);
    tcase_add_test(t, while_with_break_and_cont);
    tcase_add_test(t, call_and_ret_come_back);
    tcase_add_test(t, multiply_add_rounds_once);
    tcase_add_test(t, denormals_follow_cr0);
    tcase_add_test(t, rounding_follows_cr0);
    tcase_add_test(t, saturation_and_flags);
    tcase_add_test(t, three_source_integer_operations);
    tcase_add_test(t, regions_and_indirect_registers);
    tcase_add_test(t, group_predicates);
    tcase_add_test(t, dpas_multiplies_bytes);
    tcase_add_test(t, dpas_multiplies_halves);
    tcase_add_test(t, threads_meet_at_barriers);
    tcase_add_test(t, misused_barriers_are_findings);
    tcase_add_test(t, endless_loops_end);
    tcase_add_test(t, what_is_no_kernel_is_a_finding);
    tcase_add_test(t, findings_do_not_depend_on_host_threads);
    tcase_add_test(t, the_last_thread_is_masked);
    tcase_add_loop_test(t, direct_and_general_execution_agree, 0, 3);
    tcase_add_test(t, direct_and_general_dpas_agree);
    tcase_add_test(t, every_failing_allocation_is_survived);
}

int main(void)
{
    Suite *s = suite_create("sim");
    TCase *t = tcase_create("memory");
    tcase_add_loop_test(t, memory_knows_its_borders, 0, XK_COUNTOF(spots));
    tcase_add_test(t, overlapping_regions_are_refused);
    tcase_add_test(t, every_half_becomes_its_float);
    suite_add_tcase(s, t);
    if (ocl_available()) {
        TCase *a = tcase_create("instructions");
        tcase_set_timeout(a, 60);
        add_asm_tests(a);
        suite_add_tcase(s, a);
    } else {
        printf("# iga64 is missing: instructions are not tested\n");
    }
    return xk_tap_run(s);
}
