/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/crew.h"

#include <stdbool.h>
#include <stdlib.h>

#include <pthread.h>

struct member {
    lag_crew *crew;
    uint32_t part;
    pthread_t thread;
};

struct lag_crew {
    uint32_t n;
    struct member *members; /* [n]; the caller is member 0 */
    pthread_mutex_t mutex;  /* for the following */
    pthread_cond_t begin, done;
    void (*work)(void *data, uint32_t part);
    void *data;
    uint64_t round;
    uint32_t n_busy;
    bool ended;
};

static void *attend(void *data)
{
    struct member *member = data;
    lag_crew *crew = member->crew;
    uint64_t seen = 0;

    pthread_mutex_lock(&crew->mutex);
    for (;;) {
        while (crew->round == seen && !crew->ended)
            pthread_cond_wait(&crew->begin, &crew->mutex);
        if (crew->ended)
            break;
        seen = crew->round;
        pthread_mutex_unlock(&crew->mutex);
        crew->work(crew->data, member->part);
        pthread_mutex_lock(&crew->mutex);
        if (--crew->n_busy == 0)
            pthread_cond_signal(&crew->done);
    }
    pthread_mutex_unlock(&crew->mutex);
    return NULL;
}

lag_crew *lag_crew_new(uint32_t n)
{
    lag_crew *crew = calloc(1, sizeof *crew);

    if (crew == NULL || (crew->members = calloc(n, sizeof *crew->members)) == NULL) {
        free(crew);
        return NULL;
    }
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->done, NULL);
    for (crew->n = 1; crew->n < n; crew->n++) {
        struct member *member = &crew->members[crew->n];
        *member = (struct member){.crew = crew, .part = crew->n};
        if (pthread_create(&member->thread, NULL, attend, member) != 0) {
            lag_crew_free(crew);
            return NULL;
        }
    }
    return crew;
}

void lag_crew_free(lag_crew *crew)
{
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->mutex);
    crew->ended = true;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->mutex);
    for (uint32_t i = 1; i < crew->n; i++)
        pthread_join(crew->members[i].thread, NULL);
    pthread_cond_destroy(&crew->begin);
    pthread_cond_destroy(&crew->done);
    pthread_mutex_destroy(&crew->mutex);
    free(crew->members);
    free(crew);
}

void lag_crew_run(lag_crew *crew, void (*work)(void *data, uint32_t part), void *data)
{
    pthread_mutex_lock(&crew->mutex);
    crew->work = work;
    crew->data = data;
    crew->n_busy = crew->n - 1;
    crew->round++;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->mutex);
    work(data, 0);
    pthread_mutex_lock(&crew->mutex);
    while (crew->n_busy > 0)
        pthread_cond_wait(&crew->done, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}
