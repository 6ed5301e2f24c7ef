/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel does in the situations that hardware minds and a simulator may
 * not, as lines of text that leave out registers, numbers and distances, so
 * that kernels of different makers can be compared: SITUATION <tab> TEXT. */
#ifndef XK_TESTS_IDIOMS_IDIOMS_H
#define XK_TESTS_IDIOMS_IDIOMS_H

#include "isa/message.h"
#include "isa/traits.h"

struct kernel {
    const struct xk_platform *p;
    struct xk_inst *inst; /* up to the last EOT */
    struct xk_msg *msg;   /* of the sends among them */
    unsigned n;
};

/* Gets each line, also repeated ones. */
typedef void line_fn(void *user, const char *situation, const char *text);
struct lines {
    line_fn *take;
    void *user;
    struct xk_str text; /* the line at hand */
};

/* idiom_text.c: pieces of lines, appended to *out. */
void put_mask(const struct xk_inst *i, struct xk_str *out); /* "W&p " */
void put_swsb(const struct xk_inst *i, struct xk_str *out); /* " {A@,$}" */
void put_operand(const struct xk_operand *o, struct xk_str *out);
/* "W mov(8) r:ud <- r0:ud"; of a send its message. */
void put_shape(const struct kernel *k, unsigned at, struct xk_str *out);
/* "load ugm bti a32 d32x8 t SIMD1 df.df": all fields of a message form. */
void put_form(const struct kernel *k, unsigned at, struct xk_str *out);

/* idiom_walk.c */
enum xk_msg_class class_of(const struct kernel *k, unsigned at);
/* Whether instruction `at` writes register `reg`. */
bool writes_grf(const struct kernel *k, unsigned at, unsigned reg);
/* How the destination of the message `at` is waited for: a text. */
const char *waited_by(const struct kernel *k, unsigned at);

/* Situations. */
void tell_begin(const struct kernel *k, struct lines *l);
void tell_end(const struct kernel *k, struct lines *l);
void tell_barriers(const struct kernel *k, struct lines *l);
void tell_instructions(const struct kernel *k, struct lines *l);
void tell_messages(const struct kernel *k, struct lines *l);

/* Hands over the line in l->text and empties it. */
void say(struct lines *l, const char *situation);

#endif
