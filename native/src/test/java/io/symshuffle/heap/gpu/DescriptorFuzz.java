// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.heap.gpu.DescriptorMessage.ChunkId;
import io.symshuffle.heap.gpu.DescriptorMessage.Reply;
import io.symshuffle.heap.gpu.DescriptorMessage.Request;
import java.util.Arrays;
import java.util.List;

/** A fuzz target: the messages with which PEs pass on descriptors of GPU memory. */
public final class DescriptorFuzz {
  private DescriptorFuzz() {}

  /** Called by the fuzzer: any bytes are refused, or are exactly what the message would write. */
  public static void fuzzerTestOneInput(byte[] input) {
    Request.read(input).ifPresent(request -> check(input, request.toBytes(), request.id()));
    Reply.read(input).ifPresent(reply -> check(input, reply.toBytes(), reply.id()));
  }

  private static void check(byte[] input, byte[] written, ChunkId id) {
    if (!Arrays.equals(input, written)) {
      throw new AssertionError("read something else than what was written");
    }
    if (id.pe() < 0 || id.chunk() < 0 || id.number() == 0) {
      throw new AssertionError("an invalid id: " + id);
    }
  }

  /** A request and both replies. */
  public static List<byte[]> seeds() {
    ChunkId id = new ChunkId(3, 2, 77);
    return List.of(
        new Request(CudaHeapMaker.TOKEN, id).toBytes(),
        new Reply(true, id).toBytes(),
        new Reply(false, id).toBytes());
  }
}
