// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Device heaps: on fakes of GPUs, and in classes that begin with {@code Gpu} on real ones. */
package io.symshuffle.it.device;
