// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.usage.GpuLink;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Collects events into the content of the page. Bounded in size. Thread-safe. */
final class UiState {
  static final int MAX_SHUFFLES = 500;
  static final int MAX_FAULTS = 100;
  static final int MAX_POINTS = 600;

  /** Numbers by reader and owner that are kept per shuffle, about 100 bytes each. */
  static final int MAX_FLOWS = 200_000;

  /** Indexes of a pair's counters. */
  private static final int IN_PLACE = 0;

  private static final int TRANSFERRED = 1;
  private static final int PULLED = 2;
  private static final int KINDS = 3;

  private static final class PeState {
    private int pe = -1;
    private String host = "";
    private String gpu = "";
    private String state = PeEvent.JOINED;
    private String heapFolder = "";
    private String note = "";
    private HeapUse heap = HeapUse.NONE;
    private GpuLink link = GpuLink.NONE;
  }

  private static final class ShuffleState {
    private String stage = "";
    private long writeNanos;
    private final Map<String, ShuffleUse> uses = new TreeMap<>();

    /** Whether its flows are in {@link #pastFlows}, and only their sums are kept here. */
    private boolean added;

    private int flows() {
      return uses.values().stream().mapToInt(UiState::flowsOf).sum();
    }
  }

  private record Pair(int reader, int owner) {}

  @GuardedBy("this")
  private final Map<String, PeState> pes = new TreeMap<>();

  @GuardedBy("this")
  private final TreeMap<Integer, ShuffleState> shuffles = new TreeMap<>();

  /** The flows of shuffles of which no owners are kept. */
  @GuardedBy("this")
  private final Map<Pair, long[]> pastFlows = new HashMap<>();

  /** The numbers by reader and owner in {@link #shuffles}. */
  @GuardedBy("this")
  private int flowCount;

  @GuardedBy("this")
  private final Deque<Snapshot.Fault> faults = new ArrayDeque<>();

  @GuardedBy("this")
  private final List<Snapshot.HeapPoint> points = new ArrayList<>();

  @GuardedBy("this")
  private Map<String, Long> delegated = new TreeMap<>();

  @GuardedBy("this")
  private long pointMillis = 1000;

  @GuardedBy("this")
  private long readMillis;

  synchronized void apply(PeEvent event) {
    PeState pe = pes.computeIfAbsent(event.executorId(), id -> new PeState());
    pe.pe = event.pe() < 0 ? pe.pe : event.pe();
    pe.host = event.host().isEmpty() ? pe.host : event.host();
    pe.state = event.state();
    pe.heapFolder = event.heapFolder().isEmpty() ? pe.heapFolder : event.heapFolder();
    pe.note = event.note().isEmpty() ? pe.note : event.note();
    if (event.heapBytes() > 0 && pe.heap.equals(HeapUse.NONE)) {
      pe.heap = new HeapUse(event.heapBytes(), 0, 0, 0, 0, 0, 0, 0);
    }
    if (event.state().equals(PeEvent.LOST)) {
      addPoint(event.time());
    }
  }

  synchronized void apply(UsageReport report) {
    PeState pe = pes.computeIfAbsent(report.executorId(), id -> new PeState());
    pe.heap = report.heap();
    pe.gpu = report.gpu();
    pe.link = report.link();
    for (ShuffleUse use : report.shuffles()) {
      ShuffleState shuffle = shuffle(use.shuffleId());
      ShuffleUse kept = shuffle.added ? withoutOwners(use) : use;
      ShuffleUse before = shuffle.uses.put(report.executorId(), kept);
      flowCount += flowsOf(kept) - (before == null ? 0 : flowsOf(before));
    }
    limitFlows();
    addPoint(report.time());
  }

  /** The flows of a shuffle grow with the square of the executors. */
  @GuardedBy("this")
  private void limitFlows() {
    for (ShuffleState oldest : shuffles.values()) {
      if (flowCount <= MAX_FLOWS) {
        return;
      }
      if (!oldest.added) {
        oldest.added = true;
        addFlows(pastFlows, oldest);
        flowCount -= oldest.flows();
        oldest.uses.replaceAll((executorId, use) -> withoutOwners(use));
        flowCount += oldest.flows();
      }
    }
  }

  private static int flowsOf(ShuffleUse use) {
    return use.inPlace().size() + use.transferred().size();
  }

  /** The same sums, of an owner that does not exist. */
  private static ShuffleUse withoutOwners(ShuffleUse use) {
    return new ShuffleUse(
        use.shuffleId(),
        use.bytes(),
        use.runs(),
        use.mapOutputs(),
        Map.of(-1, ShuffleUse.sum(use.inPlace().values())),
        Map.of("", ShuffleUse.sum(use.transferred().values())));
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

  synchronized void readFor(long millis) {
    readMillis += millis;
  }

  synchronized void fault(Snapshot.Fault fault) {
    faults.addFirst(fault);
    if (faults.size() > MAX_FAULTS) {
      faults.removeLast();
    }
  }

  /** Returns how many numbers by reader and owner are kept per shuffle. */
  synchronized int flowCount() {
    return flowCount;
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
                    p.link.bytesPerSecond(),
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
    return new Snapshot(rows, points, list, delegated, flows(), List.copyOf(faults), readMillis);
  }

  @GuardedBy("this")
  private ShuffleState shuffle(int id) {
    ShuffleState state = shuffles.computeIfAbsent(id, key -> new ShuffleState());
    while (shuffles.size() > MAX_SHUFFLES) {
      ShuffleState oldest = shuffles.pollFirstEntry().getValue();
      addFlows(pastFlows, oldest);
      flowCount -= oldest.flows();
    }
    return state;
  }

  private static Snapshot.Shuffle summary(int id, ShuffleState state) {
    long[] bytes = new long[ShuffleUse.TIERS];
    long runs = 0;
    long outputs = 0;
    long inPlace = 0;
    long transferred = 0;
    for (ShuffleUse use : state.uses.values()) {
      for (int tier = 0; tier < Math.min(bytes.length, use.bytes().size()); tier++) {
        bytes[tier] += use.bytes().get(tier);
      }
      runs += ShuffleUse.sum(use.runs());
      outputs += use.mapOutputs();
      inPlace += ShuffleUse.sum(use.inPlace().values());
      transferred += ShuffleUse.sum(use.transferred().values());
    }
    List<Long> byTier = new ArrayList<>();
    for (long n : bytes) {
      byTier.add(n);
    }
    return new Snapshot.Shuffle(
        id, state.stage, byTier, runs, outputs, inPlace, transferred, state.writeNanos);
  }

  @GuardedBy("this")
  private List<Snapshot.Flow> flows() {
    Map<Pair, long[]> all = new HashMap<>();
    pastFlows.forEach((pair, bytes) -> all.put(pair, bytes.clone()));
    shuffles.values().forEach(state -> addFlows(all, state));
    Map<Integer, GpuLink> links = new HashMap<>();
    for (PeState pe : pes.values()) {
      links.put(pe.pe, pe.link);
      pe.link.pulled().forEach((owner, bytes) -> add(all, new Pair(pe.pe, owner), PULLED, bytes));
    }
    return all.entrySet().stream()
        .map(e -> flow(e.getKey(), e.getValue(), links))
        .sorted(
            Comparator.comparingInt(Snapshot.Flow::reader).thenComparingInt(Snapshot.Flow::owner))
        .toList();
  }

  private static Snapshot.Flow flow(Pair pair, long[] bytes, Map<Integer, GpuLink> links) {
    return new Snapshot.Flow(
        pair.reader,
        pair.owner,
        bytes[IN_PLACE],
        bytes[TRANSFERRED],
        bytes[PULLED],
        // 0 if either is unknown.
        Math.min(
            links.getOrDefault(pair.reader, GpuLink.NONE).bytesPerSecond(),
            links.getOrDefault(pair.owner, GpuLink.NONE).bytesPerSecond()));
  }

  @GuardedBy("this")
  private void addFlows(Map<Pair, long[]> flows, ShuffleState state) {
    state.uses.forEach(
        (executorId, use) -> {
          int reader = peOf(executorId);
          use.inPlace().forEach((pe, bytes) -> add(flows, new Pair(reader, pe), IN_PLACE, bytes));
          use.transferred()
              .forEach(
                  (owner, bytes) -> add(flows, new Pair(reader, peOf(owner)), TRANSFERRED, bytes));
        });
  }

  private static void add(Map<Pair, long[]> flows, Pair pair, int which, long bytes) {
    if (pair.reader >= 0 && pair.owner >= 0) {
      flows.computeIfAbsent(pair, p -> new long[KINDS])[which] += bytes;
    }
  }

  @GuardedBy("this")
  private int peOf(String executorId) {
    PeState pe = pes.get(executorId);
    return pe == null ? -1 : pe.pe;
  }

  /** Adds a point, or updates the last one; if there are too many, drops every second one. */
  @GuardedBy("this")
  private void addPoint(long time) {
    long host = 0;
    long device = 0;
    long disk = 0;
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
