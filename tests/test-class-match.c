/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matchings of receivers and classes, against Kuhn's algorithm on single senders. */
#include <string.h>

#include "algorithms/class-match.h"
#include "tests/helpers.h"

#define MOST 12 /* receivers; a class has up to 3 senders */

struct instance {
    struct laggard_match match;
    uint32_t mask[MOST], order[MOST];
    uint8_t of[MOST];
};

static void draw(struct instance *in, gsl_rng *rng)
{
    *in = (struct instance){
        .match = {.n_receivers = 1 + below(rng, MOST),
                  .n_classes = 1 + below(rng, 5),
                  .mask = in->mask,
                  .of = in->of}
    };
    memset(in->of, LAGGARD_NO_CLASS, sizeof in->of);
    for (uint32_t c = 0; c < in->match.n_classes; c++)
        in->match.capacity[c] = below(rng, 4);
    for (uint32_t r = 0; r < in->match.n_receivers; r++) {
        in->order[r] = r;
        for (uint32_t c = 0; c < in->match.n_classes; c++)
            in->mask[r] |= (uint32_t)(below(rng, 3) == 0) << c;
    }
}

/* Kuhn: sender slots 3 c .. of class c; slot[i] is its receiver or -1. */
static bool augment(const struct instance *in, uint32_t receiver, int *slot, bool *seen)
{
    for (uint32_t i = 0; i < 3 * in->match.n_classes; i++) {
        if (seen[i] || i % 3 >= in->match.capacity[i / 3] || !(in->mask[receiver] >> i / 3 & 1))
            continue;
        seen[i] = true;
        if (slot[i] < 0 || augment(in, (uint32_t)slot[i], slot, seen)) {
            slot[i] = (int)receiver;
            return true;
        }
    }
    return false;
}

static uint32_t most_matched(const struct instance *in)
{
    int slot[3 * 5];
    uint32_t n = 0;

    memset(slot, -1, sizeof slot);
    for (uint32_t r = 0; r < in->match.n_receivers; r++) {
        bool seen[3 * 5] = {false};
        n += augment(in, r, slot, seen);
    }
    return n;
}

/* Nobody has a class that may not have it, no class is over its capacity, the counts are true. */
static uint32_t check(const struct instance *in)
{
    uint32_t n = 0, used[LAGGARD_MAX_CLASSES] = {0};

    for (uint32_t r = 0; r < in->match.n_receivers; r++)
        if (in->of[r] != LAGGARD_NO_CLASS) {
            g_assert_true(in->mask[r] >> in->of[r] & 1);
            used[in->of[r]]++;
            n++;
        }
    for (uint32_t c = 0; c < in->match.n_classes; c++) {
        g_assert_cmpuint(used[c], ==, in->match.used[c]);
        g_assert_cmpuint(used[c], <=, in->match.capacity[c]);
    }
    return n;
}

/* Receivers one by one, or classes one by one: as many are matched as can be, and nobody who was
 * matched is dropped. */
static void is_largest(void)
{
    g_autoptr(gsl_rng) rng = test_rng(3);

    for (int i = 0; i < 3000; i++) {
        struct instance a, b;
        draw(&a, rng);
        b = a;
        b.match.mask = b.mask;
        b.match.of = b.of;
        uint32_t most = most_matched(&a), n = 0;
        for (uint32_t r = 0; r < a.match.n_receivers; r++) {
            n += laggard_match_receiver(&a.match, r);
            g_assert_cmpuint(check(&a), ==, n);
        }
        g_assert_cmpuint(n, ==, most);
        struct laggard_match_order order = {.order = b.order, .n = b.match.n_receivers};
        n = 0;
        for (uint32_t c = 0; c < b.match.n_classes; c++)
            while (b.match.used[c] < b.match.capacity[c] &&
                   laggard_match_sender(&b.match, c, &order))
                g_assert_cmpuint(check(&b), ==, ++n);
        g_assert_cmpuint(n, ==, most);
    }
}

/* What is allowed later counts as well: 0 has class 0, which 1 wants too; 0 is allowed class 1,
 * moves there, and both are matched. */
static void allows(void)
{
    struct instance in = {
        .match = {.n_receivers = 2, .n_classes = 2, .capacity = {1, 1}},
        .mask = {1,                1                             },
        .of = {LAGGARD_NO_CLASS,                LAGGARD_NO_CLASS},
    };
    in.match.mask = in.mask;
    in.match.of = in.of;

    g_assert_true(laggard_match_receiver(&in.match, 0));
    g_assert_false(laggard_match_receiver(&in.match, 1));
    laggard_match_allow(&in.match, 0, 2);
    g_assert_true(laggard_match_receiver(&in.match, 1));
    g_assert_cmpuint(in.of[0], ==, 1);
    g_assert_cmpuint(in.of[1], ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/class-match/is-largest", is_largest);
    g_test_add_func("/class-match/allows", allows);
    return g_test_run();
}
