/* SPDX-License-Identifier: Apache-2.0 */
#include "container/patch_tokens.h"

#include <string.h>

#include "container/elf_read.h"
#include "base/bytes.h"

#define MAGIC 0x494e5443u /* "CTNI" */
#define ELF_SECTION "Intel(R) OpenCL Device Binary"
#define PROGRAM_HEADER_B 28
#define KERNEL_HEADER_B 40
#define TOKEN_HEADER_B 8
#define MAX_KERNELS 65536
#define MAX_OFFSET_B 65536 /* offset of an argument in cross-thread data */
#define MAX_PER_THREAD_B (1u << 24)
#define NO_OFFSET UINT32_MAX

/* Tokens that say what a kernel needs; the others are skipped. */
enum token {
    TOKEN_BINDING_TABLE = 8,
    TOKEN_IMAGE = 12,
    TOKEN_LOCAL_SURFACE = 15,
    TOKEN_SAMPLER = 16,
    TOKEN_DATA_PARAMETER = 17,
    TOKEN_VFE_STATE = 18,
    TOKEN_THREAD_PAYLOAD = 22,
    TOKEN_EXECUTION_ENVIRONMENT = 23,
    TOKEN_DATA_PARAMETER_STREAM = 25,
    TOKEN_STATELESS_GLOBAL = 30,
    TOKEN_STATELESS_CONSTANT = 31,
    TOKEN_PRINTF = 33,
    TOKEN_PRIVATE_MEMORY = 38,
    TOKEN_PROGRAM_GLOBALS = 41,   /* token of the program; its bytes follow */
    TOKEN_PROGRAM_CONSTANTS = 42, /* the same */
    TOKEN_GLOBALS = 43,
    TOKEN_CONSTANTS = 44,
};

/* The bytes that are not read yet. */
struct span {
    const uint8_t *p;
    size_t n_b;
};

struct reader {
    xk_ctx *c;
    struct xk_zebin *out;
    const char *kernel; /* being read, for messages */
    struct span rest;
    struct span states; /* the kernel's surface state heap */
    struct span table;  /* the binding table in it */
};

static bool take_bytes(struct span *from, uint64_t n_b, struct span *out)
{
    if (n_b > from->n_b)
        return false;
    *out = (struct span){from->p, (size_t)n_b};
    from->p += n_b;
    from->n_b -= (size_t)n_b;
    return true;
}

static enum xk_status short_file(struct reader *r, const char *what,
                                 uint64_t n_b)
{
    return xk_fail(r->c, XK_EPARSE,
                   "patch tokens: kernel '%.100s': %s of %llu bytes, but only "
                   "%zu are left",
                   r->kernel, what, (unsigned long long)n_b, r->rest.n_b);
}

/* Dword k of a token's body; 0 beyond its end, since older files have fewer
 * dwords. */
static uint32_t body(const struct span *t, unsigned k)
{
    return 4 * ((size_t)k + 1) <= t->n_b ? xk_get_dword(t->p, k) : 0;
}

static enum xk_status add_token_arg(struct reader *r, struct xk_zkernel *k,
                                    struct xk_zarg a)
{
    if (a.offset_b > MAX_OFFSET_B || a.size_b > MAX_OFFSET_B)
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel '%.100s': argument %d at offset "
                       "%u, size %u: beyond %u",
                       r->kernel, a.arg_index, a.offset_b, a.size_b,
                       MAX_OFFSET_B);
    k->args[k->n_args++] = a; /* room for one a token: see read_tokens */
    return XK_OK;
}

/* The kind of a value, by its DATA_PARAMETER number. 1 is an argument of the
 * user. */
static uint8_t value_kind(uint32_t type)
{
    switch (type) {
    case 1:
        return XK_ZARG_VALUE;
    case 2:
        return XK_ZARG_LOCAL_SIZE;
    case 3:
        return XK_ZARG_GLOBAL_SIZE;
    case 4:
        return XK_ZARG_GROUP_COUNT;
    case 5:
        return XK_ZARG_WORK_DIMENSIONS;
    case 16:
        return XK_ZARG_GLOBAL_ID_OFFSET;
    case 28:
        return XK_ZARG_ENQUEUED_LOCAL_SIZE;
    case 42:
        return XK_ZARG_BUFFER_OFFSET;
    default:
        return XK_ZARG_OTHER;
    }
}

/* type, argument, offset, size, source offset */
static enum xk_status read_value_token(struct reader *r, const struct span *t,
                                       struct xk_zkernel *k)
{
    const uint8_t kind = value_kind(body(t, 0));
    const bool slm = body(t, 0) == 8; /* size of the __local arguments before */
    return add_token_arg(r, k,
                         (struct xk_zarg){
                             .kind = slm ? XK_ZARG_POINTER : kind,
                             .slm = slm,
                             .mode = slm ? XK_ZMODE_SLM : XK_ZMODE_STATELESS,
                             .arg_index = kind == XK_ZARG_VALUE || slm
                                              ? (int32_t)body(t, 1)
                                              : -1,
                             .offset_b = body(t, 2),
                             .size_b = body(t, 3),
                             .source_b = body(t, 4),
                         });
}

/* The binding table comes before all tokens that use it. Its entries are
 * offsets of surface states. Later tokens say to which argument each surface
 * belongs. */
static enum xk_status read_table(struct reader *r, const struct span *t,
                                 struct xk_zkernel *k)
{
    const uint64_t at = body(t, 0), n = body(t, 1);
    if (k->bindings || at + 4 * n > r->states.n_b)
        return xk_fail(
            r->c, XK_EPARSE,
            "patch tokens: kernel '%.100s': a binding table of %llu "
            "entries at %llu in a heap of %zu bytes, or a second one",
            r->kernel, (unsigned long long)n, (unsigned long long)at,
            r->states.n_b);
    k->bindings = xk_calloc(r->c, (size_t)n + 1, sizeof *k->bindings);
    if (!k->bindings)
        return XK_ENOMEM;
    r->table = (struct span){r->states.p + at, (size_t)(4 * n)};
    for (uint32_t i = 0; i < n; i++)
        k->bindings[k->n_bindings++] =
            (struct xk_zbinding){.bti = i, .arg_index = -1};
    return XK_OK;
}

/* Gives the surface state at an offset of the heap to an argument. */
static void bind_surface(const struct reader *r, struct xk_zkernel *k,
                         uint32_t state_b, int32_t arg)
{
    for (uint32_t i = 0; i < k->n_bindings; i++)
        if (xk_get_dword(r->table.p, i) == state_b)
            k->bindings[i].arg_index = arg;
}

/* argument, surface state offset, data offset, data size */
static enum xk_status read_pointer(struct reader *r, const struct span *t,
                                   struct xk_zkernel *k)
{
    bind_surface(r, k, body(t, 1), (int32_t)body(t, 0));
    if (body(t, 2) == NO_OFFSET)
        return XK_OK;
    return add_token_arg(r, k,
                         (struct xk_zarg){.kind = XK_ZARG_POINTER,
                                          .arg_index = (int32_t)body(t, 0),
                                          .offset_b = body(t, 2),
                                          .size_b = body(t, 3)});
}

/* number, surface state offset, data offset, data size */
static enum xk_status read_base(struct reader *r, const struct span *t,
                                uint8_t kind, struct xk_zkernel *k)
{
    bind_surface(r, k, body(t, 1), -2 - (kind == XK_ZARG_GLOBAL_BASE));
    if (body(t, 2) == NO_OFFSET)
        return XK_OK;
    return add_token_arg(r, k,
                         (struct xk_zarg){.kind = kind,
                                          .arg_index = -1,
                                          .offset_b = body(t, 2),
                                          .size_b = body(t, 3)});
}

/* surface state offset, data offset, data size, bytes, 1: for each lane */
static enum xk_status read_private(struct reader *r, const struct span *t,
                                   struct xk_zkernel *k)
{
    k->private_b = body(t, 3);
    k->private_is_lane = body(t, 4) != 0;
    if (k->private_b > MAX_PER_THREAD_B)
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel '%.100s': %u bytes of private "
                       "memory, at most %u",
                       r->kernel, k->private_b, MAX_PER_THREAD_B);
    return add_token_arg(r, k,
                         (struct xk_zarg){.kind = XK_ZARG_PRIVATE_BASE,
                                          .arg_index = -1,
                                          .offset_b = body(t, 1),
                                          .size_b = body(t, 2)});
}

static enum xk_status read_refused(struct reader *r, const char *what,
                                   struct xk_zkernel *k)
{
    struct xk_zarg a = {.kind = XK_ZARG_REFUSED, .arg_index = -1};
    strncpy(a.type, what, sizeof a.type - 1);
    return add_token_arg(r, k, a);
}

/* Compilers of version 1081 (Debian's) write 33 dwords. Later ones insert one
 * more before the register count. */
static void read_environment(const struct span *t, struct xk_zkernel *k)
{
    const unsigned later = t->n_b >= 34 * 4;
    for (unsigned i = 0; i < 3; i++)
        k->required[i] = body(t, i);
    k->simd = body(t, 3);
    k->barriers = body(t, 5);
    k->grf_count = body(t, 20 + later);
    k->has_dpas = body(t, 23 + later) != 0;
}

/* Dimensions of local ids, where a prologue that loads them ends, and whether
 * arguments arrive in a register. */
static void read_thread_payload(const struct span *t, struct xk_zkernel *k)
{
    k->n_local_ids = body(t, 1) + body(t, 2) + body(t, 3);
    k->idless = body(t, 6) != 0;
    k->skip_per_thread_b = body(t, 12);
    k->inline_b = body(t, 14) ? 32 : 0;
}

static enum xk_status read_token(struct reader *r, uint32_t token,
                                 const struct span *t, struct xk_zkernel *k)
{
    switch (token) {
    case TOKEN_DATA_PARAMETER:
        return read_value_token(r, t, k);
    case TOKEN_STATELESS_GLOBAL:
    case TOKEN_STATELESS_CONSTANT:
        return read_pointer(r, t, k);
    case TOKEN_BINDING_TABLE:
        return read_table(r, t, k);
    case TOKEN_GLOBALS:
        return read_base(r, t, XK_ZARG_GLOBAL_BASE, k);
    case TOKEN_CONSTANTS:
        return read_base(r, t, XK_ZARG_CONST_BASE, k);
    case TOKEN_PRIVATE_MEMORY:
        return read_private(r, t, k);
    case TOKEN_IMAGE:
        return read_refused(r, "image", k);
    case TOKEN_SAMPLER:
        return read_refused(r, "sampler", k);
    case TOKEN_PRINTF:
        return read_refused(r, "printf_buffer", k);
    case TOKEN_LOCAL_SURFACE:
        k->slm_b = body(t, 1);
        return XK_OK;
    case TOKEN_VFE_STATE:
        k->scratch_b = body(t, 1);
        return XK_OK;
    case TOKEN_THREAD_PAYLOAD:
        read_thread_payload(t, k);
        return XK_OK;
    case TOKEN_EXECUTION_ENVIRONMENT:
        read_environment(t, k);
        return XK_OK;
    case TOKEN_DATA_PARAMETER_STREAM:
        k->cross_thread_b = body(t, 0);
        return XK_OK;
    default:
        return XK_OK;
    }
}

static enum xk_status next_token(struct reader *r, struct span *list,
                                 uint32_t *token, struct span *out)
{
    struct span head;
    if (!take_bytes(list, TOKEN_HEADER_B, &head))
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel '%.100s': %zu bytes behind the "
                       "last token",
                       r->kernel, list->n_b);
    const uint32_t size_b = xk_get_dword(head.p, 1);
    *token = xk_get_dword(head.p, 0);
    if (size_b < TOKEN_HEADER_B ||
        !take_bytes(list, size_b - TOKEN_HEADER_B, out))
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel '%.100s': token %u has %u bytes, "
                       "%zu are left",
                       r->kernel, *token, size_b, list->n_b);
    return XK_OK;
}

/* A token says how long the stream is into which arguments are written. It may
 * come before or behind the arguments' tokens, so they are checked
 * afterwards. */
static enum xk_status check_stream_args(struct reader *r,
                                        const struct xk_zkernel *k)
{
    if (k->cross_thread_b > 2 * MAX_OFFSET_B)
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel '%.100s': %u bytes of arguments, "
                       "more than %u",
                       r->kernel, k->cross_thread_b, 2 * MAX_OFFSET_B);
    for (uint32_t i = 0; i < k->n_args; i++) {
        const struct xk_zarg *const a = &k->args[i];
        if (a->offset_b + a->size_b > k->cross_thread_b)
            return xk_fail(r->c, XK_EPARSE,
                           "patch tokens: kernel '%.100s': argument %d at "
                           "offset %u, size %u: beyond the %u bytes of "
                           "arguments",
                           r->kernel, a->arg_index, a->offset_b, a->size_b,
                           k->cross_thread_b);
    }
    return XK_OK;
}

static enum xk_status read_tokens(struct reader *r, struct span list,
                                  struct xk_zkernel *k)
{
    const size_t most = list.n_b / TOKEN_HEADER_B;
    if (most) {
        k->args = xk_calloc(r->c, most, sizeof(*k->args));
        if (!k->args)
            return XK_ENOMEM;
    }
    while (list.n_b) {
        struct span t = {NULL, 0};
        uint32_t token = 0;
        XK_TRY(next_token(r, &list, &token, &t));
        XK_TRY(read_token(r, token, &t, k));
    }
    if (!k->simd || !k->grf_count)
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel '%.100s': SIMD size is %u and "
                       "register count is %u",
                       r->kernel, k->simd, k->grf_count);
    return check_stream_args(r, k);
}

static enum xk_status read_name(struct reader *r, uint32_t name_b,
                                struct xk_zkernel *k)
{
    struct span name;
    if (!take_bytes(&r->rest, name_b, &name))
        return short_file(r, "a name", name_b);
    if (!name_b || name_b > sizeof k->name || name.p[0] == 0 ||
        !memchr(name.p, 0, name_b))
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel %u has no name, or one longer "
                       "than %zu",
                       r->out->n_kernels, sizeof(k->name) - 1);
    memcpy(k->name, name.p, strlen((const char *)name.p) + 1);
    r->kernel = k->name;
    return XK_OK;
}

static enum xk_status read_token_kernel(struct reader *r, struct xk_zkernel *k)
{
    struct span head, heap, tokens;
    r->kernel = "?";
    if (!take_bytes(&r->rest, KERNEL_HEADER_B, &head))
        return short_file(r, "a header", KERNEL_HEADER_B);
    XK_TRY(read_name(r, xk_get_dword(head.p, 3), k));
    const uint32_t heap_b = xk_get_dword(head.p, 5),
                   code_b = xk_get_dword(head.p, 9);
    if (!take_bytes(&r->rest, heap_b, &heap))
        return short_file(r, "a kernel heap", heap_b);
    if (code_b > heap_b)
        return xk_fail(r->c, XK_EPARSE,
                       "patch tokens: kernel '%.100s': %u bytes of code in a "
                       "heap of %u",
                       r->kernel, code_b, heap_b);
    k->code = heap.p;
    k->code_b = code_b;
    /* general and dynamic state heaps */
    const uint64_t states_b =
        (uint64_t)xk_get_dword(head.p, 6) + xk_get_dword(head.p, 7);
    struct span skipped;
    if (!take_bytes(&r->rest, states_b, &skipped))
        return short_file(r, "state heaps", states_b);
    r->table = (struct span){0};
    if (!take_bytes(&r->rest, xk_get_dword(head.p, 8), &r->states))
        return short_file(r, "a surface state heap", xk_get_dword(head.p, 8));
    if (!take_bytes(&r->rest, xk_get_dword(head.p, 4), &tokens))
        return short_file(r, "a patch list", xk_get_dword(head.p, 4));
    return read_tokens(r, tokens, k);
}

/* The program's own tokens: constants and variables. The bytes follow their
 * token. */
static enum xk_status read_program_tokens(struct reader *r, struct span list)
{
    while (list.n_b) {
        struct span t = {0}, data;
        uint32_t token = 0;
        XK_TRY(next_token(r, &list, &token, &t));
        if (token != TOKEN_PROGRAM_GLOBALS && token != TOKEN_PROGRAM_CONSTANTS)
            continue;
        const uint32_t n_b = t.n_b >= 8 ? xk_get_dword(t.p, t.n_b / 4 - 1) : 0;
        if (!take_bytes(&list, n_b, &data))
            return xk_fail(r->c, XK_EPARSE,
                           "patch tokens: token %u is followed by %u bytes, "
                           "%zu are left",
                           token, n_b, list.n_b);
        const enum xk_zsection k = token == TOKEN_PROGRAM_GLOBALS
                                       ? XK_ZSECTION_GLOBAL
                                       : XK_ZSECTION_CONST;
        r->out->data[k] = data.p;
        r->out->data_b[k] = n_b;
    }
    return XK_OK;
}

static enum xk_status read_program_header(struct reader *r, uint32_t *gfx_core)
{
    struct span head, tokens;
    if (!take_bytes(&r->rest, PROGRAM_HEADER_B, &head) ||
        xk_get_dword(head.p, 0) != MAGIC)
        return xk_fail(r->c, XK_EPARSE, "patch tokens: no program header");
    const uint32_t n = xk_get_dword(head.p, 4);
    *gfx_core = xk_get_dword(head.p, 2);
    r->out->revision = xk_get_dword(head.p, 5);
    if (!take_bytes(&r->rest, xk_get_dword(head.p, 6), &tokens))
        return short_file(r, "a program patch list", xk_get_dword(head.p, 6));
    XK_TRY(read_program_tokens(r, tokens));
    if (!n || n > MAX_KERNELS || n > r->rest.n_b / KERNEL_HEADER_B)
        return xk_fail(r->c, XK_EPARSE, "patch tokens: %u kernels in %zu bytes",
                       n, r->rest.n_b);
    r->out->kernels = xk_calloc(r->c, n, sizeof(*r->out->kernels));
    if (!r->out->kernels)
        return XK_ENOMEM;
    while (r->out->n_kernels < n) {
        const uint32_t k = r->out->n_kernels++; /* counted: fini frees args */
        XK_TRY(read_token_kernel(r, &r->out->kernels[k]));
    }
    return XK_OK;
}

/* Finds the program inside the file; false if there is none. */
static bool find_program(xk_ctx *c, const void *file, size_t n_b,
                         struct span *out)
{
    struct xk_elf elf;
    struct xk_elf_section s;
    *out = (struct span){file, n_b};
    if (n_b >= 4 && xk_get_dword(file, 0) == MAGIC)
        return true;
    if (n_b < 4 || memcmp(file, "\177ELF", 4) != 0 ||
        xk_elf_open(c, file, n_b, &elf) < 0)
        return false;
    for (unsigned i = 0; i < elf.n_sections; i++) {
        if (xk_elf_section(c, &elf, i, &s) < 0)
            return false;
        if (!strcmp(s.name, ELF_SECTION)) {
            *out = (struct span){s.data, (size_t)s.size_b};
            return s.size_b >= 4 && xk_get_dword(s.data, 0) == MAGIC;
        }
    }
    return false;
}

bool xk_patch_tokens_recognise(const void *file, size_t n_b)
{
    struct span program;
    xk_ctx *const c = xk_ctx_create(NULL);
    const bool yes = c && file && find_program(c, file, n_b, &program);
    xk_ctx_destroy(c);
    return yes;
}

enum xk_status xk_patch_tokens_read(xk_ctx *c, const void *file, size_t n_b,
                                    struct xk_zebin *out, uint32_t *gfx_core)
{
    struct reader r = {.c = c, .out = out, .kernel = "?"};
    *out = (struct xk_zebin){.n_kernels = 0};
    *gfx_core = 0;
    if (!file || !find_program(c, file, n_b, &r.rest))
        return xk_fail(c, XK_EPARSE, "patch tokens: no program found");
    const enum xk_status s = read_program_header(&r, gfx_core);
    if (s < 0)
        xk_zebin_fini(c, out);
    return s;
}
