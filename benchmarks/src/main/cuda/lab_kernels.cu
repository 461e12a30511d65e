// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// All kernels of lab.fatbin as one translation unit: no device linking, so that PTX is kept too.
#include "barrier.cu"
#include "lab_layout.cu"
#include "push.cu"
#include "sum.cu"
