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
import java.util.List;
import java.util.TreeMap;

/** The page below Spark's header: plain HTML without scripts or external resources. */
final class PageContent {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

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
    this.snapshot = requireNonNull(snapshot, "snapshot is null");
  }

  String html() {
    return "<style>"
        + Style.CSS
        + "</style><div class=\"sym\" id=\"symshuffle\">"
        + figures()
        + section("Bytes by tier over time", new HeapChart(snapshot.heap()).html())
        + section("PEs", pes())
        + section("Shuffles", shuffles())
        + section("Reads between PEs", new HeatMap(snapshot).html())
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
        + figure(alive + " of " + all.pes(), "PEs alive")
        + figure(Html.bytes(all.writtenBytes()), "written by shuffles")
        + figure(
            Html.percent(all.inPlaceBytes(), all.inPlaceBytes() + all.transferBytes()),
            "of bytes read in place")
        + figure(Html.bytes(all.diskBytes()), "of this on DISK")
        + figure(Html.count(delegated), "shuffles by Spark")
        + figure(Html.count(all.faults()), "failed block reads")
        + "</div>";
  }

  private static String figure(String value, String label) {
    return "<div><b>" + value + "</b><span>" + label + "</span></div>";
  }

  private String pes() {
    if (snapshot.pes().isEmpty()) {
      return "<p class=\"sym-empty\">No executor has joined yet.</p>";
    }
    StringBuilder rows = new StringBuilder();
    for (Snapshot.Pe pe : snapshot.pes()) {
      HeapUse heap = pe.heap();
      boolean lost = pe.state().equals(PeEvent.LOST);
      rows.append(
          row(
              lost ? "sym-lost" : "",
              cell("PE", pe.pe() < 0 ? "–" : Integer.toString(pe.pe())),
              cell("executor", Html.escape(pe.executorId())),
              cell("host", Html.escape(pe.host())),
              cell("state", lost ? "lost" : "joined"),
              cell("host heap", bar(heap.usedBytes(), heap.capacityBytes())),
              cell("folder", Html.escape(pe.heapFolder())),
              cell(
                  "GPU",
                  pe.gpu().isEmpty()
                      ? "none (host heap)"
                      : Html.escape(pe.gpu())
                          + "<br>"
                          + links(pe.linkBytesPerSecond())
                          + bar(heap.deviceUsedBytes(), heap.deviceCapacityBytes())),
              cell("served", Html.bytes(heap.servedBytes())),
              cell("note", Html.escape(pe.note()))));
    }
    long earlier = snapshot.totals().pes() - snapshot.pes().size();
    return table(
            List.of(
                "PE", "executor", "host", "state", "host heap", "folder", "GPU", "served", "note"),
            rows)
        + (earlier > 0
            ? "<p class=\"sym-empty\">%d more PEs were lost earlier.</p>".formatted(earlier)
            : "");
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

  private String shuffles() {
    if (snapshot.shuffles().isEmpty()) {
      return "<p class=\"sym-empty\">No shuffle has been written yet.</p>";
    }
    StringBuilder rows = new StringBuilder();
    for (Snapshot.Shuffle shuffle : snapshot.shuffles()) {
      long written = ShuffleUse.sum(shuffle.bytes());
      long read = shuffle.inPlaceBytes() + shuffle.transferBytes();
      rows.append(
          row(
              "",
              cell("shuffle", Integer.toString(shuffle.shuffleId())),
              cell("written by", Html.escape(shuffle.stage())),
              cell("map outputs", Html.count(shuffle.mapOutputs())),
              cell("runs", Html.count(shuffle.runs())),
              cell("HOST", Html.bytes(bytes(shuffle, ShuffleUse.HOST))),
              cell("DISK", Html.bytes(bytes(shuffle, ShuffleUse.DISK))),
              cell(
                  "DEVICE",
                  Html.bytes(
                      written - bytes(shuffle, ShuffleUse.HOST) - bytes(shuffle, ShuffleUse.DISK))),
              cell("write rate per core", Html.rate(written, shuffle.writeNanos() / 1e9)),
              cell("read in place", Html.bytes(shuffle.inPlaceBytes())),
              cell("by transfer", Html.bytes(shuffle.transferBytes())),
              cell("in place", Html.percent(shuffle.inPlaceBytes(), read))));
    }
    return table(
        List.of(
            "shuffle",
            "written by",
            "map outputs",
            "runs",
            "HOST",
            "DISK",
            "DEVICE",
            "write rate per core",
            "read in place",
            "by transfer",
            "in place"),
        rows);
  }

  private static long bytes(Snapshot.Shuffle shuffle, int tier) {
    return tier < shuffle.bytes().size() ? shuffle.bytes().get(tier) : 0;
  }

  private String delegated() {
    if (snapshot.delegated().isEmpty()) {
      return "<p class=\"sym-empty\">None.</p>";
    }
    StringBuilder rows = new StringBuilder();
    new TreeMap<>(snapshot.delegated())
        .forEach(
            (reason, count) ->
                rows.append(
                    row(
                        "",
                        cell("shuffles", Html.count(count)),
                        cell("reason", Html.escape(reason)))));
    return table(List.of("shuffles", "reason"), rows);
  }

  private String faults() {
    if (snapshot.faults().isEmpty()) {
      return "<p class=\"sym-empty\">No failed reads.</p>";
    }
    StringBuilder rows = new StringBuilder();
    for (Snapshot.Fault fault : snapshot.faults()) {
      rows.append(
          row(
              "",
              cell("time", TIME.format(Instant.ofEpochMilli(fault.time()))),
              cell("shuffle", Integer.toString(fault.shuffleId())),
              cell("executor", Html.escape(fault.executorId())),
              cell("problem", Html.escape(fault.message()))));
    }
    return table(List.of("time", "shuffle", "executor", "problem"), rows);
  }

  private static String table(List<String> heads, StringBuilder rows) {
    StringBuilder table =
        new StringBuilder("<div class=\"sym-scroll\"><table class=\"sym-table\"><thead><tr>");
    heads.forEach(head -> table.append("<th>").append(head).append("</th>"));
    return table + "</tr></thead><tbody>" + rows + "</tbody></table></div>";
  }

  private static String row(String css, String... cells) {
    return "<tr"
        + (css.isEmpty() ? "" : " class=\"" + css + "\"")
        + ">"
        + String.join("", cells)
        + "</tr>";
  }

  /** On a phone each cell is a separate line with its name. */
  private static String cell(String head, String content) {
    return "<td data-head=\"" + head + "\">" + content + "</td>";
  }
}
