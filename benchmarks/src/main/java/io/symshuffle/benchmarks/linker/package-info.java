// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Links relocatable kernels with libraries of device code at run time, with the driver or
 * nvJitLink.
 */
package io.symshuffle.benchmarks.linker;
