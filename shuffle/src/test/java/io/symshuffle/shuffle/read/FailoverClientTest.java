// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.executor;
import static io.symshuffle.shuffle.read.Reading.only;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.Test;

/** Executors 0 and 1 answer for one host. */
class FailoverClientTest {
  private static final String OF_HOST =
      new ShuffleBlockBatchId(SHUFFLE, only(3).code(true, 1), 0, 1).name();
  private static final String OF_EXECUTOR =
      new ShuffleBlockBatchId(SHUFFLE, only(3).code(false, 1), 0, 1).name();
  private final IOException closed = new IOException("Connection closed");

  /** What executors answer: a buffer or a failure, by executor id. */
  private final Map<String, Object> answers = new HashMap<>();

  /** What executor 1 throws instead of an answer, if not null. */
  private Error refused;

  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final BlockingQueue<Object> results = new LinkedBlockingQueue<>();
  private final ManagedBuffer data = new NioManagedBuffer(ByteBuffer.allocate(8));

  private final BlockStoreClient network =
      new BlockStoreClient() {
        @Override
        public void fetchBlocks(
            String host,
            int port,
            String executorId,
            String[] blocks,
            BlockFetchingListener listener,
            DownloadFileManager files) {
          asked.add("%s of %s:%d".formatted(executorId, host, port));
          if (refused != null && executorId.equals("exec-1")) {
            throw refused;
          }
          for (String block : blocks) {
            Object answer = answers.get(executorId);
            if (answer instanceof ManagedBuffer buffer) {
              listener.onBlockFetchSuccess(block, buffer);
            } else {
              listener.onBlockFetchFailure(block, (Throwable) answer);
            }
          }
        }

        @Override
        public void close() {
          throw new AssertionError("closed");
        }
      };

  @Test
  void asksAnotherExecutorOfTheHostOnce() throws Exception {
    answers.put("exec-0", closed);
    answers.put("exec-1", data);
    assertSame(data, fetch(OF_HOST, id -> Optional.of(executor(1))));
    assertEquals(List.of("exec-0 of host-0:7000", "exec-1 of host-1:7001"), asked);
  }

  @Test
  void reportsTheFirstFailureIfTheOtherExecutorFailsToo() throws Exception {
    answers.put("exec-0", closed);
    answers.put("exec-1", new IOException("Connection refused"));
    assertSame(closed, fetch(OF_HOST, id -> Optional.of(executor(1))));
    assertEquals(2, asked.size());
  }

  @Test
  void reportsTheFailureIfNoOtherExecutorIsFound() throws Exception {
    answers.put("exec-0", closed);
    assertSame(closed, fetch(OF_HOST, id -> Optional.empty()));
    assertSame(
        closed,
        fetch(
            OF_HOST,
            id -> {
              throw new IllegalStateException("the driver does not answer");
            }));
    assertEquals(2, asked.size());
  }

  /** Spark's fetcher would wait for ever if it got neither data nor a failure. */
  @Test
  void reportsTheFailureWhateverKeepsItFromAskingAnotherExecutor() throws Exception {
    answers.put("exec-0", closed);
    for (Throwable thrown :
        List.of(
            new TimeoutException("the driver does not answer"),
            new NoClassDefFoundError("scala/util/Try"))) {
      assertSame(
          closed,
          fetch(
              OF_HOST,
              id -> {
                throw FailoverClientTest.<RuntimeException>unchecked(thrown);
              }));
    }
    refused = new NoClassDefFoundError("io/netty/channel/Channel");
    assertSame(closed, fetch(OF_HOST, id -> Optional.of(executor(1))));
  }

  @Test
  void reportsTheFailureIfNoThreadCanStart() throws Exception {
    answers.put("exec-0", closed);
    FailoverClient client =
        new FailoverClient(
            network,
            id -> Optional.of(executor(1)),
            action -> {
              throw new OutOfMemoryError("unable to create native thread");
            });
    assertSame(closed, fetch(OF_HOST, client));
  }

  /** Throws a checked exception as Scala does, which declares none. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> E unchecked(Throwable e) throws E {
    throw (E) e;
  }

  @Test
  void failuresThatAnotherExecutorCannotHelpArePassedOn() throws Exception {
    Function<String, Optional<BlockManagerId>> nobody =
        id -> {
          throw new AssertionError("asked for a substitute of " + id);
        };
    answers.put("exec-0", closed);
    assertSame(closed, fetch(OF_EXECUTOR, nobody));
    Error exhausted = new OutOfMemoryError("direct memory");
    answers.put("exec-0", exhausted);
    assertSame(exhausted, fetch(OF_HOST, nobody));
    answers.put("exec-0", data);
    assertSame(data, fetch(OF_HOST, nobody));
  }

  /** What the listener of one block gets. */
  private Object fetch(String block, Function<String, Optional<BlockManagerId>> substitutes)
      throws Exception {
    return fetch(block, new FailoverClient(network, substitutes));
  }

  private Object fetch(String block, FailoverClient client) throws Exception {
    try (client) {
      client.fetchBlocks(
          "host-0",
          7000,
          "exec-0",
          new String[] {block},
          new BlockFetchingListener() {
            @Override
            public void onBlockFetchSuccess(String id, ManagedBuffer buffer) {
              assertEquals(block, id);
              results.add(buffer);
            }

            @Override
            public void onBlockFetchFailure(String id, Throwable failure) {
              assertEquals(block, id);
              results.add(failure);
            }
          },
          null);
      return results.poll(1, TimeUnit.MINUTES);
    }
  }
}
