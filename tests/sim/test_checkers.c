/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of finding on its own: a small kernel that does one thing wrong and
 * its twin that does it right, with all checkers on. A line that begins with !
 * is the instruction that must be named first, one with ? the other party; a
 * line with - is left out of the wrong kernel, one with + out of its twin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm.h"
#include "isa/message.h"
#include "sim/sim.h"
#include "tests/tap.h"

#define VA UINT64_C(0x123400000)
#define BUFFER_B 256u
#define FREED_VA (VA + 0x2000)
#define TENSOR_VA (VA + 0x4000)
#define TENSOR_B 64u
#define SMALL_VA (VA + 0x6000)
#define SMALL_B 12u
#define SURFACE_B 128u /* of the tensor: longer than it */

/* r10: the buffer's address and one of a dword for each thread */
#define BEGIN                                                                  \
    "(W) mov (4|M0) r10.0<1>:ud r1.0<1;1,0>:ud\n"                              \
    "(W) and (1|M0) r2.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud {I@1}\n"                 \
    "(W) shl (1|M0) r3.0<1>:ud r2.0<0;1,0>:ud 0x2:ud {I@1}\n"                  \
    "(W) mov (8|M0) r4.0<1>:ud 0x0:ud {I@1}\n"                                 \
    "(W) mov (8|M0) r30.0<1>:ud 0x7:ud {I@1}\n"
/* Own dword of the buffer. */
#define OWN "(W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d r3.0<0;1,0>:d {I@1}\n"
#define STORE(reg)                                                             \
    "(W) send.ugm (1|M0) null r10 " reg ":1 0x0 0x02008584 {A@1,$1}\n"
#define EOT                                                                    \
    "sync.allrd null\nsync.allwr null\n"                                       \
    "(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud {I@1}\n"                       \
    "(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT,I@1}\n"
#define FENCE                                                                  \
    "-(W) send.slm (1|M0) r40 r0 null:0 0x0 0x0210011F {$4}\n"                 \
    "-sync.nop null {$4.dst}\n"
#define SIGNAL "(W) send.gtwy (1|M0) null r4 null:0 0x0 0x02000004 {A@1,$3}\n"
#define BARRIER SIGNAL "sync.bar null\n"

/* Both threads store, signal, wait, store the next, fence, signal, and only
 * then the one whose number is `who` looks at what the other one stored first;
 * the fence of that is what is left out. */
#define STORE_SLM(at, sbid)                                                    \
    "(W) send.slm (1|M0) null " at " r30:1 0x0 0x02008504 {A@1," sbid "}\n"    \
    "sync.allrd null\n"
#define PIPELINE(who)                                                          \
    BEGIN "(W) mov (1|M0) r4.2<1>:ud 0x02020000:ud {I@1}\n"                    \
          "(W) xor (1|M0) r5.0<1>:ud r3.0<0;1,0>:ud 0x4:ud {I@1}\n"            \
          "(W) add (1|M0) r6.0<1>:ud r3.0<0;1,0>:ud 0x10:ud {I@1}\n"           \
          "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r2.0<0;1,0>:ud " who             \
          ":ud {I@1}\n"                                                        \
          "?" STORE_SLM("r3", "$1") FENCE SIGNAL "sync.bar null\n" STORE_SLM(  \
              "r6",                                                            \
              "$5") "(W) send.slm (1|M0) r41 r0 null:0 0x0 0x0210011F {$6}\n"  \
                    "sync.nop null {$6.dst}\n" SIGNAL                          \
                    "!(W&f0.0) send.slm (1|M0) r20 r5 null:0 0x0 0x02108500 "  \
                    "{A@1,$2}\n"                                               \
                    "sync.nop null {$2.dst}\n"                                 \
                    "sync.bar null\n" EOT
/* r60 to r63 are the thread's half of src2, of which thread `who` does not
 * write the second half; looks: who stores the row that comes from there, ~f0.0
 * being that thread, f0.0 the other one. */
#define PAIR_SRC2(who, looks, row)                                             \
    BEGIN OWN "(W) cmp (16|M0) (ne)f0.0 null<1>:ud r2.0<0;1,0>:ud " who        \
              ":ud {I@1}\n"                                                    \
              "(W) mov (16|M0) r50.0<1>:ud 0x0:ud\n"                           \
              "(W) mov (16|M0) r52.0<1>:ud 0x0:ud\n"                           \
              "(W) mov (16|M0) r54.0<1>:ud 0x0:ud\n"                           \
              "(W) mov (16|M0) r56.0<1>:ud 0x0:ud\n"                           \
              "(W) mov (16|M0) r60.0<1>:ud 0x0:ud\n"                           \
              "-(W) mov (16|M0) r62.0<1>:ud 0x0:ud\n"                          \
              "+(W&f0.0) mov (16|M0) r62.0<1>:ud 0x0:ud {I@1}\n"               \
              "sync.nop null {A@1}\n"                                          \
              "dpasw.8x8 (8|M0) r40:f null:f r50:hf r60:hf {$5}\n"             \
              "sync.nop null {$5.dst}\n"                                       \
              "!(W&" looks ") send.ugm (1|M0) null r10 " row                   \
              ":1 0x0 0x02008584 "                                             \
              "{A@1,$1}\n" EOT

struct row {
    const char *name, *text;
    uint32_t check;
    const char *what, *why;   /* parts of the finding */
    uint32_t threads, groups; /* 0: 1 */
};
/* A pair of threads goes one way on this platform: rows that part threads part
 * pairs. */

static const struct row rows[] = {
    {"outside every buffer",
     BEGIN "+(W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d 0x100:d {I@1}\n"
           "!(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x02108580 {A@1,$1}\n" EOT,
     XK_CHECK_MEM, "", "past the end of", 0, 0},
    {"between a tensor's end and its surface's end",
     BEGIN "(W) mov (1|M0) r10.0<1>:ud 0x3c:ud {I@1}\n"
           "+(W) mov (1|M0) r10.0<1>:ud 0x40:ud {I@1}\n"
           "!(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x62108500 {A@1,$1}\n" EOT,
     XK_CHECK_MEM, "", "past the end of", 0, 0},
    {"beyond the surface, but before XK_OFF_NULL",
     BEGIN "(W) mov (1|M0) r10.0<1>:ud 0xf0000040:ud {I@1}\n"
           "+(W) mov (1|M0) r10.0<1>:ud 0xeffffffc:ud {I@1}\n"
           "!(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x62108500 {A@1,$1}\n" EOT,
     XK_CHECK_MEM, "surface", "beyond the end of its surface", 0, 0},
    {"a store just beyond its surface",
     BEGIN "(W) mov (1|M0) r10.0<1>:ud 0xf0000000:ud {I@1}\n"
           "+(W) mov (1|M0) r10.0<1>:ud 0x80:ud {I@1}\n"
           "!(W) send.ugm (1|M0) null r10 r30:1 0x0 0x62008504 {A@1,$1}\n" EOT,
     XK_CHECK_MEM, "surface", "beyond the end of its surface", 0, 0},
    {"misaligned",
     BEGIN "+(W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d 0x2:d {I@1}\n"
           "!(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x02108580 {A@1,$1}\n" EOT,
     XK_CHECK_MEM, "", "not a multiple of 4", 0, 0},
    {"freed buffer",
     BEGIN "+(W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d 0x2000:d {I@1}\n"
           "!(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x02108580 {A@1,$1}\n" EOT,
     XK_CHECK_MEM, "", "freed", 0, 0},
    {"SLM race",
     BEGIN "+(W) mov (1|M0) r3.0<1>:ud 0x0:ud {I@1}\n"
           "(W) mov (1|M0) r30.0<1>:ud r2.0<0;1,0>:ud {I@1}\n"
           "!?(W) send.slm (1|M0) null r3 r30:1 0x0 0x02008504 {A@1,$1}\n" EOT,
     XK_CHECK_RACE, "SLM", "", 2, 0},
    {"race in global memory, in a group",
     BEGIN "-" OWN "(W) mov (1|M0) r30.0<1>:ud r2.0<0;1,0>:ud {I@1}\n"
           "!?" STORE("r30") EOT,
     XK_CHECK_RACE, "memory", "", 2, 0},
    {"race in global memory, between groups",
     BEGIN "(W) shl (1|M0) r3.0<1>:ud r0.1<0;1,0>:ud 0x2:ud {I@1}\n"
           "-" OWN "(W) mov (1|M0) r30.0<1>:ud r0.1<0;1,0>:ud {I@1}\n"
           "!?" STORE("r30") EOT,
     XK_CHECK_RACE, "memory", "", 1, 2},
    {"uninitialised register",
     BEGIN "-(W) mov (1|M0) r50.0<1>:ud 0x1:ud {I@1}\n"
           "!" STORE("r50") EOT,
     XK_CHECK_INIT, "r50", "", 0, 0},
    {"an accumulator written at another place than the destination's",
     BEGIN
     "(W) mov (8|M0) r50.0<1>:ud 0x3:ud {I@1}\n"
     "+(W) mul (1|M0) acc0.0<1>:ud r50.0<0;1,0>:ud r30.0<0;1,0>:uw {I@1}\n"
     "-(W) mul (1|M0) acc0.6<1>:ud r50.0<0;1,0>:ud r30.0<0;1,0>:uw {I@1}\n"
     "(W) mach (1|M0) r50.6<1>:ud r50.0<0;1,0>:ud r30.0<0;1,0>:ud "
     "{AccWrEn,I@1}\n"
     "(W) mov (1|M0) r51.0<1>:ud r50.6<0;1,0>:ud {I@1}\n"
     "!" STORE("r51") EOT,
     XK_CHECK_INIT, "r51", "", 0, 0},
    {"what a flag masks of an A64 block",
     BEGIN "-(W) mov (1|M0) f0.0<1>:ud 0xFFFF:ud {I@1}\n"
           "+(W) mov (1|M0) f0.0<1>:ud 0xFFFE:ud {I@1}\n"
           "(W&f0.0) send.dc1 (16|M0) r50 r10 null:0 0x0 0x022D03FF {A@1,$2}\n"
           "sync.nop null {$2.dst}\n"
           "!" STORE("r50") EOT,
     XK_CHECK_INIT, "r50", "", 0, 0},
    {"uninitialised flag of a message",
     BEGIN
     "-(W) mov (1|M0) f0.0<1>:uw 0x1:uw {I@1}\n"
     "!(W&f0.0) send.ugm (1|M0) null r10 r30:1 0x0 0x02008584 {A@1,$1}\n" EOT,
     XK_CHECK_INIT, "f0.0", "the message's predicate", 0, 0},
    {"uninitialised flag of a branch",
     BEGIN "-(W) mov (1|M0) f0.0<1>:uw 0x0:uw {I@1}\n"
           "!(W&f0.0) jmpi (1|M0) out {I@1}\n"
           "out:\n" EOT,
     XK_CHECK_INIT, "f0.0", "", 0, 0},
    /* what such an instruction writes is as undefined; the store is told */
    {"a branch by a flag that only some of its channels wrote",
     BEGIN "(W) mov (1|M0) f1.0<1>:uw 0xFF:uw {I@1}\n"
           "(f1.0) if (16|M0) e1 e1 {I@1}\n"
           "cmp (16|M0) (eq)f0.0 null<1>:ud r30.0<0;1,0>:ud 0x7:uw {I@1}\n"
           "-(f0.0) if (16|M0) e0 e0 {I@1}\n"
           "-e0:\n-endif (16|M0) e1\n"
           "e1:\nendif (16|M0) e2\ne2:\n"
           "+!(f0.0) if (16|M0) e3 e3 {I@1}\n"
           "+e3:\n+endif (16|M0) e4\n+e4:\n" EOT,
     XK_CHECK_INIT, "f0.0", "", 0, 0},
    {"uninitialised flag, on its way to memory",
     BEGIN "-(W) mov (1|M0) f0.0<1>:uw 0x1:uw {I@1}\n"
           "(W&f0.0) mov (1|M0) r30.0<1>:ud 0x1:ud {I@1}\n"
           "!" STORE("r30") EOT,
     XK_CHECK_INIT, "r30", "what is stored", 0, 0},
    {"uninitialised accumulator",
     BEGIN "-(W) mov (8|M0) acc0.0<1>:d 0x1:d {I@1}\n"
           "(W) mov (8|M0) r51.0<1>:d acc0.0<8;8,1>:d {I@1}\n"
           "!" STORE("r51") EOT,
     XK_CHECK_INIT, "r51", "what is stored", 0, 0},
    {"uninitialised byte of scratch",
     BEGIN "-(W) send.dc0 (8|M0) null r0 r30:1 0x0 0x020E0000 {A@1,$1}\n"
           "-sync.allrd null\n"
           "(W) send.dc0 (8|M0) r20 r0 null:0 0x0 0x021C0000 {A@1,$2}\n"
           "sync.nop null {$2.dst}\n"
           "!" STORE("r20") EOT,
     XK_CHECK_INIT, "r20", "what is stored", 0, 0},
    {"uninitialised byte of SLM",
     BEGIN "-(W) send.slm (1|M0) null r3 r30:1 0x0 0x02008504 {A@1,$1}\n"
           "-sync.allrd null\n"
           "(W) send.slm (1|M0) r20 r3 null:0 0x0 0x02108500 {A@1,$2}\n"
           "sync.nop null {$2.dst}\n"
           "!" STORE("r20") EOT,
     XK_CHECK_INIT, "", "", 0, 0},
    {"barrier that two threads do not reach",
     BEGIN "(W) mov (1|M0) r4.2<1>:ud 0x04040000:ud {I@1}\n"
           "+(W) cmp (1|M0) (lt)f0.0 null<1>:ud r2.0<0;1,0>:ud 0x2:ud {I@1}\n"
           "+(W&f0.0) jmpi (1|M0) out {I@1}\n" SIGNAL "!sync.bar null\n"
           "out:\n" EOT,
     XK_CHECK_SYNC, "", "waits for a barrier", 4, 0},
    {"wrong count of threads",
     BEGIN "(W) mov (1|M0) r4.2<1>:ud 0x02020000:ud {I@1}\n"
           "+(W) mov (1|M0) r4.2<1>:ud 0x03030000:ud {I@1}\n"
           "!" BARRIER EOT,
     XK_CHECK_SYNC, "", "the group has 2 threads", 2, 0},
    {"no fence before the barrier that publishes SLM",
     BEGIN "(W) mov (1|M0) r4.2<1>:ud 0x02020000:ud {I@1}\n"
           "?(W) send.slm (1|M0) null r3 r30:1 0x0 0x02008504 {A@1,$1}\n"
           "sync.allrd null\n" FENCE BARRIER
           "(W) xor (1|M0) r5.0<1>:ud r3.0<0;1,0>:ud 0x4:ud {I@1}\n"
           "!(W) send.slm (1|M0) r20 r5 null:0 0x0 0x02108500 {A@1,$2}\n"
           "sync.nop null {$2.dst}\n" EOT,
     XK_CHECK_SYNC, "SLM", "fence", 2, 0},
    {"neither a fence nor a load that SLM has answered",
     BEGIN "(W) mov (1|M0) r4.2<1>:ud 0x02020000:ud {I@1}\n"
           "?(W) send.slm (1|M0) null r3 r30:1 0x0 0x02008504 {A@1,$1}\n"
           "sync.allrd null\n"
           "-(W) send.slm (1|M0) r40 r3 null:0 0x0 0x02108500 {$4}\n"
           "-sync.nop null {$4.dst}\n" BARRIER
           "(W) xor (1|M0) r5.0<1>:ud r3.0<0;1,0>:ud 0x4:ud {I@1}\n"
           "!(W) send.slm (1|M0) r20 r5 null:0 0x0 0x02108500 {A@1,$2}\n"
           "sync.nop null {$2.dst}\n" EOT,
     XK_CHECK_SYNC, "SLM", "fence", 2, 0},
    {"no fence for this store, but for the next: thread 1 looks",
     PIPELINE("0x1"), XK_CHECK_SYNC, "SLM", "fence", 2, 0},
    {"no fence for this store, but for the next: thread 0 looks",
     PIPELINE("0x0"), XK_CHECK_SYNC, "SLM", "fence", 2, 0},
    {"uninitialised registers of the other thread's half of dpasw's src2",
     PAIR_SRC2("0x0", "f0.0", "r42"), XK_CHECK_INIT, "r42", "what is stored", 2,
     0},
    {"the same in the second half", PAIR_SRC2("0x1", "f0.0", "r46"),
     XK_CHECK_INIT, "r46", "what is stored", 2, 0},
    {"uninitialised registers of its own half of dpasw's src2",
     PAIR_SRC2("0x1", "~f0.0", "r47"), XK_CHECK_INIT, "r47", "what is stored",
     2, 0},
    {"a flag's bit that a constant decides is defined",
     BEGIN "+(W) or (1|M0) f0.0<1>:uw f0.0<0;1,0>:uw 0x2:uw {I@1}\n"
           "-(W) or (1|M0) f0.0<1>:uw f0.0<0;1,0>:uw 0x1:uw {I@1}\n"
           "!(W&f0.0) send.ugm (1|M0) null r10 r30:1 0x0 0x02008584 "
           "{A@1,$1}\n" EOT,
     XK_CHECK_INIT, "f0.0", "", 0, 0},
    {"uninitialised payload of the end",
     "-(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud {I@1}\n"
     "!(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT,A@1}\n",
     XK_CHECK_INIT, "r112", "the payload of the end", 0, 0},
    {"end of the thread with a load in flight",
     BEGIN "?(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x02108580 {A@1,$1}\n"
           "-sync.nop null {$1.dst}\n"
           "(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
           "!(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 "
           "{EOT,I@1}\n",
     XK_CHECK_PEDANTIC, "", "in flight", 0, 0},
    {"end of the thread before the barrier that it signalled",
     BEGIN "(W) mov (1|M0) r4.2<1>:ud 0x01010000:ud {I@1}\n" SIGNAL
           "-sync.bar null\n"
           "sync.allrd null\n"
           "(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
           "!(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 "
           "{EOT,I@1}\n",
     XK_CHECK_PEDANTIC, "", "between barrier and sync.bar", 0, 0},
    {"three dwords loaded as a block of four",
     BEGIN "(W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d 0x6000:uw {I@1}\n"
           "+!(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x0210B580 {A@1,$1}\n"
           "-(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x0210A580 {A@1,$1}\n"
           "sync.nop null {$1.dst}\n" EOT,
     XK_CHECK_PEDANTIC, "memory", "within the cache line", 0, 0},
    {"use of what a load has not delivered",
     BEGIN "?(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x02108580 {A@1,$1}\n"
           "-sync.nop null {$1.dst}\n"
           "!(W) mov (1|M0) r21.0<1>:ud r20.0<0;1,0>:ud\n" EOT,
     XK_CHECK_HAZARD, "r20", "", 0, 0},
};

struct found {
    unsigned n;
    struct xk_sim_finding f; /* the first one, and it as a line */
    char line[2048];
    char all[16384]; /* lines */
};

static void take(void *user, const struct xk_sim_finding *f)
{
    struct found *const x = user;
    if (!x->n++) {
        ck_assert_str_eq(f->kernel, "one"); /* it goes with the kernel */
        x->f = *f;
        xk_sim_finding_print(f, x->line, sizeof x->line);
    }
    const size_t at = strlen(x->all);
    xk_sim_finding_print(f, x->all + at, sizeof x->all - at - 1);
    strcat(x->all, "\n");
}

/* The lines of one of the two kernels; offsets of the marked ones. */
static void cut(const char *text, bool wrong, char *out, int32_t marked_b[2])
{
    int32_t n = 0;
    marked_b[0] = marked_b[1] = -1;
    for (const char *line = text; *line;) {
        const char *const end = strchr(line, '\n') + 1;
        bool here = true;
        while (strchr("!?+-", *line)) {
            if (*line == '!')
                marked_b[0] = 16 * n;
            else if (*line == '?')
                marked_b[1] = 16 * n;
            else
                here &= (*line == '+') == wrong;
            line++;
        }
        if (here) {
            memcpy(out, line, (size_t)(end - line));
            out += end - line;
            n += end[-2] != ':';
        }
        line = end;
    }
    *out = 0;
}

/* With one bit of the first instruction flipped (bits from 128 on: those of its
 * predicate, together), unless flip < 0; NULL if that can be decoded. */
static xk_sim_kernel *assemble(const char *text, int flip)
{
    const struct xk_platform *const p = xk_platform_find("xehpg");
    const struct xk_asm_source source = {text, strlen(text), "checkers"};
    struct xk_error err = {.message = ""};
    struct xk_zkernel z = {.name = "one",
                           .simd = 16,
                           .grf_count = 128,
                           .slm_b = 128,
                           .barriers = 1,
                           .inline_b = 32,
                           .scratch_b = 1024,
                           .cross_thread_b = 32};
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_sim_kernel *k = NULL;
    uint8_t *code = NULL;
    struct xk_inst in;
    size_t used_b;
    ck_assert_msg(xk_assemble_text(c, p, &source, false, &code, &z.code_b) >= 0,
                  "%s\n%.2000s", c->error.message, text);
    z.code = code;
    if (flip >= 128)
        code[3] ^= (uint8_t)(flip - 128);
    else if (flip >= 0)
        code[flip / 8] ^= (uint8_t)(1u << flip % 8);
    if (flip < 0 ||
        xk_inst_decode(p, code, z.code_b, &in, &used_b, &err) != XK_OK)
        ck_assert_msg(xk_sim_kernel_create(NULL, p, &z, &k, &err) == XK_OK,
                      "%s", err.message);
    xk_free(c, code);
    xk_ctx_destroy(c);
    return k;
}

static uint32_t checks = XK_CHECK_ALL | XK_CHECK_PEDANTIC;

static enum xk_status launch_kernel(const struct row *r, const xk_sim_kernel *k,
                                    unsigned hosts, struct found *x,
                                    struct xk_error *err)
{
    static uint8_t buffer[BUFFER_B], tensor[TENSOR_B], small[SMALL_B];
    uint64_t args[4] = {VA};
    struct xk_launch_stats stats;
    struct xk_sim_region regions[] = {
        {VA, BUFFER_B, buffer, XK_SIM_BUFFER},
        {FREED_VA, 256, NULL, XK_SIM_FREED},
        {TENSOR_VA, TENSOR_B, tensor, XK_SIM_BUFFER},
        {SMALL_VA, SMALL_B, small, XK_SIM_BUFFER}};
    const struct xk_sim_bound bound = {0, TENSOR_VA, SURFACE_B};
    memset(x, 0, sizeof *x);
    const struct xk_sim_launch l = {
        .kernel = k,
        .groups = {r->groups ? r->groups : 1, 1, 1},
        .local = {16 * (r->threads ? r->threads : 1), 1, 1},
        .cross_thread = (const uint8_t *)args,
        .cross_thread_b = sizeof args,
        .regions = regions,
        .n_regions = 4,
        .bound = &bound,
        .n_bound = 1,
        .slm_b = 128,
        .n_threads = hosts,
        .inst_limit = 1000,
        .check = {.on = checks, .found = take, .user = x}};
    err->message[0] = 0;
    return xk_sim_launch(&l, &stats, err);
}

static void launch(const struct row *r, const char *text, unsigned hosts,
                   struct found *x)
{
    struct xk_error err;
    xk_sim_kernel *const k = assemble(text, -1);
    const enum xk_status st = launch_kernel(r, k, hosts, x, &err);
    ck_assert_msg((st == XK_OK) == !x->n, "%s", err.message);
    xk_sim_kernel_destroy(k);
}

START_TEST(a_wrong_kernel_has_exactly_its_finding)
{
    const struct row *const r = &rows[_i];
    char text[8192];
    int32_t at_b[2];
    struct found x;
    cut(r->text, true, text, at_b);
    launch(r, text, 1, &x);
    const struct xk_sim_finding *const f = &x.f;
    ck_assert_msg(x.n == 1, "%s: %u findings: %s", r->name, x.n, x.line);
    ck_assert_msg(f->check == r->check, "%s: %s", r->name, x.line);
    ck_assert_msg((int32_t)f->party[0].offset_b == at_b[0],
                  "%s: offset 0x%x, not 0x%x: %s", r->name,
                  f->party[0].offset_b, (unsigned)at_b[0], x.line);
    ck_assert_msg(f->n_parties == (at_b[1] < 0 ? 1u : 2u), "%s: %s", r->name,
                  x.line);
    if (at_b[1] >= 0)
        ck_assert_msg((int32_t)f->party[1].offset_b == at_b[1],
                      "%s: the other is 0x%x, not 0x%x: %s", r->name,
                      f->party[1].offset_b, (unsigned)at_b[1], x.line);
    ck_assert_msg(!strncmp(f->what, r->what, strlen(r->what)) &&
                      (!r->what[0] || f->what[0]),
                  "%s: '%s', not '%s': %s", r->name, f->what, r->what, x.line);
    ck_assert_msg(strstr(f->why, r->why), "%s: '%s' is not in: %s", r->name,
                  r->why, x.line);
    for (unsigned k = 0; k < f->n_parties; k++)
        ck_assert_msg(f->party[k].text[0], "%s: no text: %s", r->name, x.line);
    if (r->threads == 2 && f->n_parties == 2)
        ck_assert_uint_ne(f->party[0].thread, f->party[1].thread);
    if (r->groups == 2)
        ck_assert_uint_ne(f->party[0].group[0], f->party[1].group[0]);
    printf("# %s\n", x.line);
}
END_TEST

START_TEST(its_twin_has_none)
{
    const struct row *const r = &rows[_i];
    char text[8192];
    int32_t at_b[2];
    struct found x;
    cut(r->text, false, text, at_b);
    launch(r, text, 1, &x);
    ck_assert_msg(!x.n, "%s: %s", r->name, x.line);
}
END_TEST

/* What compilers do by themselves is told only to who asks for it. */
START_TEST(pedantic_is_off_in_all)
{
    const struct row *const r = &rows[_i];
    char text[8192];
    int32_t at_b[2];
    struct found x;
    cut(r->text, true, text, at_b);
    checks = XK_CHECK_ALL;
    launch(r, text, 1, &x);
    checks |= XK_CHECK_PEDANTIC;
    ck_assert_msg(x.n == (r->check != XK_CHECK_PEDANTIC), "%s: %u findings: %s",
                  r->name, x.n, x.line);
}
END_TEST

/* Groups that all write one place of memory: the mark of the last one may hide
 * that a lower group raced with itself, so only which group it was may differ.
 */
static void hide_group(char *text)
{
    for (char *at = text; (at = strstr(at, "(group ")); at++)
        at[strlen("(group ")] = '*';
}

START_TEST(host_threads_change_no_text)
{
    char text[8192];
    int32_t at_b[2];
    struct found one, x;
    struct row r = rows[_i];
    r.groups = 7; /* more to share out; every group does the same */
    cut(r.text, true, text, at_b);
    launch(&r, text, 1, &one);
    hide_group(one.all);
    for (unsigned hosts = 2; hosts <= 5; hosts += 3) {
        launch(&r, text, hosts, &x);
        hide_group(x.all);
        ck_assert_msg(x.n == one.n && !strcmp(x.all, one.all),
                      "%s: with %u host threads %u findings, not %u:\n%s\n%s",
                      r.name, hosts, x.n, one.n, x.all, one.all);
    }
}
END_TEST

/* What the decoder had read of it before it gave up is no instruction: the
 * checkers once shifted by a predicate that there is none of. */
START_TEST(what_cannot_be_decoded_ends_with_a_sentence)
{
    static const char *const text[] = {
        "dpas.8x8 (8|M0) r20:f r40:f r60:hf r80.0:hf\n",
        "mad (8|M0) r20.0<1>:f r40.0<1;0>:f r60.0<1;0>:f r80.0<1>:f\n",
        "mul (8|M0) r20.0<1>:d r40.0<1;1,0>:d r60.0<2;1,0>:uw\n",
        "(W) send.ugm (1|M0) r20 r10 null:0 0x0 0x02108580 {A@1,$1}\n",
        "math.inv (8|M0) r20.0<1>:f r40.0<1;1,0>:f {$1}\n"};
    const struct row r = {.name = "undecodable"};
    unsigned n = 0;
    for (int flip = 0; flip < 128 + 16; flip++) {
        struct found x;
        struct xk_error err;
        xk_sim_kernel *const k = assemble(text[_i], flip);
        if (!k)
            continue;
        ck_assert_int_ne(launch_kernel(&r, k, 1, &x, &err), XK_OK);
        ck_assert_msg(strstr(err.message, "are no instruction"), "bit %d: %s",
                      flip, err.message);
        xk_sim_kernel_destroy(k);
        n++;
    }
    ck_assert_uint_gt(n, 4);
}
END_TEST

int main(void)
{
    const int n = (int)XK_COUNTOF(rows);
    Suite *s = suite_create("checkers");
    TCase *t = tcase_create("checkers");
    tcase_add_loop_test(t, a_wrong_kernel_has_exactly_its_finding, 0, n);
    tcase_add_loop_test(t, its_twin_has_none, 0, n);
    tcase_add_loop_test(t, pedantic_is_off_in_all, 0, n);
    tcase_add_loop_test(t, host_threads_change_no_text, 0, n);
    tcase_add_loop_test(t, what_cannot_be_decoded_ends_with_a_sentence, 0, 5);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
