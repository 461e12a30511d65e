// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.migrate;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.PacketInputStream;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.serializer.SerializerManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A map output that arrives from an executor that is being decommissioned. Its bytes are kept in a
 * file until all have arrived, since they may be compressed and their number is not known before.
 * Then they are stored as a map output of this PE. Spark encrypts the file if it encrypts its own.
 * Used by one thread of Spark's block transfer.
 */
public final class ReceivedOutput implements StreamCallbackWithID {
  private static final Logger LOG = LoggerFactory.getLogger(ReceivedOutput.class);

  private final String name;
  private final MapOutputId id;
  private final int partitions;
  private final ShuffleRuntime runtime;
  private final Runnable onStored;
  private final Path file;
  private final SerializerManager serializers;
  private final WritableByteChannel channel;

  /**
   * @param file where to keep the bytes; it is deleted in the end
   * @param serializers Spark's encryption of files
   * @param onStored called when this executor has the map output
   * @throws IOException if the file cannot be created
   */
  public ReceivedOutput(
      String name,
      MapOutputId id,
      int partitions,
      ShuffleRuntime runtime,
      Path file,
      SerializerManager serializers,
      Runnable onStored)
      throws IOException {
    this.name = name;
    this.id = id;
    this.partitions = partitions;
    this.runtime = runtime;
    this.onStored = onStored;
    this.serializers = serializers;
    this.file = file;
    this.channel = Channels.newChannel(serializers.wrapForEncryption(Files.newOutputStream(file)));
  }

  @Override
  public String getID() {
    return name;
  }

  @Override
  public void onData(String streamId, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int unused = channel.write(bytes);
    }
  }

  @Override
  public void onComplete(String streamId) throws IOException {
    try {
      channel.close();
      if (runtime.store().hasEnded(id)) {
        LOG.debug("{} is not stored: its shuffle has ended", id);
        return;
      }
      if (!isThere()) {
        store();
      }
      onStored.run();
    } finally {
      Files.deleteIfExists(file);
    }
  }

  @Override
  public void onFailure(String streamId, Throwable cause) throws IOException {
    LOG.warn("{} did not arrive from a decommissioned executor: {}", id, cause.toString());
    try (channel) {
      Files.deleteIfExists(file);
    }
  }

  /** Whether an earlier attempt was stored, but Spark did not learn it. */
  private boolean isThere() throws IOException {
    Lease lease = runtime.leases().acquire(id.shuffleId());
    try (lease) {
      return runtime.store().isEmpty(id) || runtime.outputs().find(runtime.myPe(), id).isPresent();
    }
  }

  private void store() throws IOException {
    try (BlockDecompressor decompressor = new BlockDecompressor();
        InputStream in =
            new PacketInputStream(
                new BufferedInputStream(serializers.wrapForEncryption(Files.newInputStream(file))),
                decompressor)) {
      new ReceivedFrames(
              in, id, partitions, runtime.store(), runtime.config().checksum(), runtime.stats())
          .store();
    }
  }
}
