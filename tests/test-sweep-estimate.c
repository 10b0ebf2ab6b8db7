/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How an estimate is told; tests/test-sweep has what is told of a real sweep. */
#include "tools/sweep-estimate.h"

/* Four digits at most before the first word, three before the others; one after the point below
 * 9.95, where rounding gives a fourth. */
static void test_text(void)
{
    static const struct {
        double count;
        const char *text;
    } cases[] = {
        {0,      "0"            },
        {9949,   "9949"         },
        {9950,   "10 thousand"  },
        {999499, "999 thousand" },
        {999500, "1.0 million"  },
        {9.94e6, "9.9 million"  },
        {9.96e6, "10 million"   },
        {2e15,   "2000 trillion"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lag_sweep_estimate estimate = {7, cases[i].count, 3, 1e6};
        g_autofree char *text = lag_sweep_estimate_text(&estimate);
        g_autofree char *head = g_strdup_printf("7 points, %s runs, 3 messages, ", cases[i].text);
        g_assert_true(g_str_has_prefix(text, head));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sweep-estimate/text", test_text);
    return g_test_run();
}
