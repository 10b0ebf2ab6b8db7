/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/progress.h"

#include <errno.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include <pthread.h>

#include "tools/command.h"

#define QUIET       1.0       /* before the first output [s] */
#define TICK        200000000 /* between two looks at it [ns] */
#define PLAIN_GAP   2.0       /* between two plain lines, at least [s] */
#define PLAIN_SHARE 0.01 /* of the time so far: a night makes hundreds of lines, not thousands */
#define WIDTH       24   /* of the bar */

/* POSIX's locks, because the thread sanitizer doesn't know GLib's. */
struct lag_progress {
    enum lag_progress_mode mode;
    FILE *stream;
    uint64_t n_points;
    gint64 start; /* [us] */
    pthread_t thread;
    pthread_mutex_t mutex; /* for the following, and for what is printed */
    pthread_cond_t changed;
    uint64_t n_done, n_shown;
    double shown_at; /* [s]; 0: never */
    bool bar_stands, ended;
};

int lag_progress_mode(const char *word, GError **error)
{
    static const char *const words[] = {"auto", "bar", "plain", "none", NULL};
    int choice = lag_command_choice("--progress", word, words, error);

    if (choice != 0)
        return choice < 0 ? -1 : choice - 1;
    return isatty(STDERR_FILENO) ? LAG_PROGRESS_BAR : LAG_PROGRESS_PLAIN;
}

static char *duration(double seconds)
{
    unsigned long s = (unsigned long)ceil(CLAMP(seconds, 0, 1e9));

    if (s < 100)
        return g_strdup_printf("%lu s", s);
    if (s < 100 * 60)
        return g_strdup_printf("%lu min %lu s", s / 60, s % 60);
    return g_strdup_printf("%lu h %lu min", s / 3600, s / 60 % 60);
}

char *lag_progress_text(uint64_t n_done, uint64_t n_points, double seconds)
{
    double rate = (double)n_done / seconds;
    g_autofree char *count =
        g_strdup_printf("%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT " points", n_done, n_points);

    if (n_done == 0)
        return g_steal_pointer(&count);
    if (n_done == n_points) {
        g_autofree char *all = duration(seconds);
        return g_strdup_printf("%s in %s", count, all);
    }
    g_autofree char *left = duration((double)(n_points - n_done) / rate);
    return g_strdup_printf(rate < 10 ? "%s, %.2g points/s, %s left" : "%s, %.0f points/s, %s left",
                           count, rate, left);
}

static double elapsed(const lag_progress *progress)
{
    return (double)(g_get_monotonic_time() - progress->start) / 1e6;
}

static void erase_bar(lag_progress *progress)
{
    if (progress->bar_stands)
        fputs("\r\033[K", progress->stream);
    progress->bar_stands = false;
}

static void print_bar(lag_progress *progress, const char *text)
{
    char bar[WIDTH + 1];
    uint64_t full = progress->n_points > 0 ? WIDTH * progress->n_done / progress->n_points : WIDTH;

    for (uint64_t i = 0; i < WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(progress->stream, "\r[%s] %s\033[K", bar, text);
    progress->bar_stands = true;
}

/* With the mutex held. */
static void show(lag_progress *progress)
{
    double now = elapsed(progress);
    g_autofree char *text = lag_progress_text(progress->n_done, progress->n_points, now);

    if (progress->mode == LAG_PROGRESS_BAR)
        print_bar(progress, text);
    else
        fprintf(progress->stream, "laggard: %s\n", text);
    fflush(progress->stream);
    progress->shown_at = now;
    progress->n_shown = progress->n_done;
}

static bool is_due(const lag_progress *progress)
{
    double now = elapsed(progress);

    if (now < QUIET)
        return false;
    if (progress->mode == LAG_PROGRESS_BAR)
        return true;
    return progress->n_done != progress->n_shown &&
           (progress->shown_at <= 0 ||
            now - progress->shown_at >= MAX(PLAIN_GAP, PLAIN_SHARE * now));
}

static void *work(void *data)
{
    lag_progress *progress = data;
    struct timespec next;

    clock_gettime(CLOCK_MONOTONIC, &next);
    pthread_mutex_lock(&progress->mutex);
    while (!progress->ended) {
        next.tv_nsec += TICK;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        int status = 0;
        while (!progress->ended && status != ETIMEDOUT)
            status = pthread_cond_timedwait(&progress->changed, &progress->mutex, &next);
        if (!progress->ended && is_due(progress))
            show(progress);
    }
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

lag_progress *lag_progress_new(enum lag_progress_mode mode, FILE *stream, uint64_t n_points)
{
    lag_progress *progress = g_new0(lag_progress, 1);
    pthread_condattr_t attributes;

    progress->mode = mode;
    progress->stream = stream;
    progress->n_points = n_points;
    progress->start = g_get_monotonic_time();
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (mode != LAG_PROGRESS_NONE && pthread_create(&progress->thread, NULL, work, progress) != 0)
        progress->mode = LAG_PROGRESS_NONE;
    return progress;
}

void lag_progress_free(lag_progress *progress)
{
    if (progress == NULL)
        return;
    pthread_mutex_lock(&progress->mutex);
    progress->ended = true;
    pthread_cond_signal(&progress->changed);
    pthread_mutex_unlock(&progress->mutex);
    if (progress->mode != LAG_PROGRESS_NONE) {
        pthread_join(progress->thread, NULL);
        if (progress->shown_at > 0 &&
            (progress->bar_stands || progress->n_shown != progress->n_done))
            show(progress);
        if (progress->bar_stands)
            fputc('\n', progress->stream);
        fflush(progress->stream);
    }
    pthread_cond_destroy(&progress->changed);
    pthread_mutex_destroy(&progress->mutex);
    g_free(progress);
}

void lag_progress_add(lag_progress *progress, uint32_t n_points)
{
    pthread_mutex_lock(&progress->mutex);
    progress->n_done += n_points;
    pthread_mutex_unlock(&progress->mutex);
}

void lag_progress_say(lag_progress *progress, const char *line)
{
    pthread_mutex_lock(&progress->mutex);
    erase_bar(progress);
    fprintf(progress->stream, "%s\n", line);
    fflush(progress->stream);
    pthread_mutex_unlock(&progress->mutex);
}
