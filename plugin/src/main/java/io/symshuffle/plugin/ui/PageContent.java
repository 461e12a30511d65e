// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.TreeMap;

/** The page below Spark's header: plain HTML without scripts or external resources. */
final class PageContent {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  private static final String PE =
      "The number of the executor among those that take part (processing elements)";

  private static final String RUNS =
      "What a map task sorts by partition and writes at a time. Fewer, larger runs are better";

  private static final String HOST =
      "Tier HOST: the heap in shared memory, which all executors of the host can read";

  private static final String DEVICE =
      "Tier DEVICE: the heap in the memory of the GPU, which other GPUs of the host can read";

  private static final String DISK =
      "Tier DISK: files in Spark's local folders, for what did not fit into the heap";

  private static final String KEPT =
      "Returned when the heap has been idle for 5 minutes, all but 256 MiB";

  private static final class Style {
    static final String CSS = read();

    private static String read() {
      try (InputStream css = PageContent.class.getResourceAsStream("page.css")) {
        return new String(
            requireNonNull(css, "page.css is missing").readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final Snapshot snapshot;

  PageContent(Snapshot snapshot) {
    this.snapshot = snapshot;
  }

  String html() {
    return "<style>"
        + Style.CSS
        + "</style><div class=\"sym\" id=\"symshuffle\">"
        + figures()
        + section("Bytes in memory and on disk over time", new HeapChart(snapshot.heap()).html())
        + section("Executors", pes())
        + section("Shuffles", shuffles())
        + section("Shuffles that use Spark's sort shuffle", delegated())
        + section("Faults", faults())
        + "</div>";
  }

  private static String section(String title, String content) {
    return "<section><h4>" + title + "</h4>" + content + "</section>";
  }

  private String figures() {
    long alive = snapshot.pes().stream().filter(p -> p.state().equals(PeEvent.JOINED)).count();
    Snapshot.Totals all = snapshot.totals();
    long delegated = snapshot.delegated().values().stream().mapToLong(Long::longValue).sum();
    return "<div class=\"sym-figures\">"
        + figure(
            alive + " of " + all.pes(),
            "executors alive",
            "Executors that take part in the shuffle. Each is a PE (processing element) with its"
                + " own heap.")
        + figure(
            Html.bytes(all.writtenBytes()),
            "written by map tasks",
            "Rows as Spark keeps them in memory, not serialized and not compressed.")
        + figure(
            Html.percent(all.inPlaceBytes(), all.inPlaceBytes() + all.transferBytes()),
            "of what was read, read in place",
            "Reduce tasks read it where map tasks had written it: in the memory of their host, or"
                + " on its disk. The rest came from other hosts through Spark's block transfer.")
        + figure(
            Html.percent(all.diskBytes(), all.writtenBytes()),
            "of what was written went to disk",
            Html.bytes(all.diskBytes())
                + " did not fit into the heaps. A larger spark.symshuffle.heap.size keeps it in"
                + " memory.")
        + figure(
            Html.count(delegated),
            "shuffles left to Spark",
            "These use Spark's sort shuffle, for the reasons below.")
        + figure(
            Html.count(all.faults()),
            "blocks could not be read",
            "Spark has computed them again. The reasons are below, under Faults.")
        + "</div>";
  }

  private static String figure(String value, String label, String explanation) {
    return "<div title=\"%s\"><b>%s</b><span>%s</span></div>"
        .formatted(Html.escape(explanation), value, label);
  }

  private String pes() {
    if (snapshot.pes().isEmpty()) {
      return "<p class=\"sym-empty\">No executor has joined yet.</p>";
    }
    boolean gpus = snapshot.pes().stream().anyMatch(pe -> !pe.gpu().isEmpty());
    Table table = new Table();
    for (Snapshot.Pe pe : snapshot.pes()) {
      HeapUse heap = pe.heap();
      boolean lost = pe.state().equals(PeEvent.LOST);
      table
          .cell("executor", "Spark's number of the executor", Html.escape(pe.executorId()))
          .cell("PE", PE, pe.pe() < 0 ? "–" : Integer.toString(pe.pe()))
          .cell("host", Html.escape(pe.host()))
          .cell("state", lost ? "lost" : "joined")
          .cell(
              "host heap",
              HOST,
              bar(heap.usedBytes(), heap.capacityBytes()) + (lost ? "" : kept(heap)))
          .cell("folder", "The folder of the host heap", Html.escape(pe.heapFolder()))
          .cell(gpus, "GPU", "The GPU, and the use of its device heap", gpu(pe))
          .cell("served", "Bytes that it sent to other hosts", Html.bytes(heap.servedBytes()))
          .cell("note", Html.escape(pe.note()))
          .endRow(lost ? "sym-lost" : "");
    }
    long earlier = snapshot.totals().pes() - snapshot.pes().size();
    return table.html()
        + (earlier > 0
            ? "<p class=\"sym-empty\">%d more executors were lost earlier.</p>".formatted(earlier)
            : "");
  }

  private static String gpu(Snapshot.Pe pe) {
    return pe.gpu().isEmpty()
        ? "none"
        : Html.escape(pe.gpu())
            + "<br>"
            + links(pe.linkBytesPerSecond())
            + bar(pe.heap().deviceUsedBytes(), pe.heap().deviceCapacityBytes());
  }

  private static String links(long bytesPerSecond) {
    return "<small>NVLink "
        + (bytesPerSecond > 0 ? Html.rate(bytesPerSecond, 1) : "of unknown rate")
        + "</small>";
  }

  private static String bar(long used, long capacity) {
    double share = capacity == 0 ? 0 : Math.min(1.0, (double) used / capacity);
    return "<span class=\"sym-bar\"><i style=\"width:%d%%\"></i></span><small>%s of %s</small>"
        .formatted(Math.round(100 * share), Html.bytes(used), Html.bytes(capacity));
  }

  /** Freed memory that the heap still has. */
  private static String kept(HeapUse heap) {
    long bytes = heap.backedBytes() - heap.usedBytes();
    return bytes > 0
        ? "<br><small title=\"%s\">%s more, free, kept for reuse</small>"
            .formatted(KEPT, Html.bytes(bytes))
        : "";
  }

  private String shuffles() {
    if (snapshot.shuffles().isEmpty()) {
      return "<p class=\"sym-empty\">No shuffle has been written yet.</p>";
    }
    boolean gpus = snapshot.shuffles().stream().anyMatch(shuffle -> deviceBytes(shuffle) > 0);
    Table table = new Table();
    for (Snapshot.Shuffle shuffle : snapshot.shuffles()) {
      long written = ShuffleUse.sum(shuffle.bytes());
      long read = shuffle.inPlaceBytes() + shuffle.transferBytes();
      table
          .cell("shuffle", "Spark's number of the shuffle", Integer.toString(shuffle.shuffleId()))
          .cell("written by", Html.escape(shuffle.stage()))
          .cell("map outputs", "What one map task wrote", Html.count(shuffle.mapOutputs()))
          .cell("runs", RUNS, Html.count(shuffle.runs()))
          .cell("in memory", HOST, Html.bytes(bytes(shuffle, ShuffleUse.HOST)))
          .cell(gpus, "on GPUs", DEVICE, Html.bytes(deviceBytes(shuffle)))
          .cell("on disk", DISK, Html.bytes(bytes(shuffle, ShuffleUse.DISK)))
          .cell(
              "write rate per core",
              "Bytes, by the time that tasks spent on writing",
              Html.rate(written, shuffle.writeNanos() / 1e9))
          .cell(
              "read in place",
              "Read where they were written, without a copy to another host",
              Html.bytes(shuffle.inPlaceBytes()))
          .cell(
              "by transfer",
              "Read from other hosts through Spark's block transfer",
              Html.bytes(shuffle.transferBytes()))
          .cell(
              "in place",
              "The share that was read in place",
              Html.percent(shuffle.inPlaceBytes(), read))
          .endRow("");
    }
    return table.html();
  }

  private static long deviceBytes(Snapshot.Shuffle shuffle) {
    return ShuffleUse.sum(shuffle.bytes())
        - bytes(shuffle, ShuffleUse.HOST)
        - bytes(shuffle, ShuffleUse.DISK);
  }

  private static long bytes(Snapshot.Shuffle shuffle, int tier) {
    return tier < shuffle.bytes().size() ? shuffle.bytes().get(tier) : 0;
  }

  private String delegated() {
    if (snapshot.delegated().isEmpty()) {
      return "<p class=\"sym-empty\">None.</p>";
    }
    Table table = new Table();
    new TreeMap<>(snapshot.delegated())
        .forEach(
            (reason, count) ->
                table
                    .cell("shuffles", Html.count(count))
                    .cell("reason", Html.escape(reason))
                    .endRow(""));
    return table.html();
  }

  private String faults() {
    if (snapshot.faults().isEmpty()) {
      return "<p class=\"sym-empty\">No failed reads.</p>";
    }
    Table table = new Table();
    for (Snapshot.Fault fault : snapshot.faults()) {
      table
          .cell("time", TIME.format(Instant.ofEpochMilli(fault.time())))
          .cell("shuffle", Integer.toString(fault.shuffleId()))
          .cell("executor", Html.escape(fault.executorId()))
          .cell("problem", Html.escape(fault.message()))
          .endRow("");
    }
    return table.html();
  }
}
