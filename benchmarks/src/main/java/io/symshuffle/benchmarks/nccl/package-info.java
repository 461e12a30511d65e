// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * NCCL, as far as a benchmark needs it as a rival: {@link io.symshuffle.nccl.NcclLibrary} is a
 * value that says whether it is there, {@link io.symshuffle.nccl.NcclCommunicator} sends and
 * receives.
 */
package io.symshuffle.benchmarks.nccl;
