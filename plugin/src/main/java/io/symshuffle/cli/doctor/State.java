// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

/** What a check says about one thing. */
enum State {
  /** Fine. */
  OK,
  /** Not looked at, for a reason that is no fault. */
  SKIP,
  /** It works, but slower or less than it could. */
  WARN,
  /** It will not work. */
  FAIL
}
