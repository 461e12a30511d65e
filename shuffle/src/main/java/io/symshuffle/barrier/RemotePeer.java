// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.network.BlockTransferService;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.storage.StorageLevel;
import scala.concurrent.ExecutionContext;
import scala.reflect.ClassTag$;

/**
 * A PE on another host, which is reached through Spark's block transfer, one slice after the other.
 * A {@link MemoryServer} in its executor answers.
 */
final class RemotePeer implements Peer {
  private final Address address;
  private final TaskContext task;
  private final Duration limit;
  private ControlBlock control = ControlBlock.empty();
  private boolean lost;

  RemotePeer(Address address, TaskContext task, Duration limit) {
    this.address = address;
    this.task = task;
    this.limit = limit;
  }

  @Override
  public ControlBlock control() {
    return control;
  }

  @Override
  public void look() {
    try {
      ControlBlock next = ControlBlock.empty();
      next.memory().copyFrom(fetch(0, ControlBlock.BYTES));
      control = next;
      lost = false;
    } catch (IOException e) {
      lost = true;
    }
  }

  @Override
  public boolean isCurrent() {
    return control.generation() == address.generation();
  }

  @Override
  public boolean hasEnded() {
    return lost || control.isClosed();
  }

  @Override
  public boolean hasClosed() {
    return control.isClosed();
  }

  /** Through its executor only, which checks whether the memory is there. */
  @Override
  public boolean mayAccess() {
    return false;
  }

  @Override
  public Optional<MemorySegment> view(Arena until) {
    return Optional.empty();
  }

  @Override
  public void read(long offset, MemorySegment to) {
    for (long done = 0; done < to.byteSize(); done += MemoryServer.SLICE_BYTES) {
      MemorySegment slice =
          to.asSlice(done, Math.min(MemoryServer.SLICE_BYTES, to.byteSize() - done));
      try {
        slice.copyFrom(fetch(ControlBlock.BYTES + offset + done, slice.byteSize()));
      } catch (IOException e) {
        throw failed("read", offset, to.byteSize(), e);
      }
    }
  }

  @Override
  public void write(long offset, MemorySegment from) {
    for (long done = 0; done < from.byteSize(); done += MemoryServer.SLICE_BYTES) {
      MemorySegment slice =
          from.asSlice(done, Math.min(MemoryServer.SLICE_BYTES, from.byteSize() - done));
      try {
        upload(MemoryServer.slice(offset + done, slice));
      } catch (IOException e) {
        throw failed("write", offset, from.byteSize(), e);
      }
    }
  }

  @Override
  public int goodBytes() {
    return MemoryServer.SLICE_BYTES;
  }

  private MemorySegment fetch(long from, long bytes) throws IOException {
    CompletableFuture<byte[]> arrived = new CompletableFuture<>();
    transfer()
        .fetchBlocks(
            address.host(),
            address.port(),
            address.executorId(),
            new String[] {MemoryServer.blockId(address.generation(), from, bytes).name()},
            new BlockFetchingListener() {
              @Override
              public void onBlockFetchSuccess(String id, ManagedBuffer data) {
                try {
                  byte[] copy = new byte[(int) data.size()];
                  data.nioByteBuffer().get(copy);
                  arrived.complete(copy);
                } catch (IOException e) {
                  arrived.completeExceptionally(e);
                }
              }

              @Override
              public void onBlockFetchFailure(String id, Throwable failure) {
                arrived.completeExceptionally(failure);
              }
            },
            null);
    return MemorySegment.ofArray(await(arrived)).asSlice(from % MemoryServer.UNIT_BYTES, bytes);
  }

  private void upload(ByteBuffer slice) throws IOException {
    CompletableFuture<Boolean> stored = new CompletableFuture<>();
    transfer()
        .uploadBlock(
            address.host(),
            address.port(),
            address.executorId(),
            MemoryServer.blockId(address.generation(), 0, 0),
            new NioManagedBuffer(slice),
            StorageLevel.MEMORY_ONLY(),
            ClassTag$.MODULE$.apply(Object.class))
        .onComplete(
            result ->
                result.isSuccess()
                    ? stored.complete(true)
                    : stored.completeExceptionally(result.failed().get()),
            ExecutionContext.parasitic$.MODULE$);
    boolean unused = await(stored);
  }

  private static BlockTransferService transfer() {
    return SparkEnv.get().blockManager().blockTransferService();
  }

  private <T> T await(CompletableFuture<T> answer) throws IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      try {
        return answer.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        task.killTaskIfInterrupted();
        if (System.nanoTime() - deadline >= 0) {
          throw new IOException("no answer within %d s".formatted(limit.toSeconds()), e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        task.killTaskIfInterrupted();
        throw new IOException("the thread was interrupted", e);
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      }
    }
  }

  private SymmetricMemoryException failed(String what, long offset, long bytes, IOException e) {
    return new SymmetricMemoryException(
        "cannot %s %d bytes at offset %d of %s through Spark's block transfer: %s"
            .formatted(what, bytes, offset, address, e.getMessage()),
        e);
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
