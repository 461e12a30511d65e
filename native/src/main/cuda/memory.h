// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__)
#include "device_memory.h"
#else
#include "host_memory.h"  // of the tests
#endif
