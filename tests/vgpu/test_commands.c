/* SPDX-License-Identifier: Apache-2.0 */
/* The command streamer on batches made by hand from virtual-device.md 4 and 5:
 * what each command leaves in memory, and what bad ones are answered. */
#include <string.h>

#include "tests/tap.h"
#include "tests/vgpu/machine.h"
#include "vgpu/command_exec.h"

static struct machine g;

#define LO(va) (uint32_t)(va)
#define HI(va) (uint32_t)((va) >> 32)
#define DATA LO(MACHINE_DATA), HI(MACHINE_DATA)
#define GPR(k) (MACHINE_BASE + 0x600 + 8 * (k))

static void open_machine(void)
{
    machine_open(&g, 0);
}

static void close_machine(void)
{
    machine_close(&g);
}

#define RUN(...)                                                               \
    machine_run(&g, (const uint32_t[]){__VA_ARGS__},                           \
                sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define RUN_OK(...)                                                            \
    ck_assert_msg(RUN(__VA_ARGS__) == XK_OK, "%s", g.c->error.message)

/* An error that says these words. */
static void must_say(enum xk_status got, enum xk_status want, const char *a,
                     const char *b)
{
    ck_assert_int_eq(got, want);
    ck_assert_msg(strstr(g.c->error.message, a) &&
                      strstr(g.c->error.message, b),
                  "'%s' does not say '%s' and '%s'", g.c->error.message, a, b);
}

/* One command, and the qword at MACHINE_DATA after it; before, it was
 * 0x1111111122222222. */
#define BEFORE UINT64_C(0x1111111122222222)
/* clang-format off */
static const struct {
    const char *name;
    uint64_t want;
    uint32_t dw[16];
} writes[] = {
    {"MI_STORE_DATA_IMM, dword", UINT64_C(0x11111111000000aa),
     {0x10000002, DATA, 0xaa}},
    {"MI_STORE_DATA_IMM, qword", UINT64_C(0xbb000000aa),
     {0x10200003, DATA, 0xaa, 0xbb}},
    {"MI_FLUSH_DW without post-sync", BEFORE,
     {0x13000003, DATA, 0xaa, 0xbb}},
    {"MI_FLUSH_DW, immediate", UINT64_C(0xbb000000aa),
     {0x13004003, DATA, 0xaa, 0xbb}},
    {"MI_FLUSH_DW, clock", 1, {0x1300c003, DATA, 0xaa, 0xbb}},
    {"PIPE_CONTROL without post-sync", BEFORE,
     {0x7a000004, 0x00101000, DATA, 0xaa, 0xbb}},
    {"PIPE_CONTROL, immediate", UINT64_C(0xbb000000aa),
     {0x7a000004, 0x00105000, DATA, 0xaa, 0xbb}},
    {"PIPE_CONTROL, clock", 1,
     {0x7a000004, 0x0010c000, DATA, 0xaa, 0xbb}},
    {"STATE_PREFETCH, which PVC's driver sends from B0 on", BEFORE,
     {0x60030002, DATA, 0xaa, 0xbb}},
    {"L3_CONTROL, a range and no post-sync", BEFORE,
     {0x7d802605, DATA, 0xaa, 0xbb, 0x1000, 0}},
    {"L3_CONTROL, immediate", UINT64_C(0xbb000000aa),
     {0x7d906605, DATA, 0xaa, 0xbb, 0x1000, 0}},
    {"L3_CONTROL of xelp, no post-sync", BEFORE, {0x7d800601, DATA}},
    {"MI_ATOMIC, move", UINT64_C(0x1111111100000007),
     {0x17840409, DATA, 7, 0, 0, 0, 0, 0, 0, 0}},
    {"MI_ATOMIC, increment", UINT64_C(0x1111111122222223),
     {0x17800501, DATA}},
    {"MI_ATOMIC, decrement", UINT64_C(0x1111111122222221),
     {0x17800601, DATA}},
    {"MI_ATOMIC, move of 8 bytes", UINT64_C(0x800000007),
     {0x17842409, DATA, 7, 0, 8, 0, 0, 0, 0, 0}},
    {"MI_ATOMIC, increment of 8 bytes", BEFORE + 1, {0x17802501, DATA}},
    {"MI_ATOMIC, decrement of 8 bytes", BEFORE - 1, {0x17802601, DATA}},
    {"MEM_SET, linear", UINT64_C(0x1111111122ababab),
     {0x56c00005, 2, 0, 0, DATA, 0xab000000}},
    {"MEM_SET, two rows of one byte", UINT64_C(0x11ab1111222222ab),
     {0x56c20005, 0, 1, 5, DATA, 0xab000000}},
    {"XY_FAST_COLOR_BLT, one pixel of 32 bits", UINT64_C(0xabcd123422222222),
     {0x5110000e, 63, 0x00000001, 0x00010002, DATA, 0, 0xabcd1234, 0, 0, 0,
      0, 0, 0, 0, 0}},
};
/* clang-format on */

START_TEST(a_command_writes_what_it_says)
{
    const uint32_t *const dw = writes[_i].dw;
    const unsigned n = (dw[0] & 0xff) + 2;
    ck_assert_uint_le(n, 16);
    machine_write64(&g, MACHINE_DATA, BEFORE);
    ck_assert_msg(machine_run(&g, dw, n) == XK_OK, "%s: %s", writes[_i].name,
                  g.c->error.message);
    const uint64_t got = machine_read64(&g, MACHINE_DATA);
    ck_assert_msg(got == writes[_i].want, "%s: 0x%llx", writes[_i].name,
                  (unsigned long long)got);
}
END_TEST

START_TEST(commands_without_effect_are_taken)
{
    RUN_OK(0, 0x00800000, 0x01000000, 0x02800000, 0x04000000, 0x04800000,
           0x69048302, 0x61020001, 0, 0, 0x61090001, 0, 0);
    ck_assert_uint_eq(g.n_walkers, 0);
}
END_TEST

/* GGTT addresses are physical ones in this machine. */
START_TEST(writes_to_the_global_table_go_there)
{
    const struct xk_gpu_phys at = {0x8100, XK_GPU_SYSTEM};
    uint64_t v = 0;
    RUN_OK(0x10400002, 0x8100, 0, 0x55, 0x7a000004, 0x01004000, 0x8108, 0, 0x66,
           0, 0x13004003, 0x8114, 0, 0x77, 0);
    xk_gpu_phys_read(g.m, at, &v, 8);
    ck_assert_uint_eq(v, 0x55);
    xk_gpu_phys_read(g.m, (struct xk_gpu_phys){0x8108, XK_GPU_SYSTEM}, &v, 8);
    ck_assert_uint_eq(v, 0x66);
    xk_gpu_phys_read(g.m, (struct xk_gpu_phys){0x8110, XK_GPU_SYSTEM}, &v, 8);
    ck_assert_uint_eq(v, 0x77);
}
END_TEST

/* LOAD_REGISTER_IMM with and without the engine's base, STORE_REGISTER_MEM,
 * LOAD_REGISTER_MEM, LOAD_REGISTER_REG. */
START_TEST(registers_are_loaded_copied_and_stored)
{
    /* A command in a line. */
    /* clang-format off */
    RUN_OK(0x11000003, GPR(0), 0xabc, GPR(1), 0xdef,
           0x11080001, 0x600 + 8 * 2, 0x123,
           0x15000001, GPR(0), GPR(3),
           0x12000002, GPR(3), DATA,
           0x12000002, GPR(2), LO(MACHINE_DATA) + 4, HI(MACHINE_DATA),
           0x14800002, GPR(5), DATA,
           0x12000002, GPR(5), LO(MACHINE_DATA) + 8, HI(MACHINE_DATA));
    /* clang-format on */
    ck_assert_uint_eq(machine_read64(&g, MACHINE_DATA),
                      UINT64_C(0x12300000abc));
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 8), 0xabc);
    ck_assert_uint_eq(xk_command_stream_register(g.s, GPR(1)), 0xdef);
}
END_TEST

START_TEST(clocks_are_read_from_the_device)
{
    g.clock = UINT64_C(0x500000010);
    RUN_OK(0x12000002, 0x2358, DATA, 0x12000002, 0x235c, LO(MACHINE_DATA) + 4,
           HI(MACHINE_DATA), 0x12000002, 0x23a8, LO(MACHINE_DATA) + 8,
           HI(MACHINE_DATA));
    ck_assert_uint_eq(machine_read64(&g, MACHINE_DATA), UINT64_C(0x500000011));
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 8), 0x13);
}
END_TEST

/* R0 op R1, by the opcodes of virtual-device.md 4. */
static const struct {
    uint32_t op;
    uint64_t a, b, accu;
    bool zero, carry;
} sums[] = {
    {0x100, 5, 7, 12, false, false},
    {0x100, UINT64_MAX, 1, 0, true, true},
    {0x100, UINT64_C(0xffffffff), 1, UINT64_C(0x100000000), false, false},
    {0x101, 7, 5, 2, false, false},
    {0x101, 5, 7, UINT64_MAX - 1, false, true},
    {0x101, 5, 5, 0, true, false},
    {0x102, 12, 10, 8, false, false},
    {0x103, 12, 10, 14, false, false},
};
#define ALU(op, to, from) ((uint32_t)(op) << 20 | (to) << 10 | (from))

START_TEST(math_computes_64_bits_and_flags)
{
    const uint64_t a = sums[_i].a, b = sums[_i].b;
    RUN_OK(0x11000007, GPR(0), LO(a), GPR(0) + 4, HI(a), GPR(1), LO(b),
           GPR(1) + 4, HI(b), 0x0d000005, ALU(0x080, 0x20, 0),
           ALU(0x080, 0x21, 1), ALU(sums[_i].op, 0, 0), ALU(0x180, 2, 0x31),
           ALU(0x180, 3, 0x32), ALU(0x180, 4, 0x33));
    const uint64_t got = (uint64_t)xk_command_stream_register(g.s, GPR(2) + 4)
                             << 32 |
                         xk_command_stream_register(g.s, GPR(2));
    ck_assert_uint_eq(got, sums[_i].accu);
    ck_assert_int_eq(xk_command_stream_register(g.s, GPR(3)) != 0,
                     sums[_i].zero);
    ck_assert_int_eq(xk_command_stream_register(g.s, GPR(4)) != 0,
                     sums[_i].carry);
}
END_TEST

START_TEST(math_names_an_opcode_that_it_does_not_know)
{
    must_say(RUN(0x0d000000, ALU(0x7ff, 1, 2)), XK_EUNSUPPORTED, "MI_MATH",
             "0x7ff");
}
END_TEST

/* memory OP data, numbered as in dw0[14:12] */
static const struct {
    uint32_t compare, memory, data;
    bool holds;
} waits[] = {
    {0, 6, 5, true}, {0, 5, 5, false}, {1, 5, 5, true}, {1, 4, 5, false},
    {2, 4, 5, true}, {2, 5, 5, false}, {3, 5, 5, true}, {3, 6, 5, false},
    {4, 5, 5, true}, {4, 6, 5, false}, {5, 6, 5, true}, {5, 5, 5, false},
};

START_TEST(a_semaphore_that_holds_passes_and_another_never_will)
{
    machine_write64(&g, MACHINE_DATA, waits[_i].memory);
    const enum xk_status st =
        RUN(0x0e000003 | waits[_i].compare << 12, waits[_i].data, DATA, 0);
    if (waits[_i].holds)
        ck_assert_int_eq(st, XK_OK);
    else
        must_say(st, XK_EFAULT, "MI_SEMAPHORE_WAIT", "for ever");
}
END_TEST

/* Batches: 0x18800101 jumps (chain), 0x18c00101 calls (second level). */
#define AT(k) LO(MACHINE_BATCH + 4096 * (k)), HI(MACHINE_BATCH + 4096 * (k))
#define STORE(k, v) 0x10000002, LO(MACHINE_DATA) + 4 * (k), HI(MACHINE_DATA), v
#define END 0x05000000

START_TEST(a_called_batch_returns_and_a_chained_one_does_not)
{
    const uint32_t called[] = {STORE(0, 1), END};
    const uint32_t chained[] = {STORE(1, 2), END};
    machine_place(&g, MACHINE_BATCH + 4096, called, 5);
    machine_place(&g, MACHINE_BATCH + 8192, chained, 5);
    RUN_OK(0x18c00101, AT(1), STORE(2, 3), 0x18800101, AT(2), STORE(3, 4));
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA), 1);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 4), 2);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 8), 3);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 12), 0);
}
END_TEST

START_TEST(a_third_level_is_refused)
{
    const uint32_t deep[] = {0x18c00101, AT(2), END};
    machine_place(&g, MACHINE_BATCH + 4096, deep, 4);
    must_say(RUN(0x18c00101, AT(1)), XK_EFAULT, "is called", "3 deep");
}
END_TEST

START_TEST(an_endless_batch_is_an_error_with_the_limit)
{
    must_say(RUN(0x18800101, AT(0)), XK_EFAULT, "100 commands", "endless");
}
END_TEST

START_TEST(a_submission_goes_on_where_the_last_one_ended)
{
    const unsigned n = MACHINE_RING_B / 16 + 3; /* once round */
    machine_write64(&g, MACHINE_DATA, 0);
    for (unsigned k = 0; k < n; k++)
        RUN_OK(0x17800501, DATA);
    ck_assert_uint_eq(machine_read64(&g, MACHINE_DATA), n);
}
END_TEST

/* What nobody can run, with what the message must say. */
/* clang-format off */
static const struct {
    uint32_t dw[10];
    unsigned n;
    enum xk_status status;
    const char *a, *b;
} bad[] = {
    {{0x0f800000}, 1, XK_EUNSUPPORTED, "0x0f800000", "unknown"},
    {{0x7fff0000, 0}, 2, XK_EUNSUPPORTED, "0x7fff0000", "0x7f0000100000"},
    {{0x10000000, 0}, 2, XK_EFAULT, "MI_STORE_DATA_IMM", "2 dwords, not 4"},
    {{0x7208000f}, 1, XK_EFAULT, "COMPUTE_WALKER", "17 dwords, not 39"},
    {{0x7a0000fe}, 1, XK_EFAULT, "0x7a0000fe", "256 dwords"},
    {{0x10000002, 0x1000, 0, 1}, 4, XK_EFAULT, "0x1000", "not mapped"},
    {{0x14800002, GPR(0), 0x2000, 0}, 4, XK_EFAULT, "0x2000", "not mapped"},
    {{0x10400002, 0x99000, 0, 1}, 4, XK_EFAULT, "0x99000", "not mapped"},
    {{0x18800101, 0x4000, 0}, 3, XK_EFAULT, "0x4000", "not mapped"},
    {{0x14000002, 0, 0, 0}, 4, XK_EUNSUPPORTED, "MI_REPORT_PERF_COUNT",
     "not modelled"},
    {{0x1b000002, 0, 0, 0}, 4, XK_EUNSUPPORTED,
     "MI_CONDITIONAL_BATCH_BUFFER_END", "not modelled"},
    {{0x54c00000, 0}, 2, XK_EUNSUPPORTED, "XY_SRC_COPY_BLT", "not modelled"},
    {{0x00800001}, 1, XK_EUNSUPPORTED, "MI_SET_PREDICATE", "0x1"},
    {{0x7d800e01, 0, 0}, 3, XK_EUNSUPPORTED, "L3_CONTROL", "0x800"},
    {{0x7d804001, 0, 0}, 3, XK_EFAULT, "L3_CONTROL", "3 dwords, not 5"},
    {{0x17803101, DATA}, 3, XK_EUNSUPPORTED, "MI_ATOMIC", "0x31"},
    {{0x17810501, DATA}, 3, XK_EUNSUPPORTED, "MI_ATOMIC", "return of the old"},
    {{0x17900501, DATA}, 3, XK_EUNSUPPORTED, "MI_ATOMIC", "16 bytes 0x1"},
    {{0x11000801, 0x2600, 1}, 3, XK_EUNSUPPORTED, "MI_LOAD_REGISTER_IMM",
     "by bit 0x8"},
    {{0x13008003, DATA, 1, 0}, 5, XK_EUNSUPPORTED, "MI_FLUSH_DW", "operation 2"},
    {{0x13204003, DATA, 1, 0}, 5, XK_EUNSUPPORTED, "MI_FLUSH_DW", "by an index"},
    {{0x7a000004, 0x00108000, DATA, 1, 0}, 6, XK_EUNSUPPORTED, "PIPE_CONTROL",
     "operation 2"},
    {{0x7a000004, 0x00304000, DATA, 1, 0}, 6, XK_EUNSUPPORTED, "PIPE_CONTROL",
     "by an index 0x1"},
    {{0x7a000004, 0x00904000, DATA, 1, 0}, 6, XK_EUNSUPPORTED, "PIPE_CONTROL",
     "to a register 0x1"},
    {{0x7a000104, 0x00104000, DATA, 1, 0}, 6, XK_EUNSUPPORTED, "PIPE_CONTROL",
     "predicate 0x1"},
    {{0x7a004004, 0x00104000, DATA, 1, 0}, 6, XK_EUNSUPPORTED, "PIPE_CONTROL",
     "by a partition 0x1"},
    {{0x18808101, DATA}, 3, XK_EUNSUPPORTED, "MI_BATCH_BUFFER_START",
     "predicate 0x1"},
    {{0x18810101, DATA}, 3, XK_EUNSUPPORTED, "MI_BATCH_BUFFER_START",
     "offset of the address 0x1"},
    {{0x18800001, DATA}, 3, XK_EUNSUPPORTED, "MI_BATCH_BUFFER_START",
     "global table"},
    {{0x10000802, DATA, 1}, 4, XK_EUNSUPPORTED, "MI_STORE_DATA_IMM",
     "by a partition 0x1"},
    {{0x10000002, LO(MACHINE_DATA) + 1, HI(MACHINE_DATA), 1}, 4,
     XK_EUNSUPPORTED, "MI_STORE_DATA_IMM", "core mode 0x1"},
    {{0x10200002, DATA, 1}, 4, XK_EFAULT, "MI_STORE_DATA_IMM",
     "8 bytes in 4 dwords"},
    {{0x10000003, DATA, 1, 2}, 5, XK_EFAULT, "MI_STORE_DATA_IMM",
     "4 bytes in 5 dwords"},
    {{0x14810002, GPR(0), DATA}, 4, XK_EUNSUPPORTED, "MI_LOAD_REGISTER_MEM",
     "by an engine 0x1"},
    {{0x12010002, GPR(0), DATA}, 4, XK_EUNSUPPORTED, "MI_STORE_REGISTER_MEM",
     "by a partition 0x1"},
    {{0x0e024002, 0, DATA}, 4, XK_EUNSUPPORTED, "MI_SEMAPHORE_WAIT",
     "value in memory 0x1"},
    {{0x0e044002, 0, DATA}, 4, XK_EUNSUPPORTED, "MI_SEMAPHORE_WAIT",
     "by a partition 0x1"},
    {{0x17800701, DATA}, 3, XK_EUNSUPPORTED, "MI_ATOMIC",
     "operand in registers"},
    {{0x17800501, LO(MACHINE_DATA) + 1, HI(MACHINE_DATA)}, 3, XK_EUNSUPPORTED,
     "MI_ATOMIC", "by a partition 0x1"},
    {{0x0d000000, 0x080u << 20 | 0x20 << 10 | 0x30}, 2, XK_EUNSUPPORTED,
     "MI_MATH", "0x80 of 0x30"},
    {{0x0d000000, 0x080u << 20 | 0x22 << 10 | 1}, 2, XK_EUNSUPPORTED,
     "MI_MATH", "to 0x22"},
    {{0x0d000000, 0x081u << 20 | 0x10 << 10}, 2, XK_EUNSUPPORTED, "MI_MATH",
     "to 0x10"},
    {{0x0d000000, 0x180u << 20 | 2 << 10 | 0x21}, 2, XK_EUNSUPPORTED,
     "MI_MATH", "0x180 of 0x21"},
    {{0x70000007, 0x5400, 1}, 9, XK_EUNSUPPORTED, "MEDIA_VFE_STATE",
     "above 4 GiB 0x1"},
    {{0x70000007, 0x540c, 0}, 9, XK_EUNSUPPORTED, "MEDIA_VFE_STATE",
     "scratch size 12"},
    {{0x56820008 | 1u << 13}, 10, XK_EUNSUPPORTED, "MEM_COPY",
     "compression 0x1"},
    {{0x56820008 | 1u << 15}, 10, XK_EUNSUPPORTED, "MEM_COPY",
     "compression 0x4"},
    {{0x56820008 | 1u << 16}, 10, XK_EUNSUPPORTED, "MEM_COPY",
     "compression 0x8"},
    {{0x56840008}, 10, XK_EUNSUPPORTED, "MEM_COPY", "type 2"},
    {{0x56c20005 | 1u << 13}, 7, XK_EUNSUPPORTED, "MEM_SET", "compression 0x1"},
    {{0x56c20005 | 1u << 15}, 7, XK_EUNSUPPORTED, "MEM_SET", "compression 0x4"},
    {{0x56c60005}, 7, XK_EUNSUPPORTED, "MEM_SET", "type 3"},
    {{0x0d008000, 0}, 2, XK_EUNSUPPORTED, "MI_MATH", "predicate 0x1"},
    {{0x12200002, 0x2600, DATA}, 4, XK_EUNSUPPORTED, "MI_STORE_REGISTER_MEM",
     "predicate 0x1"},
    {{0x0e006002, 0, DATA}, 4, XK_EUNSUPPORTED, "MI_SEMAPHORE_WAIT",
     "comparison 6"},
};
/* clang-format on */

START_TEST(a_bad_command_is_named)
{
    must_say(machine_run(&g, bad[_i].dw, bad[_i].n), bad[_i].status, bad[_i].a,
             bad[_i].b);
}
END_TEST

static unsigned n_found;

static void find(void *user, const char *sentence)
{
    (void)user;
    (void)sentence;
    n_found++;
}

/* Lengths: MI below 0x10 one dword, else bits 7:0 and 2, as the blitter's and
 * the others' (virtual-device.md 4). */
START_TEST(an_unknown_command_is_skipped_by_its_length)
{
    g.s->config.ops.finds = find;
    n_found = 0;
    machine_write64(&g, MACHINE_DATA, 0);
    RUN_OK(0x07800000, 0x1f800001, END, END, 0x54400002, END, END, END,
           0x7fff0001, END, END, STORE(0, 0x77));
    ck_assert_uint_eq(n_found, 4);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA), 0x77);
    ck_assert_int_eq(RUN(0x20000000, 0), XK_EUNSUPPORTED); /* no such type */
    ck_assert_uint_eq(n_found, 4);
}
END_TEST

START_TEST(a_batch_that_runs_into_an_unmapped_page_is_named)
{
    static uint32_t noops[MACHINE_BATCH_DWORDS];
    machine_close(&g);
    machine_open(&g, 100000);
    machine_place(&g, MACHINE_BATCH, noops, MACHINE_BATCH_DWORDS);
    must_say(machine_submit(&g, MACHINE_BATCH), XK_EFAULT, "0x7f0000104000",
             "not mapped");
}
END_TEST

START_TEST(a_ring_tail_outside_the_ring_is_refused)
{
    static const uint32_t tails[] = {2, MACHINE_RING_B, 0xfffffff8};
    const struct xk_gpu_phys at = {MACHINE_LRCA + 0x101c, XK_GPU_SYSTEM};
    xk_gpu_phys_write(g.m, at, &tails[_i], 4);
    must_say(xk_command_stream_submit(g.s, g.m, MACHINE_LRCA), XK_EFAULT,
             "ring tail", "0x1000 bytes");
}
END_TEST

START_TEST(a_context_that_is_not_mapped_is_named)
{
    must_say(xk_command_stream_submit(g.s, g.m, 0x55000), XK_EFAULT,
             "context image 0x55000", "not mapped");
}
END_TEST

START_TEST(a_rectangle_is_copied_with_both_pitches)
{
    uint8_t in[64], out[64];
    for (unsigned k = 0; k < sizeof in; k++)
        in[k] = (uint8_t)(k + 1);
    xk_gpu_write(&g.space, MACHINE_DATA + 0xff0, in, sizeof in, NULL);
    /* 8 bit; from (1, 1) with pitch 8 to (2, 1) with pitch 16; 3 x 2 */
    RUN_OK(0x50400014, 15, 0x00010002, 0x00030005, LO(MACHINE_DATA + 0x3000),
           HI(MACHINE_DATA), 0, 0x00010001, 7, LO(MACHINE_DATA + 0xff0),
           HI(MACHINE_DATA), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    xk_gpu_read(&g.space, MACHINE_DATA + 0x3000, out, sizeof out, NULL);
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 16; x++) {
            const bool inside = x >= 2 && x < 5 && (y == 1 || y == 2);
            ck_assert_uint_eq(out[16 * y + x], inside ? in[8 * y + x - 1] : 0);
        }
}
END_TEST

START_TEST(memory_is_copied_linearly_and_by_rows)
{
    uint8_t in[5000], out[5000];
    for (unsigned k = 0; k < sizeof in; k++)
        in[k] = (uint8_t)(k * 7);
    xk_gpu_write(&g.space, MACHINE_DATA + 3, in, sizeof in, NULL);
    RUN_OK(0x56800008, sizeof in - 1, 0, 0, 0, LO(MACHINE_DATA + 3),
           HI(MACHINE_DATA), LO(MACHINE_DATA + 0x3001), HI(MACHINE_DATA), 0);
    xk_gpu_read(&g.space, MACHINE_DATA + 0x3001, out, sizeof out, NULL);
    ck_assert_mem_eq(in, out, sizeof in);
    /* 2 rows of 4 bytes, pitch 10 to pitch 6 */
    RUN_OK(0x56820008, 3, 1, 9, 5, LO(MACHINE_DATA + 3), HI(MACHINE_DATA),
           LO(MACHINE_DATA + 0x6000), HI(MACHINE_DATA), 0);
    xk_gpu_read(&g.space, MACHINE_DATA + 0x6000, out, 12, NULL);
    ck_assert_mem_eq(out, in, 4);
    ck_assert_uint_eq(out[4], 0);
    ck_assert_mem_eq(out + 6, in + 10, 4);
}
END_TEST

static const struct {
    unsigned dword;
    uint32_t bits;
    const char *words;
} modes[] = {
    {0, 1u << 12, "special mode 0x1"}, {1, 3u << 30, "tile mode 3"},
    {1, 5u << 18, "auxiliary mode 5"}, {1, 1u << 29, "compression 1"},
    {6, 2, "column offset 2"},         {6, 3u << 16, "row offset 3"},
    {8, 3u << 30, "tile mode 3"},      {8, 5u << 18, "auxiliary mode 5"},
    {8, 1u << 29, "compression 1"},    {11, 4, "column offset 4"},
    {11, 5u << 16, "row offset 5"},
};

/* A copy has all of these fields, a fill the first six. */
START_TEST(other_surfaces_of_the_blitter_are_refused)
{
    uint32_t copy[] = {0x50400014, 15, 0,    0x00010001, DATA,    0,
                       0,          7,  DATA, [11] = 0,   [21] = 0};
    uint32_t fill[] = {0x5110000e, 63, 0, 0x00010001, DATA, [15] = 0};
    const unsigned k = modes[_i].dword;
    copy[k] |= modes[_i].bits;
    fill[k] |= modes[_i].bits;
    must_say(machine_run(&g, copy, 22), XK_EUNSUPPORTED, "XY_BLOCK_COPY_BLT",
             modes[_i].words);
    xk_ctx_clear(g.c);
    if (k < 8)
        must_say(machine_run(&g, fill, 16), XK_EUNSUPPORTED,
                 "XY_FAST_COLOR_BLT", modes[_i].words);
}
END_TEST

static const struct {
    unsigned dword;
    uint32_t bits;
    const char *words;
} copies[] = {
    {0, 1u << 9, "multisamples 0x1"},
    {1, 1u << 28, "control surface 0x1"},
    {8, 1u << 28, "control surface 0x1"},
    {12, 1u << 5, "clear value 0x1"},
    {14, 1u << 5, "clear value 0x1"},
    {17, 2, "mip level 0x2"},
    {18, 2u << 21, "slice 2"},
    {18, 1u << 18, "depth or stencil"},
    {20, 3, "mip level 0x3"},
    {21, 1u << 18, "depth or stencil"},
    {21, 2047u << 21, "slice 2047"},
};

/* A slice's number begins at 1; the driver sends 0 for buffers. */
START_TEST(other_parts_of_surfaces_of_a_copy_are_refused)
{
    uint32_t dw[] = {0x50400014, 15, 0,    0x00010001, DATA,    0,
                     0,          7,  DATA, [11] = 0,   [21] = 0};
    dw[18] = dw[21] = 1u << 21;
    ck_assert_int_eq(machine_run(&g, dw, 22), XK_OK);
    dw[18] = dw[21] = 0;
    dw[copies[_i].dword] |= copies[_i].bits;
    must_say(machine_run(&g, dw, 22), XK_EUNSUPPORTED, "XY_BLOCK_COPY_BLT",
             copies[_i].words);
}
END_TEST

START_TEST(a_rectangle_that_ends_before_it_begins_is_refused)
{
    must_say(RUN(0x50400014, 15, 0x00010005, 0x00030002, DATA, 0, 0, 7, DATA, 0,
                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
             XK_EFAULT, "XY_BLOCK_COPY_BLT", "00010005");
}
END_TEST

/* virtual-device.md 5, field by field */
static const uint32_t walker[39] = {
    [0] = 0x72080025,
    [2] = 96,
    [3] = 0x01230040,
    [4] = 1u << 30 | 1u << 29 | 7u << 26 | 1u << 25 | 2u << 22,
    [5] = 0x00ff,
    [6] = 31 | 7u << 10 | 1u << 20,
    [7] = 4,
    [8] = 5,
    [9] = 6,
    [18] = 0x00001fc0,
    [22] = 0x1234u << 5,
    [23] = 32 | 5u << 16 | 1u << 28,
    [26] = 1,
    [27] = LO(MACHINE_DATA),
    [28] = HI(MACHINE_DATA),
    [29] = 0x77,
    [31] = 0xaaaa,
    [38] = 0xbbbb,
};

/* Up to xelp: the second descriptor of a table in dynamic state. */
START_TEST(an_older_walker_brings_its_descriptor)
{
    static const uint32_t descriptor[8] = {
        0x1fc0, 1, 0, 0, 0x2460, 0x00060000, 7u << 16 | 1u << 21 | 3, 4};
    const uint32_t dw[] = {0x61010014, 0, 0, 0, 0, 0, LO(MACHINE_DATA) | 1,
                           HI(MACHINE_DATA), 0x00070001, 0x8001, 0x00040001,
                           0x8001, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                           /* scratch, descriptors */
                           0x70000007, 0x5403, 0, 0, 0, 0, 0, 0, 0, 0x70020002,
                           0, 64, 64, 0x7105000d, 1, 448, 0x1240, 1u << 30 | 2,
                           0, 0, 4, 0, 0, 5, 0, 6, 0xff, ~0u, 0x70040000, 0};
    for (unsigned k = 0; k < 4; k++)
        machine_write64(&g, MACHINE_DATA + 96 + 8 * k,
                        (uint64_t)descriptor[2 * k + 1] << 32 |
                            descriptor[2 * k]);
    ck_assert_msg(machine_run(&g, dw, XK_COUNTOF(dw)) == XK_OK, "%s",
                  g.c->error.message);
    const struct xk_gpu_walker *const w = &g.walker;
    ck_assert_uint_eq(g.n_walkers, 1);
    ck_assert(w->preloads && !w->emit_inline && !w->generate_ids);
    ck_assert_uint_eq(w->base.indirect, UINT64_C(0x800100070000));
    ck_assert_uint_eq(w->start_va, UINT64_C(0x800200041fc0));
    ck_assert_uint_eq(w->binding_table_b, 0x2460);
    ck_assert_uint_eq(w->thread_data_b, 6 * 32);
    ck_assert_uint_eq(w->cross_data_b, 4 * 32);
    ck_assert_uint_eq(w->slm_b, 65536);
    ck_assert_uint_eq(w->n_barriers, 1);
    ck_assert_uint_eq(w->n_threads, 3);
    ck_assert_uint_eq(w->indirect_b, 0x1240);
    ck_assert_uint_eq(w->simd, 16);
    ck_assert_uint_eq(w->last_mask, 0xff);
    ck_assert_uint_eq(w->groups[0] * 100 + w->groups[1] * 10 + w->groups[2],
                      456);
    ck_assert_uint_eq(w->scratch_field, 0x5400);
    ck_assert_uint_eq(w->scratch_slot_b, 8192);
    ck_assert_uint_eq(w->grf_count, 128);
}
END_TEST

START_TEST(a_walker_brings_its_fields_and_the_state_it_meets)
{
    /* A command in a line, or a few. */
    /* clang-format off */
    uint32_t dw[22 + 2 + 6 + 4 + 39] = {
        0x61010014, 0x00010001, 0x8001, 0, 0x00020001, 0x8001, 0x00030001,
        0x8001,     0,          0,      0x00040001, 0x8001, [16] = 0x00050001,
        [17] = 0x8001,
        [22] = 0x61050000, [23] = 0x80008000, /* large GRF */
        [24] = 0x72000004, [25] = 0x800 << 2 | 0x3ff,
        [30] = 0x79190002, [31] = 0x00060000, [32] = 0x8001};
    /* clang-format on */
    memcpy(dw + 34, walker, sizeof walker);
    ck_assert_msg(machine_run(&g, dw, XK_COUNTOF(dw)) == XK_OK, "%s",
                  g.c->error.message);
    const struct xk_gpu_walker *const w = &g.walker;
    ck_assert_uint_eq(g.n_walkers, 1);
    ck_assert_uint_eq(w->base.general, UINT64_C(0x800100010000));
    ck_assert_uint_eq(w->base.surface, UINT64_C(0x800100020000));
    ck_assert_uint_eq(w->base.dynamic, UINT64_C(0x800100030000));
    ck_assert_uint_eq(w->base.instruction, UINT64_C(0x800100040000));
    ck_assert_uint_eq(w->base.bindless_surface, UINT64_C(0x800100050000));
    ck_assert_uint_eq(w->base.binding_pool, UINT64_C(0x800100060000));
    ck_assert_uint_eq(w->grf_count, 256);
    ck_assert_uint_eq(w->scratch_field, 0x2000);
    ck_assert_uint_eq(w->indirect_b, 0x01230040);
    ck_assert_uint_eq(w->indirect_n_b, 96);
    ck_assert_uint_eq(w->simd, 16);
    ck_assert(w->generate_ids && w->emit_inline && w->emit_ids[0] &&
              w->emit_ids[1] && w->emit_ids[2]);
    ck_assert_uint_eq(w->walk_order, 2);
    ck_assert_uint_eq(w->last_mask, 0xff);
    ck_assert_uint_eq(w->local[0] * 10000 + w->local[1] * 100 + w->local[2],
                      320802);
    ck_assert_uint_eq(w->groups[0] * 100 + w->groups[1] * 10 + w->groups[2],
                      456);
    ck_assert_uint_eq(w->start_va, UINT64_C(0x800100041fc0));
    ck_assert_uint_eq(w->binding_table_b, 0x1234 << 5 & 0x1fffe0);
    ck_assert_uint_eq(w->n_threads, 32);
    ck_assert_uint_eq(w->slm_b, 16384);
    ck_assert_uint_eq(w->n_barriers, 1);
    ck_assert_uint_eq(w->inline_data[0], 0xaa);
    ck_assert_uint_eq(w->inline_data[29], 0xbb);
    /* post-sync */
    ck_assert_uint_eq(machine_read64(&g, MACHINE_DATA), 0x77);
}
END_TEST

START_TEST(an_indirect_walker_takes_its_groups_from_registers)
{
    uint32_t dw[7 + 39] = {0x11000005, 0x2500, 7, 0x2504, 8, 0x2508, 9};
    memcpy(dw + 7, walker, sizeof walker);
    dw[7] |= 1u << 10;
    ck_assert_int_eq(machine_run(&g, dw, XK_COUNTOF(dw)), XK_OK);
    ck_assert_uint_eq(g.walker.groups[0] * 100 + g.walker.groups[1] * 10 +
                          g.walker.groups[2],
                      789);
}
END_TEST

/* The dimensions are the ends of the ids, as the driver's second walker of a
 * range of 340 items by 64 sets them: start 5, dimension 6, one group of 20. */
START_TEST(a_walker_begins_at_its_first_group)
{
    uint32_t dw[39];
    memcpy(dw, walker, sizeof walker);
    dw[10] = 1;
    dw[11] = 4;
    ck_assert_int_eq(machine_run(&g, dw, 39), XK_OK);
    for (unsigned d = 0; d < 3; d++) {
        static const uint32_t first[3] = {1, 4, 0}, n[3] = {3, 1, 6};
        ck_assert_uint_eq(g.walker.first_group[d], first[d]);
        ck_assert_uint_eq(g.walker.groups[d], n[d]);
    }
    dw[12] = 6;
    ck_assert_int_eq(machine_run(&g, dw, 39), XK_OK);
    ck_assert_uint_eq(g.n_walkers, 1);
}
END_TEST

START_TEST(an_older_walker_begins_at_its_first_group)
{
    static const uint32_t dw[15] = {0x7105000d, 0, 0, 0, 1u << 30, 2, 0,  6,
                                    3,          0, 5, 1, 2,        1, ~0u};
    machine_write64(&g, MACHINE_DATA + 24, 1); /* one thread */
    ck_assert_int_eq(machine_run(&g,
                                 (uint32_t[]){0x61010014,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              LO(MACHINE_DATA) | 1,
                                              HI(MACHINE_DATA),
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0},
                                 22),
                     XK_OK);
    ck_assert_int_eq(machine_run(&g, dw, 15), XK_OK);
    for (unsigned d = 0; d < 3; d++) {
        static const uint32_t first[3] = {2, 3, 1}, n[3] = {4, 2, 1};
        ck_assert_uint_eq(g.walker.first_group[d], first[d]);
        ck_assert_uint_eq(g.walker.groups[d], n[d]);
    }
}
END_TEST

/* The driver computes the predicate for launches whose number lies in memory
 * (zeCommandListAppendLaunchMultipleKernelsIndirect). */
START_TEST(a_walker_obeys_its_predicate)
{
    uint32_t dw[3 + 39] = {0x11000001, 0x2418, (uint32_t)_i};
    memcpy(dw + 3, walker, sizeof walker);
    dw[3] |= 1u << 8;
    machine_write64(&g, MACHINE_DATA, 0);
    ck_assert_int_eq(machine_run(&g, dw, XK_COUNTOF(dw)), XK_OK);
    ck_assert_uint_eq(g.n_walkers, _i & 1);
    ck_assert_uint_eq(machine_read64(&g, MACHINE_DATA), _i & 1 ? 0x77 : 0);
}
END_TEST

START_TEST(an_older_walker_obeys_its_predicate)
{
    const uint32_t dw[3 + 22 + 15] = {0x11000001,
                                      0x2418,
                                      (uint32_t)_i,
                                      [3] = 0x61010014,
                                      [9] = LO(MACHINE_DATA) | 1,
                                      [10] = HI(MACHINE_DATA),
                                      [25] = 0x7105010d,
                                      [32] = 1,
                                      [35] = 1,
                                      [37] = 1,
                                      [39] = ~0u};
    machine_write64(&g, MACHINE_DATA + 24, 1); /* one thread */
    ck_assert_int_eq(machine_run(&g, dw, XK_COUNTOF(dw)), XK_OK);
    ck_assert_uint_eq(g.n_walkers, _i & 1);
}
END_TEST

/* A bit of a walker or its descriptor that acts and is not modelled. */
static const struct {
    unsigned dword;
    uint32_t bits;
    const char *words;
} unmodelled[] = {
    {0, 1u << 9, "partition of the work 0x1"},
    {2, 2u << 30, "partition type 0x2"},
    {4, 1u << 19, "layout of local ids 0x1"},
    {4, 4u << 22, "walk order 6"},
    {4, 2u << 30, "SIMD size 3"},
    {4, 2u << 26, "dimensions 0x5"},
    {4, 1u << 29, "no generated local ids of dimensions 0x7"},
    {20, 1u << 7, "exceptions, by bit 0x1"},
    {20, 1u << 11, "exceptions, by bit 0x10"},
    {20, 1u << 13, "exceptions, by bit 0x40"},
    {20, 1u << 16, "alternate float mode 0x1"},
    {20, 1u << 18, "single program flow 0x1"},
    {23, 3u << 22, "rounding mode 0x3"},
    {23, 1u << 31, "BTD mode 0x1"},
    {26, 3, "post-sync operation 2"},
};

START_TEST(fields_of_a_walker_that_act_are_named)
{
    uint32_t dw[39];
    memcpy(dw, walker, sizeof walker);
    dw[unmodelled[_i].dword] ^= unmodelled[_i].bits;
    must_say(machine_run(&g, dw, 39), XK_EUNSUPPORTED, "COMPUTE_WALKER",
             unmodelled[_i].words);
}
END_TEST

/* The same up to xelp: of the walker, or of the descriptor at MACHINE_DATA. */
static const struct {
    bool descriptor;
    unsigned dword;
    uint32_t bits;
    const char *words;
} older[] = {
    {false, 4, 1, "groups of 1 threads, counted as 2 x 1 x 1"},
    {false, 4, 1u << 8, "counted as 1 x 2 x 1"},
    {false, 4, 1u << 16, "counted as 1 x 1 x 2"},
    {false, 4, 3u << 30, "SIMD size 3"},
    {false, 14, 1, "mask 0xfffffffe for the bottom"},
    {true, 2, 1u << 13, "exceptions, by bit 0x40"},
    {true, 2, 1u << 16, "alternate float mode 0x1"},
    {true, 2, 1u << 18, "single program flow 0x1"},
    {true, 5, 2, "offset of constant data 0x2"},
    {true, 6, 1u << 15, "global barrier 0x1"},
    {true, 6, 2u << 22, "rounding mode 0x2"},
};

START_TEST(fields_of_an_older_walker_that_act_are_named)
{
    uint32_t dw[22 + 15] = {0x61010014,
                            [6] = LO(MACHINE_DATA) | 1,
                            [7] = HI(MACHINE_DATA),
                            [22] = 0x7105000d,
                            [29] = 1,
                            [32] = 1,
                            [34] = 1,
                            [36] = ~0u};
    uint32_t id[8] = {[6] = 1};
    uint32_t *const at = older[_i].descriptor ? id : dw + 22;
    at[older[_i].dword] ^= older[_i].bits;
    for (unsigned k = 0; k < 4; k++)
        machine_write64(&g, MACHINE_DATA + 8 * k,
                        (uint64_t)id[2 * k + 1] << 32 | id[2 * k]);
    must_say(machine_run(&g, dw, XK_COUNTOF(dw)), XK_EUNSUPPORTED,
             older[_i].words, "not modelled");
    at[older[_i].dword] ^= older[_i].bits;
    for (unsigned k = 0; k < 4; k++)
        machine_write64(&g, MACHINE_DATA + 8 * k,
                        (uint64_t)id[2 * k + 1] << 32 | id[2 * k]);
    ck_assert_int_eq(machine_run(&g, dw, XK_COUNTOF(dw)), XK_OK);
}
END_TEST

START_TEST(a_walker_without_groups_only_syncs)
{
    uint32_t dw[39];
    memcpy(dw, walker, sizeof walker);
    dw[8] = 0;
    dw[26] = 3; /* four clocks */
    ck_assert_int_eq(machine_run(&g, dw, 39), XK_OK);
    ck_assert_uint_eq(g.n_walkers, 0);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA), 1);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 8), 2);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 12), 2);
}
END_TEST

START_TEST(a_walker_that_fails_ends_the_batch)
{
    uint32_t dw[39 + 4] = {0};
    memcpy(dw, walker, sizeof walker);
    const uint32_t store[] = {STORE(4, 9)};
    memcpy(dw + 39, store, sizeof store);
    g.walker_status = XK_EFAULT;
    ck_assert_int_eq(machine_run(&g, dw, XK_COUNTOF(dw)), XK_EFAULT);
    ck_assert_uint_eq(machine_read32(&g, MACHINE_DATA + 16), 0);
    ck_assert_uint_eq(machine_read64(&g, MACHINE_DATA), 0);
}
END_TEST

START_TEST(an_slm_code_of_larger_devices_is_refused)
{
    uint32_t dw[39];
    memcpy(dw, walker, sizeof walker);
    dw[23] = 32 | 9u << 16;
    must_say(machine_run(&g, dw, 39), XK_EFAULT, "COMPUTE_WALKER",
             "SLM size code is 9");
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("commands");
    TCase *const t = tcase_create("batch");
    tcase_add_checked_fixture(t, open_machine, close_machine);
    tcase_add_loop_test(t, a_command_writes_what_it_says, 0,
                        XK_COUNTOF(writes));
    tcase_add_test(t, commands_without_effect_are_taken);
    tcase_add_test(t, writes_to_the_global_table_go_there);
    tcase_add_test(t, registers_are_loaded_copied_and_stored);
    tcase_add_test(t, clocks_are_read_from_the_device);
    tcase_add_loop_test(t, math_computes_64_bits_and_flags, 0,
                        XK_COUNTOF(sums));
    tcase_add_test(t, math_names_an_opcode_that_it_does_not_know);
    tcase_add_loop_test(t, a_semaphore_that_holds_passes_and_another_never_will,
                        0, XK_COUNTOF(waits));
    tcase_add_test(t, a_called_batch_returns_and_a_chained_one_does_not);
    tcase_add_test(t, a_third_level_is_refused);
    tcase_add_test(t, an_endless_batch_is_an_error_with_the_limit);
    tcase_add_test(t, a_submission_goes_on_where_the_last_one_ended);
    tcase_add_loop_test(t, a_bad_command_is_named, 0, XK_COUNTOF(bad));
    tcase_add_test(t, an_unknown_command_is_skipped_by_its_length);
    tcase_add_test(t, a_batch_that_runs_into_an_unmapped_page_is_named);
    tcase_add_loop_test(t, a_ring_tail_outside_the_ring_is_refused, 0, 3);
    tcase_add_test(t, a_context_that_is_not_mapped_is_named);
    tcase_add_test(t, a_rectangle_is_copied_with_both_pitches);
    tcase_add_test(t, memory_is_copied_linearly_and_by_rows);
    tcase_add_loop_test(t, other_surfaces_of_the_blitter_are_refused, 0,
                        XK_COUNTOF(modes));
    tcase_add_loop_test(t, other_parts_of_surfaces_of_a_copy_are_refused, 0,
                        (int)XK_COUNTOF(copies));
    tcase_add_test(t, a_rectangle_that_ends_before_it_begins_is_refused);
    tcase_add_test(t, an_older_walker_brings_its_descriptor);
    tcase_add_test(t, a_walker_brings_its_fields_and_the_state_it_meets);
    tcase_add_test(t, an_indirect_walker_takes_its_groups_from_registers);
    tcase_add_test(t, a_walker_begins_at_its_first_group);
    tcase_add_test(t, an_older_walker_begins_at_its_first_group);
    tcase_add_test(t, a_walker_without_groups_only_syncs);
    tcase_add_loop_test(t, a_walker_obeys_its_predicate, 0, 3);
    tcase_add_loop_test(t, an_older_walker_obeys_its_predicate, 0, 3);
    tcase_add_loop_test(t, fields_of_a_walker_that_act_are_named, 0,
                        XK_COUNTOF(unmodelled));
    tcase_add_loop_test(t, fields_of_an_older_walker_that_act_are_named, 0,
                        XK_COUNTOF(older));
    tcase_add_test(t, a_walker_that_fails_ends_the_batch);
    tcase_add_test(t, an_slm_code_of_larger_devices_is_refused);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return xk_tap_run(suite());
}
