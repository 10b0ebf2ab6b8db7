/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clock, dispatch and timers. The handlers write what they see into a log, "time:rank:data". */
#include <glib.h>

#include "sim/engine.h"

struct log {
    lag_engine engine;
    GString *text;
    uint32_t handler;
    lag_timer timer; /* one that a handler may cancel */
};

static void note(void *self, uint32_t rank, uint32_t data)
{
    struct log *log = self;

    g_string_append_printf(log->text, "%g:%u:%u ", log->engine.now, rank, data);
}

static void log_init(struct log *log)
{
    *log = (struct log){.text = g_string_new(NULL)};
    lag_engine_init(&log->engine);
    log->handler = lag_engine_handler(&log->engine, note, log);
}

static void log_clear(struct log *log)
{
    lag_engine_clear(&log->engine);
    if (log->text != NULL)
        g_string_free(log->text, TRUE);
    log->text = NULL;
}

typedef struct log scratch;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(scratch, log_clear)

static void post(struct log *log, lag_seconds time, enum lag_class class, uint32_t rank,
                 uint32_t data)
{
    lag_engine_post(&log->engine, time, class, rank, log->handler, data);
}

static lag_timer timer(struct log *log, lag_seconds time, uint32_t data)
{
    return lag_engine_start_timer(&log->engine, time, LAG_COMPUTE_DONE, 0, log->handler, data);
}

static void expect_log(struct log *log, const char *text)
{
    lag_engine_run(&log->engine);
    g_assert_cmpstr(log->text->str, ==, text);
}

/* DESIGN section 3: events leave by (time, class, rank, insertion number). Posted here in an order
 * that is wrong in each of the four. */
static void total_order(void)
{
    g_auto(scratch) log;

    log_init(&log);
    post(&log, 2, LAG_COLLECTIVE_FINISHED, 0, 9);
    post(&log, 1, LAG_FAULT, 0, 8);
    post(&log, 1, LAG_ARRIVAL, 0, 7);
    post(&log, 1, LAG_COMPUTE_DONE, 5, 5);
    post(&log, 1, LAG_COMPUTE_DONE, 5, 6);
    post(&log, 1, LAG_COMPUTE_DONE, 3, 4);
    post(&log, 1, LAG_MESSAGE_AT_WORKER, 9, 3);
    post(&log, 1, LAG_MESSAGE_AT_SERVER, 9, 2);
    post(&log, 1, LAG_COLLECTIVE_FINISHED, LAG_MAX_RANKS - 1, 1);
    expect_log(&log, "1:16777215:1 1:9:2 1:9:3 1:3:4 1:5:5 1:5:6 1:0:7 1:0:8 2:0:9 ");
    g_assert_cmpuint(log.engine.n_handled, ==, 9);
}

static void post_more(void *self, uint32_t rank, uint32_t data)
{
    struct log *log = self;

    note(log, rank, data);
    if (data > 0) {
        lag_engine_post(&log->engine, log->engine.now, LAG_ARRIVAL, rank, 0, 100 + data);
        lag_engine_post(&log->engine, log->engine.now + 1, LAG_ARRIVAL, rank, 1, data - 1);
    }
}

/* A handler may post events for now and for later; they go to the handler they were posted to
 * (0: note, 1: post_more). By hand: data 2 at 0, then 102 at 0 and 1 at 1, then 101 and 0. */
static void handlers_post(void)
{
    g_auto(scratch) log;

    log_init(&log);
    uint32_t more = lag_engine_handler(&log.engine, post_more, &log);
    g_assert_cmpuint(log.handler, ==, 0);
    g_assert_cmpuint(more, ==, 1);
    lag_engine_post(&log.engine, 0, LAG_ARRIVAL, 7, more, 2);
    expect_log(&log, "0:7:2 0:7:102 1:7:1 1:7:101 2:7:0 ");
}

/* A cancelled timer doesn't fire and doesn't move the clock; the other one does. */
static void cancel_pending(void)
{
    g_auto(scratch) log;

    log_init(&log);
    lag_timer a = timer(&log, 1, 1), b = timer(&log, 2, 2), c = timer(&log, 3, 3);
    g_assert_cmpuint(a, !=, 0);
    g_assert_true(lag_engine_cancel(&log.engine, a));
    g_assert_true(lag_engine_cancel(&log.engine, c));
    g_assert_false(lag_engine_cancel(&log.engine, c)); /* twice */
    expect_log(&log, "2:0:2 ");
    g_assert_cmpfloat(log.engine.now, ==, 2);
    g_assert_cmpuint(log.engine.n_handled, ==, 1);
    g_assert_false(lag_engine_cancel(&log.engine, b)); /* it has fired */
    g_assert_false(lag_engine_cancel(&log.engine, a)); /* it is gone */
    g_assert_false(lag_engine_cancel(&log.engine, 0)); /* never a timer */
}

/* Slots are used again; an old timer's number must not cancel the slot's next user. */
static void slots_are_reused(void)
{
    g_auto(scratch) log;

    log_init(&log);
    lag_timer fired = timer(&log, 1, 1);
    lag_timer cancelled = timer(&log, 1, 2);
    lag_engine_cancel(&log.engine, cancelled);
    lag_engine_run(&log.engine);
    timer(&log, 2, 3);
    timer(&log, 2, 4);
    g_assert_cmpuint(log.engine.n_slots, ==, 3); /* slot 0 and the two */
    g_assert_false(lag_engine_cancel(&log.engine, fired));
    g_assert_false(lag_engine_cancel(&log.engine, cancelled));
    expect_log(&log, "1:0:1 2:0:3 2:0:4 ");
}

static void cancel_other(void *self, uint32_t rank, uint32_t data)
{
    struct log *log = self;

    note(log, rank, data);
    g_string_append(log->text, lag_engine_cancel(&log->engine, log->timer) ? "yes " : "no ");
}

/* A handler cancels a timer that is due at the same moment, later in the order: it doesn't fire.
 * Then one that is running right now: too late. */
static void cancel_in_handler(void)
{
    g_auto(scratch) log;

    log_init(&log);
    uint32_t canceller = lag_engine_handler(&log.engine, cancel_other, &log);
    lag_engine_post(&log.engine, 1, LAG_MESSAGE_AT_WORKER, 0, canceller, 1);
    log.timer = timer(&log, 1, 2);
    expect_log(&log, "1:0:1 yes ");
    log.timer = lag_engine_start_timer(&log.engine, 2, LAG_COMPUTE_DONE, 0, canceller, 3);
    expect_log(&log, "1:0:1 yes 2:0:3 no ");
}

/* 1,000 timers, of which every third is cancelled, keep their order and their data. */
static void many_timers(void)
{
    g_auto(scratch) log;
    g_autoptr(GString) want = g_string_new(NULL);

    log_init(&log);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t due = i / 10;
        lag_timer t = timer(&log, due, i);
        if (i % 3 == 0)
            g_assert_true(lag_engine_cancel(&log.engine, t));
        else
            g_string_append_printf(want, "%u:0:%u ", i / 10, i);
    }
    expect_log(&log, want->str);
}

/* After a reset the clock is at 0, and events, timers and handlers are gone. */
static void reset(void)
{
    g_auto(scratch) log;

    log_init(&log);
    post(&log, 5, LAG_ARRIVAL, 0, 1);
    lag_engine_run(&log.engine);
    post(&log, 6, LAG_ARRIVAL, 0, 2);
    timer(&log, 7, 3);
    lag_engine_reset(&log.engine);
    g_assert_cmpfloat(log.engine.now, ==, 0);
    g_assert_cmpuint(lag_engine_handler(&log.engine, note, &log), ==, 0);
    timer(&log, 1, 4);
    expect_log(&log, "5:0:1 1:0:4 ");
}

/* An event for a time that is over is our bug, and an assertion says so. */
static void post_into_past(void)
{
    g_auto(scratch) log = {0};

    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_failed();
        g_test_trap_assert_stderr("*engine->now*");
        return;
    }
    log_init(&log);
    post(&log, 5, LAG_ARRIVAL, 0, 1);
    lag_engine_run(&log.engine);
    post(&log, 4, LAG_ARRIVAL, 0, 2);
}

static void stop_now(void *self, uint32_t rank, uint32_t data)
{
    struct log *log = self;

    note(log, rank, data);
    post(log, log->engine.now, LAG_FAULT, 0, 9);
    lag_engine_stop(&log->engine);
}

/* Nothing runs after a stop, neither what is pending nor what its handler posted, until a reset. */
static void stop_and_reset(void)
{
    g_auto(scratch) log;

    log_init(&log);
    uint32_t stopper = lag_engine_handler(&log.engine, stop_now, &log);
    post(&log, 1, LAG_ARRIVAL, 0, 1);
    lag_engine_post(&log.engine, 2, LAG_ARRIVAL, 0, stopper, 2);
    post(&log, 3, LAG_ARRIVAL, 0, 3);
    lag_engine_run(&log.engine);
    lag_engine_reset(&log.engine);
    g_assert_cmpuint(lag_engine_handler(&log.engine, note, &log), ==, 0);
    post(&log, 4, LAG_ARRIVAL, 0, 4);
    expect_log(&log, "1:0:1 2:0:2 4:0:4 ");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/engine/total-order", total_order);
    g_test_add_func("/engine/handlers-post", handlers_post);
    g_test_add_func("/engine/cancel-pending", cancel_pending);
    g_test_add_func("/engine/slots-are-reused", slots_are_reused);
    g_test_add_func("/engine/cancel-in-handler", cancel_in_handler);
    g_test_add_func("/engine/many-timers", many_timers);
    g_test_add_func("/engine/reset", reset);
    g_test_add_func("/engine/stop", stop_and_reset);
    g_test_add_func("/engine/post-into-past", post_into_past);
    return g_test_run();
}
