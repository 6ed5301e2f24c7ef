/* SPDX-License-Identifier: Apache-2.0 */
/* The ordering: blocks by hand with the order that must come out, and random
 * blocks, which must leave the same registers behind and, annotated, no pair of
 * instructions that may overtake each other (tests/scoreboard/hazard.h, which
 * knows nothing of codegen/). */
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/order_graph.h"
#include "order_text.h"
#include "tests/scoreboard/hazard.h"
#include "tests/sim/lab.h"

#define LP "xelp"
#define HPG "xehpg"
#define HPC "xehpc"
#define ADD(d, a, b) "(W) add (8|M0) " d "<1>:f " a "<1;1,0>:f " b "<1;1,0>:f\n"
#define ADDI(d, a, b)                                                          \
    "(W) add (8|M0) " d "<1>:d " a "<1;1,0>:d " b "<1;1,0>:d\n"
#define CMP(a) "(W) cmp (8|M0) (lt)f0.0 null<1>:d " a "<1;1,0>:d 5:d\n"
#define SEL(d, a) "(W&f0.0) sel (8|M0) " d "<1>:d " a "<1;1,0>:d 0:d\n"
#define XOR(d, a) "(W) xor (1|M0) " d "<1>:d " a "<0;1,0>:d 5:d\n"
#define LOAD(d, a) "(W) send.ugm (8|M0) " d " " a " null:0 0x0 0x02100500\n"
#define STORE(a, v) "(W) send.ugm (8|M0) null " a " " v ":1 0x0 0x02000504\n"
#define SLM_STORE(a, v)                                                        \
    "(W) send.slm (8|M0) null " a " " v ":1 0x0 0x02000504\n"
#define FENCE(d) "(W) send.slm (1|M0) " d " r0 null:0 0x0 0x0210011F\n"
#define SIGNAL(a) "(W) send.gtwy (1|M0) null " a " null:0 0x0 0x02000004\n"
#define BAR "sync.bar null\n"
#define DPAS(d, b, a) "dpas.8x8 (8|M0) " d ":f " d ":f " b ":hf " a ":hf\n"
/* The second waits for the first. */
#define PAIR ADD("r10", "r1", "r2") ADD("r11", "r10", "r3")
#define MODE "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw\n"
#define CSEL                                                                   \
    "(W) csel (4|M0) (eq)f0.0 r8.0<1>:w r8.0<1;1>:w r8.0<1;1>:w r8.0<1>:w\n"
#define BACK "(W&f1.0) jmpi top\n"

/* want: the instructions of the source, from 0, in the order that comes out. */
/* clang-format off */
static const struct {
    const char *name, *platform, *text, *want;
} rows[] = {
    {"work fills a wait", HPG, PAIR ADD("r12", "r4", "r5"), "021"},
    {"on xelp, too", LP, PAIR ADD("r12", "r4", "r5"), "021"},
    {"on xehpc, too", HPC, PAIR ADD("r12", "r4", "r5"), "021"},
    {"nothing to win, nothing moves", HPG,
     ADD("r10", "r1", "r2") ADD("r11", "r3", "r4") ADD("r12", "r5", "r6"), "012"},
    {"a chain stays", HPG, PAIR ADD("r12", "r11", "r5"), "012"},
    {"what is still to be read is not overwritten", HPG, PAIR ADD("r3", "r4", "r5"), "012"},
    {"what was read may be overwritten", HPG, PAIR ADD("r1", "r4", "r5"), "021"},
    {"two writes keep their order", HPG, PAIR ADD("r11", "r4", "r5"), "012"},
    {"a flag is waited for", HPG,
     CMP("r1") SEL("r10", "r2") ADD("r12", "r4", "r5"), "021"},
    {"a flag in use is not written", HPG,
     CMP("r1") SEL("r10", "r2") CMP("r4") SEL("r11", "r3"), "0123"},
    {"what comes first in the source fills a wait first", HPG,
     PAIR ADD("r13", "r5", "r6") ADD("r12", "r4", "r7"), "0231"},
    {"a load that waits for nothing goes first", HPG,
     PAIR ADD("r13", "r5", "r6") LOAD("r20", "r4") ADD("r12", "r20", "r11"), "30214"},
    {"a load's address comes before what it does not need", HPG,
     ADD("r13", "r5", "r6") ADD("r14", "r5", "r7") ADDI("r10", "r1", "r2") LOAD("r20", "r10"), "2013"},
    {"not across a barrier", HPG,
     ADD("r13", "r5", "r6") BAR ADDI("r10", "r1", "r2") LOAD("r20", "r10"), "0123"},
    {"not in a loop", HPG,
     "top:\n" ADD("r13", "r5", "r6") ADD("r14", "r5", "r7") ADDI("r10", "r1", "r2") LOAD("r20", "r10") BACK, "01234"},
    {"an address is free when its message has read it", HPG,
     LOAD("r20", "r4") ADDI("r10", "r1", "r2") LOAD("r21", "r10") ADDI("r4", "r5", "r6"), "0132"},
    {"messages keep their order", HPG,
     ADDI("r10", "r1", "r2") STORE("r10", "r3") LOAD("r20", "r4") ADD("r21", "r20", "r5"), "0123"},
    {"what waits for an answer passes no message before it", HPG,
     LOAD("r20", "r4") ADDI("r10", "r1", "r2") LOAD("r21", "r10") ADD("r22", "r20", "r5"), "0123"},
    {"nothing passes a barrier", HPG, PAIR BAR ADD("r12", "r4", "r5"), "0123"},
    {"nothing passes a signal", HPG, PAIR SIGNAL("r8") ADD("r12", "r4", "r5"), "0123"},
    {"nothing passes a fence", HPG,
     SLM_STORE("r8", "r9") PAIR FENCE("r7") ADD("r12", "r4", "r5"), "01234"},
    {"nothing passes a change of modes", HPG, PAIR MODE ADD("r12", "r4", "r5"), "0123"},
    {"what clears buffers of sources stays in front of the end", HPG,
     PAIR CSEL ADD("r12", "r4", "r5"), "0123"},
    {"nothing leaves its block", HPG,
     "top:\n" PAIR BACK ADD("r12", "r4", "r5"), "0123"},
    {"a loop's next round counts", HPG,
     "top:\n" ADD("r10", "r11", "r2") ADD("r11", "r10", "r3") ADD("r12", "r4", "r5") ADD("r13", "r4", "r5") BACK, "02314"},
    {"another part of a register may be overwritten", HPG,
     XOR("r10.0", "r1.0") XOR("r11.0", "r10.0") XOR("r10.1", "r4.0"), "021"},
    {"or read", HPG,
     XOR("r10.0", "r1.0") XOR("r11.0", "r10.0") XOR("r12.0", "r10.1"), "021"},
    {"the same part may not", HPG,
     XOR("r10.0", "r1.0") XOR("r11.0", "r10.0") XOR("r10.0", "r4.0"), "012"},
    {"all of a register waits for its parts", HPG,
     XOR("r10.0", "r1.0") XOR("r10.1", "r1.1") ADDI("r12", "r10", "r3") XOR("r13.0", "r4.0"), "0132"},
    {"a part waits for all of it", HPG,
     ADDI("r10", "r1", "r2") XOR("r12.0", "r10.3") XOR("r13.0", "r4.0"), "021"},
    {"an Atomic chain stays together", HPG,
     PAIR DPAS("r40", "r80", "r90") DPAS("r48", "r80", "r94") ADD("r12", "r4", "r5"), "02314"},
};
/* clang-format on */

START_TEST(a_block_comes_out_as_wanted)
{
    static struct ot_list was, is;
    char got[OT_MAX] = "";
    ot_parse(rows[_i].platform, rows[_i].text, &was);
    is = was;
    ot_order(&is);
    for (unsigned k = 0; k < is.n; k++) {
        is.in[k].atomic = false;
        for (unsigned i = 0; i < was.n; i++)
            if (memcmp(&is.in[k], &was.in[i], sizeof was.in[i]) == 0)
                got[k] = (char)('0' + i);
    }
    ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: %s, want %s",
                  rows[_i].name, got, rows[_i].want);
}
END_TEST

/* ---- random blocks ---- */

#define N_PROGRAMS 300
#define MAX_LINES 60

struct random {
    uint64_t state;
    const char *platform;
    char text[MAX_LINES * 128];
    size_t len;
};

static unsigned below(struct random *r, unsigned n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(r->state >> 33) % n;
}

#define SAY(r, ...)                                                            \
    ((r)->len += (size_t)snprintf((r)->text + (r)->len,                        \
                                  sizeof(r)->text - (r)->len, __VA_ARGS__))

/* Few registers, so that most instructions depend on each other; some in parts
 * of registers, under flags, or through the accumulator. */
static void random_line(struct random *r)
{
    const unsigned d = 10 + below(r, 12), a = 10 + below(r, 12),
                   b = 10 + below(r, 12), f = below(r, 2);
    switch (below(r, 11)) {
    case 0:
        SAY(r, "(W) add (8|M0) r%u<1>:d r%u<1;1,0>:d r%u<1;1,0>:d\n", d, a, b);
        break;
    case 1:
        SAY(r, "(W) mul (8|M0) r%u<1>:f r%u<1;1,0>:f r%u<1;1,0>:f\n", d, a, b);
        break;
    case 2:
        SAY(r, "(W) mad (8|M0) r%u<1>:f r%u<1;0>:f r%u<1;0>:f r%u<1>:f\n", d, a,
            b, d);
        break;
    case 3:
        SAY(r, "(W) cmp (8|M0) (lt)f0.%u null<1>:d r%u<1;1,0>:d r%u<1;1,0>:d\n",
            f, a, b);
        break;
    case 4:
        SAY(r, "(W&f0.%u) sel (8|M0) r%u<1>:d r%u<1;1,0>:d r%u<1;1,0>:d\n", f,
            d, a, b);
        break;
    case 5:
        SAY(r, "(W&~f0.%u) mov (8|M0) r%u<1>:ud r%u<1;1,0>:ud\n", f, d, a);
        break;
    case 6:
        SAY(r, "(W) xor (1|M0) r%u.%u<1>:ud r%u.%u<0;1,0>:ud 0x%x:ud\n", d,
            below(r, 8), a, below(r, 8), below(r, 100000));
        break;
    case 7:
        SAY(r, "(W) math.inv (8|M0) r%u<1>:f r%u<1;1,0>:f\n", d, a);
        break;
    case 8:
        SAY(r, "(W) mul (8|M0) acc0<1>:f r%u<1;1,0>:f r%u<1;1,0>:f\n", a, b);
        break;
    case 9:
        SAY(r, "(W) add (8|M0) r%u<1>:f acc0<1;1,0>:f r%u<1;1,0>:f\n", d, a);
        break;
    default:
        SAY(r, "(W) mov (16|M0) r%u<1>:uw r%u<1;1,0>:uw\n", d, a);
        break;
    }
}

static void random_program(struct random *r, unsigned seed)
{
    r->state = seed * 977u + 12345u;
    r->platform = lab_platforms[seed % 3];
    r->len = 0;
    for (unsigned n = 3 + below(r, MAX_LINES - 4); n > 0; n--)
        random_line(r);
    SAY(r, "nop\n");
}

/* All registers and flags after the text, from fixed ones. */
static uint8_t *run(const struct random *r, const char *text, size_t *n_b)
{
    struct lab *const x = lab_open(r->platform, text);
    lab_start(x, 1, 0x4c0);
    *n_b = sizeof x->t[0].rf;
    for (unsigned reg = 0; reg < 32; reg++)
        for (unsigned k = 0; k < x->k->grf_b / 4; k++) {
            const float v = (float)(reg + 1) * 0.37f - (float)k * 1.25f;
            memcpy(lab_reg(x, reg) + 4 * k, &v, 4);
        }
    lab_run_ok(x);
    uint8_t *const all = malloc(*n_b);
    memcpy(all, x->t[0].rf, *n_b);
    lab_close(x);
    return all;
}

static uint64_t gaps_in(const struct ot_list *l)
{
    struct hz_program g = {.is_ours = true};
    struct hz_result h = {.first = 0};
    ck_assert(hz_program_make(&g, l->p, l->in, l->n));
    g.is_ours = true;
    hz_enumerate(&g, &h);
    hz_program_free(&g);
    return h.gaps;
}

START_TEST(random_blocks_leave_the_same_registers)
{
    static struct random r;
    static struct ot_list l, out;
    unsigned changed = 0, saved = 0;
    for (unsigned seed = 0; seed < N_PROGRAMS; seed++) {
        size_t n_b;
        random_program(&r, seed);
        ot_parse(r.platform, r.text, &l);
        const struct xk_order_stats s = ot_order(&l);
        ck_assert_uint_le(s.after_cyc, s.before_cyc);
        changed += s.changed;
        saved += s.before_cyc - s.after_cyc;
        char *const text = ot_annotated(&l, &out);
        uint8_t *const want = run(&r, r.text, &n_b);
        uint8_t *const got = run(&r, text, &n_b);
        ck_assert_msg(memcmp(want, got, n_b) == 0, "seed %u, %s:\n%s\n%s", seed,
                      r.platform, r.text, text);
        ck_assert_msg(gaps_in(&out) == 0, "seed %u, %s: a gap in\n%s", seed,
                      r.platform, text);
        free(text);
        free(want);
        free(got);
    }
    ck_assert_uint_gt(changed, N_PROGRAMS / 2);
    ck_assert_uint_gt(saved, N_PROGRAMS);
}
END_TEST

START_TEST(the_same_text_gives_the_same_order)
{
    static struct random r;
    static struct ot_list a, b;
    for (unsigned seed = 0; seed < 20; seed++) {
        random_program(&r, seed);
        ot_parse(r.platform, r.text, &a);
        ot_parse(r.platform, r.text, &b);
        ot_order(&a);
        ot_order(&b);
        ck_assert_mem_eq(a.in, b.in, a.n * sizeof a.in[0]);
    }
}
END_TEST

/* Syncs in a program, of those how many behind `top`. */
static unsigned syncs_in(const char *text, const char **first)
{
    unsigned n = 0;
    *first = NULL;
    for (const char *at = strstr(text, "sync.nop"); at;
         at = strstr(at + 1, "sync.nop")) {
        *first = *first ? *first : at;
        n++;
    }
    return n;
}

#define FILL(d) "(W) mov (8|M0) " d "<1>:f 0:f\n"
#define AGAIN "(W&f1.0) jmpi top\n"

/* A dpas cannot carry what it waits for in another pipe. */
START_TEST(a_loop_does_not_wait_for_what_was_before_it)
{
    static struct ot_list l, out;
    static const struct {
        const char *text;
        unsigned want; /* syncs in front of the first dpas */
    } it[] = {
        {FILL("r40") "top:\n" DPAS("r40", "r80", "r90") AGAIN "nop\n", 1},
        {FILL("r40") "jmpi in\ntop:\n" ADD("r10", "r1", "r2") "in:\n" DPAS(
             "r40", "r80", "r90") AGAIN "nop\n",
         0},
    };
    for (unsigned i = 0; i < 2; i++) {
        const char *sync;
        ot_parse(HPG, it[i].text, &l);
        char *const text = ot_annotated(&l, &out);
        ck_assert_uint_eq(syncs_in(text, &sync), it[i].want);
        for (unsigned k = 0; k < out.n; k++)
            if (out.in[k].op == XK_OPC_JMPI && out.in[k].pred)
                ck_assert_int_eq(out.in[out.in[k].jip_b].op,
                                 i ? XK_OPC_ADD : XK_OPC_DPAS);
        ck_assert_uint_eq(gaps_in(&out), 0);
        free(text);
    }
}
END_TEST

/* How often the graph's lists were gone one further for a block in which so
 * many instructions read a dword of a register and as many write its neighbour.
 */
static uint32_t steps_of(unsigned n)
{
    static struct ot_list l;
    struct xk_str text;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_str_init(&text, NULL);
    for (unsigned k = 0; k < n; k++)
        xk_str_puts(&text, "(W) mov (1|M0) r10.0<1>:d r2.0<0;1,0>:d\n"
                           "(W) mov (1|M0) r2.1<1>:d 5:d\n");
    ot_parse(HPG, xk_str_get(&text), &l);
    struct xk_sb_access *const a = xk_sb_accesses(c, l.p, l.in, l.n);
    struct xk_order_graph *const g = xk_calloc(c, 1, sizeof *g);
    ck_assert(a && g);
    *g = (struct xk_order_graph){
        .c = c, .p = l.p, .costs = xk_cg_costs_get(l.p)};
    ck_assert_int_eq(xk_order_graph_init(g, l.n), XK_OK);
    ck_assert_int_eq(xk_order_graph_build(g, l.in, a, l.n, false), XK_OK);
    const uint32_t steps = g->steps;
    xk_order_graph_fini(g);
    xk_free(c, g);
    xk_free(c, a);
    xk_str_fini(&text);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
    return steps;
}

/* Addresses and counters share a register: thousands of reads of one were
 * looked at for each write of another, up to half of a creation. */
START_TEST(a_graph_is_linear_in_the_number_of_reads)
{
    const uint32_t one = steps_of(50), four = steps_of(200);
    ck_assert_uint_ge(one, 50);
    ck_assert_msg(four <= 5 * one, "%u steps, then %u", one, four);
}
END_TEST

/* Allocators that fail at the n-th call. */
static void *failing(void *user, void *p, size_t n_b)
{
    unsigned *const left = user;
    if (n_b == 0) {
        free(p);
        return NULL;
    }
    if (*left == 0)
        return NULL;
    --*left;
    return realloc(p, n_b);
}

START_TEST(an_allocation_that_fails_is_reported)
{
    static struct random r;
    static struct ot_list l;
    random_program(&r, 1);
    ot_parse(r.platform, r.text, &l);
    struct xk_sb_access access[OT_MAX];
    for (unsigned i = 0; i < l.n; i++)
        xk_sb_access_of(l.p, &l.in[i], &access[i]);
    enum xk_status st = XK_ENOMEM;
    unsigned n = 0;
    for (; st != XK_OK; n++) {
        unsigned left = 1000;
        const struct xk_alloc alloc = {failing, &left};
        xk_ctx *const c = xk_ctx_create(&alloc);
        left = n;
        st = xk_order(c, l.p, l.in, access, l.n, NULL);
        ck_assert_int_eq(st, left == 0 && st != XK_OK ? XK_ENOMEM : XK_OK);
        left = 0;
        xk_ctx_destroy(c);
        ck_assert_uint_lt(n, 100);
    }
    ck_assert_uint_gt(n, 5);
}
END_TEST

TCase *cg_bank_tests(void);

int main(void)
{
    Suite *const s = suite_create("order");
    TCase *const t = tcase_create("order");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_block_comes_out_as_wanted, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    tcase_add_test(t, random_blocks_leave_the_same_registers);
    tcase_add_test(t, the_same_text_gives_the_same_order);
    tcase_add_test(t, a_loop_does_not_wait_for_what_was_before_it);
    tcase_add_test(t, a_graph_is_linear_in_the_number_of_reads);
    tcase_add_test(t, an_allocation_that_fails_is_reported);
    suite_add_tcase(s, t);
    suite_add_tcase(s, cg_bank_tests());
    return xk_tap_run(s);
}
