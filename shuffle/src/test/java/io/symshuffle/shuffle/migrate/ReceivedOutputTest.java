// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.SmallDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerManager;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;

class ReceivedOutputTest {
  private static final int PAGE = 4096;

  /** Of the file; the last of them does not fit. */
  private static final int PIECES = 2;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void failsWhenTheDiskIsFullAtAnyByte(boolean encrypted) throws IOException {
    SparkConf conf = new SparkConf(false);
    SerializerManager serializers =
        new SerializerManager(
            new JavaSerializer(conf), conf, Option.apply(encrypted ? new byte[16] : null));
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("small"), 2 * PAGE)) {
      Path file = disk.folder().resolve("received");
      for (int bytes = PAGE + 1; bytes <= 2 * PAGE; bytes += 13) {
        int piece = bytes;
        ReceivedOutput output =
            new ReceivedOutput(
                "received",
                new MapOutputId(1, 2),
                3,
                null, // a runtime is needed when all bytes have arrived
                file,
                serializers,
                () -> {
                  throw new AssertionError("not all bytes are in the file");
                });
        assertThrows(
            IOException.class,
            () -> {
              for (int i = 0; i < PIECES; i++) {
                output.onData("received", ByteBuffer.allocate(piece));
              }
              output.onComplete("received");
            });
        output.onFailure("received", new IOException("the disk is full"));
        assertFalse(Files.exists(file));
      }
      assertEquals(0, disk.folder().toFile().list().length);
    }
  }
}
