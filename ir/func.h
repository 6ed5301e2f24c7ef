/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: GPU constructs that are called for their effect. A struct xk_func
 * is plain data; two functions are equal when their fields are. */
#ifndef XK_IR_FUNC_H
#define XK_IR_FUNC_H

#include "ir/type.h"

enum xk_func_kind {
#define XK_FUNC(id, ...) XK_FUNC_##id,
#include "ir/func.def"
#undef XK_FUNC
    XK_N_FUNCS
};

enum xk_send_op {
    XK_SEND_LOAD,
    XK_SEND_STORE,
    XK_SEND_PREFETCH,
    XK_SEND_ATOMIC_ADD
};
enum xk_send_addr { XK_SEND_A64, XK_SEND_A32, XK_SEND_SURFACE };

/* One memory message. block: one address (lanes == 1), vec elements contiguous
 * in memory and in registers. Else scattered: lanes addresses, each with vec
 * consecutive elements; component v of all lanes is contiguous in registers,
 * padded to whole GRFs, lane n at element n. Elements below 4 bytes have vec 1
 * and a dword each in registers: loads fill it with zeros, stores take the low
 * part. */
struct xk_send {
    uint8_t op;     /* enum xk_send_op */
    uint8_t space;  /* GLOBAL or SLM */
    uint8_t addr;   /* enum xk_send_addr */
    uint8_t data_b; /* bytes of an element in memory: 1, 2, 4, 8 */
    uint8_t vec;    /* elements per address */
    uint8_t lanes;  /* addresses: 8, 16, 32, or 1 with block */
    bool block;
    uint8_t cache;   /* 0 default */
    uint8_t surface; /* SURFACE: which of the kernel's global pointers, from 0;
                        its index in the binding table */
    bool zero;       /* a scattered load through a surface: registers of lanes
                        that are off become 0, not stay as they are */
};

struct xk_mad {
    uint8_t dst, src0, src1, src2; /* enum xk_dtype */
    uint8_t lanes;
    /* Lane stride in elements of each source: 1 or 0 (broadcast), or 2 of src2
     * of mad. */
    uint8_t stride0, stride1, stride2;
};

struct xk_dpas {
    uint8_t dst, src0, src1, src2; /* enum xk_dtype */
    uint8_t exec, sdepth, rcount;
    bool wide; /* dpasw */
};

#define XK_REORDER_MAX_DIMS 6
/* Copies a box of elements between two register layouts, with conversion.
 * Strides in elements. */
struct xk_reorder {
    uint8_t dst, src; /* enum xk_dtype */
    uint8_t n_dims;
    uint16_t extent[XK_REORDER_MAX_DIMS];
    uint16_t dst_stride[XK_REORDER_MAX_DIMS];
    uint16_t src_stride[XK_REORDER_MAX_DIMS];
};

/* Work on tiles of a tiling (ir/tiles.h). */
enum xk_tile_op {
    XK_TILE_ZERO,  /* &tile: its elements are 0 */
    XK_TILE_LOAD,  /* &tile, a position for each of its roles: from a view */
    XK_TILE_STORE, /* the same, into a view */
    XK_TILE_ADD,   /* the same, to what the view has */
    XK_TILE_MUL,   /* &c, &a, &b: c += a * b, summed over k */
    XK_TILE_COPY,  /* &to, &from: another layout, or type, of the same tile */
    XK_TILE_DOT,   /* &s, &b, &four: s += the dot products of b's fours along k
                      with four bytes */
    XK_N_TILE_OPS
};

/* The unit that multiplies tiles. dpas has M in the lanes and b's rows
 * repeated; mad and dp4a have N in the lanes. */
enum xk_family {
    XK_FAMILY_MAD,
    XK_FAMILY_DP4A,
    XK_FAMILY_DPAS,
    XK_FAMILY_DPASW,
    XK_N_TILE_FAMILIES
};

#define XK_TILE_MAX_PARTS 3
struct xk_tile_call {
    uint8_t op, family; /* enum xk_tile_op; MUL: enum xk_family */
    uint8_t n_parts;
    char view[4];    /* LOAD, STORE, ADD */
    char tile[3][4]; /* MUL: c, a, b; COPY: to, from; DOT: s, b; else one */
    /* Only positions first .. first + n - 1 of the role, of a tile that has
     * just n all of them; roles that are not named: all. */
    struct {
        uint8_t role; /* enum xk_role */
        uint16_t first, n;
    } part[XK_TILE_MAX_PARTS];
};

struct xk_func {
    uint8_t kind; /* enum xk_func_kind */
    union {
        struct xk_send send;
        struct xk_mad mad; /* MAD, DP4A */
        struct xk_dpas dpas;
        struct xk_reorder reorder;
        struct xk_tile_call tile;
        uint8_t space; /* FENCE: enum xk_space */
    } u;
};

#endif
