/* SPDX-License-Identifier: Apache-2.0 */
/* bench_isa: instructions a second through encoder, decoder, validator and
 * printer, on a kernel that ocloc compiles now and on random instructions; and
 * the time to disassemble 60 KB, next to iga64 on the same file. One core, best
 * of several rounds. Random instructions only where ocloc is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/ctx.h"
#include "isa/disasm.h"
#include "tests/isa/iga.h"
#include "tests/isa/random_inst.h"

#ifndef XK_TEST_DIR
#define XK_TEST_DIR "."
#endif
#define MAX_INSTS 65536
#define ROUNDS 15
#define FILE_B (60 * 1024)

/* Native code and its records. */
struct program {
    const struct xk_platform *p;
    unsigned n;
    struct xk_inst *inst;
    uint8_t *bytes;
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_encode(const struct program *g)
{
    uint8_t out[XK_INST_B];
    struct xk_error err;

    for (unsigned k = 0; k < g->n; k++)
        xk_inst_encode(g->p, &g->inst[k], out, &err);
}

static void run_decode(const struct program *g)
{
    struct xk_inst i;
    struct xk_error err;
    size_t used_b;

    for (unsigned k = 0; k < g->n; k++)
        xk_inst_decode(g->p, g->bytes + k * XK_INST_B, XK_INST_B, &i, &used_b,
                       &err);
}

static void run_validate(const struct program *g)
{
    struct xk_isa_violation v[4];

    for (unsigned k = 0; k < g->n; k++)
        xk_inst_validate(g->p, &g->inst[k], v, XK_COUNTOF(v));
}

static void run_print(const struct program *g)
{
    struct xk_str text;

    xk_str_init(&text, NULL);
    for (unsigned k = 0; k < g->n; k++) {
        xk_str_clear(&text);
        xk_inst_print(g->p, &g->inst[k], &text);
    }
    xk_str_fini(&text);
}

/* Million instructions a second, the best round. */
static double rate(const struct program *g, void (*run)(const struct program *))
{
    double best = 0;

    for (unsigned k = 0; k < ROUNDS; k++) {
        const double start = now_s();
        double r;

        run(g);
        r = g->n / (now_s() - start) * 1e-6;
        best = r > best ? r : best;
    }
    return best;
}

static void report(const struct program *g, const char *what)
{
    printf("%-6s %-9s %6u  encode %6.2f  decode %6.2f  validate %6.2f  print "
           "%6.2f\n",
           g->p->name, what, g->n, rate(g, run_encode), rate(g, run_decode),
           rate(g, run_validate), rate(g, run_print));
}

static bool program_init(struct program *g, const struct xk_platform *p)
{
    g->p = p;
    g->n = 0;
    g->inst = calloc(MAX_INSTS, sizeof(*g->inst));
    g->bytes = calloc(MAX_INSTS, XK_INST_B);
    return g->inst && g->bytes;
}

static void program_fini(struct program *g)
{
    free(g->inst);
    free(g->bytes);
}

static void random_program(struct program *g)
{
    struct rng r = {rng_seed()};

    for (g->n = 0; g->n < MAX_INSTS / 4; g->n++) {
        struct xk_inst *const i = &g->inst[g->n];

        random_inst(g->p, &r, random_opcode(g->p, &r), i);
        xk_inst_encode(g->p, i, g->bytes + g->n * XK_INST_B, NULL);
    }
}

static uint64_t load(const uint8_t *in, unsigned n_b)
{
    uint64_t v = 0;

    for (unsigned k = 0; k < n_b; k++)
        v |= (uint64_t)in[k] << 8 * k;
    return v;
}

/* Appends the instructions of a section, as native ones. */
static void add_code(struct program *g, const uint8_t *code, size_t n_b)
{
    size_t at = 0, used_b = 0;

    for (; at < n_b && g->n < MAX_INSTS; at += used_b) {
        struct xk_inst *const i = &g->inst[g->n];

        if (xk_inst_decode(g->p, code + at, n_b - at, i, &used_b, NULL) < 0 &&
            !used_b)
            return;
        i->compacted = false;
        if (xk_inst_encode(g->p, i, g->bytes + g->n * XK_INST_B, NULL) == XK_OK)
            g->n++;
    }
}

/* Executable sections of an ELF file that ocloc has just written. */
static void add_elf(struct program *g, const uint8_t *elf, size_t n_b)
{
    const uint64_t headers = load(elf + 40, 8), count = load(elf + 60, 2);

    for (uint64_t k = 0; headers + (k + 1) * 64 <= n_b && k < count; k++) {
        const uint8_t *const h = elf + headers + k * 64;

        if (load(h + 8, 8) & 4)
            add_code(g, elf + load(h + 24, 8), load(h + 32, 8));
    }
}

static bool compiled_program(struct program *g, const char *device,
                             const char *source)
{
    char dir[] = "/tmp/xk_bench_XXXXXX", path[64], cmd[600];
    char *elf = NULL;
    size_t n_b;

    if (!mkdtemp(dir))
        return false;
    snprintf(path, sizeof(path), "%s/k", dir);
    snprintf(cmd, sizeof(cmd),
             "ocloc compile -file %s -device %s --format zebin -output k "
             "-out_dir %s -output_no_suffix -options -cl-std=CL2.0 "
             "> /dev/null 2>&1",
             source, device, dir);
    if (system(cmd) == 0 && (elf = iga_read_file(path, &n_b)) != NULL)
        add_elf(g, (const uint8_t *)elf, n_b);
    free(elf);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    return system(cmd) == 0 && g->n > 0;
}

/* Our disassembly of the code in this process, ms. */
static double ours_ms(const struct program *g, size_t n_b)
{
    const struct xk_disasm_opts o = {0};
    double best = 1e9;

    for (unsigned k = 0; k < ROUNDS; k++) {
        xk_ctx *const c = xk_ctx_create(NULL);
        const double start = now_s();
        struct xk_str text;
        double ms;

        xk_str_init(&text, NULL);
        xk_disassemble_code(c, g->p, g->bytes, n_b, &o, &text);
        ms = 1e3 * (now_s() - start);
        best = ms < best ? ms : best;
        xk_str_fini(&text);
        xk_ctx_destroy(c);
    }
    return best;
}

/* The process iga64 -d on the same bytes, ms. */
static double iga_ms(const struct program *g, size_t n_b)
{
    double best = 1e9;

    for (unsigned k = 0; k < 5; k++) {
        const double start = now_s();
        struct iga_lines lines;
        double ms;

        if (!iga_disassemble(g->p, g->bytes, n_b, false, &lines))
            return 0;
        ms = 1e3 * (now_s() - start);
        best = ms < best ? ms : best;
        iga_lines_fini(&lines);
    }
    return best;
}

static void report_disassembly(struct program *g)
{
    const unsigned want = FILE_B / XK_INST_B, have = g->n;
    double ours, iga;

    for (; g->n < want; g->n++)
        memcpy(g->bytes + g->n * XK_INST_B, g->bytes + g->n % have * XK_INST_B,
               XK_INST_B);
    ours = ours_ms(g, FILE_B);
    printf("%-6s disassembly of %d KB: ours %.2f ms", g->p->name, FILE_B / 1024,
           ours);
    g->n = have;
    if (iga_available() && (iga = iga_ms(g, FILE_B)) > 0)
        printf(", iga64 %.2f ms, ratio %.1f", iga, iga / ours);
    printf("\n");
}

int main(void)
{
    static const struct {
        const char *platform, *device;
    } rows[] = {{"xelp", "tgllp"}, {"xehpg", "dg2"}, {"xehpc", "pvc"}};
    const char *const source = XK_TEST_DIR "/../opencl/control.cl";
    const bool ocloc = system("ocloc query --help > /dev/null 2>&1") == 0;

    printf("million instructions a second on one core, best of %d rounds\n",
           ROUNDS);
    if (!ocloc)
        printf("ocloc is not installed: no compiled kernels\n");
    for (unsigned k = 0; k < XK_COUNTOF(rows); k++) {
        struct program g;

        if (!program_init(&g, xk_platform_find(rows[k].platform)))
            return EXIT_FAILURE;
        if (ocloc && compiled_program(&g, rows[k].device, source)) {
            report(&g, "compiled");
            report_disassembly(&g);
        }
        random_program(&g);
        report(&g, "random");
        program_fini(&g);
    }
    return EXIT_SUCCESS;
}
