// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Collects events into the content of the page. Bounded in size. Thread-safe. */
final class UiState {
  static final int MAX_SHUFFLES = 500;
  static final int MAX_FAULTS = 100;
  static final int MAX_POINTS = 600;

  /** With dynamic allocation, executors are lost all the time. */
  static final int MAX_LOST_PES = 200;

  /** In place of the executors of forgotten PEs. */
  private static final String FORGOTTEN = "";

  private static final class PeState {
    private int pe = -1;
    private String host = "";
    private String gpu = "";
    private String state = PeEvent.JOINED;
    private String heapFolder = "";
    private String note = "";
    private HeapUse heap = HeapUse.NONE;
    private long linkBytesPerSecond;
  }

  private static final class ShuffleState {
    private String stage = "";
    private long writeNanos;
    private final Map<String, ShuffleUse> uses = new TreeMap<>();

    private Sums sums() {
      Sums sums = new Sums();
      uses.values().forEach(sums::add);
      return sums;
    }
  }

  /** Sums over executors or shuffles. */
  private static final class Sums {
    private final long[] bytes = new long[ShuffleUse.TIERS];
    private long runs;
    private long mapOutputs;
    private long inPlace;
    private long transferred;

    private void add(ShuffleUse use) {
      for (int tier = 0; tier < Math.min(bytes.length, use.bytes().size()); tier++) {
        bytes[tier] += use.bytes().get(tier);
      }
      runs += ShuffleUse.sum(use.runs());
      mapOutputs += use.mapOutputs();
      inPlace += use.inPlace();
      transferred += use.transferred();
    }

    private List<Long> byTier() {
      return Arrays.stream(bytes).boxed().toList();
    }

    private ShuffleUse asUse(int shuffleId) {
      return new ShuffleUse(shuffleId, byTier(), List.of(runs), mapOutputs, inPlace, transferred);
    }
  }

  @GuardedBy("this")
  private final Map<String, PeState> pes = new TreeMap<>();

  @GuardedBy("this")
  private final TreeMap<Integer, ShuffleState> shuffles = new TreeMap<>();

  /** The lost executors in {@link #pes}, the oldest first. */
  @GuardedBy("this")
  private final Set<String> lost = new LinkedHashSet<>();

  /** What all forgotten PEs, shuffles and faults add to the sums. */
  @GuardedBy("this")
  private long forgottenPeCount;

  @GuardedBy("this")
  private long forgottenDiskBytes;

  @GuardedBy("this")
  private final Sums forgottenShuffles = new Sums();

  @GuardedBy("this")
  private long faultCount;

  @GuardedBy("this")
  private final Deque<Snapshot.Fault> faults = new ArrayDeque<>();

  @GuardedBy("this")
  private final List<Snapshot.HeapPoint> points = new ArrayList<>();

  @GuardedBy("this")
  private Map<String, Long> delegated = new TreeMap<>();

  @GuardedBy("this")
  private long pointMillis = 1000;

  synchronized void apply(PeEvent event) {
    PeState pe = pes.computeIfAbsent(event.executorId(), id -> new PeState());
    pe.pe = event.pe() < 0 ? pe.pe : event.pe();
    pe.host = event.host().isEmpty() ? pe.host : event.host();
    pe.state = event.state();
    pe.heapFolder = event.heapFolder().isEmpty() ? pe.heapFolder : event.heapFolder();
    pe.note = event.note().isEmpty() ? pe.note : event.note();
    if (event.heapBytes() > 0 && pe.heap.equals(HeapUse.NONE)) {
      pe.heap = new HeapUse(event.heapBytes(), 0, 0, 0, 0, 0, 0, Map.of());
    }
    lost.remove(event.executorId());
    if (event.state().equals(PeEvent.LOST)) {
      lost.add(event.executorId());
      while (lost.size() > MAX_LOST_PES) {
        forget(lost.iterator().next());
      }
      addPoint(event.time());
    }
  }

  /** Removes a lost PE; its numbers stay in all sums. */
  @GuardedBy("this")
  private void forget(String executorId) {
    lost.remove(executorId);
    PeState pe = pes.remove(executorId);
    forgottenPeCount++;
    forgottenDiskBytes += pe.heap.diskBytes();
    for (ShuffleState shuffle : shuffles.values()) {
      ShuffleUse use = shuffle.uses.remove(executorId);
      if (use != null) {
        Sums sums = new Sums();
        sums.add(use);
        ShuffleUse before = shuffle.uses.get(FORGOTTEN);
        if (before != null) {
          sums.add(before);
        }
        shuffle.uses.put(FORGOTTEN, sums.asUse(use.shuffleId()));
      }
    }
  }

  synchronized void apply(UsageReport report) {
    PeState pe = pes.computeIfAbsent(report.executorId(), id -> new PeState());
    pe.heap = report.heap();
    pe.gpu = report.gpu();
    pe.linkBytesPerSecond = report.linkBytesPerSecond();
    for (ShuffleUse use : report.shuffles()) {
      ShuffleState shuffle = shuffle(use.shuffleId());
      // Otherwise the sums have an earlier report of this older shuffle.
      if (shuffles.containsKey(use.shuffleId())) {
        shuffle.uses.put(report.executorId(), use);
      }
    }
    addPoint(report.time());
  }

  synchronized void apply(DelegatedEvent event) {
    delegated = new TreeMap<>(event.counts());
  }

  /** A stage that writes a shuffle has started, or its tasks have spent time on writing. */
  synchronized void wrote(int shuffleId, String stage, long nanos) {
    ShuffleState shuffle = shuffle(shuffleId);
    shuffle.stage = stage;
    shuffle.writeNanos += nanos;
  }

  synchronized void fault(Snapshot.Fault fault) {
    faultCount++;
    faults.addFirst(fault);
    if (faults.size() > MAX_FAULTS) {
      faults.removeLast();
    }
  }

  /** Returns whether SymShuffle has been used at all. */
  synchronized boolean isEmpty() {
    return pes.isEmpty() && delegated.isEmpty();
  }

  synchronized Snapshot snapshot() {
    List<Snapshot.Pe> rows = new ArrayList<>();
    pes.forEach(
        (id, p) ->
            rows.add(
                new Snapshot.Pe(
                    id,
                    p.pe,
                    p.host,
                    p.gpu,
                    p.linkBytesPerSecond,
                    p.state,
                    p.heapFolder,
                    p.note,
                    p.heap)));
    rows.sort(
        Comparator.comparingInt((Snapshot.Pe row) -> row.pe() < 0 ? Integer.MAX_VALUE : row.pe()));
    List<Snapshot.Shuffle> list = new ArrayList<>();
    shuffles.descendingMap().forEach((id, state) -> list.add(summary(id, state)));
    // Shuffles that are not ours have a stage but no numbers.
    list.removeIf(shuffle -> shuffle.mapOutputs() == 0 && shuffle.runs() == 0);
    return new Snapshot(rows, points, list, delegated, List.copyOf(faults), totals());
  }

  @GuardedBy("this")
  private Snapshot.Totals totals() {
    Sums all = new Sums();
    all.add(forgottenShuffles.asUse(0));
    shuffles.values().forEach(shuffle -> shuffle.uses.values().forEach(all::add));
    return new Snapshot.Totals(
        pes.size() + forgottenPeCount,
        Arrays.stream(all.bytes).sum(),
        all.bytes[ShuffleUse.DISK],
        all.inPlace,
        all.transferred,
        faultCount);
  }

  @GuardedBy("this")
  private ShuffleState shuffle(int id) {
    ShuffleState state = shuffles.computeIfAbsent(id, key -> new ShuffleState());
    while (shuffles.size() > MAX_SHUFFLES) {
      ShuffleState oldest = shuffles.pollFirstEntry().getValue();
      oldest.uses.values().forEach(forgottenShuffles::add);
    }
    return state;
  }

  private static Snapshot.Shuffle summary(int id, ShuffleState state) {
    Sums sums = state.sums();
    return new Snapshot.Shuffle(
        id,
        state.stage,
        sums.byTier(),
        sums.runs,
        sums.mapOutputs,
        sums.inPlace,
        sums.transferred,
        state.writeNanos);
  }

  /** Adds a point, or updates the last one; if there are too many, drops every second one. */
  @GuardedBy("this")
  private void addPoint(long time) {
    long host = 0;
    long device = 0;
    long disk = forgottenDiskBytes;
    for (PeState pe : pes.values()) {
      boolean alive = pe.state.equals(PeEvent.JOINED);
      host += alive ? pe.heap.usedBytes() : 0;
      device += alive ? pe.heap.deviceUsedBytes() : 0;
      disk += pe.heap.diskBytes();
    }
    Snapshot.HeapPoint point = new Snapshot.HeapPoint(time, host, device, disk);
    int last = points.size() - 1;
    if (last >= 0 && time - points.get(last).time() < pointMillis) {
      points.set(last, new Snapshot.HeapPoint(points.get(last).time(), host, device, disk));
      return;
    }
    points.add(point);
    if (points.size() > MAX_POINTS) {
      for (int i = points.size() - 2; i > 0; i -= 2) {
        points.remove(i);
      }
      pointMillis *= 2;
    }
  }
}
