// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** What we must know of Spark's row serializer, and of nothing else of its insides. */
package io.symshuffle.shuffle.serializer;
