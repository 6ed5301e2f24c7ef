/* SPDX-License-Identifier: Apache-2.0 */
/* The zebin writer. The file is laid out once in struct layout, then appended
 * front to back; nothing is patched afterwards. Section names, notes and the
 * keys of .ze_info follow the zebin specification of the vendor's compiler; the
 * metadata is block-style YAML because the driver reads no other. */
#include "binary/zebin.h"

#include <string.h>

#include "isa/dispatch_limits.h"
#include "isa/isa.h"

#define ELF_HEADER_B 64
#define ELF_SECTION_B 64
#define EM_INTELGT 205
#define SHT_ZEINFO 0xff000011u
#define TEXT_ALIGN_B 64
#define NOTE_PRODUCT_FAMILY 1

enum section {
    SEC_NULL,
    SEC_TEXT,
    SEC_ZEINFO,
    SEC_NOTE,
    SEC_NAMES,
    N_SECTIONS
};

struct layout {
    uint32_t name_at[N_SECTIONS]; /* in the name table */
    uint64_t at[N_SECTIONS], size_b[N_SECTIONS];
    uint64_t headers_at;
    uint32_t code_b, padding_b;
};

static void put_le(struct xk_str *b, uint64_t v, unsigned n_b)
{
    for (unsigned k = 0; k < n_b; k++)
        xk_str_putc(b, (char)(v >> 8 * k & 0xff));
}

static void pad_to(struct xk_str *b, uint64_t at)
{
    while (b->len < at && !b->failed)
        xk_str_putc(b, 0);
}

static uint64_t align(uint64_t v, uint64_t a)
{
    return (v + a - 1) / a * a;
}

static bool is_identifier(const char *s, size_t max)
{
    const size_t n = strnlen(s, max);

    if (n == 0 || n == max || (s[0] >= '0' && s[0] <= '9'))
        return false;
    for (size_t k = 0; k < n; k++) {
        const char ch = s[k];

        if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
              (ch >= '0' && ch <= '9') || ch == '_'))
            return false;
    }
    return true;
}

static enum xk_status check_args(xk_ctx *c, const struct xk_abi *abi)
{
    if (abi->n_args > XK_ABI_MAX_ARGS)
        return xk_fail(c, XK_EINVAL, "zebin: %u arguments, at most %d",
                       abi->n_args, XK_ABI_MAX_ARGS);
    for (uint32_t k = 0; k < abi->n_args; k++) {
        const struct xk_abi_arg *const a = &abi->args[k];
        const unsigned align_b = a->size_b < 4 ? a->size_b : 4;

        if (a->kind > XK_ABI_ARG_SURFACE || a->size_b == 0 ||
            (a->kind == XK_ABI_ARG_SURFACE && a->size_b != 4) ||
            (a->kind == XK_ABI_ARG_GLOBAL_PTR &&
             (a->size_b != 8 || a->offset_b % 8)) ||
            a->offset_b % align_b)
            return xk_fail(c, XK_EINVAL,
                           "zebin: argument %u: kind %u, %u "
                           "bytes at offset %u",
                           k, a->kind, a->size_b, a->offset_b);
        for (uint32_t j = 0; j < k; j++) {
            const struct xk_abi_arg *const o = &abi->args[j];

            if (a->offset_b < o->offset_b + o->size_b &&
                o->offset_b < a->offset_b + a->size_b)
                return xk_fail(c, XK_EINVAL,
                               "zebin: arguments %u and %u "
                               "overlap at offset %u",
                               j, k, a->offset_b);
        }
    }
    return XK_OK;
}

/* Every product of the platform can dispatch it. */
static enum xk_status check_dispatch(xk_ctx *c, const struct xk_abi *abi,
                                     const struct xk_platform *p)
{
    const struct xk_dispatch asked = {.threads = abi->local[0] / abi->simd *
                                                 abi->local[1] * abi->local[2],
                                      .grf_count = abi->grf_count,
                                      .barriers = abi->barriers,
                                      .slm_b = abi->slm_b,
                                      .inline_b = abi->inline_b};
    struct xk_error err;
    if (xk_dispatch_check(p, XK_PRODUCT_ANY, &asked, &err) != XK_OK)
        return xk_fail(c, err.status, "zebin: %s", err.message);
    return XK_OK;
}

static enum xk_status check(xk_ctx *c, const struct xk_abi *abi,
                            uint32_t code_b)
{
    const struct xk_platform *const p = xk_platform_get(abi->platform);

    if (!p)
        return xk_fail(c, XK_EINVAL, "zebin: platform %d", abi->platform);
    if (!is_identifier(abi->name, sizeof(abi->name)))
        return xk_fail(c, XK_EINVAL, "zebin: kernel name is no identifier");
    if (code_b == 0 || code_b % XK_INST_B)
        return xk_fail(c, XK_EINVAL,
                       "zebin: %u bytes of code, need a multiple "
                       "of %d",
                       code_b, XK_INST_B);
    if (abi->simd != 1 && abi->simd != 8 && abi->simd != 16 && abi->simd != 32)
        return xk_fail(c, XK_EINVAL, "zebin: simd %u, need 1, 8, 16 or 32",
                       abi->simd);
    if (abi->grf_count != 128 && abi->grf_count != 256)
        return xk_fail(c, XK_EINVAL, "zebin: %u registers, need 128 or 256",
                       abi->grf_count);
    if (abi->inline_b != 0 && abi->inline_b != p->inline_data_b)
        return xk_fail(c, XK_EINVAL, "zebin: %u inline bytes, need 0 or %u",
                       abi->inline_b, p->inline_data_b);
    XK_TRY(check_dispatch(c, abi, p));
    if (abi->has_dpas && !p->dpas_exec)
        return xk_fail(c, XK_EINVAL, "zebin: dpas on %s", p->name);
    if (abi->simd == 1 && abi->uses_local_ids)
        return xk_fail(c, XK_EUNSUPPORTED, "zebin: local ids at simd 1");
    return check_args(c, abi);
}

/* Keys in alphabetical order, as the vendor's compiler writes them. */
static void put_environment(struct xk_str *b, const struct xk_abi *abi)
{
    xk_str_puts(b, "    execution_env:\n");
    if (abi->barriers)
        xk_str_printf(b, "      barrier_count: %u\n", abi->barriers);
    xk_str_printf(b, "      grf_count: %u\n", abi->grf_count);
    if (abi->has_dpas)
        xk_str_puts(b, "      has_dpas: true\n");
    if (abi->inline_b)
        xk_str_printf(b, "      inline_data_payload_size: %u\n", abi->inline_b);
    if (abi->local[0]) {
        xk_str_puts(b, "      required_work_group_size:\n");
        for (unsigned k = 0; k < 3; k++)
            xk_str_printf(b, "        - %u\n",
                          abi->local[k] ? abi->local[k] : 1);
    }
    xk_str_printf(b, "      simd_size: %u\n", abi->simd);
    if (abi->slm_b)
        xk_str_printf(b, "      slm_size: %u\n", abi->slm_b);
}

/* A buffer behind a surface: the buffer, which takes no place in the data, and
 * its offset from the surface's base, which does. */
static void put_surface(struct xk_str *b, const struct xk_abi_arg *a,
                        unsigned index)
{
    xk_str_printf(b,
                  "      - arg_type: arg_bypointer\n"
                  "        offset: 0\n"
                  "        size: 0\n"
                  "        arg_index: %u\n"
                  "        addrmode: stateful\n"
                  "        addrspace: global\n"
                  "        access_type: %s\n"
                  "      - arg_type: buffer_offset\n"
                  "        offset: %u\n"
                  "        size: 4\n"
                  "        arg_index: %u\n",
                  index, a->written ? "readwrite" : "readonly", a->offset_b,
                  index);
}

static void put_binding_table(struct xk_str *b, const struct xk_abi *abi)
{
    bool any = false;

    for (uint32_t k = 0; k < abi->n_args; k++) {
        if (abi->args[k].kind != XK_ABI_ARG_SURFACE)
            continue;
        if (!any)
            xk_str_puts(b, "    binding_table_indices:\n");
        any = true;
        xk_str_printf(b,
                      "      - bti_value: %u\n"
                      "        arg_index: %u\n",
                      k, k);
    }
}

static void put_argument(struct xk_str *b, const struct xk_abi_arg *a,
                         unsigned index)
{
    const bool pointer = a->kind == XK_ABI_ARG_GLOBAL_PTR;

    if (a->kind == XK_ABI_ARG_SURFACE) {
        put_surface(b, a, index);
        return;
    }

    xk_str_printf(b, "      - arg_type: %s\n",
                  pointer ? "arg_bypointer" : "arg_byvalue");
    xk_str_printf(b, "        offset: %u\n        size: %u\n", a->offset_b,
                  a->size_b);
    xk_str_printf(b, "        arg_index: %u\n", index);
    if (pointer)
        xk_str_printf(b,
                      "        addrmode: stateless\n"
                      "        addrspace: global\n"
                      "        access_type: %s\n",
                      a->written ? "readwrite" : "readonly");
}

static void put_zeinfo(struct xk_str *b, const struct xk_abi *abi)
{
    const struct xk_platform *const p = xk_platform_get(abi->platform);

    xk_str_printf(b, "---\nversion: '1.0'\nkernels:\n  - name: %s\n",
                  abi->name);
    put_environment(b, abi);
    if (abi->n_args) {
        xk_str_puts(b, "    payload_arguments:\n");
        for (uint32_t k = 0; k < abi->n_args; k++)
            put_argument(b, &abi->args[k], k);
    }
    put_binding_table(b, abi);
    if (abi->uses_local_ids)
        xk_str_printf(b,
                      "    per_thread_payload_arguments:\n"
                      "      - arg_type: local_id\n"
                      "        offset: 0\n        size: %u\n",
                      (unsigned)(3 * align(abi->simd * 2u, p->grf_b)));
    if (abi->scratch_b)
        xk_str_printf(b,
                      "    per_thread_memory_buffers:\n"
                      "      - type: scratch\n"
                      "        usage: spill_fill_space\n"
                      "        size: %u\n",
                      abi->scratch_b);
    xk_str_puts(b, "...\n");
}

/* The name table, recording where each name starts. */
static void put_names(struct xk_str *b, const struct xk_abi *abi,
                      struct layout *l)
{
    const size_t base = b->len;

    put_le(b, 0, 1);
    l->name_at[SEC_TEXT] = (uint32_t)(b->len - base);
    xk_str_printf(b, ".text.%s", abi->name);
    put_le(b, 0, 1);
    l->name_at[SEC_ZEINFO] = (uint32_t)(b->len - base);
    xk_str_puts(b, ".ze_info");
    put_le(b, 0, 1);
    l->name_at[SEC_NOTE] = (uint32_t)(b->len - base);
    xk_str_puts(b, ".note.intelgt.compat");
    put_le(b, 0, 1);
    l->name_at[SEC_NAMES] = (uint32_t)(b->len - base);
    xk_str_puts(b, ".shstrtab");
    put_le(b, 0, 1);
}

static void put_note(struct xk_str *b, uint32_t product_family)
{
    put_le(b, 8, 4); /* bytes of the owner's name */
    put_le(b, 4, 4); /* bytes of the description */
    put_le(b, NOTE_PRODUCT_FAMILY, 4);
    xk_str_write(b, "IntelGT", 8);
    put_le(b, product_family, 4);
}

static void place(struct layout *l, const struct xk_str *info,
                  const struct xk_str *names)
{
    l->at[SEC_TEXT] = ELF_HEADER_B;
    l->size_b[SEC_TEXT] = align(l->code_b + l->padding_b, TEXT_ALIGN_B);
    l->at[SEC_ZEINFO] = l->at[SEC_TEXT] + l->size_b[SEC_TEXT];
    l->size_b[SEC_ZEINFO] = info->len;
    l->at[SEC_NOTE] = align(l->at[SEC_ZEINFO] + info->len, 4);
    l->size_b[SEC_NOTE] = 3 * 4 + 8 + 4;
    l->at[SEC_NAMES] = l->at[SEC_NOTE] + l->size_b[SEC_NOTE];
    l->size_b[SEC_NAMES] = names->len;
    l->headers_at = align(l->at[SEC_NAMES] + names->len, 8);
}

static void put_elf_header(struct xk_str *b, const struct layout *l)
{
    static const char ident[16] = {
        0x7f, 'E', 'L', 'F', 2 /* 64 bit */, 1 /* little endian */,
        1 /* version */};

    xk_str_write(b, ident, sizeof(ident));
    put_le(b, 1, 2); /* relocatable */
    put_le(b, EM_INTELGT, 2);
    put_le(b, 1, 4); /* version */
    put_le(b, 0, 8); /* entry */
    put_le(b, 0, 8); /* program headers */
    put_le(b, l->headers_at, 8);
    put_le(b, 0, 4); /* flags */
    put_le(b, ELF_HEADER_B, 2);
    put_le(b, 0, 2); /* program header size and count */
    put_le(b, 0, 2);
    put_le(b, ELF_SECTION_B, 2);
    put_le(b, N_SECTIONS, 2);
    put_le(b, SEC_NAMES, 2);
}

static void put_section_headers(struct xk_str *b, const struct layout *l)
{
    static const struct {
        uint32_t type, flags, align_b;
    } kinds[N_SECTIONS] = {
        [SEC_TEXT] = {1, 2 | 4 /* allocated, executable */, TEXT_ALIGN_B},
        [SEC_ZEINFO] = {SHT_ZEINFO, 0, 1},
        [SEC_NOTE] = {7, 0, 4},
        [SEC_NAMES] = {3, 0, 1},
    };

    for (unsigned k = 0; k < N_SECTIONS; k++) {
        put_le(b, l->name_at[k], 4);
        put_le(b, kinds[k].type, 4);
        put_le(b, kinds[k].flags, 8);
        put_le(b, 0, 8); /* address */
        put_le(b, l->at[k], 8);
        put_le(b, l->size_b[k], 8);
        put_le(b, 0, 8); /* link, info */
        put_le(b, kinds[k].align_b, 8);
        put_le(b, 0, 8); /* entry size */
    }
}

static void put_file(struct xk_str *b, const struct layout *l, const void *code,
                     const struct xk_str *info, uint32_t product_family,
                     const struct xk_str *names)
{
    put_elf_header(b, l);
    xk_str_write(b, code, l->code_b);
    pad_to(b, l->at[SEC_ZEINFO]);
    xk_str_write(b, xk_str_get(info), info->len);
    pad_to(b, l->at[SEC_NOTE]);
    put_note(b, product_family);
    xk_str_write(b, xk_str_get(names), names->len);
    pad_to(b, l->headers_at);
    put_section_headers(b, l);
}

enum xk_status xk_zebin_write(xk_ctx *c, const struct xk_abi *abi,
                              const void *code, uint32_t code_b,
                              struct xk_str *out)
{
    struct layout l = {.code_b = code_b};
    enum xk_status st = check(c, abi, code_b);
    struct xk_str info, names;

    if (st < 0)
        return st;
    if (out->len)
        return xk_fail(c, XK_EINVAL, "zebin: output holds %zu bytes", out->len);
    xk_str_init(&info, &c->alloc);
    xk_str_init(&names, &c->alloc);
    put_zeinfo(&info, abi);
    put_names(&names, abi, &l);
    l.padding_b =
        xk_dispatch_padding_b(xk_platform_get(abi->platform), XK_PRODUCT_ANY);
    place(&l, &info, &names);
    put_file(out, &l, code, &info,
             xk_platform_get(abi->platform)->product_family, &names);
    if (info.failed || names.failed || out->failed)
        st = xk_fail(c, XK_ENOMEM, "zebin: out of memory");
    xk_str_fini(&names);
    xk_str_fini(&info);
    return st;
}
