// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * How executors get their GPUs and start their device heaps together. {@link
 * io.symshuffle.plugin.device.DeviceEpochs} is the driver's part, which decides and never waits;
 * {@link io.symshuffle.plugin.device.DeviceStart} is an executor's, which waits with a limit. They
 * talk in {@link io.symshuffle.plugin.device.DeviceStep}s and {@link
 * io.symshuffle.plugin.device.DeviceNews}; how those travel is not this package's business.
 * Whatever fails, the executor works on the host heap.
 */
package io.symshuffle.plugin.device;
