// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.ffi.CallText;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The report of a kernel; all zeros when it succeeded. Fields as KernelStatus in layout.h.
 *
 * @param code what went wrong
 * @param operation which kernel
 * @param pe who reports
 * @param peer whom it waited for, or whose piece it was
 * @param expected see {@link Code}
 * @param seen see {@link Code}
 * @param address see {@link Code}
 * @param waitedNanoseconds how long it waited, by the GPU's clock
 * @param missing bit p: PE p (0 to 63) did not come
 */
public record KernelStatus(
    Code code,
    Operation operation,
    int pe,
    int peer,
    long expected,
    long seen,
    long address,
    long waitedNanoseconds,
    long missing) {

  /** Why a kernel failed, in the order of layout.h. */
  public enum Code {
    /** It succeeded. */
    OK,
    /** {@code peer} did not come: {@code address} holds {@code seen}, not {@code expected}. */
    TIMEOUT,
    /** It was told to stop while waiting for {@code peer}. */
    ABORTED,
    /** The list of pieces does not add up at descriptor {@code address}. */
    INVALID_PLAN,
    /** Argument {@code address} has the value {@code seen}; {@code expected} is its bound. */
    INVALID_ARGUMENT,
    /** Descriptor {@code address} needs 16-byte alignment; {@code seen} has the low bits. */
    MISALIGNED,
    /** This GPU lacks the instructions, or the type lacks the operation. */
    UNSUPPORTED,
    /**
     * The record at byte {@code address} of staging has the header {@code seen} (length below,
     * partition above), with {@code expected} bytes left and {@code peer} partitions.
     */
    DAMAGED_RECORD,
    /** A code that this class does not know. */
    UNKNOWN
  }

  /** Which kernel wrote a status, in the order of layout.h. */
  public enum Operation {
    /** None. */
    NONE,
    /** symshuffle_pull. */
    PULL,
    /** symshuffle_pull_tma. */
    PULL_TMA,
    /** symshuffle_push. */
    PUSH,
    /** symshuffle_crc32c. */
    CRC32C,
    /** symshuffle_signal. */
    SIGNAL,
    /** symshuffle_wait. */
    WAIT,
    /** symshuffle_barrier. */
    BARRIER,
    /** symshuffle_reduce. */
    REDUCE,
    /** symshuffle_broadcast. */
    BROADCAST,
    /** symshuffle_multimem_reduce. */
    MULTIMEM_REDUCE,
    /** symshuffle_multimem_broadcast. */
    MULTIMEM_BROADCAST,
    /** symshuffle_multimem_barrier. */
    MULTIMEM_BARRIER,
    /** symshuffle_device_pull. */
    DEVICE_PULL,
    /** symshuffle_row_parse and the other steps of a run. */
    ROW_PARTITION,
    /** A number that this class does not know. */
    UNKNOWN
  }

  static final long BYTES = DeviceStruct.layout(KernelStruct.Status.class).byteSize();

  static KernelStatus read(MemorySegment status) {
    return new KernelStatus(
        constant(Code.values(), status.get(JAVA_INT, at("code"))),
        constant(Operation.values(), status.get(JAVA_INT, at("operation"))),
        status.get(JAVA_INT, at("pe")),
        status.get(JAVA_INT, at("peer")),
        status.get(JAVA_LONG, at("expected")),
        status.get(JAVA_LONG, at("seen")),
        status.get(JAVA_LONG, at("address")),
        status.get(JAVA_LONG, at("waitedNanoseconds")),
        status.get(JAVA_LONG, at("missing")));
  }

  private static long at(String field) {
    return DeviceStruct.offset(KernelStruct.Status.class, field);
  }

  private static <E> E constant(E[] values, int number) {
    return values[number >= 0 && number < values.length ? number : values.length - 1];
  }

  /** {@return what went wrong, a sentence without its full stop; empty when nothing did} */
  public Optional<String> problem() {
    String who = "the kernel %s of PE %d ".formatted(operation, pe);
    return switch (code) {
      case OK -> Optional.empty();
      case TIMEOUT ->
          Optional.of(
              who
                  + "gave up after %d ms: %s did not come (the word at %s is %d, and %d was waited for)"
                      .formatted(
                          waitedNanoseconds / 1_000_000,
                          missingPes(),
                          CallText.hex(address),
                          seen,
                          expected));
      case ABORTED ->
          Optional.of(
              who
                  + "was told to stop after %d ms of waiting for %s"
                      .formatted(waitedNanoseconds / 1_000_000, missingPes()));
      case INVALID_PLAN ->
          Optional.of(
              who
                  + "was given a list that does not add up: descriptor %d starts at unit %d, not %d"
                      .formatted(address, seen, expected));
      case INVALID_ARGUMENT ->
          Optional.of(
              who
                  + "was given %d as argument %d, whose bound is %d"
                      .formatted(seen, address, expected));
      case MISALIGNED ->
          Optional.of(
              who
                  + "needs multiples of 16 bytes, and descriptor %d is off by the bits %x"
                      .formatted(address, seen));
      case UNSUPPORTED ->
          operation == Operation.DEVICE_PULL
              ? Optional.of(
                  who
                      + "needs version %d of NVSHMEM's device state and was given %d: its module was not registered"
                          .formatted(expected, seen)
                      + " with NVSHMEM, or NVSHMEM is too new for this code")
              : Optional.of(
                  who
                      + "is not supported here (type %d, operation or compute capability %d)"
                          .formatted(seen, expected));
      case DAMAGED_RECORD ->
          Optional.of(
              who
                  + "found a damaged record at byte %d of staging: length %s, partition %s, with %d bytes left and %d partitions"
                      .formatted(
                          address,
                          Integer.toUnsignedString((int) seen),
                          Integer.toUnsignedString((int) (seen >>> Integer.SIZE)),
                          expected,
                          peer));
      case UNKNOWN -> Optional.of(who + "reported a failure that this code does not know");
    };
  }

  private String missingPes() {
    return missing == 0
        ? "PE " + peer
        : LongStream.range(0, Long.SIZE)
            .filter(bit -> (missing >>> bit & 1) != 0)
            .mapToObj(bit -> "PE " + bit)
            .collect(Collectors.joining(", "));
  }
}
