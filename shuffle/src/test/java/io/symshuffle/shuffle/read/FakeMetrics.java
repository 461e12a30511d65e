// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import org.apache.spark.shuffle.ShuffleReadMetricsReporter;

/** Counts what a reader reports; rejects metrics that SymShuffle's readers never report. */
public class FakeMetrics implements ShuffleReadMetricsReporter {
  /** Blocks read on this host. */
  public long localBlocks;

  /** Their bytes. */
  public long localBytes;

  /** Blocks fetched beyond those that Spark's fetcher counts. */
  public long remoteBlocks;

  /** Records. */
  public long records;

  @Override
  public void incLocalBlocksFetched(long blocks) {
    localBlocks += blocks;
  }

  @Override
  public void incLocalBytesRead(long bytes) {
    localBytes += bytes;
  }

  @Override
  public void incRecordsRead(long count) {
    records += count;
  }

  @Override
  public void incRemoteBlocksFetched(long blocks) {
    remoteBlocks += blocks;
  }

  @Override
  public void incRemoteBytesRead(long bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incRemoteBytesReadToDisk(long bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incFetchWaitTime(long millis) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incCorruptMergedBlockChunks(long chunks) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incMergedFetchFallbackCount(long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incRemoteMergedBlocksFetched(long blocks) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incLocalMergedBlocksFetched(long blocks) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incRemoteMergedChunksFetched(long chunks) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incLocalMergedChunksFetched(long chunks) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incRemoteMergedBytesRead(long bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incLocalMergedBytesRead(long bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incRemoteReqsDuration(long millis) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void incRemoteMergedReqsDuration(long millis) {
    throw new UnsupportedOperationException();
  }
}
