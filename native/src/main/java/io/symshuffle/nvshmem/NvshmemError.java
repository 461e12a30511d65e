// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.ffi.CallText;
import io.symshuffle.ffi.NativeCallException;
import java.util.Arrays;

/** Codes that NVSHMEM's functions return: nvshmemx_status in nvshmemx_error.h, all 3.x. */
public enum NvshmemError {
  INVALID_VALUE(1, "an argument is invalid, or versions do not match"),
  OUT_OF_MEMORY(2, "out of memory"),
  NOT_SUPPORTED(3, "not supported"),
  SYMMETRY(4, "PEs passed different values"),
  GPU_NOT_SELECTED(5, "no CUDA context is current"),
  COLLECTIVE_LAUNCH_FAILED(6, "a collective launch failed"),
  INTERNAL(7, "internal error; see its messages on standard error"),
  UNKNOWN(-1, "unknown error");

  private final int number;
  private final String sentence;

  NvshmemError(int number, String sentence) {
    this.number = number;
    this.sentence = sentence;
  }

  /** Describes a code with its name: {@code NVSHMEMX_ERROR_INTERNAL (7), …}. */
  static String describe(int code) {
    NvshmemError error =
        Arrays.stream(values()).filter(e -> e.number == code).findFirst().orElse(UNKNOWN);
    return "NVSHMEMX_ERROR_%s (%d), %s".formatted(error, code, error.sentence);
  }

  /**
   * Turns a code into an exception.
   *
   * @throws NativeCallException when the code is not 0
   */
  public static void check(int code, String function, Object... arguments) {
    if (code != 0) {
      throw new NativeCallException(CallText.of(function, arguments), code, describe(code));
    }
  }
}
