// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import io.symshuffle.shuffle.output.MapOutputs;
import java.util.List;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.unsafe.Platform;
import scala.Option;

/** Opens the reading of blocks on the same host to benchmarks, which live in another package. */
public final class BlockReadProbe {
  private final MapOutputs outputs;
  private final int shuffleId;
  private final boolean verify;
  private final List<HostCursor.LocalSource> sources;
  private final ShuffleStats stats = new ShuffleStats();
  private final TempShuffleReadMetrics metrics = new TempShuffleReadMetrics();

  /** Reads one map output of one PE. */
  public BlockReadProbe(MapOutputs outputs, int shuffleId, long mapId, int pe, boolean verify) {
    this.outputs = outputs;
    this.shuffleId = shuffleId;
    this.verify = verify;
    BlockManagerId address = BlockManagerId.apply("1", "localhost", 7337, Option.empty());
    this.sources = List.of(new HostCursor.LocalSource(new MapSource(address, mapId, 0), pe));
  }

  /** Finds and checks the blocks of a partition and returns their bytes. */
  public long fetch(int partition) {
    HostCursor cursor = cursor(partition);
    long bytes = 0;
    while (cursor.advance()) {
      bytes += cursor.limit - cursor.position;
    }
    return bytes;
  }

  /** The same, and goes over the records; returns the sum of their lengths. */
  public long walk(int partition) {
    HostCursor cursor = cursor(partition);
    long bytes = 0;
    while (cursor.advance()) {
      for (long at = cursor.position; at < cursor.limit; ) {
        int length = Platform.getInt(cursor.object, at + RecordDescriptor.LENGTH_OFFSET);
        bytes += length;
        at += RecordDescriptor.sizeOf(length);
      }
    }
    return bytes;
  }

  private HostCursor cursor(int partition) {
    return new HostCursor(
        outputs,
        sources,
        shuffleId,
        partition,
        partition + 1,
        verify,
        metrics,
        stats,
        new FetchFailures(shuffleId, partition, stats));
  }
}
