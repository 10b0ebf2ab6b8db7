/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The k-th of n independent numbers in rising order; the n-th is their maximum. */
#ifndef LAGGARD_SIM_LAW_ORDER_H
#define LAGGARD_SIM_LAW_ORDER_H

#include "sim/law.h"

/* P(X_(k) > x) where each is above x with probability `survival`; 1 <= k <= n. */
double lag_order_survival(double survival, uint32_t k, uint32_t n);

/* The mean of the k-th of n draws: by the law's closed form where it has one for k and n, else by
 * quadrature (relative error below 1e-9). INFINITY where it has none; NAN where quadrature fails. */
double lag_law_mean_of_kth(const struct lag_law *law, uint32_t k, uint32_t n);
double lag_law_mean_of_kth_by_quadrature(const struct lag_law *law, uint32_t k, uint32_t n);
bool lag_law_kth_is_closed(const struct lag_law *law, uint32_t k, uint32_t n);

static inline double lag_law_mean_of_max(const struct lag_law *law, uint32_t n)
{
    return lag_law_mean_of_kth(law, n, n);
}

/* The mean of the largest of one draw of each law, by quadrature. */
double lag_laws_mean_of_max(const struct lag_law *laws, uint32_t n_laws);

#endif
