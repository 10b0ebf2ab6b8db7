/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Early messages: by hand, and against a plain list that is searched from its start. */
#include "sim/mailbox.h"
#include "tests/helpers.h"

typedef struct lag_mailbox scratch;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(scratch, lag_mailbox_clear)

static void put(struct lag_mailbox *box, uint32_t seat, uint32_t src, uint32_t round, double mark)
{
    lag_mailbox_put(box, seat, (struct lag_early){.src = src, .round = round, .received = mark});
}

static void expect(struct lag_mailbox *box, uint32_t seat, uint32_t src, uint32_t round,
                   double mark)
{
    struct lag_early got;

    g_assert_true(lag_mailbox_take(box, seat, src, round, &got));
    g_assert_cmpuint(got.src, ==, src);
    g_assert_cmpuint(got.round, ==, round);
    g_assert_cmpfloat(got.received, ==, mark);
}

static void expect_none(struct lag_mailbox *box, uint32_t seat, uint32_t src, uint32_t round)
{
    struct lag_early got;

    g_assert_false(lag_mailbox_take(box, seat, src, round, &got));
}

/* Taking the first, the middle and the last of a seat's list, and adding behind each; a message is
 * there once, and for its own seat, sender and round only. */
static void by_hand(void)
{
    g_auto(scratch) box;

    lag_mailbox_init(&box);
    lag_mailbox_reset(&box, 3);
    expect_none(&box, 0, 0, 0);
    put(&box, 1, 5, 0, 10);
    put(&box, 1, 5, 1, 11);
    put(&box, 1, 6, 0, 12);
    put(&box, 2, 5, 0, 13);
    expect_none(&box, 0, 5, 0);
    expect_none(&box, 1, 6, 1);
    expect(&box, 1, 5, 1, 11); /* the middle */
    expect(&box, 1, 6, 0, 12); /* the last */
    put(&box, 1, 7, 0, 14);
    expect(&box, 1, 5, 0, 10); /* the first */
    expect_none(&box, 1, 5, 0);
    expect(&box, 1, 7, 0, 14); /* the only one */
    expect_none(&box, 1, 7, 0);
    put(&box, 1, 8, 0, 15);
    expect(&box, 1, 8, 0, 15); /* after having been empty */
    expect(&box, 2, 5, 0, 13);
}

/* Two messages of one sender and round leave in the order in which they came. */
static void first_come(void)
{
    g_auto(scratch) box;

    lag_mailbox_init(&box);
    lag_mailbox_reset(&box, 1);
    put(&box, 0, 1, 4, 1);
    put(&box, 0, 1, 4, 2);
    expect(&box, 0, 1, 4, 1);
    expect(&box, 0, 1, 4, 2);
}

/* A reset empties every seat, for fewer seats and for more. */
static void reset(void)
{
    const uint32_t seats[] = {1, 40, 3, 64, 64, 2};
    g_auto(scratch) box;

    lag_mailbox_init(&box);
    for (size_t i = 0; i < G_N_ELEMENTS(seats); i++) {
        uint32_t n = seats[i];
        lag_mailbox_reset(&box, n);
        for (uint32_t seat = 0; seat < n; seat++)
            expect_none(&box, seat, seat, 1);
        for (uint32_t seat = 0; seat < n; seat++)
            put(&box, seat, seat, 1, seat);
        expect(&box, n - 1, n - 1, 1, n - 1);
    }
}

struct line {
    uint32_t seat, src, round, mark;
};

/* The first of the oracle's messages for this seat, sender and round, or -1. */
static int find(const GArray *oracle, uint32_t seat, uint32_t src, uint32_t round)
{
    for (guint i = 0; i < oracle->len; i++) {
        const struct line *line = &g_array_index(oracle, struct line, i);
        if (line->seat == seat && line->src == src && line->round == round)
            return (int)i;
    }
    return -1;
}

/* 20,000 random puts and takes of 4 seats x 3 senders x 3 rounds. */
static void random_against_list(void)
{
    g_autoptr(gsl_rng) rng = test_rng(3);
    g_autoptr(GArray) oracle = g_array_new(FALSE, FALSE, sizeof(struct line));
    g_auto(scratch) box;

    lag_mailbox_init(&box);
    lag_mailbox_reset(&box, 4);
    for (uint32_t i = 0; i < 20000; i++) {
        struct line line = {below(rng, 4), below(rng, 3), below(rng, 3), i};
        if (below(rng, 2) == 0 && oracle->len < 40) {
            put(&box, line.seat, line.src, line.round, i);
            g_array_append_val(oracle, line);
            continue;
        }
        int found = find(oracle, line.seat, line.src, line.round);
        if (found < 0) {
            expect_none(&box, line.seat, line.src, line.round);
        } else {
            double mark = g_array_index(oracle, struct line, found).mark;
            expect(&box, line.seat, line.src, line.round, mark);
            g_array_remove_index(oracle, (guint)found);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mailbox/by-hand", by_hand);
    g_test_add_func("/mailbox/first-come", first_come);
    g_test_add_func("/mailbox/reset", reset);
    g_test_add_func("/mailbox/random-against-list", random_against_list);
    return g_test_run();
}
