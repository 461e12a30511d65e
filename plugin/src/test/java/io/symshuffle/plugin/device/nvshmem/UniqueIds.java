// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import io.symshuffle.nvshmem.UniqueId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** Unique ids for tests that start nothing. */
public final class UniqueIds {
  /** Part of each of them. */
  public static final String SECRET = "a secret";

  private static final int VERSION_WORD = 65664;
  private static final AtomicInteger COUNT = new AtomicInteger();

  private UniqueIds() {}

  /** An id that no other call returns. */
  public static UniqueId next() {
    ByteBuffer bytes = ByteBuffer.allocate(UniqueId.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(VERSION_WORD).putInt(COUNT.incrementAndGet());
    bytes.put(SECRET.getBytes(StandardCharsets.US_ASCII));
    return new UniqueId(bytes.array());
  }
}
