/* SPDX-License-Identifier: Apache-2.0 */
/* test_corpus CACHE EXCUSES: isa/ against every kernel that compile.py had
 * compiled and iga64 disassembled. Decoding, encoding, both texts, assembling,
 * the compacted form, the validator, and whether all of the tables occurs
 * (EXCUSES: tests/corpus/uncovered.txt). TAP; XK_CORPUS_SHOW=N reports more
 * than the first 8 differences of each kind. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "isa/asm.h"
#include "isa/disasm.h"
#include "tests/corpus/corpus.h"

enum check {
    DECODES,
    REENCODES,
    EXPANDS,
    NATIVE,
    TEXT,
    LDST,
    ASM_OURS,
    ASM_LDST,
    ASM_IGA,
    VALID,
    N_CHECKS
};

static const char *const titles[N_CHECKS] = {
    [DECODES] = "every instruction decodes",
    [REENCODES] = "encoding again gives the same bytes",
    [EXPANDS] = "the native form of compacted instructions is iga64's",
    [NATIVE] = "bytes and text of the code without compaction are right, too",
    [TEXT] = "our text is iga64's",
    [LDST] = "our text with messages spelled out is iga64's",
    [ASM_OURS] = "our text assembles to the same bytes",
    [ASM_LDST] = "our text with messages spelled out does as well",
    [ASM_IGA] = "iga64's text assembles to the same bytes",
    [VALID] = "the validator reports nothing",
};

static struct {
    unsigned n_bad[N_CHECKS], n_shown[N_CHECKS], show;
    unsigned kernels[4], insts[4], compacted[4]; /* by enum xk_platform_id */
    xk_ctx *ctx;
    struct coverage *seen;
    const struct corpus_kernel *k; /* the one at hand */
    struct xk_inst *inst;
    size_t cap;
    unsigned n;
} run;

static void XK_PRINTF(2, 3) complain(enum check c, const char *fmt, ...)
{
    va_list ap;

    run.n_bad[c]++;
    if (run.n_shown[c]++ >= run.show)
        return;
    printf("# %s: ", run.k->name);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

static void make_room(size_t n)
{
    if (n <= run.cap)
        return;
    run.cap = 2 * n;
    run.inst = realloc(run.inst, run.cap * sizeof(*run.inst));
    if (!run.inst)
        abort();
}

/* The first line that remains of *cursor without white space and comments,
 * "" at the end. */
static void next_line(const char **cursor, char *out, size_t cap)
{
    size_t n = 0;

    while (**cursor && n == 0) {
        const char *s = *cursor, *const end = s + strcspn(s, "\n");
        for (; s < end; s++) {
            if (s[0] == '/' && s[1] == '/')
                break;
            if (!isspace((unsigned char)*s) && n + 1 < cap)
                out[n++] = *s;
        }
        *cursor = *end ? end + 1 : end;
    }
    out[n] = 0;
}

static void compare_texts(enum check c, const char *ours, const char *theirs)
{
    char a[1000], b[1000];

    do {
        next_line(&ours, a, sizeof(a));
        next_line(&theirs, b, sizeof(b));
        if (strcmp(a, b) != 0) {
            complain(c, "ours   %s\n#   iga64  %s", a, b);
            if (!a[0] || !b[0])
                break; /* one ended */
        }
    } while (a[0]);
}

/* text becomes bin again. */
static void check_assembled(enum check c, const char *text, size_t n_b,
                            const struct corpus_file *bin)
{
    const struct xk_asm_source source = {text, n_b, "text"};
    uint8_t *code = NULL;
    size_t code_b = 0, at = 0;

    xk_ctx_clear(run.ctx);
    if (xk_assemble_text(run.ctx, run.k->p, &source, false, &code, &code_b) !=
        XK_OK) {
        complain(c, "%s", run.ctx->error.message);
        return;
    }
    while (at < code_b && at < bin->n_b && code[at] == bin->data[at])
        at++;
    if (code_b != bin->n_b || at < code_b)
        complain(c, "%zu bytes of %zu, the first difference at %zu", code_b,
                 bin->n_b, at);
    xk_free(run.ctx, code);
}

/* What our text of a kernel is compared with. */
static void check_text(const struct corpus_file *bin, bool ldst,
                       const struct corpus_file *theirs, enum check text,
                       enum check assembled)
{
    const struct xk_disasm_opts o = {.ldst = ldst};
    struct xk_str ours;

    xk_str_init(&ours, NULL);
    xk_disassemble_code(run.ctx, run.k->p, bin->data, bin->n_b, &o, &ours);
    if (xk_ctx_status(run.ctx) != XK_OK)
        complain(text, "%s", run.ctx->error.message);
    compare_texts(text, xk_str_get(&ours), (const char *)theirs->data);
    check_assembled(assembled, xk_str_get(&ours), ours.len, bin);
    xk_str_fini(&ours);
}

static void check_texts(const struct corpus_kernel *k)
{
    check_text(&k->bin, false, &k->text, TEXT, ASM_OURS);
    check_text(&k->bin, true, &k->ldst, LDST, ASM_LDST);
    check_text(&k->native, false, &k->native_text, NATIVE, NATIVE);
    check_assembled(ASM_IGA, (const char *)k->text.data, k->text.n_b, &k->bin);
}

static void count(const struct xk_inst *i)
{
    run.insts[run.k->p->id]++;
    run.compacted[run.k->p->id] += i->compacted;
    coverage_take(run.seen, run.k->p, i);
}

/* Decodes and encodes again; the instructions stay in run.inst. */
static void check_code(const struct corpus_file *f, bool native)
{
    struct xk_error err = {.message = ""};
    uint8_t back[XK_INST_B];
    size_t used, written;

    make_room(f->n_b / 8 + 1);
    run.n = 0;
    for (size_t at = 0; at < f->n_b; at += used) {
        struct xk_inst *const i = &run.inst[run.n];
        if (xk_inst_decode(run.k->p, f->data + at, f->n_b - at, i, &used,
                           &err) != XK_OK) {
            complain(native ? NATIVE : DECODES, "at 0x%zx: %s", at,
                     err.message);
            if (!used)
                return;
            continue;
        }
        run.n++;
        if (!native)
            count(i);
        if (xk_inst_encode_as_marked(run.k->p, i, back, &written, &err) !=
            XK_OK)
            complain(native ? NATIVE : REENCODES, "at 0x%zx: %s", at,
                     err.message);
        else if (written != used || memcmp(back, f->data + at, used) != 0)
            complain(native ? NATIVE : REENCODES, "at 0x%zx: other bytes", at);
    }
}

/* Instruction n of the native code is ours with the mark cleared, unless it
 * branches: then the distances are others. */
static void check_expansion(void)
{
    const struct corpus_file *const f = &run.k->native;
    uint8_t out[XK_INST_B];
    struct xk_error err = {.message = ""};

    for (unsigned n = 0; n < run.n; n++) {
        struct xk_inst i = run.inst[n];
        if (!i.compacted)
            continue;
        i.compacted = false;
        if (xk_inst_encode(run.k->p, &i, out, &err) != XK_OK)
            complain(EXPANDS, "instruction %u: %s", n, err.message);
        else if (f->n_b < (n + 1) * sizeof(out) ||
                 (i.jip_b == 0 && i.uip_b == 0 &&
                  memcmp(out, f->data + n * sizeof(out), sizeof(out)) != 0))
            complain(EXPANDS, "instruction %u has other bytes", n);
    }
}

static void violation(void *user, unsigned at, const struct xk_isa_violation *v)
{
    struct xk_str line;

    (void)user;
    xk_str_init(&line, NULL);
    xk_inst_print(run.k->p, &run.inst[at], &line);
    complain(VALID, "%s: %s\n#   %s", v->rule, v->why, xk_str_get(&line));
    xk_str_fini(&line);
}

static void check_kernel(const struct corpus_kernel *k)
{
    run.k = k;
    run.kernels[k->p->id]++;
    check_code(&k->bin, false);
    xk_program_validate(k->p, run.inst, run.n, violation, NULL);
    check_expansion();
    check_texts(k);
    check_code(&k->native, true);
}

/* The control: with one register number changed, these checks must complain. */
static bool notices(const struct corpus_kernel *k)
{
    enum { REGISTER_BYTE = 7 };
    static const enum check affected[] = {TEXT, LDST, ASM_IGA};
    unsigned before[N_CHECKS];
    bool all = true;

    memcpy(before, run.n_bad, sizeof(before));
    run.k = k;
    run.show = 0;
    k->bin.data[REGISTER_BYTE] ^= 1;
    check_texts(k);
    k->bin.data[REGISTER_BYTE] ^= 1;
    for (unsigned c = 0; c < XK_COUNTOF(affected); c++)
        all &= run.n_bad[affected[c]] > before[affected[c]];
    memcpy(run.n_bad, before, sizeof(before));
    return all;
}

static void print_counts(const struct corpus *c)
{
    printf("# %u kernels written, %u compiled, %u with different code\n",
           c->n_sources, c->n_lines, c->n);
    for (unsigned id = XK_PLATFORM_XELP; id <= XK_PLATFORM_XEHPC; id++)
        printf("# %s: %u kernels, %u instructions, %u of them compacted\n",
               xk_platform_get(id)->name, run.kernels[id], run.insts[id],
               run.compacted[id]);
}

int main(int argc, char **argv)
{
    const char *const show = getenv("XK_CORPUS_SHOW");
    struct corpus c;
    unsigned failed = 0;

    if (argc != 3 || !corpus_read(argv[1], &c) || c.n == 0) {
        printf("Bail out! no corpus\n");
        return 2;
    }
    run.show = show ? (unsigned)atoi(show) : 8;
    run.ctx = xk_ctx_create(NULL);
    run.seen = coverage_create();
    for (unsigned k = 0; k < c.n; k++)
        check_kernel(&c.kernel[k]);
    print_counts(&c);
    printf("1..%d\n", N_CHECKS + 2);
    for (unsigned k = 0; k < N_CHECKS; k++) {
        printf("%sok %u - %s", run.n_bad[k] ? "not " : "", k + 1, titles[k]);
        printf(run.n_bad[k] ? " (%u differences)\n" : "\n", run.n_bad[k]);
        failed += run.n_bad[k] != 0;
    }
    const unsigned bad = coverage_check(run.seen, argv[2], 5 * run.show);
    printf("%sok %d - all of the tables occurs or has an excuse\n",
           bad ? "not " : "", N_CHECKS + 1);
    const bool control = notices(&c.kernel[0]);
    printf("%sok %d - a spoiled kernel is noticed\n", control ? "" : "not ",
           N_CHECKS + 2);
    coverage_destroy(run.seen);
    xk_ctx_destroy(run.ctx);
    free(run.inst);
    corpus_fini(&c);
    return failed || bad || !control;
}
