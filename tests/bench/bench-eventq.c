/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hold model: a queue of n pending events, of which the earliest leaves and comes back a random
 * time later, again and again. Ours against the obvious alternatives: a binary heap that compares
 * (time, order) with branches, and GLib's balanced tree. One line of JSON a measurement.
 *
 * With --queue NAME --pending N --holds M it does that one, M times, for callgrind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <glib.h>
#include <gsl/gsl_rng.h>

#include "sim/eventq.h"
#include "sim/rng.h"

struct event {
    double time;
    uint64_t order, data;
};

/* A queue under test. `pop` takes the earliest event, which is there. */
struct queue {
    const char *name;
    void *(*create)(void);
    void (*destroy)(void *queue);
    void (*push)(void *queue, double time, uint64_t order, uint64_t data);
    struct event (*pop)(void *queue);
};

static void *create_ours(void)
{
    struct lag_eventq *queue = g_new(struct lag_eventq, 1);

    lag_eventq_init(queue);
    return queue;
}

static void destroy_ours(void *queue)
{
    lag_eventq_clear(queue);
    g_free(queue);
}

static void push_ours(void *queue, double time, uint64_t order, uint64_t data)
{
    lag_eventq_push(queue, time, order, data);
}

static struct event pop_ours(void *queue)
{
    struct event event;

    lag_eventq_pop(queue, &event.time, &event.order, &event.data);
    return event;
}

static bool is_before(const struct event *a, const struct event *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->order < b->order;
}

static void *create_binary(void)
{
    return g_array_new(FALSE, FALSE, sizeof(struct event));
}

static void destroy_binary(void *queue)
{
    g_array_unref(queue);
}

static void push_binary(void *queue, double time, uint64_t order, uint64_t data)
{
    GArray *array = queue;
    struct event event = {time, order, data};
    size_t i = array->len;

    g_array_set_size(array, array->len + 1);
    struct event *heap = (struct event *)(void *)array->data;
    while (i > 0 && is_before(&event, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = event;
}

static struct event pop_binary(void *queue)
{
    GArray *array = queue;
    struct event *heap = (struct event *)(void *)array->data;
    struct event least = heap[0], last = heap[array->len - 1];
    size_t n = array->len - 1, i = 0;

    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    g_array_set_size(array, (guint)n);
    return least;
}

static gint compare_events(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    return is_before(a, b) ? -1 : is_before(b, a);
}

static void *create_tree(void)
{
    return g_tree_new_full(compare_events, NULL, g_free, NULL);
}

static void destroy_tree(void *queue)
{
    g_tree_destroy(queue);
}

static void push_tree(void *queue, double time, uint64_t order, uint64_t data)
{
    struct event *event = g_new(struct event, 1);

    *event = (struct event){time, order, data};
    g_tree_insert(queue, event, NULL);
}

static struct event pop_tree(void *queue)
{
    struct event event = *(struct event *)g_tree_node_key(g_tree_node_first(queue));

    g_tree_remove(queue, &event);
    return event;
}

static const struct queue queues[] = {
    {"4-ary packed heap",     create_ours,   destroy_ours,   push_ours,   pop_ours  },
    {"binary heap, branches", create_binary, destroy_binary, push_binary, pop_binary},
    {"GTree",                 create_tree,   destroy_tree,   push_tree,   pop_tree  },
};

#define N_STEPS (1u << 16)
static double *random_steps(void)
{
    double *steps = g_new(double, N_STEPS);
    struct lag_stream stream;

    lag_stream_init(&stream, 1, 0, LAG_PURPOSE_STRAGGLER, 0, 0);
    for (size_t i = 0; i < N_STEPS; i++)
        steps[i] = 2 * gsl_rng_uniform(&stream.rng);
    return steps;
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nanoseconds a hold: fills the queue, holds a while until it's in equilibrium, then measures. */
static double measure(const struct queue *q, const double *steps, uint64_t pending, uint64_t holds)
{
    void *queue = q->create();
    uint64_t order = 0;
    double start = 0;

    for (; order < pending; order++)
        q->push(queue, steps[order % N_STEPS], order, order);
    for (uint64_t warm_up = MIN(2 * pending, holds), i = 0; i < warm_up + holds; i++, order++) {
        if (i == warm_up)
            start = cpu_seconds();
        struct event event = q->pop(queue);
        q->push(queue, event.time + steps[order % N_STEPS], order, event.data);
    }
    double seconds = cpu_seconds() - start;
    q->destroy(queue);
    return 1e9 * seconds / (double)holds;
}

static void report(const struct queue *q, const double *steps, uint64_t pending, uint64_t holds)
{
    double best = INFINITY;

    for (int i = 0; i < 3; i++)
        best = fmin(best, measure(q, steps, pending, holds));
    printf("{\"benchmark\": \"eventq\", \"queue\": \"%s\", \"pending\": %" G_GUINT64_FORMAT
           ", \"ns_per_hold\": %.1f}\n",
           q->name, pending, best);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    g_autofree char *name = NULL;
    gint64 pending = 1024, holds = 100000;
    const GOptionEntry entries[] = {
        {"queue",   0, 0, G_OPTION_ARG_STRING, &name,    "only this one, once", "NAME"},
        {"pending", 0, 0, G_OPTION_ARG_INT64,  &pending, "events in it",        "N"   },
        {"holds",   0, 0, G_OPTION_ARG_INT64,  &holds,   "how often",           "N"   },
        {NULL,      0, 0, G_OPTION_ARG_NONE,   NULL,     NULL,                  NULL  },
    };
    g_autoptr(GOptionContext) options = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;
    g_autofree double *steps = random_steps();

    g_option_context_add_main_entries(options, entries, NULL);
    if (!g_option_context_parse(options, &argc, &argv, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(queues); i++) {
        if (name != NULL && g_strcmp0(name, queues[i].name) == 0)
            measure(&queues[i], steps, (uint64_t)pending, (uint64_t)holds);
        for (uint64_t n = 64; name == NULL && n <= 262144; n *= 8)
            report(&queues[i], steps, n, 1000000);
    }
    return EXIT_SUCCESS;
}
