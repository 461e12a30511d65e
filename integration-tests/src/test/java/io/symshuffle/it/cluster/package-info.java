// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Ways to start an application, its hosts, its settings, security and pages. */
package io.symshuffle.it.cluster;
