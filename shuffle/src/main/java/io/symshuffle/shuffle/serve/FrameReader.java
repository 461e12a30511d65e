// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.fault.FaultKind;
import io.symshuffle.shuffle.fault.FaultPoint;
import io.symshuffle.shuffle.fault.Faults;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The bytes of frames of records. */
final class FrameReader extends FramesReader<Frame> {
  private static final long MOST_PIECE_BYTES = 1 << 20;

  private final Faults faults = Faults.current();

  FrameReader(List<Frame> frames, Path file, Optional<DeviceTier> device) {
    super(frames, file, device, MOST_PIECE_BYTES);
  }

  @Override
  long bytes(Frame of) {
    return of.bytes();
  }

  @Override
  ByteBuffer head(Frame of, int following) {
    return of.header(following);
  }

  @Override
  ByteBuffer data(Frame of, long offset, int count) throws IOException {
    FaultKind fault = faults == null ? null : faults.strike(FaultPoint.SERVE);
    ByteBuffer intact = intact(of, offset, count);
    if (fault == FaultKind.TRUNCATE) {
      throw new IOException("broken off on purpose");
    }
    if (fault == null) {
      return intact;
    }
    ByteBuffer damaged = ByteBuffer.allocate(count).put(intact).flip();
    faults.damage(MemorySegment.ofBuffer(damaged), fault);
    return damaged;
  }

  private ByteBuffer intact(Frame of, long offset, int count) throws IOException {
    if (of.memory().isPresent()) {
      return of.memory().get().asSlice(offset, count).asByteBuffer();
    }
    long place = of.position() + offset;
    return of.tier() == Tier.DEVICE ? fromDevice(place, count) : fromDisk(place, count);
  }
}
