/* SPDX-License-Identifier: Apache-2.0 */
/* The proofs of the codec, for any number of cases: a part of them runs in
 * make check, millions in make fuzz-isa. They say on stderr what is wrong, the
 * first few times, and count it. */
#ifndef XK_TESTS_ISA_CODEC_CHECK_H
#define XK_TESTS_ISA_CODEC_CHECK_H

#include "isa/isa.h"

struct codec_counts {
    unsigned n;       /* cases */
    unsigned refused; /* of them, by decode; of check_random_flips, by iga64 */
    unsigned compact; /* decoded and compacted */
    unsigned wrong;
};

/* n random legal instructions, in one program: they encode and decode to
 * themselves; iga64 decodes the bytes to our text, and assembles our text to
 * the same bytes. */
void check_random_texts(const struct xk_platform *p, uint64_t seed, unsigned n,
                        struct codec_counts *c);

/* n random patterns, a third each: bits, legal instructions with some bits
 * flipped, compacted bits. What decodes has one text, one judgement, and
 * encodes to the same bits; what does not decode has a reason. */
void check_random_bits(const struct xk_platform *p, uint64_t seed, unsigned n,
                       struct codec_counts *c);

/* n legal instructions with a bit flipped that still decode: where iga64
 * decodes them too, it gives them our text. Where it does not (types that an
 * opcode has not, which is for the validator to say), they are counted as
 * refused. */
void check_random_flips(const struct xk_platform *p, uint64_t seed, unsigned n,
                        struct codec_counts *c);

#endif
