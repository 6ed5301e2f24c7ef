/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a file and showing its kernels: the part of xekern/inspect.h that
 * needs no analysis. */
#include "xekern/inspect.h"
#include "isa/format.h"

#include <stdlib.h>
#include <string.h>

#include "container/inspect_file.h"
#include "isa/asm.h"
#include "isa/disasm.h"
#include "isa/message.h"

/* Zero padding behind the last instruction is there for the hardware's
 * prefetch. */
static bool is_zero_padding(const uint8_t *code, size_t n_b)
{
    return !n_b || (!code[0] && !memcmp(code, code + 1, n_b - 1));
}

bool xk_code_next(const struct xk_platform *p, const uint8_t *code,
                  size_t code_b, size_t *at_b, struct xk_code_step *step)
{
    const size_t left_b = code_b - *at_b;
    if (is_zero_padding(code + *at_b, left_b))
        return false;
    step->at_b = *at_b;
    step->error = (struct xk_error){.status = XK_OK};
    step->good = xk_inst_decode(p, code + *at_b, left_b, &step->inst,
                                &step->size_b, &step->error) == XK_OK;
    if (!step->size_b) /* the file ends inside an instruction */
        step->size_b = left_b;
    *at_b += step->size_b;
    return true;
}

const struct xk_zkernel *xk_inspect_get(const xk_inspect *f, uint32_t k)
{
    if (k < f->file.z.n_kernels)
        return &f->file.z.kernels[k];
    xk_fail(f->c, XK_EINVAL, "kernel: %u, but the file has %u", k,
            f->file.z.n_kernels);
    return NULL;
}

enum xk_status xk_inspect_end(const xk_inspect *f, struct xk_error *err)
{
    const enum xk_status s = xk_ctx_status(f->c);
    if (err)
        *err = f->c->error;
    xk_ctx_clear(f->c);
    return s;
}

static enum xk_status no_memory_left(struct xk_error *err)
{
    if (err)
        *err = (struct xk_error){XK_ENOMEM, "out of memory"};
    return XK_ENOMEM;
}

struct xk_told_device xk_inspect_told(const xk_inspect *f)
{
    return (struct xk_told_device){.family = f->file.z.product_family,
                                   .revision = f->file.z.revision,
                                   .ip_version = f->file.z.ip_version};
}

enum xk_status xk_inspect_open(const void *bytes, size_t n_b,
                               const char *platform, xk_inspect **out,
                               struct xk_error *err)
{
    *out = NULL;
    xk_inspect *const f = calloc(1, sizeof *f);
    if (!f || !(f->c = xk_ctx_create(NULL))) {
        free(f);
        return no_memory_left(err);
    }
    xk_kernel_file_open(f->c, bytes, n_b, platform, &f->file);
    const enum xk_status s = xk_inspect_end(f, err);
    if (s != XK_OK) {
        xk_inspect_close(f);
        return s;
    }
    const struct xk_told_device told = xk_inspect_told(f);
    f->device_is_known = xk_product_is_known(f->file.platform, &told);
    f->device = xk_product_device(f->file.platform, &told);
    if (f->device_is_known)
        xk_product_device_name(&f->device, f->device_name,
                               sizeof f->device_name);
    *out = f;
    return s;
}

enum xk_status xk_inspect_judge_for(xk_inspect *f, const char *device,
                                    struct xk_error *err)
{
    if (xk_product_named(f->c, f->file.platform, device, &f->device) != XK_OK)
        return xk_inspect_end(f, err);
    f->device_is_known = true;
    xk_product_device_name(&f->device, f->device_name, sizeof f->device_name);
    return XK_OK;
}

void xk_inspect_close(xk_inspect *f)
{
    if (!f)
        return;
    xk_kernel_file_fini(f->c, &f->file);
    xk_free(f->c, f->opcode);
    xk_free(f->c, f->message);
    xk_free(f->c, f->loop);
    xk_free(f->c, f->names);
    xk_ctx_destroy(f->c);
    free(f);
}

const char *xk_inspect_container(const xk_inspect *f)
{
    return xk_container_name(f->file.kind);
}

const char *xk_inspect_platform(const xk_inspect *f)
{
    return f->file.platform->name;
}

const char *xk_inspect_device(const xk_inspect *f)
{
    return f->device_name;
}

uint32_t xk_inspect_n_kernels(const xk_inspect *f)
{
    return f->file.z.n_kernels;
}

enum xk_status xk_inspect_kernel(const xk_inspect *f, uint32_t kernel,
                                 struct xk_kernel_facts *out,
                                 struct xk_error *err)
{
    const struct xk_zkernel *const k = xk_inspect_get(f, kernel);
    *out = (struct xk_kernel_facts){.name = ""};
    if (k)
        *out = (struct xk_kernel_facts){
            .name = k->name,
            .code = k->code,
            .code_b = k->code_b,
            .simd = k->simd,
            .grf_count = k->grf_count,
            .slm_b = k->slm_b,
            .barriers = k->barriers,
            .scratch_b = k->scratch_b,
            .required = {k->required[0], k->required[1], k->required[2]},
            .n_args = k->n_args};
    return xk_inspect_end(f, err);
}

static const char *pipe_name(enum xk_pipe pipe)
{
    switch (pipe) {
    case XK_PIPE_NONE:
        return "";
    case XK_PIPE_ALL:
        return "all";
    case XK_PIPE_FLOAT:
        return "float";
    case XK_PIPE_INT:
        return "int";
    case XK_PIPE_LONG:
        return "long";
    case XK_PIPE_MATH:
        return "math";
    case XK_PIPE_SCALAR:
        return "scalar";
    case XK_PIPE_SEND:
        return "send";
    case XK_PIPE_DPAS:
        return "dpas";
    }
    return "";
}

static void show_step(const xk_inspect *f, const struct xk_code_step *s,
                      struct xk_str *text, struct xk_str *message,
                      struct xk_inst_facts *out)
{
    const struct xk_platform *const p = f->file.platform;
    const struct xk_print_opts opts = {.ldst = false};
    *out = (struct xk_inst_facts){.offset_b = (uint32_t)s->at_b,
                                  .size_b = (uint32_t)s->size_b,
                                  .opcode = "",
                                  .message = "",
                                  .pipe = ""};
    if (!s->good) {
        out->error = s->error.message;
        return;
    }
    xk_str_clear(text);
    xk_inst_print_as(p, &s->inst, &opts, text);
    xk_str_clear(message);
    if (xk_inst_is_send(&s->inst)) {
        struct xk_msg m;
        xk_msg_decode(p, &s->inst, &m);
        xk_msg_print(p, &m, message);
    }
    out->text = xk_str_get(text);
    out->message = xk_str_get(message);
    out->opcode = xk_opcode_name((enum xk_opcode)s->inst.op);
    out->pipe = pipe_name(xk_inst_pipe(p, &s->inst));
}

enum xk_status xk_inspect_each(const xk_inspect *f, uint32_t kernel,
                               xk_inst_fn fn, void *user, struct xk_error *err)
{
    const struct xk_zkernel *const k = xk_inspect_get(f, kernel);
    struct xk_str text, message;
    struct xk_code_step step;
    xk_str_init(&text, &f->c->alloc);
    xk_str_init(&message, &f->c->alloc);
    for (size_t at = 0;
         k && xk_code_next(f->file.platform, k->code, k->code_b, &at, &step);) {
        struct xk_inst_facts facts;
        show_step(f, &step, &text, &message, &facts);
        fn(user, &facts);
    }
    if (text.failed || message.failed)
        xk_fail(f->c, XK_ENOMEM, "out of memory");
    xk_str_fini(&text);
    xk_str_fini(&message);
    return xk_inspect_end(f, err);
}

enum xk_status xk_inspect_text(const xk_inspect *f, uint32_t kernel,
                               const struct xk_text_opts *opts,
                               xk_write_fn write, void *user,
                               struct xk_error *err)
{
    const struct xk_zkernel *const k = xk_inspect_get(f, kernel);
    const struct xk_text_opts none = {.messages = false};
    struct xk_disasm_opts o;
    struct xk_str text;
    unsigned n_bad = 0;
    opts = opts ? opts : &none;
    o = (struct xk_disasm_opts){.ldst = opts->messages,
                                .offsets = opts->offsets,
                                .numeric = opts->numeric};
    xk_str_init(&text, &f->c->alloc);
    if (k)
        n_bad = xk_disassemble_code(f->c, f->file.platform, k->code, k->code_b,
                                    &o, &text);
    if (k && xk_ctx_status(f->c) == XK_OK)
        write(user, xk_str_get(&text), text.len);
    if (k && n_bad)
        xk_fail(f->c, XK_EPARSE,
                "kernel %.100s: %u places are no instructions of %s", k->name,
                n_bad, f->file.platform->name);
    xk_str_fini(&text);
    return xk_inspect_end(f, err);
}

static void write_head(const xk_inspect *f, const struct xk_zkernel *k,
                       xk_write_fn write, void *user)
{
    struct xk_str head;
    xk_str_init(&head, &f->c->alloc);
    xk_str_printf(&head, "// kernel %s, %s, SIMD%u, %u registers\n", k->name,
                  f->file.platform->name, k->simd, k->grf_count);
    write(user, xk_str_get(&head), head.len);
    xk_str_fini(&head);
}

enum xk_status xk_disassemble(const char *platform, const void *bytes,
                              size_t n_b, xk_write_fn write, void *user,
                              struct xk_error *err)
{
    const struct xk_text_opts opts = {.offsets = true};
    xk_inspect *f;
    enum xk_status s = xk_inspect_open(bytes, n_b, platform, &f, err);
    if (s < 0)
        return s;
    for (uint32_t k = 0; k < f->file.z.n_kernels && s == XK_OK; k++) {
        if (f->file.kind != XK_CONTAINER_RAW)
            write_head(f, &f->file.z.kernels[k], write, user);
        s = xk_inspect_text(f, k, &opts, write, user, err);
    }
    xk_inspect_close(f);
    return s;
}

static enum xk_status assemble_text(xk_ctx *c, const struct xk_asm_text *text,
                                    bool compact, void **code, size_t *code_b)
{
    const struct xk_platform *p;
    const struct xk_asm_source source = {text->text, text->n_b, text->file};
    uint8_t *bytes = NULL;
    XK_TRY(xk_platform_named(c, text->platform, &p));
    XK_TRY(xk_assemble_text(c, p, &source, compact, &bytes, code_b));
    *code = malloc(*code_b ? *code_b : 1); /* the caller has free() only */
    if (*code && *code_b)
        memcpy(*code, bytes, *code_b);
    xk_free(c, bytes);
    return *code ? XK_OK : xk_fail(c, XK_ENOMEM, "out of memory");
}

enum xk_status xk_assemble(const struct xk_asm_text *text, bool compact,
                           void **code, size_t *code_b, struct xk_error *err)
{
    *code = NULL;
    *code_b = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    if (!c)
        return no_memory_left(err);
    assemble_text(c, text, compact, code, code_b);
    const enum xk_status s = xk_ctx_status(c);
    if (err)
        *err = c->error;
    xk_ctx_destroy(c);
    return s;
}
