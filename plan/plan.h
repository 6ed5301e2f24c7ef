/* SPDX-License-Identifier: Apache-2.0 */
/* The plan: where decisions end. Contraction + schedule become the buffers and
 * register tiles of a thread, how C is stored, and the passes' arguments, as
 * plain data. lower/ only writes down as IR what stands here. A plan that
 * cannot be says why. */
#ifndef XK_PLAN_PLAN_H
#define XK_PLAN_PLAN_H

#include "ir/func.h"
#include "ir/tiles.h"
#include "schedule/buffers.h"

/* What brings an operand's tile in a step, as far as it takes registers: the
 * messages themselves are pass expand's. */
struct xk_plan_loads {
    uint16_t n;     /* messages */
    uint16_t parts; /* those, the reorders of what they bring, and the parts of
                       the tile or of staging that are zeroed */
    uint8_t lanes;  /* of each message; 1: of a block */
    uint8_t bases;  /* of rows, that addresses keep in registers */
    bool zeroes;    /* there is a part of the tile that no message brings */
};
#define XK_PLAN_MAX_PARTS 224

/* K is walked in segments: full steps, then a shorter step for the rest. In a
 * step A is loaded whole; B in parts of n_sub columns, each multiplied before
 * the next is loaded. */
struct xk_plan_segment {
    uint32_t trip;   /* steps */
    uint16_t k_len;  /* elements of the innermost K per step */
    int64_t k_first; /* element at which the segment begins */
    struct xk_plan_loads a;
    struct xk_plan_loads b; /* of each part */
};
#define XK_PLAN_MAX_SEGMENTS 2

enum xk_plan_access {
    XK_ACCESS_BLOCK,     /* tiles as they lie in memory */
    XK_ACCESS_SCATTERED, /* a lane a row, dwords along K */
    XK_ACCESS_ROWS,      /* a block message a row */
    XK_ACCESS_ELEMENTS,  /* element by element, packed by reorders */
    XK_ACCESS_TURNED,    /* as memory has it, K outside; then in order (raw) */
};

/* How one operand gets into registers. */
struct xk_plan_operand {
    uint8_t access;  /* enum xk_plan_access */
    uint8_t slots;   /* copies of the register tile */
    uint8_t stage;   /* pipeline stage of its loads */
    bool row_lanes;  /* a lane a row; else rows come one by one, or in blocks */
    bool row_masked; /* rows beyond the extent must be masked */
    bool clamp_rows; /* or the tile is moved back inside (blocks) */
    int64_t rows_padded; /* rows in memory, padding included */
    const char *why;     /* why this access */
    /* Register tile [row][k] of one slot; offsets in elements. */
    struct xk_layout tile;
    uint32_t tile_b;
    uint8_t served;       /* steps that a copy in registers serves; 1: one */
    uint32_t more_b;      /* of such a copy, behind the tile */
    uint32_t staging_b;   /* buffer in front of the reorders, 0: none */
    struct xk_layout raw; /* TURNED: as it comes; the slots are of that */
    uint32_t raw_b;       /* 0: it comes as the tile */
    bool zero_once;       /* parts of the tile that no load writes are zeroed
                             before the K loops */
};

enum xk_plan_store {
    XK_STORE_BLOCK,     /* N in lanes: a block message a row */
    XK_STORE_SCATTERED, /* N in lanes: a lane a column */
    XK_STORE_PACKED,    /* M in lanes: consecutive columns in dwords */
    XK_STORE_COLUMNS,   /* M in lanes: an element a lane, column by column */
};

#define XK_PLAN_MAX_AHEAD 8
#define XK_PLAN_HELD_NUMBERS 32 /* of operations, in scalars */

/* How the epilogue gets at an input. */
enum xk_plan_input {
    XK_INPUT_COLUMNS, /* the same for all rows: loaded once, an f32 a column */
    XK_INPUT_ONE,     /* the same everywhere: loaded once, an f32 */
    XK_INPUT_PARTS,   /* part by part: a side */
    XK_INPUT_SUMS,    /* where K's loops end (struct xk_plan_sums, _totals) */
};

/* What a step reads of each part of C from memory: what C itself held, or an
 * input. In registers it lies as its messages bring it, and then as f32 in
 * vectors. */
struct xk_plan_side {
    uint8_t input; /* of the nest; XK_SIDE_C: what C held */
    uint8_t dt;    /* enum xk_dtype, in memory */
    uint8_t store; /* enum xk_plan_store, whose messages its own are */
    bool one;      /* the same along N: an element a row */
    bool late;     /* the same along M: an element a column */
    bool in_acc;   /* s32 that are used as they are; else they become f32 */
    bool like_c;   /* places are those of C's elements */
    bool masked;   /* some lanes may not be loaded */
    bool leaves;   /* an input whose places may lie outside its intervals: each
                    * element has a lane, whose mask says so */
    uint16_t cols; /* columns of a row per message */
    uint16_t part_b;  /* registers as messages bring them */
    int64_t n_extent; /* columns that it has, padding included */
};
#define XK_SIDE_C UINT8_MAX
#define XK_PLAN_MAX_SIDES XK_MAX_EPI /* each operation reads one at most */

/* The epilogue: operations on C in f32, conversion, stores. C is finished part
 * by part: row by row, or 8 rows of as many columns as a message stores of
 * them, at least 8. */
struct xk_plan_epilogue {
    uint8_t store;    /* enum xk_plan_store */
    uint16_t cols;    /* columns of a row per store message */
    bool m_masked;    /* some rows may lie beyond M */
    bool n_masked;    /* some columns may lie beyond n_extent */
    bool masked;      /* C leaves its intervals */
    bool masked_n;    /* and columns of a row differ in that */
    int64_t n_extent; /* columns that are written, padding included */
    bool merged;      /* offset of a row = m * row_stride_b */
    int64_t row_stride_b;
    bool whole;   /* else, M in the lanes: an element's offset is not that of
                     its row and that of its column together */
    bool in_f32;  /* C is converted to f32 for the operations */
    bool convert; /* a reorder makes the destination's type */
    bool input_masked;               /* an input's columns may lie beyond N */
    bool input_block[XK_MAX_INPUTS]; /* else, and they are consecutive: block
                                        messages */
    enum xk_dtype dst;
    uint16_t m, n;   /* rows and columns of a thread's part of the tile */
    uint16_t parts;  /* of that */
    uint16_t part_b; /* registers of a part as it lies in memory */
    uint8_t turns;   /* converted parts that take turns on their way out */
    uint8_t wide; /* M in the lanes: buffers of eight columns, in the order in
                     which they are converted 16 lanes at a time; 0: C itself */
    bool wide_in_side;    /* else, and there are none: they are in a side's f32,
                             which no step reads behind that */
    uint8_t loop_vectors; /* runs of functions (struct xk_epi_run) are loops
                             that turn C's registers by at most so many vectors
                             of 16; 0: they are not */
    uint8_t n_sides;
    uint8_t ahead; /* of the only side, parts under way at once; 1: each is
                      loaded where it is used; 0: there is none, or there are
                      several, each of which is loaded where its step uses it */
    bool together; /* several sides: all of a part are asked for at once, each
                      into registers of its own */
    uint8_t input[XK_MAX_INPUTS]; /* enum xk_plan_input */
    uint8_t side_of[XK_MAX_EPI];  /* an operation's side, from 1 */
    struct xk_plan_side side[XK_PLAN_MAX_SIDES];
    const char *why;
};

/* Whether a message stores C's elements side by side, else each in a dword. */
static inline bool xk_plan_stores_dense(const struct xk_plan_epilogue *e)
{
    return e->store == XK_STORE_BLOCK || e->store == XK_STORE_PACKED;
}
/* Elements of C in a part. */
static inline unsigned xk_plan_part_elements(const struct xk_plan_epilogue *e)
{
    return (unsigned)e->m * e->n / e->parts;
}
/* Whether each step that reads parts loads its own where it uses it, into the
 * same registers: there are several, or one that is an element a column. */
static inline bool xk_plan_is_serial(const struct xk_plan_epilogue *e)
{
    return e->n_sides > 1 || (e->n_sides && e->side[0].late);
}
/* Registers for these beside C. */
static inline uint32_t xk_plan_loop_b(const struct xk_plan_epilogue *e)
{
    return e->loop_vectors * 64u;
}
/* Whether what is read of a side is not yet what its step uses. */
static inline bool xk_plan_side_converts(const struct xk_plan_side *s)
{
    return s->dt != XK_DT_F32 && !s->in_acc;
}

/* A through shared local memory, as pass stage brings it. */
struct xk_plan_slm {
    uint32_t share_b; /* that a thread brings in a step */
    uint32_t place_b; /* of a step of the group */
};

/* What a group asks for behind its loop, so that it is in a cache when a later
 * one loads it: that group's rows of A, a line a lane. Who shares rows (groups
 * along N, slices) asks for a unit of K each, in turn. */
struct xk_plan_ahead {
    uint32_t groups; /* to the later one in the grid's order, N first; 0:
                        nothing is asked for */
    uint16_t unit;   /* elements of K of a row that lie together in a line */
    uint32_t units;  /* of K */
    uint32_t sharers;
    uint8_t each; /* units of a thread */
    uint8_t lanes;
    const char *why; /* nothing is */
};

/* All of K in one loop, its outer indices innermost: A by the items of a step,
 * with a header for each outer place and item. Where an item's eight rows share
 * a position it has a dword for each outer place instead, and one header. */
struct xk_plan_flat {
    uint16_t places;    /* 0: a loop for each outer K index */
    uint16_t copies;    /* of the loop's body: multiple of places and buffers */
    uint32_t trip;      /* steps of a slice's K, places included */
    uint32_t headers_b; /* registers of A's headers of one place; or of a dword
                           for each item */
    uint16_t items;     /* of a place */
    bool eights; /* rows of an item meet padding together: a header is made of
                    the item's place before each use; else headers stay */
    struct xk_plan_ahead ahead;
};

/* Slices of K add up by exchanging halves of their tiles through SLM, until
 * each has the sum of its part: columns (dpas) or rows (mad). Slice s loads its
 * tile so that place p of it is part p ^ s; who keeps the first places keeps
 * its own part. */
struct xk_plan_slices {
    uint8_t n;    /* 1: the tile is whole */
    bool by_rows; /* the part is rows of the tile, else columns */
    bool swaps;   /* by_halves: a thread's two places lie side by side; slices 2
                     and 3 keep the second one, and exchange both */
    bool by_halves; /* of dpasw: places 2 q and 2 q + 1 are columns of the even
                       and of the odd thread's half of B; else a place has
                       both's */
    uint32_t place_b; /* of a thread in SLM: half a tile */
    uint32_t slm_b;   /* of a group */
};

/* Sums of B's columns over a thread's K, which a right-hand side multiplies and
 * C's sums lose (xk_epi_op.times_b). In the loop each row of B in registers has
 * eight partial sums in a register, of the dwords of its 32 bytes. Behind it
 * dpas adds these up, a byte of all of them at a time, in every lane of M. */
struct xk_plan_sums {
    bool any;
    uint8_t input;   /* the right-hand side */
    uint8_t bytes;   /* of a partial sum that may differ from its sign */
    uint32_t part_b; /* registers of a part of B's columns, of which there are
                        several with n_part */
    uint32_t size_b; /* of all */
};

/* Sums of B's columns over K that are stored (xk_contraction.totals): a row of
 * ones times B, into registers of their own. dpas has as many rows as
 * lanes, and all are ones: a column's sum is in each lane of its register. */
struct xk_plan_totals {
    bool any;
    uint8_t input;   /* what they become */
    uint32_t part_b; /* registers of a part of B's columns */
    uint32_t size_b; /* of all */
};

/* How a nest walks K (docs/kernels.md). */
struct xk_plan_walk {
    struct xk_digits digits; /* from the outside */
    uint8_t loops; /* the first so many are loops of their own; one loop goes
                      over the places of the others */
    bool crosses;  /* its step may cross a place of the others */
    int64_t last;  /* places of the last index, with those beyond its end that
                      complete a step and bring 0 */
    uint32_t trip; /* whole steps of that loop, of a slice */
    uint32_t rest; /* short steps behind it, of rest_e places each */
    uint16_t rest_e;
};

/* A thread's part of the work, and its group. lower/ reads this, and no
 * schedule. */
struct xk_plan_thread {
    uint8_t family; /* enum xk_family; of a batch in the lanes, mad */
    bool batch;     /* columns of all places of a batch are in the lanes */
    bool dpas;    /* of tiles of 8 lanes of M, whose loads give 0 where they are
                     off */
    bool lanes_m; /* M lies in the lanes, else N */
    bool surfaces; /* buffers are reached through surfaces */
    bool m_first;  /* the grid's x counts groups along M, else along N */
    uint8_t lanes;
    uint16_t m, n;   /* rows and columns */
    uint16_t n_part; /* columns whose B is in registers at once */
    uint16_t k;      /* places of K in a step */
    uint16_t k_last; /* of its last index; less: all of that, and several places
                        of the index in front of it */
    uint16_t group_m, group_n; /* threads of its group */
};

/* Registers of each phase, in GRFs. */
struct xk_plan_grf {
    uint16_t loop, epilogue, limit;
    uint16_t headers; /* that addresses in loops may take */
    uint16_t spare;   /* that hoisting and CSE may use in loops */
};

/* A buffer of the nest that lower/ writes: name of its allocation, one place.
 * Pass pipe makes the others, as the calls tell it. */
struct xk_plan_buffer {
    char name[8];
    uint8_t space;        /* enum xk_space */
    uint8_t slots, ahead; /* places in turn; steps that it is loaded ahead */
    uint32_t slot_b;      /* bytes of a place */
    struct xk_layout tile;
};
#define XK_PLAN_MAX_BUFFERS 5
/* A pass and its arguments, as xk opt --passes= takes them. */
struct xk_pass_call {
    char name[12], args[96];
};
#define XK_PLAN_MAX_CALLS 4

struct xk_plan {
    const struct xk_nest *con;
    const struct xk_platform *platform;
    struct xk_schedule s; /* for plan/ and printers alone */
    struct xk_plan_thread t;
    struct xk_plan_walk walk;
    struct xk_shape shape;      /* as the schedule sees it */
    int64_t m_extent, n_extent; /* products of the M and of the N indices */
    uint32_t groups[3];
    uint8_t n_segments;
    struct xk_plan_segment seg[XK_PLAN_MAX_SEGMENTS];
    struct xk_plan_operand a, b;
    struct xk_plan_slm slm;
    struct xk_plan_flat flat;
    struct xk_plan_slices slices;
    struct xk_plan_sums sums;
    struct xk_plan_totals totals;
    struct xk_layout acc;  /* register tile [m][n] of C */
    struct xk_layout part; /* of a slice's part, at the same place */
    uint32_t acc_b;
    uint32_t fma_per_step; /* mad or dpas instructions of a full step */
    struct xk_plan_epilogue epi;
    struct xk_buffer_table held;   /* in the loops over K */
    struct xk_buffer_table ending; /* in the epilogue */
    struct xk_plan_grf grf;
    /* What the nest has: none where nothing is summed, or with a batch in the
     * lanes. */
    uint8_t n_buffers, n_calls;
    struct xk_plan_buffer buffer[XK_PLAN_MAX_BUFFERS];
    struct xk_pass_call call[XK_PLAN_MAX_CALLS];
};

/* XK_ENOFIT with a sentence when the schedule cannot be carried out with the
 * registers; XK_EUNSUPPORTED when no message can do what a view asks. */
enum xk_status xk_plan_make(xk_ctx *c, const struct xk_platform *p,
                            const struct xk_nest *con,
                            const struct xk_schedule *s, struct xk_plan *out);
void xk_plan_print(const struct xk_plan *p, struct xk_str *out);
/* The calls as one text: "split(m=8) pipe(ra ahead=1 slots=1; ...)". */
void xk_plan_print_calls(const struct xk_plan *p, struct xk_str *out);

/* Layouts of A, B and C that suit a schedule, for those that are open; and of A
 * with the innermost K, of C with N innermost, without padding. */
struct xk_any_layouts {
    struct xk_layout a, b, c, plain_a, plain_c;
};
/* It reads only the types and dims of the accesses. XK_EUNSUPPORTED: the
 * padding of blocks overflows 2^62 bytes. */
enum xk_status xk_plan_any_layouts(xk_ctx *c, const struct xk_contraction *con,
                                   const struct xk_schedule *s,
                                   const struct xk_shape *shape,
                                   struct xk_any_layouts *out);

/* Registers of one buffer in the loops. */
unsigned xk_plan_held_grf(const struct xk_plan *p, enum xk_buffer_id id);

/* dpasw: threads of a group run along M first, pairs of them share B. The even
 * thread holds the first half of its rows, and a dpasw takes four rows of each
 * half. */
bool xk_plan_is_wide(const struct xk_plan *p);

/* Rows of B in a thread's tile that belong to a place of slices, which have
 * their own part first (by_halves: to one of its pair's). */
unsigned xk_plan_place_rows(const struct xk_plan *p);
/* Places of an index that a step has with all of the last K index's; 1: it has
 * places of that one alone. */
unsigned xk_plan_few(const struct xk_plan *p);
/* Whether an operation has so many numbers that registers hold them. */
bool xk_plan_holds_numbers(const struct xk_epi_op *op);
/* C as a side: how it goes out, and what held before comes in. */
struct xk_plan_side xk_plan_side_of_c(const struct xk_plan *p);
/* What an operation needs besides C, M being in the lanes: nothing that
 * differs, what memory held, in the order in which columns are converted, or
 * what is a column's own. */
enum xk_epi_operand { XK_EPI_NONE, XK_EPI_OLD, XK_EPI_COLUMN };
enum xk_epi_operand xk_plan_operand(const struct xk_plan *p, unsigned op);
/* Sizes of block messages: the largest power of two, at most 64 elements of
 * data_b bytes and 256 bytes (LSC, isa.md 6.3). */
unsigned xk_plan_block_vec(unsigned left);

/* M in lanes: columns of a part. */
static inline unsigned xk_plan_part_columns(const struct xk_plan *p)
{
    const unsigned least = p->platform->dpas_rows;
    return p->epi.cols < least ? least : p->epi.cols;
}
/* Packed: where dword d of a row is in a part's registers, for its first row;
 * the others are in the next lanes. */
static inline uint32_t xk_plan_packed_b(const struct xk_plan *p, unsigned d)
{
    return 4u * p->platform->dpas_exec * d;
}
/* C's sums of a dpas. */
static inline uint32_t xk_plan_square_b(const struct xk_plan *p)
{
    return 4u * p->platform->dpas_exec * p->platform->dpas_rows;
}
/* Most of a row in a message with M in the lanes: a lane's vector. */
static inline unsigned xk_plan_row_b(const struct xk_plan *p)
{
    return 4u * p->platform->lane_dwords;
}

/* Groups along N and along M: the schedule says which runs fastest. */
static inline uint32_t xk_plan_groups_n(const struct xk_plan *p)
{
    return p->groups[p->s.m_first];
}

static inline uint32_t xk_plan_groups_m(const struct xk_plan *p)
{
    return p->groups[!p->s.m_first];
}

/* Innermost K index of the contraction, and the only N index. */
const struct xk_index *xk_plan_k_inner(const struct xk_plan *p);
const struct xk_index *xk_plan_n_index(const struct xk_plan *p);

#endif
