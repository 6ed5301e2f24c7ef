/* SPDX-License-Identifier: Apache-2.0 */
/* Every message of the data ports, the load/store cache and the gateway, with
 * the descriptors written out (inline vISA): the compiler itself only sends a
 * third of them. The addresses have no meaning and nobody runs these. */
#ifdef XK_PVC
#define PER(hpc, xe) hpc
#else
#define PER(hpc, xe) xe
#endif

/* port: decimal and hexadecimal; registers of src0, src1 and dst; extended
 * descriptor without its last digit (4 * registers of src1); descriptor. */
#define SEND(lanes, d, p, s0, s1, src1, r, dst, ex, desc)                      \
    "raw_sends." d "." s0 "." s1 "." r " (" lanes ") 0x" ex p ":ud 0x" desc    \
    ":ud %1.0 " src1 " " dst "\n"
#define NO "V0.0"
/* 16 channels of 32-bit or 64-bit addresses and 1 or 2 dwords of data each. The
 * first digits of a descriptor: twice the address registers, then those of the
 * response. */
#define L32(d, p, tail) SEND("M1, 16", d, p, PER("1", "2"), "0", NO,           \
    PER("1", "2"), "%0.0", "0", PER("21", "42") tail)
#define L32_2(d, p, tail) SEND("M1, 16", d, p, PER("1", "2"), "0", NO,         \
    PER("2", "4"), "%0.0", "0", PER("22", "44") tail)
#define S32(d, p, tail) SEND("M1, 16", d, p, PER("1", "2"), PER("1", "2"),     \
    "%2.0", "0", NO, PER("4", "8"), PER("20", "40") tail)
#define S32_2(d, p, tail) SEND("M1, 16", d, p, PER("1", "2"), PER("2", "4"),   \
    "%2.0", "0", NO, PER("8", "10"), PER("20", "40") tail)
#define L64(d, p, tail) SEND("M1, 16", d, p, PER("2", "4"), "0", NO,           \
    PER("1", "2"), "%0.0", "0", PER("41", "82") tail)
#define L64_2(d, p, tail) SEND("M1, 16", d, p, PER("2", "4"), "0", NO,         \
    PER("2", "4"), "%0.0", "0", PER("42", "84") tail)
#define S64(d, p, tail) SEND("M1, 16", d, p, PER("2", "4"), PER("1", "2"),     \
    "%2.0", "0", NO, PER("4", "8"), PER("40", "80") tail)
#define S64_2(d, p, tail) SEND("M1, 16", d, p, PER("2", "4"), PER("2", "4"),   \
    "%2.0", "0", NO, PER("8", "10"), PER("40", "80") tail)
/* A header and one register of data, or one hword (two owords). */
#define BLOCK_L(d, p, tail) SEND("M1_NM, 8", d, p, "1", "0", NO, "1", "%0.0",  \
    "0", "21" tail)
#define BLOCK_S(d, p, tail) SEND("M1_NM, 8", d, p, "1", "1", "%2.0", "0", NO,  \
    "4", "20" tail)
#define HWORDS_L(d, p, tail) SEND("M1_NM, 8", d, p, "1", "0", NO,              \
    PER("1", "2"), "%0.0", "0", PER("21", "22") tail)
#define HWORDS_S(d, p, tail) SEND("M1_NM, 8", d, p, "1", PER("1", "2"),        \
    "%2.0", "0", NO, PER("4", "8"), "20" tail)

/* Atomics that return the old value, with 0, 1 and 2 operands. */
#define A32_0(tail) SEND("M1, 16", "12", "c", PER("1", "2"), "0", NO,          \
    PER("1", "2"), "%0.0", "0", PER("21", "42") tail)
#define A32_1(tail) SEND("M1, 16", "12", "c", PER("1", "2"), PER("1", "2"),    \
    "%2.0", PER("1", "2"), "%0.0", PER("4", "8"), PER("21", "42") tail)
#define A32_2(tail) SEND("M1, 16", "12", "c", PER("1", "2"), PER("2", "4"),    \
    "%2.0", PER("1", "2"), "%0.0", PER("8", "10"), PER("21", "42") tail)
/* One width of pvc, the narrow one of the others. */
#define A64_0(tail) SEND(PER("M1, 16", "M1, 8"), "12", "c", "2", "0", NO, "1", \
    "%0.0", "0", "41" tail)
#define A64_1(tail) SEND(PER("M1, 16", "M1, 8"), "12", "c", "2", "1", "%2.0",  \
    "1", "%0.0", "4", "41" tail)
#define A64_2(tail) SEND(PER("M1, 16", "M1, 8"), "12", "c", "2", "2", "%2.0",  \
    "1", "%0.0", "8", "41" tail)
#define F64_1(tail) SEND("M1, 16", "12", "c", PER("2", "4"), PER("1", "2"),    \
    "%2.0", PER("1", "2"), "%0.0", PER("4", "8"),                              \
    PER("41", "82") tail)
#define F64_2(tail) SEND("M1, 16", "12", "c", PER("2", "4"), PER("2", "4"),    \
    "%2.0", PER("1", "2"), "%0.0", PER("8", "10"),                             \
    PER("41", "82") tail)
#define INTEGER(m, type, bti)                                                  \
    m##_0(type "5" bti) m##_0(type "6" bti) m##_0(type "f" bti)                \
    m##_1(type "1" bti) m##_1(type "2" bti) m##_1(type "3" bti)                \
    m##_1(type "4" bti) m##_1(type "7" bti) m##_1(type "8" bti)                \
    m##_1(type "9" bti) m##_1(type "a" bti) m##_1(type "b" bti)                \
    m##_1(type "c" bti) m##_1(type "d" bti) m##_2(type "e" bti)
#define FLOATING(m, type, bti)                                                 \
    m##_1(type "1" bti) m##_1(type "2" bti) m##_2(type "3" bti)

#define KERNEL(name, lines)                                                    \
    kernel void name(global uint8 *out, global const uint8 *a)                 \
    {                                                                          \
        const int i = get_global_id(0);                                        \
        uint16 r = (uint16)(a[i], a[i]), x = r * 3, y = r + 1;                 \
        __asm__ volatile("{\n" lines "}\n" : "+rw"(r) : "rw"(x), "rw"(y));     \
        out[i] = r.lo ^ r.hi;                                                  \
    }

// @ data_port_0 out:uint8:1 in:uint8:1 needs=vendor,visa
KERNEL(data_port_0,
       BLOCK_L("10", "a", "80203") BLOCK_L("10", "a", "84203")
       BLOCK_S("10", "a", "a0203") BLOCK_S("10", "a", "a4203")
       L32("10", "a", "0c303") S32("10", "a", "2c303")
       L32("10", "a", "10103") L32("10", "a", "10503") L32("10", "a", "10903")
       S32("10", "a", "30103") S32("10", "a", "30503") S32("10", "a", "30903")
       L32_2("10", "a", "14303") S32_2("10", "a", "34303")
       HWORDS_L("10", "a", "c1002") HWORDS_S("10", "a", "e1002")
       BLOCK_L("10", "a", "9e000")
#ifndef XK_TGLLP
       HWORDS_L("10", "a", "86103")
#endif
)
// @ data_port_1 out:uint8:1 in:uint8:1 needs=vendor,visa
KERNEL(data_port_1,
       L32_2("12", "c", "05c03") S32_2("12", "c", "25c03")
       L64_2("12", "c", "45cff") S64_2("12", "c", "65cff")
       L64("12", "c", "410ff") L64("12", "c", "414ff") L64("12", "c", "418ff")
       S64("12", "c", "690ff") S64("12", "c", "694ff") S64("12", "c", "698ff")
       L64("12", "c", "411ff") S64("12", "c", "691ff")
       L64_2("12", "c", "412ff") S64_2("12", "c", "692ff")
       BLOCK_L("12", "c", "d02ff") BLOCK_L("12", "c", "d0aff")
       BLOCK_S("12", "c", "d42ff") BLOCK_S("12", "c", "d4aff")
       HWORDS_L("12", "c", "d1aff") HWORDS_S("12", "c", "d5aff"))
// @ data_port_read_only out:uint8:1 in:uint8:1 needs=vendor,visa
KERNEL(data_port_read_only,
       BLOCK_L("9", "9", "80203") BLOCK_L("9", "9", "84203")
       L32("9", "9", "0c303")
#ifndef XK_TGLLP
       S32_2("9", "9", "25c03") S64_2("9", "9", "65cff")
#endif
)
// @ data_port_atomics out:uint8:1 in:uint8:1 needs=vendor,visa
KERNEL(data_port_atomics,
       INTEGER(A32, "0a", "03") INTEGER(A32, "0e", "03")
       INTEGER(A64, "4a", "ff") INTEGER(A64, "4e", "ff")
       FLOATING(A32, "6e", "03") FLOATING(A32, "72", "03")
       FLOATING(F64, PER("76", "77"), "ff")
       FLOATING(F64, PER("7a", "7b"), "ff"))
#ifndef XK_TGLLP
// @ data_port_float_sums out:uint8:1 in:uint8:1 needs=vendor,visa
//   platforms=dg2,pvc
KERNEL(data_port_float_sums,
       A32_1("6e" "4" "03") A32_1("6e" "5" "03") A32_1("72" "4" "03")
       A32_1("72" "5" "03") F64_1(PER("76", "77") "4" "ff")
       F64_1(PER("76", "77") "5" "ff") F64_1(PER("7a", "7b") "4" "ff")
       F64_1(PER("7a", "7b") "5" "ff"))
#endif

/* sendc, and the media block. */
// @ other_sends out:uint8:1 in:uint8:1 needs=vendor,visa
KERNEL(other_sends,
       "raw_sendc (M1, 16) 0xc " PER("1", "2") " " PER("2", "4") " 0x"
       PER("22", "44") "05c03:ud %1.0 %0.0\n"
       BLOCK_L("12", "c", "90003") BLOCK_S("12", "c", "a8003"))
// @ gateway out:uint8:1 in:uint8:1 needs=vendor,visa
#define GATEWAY(tail) SEND("M1_NM, 8", "3", "3", "1", "0", NO, "0", NO, "0",   \
    "200000" tail)
KERNEL(gateway, GATEWAY("1") GATEWAY("2") GATEWAY("3") GATEWAY("4")
       GATEWAY("6"))

#ifndef XK_TGLLP
/* The load/store cache: n registers of response or data for 16 channels. */
#define LSC_L(d, p, r, digits, tail) SEND("M1, 16", d, p, PER("2", "4"), "0",  \
    NO, r, "%0.0", "0", digits tail)
#define LSC_S(d, p, s1, ex, tail) SEND("M1, 16", d, p, PER("2", "4"), s1,      \
    "%2.0", "0", NO, ex, PER("40", "80") tail)
#define SLM_L(r, digits, tail) SEND("M1, 16", "14", "e", PER("1", "2"), "0",   \
    NO, r, "%0.0", "0", digits tail)
#define SLM_S(s1, ex, tail) SEND("M1, 16", "14", "e", PER("1", "2"), s1,       \
    "%2.0", "0", NO, ex, PER("20", "40") tail)
/* One channel, n dwords in a row. */
#define ROW_L(d, p, r, digits, tail) SEND("M1_NM, 1", d, p, "1", "0", NO, r,   \
    "%0.0", "0", digits tail)
#define ROW_S(d, p, s1, ex, tail) SEND("M1_NM, 1", d, p, "1", s1, "%2.0", "0", \
    NO, ex, "20" tail)

// @ lsc_loads out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
KERNEL(lsc_loads,
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "00580")
       LSC_L("15", "f", PER("2", "4"), PER("42", "84"), "01580")
       LSC_L("15", "f", PER("3", "6"), PER("43", "86"), "02580")
       LSC_L("15", "f", PER("4", "8"), PER("44", "88"), "03580")
       SEND(PER("M1, 16", "M1, 8"), "15", "f", "2", "0", NO, "8", "%0.0", "0",
            "48" "04580")
       LSC_L("15", "f", PER("2", "4"), PER("42", "84"), "00780")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "00980")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "00b80")
       ROW_L("15", "f", "1", "21", "08580") ROW_L("15", "f", "1", "21", "09580")
       ROW_L("15", "f", "1", "21", "0a580") ROW_L("15", "f", "1", "21", "0b580")
       ROW_L("15", "f", "1", "21", "0c580")
       ROW_L("15", "f", PER("1", "2"), PER("21", "22"), "0d580")
       ROW_L("15", "f", PER("2", "4"), PER("22", "24"), "0e580")
       ROW_L("15", "f", PER("4", "8"), PER("24", "28"), "0f580")
       LSC_L("15", "f", PER("3", "6"), PER("43", "86"), "07582")
       SEND("M1, 16", "15", "f", PER("2", "4"), "0", NO, "1", "%0.0", "0",
            PER("41", "81") "0059b")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "20580")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "40580")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "60580")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "80580")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "a0580")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "c0580")
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "e0580"))
// @ lsc_stores out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
KERNEL(lsc_stores,
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "00584")
       LSC_S("15", "f", PER("2", "4"), PER("8", "10"), "01584")
       LSC_S("15", "f", PER("3", "6"), PER("c", "18"), "02584")
       LSC_S("15", "f", PER("4", "8"), PER("10", "20"), "03584")
       SEND(PER("M1, 16", "M1, 8"), "15", "f", "2", "8", "%2.0", "0", NO, "20",
            "40" "04584")
       LSC_S("15", "f", PER("2", "4"), PER("8", "10"), "00784")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "00984")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "00b84")
       ROW_S("15", "f", "1", "4", "08584") ROW_S("15", "f", "1", "4", "09584")
       ROW_S("15", "f", "1", "4", "0a584") ROW_S("15", "f", "1", "4", "0b584")
       ROW_S("15", "f", "1", "4", "0c584")
       ROW_S("15", "f", PER("1", "2"), PER("4", "8"), "0d584")
       ROW_S("15", "f", PER("2", "4"), PER("8", "10"), "0e584")
       ROW_S("15", "f", PER("4", "8"), PER("10", "20"), "0f584")
       LSC_S("15", "f", PER("3", "6"), PER("c", "18"), "07586")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "0059c")
       LSC_S("15", "f", PER("3", "6"), PER("c", "18"), "075a0")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "20584")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "60584")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "80584")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "e0584"))
// @ lsc_local out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
KERNEL(lsc_local,
       SLM_L(PER("1", "2"), PER("21", "42"), "00500")
       SLM_L(PER("4", "8"), PER("24", "48"), "03500")
       SLM_L(PER("2", "4"), PER("22", "44"), "00700")
       SLM_L(PER("1", "2"), PER("21", "42"), "00900")
       SLM_S(PER("1", "2"), PER("4", "8"), "00504")
       SLM_S(PER("3", "6"), PER("c", "18"), "07506")
       SLM_S(PER("1", "2"), PER("4", "8"), "00b04")
       SEND("M1, 16", "14", "e", PER("1", "1"), "0", NO, PER("1", "2"), "%0.0",
            "0", PER("21", "22") "00480"))
// @ lsc_surfaces out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
#define BTI_L(tail) SEND("M1, 16", "15", "f", PER("1", "2"), "0", NO,          \
    PER("1", "2"), "%0.0", "300000", PER("621", "642") tail)
#define BTI_S(tail) SEND("M1, 16", "15", "f", PER("1", "2"), PER("1", "2"),    \
    "%2.0", "0", NO, PER("300004", "300008"), PER("620", "640") tail)
/* Flat, but with 32-bit addresses. */
#define LOW_L(tail) SEND("M1, 16", "15", "f", PER("1", "2"), "0", NO,          \
    PER("1", "2"), "%0.0", "0", PER("21", "42") tail)
KERNEL(lsc_surfaces, BTI_L("00500") BTI_S("00504") LOW_L("00500"))
// @ lsc_state out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
KERNEL(lsc_state,
       LSC_L("15", "f", PER("1", "2"), PER("41", "82"), "00581")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "00585")
       SEND("M1_NM, 1", "15", "f", "1", "0", NO, "0", NO, "0", "200019d")
       SEND("M1_NM, 1", "15", "f", "1", "0", NO, PER("1", "2"), "%0.0",
            "300000", PER("6210001e", "6220001e")))
// @ lsc_bindless out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
KERNEL(lsc_bindless,
       ".decl XKs v_type=G type=ud num_elts=1\n"
       "mov (M1_NM, 1) XKs(0,0)<1> %1(0,0)<0;1,0>\n"
       "lsc_load.ugm (M1, 16) %0:d32 ss(XKs)[%1]:a32\n"
       "lsc_store.ugm (M1, 16) ss(0x80)[%1]:a32 %2:d32\n"
       "lsc_load.ugm (M1, 16) %0:d32 bss(XKs)[%1]:a32\n"
       "lsc_store.ugm (M1, 16) bss(0x80)[%1]:a32 %2:d32\n")
/* The port of low bandwidth. */
// @ lsc_low out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
KERNEL(lsc_low,
       LSC_L("21", "1", PER("1", "2"), PER("41", "82"), "00580")
       LSC_S("21", "1", PER("1", "2"), PER("4", "8"), "00584"))
// @ lsc_atomics out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
#define LSC_A0(tail) LSC_L("15", "f", PER("1", "2"), PER("41", "82"), tail)
#define LSC_A1(tail) SEND("M1, 16", "15", "f", PER("2", "4"), PER("1", "2"),   \
    "%2.0", PER("1", "2"), "%0.0", PER("4", "8"), PER("41", "82") tail)
#define LSC_A2(tail) SEND("M1, 16", "15", "f", PER("2", "4"), PER("2", "4"),   \
    "%2.0", PER("1", "2"), "%0.0", PER("8", "10"), PER("41", "82") tail)
KERNEL(lsc_atomics,
       LSC_A0("00588") LSC_A0("00589") LSC_A0("0058a")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "0058b")
       LSC_A1("0058c") LSC_A1("0058d") LSC_A1("0058e") LSC_A1("0058f")
       LSC_A1("00590") LSC_A1("00591") LSC_A2("00592") LSC_A1("00593")
       LSC_A1("00594") LSC_A1("00595") LSC_A1("00596") LSC_A2("00597")
       LSC_A1("00598") LSC_A1("00599") LSC_A1("0059a")
       LSC_S("15", "f", PER("1", "2"), PER("4", "8"), "0058c"))
// @ lsc_fences out:uint8:1 in:uint8:1 needs=vendor,visa platforms=dg2,pvc
#define FENCE(d, p, tail) SEND("M1_NM, 1", d, p, "1", "0", NO, "1", "%0.0",    \
    "0", "210" tail)
KERNEL(lsc_fences,
       FENCE("15", "f", "011f") FENCE("15", "f", "031f")
       FENCE("15", "f", "151f") FENCE("15", "f", "271f")
       FENCE("14", "e", "011f"))
#endif

#ifdef XK_PVC
// @ lsc_blocks_2d out:uint8:1 in:uint8:1 needs=vendor,visa platforms=pvc
KERNEL(lsc_blocks_2d,
       ROW_L("15", "f", "4", "24", "00203") ROW_L("15", "f", "8", "28", "00283")
       ROW_L("15", "f", "8", "28", "08403") ROW_L("15", "f", "1", "21", "00003")
       ROW_S("15", "f", "8", "20", "00407")
       ROW_S("15", "f", "4", "10", "00207"))
#endif
