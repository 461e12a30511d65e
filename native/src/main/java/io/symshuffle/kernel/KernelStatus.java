// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The report of a kernel, from KernelStatus in layout.h; all zeros when it succeeded.
 *
 * @param code what went wrong
 * @param pe whose kernel it was
 * @param peer see {@link Code}
 * @param expected see {@link Code}
 * @param seen see {@link Code}
 * @param address see {@link Code}
 */
public record KernelStatus(Code code, int pe, int peer, long expected, long seen, long address) {

  /** Why a kernel failed, in the order of layout.h. */
  public enum Code {
    /** It succeeded. */
    OK,
    /** The list of pieces is inconsistent at descriptor {@code address}. */
    INVALID_PLAN,
    /** Argument {@code address} has the value {@code seen}; {@code expected} is its bound. */
    INVALID_ARGUMENT,
    /** Descriptor {@code address} needs 16-byte alignment; {@code seen} has the low bits. */
    MISALIGNED,
    /**
     * CTA {@code address} of PE {@code peer} did not reach {@code expected} before a wait ended.
     */
    LATE_PE,
    /** A code that this class does not know. */
    UNKNOWN
  }

  static final long BYTES = DeviceStruct.layout(KernelStruct.Status.class).byteSize();

  static KernelStatus read(MemorySegment status) {
    return new KernelStatus(
        code(status.get(JAVA_INT, at("code"))),
        status.get(JAVA_INT, at("pe")),
        status.get(JAVA_INT, at("peer")),
        status.get(JAVA_LONG, at("expected")),
        status.get(JAVA_LONG, at("seen")),
        status.get(JAVA_LONG, at("address")));
  }

  private static long at(String field) {
    return DeviceStruct.offset(KernelStruct.Status.class, field);
  }

  private static Code code(int number) {
    Code[] codes = Code.values();
    return codes[number >= 0 && number < codes.length ? number : codes.length - 1];
  }

  /**
   * Describes the failure.
   *
   * @param kernel what ran, for example {@code the kernel symshuffle_pull}
   * @return a sentence without a period; empty when the kernel succeeded
   */
  public Optional<String> problem(String kernel) {
    return code == Code.OK
        ? Optional.empty()
        : Optional.of("%s of PE %d %s".formatted(kernel, pe, failure()));
  }

  private String failure() {
    return switch (code) {
      case OK -> "succeeded";
      case INVALID_PLAN ->
          "was given an inconsistent list: descriptor %d starts at unit %d, not %d"
              .formatted(address, seen, expected);
      case INVALID_ARGUMENT ->
          "was given %d as argument %d, whose bound is %d".formatted(seen, address, expected);
      case MISALIGNED ->
          "needs multiples of 16 bytes, but descriptor %d has the low bits %x"
              .formatted(address, seen);
      case LATE_PE ->
          "stopped waiting for PE %d, whose CTA %d was at %x, not at %x"
              .formatted(peer, address, seen, expected);
      case UNKNOWN -> "reported an unknown error code";
    };
  }
}
