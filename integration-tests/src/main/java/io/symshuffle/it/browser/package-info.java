// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** A headless browser, for tests of pages. */
package io.symshuffle.it.browser;
