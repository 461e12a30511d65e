// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.shuffle.output.OutputLookup;
import io.symshuffle.shuffle.read.HostCursor;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.read.MapSource;
import io.symshuffle.shuffle.read.ReadRequest;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.util.List;
import java.util.Optional;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/** Reads blocks on the same host, as a reduce task does. */
final class BlockReader {
  private final OutputLookup outputs;
  private final int shuffleId;
  private final boolean verify;
  private final List<LocalSource> sources;
  private final ShuffleStats stats = new ShuffleStats();
  private final TempShuffleReadMetrics metrics = new TempShuffleReadMetrics();

  BlockReader(OutputLookup outputs, int shuffleId, long mapId, int pe, boolean verify) {
    this.outputs = outputs;
    this.shuffleId = shuffleId;
    this.verify = verify;
    BlockManagerId address = BlockManagerId.apply("1", "localhost", 7337, Option.empty());
    this.sources = List.of(new LocalSource(new MapSource(address, mapId, 0), pe));
  }

  /** Finds and checks the blocks of a partition and returns their bytes. */
  long fetch(int partition) {
    HostCursor cursor = cursor(partition);
    long bytes = 0;
    while (cursor.advance()) {
      bytes += cursor.limit() - cursor.position();
    }
    return bytes;
  }

  private HostCursor cursor(int partition) {
    ReadRequest request =
        new ReadRequest(shuffleId, 0, Integer.MAX_VALUE, partition, partition + 1);
    return new HostCursor(
        ReadTask.of(
            request, outputs, verify, metrics, stats, PeerPages.unlimited(), Optional.empty()),
        sources);
  }
}
