// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * NVSHMEM's host side: one process per PE, one PE per GPU.
 *
 * <p>The way in: {@link io.symshuffle.nvshmem.NvshmemSearch} finds a {@link
 * io.symshuffle.nvshmem.NvshmemLibrary}, usable or absent with a reason; {@link
 * io.symshuffle.nvshmem.NvshmemRuntime} starts and ends it on one owner thread under a watchdog,
 * since the library blocks forever where a PE is missing and ends the process where it is used out
 * of turn. {@code NvshmemApi} binds the functions and does nothing else. The library is never
 * bundled: users install it.
 */
package io.symshuffle.nvshmem;
