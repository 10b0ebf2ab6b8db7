/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues on the bare engine, with the streams and laws of stragglers: mean waits against the closed
 * forms of M/M/1, M/D/1 and M/M/4 (check K17). Customers arrive with the rate lambda, wait in the
 * order of their arrival, and are served for a time of mean 1 by the first free server.
 *   M/M/1   W = rho / (mu - lambda)
 *   M/D/1   W = rho / (2 mu (1 - rho))                             (Pollaczek and Khinchine)
 *   M/M/c   W = C / (c mu - lambda), C of Erlang's formula
 * Waits of neighbours are correlated, so that the standard error comes from means of batches. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>

#include "sim/engine.h"
#include "sim/law.h"
#include "tests/helpers.h"

#define N_BATCHES 50
#define N_BATCH   (g_test_slow() ? 200000u : 20000u)
#define WARM_UP   20000u /* customers: relaxation takes about (1 - sqrt(rho))^-2 = 90 services */

struct queue {
    lag_engine engine;
    uint32_t on_arrival, on_departure;
    struct lag_law between, service;
    struct lag_stream arrivals, services;
    uint32_t n_servers, n_busy, n_customers;
    uint64_t head, tail;     /* of the waiting line: customers head .. tail - 1 */
    lag_seconds *since;      /* [n_customers] when the customer came */
    double batch[N_BATCHES]; /* sums of waits */
};

/* The next in line is served from now on. */
static void start(struct queue *queue)
{
    uint64_t customer = queue->head++;
    lag_seconds wait = queue->engine.now - queue->since[customer];
    lag_seconds service = lag_law_draw(&queue->service, &queue->services.rng);

    if (customer >= WARM_UP)
        queue->batch[(customer - WARM_UP) / N_BATCH] += wait;
    queue->n_busy++;
    lag_engine_post(&queue->engine, queue->engine.now + service, LAG_COMPUTE_DONE, 0,
                    queue->on_departure, 0);
}

static void arrive(void *self, uint32_t rank, uint32_t data)
{
    struct queue *queue = self;
    lag_seconds between = lag_law_draw(&queue->between, &queue->arrivals.rng);

    (void)rank;
    (void)data;
    queue->since[queue->tail++] = queue->engine.now;
    if (queue->n_busy < queue->n_servers)
        start(queue);
    if (queue->tail < queue->n_customers)
        lag_engine_post(&queue->engine, queue->engine.now + between, LAG_ARRIVAL, 0,
                        queue->on_arrival, 0);
}

static void depart(void *self, uint32_t rank, uint32_t data)
{
    struct queue *queue = self;

    (void)rank;
    (void)data;
    queue->n_busy--;
    if (queue->head < queue->tail)
        start(queue);
}

/* The mean wait of so many customers within four standard errors of the truth. */
static void check(double lambda, const char *service, double mean_service, uint32_t n_servers,
                  double truth)
{
    struct queue queue = {
        .between = {.type = lag_law_type_find("exponential"), .p = {1 / lambda}  },
        .service = {.type = lag_law_type_find(service),       .p = {mean_service}},
        .n_servers = n_servers,
        .n_customers = WARM_UP + N_BATCHES * N_BATCH,
    };
    double sum = 0, squares = 0;

    queue.since = g_new(lag_seconds, queue.n_customers);
    lag_stream_init(&queue.arrivals, 17, 0, LAG_PURPOSE_STRAGGLER, 0, 0);
    lag_stream_init(&queue.services, 17, 0, LAG_PURPOSE_STRAGGLER, 1, 0);
    lag_engine_init(&queue.engine);
    queue.on_arrival = lag_engine_handler(&queue.engine, arrive, &queue);
    queue.on_departure = lag_engine_handler(&queue.engine, depart, &queue);
    lag_engine_post(&queue.engine, 0, LAG_ARRIVAL, 0, queue.on_arrival, 0);
    lag_engine_run(&queue.engine);
    g_assert_cmpuint(queue.head, ==, queue.n_customers);
    g_assert_cmpuint(queue.n_busy, ==, 0);
    lag_engine_clear(&queue.engine);
    g_free(queue.since);
    for (uint32_t i = 0; i < N_BATCHES; i++) {
        double off = queue.batch[i] / N_BATCH - truth;
        sum += off;
        squares += off * off;
    }
    double mean = sum / N_BATCHES;
    double error = sqrt((squares / N_BATCHES - mean * mean) / (N_BATCHES - 1));
    g_test_message("wait %.4f, not %.4f: %.2f standard errors of %.4f", truth + mean, truth,
                   mean / error, error);
    g_assert_cmpfloat(fabs(mean), <=, 4 * error);
    g_assert_cmpfloat(error, <, 0.05 * truth);
}

/* lambda = 0.8, mu = 1: W = 0.8 / 0.2 = 4. */
static void m_m_1(void)
{
    check(0.8, "exponential", 1, 1, 4.0);
}

/* The same with constant services: half of it. */
static void m_d_1(void)
{
    check(0.8, "constant", 1, 1, 2.0);
}

/* lambda = 3.2, c = 4: the offered load a = 3.2; C = (a^4/4! x 5) / (sum_{i<4} a^i/i! + a^4/4! x 5)
 * = 0.5964..., W = C / 0.8. */
static void m_m_4(void)
{
    const double a = 3.2, last = gsl_pow_4(a) / 24 / (1 - a / 4);
    const double c = last / (1 + a + a * a / 2 + a * a * a / 6 + last);

    assert_near(c, 0.5964324717874046, 1e-12);
    assert_near(c / 0.8, 0.7455405897342559, 1e-12);
    check(3.2, "exponential", 1, 4, 0.7455405897342559);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/queues/m-m-1", m_m_1);
    g_test_add_func("/queues/m-d-1", m_d_1);
    g_test_add_func("/queues/m-m-4", m_m_4);
    return g_test_run();
}
