/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/store-writer.h"

#include <errno.h>
#include <time.h>

#include <pthread.h>

#define MAX_DELAY  250000000L /* from the first point to its transaction [ns] */
#define MIN_GAP    20000000L  /* between two transactions, for other processes [ns] */
#define MAX_ROWS   100000     /* that wait, but for a single larger point */
#define ONE_SECOND 1000000000L

/* POSIX's locks, because the thread sanitizer doesn't know GLib's. */
struct lag_store_writer {
    lag_store *store;
    enum lag_detail detail;
    struct lag_store_listener listener;
    pthread_t thread;
    pthread_mutex_t mutex; /* for the following */
    pthread_cond_t changed, emptied;
    GArray *waiting; /* of struct lag_store_point */
    uint64_t n_rows; /* that they make */
    bool ended;
};

static struct timespec from_now(long ns)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (t.tv_nsec + ns) / ONE_SECOND;
    t.tv_nsec = (t.tv_nsec + ns) % ONE_SECOND;
    return t;
}

/* Waits until there is something to write, and until it is time to. Called with the mutex held. */
static void await_batch(lag_store_writer *writer)
{
    struct timespec gap = from_now(MIN_GAP);
    int status = 0;

    while (!writer->ended && status != ETIMEDOUT)
        status = pthread_cond_timedwait(&writer->changed, &writer->mutex, &gap);
    while (!writer->ended && writer->waiting->len == 0)
        pthread_cond_wait(&writer->changed, &writer->mutex);
    struct timespec end = from_now(MAX_DELAY);
    status = 0;
    while (!writer->ended && writer->n_rows < MAX_ROWS && status != ETIMEDOUT)
        status = pthread_cond_timedwait(&writer->changed, &writer->mutex, &end);
}

/* Takes all that waits; an empty array at the end. */
static GArray *take_batch(lag_store_writer *writer)
{
    GArray *batch;

    pthread_mutex_lock(&writer->mutex);
    await_batch(writer);
    batch = writer->waiting;
    writer->waiting = g_array_new(FALSE, FALSE, sizeof(struct lag_store_point));
    writer->n_rows = 0;
    pthread_cond_broadcast(&writer->emptied);
    pthread_mutex_unlock(&writer->mutex);
    return batch;
}

/* True where all of it is stored. */
static bool write_batch(lag_store_writer *writer, GArray *batch, bool failed)
{
    struct lag_store_point *points = (struct lag_store_point *)(void *)batch->data;
    g_autoptr(GError) error = NULL;

    if (!failed && !lag_store_add(writer->store, points, batch->len, &error))
        writer->listener.failed(writer->listener.data, error);
    for (guint i = 0; i < batch->len; i++)
        lag_store_point_clear(&points[i]);
    writer->listener.settled(writer->listener.data, batch->len);
    return !failed && error == NULL;
}

static void *work(void *data)
{
    lag_store_writer *writer = data;
    bool failed = false;

    for (;;) {
        g_autoptr(GArray) batch = take_batch(writer);
        if (batch->len == 0)
            return NULL;
        failed = !write_batch(writer, batch, failed);
    }
}

lag_store_writer *lag_store_writer_new(lag_store *store, enum lag_detail detail,
                                       struct lag_store_listener listener)
{
    lag_store_writer *writer = g_new0(lag_store_writer, 1);
    pthread_condattr_t attributes;

    writer->store = store;
    writer->detail = detail;
    writer->listener = listener;
    writer->waiting = g_array_new(FALSE, FALSE, sizeof(struct lag_store_point));
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->changed, &attributes);
    pthread_cond_init(&writer->emptied, NULL);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&writer->thread, NULL, work, writer) != 0)
        g_error("no thread for the database: %s", g_strerror(errno)); /* as GLib's own threads do */
    return writer;
}

void lag_store_writer_add(lag_store_writer *writer, const struct lag_store_point *point)
{
    uint64_t n_rows = lag_store_rows(writer->detail, point);

    pthread_mutex_lock(&writer->mutex);
    while (writer->waiting->len > 0 && writer->n_rows + n_rows > MAX_ROWS) {
        writer->n_rows = MAX_ROWS; /* nothing more fits: it is time to write */
        pthread_cond_signal(&writer->changed);
        pthread_cond_wait(&writer->emptied, &writer->mutex);
    }
    g_array_append_val(writer->waiting, *point);
    writer->n_rows += n_rows;
    if (writer->waiting->len == 1 || writer->n_rows >= MAX_ROWS)
        pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
}

void lag_store_writer_free(lag_store_writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->mutex);
    writer->ended = true;
    pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    g_array_unref(writer->waiting);
    pthread_cond_destroy(&writer->changed);
    pthread_cond_destroy(&writer->emptied);
    pthread_mutex_destroy(&writer->mutex);
    g_free(writer);
}
