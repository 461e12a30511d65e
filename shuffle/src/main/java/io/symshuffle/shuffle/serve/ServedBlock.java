// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RunView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The blocks of a range of partitions of one map output, as Spark's block transfer sends them; see
 * {@link LeasedBuffer}.
 */
public final class ServedBlock extends LeasedBuffer {
  private final List<Frame> frames;
  private final MapOutput output;
  private final Optional<DeviceTier> device;
  private final long bytes;

  /**
   * Plans the frames.
   *
   * @param device the own part in the device heap, where there is one
   * @param claim makes sure of the map output when the first byte is wanted
   */
  public ServedBlock(
      MapOutput output,
      Optional<DeviceTier> device,
      int startPartition,
      int endPartition,
      Claim claim,
      ShuffleStats stats) {
    super(claim, stats);
    this.device = requireNonNull(device, "device is null");
    this.output = requireNonNull(output, "output is null");
    this.frames = frames(output, startPartition, endPartition);
    this.bytes = frames.stream().mapToLong(Frame::wireBytes).sum();
  }

  private static List<Frame> frames(MapOutput output, int startPartition, int endPartition) {
    List<Frame> frames = new ArrayList<>();
    for (int r = 0; r < output.index().runs(); r++) {
      RunView run = output.index().run(r);
      int end = run.firstBlock(endPartition);
      for (int block = run.firstBlock(startPartition); block < end; block++) {
        long start = run.start(block);
        long size = run.size(block);
        Optional<MemorySegment> memory =
            run.tier() == Tier.HOST
                ? Optional.of(output.hostRun(run).asSlice(start, size))
                : Optional.empty();
        frames.add(
            new Frame(
                run.partition(block),
                size,
                run.checksum(block),
                run.tier(),
                memory,
                run.place() + start));
      }
    }
    return List.copyOf(frames);
  }

  @Override
  public long size() {
    return bytes;
  }

  @Override
  PieceReader open() {
    return new FrameReader(frames, output.file(), device);
  }
}
