// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Spark on Kubernetes, with an API server that is a mock and a node that starts pods as processes.
 */
package io.symshuffle.it.kubernetes;
