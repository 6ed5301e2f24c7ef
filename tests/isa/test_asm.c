/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler without another program: what the printer writes is read back
 * to the same record, every refusal has its place and reason, and mutated text
 * is refused or read but never crashes. Bytes are compared with iga64's by
 * test_asm.py. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/asm.h"
#include "isa/format.h"
#include "tests/isa/random_inst.h"
#include "tests/tap.h"

#define N_PER_OPCODE 300
#define N_MUTATIONS 20000

static const enum xk_platform_id platforms[] = {
    XK_PLATFORM_XELP, XK_PLATFORM_XEHPG, XK_PLATFORM_XEHPC};

static struct rng rng;

static void setup(void)
{
    rng.state = rng_seed();
}

/* Parses from a copy that ends where the text ends, so that a sanitizer sees
 * what is read beyond it. */
static enum xk_status parse_copy(const struct xk_platform *p, const char *text,
                                 size_t n_b, struct xk_inst *i,
                                 struct xk_error *err)
{
    char *const copy = malloc(n_b ? n_b : 1);
    enum xk_status st;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, n_b);
    st = xk_inst_parse(p, copy, n_b, i, err);
    free(copy);
    return st;
}

static void check_text(const struct xk_platform *p, const struct xk_inst *i,
                       const struct xk_str *text)
{
    struct xk_inst back;
    struct xk_error err = {0};
    struct xk_str other;

    if (parse_copy(p, xk_str_get(text), text->len, &back, &err) < 0)
        ck_abort_msg("%s: '%s': %s", p->name, xk_str_get(text), err.message);
    if (!memcmp(i, &back, sizeof(back)))
        return;
    xk_str_init(&other, NULL);
    xk_inst_print(p, &back, &other);
    for (size_t k = 0; k < sizeof(back); k++) {
        if (((const uint8_t *)i)[k] != ((const uint8_t *)&back)[k])
            ck_abort_msg("%s: '%s' reads as '%s', byte %zu of the record",
                         p->name, xk_str_get(text), xk_str_get(&other), k);
    }
}

/* As codegen's dumps have it, and as iga64 has it by default but for labels. */
static void check_read_back(const struct xk_platform *p, enum xk_opcode op)
{
    const struct xk_print_opts o = {0};
    struct xk_inst i;
    struct xk_str text;

    random_inst(p, &rng, op, &i);
    xk_str_init(&text, NULL);
    xk_inst_print(p, &i, &text);
    check_text(p, &i, &text);
    xk_str_clear(&text);
    xk_inst_print_as(p, &i, &o, &text);
    check_text(p, &i, &text);
    xk_str_fini(&text);
}

START_TEST(printed_instructions_read_back_as_the_same_record)
{
    const struct xk_platform *const p = xk_platform_get(platforms[_i]);
    const struct xk_isa_tables *const t = xk_isa_tables_get(p, NULL);
    unsigned n = 0;

    ck_assert_ptr_nonnull(t);
    for (unsigned op = 0; op < XK_N_OPCODES; op++) {
        if (t->op_code[op] == XK_NO_CODE || op == XK_OPC_ILLEGAL)
            continue;
        for (unsigned k = 0; k < N_PER_OPCODE; k++, n++)
            check_read_back(p, op);
    }
    ck_assert_uint_gt(n, 50 * N_PER_OPCODE);
}
END_TEST

/* What a program is refused with: place and words. */
static const struct {
    const char *text, *words;
} refused[] = {
    {"nop\nfrobnicate (8|M0) r1:f r2:f", "a.asm:2:1: unknown mnemonic "
                                         "'frobnicate'"},
    {"moov (8|M0) r1:f r2:f", "'moov', is 'mov' meant?"},
    {"loadd.ugm.d32.a64 (8|M0) r1:1 [r2:2]", "is 'load' meant?"},
    {"mov (8|M0) r256.0<1>:f r2:f", "a.asm:1:12: register 'r256'"},
    {"mov (8|M0) r1.8<1>:f r2:f", "a.asm:1:12: subregister 8 of type f: need "
                                  "0..7"},
    {"mov (7|M0) r1:f r2:f", "a.asm:1:6: exec size 7: need 1, 2"},
    {"mov (8|M3) r1:f r2:f", "channel offset M3: need a multiple of 4"},
    {"mov (8|M0) r1<3>:f r2:f", "destination stride 3"},
    {"mov (8|M0) r1:f r2<8;8,3>:f", "horizontal stride 3"},
    {"mov (8|M0) r1:f r2<8;0,1>:f", "width 0"},
    {"mad (8|M0) r1:f r2<2;1>:f r3:f r4:f", "vertical stride 2: need 0, 1, 4 "
                                            "or 8"},
    {"mov (8|M0) r1:f", "1:16: expected source 0, a register or a number, "
                        "found the end"},
    {"mov (8|M0) r1:g r2:f", "1:15: expected the name of a type, found 'g'"},
    {"mov (8|M0) r1:w 70000:w", "immediate 70000 of type w: need "
                                "-32768..65535"},
    {"mov (8|M0) r1:f 5:f", "immediate of type f: write 5.0"},
    {"mov (8|M0) r1:hf 1e9:hf", "1e+09 is too large for type hf"},
    {"mov (8|M0) r1:f snan(0x0):f", "payload of snan"},
    {"mov (8|M0) r1:d 18446744073709551616:d", "does not fit 64 bits"},
    {"mov (8|M0) r1:d 1/0:d", "division by zero"},
    {"mov (8|M0) r1:d 1<<64:d", "shift by 64: need 0..63"},
    {"mov (8|M0) r1:f r[a0.16]:f", "subregister of a0 16: need 0..15"},
    {"mov (8|M0) r1:f r[a0.0,512]:f", "address offset 512: need -512..511"},
    {"(f2.0) mov (8|M0) r1:f r2:f", "register 'f2': xehpg has 2 registers"},
    {"(f0.2) mov (8|M0) r1:f r2:f", "flag subregister 2: need 0..1"},
    {"(f0.0) cmp (8|M0) (lt)f0.1 null:f r1:f r2:f", "share the flag, f0.0"},
    {"(f0.0.any3h) mov (8|M0) r1:f r2:f", "expected a predicate control"},
    {"add3 (8|M0) r1:d -r2:d r3:d r4:d {Foo}", "expected an instruction "
                                               "option, found 'Foo'"},
    {"mov (8|M0) r1:f r2:f {@8}", "distance 8: need 1..7"},
    {"mov (8|M0) r1:f r2:f {@1,I@2}", "a second distance"},
    {"mov (8|M0) r1:f r2:f {$16}", "SBID 16: need 0..15"},
    {"mov (8|M0) r1:f r2:f {NoMask}", "write (W)"},
    {"mov (8|M0) r1:f r2:f {EOT}", "{EOT} on mov: need a send"},
    {"mov (8|M0) r1:f r2:f {Atomic,Atomic}", "{Atomic} is there twice"},
    {"mov (8|M0) r1:f r2:f {Atomic", "expected ',' or '}', found the end"},
    {"mov (8|M0) r1:f r2:f r3:f", "1:22: expected the end of the instruction, "
                                  "found 'r3'"},
    {"macl (8|M0) r1:d r2:d r3:d", "1:1: macl does not exist on xehpg, but "
                                   "on: xehpc"},
    {"math.foo (8|M0) r1:f r2:f", "expected a math function, found 'foo'"},
    {"sync.frob", "expected a sync function"},
    {"bfn.(s0&s3) (8|M0) r1:d r2:d r3:d r4:d", "expected s0, s1, s2"},
    {"bfn.0x100 (8|M0) r1:d r2:d r3:d r4:d", "bfn function 256: need 0..255"},
    {"dpas.3x8 (8|M0) r1:f r2:f r3:hf r4:hf", "depth and repeat count 3x8"},
    {"dpas.8x9 (8|M0) r1:f r2:f r3:hf r4:hf", "count of 1..8"},
    {"send.foo (8|M0) r1 r2 null:0 0x0 0x0", "expected a shared function"},
    {"send.dc0 (8|M0) r1 r2 r3:32 0x0 0x0", "length of src1 32: need 0..31"},
    {"send.dc0 (8|M0) r1 r2 r250:9 0x0 0x0", "src1 r250:9 ends past r255"},
    {"send.dc0 (8|M0) r1 r2 r3:1 0x1 0x0", "bits 5:0 must be zero"},
    {"send.dc0 (8|M0) r1 r2 r3:1 0x80 0x0", "says 2 registers of src1, the "
                                            "operand says 1"},
    {"send.dc0 (8|M0) r1 r2 r3:1 0x0 0x100000000", "descriptor 4294967296"},
    {"send.dc0 (8|M0) r1 r2 r3:1 0x0 a0.2", "descriptor in a0.2: need a0.0"},
    {"send.dc0 (8|M0) r1 r2 r3 a0.2 0x0 {ExBSO}", "{ExBSO} needs"},
    {"send.dc0 (8|M0) r1 acc0 r3:1 0x0 0x0", "a payload is a GRF or null"},
    {"goto (8|M0) there there", "a.asm:1:13: label 'there' is not defined"},
    {"here: nop\nhere: nop", "a.asm:2:1: label 'here' is defined twice, first "
                             "in line 1"},
    {"if (8|M0) 16", "expected a branch target, found the end"},
    {"ret (8|M0) 16", "expected a register with the target"},
    {"/* never closed", "a comment that does not end"},
    {"mov (8|M0) r1:f \x80:f", "means nothing here"},
    {"nop {Compacted}", "a.asm:1:1: "},
    {"if (8|M0) 16 24\nnop\nnop", "a.asm:1:14: branch offset 24: no "
                                  "instruction"},
    {"else (8|M0) 16 16 {AccWrEn}", "a.asm:1:1: "},
    {"(f0.0) else (8|M0) 16 16", "else takes no predicate"},
    {"shl (8|M0) (sat)r1:d (abs)bad:d r2:d", "expected source 0"},
    {"load.foo.d32.a64 (8|M0) r1:1 [r2:2]", "expected a shared function"},
    {"load.ugm.a64 (8|M0) r1:1 [r2:2]", "expected a data size"},
    {"load.ugm.d33.a64 (8|M0) r1:1 [r2:2]", "data size 'd33'"},
    {"load.ugm.d32.d32.a64 (8|M0) r1:1 [r2:2]", "has that already"},
    {"load.ugm.d32.a64.ca.zz (8|M0) r1:1 [r2:2]", "expected a cache policy"},
    {"load.ugm.d32.a64 (8|M0) r1:1 [8*r2:2]", "scaled addresses"},
    {"load.ugm.d32.a64 (8|M0) r1:1 [r2:2+8]", "immediate address offsets"},
};

START_TEST(refusals_name_place_word_and_range)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    const struct xk_asm_source source = {refused[_i].text,
                                         strlen(refused[_i].text), "a.asm"};
    xk_ctx *const c = xk_ctx_create(NULL);
    uint8_t *code;
    size_t code_b;

    if (xk_assemble_text(c, p, &source, false, &code, &code_b) == XK_OK)
        ck_abort_msg("'%s' is not refused", refused[_i].text);
    ck_assert_ptr_null(code);
    ck_assert_uint_eq(code_b, 0);
    if (!strstr(c->error.message, refused[_i].words))
        ck_abort_msg("'%s': '%s', expected '%s'", refused[_i].text,
                     c->error.message, refused[_i].words);
    ck_assert_int_eq(strncmp(c->error.message, "a.asm:", 6), 0);
    xk_ctx_destroy(c);
}
END_TEST

/* Source text of all forms, to be mutated. */
static const char *const samples[] = {
    "(W&~f0.1.any8h) add (16|M8) (lt)f0.1 (sat)r3.0<2>:f -(abs)r4.3<8;8,1>:f "
    "2.5e-3:f {A@1,$3.dst} // comment",
    "mov (8|M0) r[a0.2,-16]<1>:ud r[a0.0,12]<4,1>:ud /* x */ {Compacted}",
    "bfn.(s0&~(s1|s2)^ones) (16|M0) (eq)f0.0 r1<1>:ud r2<1;0>:ud r3:ud r4<1>:d",
    "dpas.8x4 (8|M0) r10:d null:d r20:u4 r30.8:s2 {Atomic,$15}",
    "send.ugm (16|M0) r10 r20 r30:2 a0.2 0x08200580 {ExBSO,@1,$2,Serialize}",
    "lbl: goto.b (32|M0) lbl 16\nendif (8|M0) -16\njmpi r3.2\ncall (8|M0) r1 0",
    "sync.allrd ($0,$13)\nsync.nop null {$1.src}\nmath.invm (8|M0) (eo)f0.0 "
    "r1.mme0:f r2.nomme:f r3.mme7:f",
    "madm (8|M0) r1.mme0:f r2.mme1:f -r3.nomme:f r4.mme2:f {AccWrEn}",
    "mov (4|M0) r1:df -qnan(0x7ffffff):df; mov (8|M0) r1:hf 0x1.8p3:hf",
    "add (1|M0) r1:d |r2| 1+(2-3)*4/5%6<<7>>8&9^10|~11:d",
    "load.ugm.d32x4t.a64.ca.uc (1|M0) r10:2 flat[r20:1] {$1}\n"
    "store_quad.slm.d32.xyw.a32 (16|M0) bti[3][r2:2] r10:6",
    "atomic_icas.ugm.d64.a64.uc.wb (8|M0) null:0 bss[a0.2][r20:4] r30:4",
};

/* Changes, drops, doubles or moves some bytes; returns the new length. */
static size_t mutate(char *text, size_t n_b, size_t cap)
{
    static const char alphabet[] = "0123456789rfasxMW$@.,;:<>()[]{}~-+*/|&^ "
                                   "\n\t\"\\\x80\xff_%!#=";
    const unsigned times = 1 + rng_below(&rng, 4);

    for (unsigned k = 0; k < times && n_b; k++) {
        const size_t at = rng_below(&rng, (unsigned)n_b);
        const size_t len = 1 + rng_below(&rng, 8);
        const size_t left = n_b - at < len ? n_b - at : len;

        switch (rng_below(&rng, 4)) {
        case 0:
            text[at] = alphabet[rng_below(&rng, sizeof(alphabet) - 1)];
            break;
        case 1:
            memmove(text + at, text + at + left, n_b - at - left);
            n_b -= left;
            break;
        case 2:
            if (n_b + left > cap)
                break;
            memmove(text + at + left, text + at, n_b - at);
            n_b += left;
            break;
        default:
            n_b = at; /* cut */
            break;
        }
    }
    return n_b;
}

static void assemble_mutant(xk_ctx *c, const struct xk_platform *p,
                            const char *text, size_t n_b, unsigned *n_ok)
{
    char *const copy = malloc(n_b ? n_b : 1);
    const struct xk_asm_source source = {copy, n_b, "m"};
    uint8_t *code;
    size_t code_b;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, n_b);
    xk_ctx_clear(c);
    if (xk_assemble_text(c, p, &source, n_b & 1, &code, &code_b) == XK_OK) {
        ck_assert_uint_eq(code_b % 8, 0);
        ++*n_ok;
    } else {
        ck_assert_ptr_null(code);
        ck_assert_int_lt(c->error.status, 0);
        ck_assert_int_eq(c->error.message[0], 'm');
    }
    xk_free(c, code);
    free(copy);
}

START_TEST(mutated_text_is_read_or_refused)
{
    const struct xk_platform *const p = xk_platform_get(platforms[_i]);
    xk_ctx *const c = xk_ctx_create(NULL);
    unsigned n_ok = 0;
    char text[1024];

    for (unsigned k = 0; k < N_MUTATIONS; k++) {
        const char *const s = samples[k % XK_COUNTOF(samples)];
        size_t n_b = strlen(s);

        memcpy(text, s, n_b);
        n_b = mutate(text, n_b, sizeof(text));
        assemble_mutant(c, p, text, n_b, &n_ok);
    }
    ck_assert_uint_gt(n_ok, N_MUTATIONS / 200);
    ck_assert_uint_lt(n_ok, N_MUTATIONS);
    xk_ctx_destroy(c);
}
END_TEST

static const struct {
    const char *text;
    bool compact;
    size_t code_b;
} sizes[] = {
    {"mov (8|M0) r1:f r2:f", false, 16},
    {"mov (8|M0) r1:f r2:f {Compacted}", false, 8},
    {"mov (8|M0) r1:f r2:f", true, 8},
    {"mov (8|M0) r1:f r2:f {NoCompact}", true, 16},
    {"", true, 0},
    {"// nothing\n;;\n", false, 0},
    {"a: goto (8|M0) b a\nmov (8|M0) r1:f r2:f\nb:", true, 24},
    {"goto (8|M0) 32 (0)\nmov (8|M0) r1:f r2:f", true, 24},
    {"goto (8|M0) 16-16 32 - 16\nnop", true, 32},
};

START_TEST(the_short_form_is_asked_for_by_option_or_by_mark)
{
    const struct xk_platform *const p = xk_platform_get(platforms[_i]);
    xk_ctx *const c = xk_ctx_create(NULL);

    for (unsigned k = 0; k < XK_COUNTOF(sizes); k++) {
        const struct xk_asm_source source = {.text = sizes[k].text,
                                             .n_b = strlen(sizes[k].text)};
        uint8_t *code;
        size_t code_b;

        if (xk_assemble_text(c, p, &source, sizes[k].compact, &code, &code_b) <
            0)
            ck_abort_msg("'%s': %s", sizes[k].text, c->error.message);
        if (code_b != sizes[k].code_b)
            ck_abort_msg("%s: '%s': %zu bytes, expected %zu", p->name,
                         sizes[k].text, code_b, sizes[k].code_b);
        xk_free(c, code);
    }
    xk_ctx_destroy(c);
}
END_TEST

/* Fails every allocation once *user is used up. */
static void *failing_realloc(void *user, void *p, size_t n_b)
{
    int *const left = user;

    if (!n_b) {
        free(p);
        return NULL;
    }
    return --*left < 0 ? NULL : realloc(p, n_b);
}

START_TEST(every_failing_allocation_is_reported)
{
    static const char text[] = "a: goto (8|M0) a b\nb: nop\n";
    const struct xk_asm_source source = {text, sizeof(text) - 1, NULL};
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    enum xk_status st = XK_ENOMEM;
    int n = -1;

    while (st != XK_OK && n < 100) {
        int left = 1000;
        const struct xk_alloc alloc = {failing_realloc, &left};
        xk_ctx *const c = xk_ctx_create(&alloc);
        uint8_t *code;
        size_t code_b;

        left = ++n;
        st = xk_assemble_text(c, p, &source, false, &code, &code_b);
        ck_assert(st == XK_OK || (st == XK_ENOMEM && !code));
        xk_free(c, code);
        xk_ctx_destroy(c);
    }
    ck_assert_int_ge(n, 3); /* items, labels, code */
    ck_assert_int_eq(st, XK_OK);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("asm");
    TCase *const t = tcase_create("asm");

    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, printed_instructions_read_back_as_the_same_record, 0,
                        XK_COUNTOF(platforms));
    tcase_add_loop_test(t, refusals_name_place_word_and_range, 0,
                        XK_COUNTOF(refused));
    tcase_add_loop_test(t, mutated_text_is_read_or_refused, 0,
                        XK_COUNTOF(platforms));
    tcase_add_loop_test(t, the_short_form_is_asked_for_by_option_or_by_mark, 0,
                        XK_COUNTOF(platforms));
    tcase_add_test(t, every_failing_allocation_is_reported);
    suite_add_tcase(s, t);
    printf("# seed %llu\n", (unsigned long long)rng_seed());
    return xk_tap_run(s);
}
