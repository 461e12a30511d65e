// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What an executor sends to the driver for the UI.
 *
 * @param executorId Spark's id
 * @param time milliseconds since 1970
 * @param gpu name of its GPU; empty on the host heap alone
 * @param heap its heap
 * @param link what went over its links; logs of earlier versions have none
 * @param shuffles those that changed since the last report, at most {@link #MOST_SHUFFLES}
 */
public record UsageReport(
    String executorId,
    long time,
    String gpu,
    HeapUse heap,
    GpuLink link,
    List<ShuffleUse> shuffles) {
  /** More changes than these wait for the next report. */
  static final int MOST_SHUFFLES = 200;

  private static final String MARK = "symshuffle-usage";
  private static final int VERSION = 2;
  private static final int PARTS = 10;

  /** Copies. */
  public UsageReport {
    requireNonNull(executorId, "executorId is null");
    requireNonNull(gpu, "gpu is null");
    requireNonNull(heap, "heap is null");
    link = link == null ? GpuLink.NONE : link;
    shuffles = List.copyOf(shuffles);
  }

  /**
   * Puts it on the wire, in JDK types alone: the driver may not have our classes when it decodes.
   *
   * <pre>
   *   mark, version (Integer), executor id, time (Long), GPU, heap (long[]),
   * bytes a second of its links (Long), PEs (int[]), bytes pulled from them (long[]),
   * one Object[] a shuffle:
   *   id (Integer), bytes (long[]), runs (long[]), map outputs (Long),
   *   PEs (int[]), bytes in place (long[]), executors (String[]), bytes transferred (long[])
   * </pre>
   */
  Object[] toWire() {
    List<Object[]> encoded = new ArrayList<>();
    for (ShuffleUse use : shuffles) {
      encoded.add(
          new Object[] {
            use.shuffleId(),
            longs(use.bytes()),
            longs(use.runs()),
            use.mapOutputs(),
            ints(use.inPlace().keySet()),
            longs(use.inPlace().values()),
            use.transferred().keySet().toArray(new String[0]),
            longs(use.transferred().values())
          });
    }
    return new Object[] {
      MARK,
      VERSION,
      executorId,
      time,
      gpu,
      heap.toLongs(),
      link.bytesPerSecond(),
      ints(link.pulled().keySet()),
      longs(link.pulled().values()),
      encoded.toArray(new Object[0][])
    };
  }

  /**
   * Reads what came.
   *
   * @param message any message to the driver
   * @return the report; empty if the message is another
   * @throws IllegalArgumentException if it is a report and does not fit
   */
  static Optional<UsageReport> ofWire(Object message) {
    if (!(message instanceof Object[] parts) || parts.length == 0 || !MARK.equals(parts[0])) {
      return Optional.empty();
    }
    try {
      if (parts.length != PARTS || (Integer) parts[1] != VERSION) {
        throw new IllegalArgumentException("a usage report of another version");
      }
      long[] heap = (long[]) parts[5];
      Object[] encoded = (Object[]) parts[9];
      if (heap.length != HeapUse.fields() || encoded.length > MOST_SHUFFLES) {
        throw new IllegalArgumentException(
            "a usage report with %d fields and %d shuffles".formatted(heap.length, encoded.length));
      }
      List<ShuffleUse> shuffles = new ArrayList<>();
      for (Object shuffle : encoded) {
        shuffles.add(shuffle((Object[]) shuffle));
      }
      return Optional.of(
          new UsageReport(
              (String) parts[2],
              (Long) parts[3],
              (String) parts[4],
              HeapUse.of(heap),
              new GpuLink((Long) parts[6], byPe((int[]) parts[7], (long[]) parts[8])),
              shuffles));
    } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("a usage report that cannot be read: " + e, e);
    }
  }

  private static ShuffleUse shuffle(Object[] parts) {
    String[] executors = (String[]) parts[6];
    long[] transferred = (long[]) parts[7];
    Map<String, Long> byExecutor = new TreeMap<>();
    for (int i = 0; i < executors.length; i++) {
      byExecutor.put(executors[i], transferred[i]);
    }
    return new ShuffleUse(
        (Integer) parts[0],
        list((long[]) parts[1]),
        list((long[]) parts[2]),
        (Long) parts[3],
        byPe((int[]) parts[4], (long[]) parts[5]),
        byExecutor);
  }

  private static Map<Integer, Long> byPe(int[] pes, long[] bytes) {
    Map<Integer, Long> byPe = new TreeMap<>();
    for (int i = 0; i < pes.length; i++) {
      byPe.put(pes[i], bytes[i]);
    }
    return byPe;
  }

  private static int[] ints(Collection<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  private static long[] longs(Iterable<Long> numbers) {
    List<Long> list = new ArrayList<>();
    numbers.forEach(list::add);
    return list.stream().mapToLong(Long::longValue).toArray();
  }

  private static List<Long> list(long[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }
}
