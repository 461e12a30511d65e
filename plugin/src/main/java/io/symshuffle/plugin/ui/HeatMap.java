// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** How much each PE has read from each other: one row per reader, one column per owner. */
final class HeatMap {
  /** A larger map would be unreadable. */
  private static final int MAX_PES = 64;

  private final Snapshot snapshot;

  HeatMap(Snapshot snapshot) {
    this.snapshot = requireNonNull(snapshot, "snapshot is null");
  }

  String html() {
    List<Snapshot.Flow> flows = snapshot.flows();
    if (flows.isEmpty()) {
      return "<p class=\"sym-empty\">No shuffle has been read yet.</p>";
    }
    TreeSet<Integer> pes = new TreeSet<>();
    Map<List<Integer>, Snapshot.Flow> byPair = new HashMap<>();
    long most = 1;
    for (Snapshot.Flow flow : flows) {
      pes.add(flow.reader());
      pes.add(flow.owner());
      byPair.put(List.of(flow.reader(), flow.owner()), flow);
      most = Math.max(most, flow.inPlaceBytes() + flow.transferBytes());
    }
    List<Integer> shown = shown(pes);
    StringBuilder table =
        new StringBuilder(
            "<div class=\"sym-scroll\"><table class=\"sym-heat\"><thead><tr><th>reads ↓ from"
                + " →</th>");
    shown.forEach(owner -> table.append("<th>PE ").append(owner).append("</th>"));
    table.append("</tr></thead><tbody>");
    for (int reader : shown) {
      table.append("<tr><th>PE ").append(reader).append("</th>");
      for (int owner : shown) {
        table.append(cell(byPair.get(List.of(reader, owner)), most));
      }
      table.append("</tr>");
    }
    table.append(
        "</tbody></table></div><p class=\"sym-empty\">Bytes, and their mean rate over the time in"
            + " which stages read shuffles. Blue was read in place, orange came from another"
            + " host.</p>");
    if (pes.size() > shown.size()) {
      table.append(
          "<p class=\"sym-empty\">%d of %d PEs: those that are alive and have the highest numbers.</p>"
              .formatted(shown.size(), pes.size()));
    }
    return table.toString();
  }

  /** The PEs that are alive first, then the latest ones, in the order of their numbers. */
  private List<Integer> shown(Set<Integer> pes) {
    Set<Integer> alive =
        snapshot.pes().stream()
            .filter(pe -> pe.state().equals(PeEvent.JOINED))
            .map(Snapshot.Pe::pe)
            .collect(Collectors.toSet());
    return pes.stream()
        .sorted(
            Comparator.comparing((Integer pe) -> !alive.contains(pe))
                .thenComparing(Comparator.reverseOrder()))
        .limit(MAX_PES)
        .sorted()
        .toList();
  }

  private String cell(Snapshot.Flow flow, long most) {
    if (flow == null) {
      return "<td>0</td>";
    }
    long bytes = flow.inPlaceBytes() + flow.transferBytes();
    double seconds = snapshot.readMillis() / 1000.0;
    String detail =
        "%s in place%s, %s by block transfer"
            .formatted(
                Html.bytes(flow.inPlaceBytes()),
                flow.pulledBytes() == 0
                    ? ""
                    : ", " + Html.bytes(flow.pulledBytes()) + " of it from GPU to GPU",
                Html.bytes(flow.transferBytes()));
    return "<td style=\"--share:%s\" title=\"%s\"%s>%s<br><small>%s%s</small></td>"
        .formatted(
            String.format(Locale.ROOT, "%.3f", (double) bytes / most),
            detail,
            flow.transferBytes() > flow.inPlaceBytes() ? " class=\"sym-transfer\"" : "",
            Html.bytes(bytes),
            Html.rate(bytes, seconds),
            ofLink(flow, seconds));
  }

  /** The used share of the link's bandwidth; empty if no GPU has read from the other. */
  private static String ofLink(Snapshot.Flow flow, double seconds) {
    if (flow.pulledBytes() == 0 || seconds <= 0) {
      return "";
    }
    if (flow.linkBytesPerSecond() == 0) {
      return "<br>NVLink of unknown rate";
    }
    double share = flow.pulledBytes() / seconds / flow.linkBytesPerSecond();
    return "<br>" + Html.smallPercent(share) + " of NVLink";
  }
}
