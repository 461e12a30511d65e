// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.task.TaskEnd;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;

/** Reads records in the HOST and DISK tiers. Map outputs are looked up when they are read. */
final class HostReads implements RowReads {
  private final ReadTask task;
  private final List<LocalSource> sources = new ArrayList<>();

  HostReads(ReadTask task) {
    this.task = task;
  }

  @Override
  public boolean tryAdd(List<LocalSource> ofOwner) {
    sources.addAll(ofOwner);
    return true;
  }

  @Override
  public List<BlockCursor> open(TaskContext context) {
    if (sources.isEmpty()) {
      return List.of();
    }
    HostCursor cursor = new HostCursor(task, sources);
    TaskEnd.listen(context, cursor::close);
    return List.of(cursor);
  }
}
