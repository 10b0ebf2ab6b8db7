/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One kind's network over its endpoints: all that the author of a kind of topology reads, beside
 * topologies.h. Nodes 0 .. n_endpoints - 1 are the endpoints, the others switches. compose.h puts
 * fragments together. */
#ifndef LAGGARD_SIM_NETWORK_FRAGMENT_H
#define LAGGARD_SIM_NETWORK_FRAGMENT_H

#include "sim/network/topologies.h"
#include "sim/network/topology.h"

struct lag_fragment {
    struct lag_topology_part part; /* its pointers are valid during build() only */
    uint32_t n_endpoints, n_nodes;
    GArray *links;  /* of struct lag_link between the fragment's nodes */
    uint32_t rails; /* 0, or the ports of a node are a multiple of it */
    bool is_split;  /* endpoints e and f reach each other only where e = f mod rails */
    /* A graph names its endpoints: appends the name of one; NULL: "gpu0". */
    void (*name_endpoint)(const void *who, uint32_t endpoint, GString *name);
    const void *who; /* for name_endpoint */
    void *shape;     /* the kind's own; owned */
    GDestroyNotify free_shape;
};

/* A way that is looked for: from endpoint src to endpoint dst, which differ. `hash` decides
 * between equals; see lag_way_choose(). */
struct lag_way {
    uint32_t src, dst;
    uint64_t hash;
    uint32_t base; /* what the fragment's link 0 is called in `links` */
    GArray *links; /* of uint32_t */
};

/* NULL with LAG_TOPOLOGY_ERROR and *ret_fault where the part is wrong. At least one endpoint.
 * `name_endpoint` may be NULL. */
struct lag_fragment *lag_fragment_new(const struct lag_topology_part *part, uint32_t n_endpoints,
                                      void (*name_endpoint)(const void *, uint32_t, GString *),
                                      const void *who, struct lag_topology_fault *ret_fault,
                                      GError **error);
void lag_fragment_free(struct lag_fragment *fragment);
typedef struct lag_fragment lag_fragment;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_fragment, lag_fragment_free)

/* The value of parameter `index` of the kind, or its default; NUMBERS: the `entry`-th of them, of
 * which one alone stands for all. 0 where there is neither value nor default. */
double lag_fragment_number(const struct lag_fragment *fragment, uint32_t index, uint32_t entry);
uint32_t lag_fragment_integer(const struct lag_fragment *fragment, uint32_t index);

/* False with an error where n_pairs pairs of links are too many to build. */
bool lag_fragment_has_room(uint64_t n_pairs, struct lag_topology_fault *fault, GError **error);

/* Adds links a -> b and b -> a, in this order. */
void lag_fragment_add_pair(struct lag_fragment *fragment, uint32_t a, uint32_t b, lag_rate rate,
                           lag_seconds latency);

static inline void lag_way_add(struct lag_way *way, uint32_t link)
{
    uint32_t id = way->base + link;

    g_array_append_val(way->links, id);
}

/* A number that looks random, from one that doesn't. Steele, Lea, Flood: Fast splittable
 * pseudorandom number generators, OOPSLA 2014 (the finaliser of splitmix64). */
static inline uint64_t lag_hash(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* One of n equals, 0 .. n - 1; the next choice of the same way is another. */
static inline uint32_t lag_way_choose(struct lag_way *way, uint32_t n)
{
    way->hash = lag_hash(way->hash);
    return (uint32_t)((way->hash >> 32) * n >> 32);
}

#endif
