/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of platforms as the rows of rules.def and traits.def name them. Only for
 * the .c files that read those tables: the names are too short for more. */
#ifndef XK_ISA_PLATFORM_SET_H
#define XK_ISA_PLATFORM_SET_H

#include "isa/isa.h"

enum {
    LP = 1 << XK_PLATFORM_XELP,
    HPG = 1 << XK_PLATFORM_XEHPG,
    HPC = 1 << XK_PLATFORM_XEHPC,
    LH = LP | HPG,
    DG = HPG | HPC,
    ALL = LP | HPG | HPC,
};

#endif
