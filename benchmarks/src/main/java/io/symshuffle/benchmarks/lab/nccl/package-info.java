// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * NCCL, for comparison: {@link io.symshuffle.benchmarks.lab.nccl.NcclLibrary} binds the library,
 * and {@link io.symshuffle.benchmarks.lab.nccl.NcclCommunicator} queues its all-to-all.
 */
package io.symshuffle.benchmarks.lab.nccl;
