// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.output.TableIndex;
import io.symshuffle.shuffle.output.TableOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The packed tables of a range of partitions of one map output, as Spark's block transfer sends
 * them; see {@link LeasedBuffer}.
 */
public final class ServedTables extends LeasedBuffer {
  private final TableOutput output;
  private final Optional<DeviceTier> device;
  private final List<TableFrame> frames;
  private final long bytes;

  /**
   * Plans the frames.
   *
   * @param device the own part in the device heap, where there is one
   * @param claim makes sure of the map output when the first byte is wanted
   */
  public ServedTables(
      TableOutput output,
      Optional<DeviceTier> device,
      int startPartition,
      int endPartition,
      Claim claim,
      ShuffleStats stats) {
    super(claim, stats);
    this.output = requireNonNull(output, "output is null");
    this.device = requireNonNull(device, "device is null");
    this.frames = frames(output.index(), startPartition, endPartition);
    this.bytes = frames.stream().mapToLong(TableFrame::wireBytes).sum();
  }

  private static List<TableFrame> frames(TableIndex index, int startPartition, int endPartition) {
    List<TableFrame> frames = new ArrayList<>();
    int end = index.first(endPartition);
    for (int table = index.first(startPartition); table < end; table++) {
      frames.add(new TableFrame(index.table(table)));
    }
    return List.copyOf(frames);
  }

  @Override
  public long size() {
    return bytes;
  }

  @Override
  PieceReader open() {
    return new TableFrameReader(frames, output, device);
  }
}
