/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can this nvcc build a program with cuBLAS? Asked when the build is configured. */
#include <cublas_v2.h>

int main(void)
{
    cublasHandle_t handle;

    return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS ? 0 : 1;
}
