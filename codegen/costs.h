/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions cost, as far as their order and their registers decide it:
 * one row a platform. These are the generator's own assumptions; the
 * simulator's timing model has its own table. */
#ifndef XK_CODEGEN_COSTS_H
#define XK_CODEGEN_COSTS_H

#include "isa/isa.h"

struct xk_cg_costs {
    /* cycles from issue until a dependent instruction may be issued */
    uint8_t alu_cyc, arf_cyc, math_cyc; /* arf: flags and address registers */
    uint8_t dpas1_cyc, dpas8_cyc;       /* repeat counts 1 and 8 */
    uint8_t load_cyc, slm_cyc;          /* answers of messages */
    uint16_t far_cyc;                   /* of a load that no cache answers */
    uint8_t payload_cyc;                /* until a message has read its first
                                           register */
    /* how long an execution port is taken */
    uint8_t row_cyc;           /* a repeat of dpas */
    uint8_t lanes, math_lanes; /* of 32 bits a cycle */
    bool one_port;             /* float and int share it */
    /* Two registers meet if they are in one bank and one bundle. */
    uint8_t bank_grf;   /* registers in a row of one bank; 0: no conflicts */
    uint8_t bundle_grf; /* registers in a row of one bundle */
    uint8_t bundles;
};

/* NULL: nothing is known of the platform. */
const struct xk_cg_costs *xk_cg_costs_get(const struct xk_platform *p);

#endif
