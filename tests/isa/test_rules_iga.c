/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that isa/rules.def says the assembler knows too: iga64 takes the
 * instruction that keeps the rule without a word, and refuses the other or
 * warns about it. Exits with 77 where iga64 is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "isa/validate.h"
#include "tests/isa/iga.h"
#include "tests/isa/rule_cases.h"
#include "tests/tap.h"

/* What iga64 says about one line; empty if nothing. */
static void iga_says(const struct xk_platform *p, const char *text, char *says,
                     size_t max)
{
    char path[] = "/tmp/xk_rule_XXXXXX", cmd[200];
    const int fd = mkstemp(path);
    FILE *out;
    size_t n;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
    ck_assert_int_eq((int)write(fd, "\n", 1), 1);
    close(fd);
    snprintf(cmd, sizeof(cmd), "iga64 -a -Wall -p=%s %s -o /dev/null 2>&1",
             p->iga_name, path);
    out = popen(cmd, "r");
    ck_assert_ptr_nonnull(out);
    n = fread(says, 1, max - 1, out);
    says[n] = 0;
    pclose(out);
    unlink(path);
}

static void print(const struct xk_platform *p, const struct xk_inst *i,
                  char *text, size_t max)
{
    struct xk_str s;

    xk_str_init(&s, NULL);
    xk_inst_print(p, i, &s);
    snprintf(text, max, "%s", xk_str_get(&s));
    xk_str_fini(&s);
}

static const struct xk_isa_rule *rule_of(const char *name)
{
    unsigned n;
    const struct xk_isa_rule *const rules = xk_isa_rules(&n);

    for (unsigned k = 0; k < n; k++) {
        if (!strcmp(rules[k].text.rule, name))
            return &rules[k];
    }
    return NULL;
}

START_TEST(the_assembler_knows_the_rule)
{
    unsigned n;
    const struct rule_case *const c = &rule_cases(&n)[_i];
    const struct xk_platform *const p = xk_platform_get(c->platform);
    const struct xk_isa_rule *const rule = rule_of(c->rule);
    char text[400], says[2000];
    struct xk_error err = {0};
    struct xk_inst i;

    ck_assert_msg(rule != NULL, "no rule %s", c->rule);
    ck_assert(rule_case_parse(p, c->good, &i, &err));
    print(p, &i, text, sizeof(text));
    iga_says(p, text, says, sizeof(says));
    ck_assert_msg(!*says, "%s: %s: %s", c->rule, text, says);
    if (rule->proof != XK_PROOF_IGA)
        return;
    ck_assert(rule_case_bad(c, &i, &err));
    print(p, &i, text, sizeof(text));
    iga_says(p, text, says, sizeof(says));
    ck_assert_msg(*says, "%s: not a word about %s", c->rule, text);
}
END_TEST

int main(void)
{
    unsigned n, n_iga = 0, n_rules;
    const struct xk_isa_rule *const rules = xk_isa_rules(&n_rules);
    Suite *const s = suite_create("isa_rules_iga");
    TCase *const t = tcase_create("rules");

    if (!iga_available()) {
        printf("# iga64 is not installed: rules not compared with it\n");
        return 77;
    }
    rule_cases(&n);
    for (unsigned k = 0; k < n_rules; k++)
        n_iga += rules[k].proof == XK_PROOF_IGA;
    printf("# %u rules, %u of them the assembler's too\n", n_rules, n_iga);
    tcase_add_loop_test(t, the_assembler_knows_the_rule, 0, (int)n);
    tcase_set_timeout(t, 0);
    suite_add_tcase(s, t);
    fflush(stdout);
    return xk_tap_run(s);
}
