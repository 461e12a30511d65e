// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import io.symshuffle.plugin.usage.UsageReport;
import io.symshuffle.shuffle.layout.Tier;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.util.JsonProtocol$;
import org.apache.spark.util.JsonProtocolOptions;
import org.apache.spark.util.kvstore.InMemoryStore;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class UiStateTest {
  private static final HeapUse HEAP = new HeapUse(100, 40, 50, 0, 0, 7, 3, Map.of("DAMAGED", 1L));

  private static ShuffleUse use(int id, long host, long disk) {
    return new ShuffleUse(id, List.of(host, disk), List.of(2L, 1L), 4, 30, 5);
  }

  private static UsageReport report(String executor, long time, ShuffleUse... uses) {
    return new UsageReport(executor, time, "", 0, HEAP, List.of(uses));
  }

  private static UsageReport onGpu(String executor, long linkBytesPerSecond) {
    return new UsageReport(
        executor, 2000, "NVIDIA H200", linkBytesPerSecond, HEAP, List.of(use(1, 5, 6)));
  }

  private static PeEvent joined(String executor, int pe) {
    return new PeEvent(1, executor, pe, "host", PeEvent.JOINED, 0, "", "");
  }

  @Test
  void writesAndReadsEventsInTheEventLog() {
    for (SparkListenerEvent event :
        List.of(
            new UsageEvent(report("3", 99, use(1, 5, 6))),
            new UsageEvent(onGpu("3", 478_000_000_000L)),
            new PeEvent(7, "3", 2, "h", PeEvent.LOST, 64, "/dev/shm", "a \"note\""),
            new StageEvent(5, 2, 1_000_000L),
            new DelegatedEvent(8, Map.of("RDD shuffle", 3L)))) {
      String json =
          JsonProtocol$.MODULE$.sparkEventToJsonString(
              event, new JsonProtocolOptions(new SparkConf()));
      assertTrue(json.contains("\"Event\":\"" + event.getClass().getName() + "\""), json);
      assertEquals(event, JsonProtocol$.MODULE$.sparkEventFromJson(json), json);
    }
  }

  @Test
  void replacesAnEarlierReportOfTheSameExecutor() {
    UiState state = new UiState();
    state.apply(joined("3", 0));
    state.apply(joined("4", 1));
    state.apply(report("3", 2000, use(1, 5, 6)));
    state.apply(report("3", 3000, use(1, 50, 60)));
    state.apply(report("4", 4000, use(1, 100, 0)));
    Snapshot.Shuffle shuffle = state.snapshot().shuffles().getFirst();
    assertAll(
        () -> assertEquals(List.of(150L, 60L), shuffle.bytes().subList(0, 2)),
        () -> assertEquals(8, shuffle.mapOutputs()),
        () -> assertEquals(6, shuffle.runs()),
        () -> assertEquals(60, shuffle.inPlaceBytes()),
        () -> assertEquals(10, shuffle.transferBytes()));
  }

  @Test
  void keepsNumbersOfALostPeButNotItsHeap() {
    UiState state = new UiState();
    state.apply(joined("3", 0));
    state.apply(report("3", 2000));
    state.apply(new PeEvent(9000, "3", -1, "", PeEvent.LOST, 0, "", "killed"));
    Snapshot snapshot = state.snapshot();
    assertAll(
        () -> assertEquals(PeEvent.LOST, snapshot.pes().getFirst().state()),
        () -> assertEquals(0, snapshot.pes().getFirst().pe()),
        () -> assertEquals("host", snapshot.pes().getFirst().host()),
        () -> assertEquals(40, snapshot.heap().getFirst().hostBytes()),
        () -> assertEquals(0, snapshot.heap().getLast().hostBytes()));
  }

  @Test
  void boundsItsSize() {
    UiState state = new UiState();
    state.apply(joined("3", 0));
    int more = 2 * UiState.MAX_SHUFFLES;
    for (int i = 0; i < more; i++) {
      state.apply(report("3", 1000L * i, use(i, 1, 1)));
      state.fault(new Snapshot.Fault(i, i, "3", "gone"));
    }
    Snapshot snapshot = state.snapshot();
    assertAll(
        () -> assertEquals(UiState.MAX_SHUFFLES, snapshot.shuffles().size()),
        () -> assertEquals(more - 1, snapshot.shuffles().getFirst().shuffleId()),
        () -> assertEquals(UiState.MAX_FAULTS, snapshot.faults().size()),
        () -> assertTrue(snapshot.heap().size() <= UiState.MAX_POINTS + 1),
        () -> assertEquals(30L * more, snapshot.totals().inPlaceBytes()));
  }

  private static PeEvent lost(String executor) {
    return new PeEvent(9000, executor, -1, "", PeEvent.LOST, 0, "", "killed");
  }

  @Test
  void forgetsOldestLostPesButKeepsTheirSums() {
    int pes = 2 * UiState.MAX_LOST_PES;
    UiState state = new UiState();
    state.apply(joined("driver", pes));
    state.apply(report("driver", 1000, new ShuffleUse(1, List.of(), List.of(), 0, 7, 5)));
    for (int pe = 0; pe < pes; pe++) {
      state.apply(joined("e" + pe, pe));
      state.apply(report("e" + pe, 2000, new ShuffleUse(1, List.of(1L, 2L), List.of(1L), 1, 1, 0)));
      state.apply(lost("e" + pe));
    }
    Snapshot snapshot = state.snapshot();
    int oldest = pes - UiState.MAX_LOST_PES;
    assertAll(
        () -> assertEquals(UiState.MAX_LOST_PES + 1, snapshot.pes().size()),
        () -> assertEquals(oldest, snapshot.pes().getFirst().pe()),
        () ->
            assertEquals(
                new Snapshot.Totals(pes + 1, 3L * pes, 2L * pes, pes + 7, 5, 0), snapshot.totals()),
        () -> assertEquals(pes, snapshot.shuffles().getFirst().mapOutputs()),
        () -> assertEquals(HEAP.diskBytes() * (pes + 1), snapshot.heap().getLast().diskBytes()),
        () ->
            assertTrue(
                new PageContent(snapshot)
                    .html()
                    .contains(oldest + " more executors were lost earlier.")));
  }

  @Test
  void doesNotCountReportsOfForgottenShuffles() {
    UiState state = new UiState();
    state.apply(joined("3", 0));
    for (int id = 0; id <= UiState.MAX_SHUFFLES; id++) {
      state.apply(report("3", 1000, use(id, 1, 1)));
    }
    state.apply(report("3", 2000, use(0, 1, 1)));
    Snapshot snapshot = state.snapshot();
    assertEquals(2L * (UiState.MAX_SHUFFLES + 1), snapshot.totals().writtenBytes());
  }

  @Test
  void escapesTextAndShowsEverySection() {
    UiState state = new UiState();
    state.apply(joined("3", 0));
    state.apply(report("3", 2000, use(1, 5 << 20, 6)));
    state.apply(report("3", 5000, use(1, 6 << 20, 6)));
    state.wrote(1, "stage 0: <script>alert('x')</script>", 0);
    state.apply(new DelegatedEvent(1, Map.of("RDD shuffle with ordering", 2L)));
    state.fault(new Snapshot.Fault(1, 1, "3", "block & checksum"));
    String html = new PageContent(state.snapshot()).html();
    assertAll(
        () -> assertFalse(html.contains("<script"), html),
        () -> assertTrue(html.contains("&lt;script&gt;"), html),
        () -> assertTrue(html.contains("block &amp; checksum"), html),
        () -> assertTrue(html.contains("6.0 MiB"), html),
        () -> assertTrue(html.contains("RDD shuffle with ordering"), html),
        () -> assertTrue(html.contains("<svg"), html),
        () -> assertTrue(html.contains("40 B of 100 B"), html));
  }

  @Test
  void drawsTheChartInLanguagesWithDecimalCommas() {
    UiState state = new UiState();
    state.apply(joined("3", 0));
    state.apply(report("3", 2000, use(1, 5, 6)));
    state.apply(report("3", 5000, use(1, 50, 6)));
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      String html = new PageContent(state.snapshot()).html();
      List<String> paths =
          Pattern.compile(" d=\"([^\"]*)\"").matcher(html).results().map(m -> m.group(1)).toList();
      assertEquals(2, paths.size(), html);
      for (String path : paths) {
        assertTrue(path.matches("M[0-9. L]+Z?"), path);
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  /** The classes of the page cannot use Tier, which needs Java 21. */
  @Test
  void numbersOfTiersAreThoseOfLayouts() {
    assertEquals(Tier.HOST.code(), ShuffleUse.HOST);
    assertEquals(Tier.DISK.code(), ShuffleUse.DISK);
    assertEquals(Tier.values().length, ShuffleUse.TIERS);
  }

  @Test
  void storesAReplayedLogInTheHistoryServer() throws Exception {
    ElementTrackingStore store =
        new ElementTrackingStore(new InMemoryStore(), new SparkConf(false));
    List<?> listeners =
        CollectionConverters.asJava(
            new HistoryPlugin().createListeners(new SparkConf(false), store));
    UiListener listener = assertInstanceOf(UiListener.class, listeners.getFirst());
    listener.onOtherEvent(joined("3", 0));
    listener.onOtherEvent(new UsageEvent(report("3", 2000, use(1, 5, 6))));
    listener.onOtherEvent(new StageEvent(5, 1, 7));
    listener.onOtherEvent(new StageEvent(6, 1, 8));
    store.close(false);
    Snapshot stored = StoredState.read(store).orElseThrow();
    assertEquals(1, stored.shuffles().getFirst().shuffleId());
    assertEquals("stage 6", stored.shuffles().getFirst().stage());
    assertEquals(15, stored.shuffles().getFirst().writeNanos());
    assertEquals(HEAP, stored.pes().getFirst().heap());
  }

  @Test
  void showsNoTabForAnApplicationWithoutSymShuffle() throws Exception {
    ElementTrackingStore store =
        new ElementTrackingStore(new InMemoryStore(), new SparkConf(false));
    var unused = new HistoryPlugin().createListeners(new SparkConf(false), store);
    store.close(false);
    assertTrue(StoredState.read(store).isEmpty());
  }
}
