/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors against iga64 -Xdsd, which names every field of a message: what
 * the operation is, where its addresses point, sizes, vector, components,
 * caches, the registers of the data, and which bits are reserved.
 *
 * A seeded sample by default; XK_DSD_COUNT=N takes N descriptors of each sweep
 * and platform, XK_DSD_SHOW=N reports more than 12, XK_TEST_SEED another seed.
 * Where iga64 differs and why is in known[].
 *
 * With the cache of tests/corpus/compile.py as argument: the sends of compiled
 * kernels instead, which must also be exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "isa/message_table.h"
#include "isa/traits.h"
#include "tests/isa/dsd.h"
#include "tests/isa/iga.h"

#define MAX_PROBES 60000

struct probe {
    uint8_t sfid, exec;
    bool eot;
    bool reg; /* exdesc is N of a0.N */
    uint8_t src1;
    uint32_t exdesc, desc;
};

static unsigned n_bad, n_same, n_unknown, n_exact, n_shown = 12;

static uint64_t rng = 20260101;

static uint32_t rnd(void)
{
    rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(rng >> 32);
}

/* ---- comparing ---- */

static bool is_media(const struct xk_msg *m)
{
    return m->kind == XK_MSG_DC1_MEDIA_LOAD ||
           m->kind == XK_MSG_DC1_MEDIA_STORE;
}

static const char *cache_word(const char *iga)
{
    static const char *const words[][2] = {
        {"CacheOpt::DEFAULT", "df"},        {"CacheOpt::UNCACHED", "uc"},
        {"CacheOpt::CACHED", "ca"},         {"CacheOpt::WRITEBACK", "wb"},
        {"CacheOpt::WRITETHROUGH", "wt"},   {"CacheOpt::STREAMING", "st"},
        {"CacheOpt::READINVALIDATE", "ri"},
    };

    for (unsigned k = 0; k < XK_COUNTOF(words); k++) {
        if (!strcmp(words[k][0], iga))
            return words[k][1];
    }
    return iga;
}

static bool is_lsc(const struct probe *q)
{
    return q->sfid == XK_SFID_UGM || q->sfid == XK_SFID_UGML ||
           q->sfid == XK_SFID_SLM || q->sfid == XK_SFID_TGM;
}

static const char *channels(const struct xk_msg *m, char *out)
{
    char *o = out;

    for (unsigned k = 0; k < 4; k++) {
        if (m->cmask >> k & 1)
            *o++ = "xyzw"[k];
    }
    *o = 0;
    return out;
}

static const char *addr_type(const struct probe *q, const struct xk_msg *m)
{
    static const char *const names[] = {"FLAT", "BSS", "SS", "BTI"};

    if (is_lsc(q))
        return names[m->addr_type & 3];
    return m->space == XK_MSPACE_SURFACE || m->space == XK_MSPACE_SCRATCH
               ? "BTI"
               : "FLAT";
}

/* Quirks of iga64 1.1.0, beside which all else of the message is compared.
 * 16-bit atomics of the old ports: it counts words in the payload; vISA says
 * that each has the low half of a dword (DWORD_ATOMIC.md). Sector operations of
 * compression control: its address size is not read from the descriptor. The
 * qword scatter 0xd: it says load; its newer source, store. */
static unsigned n_quirks;

static unsigned quirk_reg_b(const struct xk_msg *m)
{
    const bool word = m->data_b == 2 && m->sfid == XK_SFID_DC1 &&
                      xk_msg_op_class(m->op) == XK_MCLASS_ATOMIC;

    n_quirks += word;
    return word ? 2 : m->reg_b;
}

static const char *quirk_op(const struct xk_msg *m)
{
    const bool store = m->kind == XK_MSG_DC0_QWORD_STORE;

    n_quirks += store;
    return store ? "load" : xk_msg_op_name(m->op);
}

static const char *differs_sizes(const struct xk_msg *m,
                                 const struct dsd_facts *f)
{
    if (m->addr_b * 8u != f->addr_bits)
        return "address size";
    if (m->data_b * 8u != f->mem_bits)
        return "data size in memory";
    if (quirk_reg_b(m) * 8u != f->reg_bits)
        return "data size in registers";
    return NULL;
}

/* An index of an old port stands in the descriptor, whatever a0 has. */
static void say_surface(const struct probe *q, const struct xk_msg *m,
                        char *out, size_t out_b)
{
    const char *const what = m->addr_type == XK_LSC_BTI
                                 ? "surface binding table index"
                                 : "surface object";

    if (m->surf_reg && is_lsc(q))
        snprintf(out, out_b, "%s a0.%u", what, m->surf_sub);
    else
        snprintf(out, out_b, "%s 0x%X", what,
                 (unsigned)(m->surf_imm ? m->surf_off : m->bti));
}

static const char *differs_memory(const struct probe *q, const struct xk_msg *m,
                                  const struct dsd_facts *f)
{
    const bool block2d =
        m->op == XK_MOP_LOAD_BLOCK2D || m->op == XK_MOP_STORE_BLOCK2D;
    const bool media = is_media(m);
    const unsigned simd = m->simd < q->exec ? m->simd : q->exec;
    char text[8], surface[64] = "";

    if (m->space == XK_MSPACE_SURFACE)
        say_surface(q, m, surface, sizeof(surface));
    if (differs_sizes(m, f))
        return differs_sizes(m, f);
    if (strcmp(addr_type(q, m), f->addr_type) != 0)
        return "address type";
    if (surface[0] && strcmp(surface, f->surface) != 0)
        return "surface";
    if ((m->space == XK_MSPACE_SLM) != f->slm)
        return "shared local memory";
    if (!block2d && !media && m->vec != f->elems)
        return "vector";
    if (strcmp(channels(m, text), f->channels) != 0)
        return "components";
    if ((m->transpose || media) != f->transposed)
        return "transposed";
    if (m->returns != f->returns)
        return "returned value";
    if (!block2d && !media &&
        (m->transpose && !is_lsc(q) ? 1 : simd) != f->width)
        return "execution width";
    if (is_lsc(q) && (strcmp(xk_msg_cache_name(m->l1), cache_word(f->l1)) ||
                      strcmp(xk_msg_cache_name(m->l3), cache_word(f->l3))))
        return "cache";
    return NULL;
}

/* What only its name of the message tells: which of the old ports' messages of
 * one operation it is, the upper slot group, the offset in scratch. */
static const char *differs_name(const struct xk_msg *m,
                                const struct dsd_facts *f)
{
    char text[32];

    if (!m->slot_high && !strstr(f->symbol, xk_msg_row(m->kind)->name))
        return "name";
    if (m->slot_high != (strstr(f->symbol, "_sgh") != NULL) &&
        m->kind != XK_MSG_DCRO_TYPED_STORE)
        return "slot group";
    snprintf(text, sizeof(text), "scratch+%u.", (unsigned)m->scratch_b);
    return m->space == XK_MSPACE_SCRATCH && !strstr(f->symbol, text)
               ? "scratch offset"
               : NULL;
}

/* The registers that a checked message answers with. */
static const char *differs_lengths(const struct xk_platform *p,
                                   const struct xk_inst *i,
                                   const struct xk_msg *m,
                                   const struct dsd_facts *f)
{
    struct xk_inst again = *i;
    struct xk_msg full = *m;

    again.dst.file = XK_FILE_GRF;
    if (xk_msg_build(p, &full, &again, NULL) < 0 || !full.dst_grf ||
        !f->payload || full.sfid == XK_SFID_TGM ||
        xk_msg_op_class(full.op) != XK_MCLASS_LOAD ||
        full.op == XK_MOP_LOAD_BLOCK2D || full.op == XK_MOP_LOAD_STRIDED ||
        full.op == XK_MOP_LOAD_STATUS || full.mem_b == 0 ||
        (full.simd > i->exec && !full.transpose) || full.cmask)
        return NULL;
    return full.dst_grf == f->payload ? NULL : "registers of the answer";
}

static const char *differs_fence(const struct probe *q, const struct xk_msg *m,
                                 const struct dsd_facts *f)
{
    char text[64];

    if (!is_lsc(q))
        return (m->bti == XK_BTI_SLM) == f->slm ? NULL : "fence of slm";
    snprintf(text, sizeof(text), "fence.%s.%s.%s", xk_msg_sfid_name(q->sfid),
             xk_msg_fence_flush_name(m->fence_flush),
             xk_msg_fence_scope_name(m->fence_scope));
    return strstr(f->symbol, text) || m->fence_flush > 5 || m->fence_scope > 6
               ? NULL
               : "fence";
}

static const char *differs(const struct xk_platform *p, const struct probe *q,
                           const struct xk_inst *i, const struct xk_msg *m,
                           const struct dsd_facts *f)
{
    const bool ccs = !strncmp(f->op, "ccs_", 4) && m->op == XK_MOP_CCS;
    const char *why = NULL;

    if (!ccs && strcmp(f->op, quirk_op(m)) != 0)
        return "operation";
    switch (xk_msg_op_class(m->op)) {
    case XK_MCLASS_LOAD:
    case XK_MCLASS_STORE:
    case XK_MCLASS_ATOMIC:
        why = differs_memory(q, m, f);
        why = why ? why : differs_name(m, f);
        return why ? why : differs_lengths(p, i, m, f);
    case XK_MCLASS_FENCE:
        return differs_fence(q, m, f);
    default:
        return NULL;
    }
}

/* Where iga64 1.1.0 is wrong, silent or looser than we: what differs, for
 * which messages, and who says otherwise. Anything else is a failure. */
static bool is_scratch(const struct probe *q, const struct xk_msg *m)
{
    (void)q;
    return m->kind == XK_MSG_DC0_SCRATCH_LOAD ||
           m->kind == XK_MSG_DC0_SCRATCH_STORE;
}

static bool is_barrier(const struct probe *q, const struct xk_msg *m)
{
    return m->op == XK_MOP_BARRIER && q->desc & 0x800;
}

static bool is_lsc_size7(const struct probe *q, const struct xk_msg *m)
{
    (void)m;
    return is_lsc(q) && (q->desc >> 9 & 7) == 7;
}

static bool is_no_surface_port(const struct probe *q, const struct xk_msg *m)
{
    const unsigned op = q->desc & 0x3f;

    (void)m;
    return (q->sfid == XK_SFID_SLM || q->sfid == XK_SFID_UGML) &&
           (op == 0x1b || op == 0x1c || op == 0x1d || op == 0x1e ||
            op == 0x20 || op == 3 || op == 7);
}

static bool is_plain_tgm(const struct probe *q, const struct xk_msg *m)
{
    const unsigned op = q->desc & 0x3f;

    (void)m;
    return q->sfid == XK_SFID_TGM && (op < 8 && op != 2 && op != 6);
}

static bool is_block2d(const struct probe *q, const struct xk_msg *m)
{
    const unsigned op = q->desc & 0x3f;

    (void)m;
    return is_lsc(q) && (op == 3 || op == 7);
}

static unsigned type_of(const struct probe *q)
{
    return q->desc >> 14 & 31;
}

static bool is_byte_size3(const struct probe *q, const struct xk_msg *m)
{
    const unsigned t = type_of(q), subtype = q->desc >> 8 & 3;

    (void)m;
    return (q->desc >> 10 & 3) == 3 &&
           ((q->sfid == XK_SFID_DC0 && (t == 4 || t == 12)) ||
            (q->sfid == XK_SFID_DC1 && (t == 16 || t == 26) && !subtype));
}

static bool is_a64_hwords(const struct probe *q, const struct xk_msg *m)
{
    (void)m;
    return q->sfid == XK_SFID_DC1 && (type_of(q) == 20 || type_of(q) == 21) &&
           (q->desc >> 11 & 3) == 3;
}

static bool is_big_block(const struct probe *q, const struct xk_msg *m)
{
    const unsigned t = type_of(q);
    const bool blocks = q->sfid == XK_SFID_DC0
                            ? t == 0 || t == 1 || t == 8 || t == 9
                        : q->sfid == XK_SFID_DC1  ? t == 20 || t == 21
                        : q->sfid == XK_SFID_DCRO ? t == 0 || t == 1
                                                  : false;

    (void)m;
    return blocks && (q->desc >> 8 & 7) > 3;
}

static bool is_media_probe(const struct probe *q, const struct xk_msg *m)
{
    (void)q;
    return is_media(m);
}

static bool is_dcro_typed(const struct probe *q, const struct xk_msg *m)
{
    (void)q;
    return m->kind == XK_MSG_DCRO_TYPED_STORE;
}

static bool is_a32_atomic(const struct probe *q, const struct xk_msg *m)
{
    const unsigned t = type_of(q);

    (void)m;
    return q->sfid == XK_SFID_DC1 &&
           (t == 2 || t == 3 || t == 0x1b || t == 0x1c || t == 11 || t == 12 ||
            t == 0x13);
}

static bool is_a64_word_atomic(const struct probe *q, const struct xk_msg *m)
{
    (void)q;
    return m->kind == XK_MSG_DC1_A64_ATOMIC_INT16;
}

static bool is_flush6(const struct probe *q, const struct xk_msg *m)
{
    (void)q;
    return m->kind == XK_MSG_LSC_FENCE && m->fence_flush == 6;
}

static bool is_dcro_ccs(const struct probe *q, const struct xk_msg *m)
{
    const unsigned t = type_of(q);

    (void)m;
    return q->sfid == XK_SFID_DCRO && t != 0 && t != 1 && t != 3;
}

static bool is_slots_4x2(const struct probe *q, const struct xk_msg *m)
{
    const unsigned t = type_of(q), slots = q->desc >> 12 & 3;

    (void)m;
    return q->sfid == XK_SFID_DC1 && (t == 5 || t == 13 || t == 14) &&
           (slots == 0 || slots == 3);
}

static bool is_float_add(const struct probe *q, const struct xk_msg *m)
{
    const unsigned t = type_of(q);

    (void)m;
    return q->sfid == XK_SFID_DC1 && t >= 0x1b && t <= 0x1e && t != 0x1a &&
           (q->desc >> 8 & 7) > 3;
}

static bool is_byte_status(const struct probe *q, const struct xk_msg *m)
{
    const unsigned t = type_of(q);

    (void)m;
    return q->sfid == XK_SFID_DC1 && (t == 16 || t == 26) &&
           (q->desc >> 8 & 3) == 3;
}

static struct {
    const char *what;
    uint8_t platforms; /* bit per enum xk_platform_id; 0: all */
    bool (*is)(const struct probe *, const struct xk_msg *);
    const char *why;
    unsigned count;
} known[] = {
    {"bits reserved by us only", 0, is_scratch,
     "counts 16:14 of a scratch block to the message type: 16 is the channel "
     "mode, which compiled kernels set; 15 and 14 nothing names",
     0},
    {"bits reserved by us only", 0, is_barrier,
     "ActiveThreadsOnly [11]: its newer source has it from Xe2 on", 0},
    {"execution width", 0, is_a64_word_atomic,
     "reads bit 12 as a SIMD mode; compiled 0x0414e7ff (tgllp, "
     "svm_atomic.add.16"
     " of 8 channels) has it clear: one width, as the 32-bit message",
     0},
    {"bits reserved by us only", 0, is_a64_word_atomic, "the same", 0},
    {"execution width", 0, is_dcro_typed,
     "passes the slot group for a SIMD width", 0},
    {"iga64 objects", 0, is_media_probe,
     "warns of every stride, its test is (bits & 0) == 0", 0},
    {"unknown to iga64", 0, is_flush6,
     "flush 6, which vISA uses for a fence that flushes nothing on xehpg "
     "(isa.md 6.6)",
     0},
    {"unknown to iga64", 1u << XK_PLATFORM_XEHPC, is_a32_atomic,
     "takes bit 12 for 16 channels; compiled kernels have it clear, and one "
     "register of 64 bytes",
     0},
    {"unknown to us", 1u << XK_PLATFORM_XEHPC, is_a32_atomic, "the same", 0},
    {"unknown to us", 0, is_lsc_size7, "data size 7, which it prints as 0x7",
     0},
    {"unknown to us", 0, is_no_surface_port,
     "2D blocks, status, compression and state of slm and ugml: looks at the "
     "operation only; slm has neither surfaces nor compression",
     0},
    {"unknown to us", 0, is_plain_tgm,
     "untyped vectors and 2D blocks of tgm: looks at the operation only", 0},
    {"unknown to us", 1u << XK_PLATFORM_XEHPG, is_block2d,
     "2D blocks of xehpg, which its compiler does not know (LSC_UNTYPED.md: "
     "from PVC on)",
     0},
    {"unknown to us", 0, is_byte_size3,
     "byte messages of 8 bytes: 1, 2, 4 are all (isa.md 6.2)", 0},
    {"unknown to us", 0, is_big_block,
     "block sizes beyond 16 owords (xelp: 8) and 8 hwords", 0},
    {"vector", 0, is_a64_hwords,
     "says 1 << bits, as of scratch blocks; oneDNN's kernels read 8 hwords "
     "with "
     "code 4 (0x028d1cff), 1 with 1 (0x021d19ff): 1 + log2 (workarounds.md "
     "3.7)",
     0},
    {"unknown to us", 0, is_a64_hwords, "the same: code 0", 0},
    {"unknown to iga64", 0, is_a64_hwords, "the same: code 4", 0},
    {"unknown to us", 0, is_dcro_ccs,
     "compression control through dcro: graphics drivers only, left out", 0},
    {"unknown to us", 0, is_slots_4x2, "typed SIMD4x2: gone since Gen11", 0},
    {"unknown to us", 1u << XK_PLATFORM_XELP, is_float_add,
     "float add and subtract: its newer source, from XeHP on", 0},
    {"unknown to us", 0, is_byte_status,
     "byte gather with status return: left out", 0},
};

static bool is_known(const struct xk_platform *p, const struct probe *q,
                     const struct xk_msg *m, const char *what)
{
    for (unsigned k = 0; k < XK_COUNTOF(known); k++) {
        if (!strcmp(known[k].what, what) && known[k].is(q, m) &&
            (!known[k].platforms || known[k].platforms >> p->id & 1)) {
            known[k].count++;
            return true;
        }
    }
    return false;
}

static void fail(const struct xk_platform *p, const struct probe *q,
                 const struct xk_msg *m, const struct dsd_facts *f,
                 const char *what, const char *ours)
{
    struct xk_str text;

    if (++n_bad > n_shown)
        return;
    xk_str_init(&text, NULL);
    xk_msg_print(p, m, &text);
    fprintf(stderr,
            "%s: iga64 -Xdsd -p=%s %s \"(%u)\" %s%x 0x%08x\n  ours: %s %s\n"
            "  iga64: %s | %s%s\n",
            what, p->iga_name, xk_msg_sfid_name(q->sfid), q->exec,
            q->reg ? "a0." : "0x", q->exdesc, q->desc, xk_str_get(&text), ours,
            f->op, f->symbol, f->complaint);
    xk_str_fini(&text);
}

/* Fence and EOT have bits that iga64 calls undefined, although every compiled
 * kernel sets them: 8 and cache of LSC fences, 4 of EOT; and some the cache of
 * slm messages (tests/isa/kernels.cl on dg2: 0x040e0504), which means nothing.
 * And of media blocks it lists neither message type nor stride, which its own
 * sentence tells, of sector operations of compression control no address size;
 * an immediate surface offset it reads, and then calls its bits undefined. */
static uint32_t undefined_but_used(const struct xk_msg *m)
{
    return m->kind == XK_MSG_LSC_FENCE ? 0x000e0100
           : m->op == XK_MOP_EOT       ? 0x10
           : is_media(m)               ? 0x0007c700
           : m->sfid == XK_SFID_SLM    ? 0x000e0000
           : m->kind == XK_MSG_LSC_CCS ? 0x180
                                       : 0;
}

static const char *judge(const struct xk_platform *p, const struct probe *q,
                         const struct xk_inst *i, const struct xk_msg *m,
                         const struct dsd_facts *f, struct xk_error *err)
{
    const bool exact = xk_msg_check(p, i, err) == XK_OK;
    const uint32_t spare =
        q->desc & f->spare & ~f->defined & ~undefined_but_used(m);
    const uint32_t ours = xk_msg_reserved_bits(p, i);
    const char *why;

    if (m->kind == XK_MSG_UNKNOWN)
        return f->op[0] && !f->complaint[0] && !f->spare && strcmp(f->op, "?")
                   ? "unknown to us"
                   : NULL;
    if (!f->op[0])
        return exact ? "unknown to iga64" : NULL;
    if (exact && (spare || (f->ex_spare && !m->surf_imm) || f->no_header ||
                  f->complaint[0]))
        return "iga64 objects";
    why = differs(p, q, i, m, f);
    if (why)
        return why;
    return spare & ~ours                ? "bits reserved by iga64 only"
           : ours & q->desc & ~f->spare ? "bits reserved by us only"
                                        : NULL;
}

static void compare(const struct xk_platform *p, const struct probe *q,
                    const struct dsd_facts *f)
{
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = q->exec};
    struct xk_error err = {0};
    struct xk_msg m;
    const char *why;

    i.send = (struct xk_send_info){.sfid = q->sfid,
                                   .eot = q->eot,
                                   .desc = q->desc,
                                   .src1_len = q->src1,
                                   .exdesc = q->exdesc | q->src1 * 64u};
    if (q->reg) {
        i.send.exdesc_reg = i.send.exbso = true;
        i.send.exdesc_sub = (uint8_t)q->exdesc;
        i.send.exdesc = 0;
    }
    i.dst.file = q->desc >> 20 & 31 ? XK_FILE_GRF : XK_FILE_ARF;
    xk_msg_decode(p, &i, &m);
    why = judge(p, q, &i, &m, f, &err);
    if (why && !is_known(p, q, &m, why))
        fail(p, q, &m, f, why, err.message);
    else if (!why)
        n_same++;
    n_unknown += m.kind == XK_MSG_UNKNOWN;
    n_exact += xk_msg_check(p, &i, NULL) == XK_OK;
}

/* ---- the sweeps ---- */

static unsigned lsc_sweep(const struct xk_platform *p, struct probe *q,
                          unsigned n)
{
    static const uint8_t ports[] = {XK_SFID_UGM, XK_SFID_SLM, XK_SFID_UGML,
                                    XK_SFID_UGM};

    (void)p;
    for (unsigned k = 0; k < n; k++) {
        const uint32_t at = n < 2176 ? rnd() : k; /* all of them, or some */
        const uint32_t op = at % 34, data = at / 34 % 8, vec = at / 272 % 8;
        const bool block = rnd() % 4 == 0;
        const uint32_t type = rnd() % 3 ? 0 : rnd() % 4;

        q[k].sfid = ports[rnd() % 4];
        q[k].exec = block ? 1 : (uint8_t)(1u << rnd() % 5);
        q[k].desc = op | (2 + rnd() % 2) << 7 | data << 9 | vec << 12 |
                    (uint32_t)block << 15 | 1u << 25;
        if (op == 3 || op == 7) /* no vector, no address size */
            q[k].desc &= ~0x7100u;
        q[k].desc |= (rnd() % 8) << 17;
        if (q[k].sfid != XK_SFID_SLM)
            q[k].desc |= type << 29;
        if (rnd() % 2)
            q[k].desc |= rnd() % 16 << 20;
        q[k].src1 = 0;
        q[k].eot = false;
        q[k].reg = type && rnd() % 2 && q[k].sfid != XK_SFID_SLM;
        q[k].exdesc = q[k].reg    ? rnd() % 8
                      : type == 3 ? rnd() << 24
                      : type      ? rnd() & rnd() & ~0x7ffu
                                  : 0;
    }
    return n;
}

static unsigned hdc_sweep(const struct xk_platform *p, struct probe *q,
                          unsigned n)
{
    static const uint8_t ports[] = {XK_SFID_DC0, XK_SFID_DC1, XK_SFID_DC1,
                                    XK_SFID_DCRO};
    static const uint8_t btis[] = {0, 1, 37, 240, 252, 253, 254, 255, 255, 255};

    (void)p;
    for (unsigned k = 0; k < n; k++) {
        q[k].sfid = ports[k / 32 % 4];
        q[k].exec = rnd() % 4 ? 16 : 8;
        q[k].reg = false;
        q[k].src1 = 0;
        q[k].eot = false;
        q[k].exdesc = 0;
        q[k].desc = (k % 32) << 14 | (rnd() % 64) << 8 | btis[rnd() % 10] |
                    (rnd() % 2) << 19 | (rnd() % 8) << 20 |
                    (1 + rnd() % 4) << 25;
    }
    return n;
}

static unsigned random_sweep(const struct xk_platform *p, struct probe *q,
                             unsigned n)
{
    static const uint8_t ports[] = {XK_SFID_DC0, XK_SFID_DC1, XK_SFID_DCRO,
                                    XK_SFID_UGM, XK_SFID_SLM, XK_SFID_UGML,
                                    XK_SFID_TGM, XK_SFID_GTWY};

    (void)p;
    for (unsigned k = 0; k < n; k++) {
        q[k].sfid = ports[rnd() % 8];
        q[k].exec = (uint8_t)(1u << rnd() % 5);
        q[k].desc = rnd() & ~(rnd() & rnd() & 0x80000000u);
        q[k].reg = false;
        q[k].src1 = 0;
        q[k].eot = false;
        q[k].exdesc = rnd() % 2 ? 0 : rnd() & 0xff000000;
    }
    return n;
}

/* What build makes of records with random fields: iga64 must not object. */
static unsigned built_sweep(const struct xk_platform *p, struct probe *q,
                            unsigned n)
{
    unsigned k = 0;

    for (unsigned tries = 0; k < n && tries < 400 * n; tries++) {
        const uint8_t exec = (uint8_t)(1u << rnd() % 6);
        struct xk_inst i = {.op = XK_OPC_SEND, .exec = exec};
        struct xk_msg m;

        i.send.sfid = rnd() % 16;
        i.send.desc = (rnd() % 2 ? rnd() : rnd() & rnd()) & 0x7fffffff;
        i.send.exdesc = rnd() & (rnd() % 2 ? 0xff000000 : 0xfffff000);
        i.dst.file = rnd() % 8 ? XK_FILE_GRF : XK_FILE_ARF;
        xk_msg_decode(p, &i, &m);
        if (xk_msg_build(p, &m, &i, NULL) < 0)
            continue;
        if (xk_msg_check(p, &i, NULL) < 0 && n_bad++ < n_shown)
            fprintf(stderr, "built, but not exact: %s desc 0x%08x\n",
                    xk_msg_kind_name(m.kind), i.send.desc);
        q[k] = (struct probe){.sfid = m.sfid,
                              .eot = i.send.eot,
                              .exec = exec,
                              .reg = i.send.exdesc_reg,
                              .exdesc = i.send.exdesc_reg
                                            ? i.send.exdesc_sub
                                            : i.send.exdesc & ~0x7c0u,
                              .desc = i.send.desc};
        q[k++].src1 = (uint8_t)m.src1_grf;
    }
    return k;
}

/* ---- compiled kernels ---- */

static bool seen(const struct probe *q, unsigned n, const struct probe *one)
{
    for (unsigned k = 0; k < n; k++) {
        if (q[k].sfid == one->sfid && q[k].exec == one->exec &&
            q[k].reg == one->reg && q[k].src1 == one->src1 &&
            q[k].exdesc == one->exdesc && q[k].desc == one->desc)
            return true;
    }
    return false;
}

static struct {
    unsigned sends, dynamic, exact, other;
} corpus;

/* One send of a kernel: exact, or of a function that is not ours. */
static unsigned take_send(const struct xk_platform *p, const struct xk_inst *i,
                          struct probe *q, unsigned n, const char *path)
{
    const struct xk_send_info *const s = &i->send;
    struct xk_error err = {0};
    struct xk_msg m;

    xk_msg_decode(p, i, &m);
    corpus.sends++;
    if (s->desc_reg) {
        corpus.dynamic++;
        return n;
    }
    if (m.kind == XK_MSG_OTHER) {
        corpus.other++;
        return n;
    }
    if (xk_msg_check(p, i, &err) == XK_OK)
        corpus.exact++;
    else if (n_bad++ < n_shown)
        fprintf(stderr, "%s: %s (exec %u)\n", path, err.message, i->exec);
    q[n] = (struct probe){.sfid = s->sfid,
                          .exec = i->exec,
                          .eot = s->eot,
                          .reg = s->exdesc_reg,
                          .src1 = s->src1_len,
                          .exdesc = s->exdesc_reg ? s->exdesc_sub
                                                  : s->exdesc & ~0x7c0u,
                          .desc = s->desc};
    return n < MAX_PROBES - 1 && !seen(q, n, &q[n]) ? n + 1 : n;
}

static unsigned take_kernel(const struct xk_platform *p, const char *path,
                            struct probe *q, unsigned n)
{
    size_t n_b = 0;
    uint8_t *const code = (uint8_t *)iga_read_file(path, &n_b);
    size_t used_b = 0;

    for (size_t at = 0; code && at < n_b; at += used_b) {
        struct xk_inst i;
        const enum xk_status st =
            xk_inst_decode(p, code + at, n_b - at, &i, &used_b, NULL);

        if (!used_b)
            break;
        if (st == XK_OK && xk_inst_is_send(&i))
            n = take_send(p, &i, q, n, path);
    }
    free(code);
    return n;
}

/* Kernels of index.txt (tests/corpus/compile.py) of one platform. */
static unsigned take_corpus(const struct xk_platform *p, const char *cache,
                            struct probe *q)
{
    char path[512], name[128], file[128], on[32], bin[512];
    FILE *f;
    char *line = NULL;
    size_t cap = 0;
    unsigned n = 0;

    snprintf(path, sizeof(path), "%s/index.txt", cache);
    f = fopen(path, "r");
    memset(&corpus, 0, sizeof(corpus));
    while (f && getline(&line, &cap, f) > 0) {
        if (sscanf(line,
                   "%127[^\t]\t%127[^\t]\t%31[^\t]\t%*[^\t]\t%*[^\t]\t"
                   "%*[^\t]\t%511[^\t]",
                   name, file, on, bin) == 4 &&
            !strcmp(on, p->name))
            n = take_kernel(p, bin, q, n);
    }
    free(line);
    if (f)
        fclose(f);
    return n;
}

/* The old ports are all that the first platform has. */
static bool has_port(const struct xk_platform *p, unsigned sfid)
{
    return sfid == XK_SFID_DC0 || sfid == XK_SFID_DC1 || sfid == XK_SFID_DCRO ||
           sfid == XK_SFID_GTWY || xk_msg_exists(p, XK_MSG_LSC_FENCE, sfid);
}

static bool write_script(const struct xk_platform *p, const struct probe *q,
                         unsigned n, const char *path)
{
    FILE *const f = fopen(path, "w");

    if (!f)
        return false;
    for (unsigned k = 0; k < n; k++)
        fprintf(f, "echo @%u\niga64 -Xdsd -p=%s %s '(%u)' %s%x 0x%08x 2>&1\n",
                k, p->iga_name, xk_msg_sfid_name(q[k].sfid), q[k].exec,
                q[k].reg ? "a0." : "0x", q[k].exdesc, q[k].desc);
    fprintf(f, "echo @%u\n", n);
    return fclose(f) == 0;
}

/* False if the script cannot be run to its end. */
static bool run(const struct xk_platform *p, const struct probe *q, unsigned n)
{
    char path[] = "/tmp/xk_dsd_XXXXXX", cmd[64], line[512];
    struct dsd_facts f = {.op = ""};
    unsigned at = UINT32_MAX;
    const int fd = mkstemp(path);
    FILE *pipe;

    if (fd < 0)
        return false;
    close(fd);
    snprintf(cmd, sizeof(cmd), "sh %s", path);
    pipe = write_script(p, q, n, path) ? popen(cmd, "r") : NULL;
    while (pipe && fgets(line, sizeof(line), pipe)) {
        if (line[0] == '@') {
            if (at != UINT32_MAX)
                compare(p, &q[at], &f);
            at = (unsigned)atoi(line + 1);
            memset(&f, 0, sizeof(f));
        } else {
            dsd_read_line(line, &f);
        }
    }
    if (pipe)
        pclose(pipe);
    unlink(path);
    return at == n;
}

static unsigned corpus_sweep(const struct xk_platform *p, const char *cache)
{
    static struct probe probes[MAX_PROBES];
    const unsigned n = take_corpus(p, cache, probes);

    n_same = n_unknown = n_exact = 0;
    if ((!n || !run(p, probes, n)) && n_bad++ < n_shown)
        fprintf(stderr, "%s: no kernels of %s in %s\n", p->name, p->name,
                cache);
    printf("# %-6s corpus  %6u sends: %u exact, %u of other functions, %u with "
           "a register descriptor; %u different ones, %u without any "
           "difference\n",
           p->name, corpus.sends, corpus.exact, corpus.other, corpus.dynamic, n,
           n_same);
    return n;
}

static unsigned sweep(const struct xk_platform *p, const char *name,
                      unsigned (*fill)(const struct xk_platform *,
                                       struct probe *, unsigned),
                      unsigned n)
{
    static struct probe probes[MAX_PROBES];
    unsigned kept = 0;

    n = fill(p, probes, n < MAX_PROBES ? n : MAX_PROBES);
    for (unsigned k = 0; k < n; k++) {
        if (has_port(p, probes[k].sfid))
            probes[kept++] = probes[k];
    }
    n_same = n_unknown = n_exact = 0;
    if (!run(p, probes, kept)) {
        fprintf(stderr, "iga64 -Xdsd did not run to the end\n");
        n_bad++;
    }
    printf(
        "# %-6s %-7s %6u descriptors: %6u without any difference; %6u exact, "
        "%6u reserved or unknown\n",
        p->name, name, kept, n_same, n_exact, n_unknown);
    return kept;
}

int main(int argc, char **argv)
{
    static const enum xk_platform_id ids[] = {
        XK_PLATFORM_XELP, XK_PLATFORM_XEHPG, XK_PLATFORM_XEHPC};
    const char *const count = getenv("XK_DSD_COUNT");
    const char *const seed = getenv("XK_TEST_SEED");
    const unsigned n = count ? (unsigned)atoi(count) : 240;
    unsigned total = 0;

    if (!iga_available()) {
        printf("1..0 # SKIP iga64 is not installed (Debian: intel-igc-cm, "
               "libigc-tools)\n");
        return 77;
    }
    if (getenv("XK_DSD_SHOW"))
        n_shown = (unsigned)atoi(getenv("XK_DSD_SHOW"));
    if (seed)
        rng ^= strtoull(seed, NULL, 0);
    for (unsigned k = 0; k < XK_COUNTOF(ids); k++) {
        const struct xk_platform *const p = xk_platform_get(ids[k]);

        if (argc > 1) {
            total += corpus_sweep(p, argv[1]);
            continue;
        }
        total += sweep(p, "built", built_sweep, n);
        total += sweep(p, "lsc", lsc_sweep, n);
        total += sweep(p, "hdc", hdc_sweep, n);
        total += sweep(p, "random", random_sweep, n);
    }
    for (unsigned k = 0; k < XK_COUNTOF(known); k++)
        printf("# known, %u times: %s: %s\n", known[k].count, known[k].what,
               known[k].why);
    printf("# %u descriptors, %u differ\n", total, n_bad);
    return n_bad || !total;
}
