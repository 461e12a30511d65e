// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The jar, the build, and the structure of the code. */
package io.symshuffle.it.packaging;
