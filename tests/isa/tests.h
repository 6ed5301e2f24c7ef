/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of test_isa, one per file. */
#ifndef XK_TESTS_ISA_TESTS_H
#define XK_TESTS_ISA_TESTS_H

#include "tests/tap.h"

TCase *isa_codec_case(void);
TCase *isa_footprint_case(void);
TCase *isa_message_case(void);
TCase *isa_rules_case(void);
TCase *isa_workaround_case(void);

#endif
