// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** A real browser without a window, for what people see. */
package io.symshuffle.it.browser;
