/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to isa/: recursive descent over the text of one instruction. Every
 * function returns false once anything is wrong; the first error, with its
 * place, is in *err. Grammar and defaults are those of iga64; names come from
 * the tables the printer uses. */
#ifndef XK_ISA_PARSE_CORE_H
#define XK_ISA_PARSE_CORE_H

#include "isa/format.h"
#include "isa/inst_print.h"
#include "isa/parse_lex.h"

/* A label that an instruction names, whose target is not known yet; where a
 * number stands in its place, only its line and column. */
struct xk_label_use {
    const char *name; /* in the source; NULL: none */
    size_t n_b;
    uint32_t line, col;
};

struct xk_parser {
    const struct xk_platform *p;
    const struct xk_isa_tables *t;
    const struct xk_print_traits *traits;
    const char *file; /* may be NULL */
    struct xk_error *err;
    enum xk_status status;
    struct xk_lexer lex;
    struct xk_token tok;  /* the next one, not yet consumed */
    uint8_t op_hash[256]; /* opcode + 1, by name */
    bool labels;          /* names are allowed as targets */
    /* The instruction in the making. */
    struct xk_inst *i;
    struct xk_token mnemonic;
    struct xk_label_use use[2]; /* jip or the immediate of mov; uip */
    bool flag_named;            /* by the predicate */
    bool no_compact;            /* {NoCompact} */
    bool src1_len_given;
    bool spelled;     /* a message in words ... */
    uint8_t src1_len; /* ... and its length of src1, which {ExBSO} asks for */
    uint32_t options; /* seen in {} */
};

/* False, with the reason in *err, if the platform has no codec. */
bool xk_parser_init(struct xk_parser *ps, const struct xk_platform *p,
                    const char *text, size_t n_b, struct xk_error *err);
/* One instruction up to the end of its line, ';' or the end, which is left. */
bool xk_isa_parse_inst(struct xk_parser *ps, struct xk_inst *i);

/* Records "FILE:LINE:COLUMN: ..." at the token; returns false. */
bool xk_isa_parse_fail(struct xk_parser *ps, const struct xk_token *at,
                       const char *fmt, ...) XK_PRINTF(3, 4);
/* "expected WHAT, found 'word'" at the next token; returns false. */
bool xk_isa_parse_expected(struct xk_parser *ps, const char *what);
/* The same with status and place given. */
bool xk_isa_parse_fail_at(struct xk_parser *ps, enum xk_status status,
                          uint32_t line, uint32_t col, const char *fmt, ...)
    XK_PRINTF(5, 6);

void xk_isa_parse_skip(struct xk_parser *ps);
/* The n-th token after the next one. */
struct xk_token xk_isa_parse_peek(const struct xk_parser *ps, unsigned n);
bool xk_isa_parse_accept(struct xk_parser *ps, unsigned kind);
bool xk_isa_parse_accept_word(struct xk_parser *ps, const char *word);
/* what: in words, for the error. */
bool xk_isa_parse_want(struct xk_parser *ps, unsigned kind, const char *what);
/* A plain integer of at most max. */
bool xk_isa_parse_int(struct xk_parser *ps, const char *what, unsigned max,
                      unsigned *out);

/* The value of a constant expression. */
struct xk_value {
    enum { XK_VAL_INT, XK_VAL_FLOAT, XK_VAL_NAN } kind;
    bool decimal;         /* a lone integer in decimal notation */
    bool negative, quiet; /* of a NaN */
    uint64_t v;           /* integer; NaN: payload */
    double f;
    struct xk_token at; /* where it began */
};
/* Whether the next token can begin one. */
bool xk_isa_parse_at_value(const struct xk_parser *ps);
bool xk_isa_parse_value(struct xk_parser *ps, struct xk_value *v);
/* Without a binary "-" before which, but not after which, there is space: that
 * begins another operand ("16 -32"). */
bool xk_isa_parse_spaced_value(struct xk_parser *ps, struct xk_value *v);
/* An integer in lo..hi, else an error that names `what` and the range. */
bool xk_value_int(struct xk_parser *ps, const struct xk_value *v,
                  const char *what, int64_t lo, int64_t hi, int64_t *out);
/* The bits of an immediate of the type. */
bool xk_value_imm(struct xk_parser *ps, const struct xk_value *v,
                  enum xk_reg_type type, uint64_t *bits);

/* A register name: GRF, ARF or null; file, arf and reg of *o are set. False
 * without error if the next token is none. */
bool xk_isa_parse_at_reg(const struct xk_token *t);
bool xk_isa_parse_reg(struct xk_parser *ps, struct xk_operand *o);
/* ":ud"; an error if there is none. */
bool xk_isa_parse_type(struct xk_parser *ps, uint8_t *type);
/* ":ud" if it is there. */
bool xk_isa_parse_skip_type(struct xk_parser *ps);
/* ".n" if it is there, else 0. */
bool xk_isa_parse_sub(struct xk_parser *ps, unsigned *sub, bool *given);
/* "f1.0", the same as the instruction has already named. */
bool xk_isa_parse_flag(struct xk_parser *ps);
/* "(16|M8)"; what may leave it out is known from the opcode. */
bool xk_isa_parse_exec(struct xk_parser *ps);
/* "a0.2" of a send; *sub is 0..max. */
bool xk_isa_parse_a0(struct xk_parser *ps, unsigned max, uint8_t *sub);

/* What platforms may lack. */
enum xk_isa_parse_thing {
    XK_THING_OPCODE,
    XK_THING_TYPE,
    XK_THING_PRED,
    XK_THING_MATH,
    XK_THING_SYNC,
};
/* True if the platform has thing v, whose name is the token; otherwise the
 * error says who has it. */
bool xk_isa_parse_exists(struct xk_parser *ps, const struct xk_token *at,
                         enum xk_isa_parse_thing thing, unsigned v);
/* Fails at the next token and suggests what it may mean. */
bool xk_isa_parse_unknown_mnemonic(struct xk_parser *ps);

bool xk_isa_parse_dst(struct xk_parser *ps);
bool xk_isa_parse_src(struct xk_parser *ps, unsigned n);
bool xk_isa_parse_sync_operand(struct xk_parser *ps);
bool xk_isa_parse_dpas_operands(struct xk_parser *ps);
bool xk_isa_parse_branch_operands(struct xk_parser *ps);
bool xk_isa_parse_send_operands(struct xk_parser *ps);
/* A payload register or null, of type ud. */
bool xk_isa_parse_payload(struct xk_parser *ps, struct xk_operand *o);
bool xk_isa_parse_options(struct xk_parser *ps);
/* Looks for "load.ugm" and the like; *found says whether it was one. */
bool xk_isa_parse_message(struct xk_parser *ps, bool *found);

#endif
