/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hot loops are compiled for several vector widths, of which the processor's own is chosen when the
 * program starts. No sum changes its order, so results don't depend on the choice. */
#ifndef LAGGARD_SIM_CLONES_H
#define LAGGARD_SIM_CLONES_H

/* One source for several vector widths; not under the sanitizers, which start after the choice. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define LAG_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#    define LAG_VECTOR_CLONES
#endif

#endif
