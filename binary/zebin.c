/* SPDX-License-Identifier: Apache-2.0 */
/* The zebin writer. The file is laid out once in struct layout, then appended
 * front to back; nothing is patched afterwards. Section names, notes and the
 * keys of .ze_info follow the zebin specification of the vendor's compiler; the
 * metadata is block-style YAML because the driver reads no other. */
#include "binary/zebin.h"

#include <string.h>

#include "base/launch_list.h"
#include "base/text.h"
#include "binary/launches_text.h"
#include "isa/dispatch_limits.h"
#include "isa/workaround.h"
#include "isa/isa.h"

#define FEW_THREADS 64 /* isa/workaround.def, group_threads */
#define ELF_HEADER_B 64
#define ELF_SECTION_B 64
#define EM_INTELGT 205
#define SHT_ZEINFO 0xff000011u
#define SHT_STRTAB 3
#define SHT_NOTE 7
#define TEXT_ALIGN_B 64
#define NOTE_PRODUCT_FAMILY 1
#define NOTE_TARGET 3
#define NOTE_IP_VERSION 6
#define SECTIONS_MAX (XK_MAX_LAUNCHES + 5)

struct section {
    uint32_t name_at; /* in the name table */
    uint32_t type, flags, align_b;
    uint64_t at, size_b;
};

struct layout {
    unsigned n;
    struct section section[SECTIONS_MAX];
    uint64_t end, headers_at; /* of the sections' bytes; of their headers */
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

static enum xk_status check_abi_args(xk_ctx *c, const struct xk_abi *abi)
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
static enum xk_status check_abi_dispatch(xk_ctx *c, const struct xk_abi *abi,
                                         const struct xk_platform *p)
{
    const struct xk_dispatch asked = {
        .threads = abi->local[0] / abi->simd * abi->local[1] * abi->local[2],
        .grf_count = abi->grf_count,
        .barriers = abi->barriers,
        .slm_b = abi->slm_b,
        .inline_b = abi->inline_b,
        .items = abi->local[0] * abi->local[1] * abi->local[2],
        .simd = abi->simd};
    struct xk_error err;
    if (asked.threads > FEW_THREADS &&
        xk_wa_always_applies(XK_WA_group_threads, &abi->device))
        return xk_fail(c, XK_ENOFIT,
                       "zebin: %u threads in a group, but the device takes at "
                       "most %d (group_threads)",
                       asked.threads, FEW_THREADS);
    if (xk_dispatch_check(p, XK_PRODUCT_ANY, &asked, &err) != XK_OK)
        return xk_fail(c, err.status, "zebin: %s", err.message);
    return XK_OK;
}

static enum xk_status check_kernel(xk_ctx *c, const struct xk_abi *abi,
                                   uint32_t code_b)
{
    const struct xk_platform *const p = xk_platform_get(abi->platform);

    if (!p)
        return xk_fail(c, XK_EINVAL, "zebin: platform %d", abi->platform);
    if (!xk_is_identifier(abi->name, sizeof(abi->name)))
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
    XK_TRY(check_abi_dispatch(c, abi, p));
    if (abi->has_dpas && !p->dpas_exec)
        return xk_fail(c, XK_EINVAL, "zebin: dpas on %s", p->name);
    if (abi->simd == 1 && abi->uses_local_ids)
        return xk_fail(c, XK_EUNSUPPORTED, "zebin: local ids at simd 1");
    return check_abi_args(c, abi);
}

static const struct xk_abi *find_abi(const struct xk_zebin_contents *z,
                                     unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(z->kernels[i].abi->name, name) == 0)
            return z->kernels[i].abi;
    return NULL;
}

/* What is launched is there, with as many arguments as it has. */
static enum xk_status check_launched(xk_ctx *c,
                                     const struct xk_zebin_contents *z)
{
    struct xk_error err;
    if (!z->launches)
        return XK_OK;
    if (xk_launch_list_check(z->launches, &err) < 0)
        return xk_fail(c, err.status, "zebin: %s", err.message);
    for (uint32_t i = 0; i < z->launches->n_launches; i++) {
        const struct xk_launch_step *const s = &z->launches->launches[i];
        const struct xk_abi *const abi = find_abi(z, z->n_kernels, s->kernel);
        if (!abi || abi->n_args != s->n_args)
            return xk_fail(c, XK_EINVAL,
                           "zebin: launch %u of %s with %u arguments, which "
                           "%s %u",
                           i, s->kernel, s->n_args, abi ? "has" : "is not here",
                           abi ? abi->n_args : 0);
    }
    return XK_OK;
}

static enum xk_status check_contents(xk_ctx *c,
                                     const struct xk_zebin_contents *z)
{
    if (!z->n_kernels || z->n_kernels > XK_MAX_LAUNCHES)
        return xk_fail(c, XK_EINVAL, "zebin: %u kernels, need 1 to %d",
                       z->n_kernels, XK_MAX_LAUNCHES);
    for (unsigned i = 0; i < z->n_kernels; i++) {
        const struct xk_abi *const abi = z->kernels[i].abi;

        XK_TRY(check_kernel(c, abi, z->kernels[i].code_b));
        if (find_abi(z, i, abi->name))
            return xk_fail(c, XK_EINVAL, "zebin: two kernels %s", abi->name);
        if (abi->platform != z->kernels[0].abi->platform)
            return xk_fail(c, XK_EINVAL, "zebin: %s is for another platform",
                           abi->name);
        if (abi->device.product != z->kernels[0].abi->device.product ||
            abi->device.stepping != z->kernels[0].abi->device.stepping)
            return xk_fail(c, XK_EINVAL, "zebin: %s is for another device",
                           abi->name);
    }
    return check_launched(c, z);
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
static void put_surface_arg(struct xk_str *b, const struct xk_abi_arg *a,
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
    unsigned n = 0;

    for (uint32_t k = 0; k < abi->n_args; k++) {
        if (abi->args[k].kind != XK_ABI_ARG_SURFACE)
            continue;
        if (n == 0)
            xk_str_puts(b, "    binding_table_indices:\n");
        xk_str_printf(b,
                      "      - bti_value: %u\n"
                      "        arg_index: %u\n",
                      n++, k);
    }
}

static void put_argument(struct xk_str *b, const struct xk_abi_arg *a,
                         unsigned index)
{
    const bool pointer = a->kind == XK_ABI_ARG_GLOBAL_PTR;

    if (a->kind == XK_ABI_ARG_SURFACE) {
        put_surface_arg(b, a, index);
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

static void put_kernel_info(struct xk_str *b, const struct xk_abi *abi)
{
    const struct xk_platform *const p = xk_platform_get(abi->platform);

    xk_str_printf(b, "  - name: %s\n", abi->name);
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
}

static void put_zeinfo(struct xk_str *b, const struct xk_zebin_contents *z)
{
    xk_str_puts(b, "---\nversion: '1.0'\nkernels:\n");
    for (unsigned i = 0; i < z->n_kernels; i++)
        put_kernel_info(b, z->kernels[i].abi);
    xk_str_puts(b, "...\n");
}

static void put_note(struct xk_str *b, uint32_t type, uint32_t value)
{
    put_le(b, 8, 4); /* bytes of the owner's name */
    put_le(b, 4, 4); /* bytes of the description */
    put_le(b, type, 4);
    xk_str_write(b, "IntelGT", 8);
    put_le(b, value, 4);
}

/* The lowest and the highest revision for which the code is, where it is for a
 * single one; 0 is what a compiler writes that knows of none. Several devices
 * of a family may have that revision. Then a note has the IP version as well,
 * and the driver takes the file for that device alone. A device of no platform
 * is none. */
static void put_notes(struct xk_str *b, const struct xk_abi *abi)
{
    const struct xk_wa_device *const d = &abi->device;
    const struct xk_platform *const p = xk_platform_get(abi->platform);
    const struct xk_told_device told = {.family = p->product_family,
                                        .revision = xk_product_revision(d)};
    const struct xk_wa_device heard = xk_product_device(p, &told);

    put_note(b, NOTE_PRODUCT_FAMILY, told.family);
    if (told.revision)
        put_note(b, NOTE_TARGET, told.revision << 8 | told.revision << 16);
    if (d->platform == p->id && d->stepping < XK_N_STEPPINGS &&
        (heard.product != d->product || heard.stepping != d->stepping))
        put_note(b, NOTE_IP_VERSION, xk_product_ip_version(d));
}

/* One string, behind the empty one with which a string table begins. */
static void put_launches(struct xk_str *b, const struct xk_launch_list *l)
{
    put_le(b, 0, 1);
    xk_launches_print(l, b);
    put_le(b, 0, 1);
}

/* Everything that is no code, before it is placed. */
struct parts {
    struct xk_str info, note, launches, names;
};

/* A section behind the last one; its name goes into the name table. */
static void add_section(struct layout *l, struct xk_str *names,
                        const char *name, const char *more, struct section s)
{
    s.name_at = (uint32_t)names->len;
    xk_str_printf(names, "%s%s", name, more);
    put_le(names, 0, 1);
    s.at = align(l->end, s.align_b);
    l->end = s.at + s.size_b;
    l->section[l->n++] = s;
}

static void place_sections(struct layout *l, const struct xk_zebin_contents *z,
                           struct parts *p)
{
    const uint32_t padding_b = xk_dispatch_padding_b(
        xk_platform_get(z->kernels[0].abi->platform), XK_PRODUCT_ANY);

    put_le(&p->names, 0, 1);
    l->n = 1; /* the null section */
    l->end = ELF_HEADER_B;
    for (unsigned i = 0; i < z->n_kernels; i++)
        add_section(
            l, &p->names, ".text.", z->kernels[i].abi->name,
            (struct section){.type = 1,
                             .flags = 2 | 4 /* allocated, executable */,
                             .align_b = TEXT_ALIGN_B,
                             .size_b = align(z->kernels[i].code_b + padding_b,
                                             TEXT_ALIGN_B)});
    add_section(l, &p->names, ".ze_info", "",
                (struct section){
                    .type = SHT_ZEINFO, .align_b = 1, .size_b = p->info.len});
    add_section(l, &p->names, ".note.intelgt.compat", "",
                (struct section){
                    .type = SHT_NOTE, .align_b = 4, .size_b = p->note.len});
    if (p->launches.len)
        add_section(l, &p->names, ".xekern.launches", "",
                    (struct section){.type = SHT_STRTAB,
                                     .align_b = 1,
                                     .size_b = p->launches.len});
    add_section(l, &p->names, ".shstrtab", "",
                (struct section){.type = SHT_STRTAB, .align_b = 1});
    l->section[l->n - 1].size_b = p->names.len;
    l->headers_at = align(l->section[l->n - 1].at + p->names.len, 8);
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
    put_le(b, l->n, 2);
    put_le(b, l->n - 1, 2); /* the name table */
}

static void put_section_headers(struct xk_str *b, const struct layout *l)
{
    for (unsigned k = 0; k < l->n; k++) {
        const struct section *const s = &l->section[k];

        put_le(b, s->name_at, 4);
        put_le(b, s->type, 4);
        put_le(b, s->flags, 8);
        put_le(b, 0, 8); /* address */
        put_le(b, s->at, 8);
        put_le(b, s->size_b, 8);
        put_le(b, 0, 8); /* link, info */
        put_le(b, s->align_b, 8);
        put_le(b, 0, 8); /* entry size */
    }
}

static void put_zebin(struct xk_str *b, const struct layout *l,
                      const struct xk_zebin_contents *z, const struct parts *p)
{
    const struct xk_str *const rest[] = {&p->info, &p->note, &p->launches,
                                         &p->names};
    unsigned k = 1;

    put_elf_header(b, l);
    for (unsigned i = 0; i < z->n_kernels; i++) {
        pad_to(b, l->section[k].at);
        z->kernels[i].code_at_b = (uint32_t)l->section[k++].at;
        xk_str_write(b, z->kernels[i].code, z->kernels[i].code_b);
    }
    for (unsigned i = 0; i < XK_COUNTOF(rest); i++) {
        if (!rest[i]->len)
            continue;
        pad_to(b, l->section[k++].at);
        xk_str_write(b, rest[i]->s, rest[i]->len);
    }
    pad_to(b, l->headers_at);
    put_section_headers(b, l);
}

enum xk_status xk_zebin_write(xk_ctx *c, const struct xk_zebin_contents *z,
                              struct xk_str *out)
{
    struct layout l = {.n = 0};
    struct parts p;
    struct xk_str *const all[] = {&p.info, &p.note, &p.launches, &p.names};
    enum xk_status st = check_contents(c, z);
    bool failed = false;

    if (st < 0)
        return st;
    if (out->len)
        return xk_fail(c, XK_EINVAL, "zebin: output holds %zu bytes", out->len);
    for (unsigned i = 0; i < XK_COUNTOF(all); i++)
        xk_str_init(all[i], &c->alloc);
    put_zeinfo(&p.info, z);
    put_notes(&p.note, z->kernels[0].abi);
    if (z->launches)
        put_launches(&p.launches, z->launches);
    place_sections(&l, z, &p);
    put_zebin(out, &l, z, &p);
    for (unsigned i = 0; i < XK_COUNTOF(all); i++) {
        failed = failed || all[i]->failed;
        xk_str_fini(all[i]);
    }
    if (failed || out->failed)
        st = xk_fail(c, XK_ENOMEM, "zebin: out of memory");
    return st;
}
