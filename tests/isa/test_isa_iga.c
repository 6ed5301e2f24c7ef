/* SPDX-License-Identifier: Apache-2.0 */
/* Against the outsider: Intel's assembler and compiler. Expected bytes and
 * texts are theirs, made at test time. Exits with 77 where iga64 is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "isa/message.h"
#include "tests/isa/codec_check.h"
#include "tests/isa/iga.h"
#include "tests/isa/random_inst.h"
#include "tests/tap.h"

#ifndef XK_TEST_DIR
#define XK_TEST_DIR "."
#endif
#define N_RANDOM 20000

static const struct xk_platform *p;
static struct xk_str text;
static uint64_t seed;

static void setup(void)
{
    p = xk_platform_get(XK_PLATFORM_XEHPG);
    xk_str_init(&text, NULL);
}

static void teardown(void)
{
    xk_str_fini(&text);
}

static void use_platform(int k)
{
    static const char *const names[] = {"xelp", "xehpg", "xehpc"};

    p = xk_platform_find(names[k]);
}

static void expect_text(const struct xk_inst *i, const char *iga)
{
    const struct xk_print_opts as_iga = {.bfn_numbers = true};

    xk_str_clear(&text);
    xk_inst_print_as(p, i, &as_iga, &text);
    ck_assert_str_eq(xk_str_get(&text), iga);
}

/* bytes -> record -> the same bytes, and the text iga64 gives them. */
static void expect_round_trip(const uint8_t *bytes, const char *iga)
{
    struct xk_error err = {0};
    struct xk_inst i;
    uint8_t again[XK_INST_B];
    size_t used_b;

    ck_assert_msg(xk_inst_decode(p, bytes, XK_INST_B, &i, &used_b, &err) ==
                      XK_OK,
                  "%s: %s", iga, err.message);
    ck_assert_uint_eq(used_b, XK_INST_B);
    ck_assert_msg(xk_inst_encode(p, &i, again, &err) == XK_OK, "%s: %s", iga,
                  err.message);
    ck_assert_msg(!memcmp(bytes, again, XK_INST_B), "%s: other bytes", iga);
    if (iga)
        expect_text(&i, iga);
}

START_TEST(each_opcode_and_form_round_trips)
{
    static const char *const sources[] = {XK_TEST_DIR "/xelp.asm",
                                          XK_TEST_DIR "/xehpg.asm",
                                          XK_TEST_DIR "/xehpc.asm"};
    size_t source_b, n_b;
    char *const source = iga_read_file(sources[_i], &source_b);
    struct iga_lines lines;
    bool seen[XK_N_OPCODES] = {false};
    uint8_t *bytes;

    use_platform(_i);
    ck_assert_ptr_nonnull(source);
    bytes = iga_assemble(p, source, &n_b);
    ck_assert_ptr_nonnull(bytes);
    ck_assert(iga_disassemble(p, bytes, n_b, false, &lines));
    ck_assert_uint_eq(lines.n, n_b / XK_INST_B);
    ck_assert_uint_gt(lines.n, 180);
    for (size_t k = 0; k < lines.n; k++) {
        struct xk_inst i;
        size_t used_b;

        expect_round_trip(bytes + k * XK_INST_B, lines.line[k]);
        xk_inst_decode(p, bytes + k * XK_INST_B, XK_INST_B, &i, &used_b, NULL);
        seen[i.op] = true;
    }
    for (unsigned op = 0; op < XK_N_OPCODES; op++)
        ck_assert_msg(seen[op] ||
                          xk_isa_tables_get(p, NULL)->op_code[op] == XK_NO_CODE,
                      "no line with %s", xk_opcode_name(op));
    iga_lines_fini(&lines);
    free(bytes);
    free(source);
}
END_TEST

START_TEST(random_instructions_agree_with_the_assembler)
{
    struct codec_counts c = {0};

    use_platform(_i);
    check_random_texts(p, seed, N_RANDOM, &c);
    ck_assert_uint_eq(c.n, N_RANDOM);
    ck_assert_uint_eq(c.wrong, 0);
}
END_TEST

START_TEST(flipped_bits_read_as_the_assembler_reads_them)
{
    struct codec_counts c = {0};

    use_platform(_i);
    check_random_flips(p, seed, N_RANDOM, &c);
    ck_assert_uint_eq(c.n, N_RANDOM);
    ck_assert_uint_eq(c.wrong, 0);
    ck_assert_uint_lt(c.refused, N_RANDOM / 20);
}
END_TEST

static struct xk_inst mov_imm(enum xk_reg_type t, uint64_t imm)
{
    struct xk_inst i = {.op = XK_OPC_MOV, .exec = 1};

    i.dst.file = XK_FILE_GRF;
    i.dst.type = (uint8_t)t;
    i.dst.reg = 1;
    i.dst.rgn.hs = 1;
    i.src[0].file = XK_FILE_IMM;
    i.src[0].type = (uint8_t)t;
    i.src[0].imm = imm;
    return i;
}

START_TEST(each_half_number_prints_as_the_assembler_prints_it)
{
    uint8_t *const bytes = calloc(1 << 16, XK_INST_B);
    struct iga_lines lines;

    for (unsigned k = 0; k < 1 << 16; k++) {
        const struct xk_inst i = mov_imm(XK_RT_HF, k);

        ck_assert_int_eq(xk_inst_encode(p, &i, bytes + k * XK_INST_B, NULL),
                         XK_OK);
    }
    ck_assert(iga_disassemble(p, bytes, XK_INST_B << 16, false, &lines));
    ck_assert_uint_eq(lines.n, 1 << 16);
    for (unsigned k = 0; k < 1 << 16; k++) {
        const struct xk_inst i = mov_imm(XK_RT_HF, k);

        expect_text(&i, lines.line[k]);
    }
    iga_lines_fini(&lines);
    free(bytes);
}
END_TEST

/* clang-format off */
/* What iga64 says a send does, for each kind of message. */
static const struct {
    struct xk_msg msg;
    const char *says;
    uint8_t dst, src0, src1; /* registers, counted by hand */
} messages[] = {
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 4,
      .reg_b = 4, .vec = 4, .exec = 16}, "load.ugm.d32x4.a64", 8, 4, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 4,
      .reg_b = 4, .vec = 1, .exec = 8}, "load.ugm.d32.a64", 1, 2, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 8,
      .reg_b = 8, .vec = 2, .exec = 16}, "load.ugm.d64x2.a64", 8, 4, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 2,
      .reg_b = 4, .vec = 1, .exec = 16}, "load.ugm.d16u32.a64", 2, 4, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 1,
      .reg_b = 4, .vec = 1, .exec = 16}, "load.ugm.d8u32.a64", 2, 4, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 4,
      .reg_b = 4, .vec = 64, .transpose = true, .exec = 1},
     "load.ugm.d32x64t.a64", 8, 1, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 8,
      .reg_b = 8, .vec = 8, .transpose = true, .exec = 1},
     "load.ugm.d64x8t.a64", 2, 1, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 4,
      .reg_b = 4, .vec = 1, .cache = 4, .exec = 16},
     "load.ugm.d32.a64.ca.ca", 2, 4, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 4, .data_b = 4,
      .reg_b = 4, .vec = 1, .addr_type = XK_LSC_BTI, .bti = 255, .exec = 16},
     "load.ugm.d32.a32.bti[255]", 2, 2, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 4, .data_b = 4,
      .reg_b = 4, .vec = 1, .addr_type = XK_LSC_BSS, .exec = 16},
     "load.ugm.d32.a32.bss[a0.0]", 2, 2, 0},
    {{.kind = XK_MSG_LSC_LOAD, .sfid = XK_SFID_UGM, .addr_b = 4, .data_b = 4,
      .reg_b = 4, .vec = 1, .addr_type = XK_LSC_SS, .exec = 16},
     "load.ugm.d32.a32.ss[a0.0]", 2, 2, 0},
    {{.kind = XK_MSG_LSC_STORE, .sfid = XK_SFID_SLM, .addr_b = 4, .data_b = 4,
      .reg_b = 4, .vec = 3, .exec = 16}, "store.slm.d32x3.a32", 0, 2, 6},
    {{.kind = XK_MSG_LSC_STORE, .sfid = XK_SFID_SLM, .addr_b = 4, .data_b = 4,
      .reg_b = 4, .vec = 16, .transpose = true, .exec = 1},
     "store.slm.d32x16t.a32", 0, 1, 2},
    {{.kind = XK_MSG_LSC_STORE, .sfid = XK_SFID_UGM, .addr_b = 8, .data_b = 2,
      .reg_b = 4, .vec = 1, .exec = 16}, "store.ugm.d16u32.a64", 0, 4, 2},
    {{.kind = XK_MSG_LSC_LOAD_CMASK, .sfid = XK_SFID_UGM, .addr_b = 8,
      .data_b = 4, .reg_b = 4, .vec = 2, .cmask = 5, .exec = 16},
     "load_quad.ugm.d32.xz.a64", 4, 4, 0},
    {{.kind = XK_MSG_LSC_STORE_CMASK, .sfid = XK_SFID_SLM, .addr_b = 4,
      .data_b = 4, .reg_b = 4, .vec = 4, .cmask = 15, .exec = 16},
     "store_quad.slm.d32.xyzw.a32", 0, 2, 8},
    {{.kind = XK_MSG_LSC_ATOMIC, .lsc_op = 0x0c, .sfid = XK_SFID_UGM,
      .addr_b = 8, .data_b = 4, .reg_b = 4, .vec = 1, .exec = 16},
     "atomic_iadd.ugm.d32.a64", 0, 4, 2},
    {{.kind = XK_MSG_LSC_ATOMIC, .lsc_op = 0x12, .sfid = XK_SFID_UGM,
      .addr_b = 8, .data_b = 4, .reg_b = 4, .vec = 1, .returns = true,
      .exec = 16}, "atomic_icas.ugm.d32.a64", 2, 4, 4},
    {{.kind = XK_MSG_LSC_ATOMIC, .lsc_op = 0x08, .sfid = XK_SFID_SLM,
      .addr_b = 4, .data_b = 4, .reg_b = 4, .vec = 1, .returns = true,
      .exec = 8}, "atomic_iinc.slm.d32.a32", 1, 1, 0},
    {{.kind = XK_MSG_LSC_ATOMIC, .lsc_op = 0x13, .sfid = XK_SFID_UGM,
      .addr_b = 8, .data_b = 4, .reg_b = 4, .vec = 1, .exec = 8},
     "atomic_fadd.ugm.d32.a64", 0, 2, 1},
    {{.kind = XK_MSG_LSC_FENCE, .sfid = XK_SFID_SLM, .exec = 1},
     "fence.slm.none.group", 1, 1, 0},
    {{.kind = XK_MSG_LSC_FENCE, .sfid = XK_SFID_UGM, .fence_scope = 2,
      .fence_flush = 1, .exec = 1}, "fence.ugm.evict.tile", 1, 1, 0},
    {{.kind = XK_MSG_BARRIER, .exec = 1}, "barrier", 0, 1, 0},
    {{.kind = XK_MSG_EOT, .exec = 8}, "end of thread", 0, 1, 0},
};
/* clang-format on */

static struct xk_inst send_of(const struct xk_msg *m)
{
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = m->exec};

    i.dst.file = i.src[1].file = XK_FILE_ARF;
    if (m->kind == XK_MSG_LSC_LOAD || m->kind == XK_MSG_LSC_LOAD_CMASK)
        i.dst.file = XK_FILE_GRF;
    i.dst.type = i.src[0].type = i.src[1].type = XK_RT_UD;
    i.src[0].file = XK_FILE_GRF;
    i.src[0].reg = 112;
    return i;
}

START_TEST(a_message_is_what_the_assembler_reads)
{
    struct xk_msg m = messages[_i].msg, back;
    struct xk_inst i = send_of(&m);
    struct xk_error err = {0};
    struct iga_lines lines;
    uint8_t bytes[XK_INST_B];

    ck_assert_msg(xk_msg_build(p, &m, &i, &err) == XK_OK, "%s", err.message);
    ck_assert_uint_eq(m.dst_grf, messages[_i].dst);
    ck_assert_uint_eq(m.src0_grf, messages[_i].src0);
    ck_assert_uint_eq(m.src1_grf, messages[_i].src1);
    xk_msg_decode(p, &i, &back);
    ck_assert_mem_eq(&m, &back, sizeof(m));
    ck_assert_msg(xk_inst_encode(p, &i, bytes, &err) == XK_OK, "%s",
                  err.message);
    ck_assert(iga_disassemble(p, bytes, sizeof(bytes), true, &lines));
    ck_assert_uint_eq(lines.n, 1);
    ck_assert_msg(strstr(lines.line[0], messages[_i].says) != NULL,
                  "%s, expected %s", lines.line[0], messages[_i].says);
    iga_lines_fini(&lines);
}
END_TEST

/* Compact words that reach every row of every table. */
static unsigned compact_words(uint64_t *w)
{
    static const uint8_t types[] = {0, 27, 29}; /* dword, word, byte */
    const uint64_t add = 0x20000040, mov = 0x20000061, mad = 0x2000005b,
                   dpas = 0x20000059 | UINT64_C(18) << 30; /* no regions */
    unsigned n = 0;

    for (uint64_t k = 0; k < 32; k++) {
        w[n++] = add | k << 24;
        w[n++] = (k == 2 ? mov : add) | k << 30;
        for (unsigned t = 0; t < XK_COUNTOF(types); t++)
            w[n++] = add | k << 35 | (uint64_t)types[t] << 30;
        w[n++] = add | (k & 15) << 48;
        w[n++] = add | (k & 15) << 52;
        w[n++] = (k < 22 ? mad : dpas) | k << 24;
        w[n++] = mad | k << 30;
        w[n++] = mad | k << 35;
    }
    /* data types with an immediate: widening of twelve bits */
    for (uint64_t k = 0; k < 6; k++) {
        static const uint8_t imm[] = {3, 9, 14, 15, 20, 21};

        w[n++] = add | (uint64_t)imm[k] << 30 | UINT64_C(0x5a5) << 52;
        w[n++] = add | (uint64_t)imm[k] << 30 | UINT64_C(0xa5a) << 52;
    }
    return n;
}

START_TEST(each_compaction_row_reads_as_the_assembler_reads_it)
{
    uint64_t words[400];
    uint8_t bytes[sizeof(words)];
    struct iga_lines lines;
    const unsigned n = compact_words(words);

    ck_assert_uint_le(n, XK_COUNTOF(words));
    for (unsigned k = 0; k < 8 * n; k++)
        bytes[k] = (uint8_t)(words[k / 8] >> k % 8 * 8);
    ck_assert(iga_disassemble(p, bytes, 8 * n, false, &lines));
    ck_assert_uint_eq(lines.n, n);
    for (unsigned k = 0; k < n; k++) {
        struct xk_error err = {0};
        struct xk_inst i;
        size_t used_b;

        ck_assert_msg(xk_inst_decode(p, bytes + 8 * k, 8, &i, &used_b, &err) ==
                          XK_OK,
                      "%s: %s", lines.line[k], err.message);
        ck_assert_uint_eq(used_b, 8);
        expect_text(&i, lines.line[k]);
    }
    iga_lines_fini(&lines);
}
END_TEST

static uint64_t load(const uint8_t *in, unsigned n_b)
{
    uint64_t v = 0;

    for (unsigned k = 0; k < n_b; k++)
        v |= (uint64_t)in[k] << 8 * k;
    return v;
}

/* A compiler for this machine breaks none of its rules. */
static void expect_valid(const struct xk_inst *i)
{
    struct xk_isa_violation v[1];
    const unsigned n = xk_inst_validate(p, i, v, 1);

    xk_str_clear(&text);
    xk_inst_print(p, i, &text);
    ck_assert_msg(n == 0, "%s: %s", v[0].rule, xk_str_get(&text));
}

/* One instruction of a compiled kernel: its text is iga64's, no rule is broken,
 * and native bytes come back. Returns its size, 0 at the padding's end. */
static size_t walk_inst(const uint8_t *code, size_t n_b, const char *iga)
{
    struct xk_error err = {0};
    struct xk_inst i;
    uint8_t again[XK_INST_B];
    size_t used_b;

    if (xk_inst_decode(p, code, n_b, &i, &used_b, &err) < 0) {
        ck_assert_msg(used_b == 0 && n_b == 8, "%s: %s", iga, err.message);
        return 0;
    }
    expect_text(&i, iga);
    expect_valid(&i);
    if (!i.compacted) {
        ck_assert_int_eq(xk_inst_encode(p, &i, again, &err), XK_OK);
        ck_assert_mem_eq(code, again, XK_INST_B);
    }
    return used_b;
}

/* The instructions of one section; how many of them are compact. */
static unsigned walk_code(const uint8_t *code, size_t n_b, unsigned *n_compact)
{
    struct iga_lines lines;
    size_t at = 0, used_b = 0;
    unsigned n = 0;

    ck_assert(iga_disassemble(p, code, n_b, false, &lines));
    do {
        at += used_b;
        if (at == n_b)
            break;
        used_b = walk_inst(code + at, n_b - at,
                           n < lines.n ? lines.line[n] : "nothing");
        n += used_b != 0;
        *n_compact += used_b == 8;
    } while (used_b);
    ck_assert_uint_eq(n, lines.n);
    iga_lines_fini(&lines);
    return n;
}

/* Sections whose flags say executable. */
static unsigned walk_elf(const uint8_t *elf, size_t n_b, unsigned *n_compact)
{
    const uint64_t headers = load(elf + 40, 8), count = load(elf + 60, 2);
    unsigned n = 0;

    ck_assert_uint_le(headers + count * 64, n_b);
    for (uint64_t k = 0; k < count; k++) {
        const uint8_t *const h = elf + headers + k * 64;

        if (load(h + 8, 8) & 4)
            n += walk_code(elf + load(h + 24, 8), load(h + 32, 8), n_compact);
    }
    return n;
}

START_TEST(compiled_kernels_read_as_the_assembler_reads_them)
{
    static const char *const devices[] = {"dg2", "acm-g11"};
    char cmd[400];
    char *elf;
    size_t n_b;
    unsigned n_compact = 0;

    snprintf(cmd, sizeof(cmd),
             "ocloc compile -file " XK_TEST_DIR "/kernels.cl -device %s "
             "--format zebin -output k -out_dir xk_ocloc -output_no_suffix "
             "-options \"-cl-std=CL3.0 "
             "-cl-intel-greater-than-4GB-buffer-required\" "
             "> /dev/null 2>&1",
             devices[_i]);
    ck_assert_int_eq(system(cmd), 0);
    elf = iga_read_file("xk_ocloc/k", &n_b);
    ck_assert_ptr_nonnull(elf);
    ck_assert_uint_gt(walk_elf((const uint8_t *)elf, n_b, &n_compact), 5000);
    ck_assert_uint_gt(n_compact, 1000);
    free(elf);
    ck_assert_int_eq(system("rm -rf xk_ocloc"), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("isa_iga");
    TCase *const t = tcase_create("iga");

    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_opcode_and_form_round_trips, 0, 3);
    tcase_add_loop_test(t, random_instructions_agree_with_the_assembler, 0, 3);
    tcase_add_loop_test(t, flipped_bits_read_as_the_assembler_reads_them, 0, 3);
    tcase_add_test(t, each_compaction_row_reads_as_the_assembler_reads_it);
    tcase_add_test(t, each_half_number_prints_as_the_assembler_prints_it);
    tcase_add_loop_test(t, a_message_is_what_the_assembler_reads, 0,
                        XK_COUNTOF(messages));
    if (system("ocloc query --help > /dev/null 2>&1") == 0)
        tcase_add_loop_test(
            t, compiled_kernels_read_as_the_assembler_reads_them, 0, 2);
    else
        printf("# ocloc is not installed: no compiled kernels\n");
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    seed = rng_seed();
    if (!iga_available()) {
        printf("1..0 # SKIP iga64 is not installed\n");
        return 77;
    }
    printf("# XK_TEST_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return xk_tap_run(suite());
}
