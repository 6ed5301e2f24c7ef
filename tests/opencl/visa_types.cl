/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation on every pair of types, forced through inline vISA: the
 * compiler legalises what the hardware has not, so some lines become several
 * instructions. Results lie one on the other in the lower half of r; FOLD keeps
 * what is there after each line in the upper half, which quadwords overwrite.
 * tests/corpus/expected_visa.py interprets the lines. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LANES " (M1," TEXT(XK_SIMD) ") "

#if XK_SIMD == 8
#define UPPER "32"
#elif XK_SIMD == 16
#define UPPER "64"
#else
#define UPPER "128"
#endif

/* Names of one variable's low part, one for each type. */
#define NAME(v, t, of)                                                         \
    ".decl XK" v t " v_type=G type=" t " num_elts=" TEXT(XK_SIMD)              \
    " alias=<" of ",0>\n"
#define NAMES32(v, of)                                                         \
    NAME(v, "ub", of) NAME(v, "b", of) NAME(v, "uw", of) NAME(v, "w", of)      \
    NAME(v, "ud", of) NAME(v, "d", of) NAME(v, "hf", of) NAME(v, "f", of)
#ifdef XK_PVC
#define NAMES(v, of)                                                           \
    NAMES32(v, of) NAME(v, "uq", of) NAME(v, "q", of) NAME(v, "df", of)        \
    NAME(v, "bf", of)
#elif defined(XK_DG2)
#define NAMES(v, of) NAMES32(v, of) NAME(v, "bf", of)
#else
#define NAMES(v, of) NAMES32(v, of)
#endif

#define KERNEL(name, lines)                                                    \
    kernel void name(global ulong *out, global const ulong *a,                 \
                     global const ulong *b, global const ulong *c)             \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        ulong r = c[i] + 1, x = a[i], y = b[i], z = c[i];                      \
        __asm__ volatile("{\n" NAMES("d", "%0") NAMES("a", "%1")               \
                         NAMES("b", "%2") NAMES("c", "%3")                     \
                         ".decl XKsud v_type=G type=ud num_elts="              \
                         TEXT(XK_SIMD) " alias=<%0," UPPER ">\n" lines "}\n"   \
                         : "+rw"(r)                                            \
                         : "rw"(x), "rw"(y), "rw"(z));                         \
        out[i] = r + (x ^ y ^ z); /* every load is waited for */               \
    }

#define FOLD                                                                   \
    "xor" LANES " XKsud(0,0)<1> XKsud(0,0)<1;1,0> XKdud(0,0)<1;1,0>\n"
#define D(t) " XKd" t "(0,0)<1>"
#define A(t) " XKa" t "(0,0)<1;1,0>"
#define B(t) " XKb" t "(0,0)<1;1,0>"
#define C(t) " XKc" t "(0,0)<1;1,0>"
#define ONE(op, d, s) op LANES D(d) A(s) "\n" FOLD
#define TWO(op, d, s) op LANES D(d) A(s) B(s) "\n" FOLD
#define MIX(op, d, s, t) op LANES D(d) A(s) B(t) "\n" FOLD
#define THREE(op, d, s) op LANES D(d) A(s) B(s) C(s) "\n" FOLD
#define FOUR_(op, d, s, t, u) op LANES D(d) A(s) B(t) C(u) "\n" FOLD

#define FROM6(m, op, d)                                                        \
    m(op, d, "ub") m(op, d, "b") m(op, d, "uw") m(op, d, "w") m(op, d, "ud")   \
    m(op, d, "d")
#define FROM4(m, op, d)                                                        \
    m(op, d, "uw") m(op, d, "w") m(op, d, "ud") m(op, d, "d")
#define INT36(m, op)                                                           \
    FROM6(m, op, "ub") FROM6(m, op, "b") FROM6(m, op, "uw")                    \
    FROM6(m, op, "w") FROM6(m, op, "ud") FROM6(m, op, "d")
#define INT16(m, op)                                                           \
    FROM4(m, op, "uw") FROM4(m, op, "w") FROM4(m, op, "ud") FROM4(m, op, "d")
/* pvc adds, shifts and moves quadwords. Logic, sel and cmp on them, and products
 * of bytes, are in none of IGA's tables for it, and the compiler never makes
 * them of OpenCL C; written in vISA they pass through it as they are, which
 * proves nothing. */
#ifdef XK_PVC
#define LONGS(m, op)                                                           \
    FROM4(m, op, "uq") FROM4(m, op, "q") m(op, "uq", "uq") m(op, "q", "q")     \
    m(op, "uq", "q") m(op, "q", "uq") m(op, "d", "q") m(op, "ud", "uq")        \
    m(op, "d", "uq") m(op, "ud", "q") m(op, "w", "q") m(op, "uw", "uq")        \
    m(op, "w", "uq") m(op, "uw", "q")
#define DOUBLE(m, op) m(op, "df", "df")
#else
#define LONGS(m, op)
#define DOUBLE(m, op)
#endif
#define FLOATS(m, op) m(op, "f", "f") m(op, "hf", "hf") DOUBLE(m, op)

// @ types_add out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_add, LONGS(TWO, "add") FLOATS(TWO, "add") INT36(TWO, "add"))
// @ types_add_sat out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_add_sat, FLOATS(TWO, "add.sat") INT36(TWO, "add.sat"))
// @ types_avg out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_avg, INT36(TWO, "avg"))
// @ types_and out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_and, INT36(TWO, "and"))
// @ types_or out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_or, INT36(TWO, "or"))
// @ types_xor out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_xor, INT36(TWO, "xor"))
// @ types_not out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_not, INT36(ONE, "not"))
// @ types_shl out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_shl, LONGS(TWO, "shl") INT36(TWO, "shl"))
// @ types_shr out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_shr, LONGS(TWO, "shr") INT36(TWO, "shr"))
// @ types_asr out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_asr, LONGS(TWO, "asr") INT36(TWO, "asr"))
// @ types_rotate out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_rotate, INT16(TWO, "ror") INT16(TWO, "rol"))
// @ types_sel out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_sel, FLOATS(TWO, "min") FLOATS(TWO, "max") INT36(TWO, "min")
       INT36(TWO, "max"))
// @ types_cmp out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_cmp, FLOATS(TWO, "cmp.eq") INT36(TWO, "cmp.gt"))

// @ types_mul out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
#define MUL(d, s)                                                              \
    MIX("mul", d, s, "ub") MIX("mul", d, s, "b") MIX("mul", d, s, "uw")        \
    MIX("mul", d, s, "w")
#ifdef XK_PVC
#define MUL_BYTES
#else
#define MUL_BYTES                                                              \
    MUL("ub", "ub") MUL("b", "b") MUL("uw", "ub") MUL("w", "b")                \
    MUL("uw", "uw") MUL("w", "w") MUL("d", "d") MUL("ud", "ud")                \
    MUL("d", "w") MUL("ud", "uw") MUL("d", "b") MUL("ud", "ub")                \
    MUL("d", "ud") MUL("ud", "d") MUL("w", "uw") MUL("uw", "w")                \
    MUL("b", "ub") MUL("ub", "b")
#endif
KERNEL(types_mul, FLOATS(TWO, "mul") MUL_BYTES INT16(TWO, "mul"))
// @ types_mulh out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_mulh, TWO("mulh", "d", "d") TWO("mulh", "ud", "ud")
       MIX("mulh", "d", "d", "ud"))

// @ types_mad out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
#ifdef XK_PVC /* the compiler would split them into products of bytes */
#define MAD_BYTES
#else
#define MAD_BYTES                                                              \
    FOUR_("mad", "w", "b", "b", "w") FOUR_("mad", "w", "b", "b", "b")          \
    FOUR_("mad", "uw", "ub", "ub", "uw") FOUR_("mad", "d", "b", "b", "d")      \
    FOUR_("mad", "ud", "ub", "w", "ud")
#endif
KERNEL(types_mad, FLOATS(THREE, "mad") INT16(THREE, "mad")
       FOUR_("mad", "d", "w", "w", "d") FOUR_("mad", "d", "d", "w", "d")
       FOUR_("mad", "ud", "uw", "uw", "ud") FOUR_("mad", "d", "uw", "w", "d")
       MAD_BYTES FOUR_("mad", "w", "w", "w", "w"))

#define TO_ALL(m, op, s)                                                       \
    m(op, "ub", s) m(op, "b", s) m(op, "uw", s) m(op, "w", s) m(op, "ud", s)   \
    m(op, "d", s) m(op, "f", s) m(op, "hf", s)
// @ types_mov out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_mov, LONGS(ONE, "mov") TO_ALL(ONE, "mov", "ub") TO_ALL(ONE, "mov", "b")
       TO_ALL(ONE, "mov", "uw") TO_ALL(ONE, "mov", "w")
       TO_ALL(ONE, "mov", "ud") TO_ALL(ONE, "mov", "d")
       TO_ALL(ONE, "mov", "f") TO_ALL(ONE, "mov", "hf"))
// @ types_mov_sat out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_mov_sat, TO_ALL(ONE, "mov.sat", "ub") TO_ALL(ONE, "mov.sat", "b")
       TO_ALL(ONE, "mov.sat", "uw") TO_ALL(ONE, "mov.sat", "w")
       TO_ALL(ONE, "mov.sat", "ud") TO_ALL(ONE, "mov.sat", "d")
       TO_ALL(ONE, "mov.sat", "f"))

// @ types_unary out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_unary, ONE("frc", "f", "f") ONE("rndd", "f", "f")
       ONE("rndu", "f", "f") ONE("rnde", "f", "f") ONE("rndz", "f", "f")
       ONE("lzd", "ud", "ud") ONE("lzd", "ud", "d") ONE("fbh", "ud", "ud")
       ONE("fbh", "ud", "d") ONE("fbl", "ud", "ud") ONE("cbit", "ud", "ub")
       ONE("cbit", "ud", "uw") ONE("cbit", "ud", "ud")
       ONE("bfrev", "ud", "ud"))
// @ types_fields out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_fields, THREE("bfe", "ud", "ud") THREE("bfe", "d", "d")
       "bfi" LANES D("ud") A("ud") B("ud") C("ud") C("ud") "\n"
       "bfi" LANES D("d") A("d") B("d") C("d") C("d") "\n")
// @ types_math out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
#define MATH(t)                                                                \
    ONE("inv", t, t) ONE("log", t, t) ONE("exp", t, t) ONE("sqrt", t, t)       \
    ONE("rsqrt", t, t) ONE("sin", t, t) ONE("cos", t, t)
KERNEL(types_math, MATH("f") MATH("hf"))

/* What the families above miss. */
#define NO_MASK(op, d, s) op " (M1_NM," TEXT(XK_SIMD) ") " D(d) A(s) "\n"
#define CARRY(op)                                                              \
    ".decl XKcarry" op " v_type=G type=ud num_elts=" TEXT(XK_SIMD) "\n"        \
    op LANES D("ud") " XKcarry" op "(0,0)<1>" A("ud") B("ud") "\n"
#ifdef XK_TGLLP
#define MORE                                                                   \
    TWO("div", "d", "d") TWO("div", "ud", "ud") TWO("mod", "d", "d")           \
    TWO("mod", "ud", "ud") MIX("add", "hf", "hf", "f")                         \
    MIX("add", "f", "hf", "f") MIX("cmp.gt", "f", "hf", "f")                   \
    MIX("cmp.gt", "hf", "hf", "f") FOUR_("mad", "f", "hf", "f", "hf")          \
    FOUR_("mad", "hf", "f", "hf", "f") ONE("sqrt", "hf", "f")                  \
    ONE("lzd", "ud", "ub") ONE("lzd", "ud", "b")
#else
#define MORE                                                                   \
    MIX("add", "bf", "bf", "f") MIX("add", "f", "bf", "f")                     \
    TWO("add", "bf", "f") MIX("mul", "bf", "bf", "f")                          \
    MIX("mul", "f", "bf", "f") FOUR_("mad", "bf", "bf", "f", "f")              \
    FOUR_("mad", "f", "bf", "f", "bf") FOUR_("mad", "bf", "f", "f", "bf")      \
    MIX("cmp.gt", "bf", "bf", "f") MIX("cmp.gt", "f", "bf", "f")               \
    FOUR_("bfn.x96", "w", "uw", "d", "ud") FOUR_("bfn.x1E", "ud", "w", "d", "d")\
    ONE("lzd", "ud", "ub") ONE("lzd", "ud", "b")
#endif
// @ types_more out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1 needs=vendor,visa
KERNEL(types_more, MORE ONE("lzd", "ud", "uw") ONE("lzd", "ud", "w")
       ONE("fbl", "ud", "uw") FOUR_("dp4a", "ud", "ud", "ud", "ud")
       FOUR_("dp4a", "ud", "d", "ud", "ud") FOUR_("mad", "ud", "d", "w", "d")
       FOUR_("mad", "d", "ud", "uw", "ud") FOUR_("mad", "uw", "d", "w", "d")
       FOUR_("mad", "w", "ud", "uw", "ud") MIX("mulh", "ud", "d", "d")
       TWO("pow", "f", "f") TWO("div", "f", "f") CARRY("addc") CARRY("subb"))
#ifdef XK_PVC
// @ types_narrow out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1
//   needs=vendor,visa platforms=pvc
KERNEL(types_narrow, ONE("fcvt", "ud", "f") ONE("fcvt", "hf", "ub")
       NO_MASK("fcvt", "ub", "hf")
       "srnd (M1_NM," TEXT(XK_SIMD) ") " D("hf") A("f") B("f") "\n"
       "srnd (M1_NM," TEXT(XK_SIMD) ") " D("ub") A("hf") B("hf") "\n")
#endif

#ifndef XK_TGLLP
// @ types_add3 out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1
//   needs=vendor,visa platforms=dg2,pvc
KERNEL(types_add3, INT16(THREE, "add3")
       FOUR_("add3", "d", "w", "d", "uw") FOUR_("add3", "w", "w", "uw", "w"))
// @ types_bfn out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1
//   needs=vendor,visa platforms=dg2,pvc
KERNEL(types_bfn, THREE("bfn.x1", "ud", "ud") THREE("bfn.xE8", "ud", "ud")
       THREE("bfn.x96", "ud", "ud") THREE("bfn.xCA", "uw", "uw")
       THREE("bfn.xFE", "uw", "uw") THREE("bfn.x80", "d", "d")
       THREE("bfn.x3C", "w", "w"))
// @ types_bf16 out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1
//   needs=vendor,visa platforms=dg2,pvc
KERNEL(types_bf16, ONE("mov", "bf", "f") ONE("mov", "f", "bf"))
#endif

#ifdef XK_PVC
// @ types_f64 out:ulong:1 in:ulong:1 in:ulong:1 in:ulong:1
//   needs=vendor,visa platforms=pvc
KERNEL(types_f64, ONE("mov", "df", "f") ONE("mov", "f", "df")
       ONE("mov", "df", "d") ONE("mov", "df", "ud") ONE("mov", "df", "w")
       ONE("mov", "df", "uw") ONE("mov", "d", "df") ONE("mov", "ud", "df")
       ONE("mov", "w", "df") ONE("mov", "uw", "df") ONE("mov", "df", "q")
       ONE("mov", "df", "uq") ONE("mov", "q", "df") ONE("mov", "uq", "df")
       ONE("mov", "f", "q") ONE("mov", "f", "uq") ONE("mov", "q", "f")
       ONE("mov", "uq", "f") TWO("div", "df", "df") ONE("sqrt", "df", "df")
       TWO("divm", "f", "f") ONE("sqrtm", "f", "f"))
#endif
