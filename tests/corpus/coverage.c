/* SPDX-License-Identifier: Apache-2.0 */
/* What of isa/'s tables occurs. An item is a word like "xehpg types add d<-uw";
 * all items are made from the tables first, then marked as instructions pass.
 * The file of excuses has lines PATTERN -- REASON, a pattern as for fnmatch(3)
 * with its extensions, which must fit an item, and none that was seen. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/format.h"
#include "isa/message_table.h"
#include "isa/traits.h"
#include "tests/corpus/corpus.h"
#include "tests/isa/iga.h"

enum kind {
    OPCODE,
    TYPES,
    MATH,
    SYNC,
    MESSAGE,
    OPERATION,
    DATA,
    VECTOR,
    ADDRESS,
    N_KINDS
};

static const char *const kind_names[N_KINDS] = {
    [OPCODE] = "opcode",       [TYPES] = "types",     [MATH] = "math",
    [SYNC] = "sync",           [MESSAGE] = "message", [DATA] = "data",
    [OPERATION] = "operation", [VECTOR] = "vector",   [ADDRESS] = "address",
};

#define N_SLOTS 16384 /* a power of two; under half full */

struct item {
    uint64_t key;       /* 0: free */
    bool seen, foreign; /* foreign: seen, and not in a table */
};

struct coverage {
    struct item item[N_SLOTS];
    unsigned n;
};

static uint64_t key_of(const struct xk_platform *p, enum kind kind, unsigned a,
                       unsigned b, unsigned c)
{
    return UINT64_C(1) << 63 | (uint64_t)kind << 56 | (uint64_t)p->id << 48 |
           (uint64_t)a << 32 | (uint64_t)b << 16 | c;
}

static struct item *slot_of(struct item *items, uint64_t key)
{
    unsigned at = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 50);

    while (items[at].key && items[at].key != key)
        at = (at + 1) % N_SLOTS;
    return &items[at];
}

static void demand(struct coverage *v, uint64_t key)
{
    struct item *const it = slot_of(v->item, key);

    if (it->key)
        return;
    it->key = key;
    if (++v->n > N_SLOTS / 2)
        abort(); /* a larger table, please */
}

static void mark(struct coverage *v, uint64_t key)
{
    struct item *const it = slot_of(v->item, key);

    if (!it->key)
        it->foreign = true;
    it->key = key;
    it->seen = true;
}

/* Sizes of an element: log2 in memory, log2 in the register. */
static unsigned data_code(const struct xk_msg *m)
{
    return m->data_b << 8 | m->reg_b;
}

static unsigned vector_code(const struct xk_msg *m)
{
    return m->vec | (m->transpose ? 0x100 : 0);
}

static unsigned address_code(const struct xk_msg *m)
{
    return (unsigned)m->addr_type << 8 | m->addr_b;
}

static void name_message(uint64_t key, struct xk_str *out)
{
    const unsigned a = key >> 32 & 0xffff, b = key >> 16 & 0xffff,
                   c = key & 0xffff;
    static const char *const types[] = {"flat", "bss", "ss", "bti"};

    if ((key >> 56 & 0x7f) == ADDRESS) {
        xk_str_printf(out, "%s %s a%u", xk_msg_sfid_name(a), types[b >> 8 & 3],
                      8 * (b & 0xff));
        return;
    }
    xk_str_puts(out, xk_msg_kind_name(a));
    switch ((enum kind)(key >> 56 & 0x7f)) {
    case OPERATION:
        xk_str_printf(out, " %s", xk_msg_op_name(b));
        break;
    case DATA:
        xk_str_printf(out, " d%u", 8 * (b >> 8));
        if (b >> 8 != (b & 0xff))
            xk_str_printf(out, "u%u%s", 8 * (b & 0xff), c ? "h" : "");
        break;
    case VECTOR:
        xk_str_printf(out, " x%u%s", b & 0xff, b & 0x100 ? "t" : "");
        break;
    default:
        break;
    }
}

static void name_item(uint64_t key, struct xk_str *out)
{
    const enum kind kind = key >> 56 & 0x7f;
    const unsigned a = key >> 32 & 0xffff, b = key >> 16 & 0xffff,
                   c = key & 0xffff;

    xk_str_clear(out);
    xk_str_printf(
        out, "%s %s ",
        xk_platform_get((enum xk_platform_id)(key >> 48 & 0xff))->name,
        kind_names[kind]);
    if (kind == OPCODE)
        xk_str_puts(out, xk_opcode_name(a));
    else if (kind == TYPES)
        xk_str_printf(out, "%s %s<-%s", xk_opcode_name(a), xk_reg_type_name(b),
                      xk_reg_type_name(c));
    else if (kind == MATH)
        xk_str_puts(out, xk_math_name(a));
    else if (kind == SYNC)
        xk_str_puts(out, xk_sync_name(a));
    else
        name_message(key, out);
}

static void demand_opcodes(struct coverage *v, const struct xk_platform *p)
{
    const struct xk_isa_tables *const t = xk_isa_tables_get(p, NULL);
    unsigned n;
    const struct xk_type_row *const rows = xk_type_rows(&n);

    for (unsigned op = 0; op < XK_N_OPCODES; op++)
        if (t->op_code[op] != XK_NO_CODE)
            demand(v, key_of(p, OPCODE, op, 0, 0));
    for (unsigned k = 0; k < n; k++) {
        if (!(rows[k].platforms >> p->id & 1) ||
            t->op_code[rows[k].op] == XK_NO_CODE)
            continue;
        for (unsigned d = 0; d < XK_N_REG_TYPES; d++)
            for (unsigned s = 0; s < XK_N_REG_TYPES; s++)
                if (xk_in_set(rows[k].dst, d) && xk_in_set(rows[k].src, s))
                    demand(v, key_of(p, TYPES, rows[k].op, d, s));
    }
    for (unsigned f = 0; f < 16; f++) {
        if (xk_sync_name(f))
            demand(v, key_of(p, SYNC, f, 0, 0));
        if (xk_math_name(f))
            demand(v, key_of(p, MATH, f, 0, 0));
    }
}

static void demand_lsc(struct coverage *v, const struct xk_platform *p,
                       unsigned kind)
{
    static const uint16_t data[] = {0x404, 0x808, 0x104, 0x204};
    static const uint8_t vec[] = {1, 2, 3, 4, 8, 16, 32, 64};

    for (unsigned k = 0; k < 4; k++)
        demand(v, key_of(p, DATA, kind, data[k], 0));
    for (unsigned k = 0; k < sizeof(vec); k++) {
        if (vec[k] <= 4 || vec[k] == 8)
            demand(v, key_of(p, VECTOR, kind, vec[k], 0));
        demand(v, key_of(p, VECTOR, kind, vec[k] | 0x100, 0));
    }
}

static void demand_atomics(struct coverage *v, const struct xk_platform *p,
                           unsigned kind)
{
    const char *const name = xk_msg_kind_name(kind);
    const unsigned family = strncmp(name, "LSC", 3) == 0 ? XK_MSG_LSC
                            : strstr(name, "_INT")       ? XK_MSG_INT
                                                         : XK_MSG_FLT;

    for (unsigned code = 0; code < 64; code++) {
        const struct xk_msg_atomic *const a =
            xk_msg_atomic_by_code(p, family, code);
        if (a)
            demand(v, key_of(p, OPERATION, kind, a->op, 0));
    }
}

static void demand_messages(struct coverage *v, const struct xk_platform *p)
{
    static const uint8_t ports[] = {XK_SFID_UGM, XK_SFID_SLM};

    for (unsigned kind = 1; kind < XK_N_MSG_KINDS; kind++) {
        const struct xk_msg_row *const row = xk_msg_row(kind);
        bool here = false;
        for (unsigned sfid = 0; sfid < 16; sfid++)
            here |= xk_msg_exists(p, kind, sfid);
        if (!here)
            continue;
        demand(v, key_of(p, MESSAGE, kind, 0, 0));
        if (row->op == XK_MOP_NONE && kind != XK_MSG_OTHER)
            demand_atomics(v, p, kind);
        if (kind == XK_MSG_LSC_LOAD || kind == XK_MSG_LSC_STORE)
            demand_lsc(v, p, kind);
    }
    for (unsigned k = 0; k < 2; k++)
        if (xk_msg_exists(p, XK_MSG_LSC_LOAD, ports[k]))
            for (unsigned type = XK_LSC_FLAT; type <= XK_LSC_BTI; type++)
                for (unsigned b = 2; b <= 8; b *= 2)
                    if (ports[k] != XK_SFID_SLM || type == XK_LSC_FLAT)
                        demand(v,
                               key_of(p, ADDRESS, ports[k], type << 8 | b, 0));
}

struct coverage *coverage_create(void)
{
    struct coverage *const v = calloc(1, sizeof(*v));

    if (!v)
        abort();
    for (unsigned id = XK_PLATFORM_XELP; id <= XK_PLATFORM_XEHPC; id++) {
        const struct xk_platform *const p = xk_platform_get(id);
        demand_opcodes(v, p);
        demand_messages(v, p);
    }
    return v;
}

void coverage_destroy(struct coverage *v)
{
    free(v);
}

static void take_message(struct coverage *v, const struct xk_platform *p,
                         const struct xk_inst *i)
{
    struct xk_msg m;

    xk_msg_decode(p, i, &m);
    if (m.kind == XK_MSG_UNKNOWN)
        return;
    mark(v, key_of(p, MESSAGE, m.kind, 0, 0));
    if (xk_msg_row(m.kind)->op == XK_MOP_NONE && m.kind != XK_MSG_OTHER)
        mark(v, key_of(p, OPERATION, m.kind, m.op, 0));
    if (m.kind == XK_MSG_LSC_LOAD || m.kind == XK_MSG_LSC_STORE) {
        mark(v, key_of(p, DATA, m.kind, data_code(&m), m.data_high));
        mark(v, key_of(p, VECTOR, m.kind, vector_code(&m), 0));
        if (m.sfid == XK_SFID_UGM || m.sfid == XK_SFID_SLM)
            mark(v, key_of(p, ADDRESS, m.sfid, address_code(&m), 0));
    }
}

void coverage_take(struct coverage *v, const struct xk_platform *p,
                   const struct xk_inst *i)
{
    mark(v, key_of(p, OPCODE, i->op, 0, 0));
    if (xk_inst_is_send(i))
        take_message(v, p, i);
    else if (i->op == XK_OPC_SYNC)
        mark(v, key_of(p, SYNC, i->sync_fn, 0, 0));
    else if (!xk_inst_is_branch(i))
        for (unsigned s = 0; s < xk_inst_n_srcs(i); s++)
            mark(v, key_of(p, TYPES, i->op, i->dst.type,
                           xk_operand_type(&i->src[s])));
    if (i->op == XK_OPC_MATH)
        mark(v, key_of(p, MATH, i->math_fn, 0, 0));
}

/* ---- the excuses ---- */

struct excuse {
    char *pattern, *reason;
    unsigned n_unseen, n_seen;
};

static char *trim(char *s)
{
    char *end;

    s += strspn(s, " \t");
    end = s + strlen(s);
    while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = 0;
    return s;
}

static unsigned read_excuses(char *text, struct excuse *e, unsigned max)
{
    char *save = NULL;
    unsigned n = 0;

    for (char *l = strtok_r(text, "\n", &save); l && n < max;
         l = strtok_r(NULL, "\n", &save)) {
        char *const bar = strstr(l, " -- ");
        if (*l == '#' || !bar)
            continue;
        *bar = 0;
        e[n++] = (struct excuse){trim(l), trim(bar + 4), 0, 0};
    }
    return n;
}

/* Counts in the excuses that fit; true if one does. */
static bool excused(struct excuse *e, unsigned n, const char *name, bool seen)
{
    bool found = false;

    for (unsigned k = 0; k < n; k++)
        if (fnmatch(e[k].pattern, name, FNM_EXTMATCH) == 0) {
            e[k].n_seen += seen;
            e[k].n_unseen += !seen;
            found = true;
        }
    return found;
}

struct tally {
    unsigned items[4][N_KINDS], seen[4][N_KINDS], foreign;
};

static void print_tally(const struct tally *t)
{
    printf("# %u items occur that are in no table\n", t->foreign);
    for (unsigned id = XK_PLATFORM_XELP; id <= XK_PLATFORM_XEHPC; id++) {
        printf("# %s:", xk_platform_get(id)->name);
        for (unsigned k = 0; k < N_KINDS; k++)
            if (t->items[id][k])
                printf(" %s %u/%u", kind_names[k], t->seen[id][k],
                       t->items[id][k]);
        putchar('\n');
    }
}

static unsigned judge_excuses(const struct excuse *e, unsigned n, unsigned show)
{
    unsigned bad = 0;

    for (unsigned k = 0; k < n; k++) {
        if ((e[k].n_seen || !e[k].n_unseen || !*e[k].reason) && bad++ < show)
            printf("# excuse '%s': fits %u items that occur, %u others%s\n",
                   e[k].pattern, e[k].n_seen, e[k].n_unseen,
                   *e[k].reason ? "" : "; no reason");
    }
    return bad;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = ((const struct item *)a)->key,
                   y = ((const struct item *)b)->key;

    return x < y ? -1 : x > y;
}

static unsigned judge_items(const struct coverage *v, struct excuse *e,
                            unsigned n, unsigned show)
{
    struct item *const sorted = malloc(sizeof(v->item));
    struct tally t = {0};
    struct xk_str name;
    unsigned bad = 0;

    if (!sorted)
        abort();
    memcpy(sorted, v->item, sizeof(v->item));
    qsort(sorted, N_SLOTS, sizeof(*sorted), by_key);
    xk_str_init(&name, NULL);
    for (unsigned k = 0; k < N_SLOTS; k++) {
        const uint64_t key = sorted[k].key;
        if (!key)
            continue;
        name_item(key, &name);
        if (sorted[k].foreign) {
            if (++t.foreign <= show)
                printf("# in no table: %s\n", xk_str_get(&name));
            continue;
        }
        t.items[key >> 48 & 3][key >> 56 & 0x7f]++;
        t.seen[key >> 48 & 3][key >> 56 & 0x7f] += sorted[k].seen;
        if (!excused(e, n, xk_str_get(&name), sorted[k].seen) &&
            !sorted[k].seen && bad++ < show)
            printf("# does not occur: %s\n", xk_str_get(&name));
    }
    print_tally(&t);
    xk_str_fini(&name);
    free(sorted);
    return bad;
}

void coverage_print(const struct coverage *v)
{
    struct xk_str name;

    xk_str_init(&name, NULL);
    for (unsigned k = 0; k < N_SLOTS; k++) {
        if (!v->item[k].key)
            continue;
        name_item(v->item[k].key, &name);
        printf("%s %s\n",
               v->item[k].foreign ? "foreign"
               : v->item[k].seen  ? "seen"
                                  : "unseen",
               xk_str_get(&name));
    }
    xk_str_fini(&name);
}

unsigned coverage_check(const struct coverage *v, const char *excuses,
                        unsigned show)
{
    enum { MAX = 1000 };
    struct excuse *const e = calloc(MAX, sizeof(*e));
    size_t n_b;
    char *const text = iga_read_file(excuses, &n_b);
    unsigned n, bad;

    if (!text || !e)
        abort();
    n = read_excuses(text, e, MAX);
    bad = judge_items(v, e, n, show);
    bad += judge_excuses(e, n, show);
    printf("# %u excuses\n", n);
    free(text);
    free(e);
    return bad;
}
