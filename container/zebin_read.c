/* SPDX-License-Identifier: Apache-2.0 */
/* Walks .ze_info as a libyaml document. Unknown keys are skipped; known keys
 * must have the right shape. libyaml uses its own allocator, and all its memory
 * is freed before the call returns. */
#include "container/zebin_read.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "container/elf_read.h"
#include "container/launches_read.h"
#include "base/bytes.h"

#define SECTION_ZE_INFO 0xff000011u
#define SECTION_NOTE 7u
#define MACHINE_INTELGT 205
#define SECTION_SYMBOLS 2u
#define SECTION_RELA 4u
#define SECTION_REL 9u
#define MAX_PER_THREAD_B (1u << 24)
#define MAX_OFFSET_B 65536 /* offset of an argument in cross-thread data */

struct reader {
    xk_ctx *c;
    struct xk_elf elf;
    yaml_document_t doc;
    struct xk_zebin *out;
    const char *kernel; /* being read, for messages */
};

static const char *yaml_text(const yaml_node_t *n)
{
    return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value
                                            : NULL;
}

/* The value of a key, or NULL. */
static yaml_node_t *yaml_get(struct reader *r, const yaml_node_t *map,
                             const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start;
         p < map->data.mapping.pairs.top; p++) {
        const char *k = yaml_text(yaml_document_get_node(&r->doc, p->key));
        if (k && strcmp(k, key) == 0)
            return yaml_document_get_node(&r->doc, p->value);
    }
    return NULL;
}

static unsigned length(const yaml_node_t *seq)
{
    if (!seq || seq->type != YAML_SEQUENCE_NODE)
        return 0;
    return (unsigned)(seq->data.sequence.items.top -
                      seq->data.sequence.items.start);
}

static yaml_node_t *item(struct reader *r, const yaml_node_t *seq, unsigned i)
{
    return yaml_document_get_node(&r->doc, seq->data.sequence.items.start[i]);
}

/* Leaves *out alone if the key is absent. */
static enum xk_status get_u32(struct reader *r, const yaml_node_t *map,
                              const char *key, uint32_t *out)
{
    const yaml_node_t *n = yaml_get(r, map, key);
    char *end;
    if (!n)
        return XK_OK;
    const char *s = yaml_text(n);
    const unsigned long long v = s ? strtoull(s, &end, 0) : 0;
    if (!s || !*s || *end || *s == '-' || v > UINT32_MAX)
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel '%.100s': %s is '%.40s',"
                       " not a 32-bit number",
                       r->kernel, key, s ? s : "?");
    *out = (uint32_t)v;
    return XK_OK;
}

static bool get_bool(struct reader *r, const yaml_node_t *map, const char *key)
{
    const char *s = yaml_text(yaml_get(r, map, key));
    return s && strcmp(s, "true") == 0;
}

/* work_group_walk_order_dimensions: [0, 1, 2] is x first. */
static enum xk_status read_walk_order(struct reader *r, const yaml_node_t *env,
                                      struct xk_zkernel *k)
{
    static const char orders[][4] = {"012", "021", "102", "201", "120", "210"};
    const yaml_node_t *list =
        yaml_get(r, env, "work_group_walk_order_dimensions");
    char text[4] = "";
    if (!list)
        return XK_OK;
    for (unsigned i = 0; i < 3 && i < length(list); i++) {
        const char *s = yaml_text(item(r, list, i));
        text[i] = s ? s[0] : '?';
    }
    for (uint8_t i = 0; i < XK_COUNTOF(orders); i++) {
        k->walk_order = i;
        if (length(list) == 3 && memcmp(orders[i], text, 3) == 0)
            return XK_OK;
    }
    return xk_fail(r->c, XK_EPARSE, "zebin: kernel '%.100s': walk order '%.3s'",
                   k->name, text);
}

/* The source's reqd_work_group_size: three numbers, none of them 0. */
static enum xk_status read_required(struct reader *r, const yaml_node_t *env,
                                    struct xk_zkernel *k)
{
    const yaml_node_t *const list =
        yaml_get(r, env, "required_work_group_size");
    const unsigned n = list ? length(list) : 0;
    for (unsigned i = 0; i < 3 && i < n; i++) {
        const char *const s = yaml_text(item(r, list, i));
        char *end = "?";
        const unsigned long v = s ? strtoul(s, &end, 10) : 0;
        k->required[i] = *end || v > UINT32_MAX ? 0 : (uint32_t)v;
    }
    if (!list || (n == 3 && k->required[0] && k->required[1] && k->required[2]))
        return XK_OK;
    return xk_fail(r->c, XK_EPARSE,
                   "zebin: kernel '%.100s': required_work_group_size has %u "
                   "numbers, %u,%u,%u",
                   k->name, n, k->required[0], k->required[1], k->required[2]);
}

static enum xk_status read_execution_env(struct reader *r,
                                         const yaml_node_t *kernel,
                                         struct xk_zkernel *k)
{
    const yaml_node_t *env = yaml_get(r, kernel, "execution_env");
    if (!env)
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel '%.100s' has no "
                       "execution_env",
                       k->name);
    XK_TRY(get_u32(r, env, "simd_size", &k->simd));
    XK_TRY(get_u32(r, env, "grf_count", &k->grf_count));
    XK_TRY(get_u32(r, env, "slm_size", &k->slm_b));
    XK_TRY(get_u32(r, env, "barrier_count", &k->barriers));
    XK_TRY(get_u32(r, env, "inline_data_payload_size", &k->inline_b));
    XK_TRY(get_u32(r, env, "offset_to_skip_per_thread_data_load",
                   &k->skip_per_thread_b));
    k->has_dpas = get_bool(r, env, "has_dpas");
    XK_TRY(read_walk_order(r, env, k));
    XK_TRY(read_required(r, env, k));
    if (!k->simd || !k->grf_count)
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel '%.100s': simd_size is "
                       "%u and grf_count is %u",
                       k->name, k->simd, k->grf_count);
    return XK_OK;
}

static uint8_t arg_kind_of(const char *type)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {
        {"arg_bypointer", XK_ZARG_POINTER},
        {"buffer_address", XK_ZARG_POINTER},
        {"arg_byvalue", XK_ZARG_VALUE},
        {"local_size", XK_ZARG_LOCAL_SIZE},
        {"group_count", XK_ZARG_GROUP_COUNT},
        {"global_id_offset", XK_ZARG_GLOBAL_ID_OFFSET},
        {"enqueued_local_size", XK_ZARG_ENQUEUED_LOCAL_SIZE},
        {"global_size", XK_ZARG_GLOBAL_SIZE},
        {"work_dimensions", XK_ZARG_WORK_DIMENSIONS},
        {"buffer_offset", XK_ZARG_BUFFER_OFFSET},
        {"private_base_stateless", XK_ZARG_PRIVATE_BASE},
        {"const_base", XK_ZARG_CONST_BASE},
        {"data_const_buffer", XK_ZARG_CONST_BASE},
        {"global_base", XK_ZARG_GLOBAL_BASE},
        {"data_global_buffer", XK_ZARG_GLOBAL_BASE},
    };
    static const char *const refused[] = {
        "printf_buffer", "assert_buffer", "implicit_arg_buffer",
        "rt_",           "sync_buffer",   "image_",
        "sampler_",      "vme_",          "flat_image_",
        "dispatch_",
    };
    for (size_t i = 0; i < XK_COUNTOF(refused); i++)
        if (strncmp(type, refused[i], strlen(refused[i])) == 0)
            return XK_ZARG_REFUSED;
    for (size_t i = 0; i < XK_COUNTOF(kinds); i++)
        if (strcmp(kinds[i].name, type) == 0)
            return kinds[i].kind;
    return XK_ZARG_OTHER;
}

static uint8_t mode_of(const char *mode)
{
    static const char *const names[] = {"stateless", "stateful", "bindless",
                                        "slm"};
    for (uint8_t i = 0; mode && i < XK_COUNTOF(names); i++)
        if (strcmp(names[i], mode) == 0)
            return i;
    return XK_ZMODE_STATELESS;
}

static bool is_image(const char *space)
{
    return space &&
           (strcmp(space, "image") == 0 || strcmp(space, "sampler") == 0);
}

static enum xk_status read_yaml_arg(struct reader *r, const yaml_node_t *n,
                                    struct xk_zkernel *k, struct xk_zarg *a)
{
    const char *type = yaml_text(yaml_get(r, n, "arg_type"));
    uint32_t index = UINT32_MAX;
    if (!type)
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel '%.100s': an argument "
                       "has no arg_type",
                       k->name);
    a->kind = arg_kind_of(type);
    strncpy(a->type, type, sizeof a->type - 1);
    a->mode = mode_of(yaml_text(yaml_get(r, n, "addrmode")));
    a->slm = a->mode == XK_ZMODE_SLM;
    a->copy = strcmp(type, "buffer_address") == 0;
    if (is_image(yaml_text(yaml_get(r, n, "addrspace"))))
        a->kind = XK_ZARG_REFUSED;
    XK_TRY(get_u32(r, n, "offset", &a->offset_b));
    XK_TRY(get_u32(r, n, "size", &a->size_b));
    XK_TRY(get_u32(r, n, "source_offset", &a->source_b));
    XK_TRY(get_u32(r, n, "arg_index", &index));
    a->arg_index = index < INT32_MAX ? (int32_t)index : -1;
    if (a->offset_b > MAX_OFFSET_B || a->size_b > MAX_OFFSET_B)
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel '%.100s': %.40s at "
                       "offset %u, size %u: beyond %u",
                       k->name, type, a->offset_b, a->size_b, MAX_OFFSET_B);
    if (a->offset_b + a->size_b > k->cross_thread_b)
        k->cross_thread_b = a->offset_b + a->size_b;
    return XK_OK;
}

static enum xk_status read_args(struct reader *r, const yaml_node_t *kernel,
                                struct xk_zkernel *k)
{
    const yaml_node_t *list = yaml_get(r, kernel, "payload_arguments");
    const unsigned n = length(list);
    if (n) {
        k->args = xk_calloc(r->c, n, sizeof(*k->args));
        if (!k->args)
            return XK_ENOMEM;
    }
    for (; k->n_args < n; k->n_args++)
        XK_TRY(
            read_yaml_arg(r, item(r, list, k->n_args), k, &k->args[k->n_args]));
    k->cross_thread_b = (k->cross_thread_b + 31) / 32 * 32;
    return XK_OK;
}

static enum xk_status read_per_thread(struct reader *r,
                                      const yaml_node_t *kernel,
                                      struct xk_zkernel *k)
{
    const yaml_node_t *list =
        yaml_get(r, kernel, "per_thread_payload_arguments");
    for (unsigned i = 0; i < length(list); i++) {
        const char *type = yaml_text(yaml_get(r, item(r, list, i), "arg_type"));
        if (type && strcmp(type, "packed_local_ids") == 0) {
            k->local_id_b = 32; /* x, y, z in one register */
            continue;
        }
        if (!type || strcmp(type, "local_id") != 0)
            return xk_fail(r->c, XK_EUNSUPPORTED,
                           "zebin: kernel '%.100s': "
                           "per-thread argument '%.40s'",
                           k->name, type ? type : "?");
        XK_TRY(get_u32(r, item(r, list, i), "size", &k->local_id_b));
        if (k->local_id_b % 32 || k->local_id_b > 3 * 64)
            return xk_fail(r->c, XK_EUNSUPPORTED,
                           "zebin: kernel '%.100s': local_id has %u bytes, "
                           "not registers for up to three dimensions",
                           k->name, k->local_id_b);
    }
    k->idless = !k->local_id_b;
    return XK_OK;
}

/* Buffers of one kind are added up: there may be one for spilled registers and
 * one for private variables. */
static enum xk_status read_memory_buffer(struct reader *r, const yaml_node_t *n,
                                         struct xk_zkernel *k)
{
    const char *type = yaml_text(yaml_get(r, n, "type"));
    uint32_t size_b = 0;
    XK_TRY(get_u32(r, n, "size", &size_b));
    if (size_b > MAX_PER_THREAD_B)
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel '%.100s': a per-thread buffer of %u "
                       "bytes, at most %u",
                       k->name, size_b, MAX_PER_THREAD_B);
    if (!type || strcmp(type, "global") != 0) {
        k->scratch_b = size_b > k->scratch_b ? size_b : k->scratch_b;
        return XK_OK;
    }
    k->private_is_lane = get_bool(r, n, "is_simt_thread");
    k->private_b = size_b;
    return XK_OK;
}

static enum xk_status read_memory_buffers(struct reader *r,
                                          const yaml_node_t *kernel,
                                          struct xk_zkernel *k)
{
    const yaml_node_t *list = yaml_get(r, kernel, "per_thread_memory_buffers");
    for (unsigned i = 0; i < length(list); i++)
        XK_TRY(read_memory_buffer(r, item(r, list, i), k));
    return XK_OK;
}

static enum xk_status read_bindings(struct reader *r, const yaml_node_t *kernel,
                                    struct xk_zkernel *k)
{
    const yaml_node_t *list = yaml_get(r, kernel, "binding_table_indices");
    const unsigned n = length(list);
    if (!n)
        return XK_OK;
    k->bindings = xk_calloc(r->c, n, sizeof(*k->bindings));
    if (!k->bindings)
        return XK_ENOMEM;
    for (; k->n_bindings < n; k->n_bindings++) {
        uint32_t bti = UINT32_MAX, arg = UINT32_MAX;
        XK_TRY(get_u32(r, item(r, list, k->n_bindings), "bti_value", &bti));
        XK_TRY(get_u32(r, item(r, list, k->n_bindings), "arg_index", &arg));
        if (bti > 255 || arg > INT32_MAX)
            return xk_fail(r->c, XK_EPARSE,
                           "zebin: kernel '%.100s': binding table index %u of "
                           "argument %u",
                           k->name, bti, arg);
        k->bindings[k->n_bindings] =
            (struct xk_zbinding){.bti = bti, .arg_index = (int32_t)arg};
    }
    return XK_OK;
}

static enum xk_status find_code(struct reader *r, struct xk_zkernel *k)
{
    static const char prefix[] = ".text.";
    struct xk_elf_section s;
    for (unsigned i = 0; i < r->elf.n_sections; i++) {
        XK_TRY(xk_elf_section(r->c, &r->elf, i, &s));
        if (strncmp(s.name, prefix, sizeof(prefix) - 1) != 0 ||
            strcmp(s.name + sizeof(prefix) - 1, k->name) != 0)
            continue;
        k->code = s.data;
        k->code_b = (size_t)s.size_b;
        return XK_OK;
    }
    return xk_fail(r->c, XK_EPARSE, "zebin: no section .text.%.100s", k->name);
}

/* An undefined symbol is refused: nothing here gives it an address. */
static enum xk_status undefined_symbol(struct reader *r,
                                       const struct xk_elf_section *symbols,
                                       uint32_t name, uint32_t index)
{
    struct xk_elf_section names = {.name = ""};
    if (symbols->link && symbols->link < r->elf.n_sections)
        XK_TRY(xk_elf_section(r->c, &r->elf, symbols->link, &names));
    const bool named =
        name < names.size_b &&
        memchr(names.data + name, 0, (size_t)(names.size_b - name));
    return xk_fail(r->c, XK_EUNSUPPORTED,
                   "zebin: kernel '%.100s': symbol %u, '%.100s', is not "
                   "defined in the file",
                   r->kernel, index,
                   named ? (const char *)names.data + name : "");
}

/* The section and the offset of symbol number `index`. */
static enum xk_status locate_symbol(struct reader *r, uint32_t index,
                                    struct xk_zreloc *out)
{
    struct xk_elf_section s, home = {.name = ""};
    for (unsigned i = 0; i < r->elf.n_sections; i++) {
        XK_TRY(xk_elf_section(r->c, &r->elf, i, &s));
        if (s.type != SECTION_SYMBOLS)
            continue;
        if (index >= s.size_b / 24)
            break;
        const uint8_t *const p = s.data + 24 * (size_t)index;
        const unsigned in = p[6] | (unsigned)p[7] << 8;
        if (!in)
            return undefined_symbol(r, &s, xk_get_u32(p), index);
        if (in < r->elf.n_sections)
            XK_TRY(xk_elf_section(r->c, &r->elf, in, &home));
        out->value += xk_get_u64(p + 8);
        out->section = strcmp(home.name, ".data.const") == 0 ? XK_ZSECTION_CONST
                       : strcmp(home.name, ".data.global") == 0
                           ? XK_ZSECTION_GLOBAL
                           : XK_ZSECTION_NONE;
        /* only printf, which is refused, uses addresses of strings */
        if (strcmp(home.name, ".data.const.string") == 0)
            return XK_OK;
        if (*home.name && out->section == XK_ZSECTION_NONE)
            return xk_fail(r->c, XK_EUNSUPPORTED,
                           "zebin: kernel '%.100s': the address of a symbol "
                           "in section '%.60s' is needed",
                           r->kernel, home.name);
        return XK_OK;
    }
    return xk_fail(r->c, XK_EPARSE,
                   "zebin: kernel '%.100s': relocation of symbol %u, which is "
                   "not there",
                   r->kernel, index);
}

static enum xk_status read_reloc(struct reader *r, const struct xk_zkernel *k,
                                 const uint8_t *p, bool addend,
                                 struct xk_zreloc *out)
{
    const uint64_t at = xk_get_u64(p);
    const uint32_t type = xk_get_u32(p + 8);
    if (type < XK_ZRELOC_ADDR || type > XK_ZRELOC_PER_THREAD ||
        at > k->code_b || k->code_b - at < (type == XK_ZRELOC_ADDR ? 8 : 4))
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel '%.100s': relocation of type %u at %llu "
                       "in %zu bytes",
                       r->kernel, type, (unsigned long long)at, k->code_b);
    *out = (struct xk_zreloc){.offset_b = (uint32_t)at,
                              .type = (uint8_t)type,
                              .section = XK_ZSECTION_NONE,
                              .value = addend ? xk_get_u64(p + 16) : 0};
    return type == XK_ZRELOC_PER_THREAD
               ? XK_OK
               : locate_symbol(r, xk_get_u32(p + 12), out);
}

static enum xk_status read_relocs(struct reader *r, struct xk_zkernel *k)
{
    struct xk_elf_section s;
    for (unsigned i = 0; i < r->elf.n_sections; i++) {
        XK_TRY(xk_elf_section(r->c, &r->elf, i, &s));
        const bool addend = s.type == SECTION_RELA;
        const char *const text = strstr(s.name, ".text.");
        if ((!addend && s.type != SECTION_REL) || !text ||
            strcmp(text + 6, k->name) != 0)
            continue;
        const unsigned each_b = addend ? 24 : 16;
        const uint32_t n = (uint32_t)(s.size_b / each_b);
        struct xk_zreloc *const list = xk_calloc(r->c, n + 1u, sizeof *list);
        if (!list)
            return XK_ENOMEM;
        xk_free(r->c, k->relocs);
        k->relocs = list;
        for (k->n_relocs = 0; k->n_relocs < n; k->n_relocs++)
            XK_TRY(read_reloc(r, k, s.data + (size_t)each_b * k->n_relocs,
                              addend, &list[k->n_relocs]));
    }
    return XK_OK;
}

static enum xk_status read_yaml_kernel(struct reader *r, const yaml_node_t *n,
                                       struct xk_zkernel *k)
{
    const char *name = yaml_text(yaml_get(r, n, "name"));
    if (!name || !*name || strlen(name) >= sizeof(k->name))
        return xk_fail(r->c, XK_EPARSE,
                       "zebin: kernel %u has no name, or one "
                       "longer than %zu",
                       r->out->n_kernels, sizeof(k->name) - 1);
    memcpy(k->name, name, strlen(name) + 1);
    r->kernel = k->name;
    XK_TRY(read_execution_env(r, n, k));
    XK_TRY(read_args(r, n, k));
    XK_TRY(read_per_thread(r, n, k));
    XK_TRY(read_memory_buffers(r, n, k));
    XK_TRY(read_bindings(r, n, k));
    XK_TRY(find_code(r, k));
    return read_relocs(r, k);
}

static enum xk_status check_version(struct reader *r, const yaml_node_t *root)
{
    const char *v = yaml_text(yaml_get(r, root, "version"));
    if (!v || (strncmp(v, "1.", 2) != 0 && strcmp(v, "1") != 0))
        return xk_fail(r->c, v ? XK_EUNSUPPORTED : XK_EPARSE,
                       "zebin: .ze_info version is '%.40s', not 1.x",
                       v ? v : "missing");
    return XK_OK;
}

static enum xk_status read_document(struct reader *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->doc);
    if (!root || root->type != YAML_MAPPING_NODE)
        return xk_fail(r->c, XK_EPARSE, "zebin: .ze_info is no mapping");
    XK_TRY(check_version(r, root));
    const yaml_node_t *list = yaml_get(r, root, "kernels");
    const unsigned n = length(list);
    if (!n)
        return xk_fail(r->c, XK_EPARSE, "zebin: .ze_info lists no kernels");
    r->out->kernels = xk_calloc(r->c, n, sizeof(*r->out->kernels));
    if (!r->out->kernels)
        return XK_ENOMEM;
    while (r->out->n_kernels < n) {
        const unsigned i = r->out->n_kernels++; /* counted: fini frees args */
        XK_TRY(read_yaml_kernel(r, item(r, list, i), &r->out->kernels[i]));
    }
    return XK_OK;
}

static enum xk_status read_ze_info(struct reader *r,
                                   const struct xk_elf_section *s)
{
    yaml_parser_t p;
    if (!yaml_parser_initialize(&p))
        return xk_fail(r->c, XK_ENOMEM, "zebin: out of memory in libyaml");
    yaml_parser_set_input_string(&p, s->data, (size_t)s->size_b);
    if (!yaml_parser_load(&p, &r->doc)) {
        const enum xk_status bad = xk_fail(
            r->c, XK_EPARSE, "zebin: .ze_info, line %zu: %.100s",
            p.problem_mark.line + 1, p.problem ? p.problem : "not YAML");
        yaml_parser_delete(&p);
        return bad;
    }
    const enum xk_status status = read_document(r);
    yaml_document_delete(&r->doc);
    yaml_parser_delete(&p);
    return status;
}

/* The revision in a target's flags: bits 12:8 are the lowest, bits 20:16 the
 * highest. */
static uint32_t one_revision(uint32_t flags)
{
    const uint32_t least = flags >> 8 & 31, most = flags >> 16 & 31;
    return least == most ? least : 0;
}

/* IntelGT's notes: type 1 is the product family, type 3 the target's flags,
 * type 6 the IP version. */
static void read_notes(struct reader *r, const struct xk_elf_section *s)
{
    uint64_t at = 0;
    while (s->size_b - at >= 12) {
        const uint8_t *p = s->data + at;
        const uint64_t name_b = ((uint64_t)xk_get_u32(p) + 3) / 4 * 4;
        const uint64_t desc_b = ((uint64_t)xk_get_u32(p + 4) + 3) / 4 * 4;
        if (name_b + desc_b > s->size_b - at - 12)
            return;
        const bool ours =
            name_b == 8 && memcmp(p + 12, "IntelGT", 8) == 0 && desc_b >= 4;
        if (ours && xk_get_u32(p + 8) == 1)
            r->out->product_family = xk_get_u32(p + 20);
        if (ours && xk_get_u32(p + 8) == 3)
            r->out->revision = one_revision(xk_get_u32(p + 20));
        if (ours && xk_get_u32(p + 8) == 6)
            r->out->ip_version = xk_get_u32(p + 20);
        at += 12 + name_b + desc_b;
    }
}

/* Only xekern writes this section, so an error in it is an error of the file.
 * It has the form of a string table with one string, because drivers skip
 * string tables. */
static enum xk_status read_launches(struct reader *r,
                                    const struct xk_elf_section *s)
{
    if (s->size_b < 2 || s->data[0] || s->data[s->size_b - 1])
        return xk_fail(r->c, XK_EPARSE, "zebin: %s is not one string", s->name);
    if (r->out->launches)
        return xk_fail(r->c, XK_EPARSE, "zebin: a second %s", s->name);
    return xk_launches_read(r->c, (const char *)s->data + 1,
                            (size_t)s->size_b - 2, &r->out->launches);
}

static const struct xk_zkernel *find_zkernel(const struct xk_zebin *z,
                                             const char *name)
{
    for (uint32_t i = 0; i < z->n_kernels; i++)
        if (strcmp(z->kernels[i].name, name) == 0)
            return &z->kernels[i];
    return NULL;
}

uint32_t xk_zkernel_n_args(const struct xk_zkernel *k)
{
    int32_t last = -1;
    for (uint32_t i = 0; i < k->n_args; i++)
        if (k->args[i].arg_index > last)
            last = k->args[i].arg_index;
    return (uint32_t)(last + 1);
}

/* Each launched kernel must be in the file, and must take as many arguments as
 * the launch gives. */
static enum xk_status check_launches(struct reader *r)
{
    const struct xk_launch_list *const l = r->out->launches;
    for (uint32_t i = 0; l && i < l->n_launches; i++) {
        const struct xk_launch_step *const s = &l->launches[i];
        const struct xk_zkernel *const k = find_zkernel(r->out, s->kernel);
        if (!k || xk_zkernel_n_args(k) != s->n_args)
            return xk_fail(r->c, XK_EPARSE,
                           "zebin: launch %u: kernel '%s' with %u arguments: "
                           "%s",
                           i, s->kernel, s->n_args,
                           k ? "it has another number of them"
                             : "it is not in the file");
    }
    return XK_OK;
}

static void set_data(struct reader *r, enum xk_zsection k,
                     const struct xk_elf_section *s)
{
    r->out->data[k] = s->data;
    r->out->data_b[k] = s->size_b;
}

static enum xk_status read_sections(struct reader *r)
{
    struct xk_elf_section s, info = {.name = NULL};
    for (unsigned i = 0; i < r->elf.n_sections; i++) {
        XK_TRY(xk_elf_section(r->c, &r->elf, i, &s));
        if (s.type == SECTION_ZE_INFO)
            info = s;
        else if (strcmp(s.name, ".data.const") == 0)
            set_data(r, XK_ZSECTION_CONST, &s);
        else if (strcmp(s.name, ".data.global") == 0)
            set_data(r, XK_ZSECTION_GLOBAL, &s);
        else if (s.type == SECTION_NOTE &&
                 strcmp(s.name, ".note.intelgt.compat") == 0)
            read_notes(r, &s);
        else if (strcmp(s.name, ".xekern.launches") == 0)
            XK_TRY(read_launches(r, &s));
    }
    if (!info.name)
        return xk_fail(r->c, XK_EPARSE, "zebin: no .ze_info section");
    XK_TRY(read_ze_info(r, &info));
    return check_launches(r);
}

enum xk_status xk_zebin_read(xk_ctx *c, const void *file, size_t n_b,
                             struct xk_zebin *out)
{
    struct reader r = {.c = c, .out = out, .kernel = ""};
    *out = (struct xk_zebin){.n_kernels = 0};
    enum xk_status s = xk_elf_open(c, file, n_b, &r.elf);
    if (s == XK_OK && r.elf.machine != MACHINE_INTELGT)
        out->product_family = r.elf.machine;
    if (s == XK_OK)
        s = read_sections(&r);
    if (s < 0)
        xk_zebin_fini(c, out);
    return s;
}

void xk_zebin_fini(xk_ctx *c, struct xk_zebin *z)
{
    for (uint32_t i = 0; z->kernels && i < z->n_kernels; i++) {
        struct xk_zkernel *const k = &z->kernels[i];
        xk_free(c, k->args);
        xk_free(c, k->bindings);
        xk_free(c, k->relocs);
    }
    xk_free(c, z->kernels);
    xk_free(c, z->launches);
    *z = (struct xk_zebin){.n_kernels = 0};
}
