// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import com.google.errorprone.annotations.FormatMethod;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Checks the histories of the executors of one host:
 *
 * <ul>
 *   <li>no executor frees or releases bytes, or unmaps a window, while another one that has read
 *       them still holds the lease;
 *   <li>every map output that was published and not erased is found by a lookup that starts later;
 *   <li>nothing is read without a lease.
 * </ul>
 *
 * <p>If a history was too small for all events, all of them are checked up to the end of the
 * shortest one. Used by one thread.
 */
public final class HistoryCheck {
  private static final int MAX_EXAMPLES = 20;

  private final List<History> histories;

  /** What was freed or released of each PE, by time. */
  private final Map<Integer, NavigableMap<Long, List<Event>>> freesByPe = new HashMap<>();

  private final Map<MapOutputId, List<Event>> erasedById = new HashMap<>();
  private final Map<MapOutputId, List<Event>> publishedById = new HashMap<>();
  private final List<String> examples = new ArrayList<>();
  private long end = Long.MAX_VALUE;
  private long events;
  private long overlaps;
  private long lost;
  private long unleased;

  private HistoryCheck(List<History> histories) {
    this.histories = List.copyOf(histories);
  }

  /**
   * What was found.
   *
   * @param overlaps number of reads whose bytes were freed, released or unmapped meanwhile
   * @param lost number of lookups that did not find a published map output
   * @param unleased number of reads without a lease
   */
  public record Result(
      long events, long overlaps, long lost, long unleased, List<String> examples) {}

  /**
   * Checks all histories in a folder.
   *
   * @throws IOException if one cannot be read
   */
  public static Result of(Path folder) throws IOException {
    return of(History.readAll(folder));
  }

  static Result of(List<History> histories) {
    HistoryCheck check = new HistoryCheck(histories);
    check.collect();
    histories.forEach(check::replay);
    return new Result(check.events, check.overlaps, check.lost, check.unleased, check.examples);
  }

  private void collect() {
    for (History history : histories) {
      if (!history.isComplete()) {
        end = Math.min(end, history.events().getLast().time());
      }
    }
    for (History history : histories) {
      for (Event event : upToEnd(history)) {
        switch (event.kind()) {
          case PUBLISH -> add(publishedById, event);
          case ERASE -> add(erasedById, event);
          case FREE, PUNCH ->
              freesByPe
                  .computeIfAbsent(event.pe(), pe -> new TreeMap<>())
                  .computeIfAbsent(event.time(), time -> new ArrayList<>())
                  .add(event);
          default -> {}
        }
      }
    }
  }

  private List<Event> upToEnd(History history) {
    return history.events().stream().filter(event -> event.time() <= end).toList();
  }

  private static void add(Map<MapOutputId, List<Event>> byId, Event event) {
    byId.computeIfAbsent(event.output(), id -> new ArrayList<>()).add(event);
  }

  private void replay(History history) {
    Replay replay = new Replay(history.name());
    upToEnd(history).forEach(replay::next);
    replay.end();
  }

  @FormatMethod
  private void report(String format, Object... values) {
    if (examples.size() < MAX_EXAMPLES) {
      examples.add(format.formatted(values));
    }
  }

  /** Whether a map output that was not found should have been. */
  private boolean isLost(Event missing) {
    long started = missing.time();
    long ended = missing.offset();
    return ended <= end
        && publishedById.getOrDefault(missing.output(), List.of()).stream()
            .filter(publish -> publish.pe() == missing.pe() && publish.time() < started)
            .anyMatch(
                publish ->
                    erasedById.getOrDefault(missing.output(), List.of()).stream()
                        .filter(erase -> erase.pe() == missing.pe() || erase.pe() == Event.ANY_PE)
                        .noneMatch(
                            erase -> erase.time() >= publish.time() && erase.time() <= ended));
  }

  /** The state of one executor while its history is replayed. */
  private final class Replay {
    private final String name;
    private final Map<Integer, LeasePeriod> open = new HashMap<>();
    private final Map<Integer, Long> unmapped = new HashMap<>();
    private long now;

    Replay(String name) {
      this.name = name;
    }

    void next(Event event) {
      events++;
      now = event.time();
      switch (event.kind()) {
        case LEASE -> open.computeIfAbsent(event.shuffleId(), LeasePeriod::new).enter();
        case RELEASE -> release(event);
        case FOUND -> leased(event, period -> period.found(event));
        case READ -> read(event);
        case MISSING -> missing(event);
        case MAP -> unmapped.remove(event.pe());
        case UNMAP -> unmap(event);
        case PUBLISH, ERASE, FREE, PUNCH -> {}
      }
    }

    /** Whatever a killed process had leased was in use until its end. */
    void end() {
      open.values().forEach(this::checkFrees);
    }

    private void release(Event event) {
      LeasePeriod period = open.get(event.shuffleId());
      if (period != null && period.leave()) {
        open.remove(event.shuffleId());
        checkFrees(period);
      }
    }

    private void leased(Event event, Consumer<LeasePeriod> then) {
      LeasePeriod period = open.get(event.shuffleId());
      if (period == null) {
        unleased++;
        report("%s without a lease, by %s", event, name);
        return;
      }
      then.accept(period);
    }

    private void read(Event event) {
      leased(event, period -> period.read(event));
      if (unmapped.containsKey(event.pe())) {
        overlaps++;
        report("%s of a window that %s unmapped at %d", event, name, unmapped.get(event.pe()));
      }
    }

    private void missing(Event event) {
      if (isLost(event)) {
        lost++;
        report("%s was published and not erased, but %s did not find it", event.output(), name);
      }
    }

    private void unmap(Event event) {
      unmapped.put(event.pe(), event.time());
      for (LeasePeriod period : open.values()) {
        if (period.reads(event.pe())) {
          overlaps++;
          report("%s while %s read shuffle %d in it", event, name, period.shuffleId());
        }
      }
    }

    private void checkFrees(LeasePeriod period) {
      freesByPe.forEach(
          (pe, frees) -> {
            if (period.reads(pe)) {
              frees.subMap(period.start(pe), false, now, false).values().stream()
                  .flatMap(List::stream)
                  .filter(period::uses)
                  .forEach(free -> overlap(free, period));
            }
          });
    }

    private void overlap(Event free, LeasePeriod period) {
      overlaps++;
      report("%s while %s read it for shuffle %d", free, name, period.shuffleId());
    }
  }
}
