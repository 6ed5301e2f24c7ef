/* SPDX-License-Identifier: Apache-2.0 */
/* xekern: convolution descriptors in, finished Intel GPU kernels out.
 *
 * Fill a descriptor and ask xk_conv_query(), which takes microseconds and
 * generates no code. Then xk_conv_create() makes the program. Threads may call
 * every function at the same time on distinct objects; a program is immutable
 * and may be shared. */
#ifndef XK_XEKERN_XEKERN_H
#define XK_XEKERN_XEKERN_H

#include <stddef.h>
#include <stdint.h>

#include "xekern/attr.h"
#include "xekern/data_type.h"
#include "xekern/launches.h"
#include "xekern/platform.h"
#include "xekern/post_op.h"
#include "xekern/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "major.minor.patch" of the library at run time. */
XK_API const char *xk_version(void);

/* Writes the words of a platform's devices (xk_attr.device), "dg2-g10,
 * dg2-g10-a0, ..."; 0: of all platforms. Returns the full length, as snprintf.
 */
XK_API size_t xk_device_words(uint32_t platform, char *out, size_t out_size);

/* benchdnn's directions. Forward makes dst of src, wei and bia. BWD_D makes the
 * gradient of src of wei and that of dst; BWD_W that of wei of src and that of
 * dst; BWD_WB that of bia, too. A gradient has the tag, the type and the
 * argument number of its tensor. Gradients take no post-ops, scales and zero
 * points (XK_EUNSUPPORTED). */
enum xk_prop {
    XK_PROP_DEFAULT = 0, /* FWD_B */
    XK_FWD_D = 1,
    XK_FWD_B = 2,
    XK_FWD_I = 3,
    XK_BWD_D = 4,
    XK_BWD_W = 5,
    XK_BWD_WB = 6,
};

/* WINO: Winograd's, which is not generated; AUTO is DIRECT. With one of the
 * last two the descriptor is a deconvolution. */
enum xk_conv_alg {
    XK_ALG_AUTO = 0,
    XK_ALG_DIRECT = 1,
    XK_ALG_WINO = 2,
    XK_ALG_DECONV_DIRECT = 3,
    XK_ALG_DECONV_WINO = 4,
};

/* The distance between neighbours of each dim in elements, outermost dim first.
 * It takes the place of a tag. The dims are those of the tensor's tag. */
struct xk_strides {
    int64_t n_dims; /* 0: the tag says how the tensor lies */
    int64_t stride[XK_MAX_NDIMS];
};

/* A convolution as benchdnn writes it. Sizes are in elements, strides s?, dense
 * dilation d? = 0, p? the padding in front; padding behind follows from the
 * output size. 2D: id = od = kd = sd = 1, dd = pd = 0; with any other depth the
 * tensors have five dims. A deconvolution (alg) is the same with src and dst
 * exchanged in space: pixel i * s + k * (d + 1) - p of dst gets
 * src[mb][ic][i] * wei[oc][ic][k]. Its ic and oc are the channels of its own
 * src and dst, and wei is [g][oc][ic] of these. Tags: "" or "any" lets the
 * library choose; else a benchdnn tag such as "axb" (nhwc, ndhwc), "abx"
 * (nchw), "acdb" (ohwi). Start from XK_CONV_DESC_INIT; size says which version
 * of the struct it is, and callers compiled with an older one are understood.
 * Later versions append fields to the attributes, which therefore stay last. */
struct xk_conv_desc {
    uint32_t size;     /* sizeof(struct xk_conv_desc) */
    uint32_t platform; /* enum xk_platform_id */
    uint32_t prop;     /* enum xk_prop; FWD_D, FWD_I and BWD_W have a bias if
                          bia_type is given */
    uint32_t src_type, wei_type, dst_type, bia_type; /* enum xk_data_type */
    uint32_t n_post_ops;
    int64_t g, mb, ic, oc;
    int64_t id, ih, iw, od, oh, ow, kd, kh, kw;
    int64_t sd, sh, sw, dd, dh, dw, pd, ph, pw;
    char src_tag[XK_TAG_MAX], wei_tag[XK_TAG_MAX], dst_tag[XK_TAG_MAX];
    struct xk_post_op post_ops[XK_MAX_POST_OPS];
    float scale; /* of the result after bias, before post-ops; 0: none */
    /* Number of dims of src and dst in their tags: 3 is n c w, with heights of
     * 1. 0: 4, or 5 if the depth is not trivial. */
    uint32_t ndims;
    uint32_t grouped; /* 1: tag and strides of wei have a dim of groups in
                         front though g is 1; above 1 they always have */
    uint32_t alg;     /* enum xk_conv_alg */
    struct xk_strides src_strides, wei_strides, dst_strides;
    struct xk_attr attr;
};

#ifdef __cplusplus
inline struct xk_conv_desc xk_conv_desc_init()
{
    struct xk_conv_desc d = xk_conv_desc();
    d.size = (uint32_t)sizeof(struct xk_conv_desc);
    d.platform = XK_PLATFORM_XEHPG;
    d.g = d.mb = 1;
    d.id = d.od = d.kd = 1;
    d.sd = d.sh = d.sw = 1;
    return d;
}
#define XK_CONV_DESC_INIT xk_conv_desc_init()
#else
#define XK_CONV_DESC_INIT                                                      \
    {                                                                          \
        .size = (uint32_t)sizeof(struct xk_conv_desc),                         \
        .platform = XK_PLATFORM_XEHPG, .g = 1, .mb = 1, .id = 1, .od = 1,      \
        .kd = 1, .sd = 1, .sh = 1, .sw = 1                                     \
    }
#endif

/* Reads benchdnn's problem string ("mb2ic3ih32oc16oh16kh3sh2ph1n\"my\"") over
 * the content of *d. Sizes that are missing are deduced where possible; d->alg
 * says whether they are a deconvolution's. name
 * (may be NULL) receives the problem's name. */
XK_API enum xk_status xk_conv_desc_parse(const char *text,
                                         struct xk_conv_desc *d, char *name,
                                         size_t name_size,
                                         struct xk_error *err);
/* Writes the canonical problem string without name; returns its full length (as
 * snprintf). "" if d is NULL, or its size is not that of a descriptor. */
XK_API size_t xk_conv_desc_print(const struct xk_conv_desc *d, char *out,
                                 size_t out_size);

/* The tensors (enum xk_conv_arg) that the direction multiplies, and the one
 * that it makes: c = sum of a * b. BWD_WB also makes bia's. */
struct xk_conv_roles {
    uint32_t a, b, c;
};
XK_API struct xk_conv_roles xk_conv_desc_roles(const struct xk_conv_desc *d);

/* A tensor's memory. Element (i0, i1, ...) lies at the sum over all blocks of
 * ((i[dim] / div) % size) * stride, in elements. The innermost block is the
 * last. Dims are a=0, b=1, ... as in the tag. */
struct xk_layout_block {
    uint32_t dim;
    int64_t size, div, stride; /* elements */
};
#define XK_MAX_BLOCKS 16
struct xk_tensor_info {
    uint32_t type;  /* enum xk_data_type */
    uint32_t ndims; /* src, dst: n c [d] h w; wei: [g] o i [d] h w, with g
                       if there are several groups; bia: o */
    int64_t dims[XK_MAX_NDIMS], padded_dims[XK_MAX_NDIMS];
    uint32_t n_blocks;
    struct xk_layout_block blocks[XK_MAX_BLOCKS];
    char tag[XK_TAG_MAX]; /* resolved, never "any" */
    uint64_t size_b;      /* bytes with padding; padding must hold zeros */
};

/* What xk_conv_query() answers. */
struct xk_conv_info {
    uint32_t size; /* sizeof(struct xk_conv_info), set by the caller */
    uint32_t n_launches;
    uint64_t scratch_b; /* bytes of scratch memory; 0: none is needed */
    struct xk_tensor_info tensor[XK_N_CONV_ARGS]; /* bia: ndims 0 if absent */
    uint32_t scratch_align_b; /* where scratch memory begins; 0: none */
    /* Right-hand sides of the post-ops, by their place in the chain. ndims is 0
     * if a post-op has none. Dims are those of dst, or 1. */
    struct xk_tensor_info rhs[XK_MAX_POST_OPS];
    /* Scales and zero points in device memory. Each has one dim, of 1 or of
     * output channels; ndims 0: there is none. */
    struct xk_tensor_info scale[XK_N_CONV_ARGS], zero_point[XK_N_CONV_ARGS];
};

/* XK_OK, XK_EINVAL (which field, which value) or XK_EUNSUPPORTED (why). It uses
 * less than 32 KB of stack. */
XK_API enum xk_status xk_conv_query(const struct xk_conv_desc *d,
                                    struct xk_conv_info *info,
                                    struct xk_error *err);

/* The heap during generation. realloc(user, NULL, n) allocates, and
 * realloc(user, p, 0) frees. */
struct xk_heap {
    void *(*realloc)(void *user, void *p, size_t n_b);
    void *user;
};

/* Receives the text or the bytes of a stage: "views", "schedule", "plan", "ir",
 * "passes", "asm", "zebin", "order". */
typedef void (*xk_dump_fn)(void *user, const char *stage, const void *data,
                           size_t n_b);

/* Bits of xk_create_options.flags. */
enum xk_create_flag {
    /* Tensors may lie anywhere, also inside allocations above 4 GiB: kernels
     * take 64-bit addresses. Without this flag kernels take 32-bit offsets into
     * surfaces, which costs fewer instructions; an allocation then has at most
     * 4 GiB less 64 KiB. Layouts are the same in both cases; with the flag
     * nothing goes through shared local memory. Kernels of larger tensors than
     * 2 GiB take 64-bit addresses in any case; there is a launch for each part
     * of the minibatch, or of its images. */
    XK_CREATE_A64 = 1,
};

struct xk_create_options {
    uint32_t size;              /* sizeof(struct xk_create_options) */
    uint32_t flags;             /* of enum xk_create_flag; others: XK_EINVAL */
    const struct xk_heap *heap; /* NULL: malloc */
    xk_dump_fn dump;            /* NULL: files, as XK_DUMP says */
    void *dump_user;
};

typedef struct xk_program xk_program;

/* Generates the kernels. options may be NULL. With mb=0 there is nothing to do:
 * src and dst are empty, and the program has neither launches nor a file. Only
 * gradients of weights and bias have launches then, which write zeros. Tensors
 * of no bytes are not among the arguments. A call uses less than 100 KB of
 * stack, with 32 post-ops up to 1 MB. */
XK_API XK_GIVE enum xk_status xk_conv_create(const struct xk_conv_desc *d,
                                             const struct xk_create_options *o,
                                             xk_program **out,
                                             struct xk_error *err);
XK_API xk_program *xk_program_ref(xk_program *p);
XK_API void xk_program_unref(xk_program *p);

/* One launch of the program. Its arguments' bindings are in
 * xekern/launches.h. */
struct xk_launch_info {
    const char *kernel; /* name inside the zebin */
    const void *zebin;  /* with all kernels of the program, which owns it: the
                           same for each launch */
    size_t zebin_b;
    const void *code; /* the instructions inside it */
    size_t code_b;
    uint32_t groups[3], local[3]; /* work items per group */
    uint32_t simd, grf_count, slm_b, barriers, threads_per_group;
    uint32_t n_args;
    const struct xk_launch_arg_info *args; /* in the kernel's order */
    uint32_t static_instructions, static_fma;
    const char *schedule; /* the decisions, as text */
    uint32_t peak_grf;    /* most registers in use at one moment */
};

XK_API uint32_t xk_program_n_launches(const xk_program *p);
/* NULL if i is out of range; valid as long as the program. */
XK_API const struct xk_launch_info *xk_program_launch(const xk_program *p,
                                                      uint32_t i);
/* The same launches as plain data: the caller's arguments, scratch buffers,
 * launches. */
XK_API const struct xk_launch_list *xk_program_launches(const xk_program *p);
XK_API const struct xk_conv_info *xk_program_info(const xk_program *p);
/* Wall time of xk_conv_create and the most heap it held at one moment. */
XK_API uint64_t xk_program_create_ns(const xk_program *p);
XK_API uint64_t xk_program_peak_b(const xk_program *p);

#ifdef __cplusplus
}
#endif
#endif
