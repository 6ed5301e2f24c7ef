/* SPDX-License-Identifier: Apache-2.0 */
/* The text of instructions and programs, without the outsider: bytes and texts
 * below are iga64's, made once. tests/isa/test_print.py compares with it at
 * test time. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/disasm.h"
#include "isa/inst_print.h"
#include "tests/tap.h"

/* A function of s0, s1, s2, read by the usual precedence: ~ & ^ |. Values are
 * truth tables. */
static const char *at;

static unsigned read_or(void);

static unsigned read_atom(void)
{
    static const unsigned columns[] = {0xaa, 0xcc, 0xf0};
    unsigned v = 0;

    if (*at == '~') {
        at++;
        return ~read_atom() & 0xff;
    }
    if (*at == '(') {
        at++;
        v = read_or();
        ck_assert_int_eq(*at++, ')');
    } else if (!strncmp(at, "ones", 4) || !strncmp(at, "zeros", 5)) {
        v = *at == 'o' ? 0xff : 0;
        at += *at == 'o' ? 4 : 5;
    } else {
        ck_assert_int_eq(at[0], 's');
        ck_assert(at[1] >= '0' && at[1] <= '2');
        v = columns[at[1] - '0'];
        at += 2;
    }
    return v;
}

static unsigned read_and(void)
{
    unsigned v = read_atom();

    while (*at == '&') {
        at++;
        v &= read_atom();
    }
    return v;
}

static unsigned read_xor(void)
{
    unsigned v = read_and();

    while (*at == '^') {
        at++;
        v ^= read_and();
    }
    return v;
}

static unsigned read_or(void)
{
    unsigned v = read_xor();

    while (*at == '|') {
        at++;
        v |= read_xor();
    }
    return v;
}

START_TEST(the_text_of_a_function_means_its_table)
{
    for (unsigned k = 0; k < 256; k++) {
        at = xk_bfn_text(k);
        ck_assert_uint_eq(read_or(), k);
        ck_assert_int_eq(*at, 0);
    }
    ck_assert_str_eq(xk_bfn_text(256), "?");
}
END_TEST

/* clang-format off */
static const struct {
    enum xk_platform_id platform;
    bool ldst;
    const char *bytes, *text;
} programs[] = {
    {XK_PLATFORM_XELP, false,
     "650000802082457f04000002c0ffffff"
     "7023040060860100051b461501000100"
     "2200041100c000003000000030000000"
     "38a4030020020501050246c205034600"
     "2000c08a004000000000000080000000"
     "25000400004000000000000070000000"
     "3141040000001408141b04cc00001600"
     "3192040000000000141b04cc141d9600"
     "3100030000020708041b00a004090000"
     "01000000004201000000003002800000"
     "012f0000000001000000000000000000"
     "5b330b00aa02040404059a0204062407"
     "61000300a00a0504c03ff10000000000"
     "72000300a802040104020a6204030504"
     "31010380040000000c7f207000000000",
     "L0:\n"
     "(W) and (1|M0) r127.2<1>:ud r0.0<0;1,0>:ud 0xFFFFFFC0:ud\n"
     "cmp (16|M0) (eq)f0.0 null<1>:d r27.0<8;8,1>:d 1:w {$3.dst}\n"
     "(~f0.0) if (16|M0) L80 L80\n"
     "L48:\n"
     "math.iqot (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud r3.0<8;8,1>:ud {@2,$4}\n"
     "(W&f1.1.any16h) jmpi L192\n"
     "L80:\n"
     "endif (16|M0) L192\n"
     "L96:\n"
     "send.dc1 (16|M0) r8 r27 null 0x0 0x04205E02 {$1}\n"
     "send.dc1 (16|M0) null r27 r29 0x80 0x04025E02 {@1,$2}\n"
     "send.dc0 (8|M0) r8 r27 r9 a0.2 a0.0\n"
     "sync.allwr ($1,$15)\n"
     "sync.nop null {$15.dst}\n"
     "mad (8|M4) r4.0<1>:f r5.0<1;0>:f -r6.0<1;0>:f (abs)r7.1<0>:f {AccWrEn,$3.src}\n"
     "L192:\n"
     "mov (8|M0) r4.0<1>:f r[a0.3,-16]<1,0>:f\n"
     "csel (8|M0) (le)f0.0 r1.0<1>:f r2.0<1;0>:f r3.0<1;0>:f r4.0<1>:f\n"
     "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}\n"
     "L240:\n"},
    {XK_PLATFORM_XEHPG, false,
     "650000802082457f04000002c0ffffff"
     "6b1904002802041b04258ad204230521"
     "7023006c041b10002e00041100c00000"
     "4000000040000000610004006045051d"
     "000000000000000038a40300a00a0501"
     "440210ea440310002e00440a02c00000"
     "f0ffffff100000002f00040000400000"
     "00000000700000002000008000400000"
     "00000000600000003141040000001408"
     "241b00fb000000003192040000000000"
     "971b08fb171d00f43141008080024608"
     "0c1b06fb140900000100000000420100"
     "000000200600000061000080a84ac13f"
     "00000000000080bf6100038090490504"
     "00000000013c013c61000080b04b0504"
     "0000f83f0000000059450300a13a070a"
     "000005050414041e3109038004000000"
     "0c7f2030000000006000000000000000"
     "00000000000000000000000000000000"
     "0000000000000000",
     "L0:\n"
     "(W) and (1|M0) r127.2<1>:ud r0.0<0;1,0>:ud 0xFFFFFFC0:ud\n"
     "bfn.(s0&s1|~s0&s2) (16|M0) r27.0<1>:ud r37.0<1;0>:ud r35.0<1;0>:ud r33.0<1>:ud {I@1}\n"
     "cmp (16|M0) (eq)f0.0 null<1>:d r27.0<1;1,0>:d 1:w {Compacted,$3.dst}\n"
     "(~f0.0) goto (16|M0) L104 L104\n"
     "L56:\n"
     "mov (16|M0) r29.0<1>:d 0:w\n"
     "L72:\n"
     "math.invm (8|M0) (eo)f0.0 r1.mme0:f r2.nomme:f r3.nomme:f {@2,$4}\n"
     "(f0.1.any16h) goto.b (16|M0) L104 L72\n"
     "L104:\n"
     "join (16|M0) L216\n"
     "L120:\n"
     "(W) jmpi L216\n"
     "L136:\n"
     "send.ugm (16|M0) r8 r27 null:0 0x0 0x08200580 {$1}\n"
     "send.ugm (16|M0) null r27 r29:2 0xFF000000 0x64000584 {A@1,$2}\n"
     "(W) send.ugm (1|M0) r8 r27 r9:2 a0.2 0x02800583 {ExBSO,$1}\n"
     "sync.allrd ($1,$2)\n"
     "(W) mov (1|M0) r[a0.3,-16]<1>:f -1.0:f\n"
     "L216:\n"
     "(W) mov (8|M0) r4.0<1>:hf 0x3C01:hf\n"
     "(W) mov (1|M0) r4.0<1>:df 1.5:df\n"
     "dpas.8x8 (8|M0) r10:f null:f r20:bf r30.0:bf {Atomic,$5}\n"
     "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}\n"
     "L280:\n"
     "nop\n"
     "illegal\n"},
    {XK_PLATFORM_XEHPC, true,
     "650000802082257f04000002c0ffffff"
     "6b1914002802041b04256a9204230521"
     "709ff40060860100041b101501000100"
     "2e00941c00c000003000000030000000"
     "382a1000a00a3d01040210f000000000"
     "270034880040000000000000f0ffffff"
     "2f001400004000000000000080000000"
     "31d1140000001408241b00fb00000000"
     "3122150080020200141b08fb141d0004"
     "31c10080000044080c1b06f500000000"
     "31c10080000000000c1b0ef844090000"
     "31c1140000001404141b18ea14090000"
     "0100000000420100000000e003000000"
     "61000080b04b05049999b9bf9a999999"
     "61211002b00b0504e03f110000000000"
     "40f01000a08a012f0023100a0000c03f"
     "59d91000a13a070a000006060414041e"
     "31000080040000000c7f203000000000",
     "L0:\n"
     "(W) and (1|M0) r127.2<1>:ud r0.0<0;1,0>:ud 0xFFFFFFC0:ud\n"
     "bfn.(s0^s1^s2) (32|M0) r27.0<1>:ud r37.0<1;0>:ud r35.0<1;0>:ud r33.0<1>:ud {I@1}\n"
     "cmp (32|M0) (eq)f3.1 null<1>:d r27.0<1;1,0>:d 1:w {$31.dst}\n"
     "(~f2.0.all) goto (32|M0) L96 L96\n"
     "L64:\n"
     "math.rsqtm (16|M0) (eo)f0.0 r1.mme7:f r2.mme0:f {M@2}\n"
     "(W&f0.1.any) while (32|M0) L64\n"
     "L96:\n"
     "join (32|M0) L224\n"
     "L112:\n"
     "load.ugm.d32.a64 (32|M0) r8:2 [r27:4] {$17}\n"
     "store.ugm.d32.a64 (32|M0) ss[a0.2][r27:2] r29:2 {ExBSO,A@1,$2}\n"
     "(W) load_block2d.ugm.d16v.a64 (1|M0) r8:8 [r27:1] {$1}\n"
     "(W) store_block2d.ugm.d32.a64 (1|M0) [r27:1] r9:8 {$1}\n"
     "atomic_iadd.slm.d32.a32 (32|M0) r4:2 [r27:2] r9:2 {$1}\n"
     "sync.bar 0x3\n"
     "(W) mov (1|M0) r4.0<1>:df -0.1:df\n"
     "L224:\n"
     "mov (16|M16) r4.0<1>:df r[a0.3,-16]<1;1,0>:df {L@1}\n"
     "add (16|M0) acc15.0<1>:f acc3.0<1;1,0>:f 1.5:f {NoAccSBSet}\n"
     "dpas.8x8 (16|M0) r10:f null:f r20:tf32 r30.0:tf32 {Atomic,$25}\n"
     "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}\n"
     "L288:\n"},
};
/* clang-format on */

static unsigned nibble(char ch)
{
    return ch <= '9' ? (unsigned)(ch - '0') : (unsigned)(ch - 'a' + 10);
}

static size_t from_hex(const char *hex, uint8_t *out)
{
    const size_t n = strlen(hex) / 2;

    for (size_t k = 0; k < n; k++)
        out[k] = (uint8_t)(nibble(hex[2 * k]) << 4 | nibble(hex[2 * k + 1]));
    return n;
}

/* Without comments, indentation, runs of blanks and empty lines. */
static void tidy(char *to, const char *from)
{
    char *line = to;

    for (; *from; from++) {
        if (from[0] == '/' && from[1] == '/')
            from += strcspn(from, "\n");
        if (*from != '\n' && !isspace((unsigned char)*from))
            *to++ = *from;
        else if (*from != '\n' && to > line && to[-1] != ' ')
            *to++ = ' ';
        if (*from != '\n')
            continue;
        if (to > line && to[-1] == ' ')
            to--;
        if (to > line)
            *to++ = '\n';
        line = to;
    }
    *to = 0;
}

static struct xk_str text;
static xk_ctx *ctx;

static void setup(void)
{
    ctx = xk_ctx_create(NULL);
    xk_str_init(&text, NULL);
}

static void teardown(void)
{
    xk_str_fini(&text);
    ck_assert_uint_eq(xk_ctx_destroy(ctx), 0);
}

static unsigned dis(enum xk_platform_id platform, const uint8_t *code,
                    size_t n_b, const struct xk_disasm_opts *o)
{
    xk_str_clear(&text);
    const unsigned n_bad = xk_disassemble_code(ctx, xk_platform_get(platform),
                                               code, n_b, o, &text);
    ck_assert_int_eq(xk_ctx_status(ctx), XK_OK);
    return n_bad;
}

START_TEST(a_program_reads_as_the_assembler_writes_it)
{
    const struct xk_disasm_opts o = {.ldst = programs[_i].ldst};
    uint8_t code[1024];
    char ours[4096];
    const size_t n_b = from_hex(programs[_i].bytes, code);

    ck_assert_uint_eq(dis(programs[_i].platform, code, n_b, &o), 0);
    ck_assert_uint_lt(text.len, sizeof(ours));
    tidy(ours, xk_str_get(&text));
    ck_assert_str_eq(ours, programs[_i].text);
}
END_TEST

/* goto -16 -32 at 32, on xehpg */
static const char *const nops = "60000000000000000000000000000000"
                                "60000000000000000000000000000000";
static const char *const jump = "2e00040000c00000e0fffffff0ffffff";

START_TEST(numeric_targets_are_offsets_that_read_back)
{
    const struct xk_disasm_opts o = {.numeric = true};
    uint8_t code[64];
    size_t n_b = from_hex(nops, code);

    n_b += from_hex(jump, code + n_b);
    ck_assert_uint_eq(dis(XK_PLATFORM_XEHPG, code, n_b, &o), 0);
    ck_assert_str_eq(xk_str_get(&text), "        nop\n        nop\n"
                                        "        goto (16|M0) -16 (-32)\n");
}
END_TEST

START_TEST(offsets_are_comments)
{
    const struct xk_disasm_opts o = {.offsets = true};
    uint8_t code[64];

    dis(XK_PLATFORM_XEHPG, code, from_hex(nops, code), &o);
    ck_assert_str_eq(xk_str_get(&text), "L0:\n/* 0x0000 */         nop\n"
                                        "/* 0x0010 */         nop\n");
}
END_TEST

START_TEST(targets_that_are_no_instruction_are_numbers)
{
    const struct xk_disasm_opts o = {.ldst = false};
    uint8_t code[64];
    size_t n_b = from_hex(nops, code);

    n_b += from_hex(jump, code + n_b);
    code[n_b - 4] = 0xf8; /* into the nop at 16 */
    code[n_b - 7] = 0xff; /* before the start: -0x10020 */
    code[n_b - 6] = 0xfe;
    ck_assert_uint_eq(dis(XK_PLATFORM_XEHPG, code, n_b, &o), 0);
    ck_assert_ptr_nonnull(
        strstr(xk_str_get(&text), "goto (16|M0) (-8) (-65568)\nL48:\n"));
    ck_assert_ptr_null(strstr(xk_str_get(&text), "L24:"));
}
END_TEST

START_TEST(bad_bytes_are_a_comment_and_reading_goes_on)
{
    const struct xk_disasm_opts o = {.ldst = false};
    uint8_t code[64];
    size_t n_b = from_hex(nops, code);

    memset(code + 16, 0xff, 8); /* reads as a compact form */
    ck_assert_uint_ge(dis(XK_PLATFORM_XEHPG, code, n_b, &o), 1);
    ck_assert_ptr_nonnull(strstr(xk_str_get(&text), "// offset 0x0010: "));
    ck_assert_ptr_nonnull(strstr(xk_str_get(&text), "FF FF FF FF FF FF FF FF"));
    n_b = from_hex(nops, code);
    code[1] = 0xff;
    code[12] = 0x5a;
    ck_assert_uint_eq(dis(XK_PLATFORM_XEHPG, code, n_b, &o), 1);
    ck_assert_ptr_nonnull(strstr(xk_str_get(&text), "\n        nop\n"));
}
END_TEST

START_TEST(a_cut_end_is_told_and_zero_padding_is_not_bad)
{
    const struct xk_disasm_opts o = {.ldst = false};
    uint8_t code[64];

    from_hex(nops, code);
    for (size_t n_b = 17; n_b < 32; n_b++) {
        ck_assert_uint_eq(dis(XK_PLATFORM_XEHPG, code, n_b, &o), 1);
        ck_assert_ptr_nonnull(strstr(xk_str_get(&text), "// offset 0x0010: "));
    }
    memset(code + 16, 0, 8);
    ck_assert_uint_eq(dis(XK_PLATFORM_XEHPG, code, 24, &o), 0);
    ck_assert_ptr_nonnull(strstr(xk_str_get(&text), "// 8 bytes of padding"));
    ck_assert_uint_eq(dis(XK_PLATFORM_XEHPG, code, 0, &o), 0);
    ck_assert_str_eq(xk_str_get(&text), "L0:\n");
}
END_TEST

START_TEST(the_plain_text_has_numbers)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    const struct xk_print_opts zero = {.ldst = false};
    struct xk_inst i = {
        .op = XK_OPC_GOTO, .exec = 16, .jip_b = -16, .uip_b = -32};

    xk_inst_print(p, &i, &text);
    ck_assert_str_eq(xk_str_get(&text), "goto (16|M0) -16 (-32)");
    xk_str_clear(&text);
    xk_inst_print_as(p, &i, &zero, &text);
    ck_assert_str_eq(xk_str_get(&text), "goto (16|M0) -16 -32");
    i = (struct xk_inst){.op = XK_OPC_BFN, .exec = 8, .bfn = 0xca};
    xk_str_clear(&text);
    xk_inst_print(p, &i, &text);
    ck_assert_int_eq(strncmp(xk_str_get(&text), "bfn.0xCA (8|M0) ", 16), 0);
}
END_TEST

/* The longest line there can be leaves room in its buffer. */
START_TEST(no_line_fills_its_buffer)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPC);
    struct xk_inst i = {.op = XK_OPC_SYNC, .sync_fn = XK_SYNC_ALLWR};

    i.src[0].file = XK_FILE_IMM;
    i.src[0].imm = 0xffffffff;
    i.pred = XK_PRED_ANY32H;
    i.pred_inv = i.no_mask = i.acc_wr_en = i.atomic = i.debug = i.compacted =
        true;
    i.send.eot = i.send.exbso = i.send.fused_serialize = i.swsb.no_acc_sb =
        true;
    i.swsb.dist = 7;
    i.swsb.mode = XK_SBID_DST;
    i.swsb.sbid = 31;
    xk_inst_print(p, &i, &text);
    ck_assert_uint_lt(text.len, XK_LINE_MAX / 2);
    ck_assert_ptr_nonnull(strstr(xk_str_get(&text), "$30,$31) {AccWrEn,"));
    ck_assert_int_eq(xk_str_get(&text)[text.len - 1], '}');
}
END_TEST

struct budget {
    unsigned left;
};

static void *limited(void *user, void *p, size_t n_b)
{
    struct budget *const b = user;

    if (n_b && !b->left)
        return NULL;
    b->left -= n_b != 0;
    return xk_alloc_default.realloc(xk_alloc_default.user, p, n_b);
}

START_TEST(a_failed_allocation_is_a_status)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    const struct xk_disasm_opts o = {.ldst = false};
    enum xk_status status = XK_ENOMEM;
    uint8_t code[64];
    const size_t n_b = from_hex(nops, code);

    for (unsigned n = 0; n < 20 && status != XK_OK; n++) {
        struct budget b = {~0u};
        const struct xk_alloc alloc = {limited, &b};
        xk_ctx *const c = xk_ctx_create(&alloc);
        struct xk_str out;

        ck_assert_ptr_nonnull(c);
        xk_str_init(&out, &alloc);
        b.left = n;
        ck_assert_uint_eq(xk_disassemble_code(c, p, code, n_b, &o, &out), 0);
        status = xk_ctx_status(c);
        ck_assert(status == XK_OK || status == XK_ENOMEM);
        ck_assert(n > 0 || status == XK_ENOMEM);
        b.left = ~0u;
        xk_str_fini(&out);
        xk_ctx_destroy(c);
    }
    ck_assert_int_eq(status, XK_OK);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("isa_print");
    TCase *const t = tcase_create("print");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_text_of_a_function_means_its_table);
    tcase_add_loop_test(t, a_program_reads_as_the_assembler_writes_it, 0,
                        XK_COUNTOF(programs));
    tcase_add_test(t, numeric_targets_are_offsets_that_read_back);
    tcase_add_test(t, offsets_are_comments);
    tcase_add_test(t, targets_that_are_no_instruction_are_numbers);
    tcase_add_test(t, bad_bytes_are_a_comment_and_reading_goes_on);
    tcase_add_test(t, a_cut_end_is_told_and_zero_padding_is_not_bad);
    tcase_add_test(t, the_plain_text_has_numbers);
    tcase_add_test(t, no_line_fills_its_buffer);
    tcase_add_test(t, a_failed_allocation_is_a_status);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
