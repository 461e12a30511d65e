// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** The bytes of frames of tables. */
final class TableFrameReader extends FramesReader<TableFrame> {
  private static final long MOST_PIECE_BYTES = 4 << 20;

  private final TableOutput output;

  TableFrameReader(List<TableFrame> frames, TableOutput output, Optional<DeviceTier> device) {
    super(frames, output.file(), device, MOST_PIECE_BYTES);
    this.output = requireNonNull(output, "output is null");
  }

  @Override
  long bytes(TableFrame of) {
    return of.table().bytes();
  }

  @Override
  ByteBuffer head(TableFrame of, int following) {
    return of.head(following);
  }

  @Override
  ByteBuffer data(TableFrame of, long offset, int count) throws IOException {
    TableEntry table = of.table();
    long place = table.place() + offset;
    return switch (table.tier()) {
      case HOST -> output.hostData(table).asSlice(offset, count).asByteBuffer();
      case DEVICE -> fromDevice(place, count);
      case DISK -> fromDisk(place, count);
    };
  }
}
