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
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
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

  /** Numbers by reader and owner that are kept per shuffle, about 100 bytes each. */
  static final int MAX_FLOWS = 200_000;

  /** In place of the executors of forgotten PEs. */
  private static final String FORGOTTEN = "";

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

    private Sums sums() {
      Sums sums = new Sums();
      uses.values().forEach(sums::add);
      return sums;
    }
  }

  private record Pair(int reader, int owner) {}

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
      inPlace += ShuffleUse.sum(use.inPlace().values());
      transferred += ShuffleUse.sum(use.transferred().values());
    }

    private List<Long> byTier() {
      return Arrays.stream(bytes).boxed().toList();
    }

    /** The same sums, of an owner that does not exist. */
    private ShuffleUse asUse(int shuffleId) {
      return new ShuffleUse(
          shuffleId,
          byTier(),
          List.of(runs),
          mapOutputs,
          Map.of(-1, inPlace),
          Map.of(FORGOTTEN, transferred));
    }
  }

  @GuardedBy("this")
  private final Map<String, PeState> pes = new TreeMap<>();

  @GuardedBy("this")
  private final TreeMap<Integer, ShuffleState> shuffles = new TreeMap<>();

  /** The lost executors in {@link #pes}, the oldest first. */
  @GuardedBy("this")
  private final Set<String> lost = new LinkedHashSet<>();

  /** The numbers of PEs that are no longer in {@link #pes}. */
  @GuardedBy("this")
  private final BitSet forgottenPes = new BitSet();

  /** What all forgotten PEs, shuffles and faults add to the sums. */
  @GuardedBy("this")
  private long forgottenPeCount;

  @GuardedBy("this")
  private long forgottenDiskBytes;

  @GuardedBy("this")
  private final Sums forgottenShuffles = new Sums();

  @GuardedBy("this")
  private long faultCount;

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
    lost.remove(event.executorId());
    if (event.state().equals(PeEvent.LOST)) {
      lost.add(event.executorId());
      while (lost.size() > MAX_LOST_PES) {
        forget(lost.iterator().next());
      }
      addPoint(event.time());
    } else if (pe.pe >= 0) {
      forgottenPes.clear(pe.pe);
    }
  }

  /** Removes a lost PE and its pairs; its numbers stay in all sums. */
  @GuardedBy("this")
  private void forget(String executorId) {
    lost.remove(executorId);
    PeState pe = pes.remove(executorId);
    forgottenPeCount++;
    forgottenDiskBytes += pe.heap.diskBytes();
    if (pe.pe >= 0) {
      forgottenPes.set(pe.pe);
      pastFlows.keySet().removeIf(pair -> pair.reader == pe.pe || pair.owner == pe.pe);
    }
    for (ShuffleState shuffle : shuffles.values()) {
      ShuffleUse use = shuffle.uses.remove(executorId);
      if (use != null) {
        Sums sums = new Sums();
        sums.add(use);
        ShuffleUse before = shuffle.uses.get(FORGOTTEN);
        if (before != null) {
          sums.add(before);
          flowCount -= flowsOf(before);
        }
        ShuffleUse after = sums.asUse(use.shuffleId());
        shuffle.uses.put(FORGOTTEN, after);
        flowCount += flowsOf(after) - flowsOf(use);
      }
    }
  }

  synchronized void apply(UsageReport report) {
    PeState pe = pes.computeIfAbsent(report.executorId(), id -> new PeState());
    pe.heap = report.heap();
    pe.gpu = report.gpu();
    pe.link = report.link();
    for (ShuffleUse use : report.shuffles()) {
      ShuffleState shuffle = shuffle(use.shuffleId());
      if (!shuffles.containsKey(use.shuffleId())) {
        // The sums have an earlier report of this older shuffle.
        continue;
      }
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

  private static ShuffleUse withoutOwners(ShuffleUse use) {
    Sums sums = new Sums();
    sums.add(use);
    return sums.asUse(use.shuffleId());
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
    faultCount++;
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
    return new Snapshot(
        rows, points, list, delegated, flows(), List.copyOf(faults), readMillis, totals());
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
      addFlows(pastFlows, oldest);
      flowCount -= oldest.flows();
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

  @GuardedBy("this")
  private void add(Map<Pair, long[]> flows, Pair pair, int which, long bytes) {
    if (pair.reader >= 0 && pair.owner >= 0 && !forgottenPes.get(pair.owner)) {
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
