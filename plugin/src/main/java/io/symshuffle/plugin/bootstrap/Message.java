// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.plugin.device.DeviceNews;
import io.symshuffle.plugin.device.DeviceStep;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What the driver and the executors say to each other; {@link Messages} puts it on the wire. */
public sealed interface Message {

  /**
   * An executor asks to become a PE; the answer is {@link Welcome}.
   *
   * @param executorId Spark's id
   * @param host where it runs
   * @param processors how many cores it sees there
   * @param cores how many of them the cluster gave to it; empty if it does not know
   * @param pushAddress where the driver can reach it, an {@code RpcEndpointRef}; empty if nowhere
   */
  record Join(
      String executorId,
      HostIdentity host,
      int processors,
      OptionalInt cores,
      Optional<Object> pushAddress)
      implements Message {
    /** Checks the parts. */
    public Join {
      requireNonNull(executorId, "executorId is null");
      requireNonNull(host, "host is null");
      requireNonNull(cores, "cores is null");
      requireNonNull(pushAddress, "pushAddress is null");
      if (processors < 1 || cores.orElse(1) < 1) {
        throw new IllegalArgumentException(
            "Executor %s says that it sees %d processors and has %d cores"
                .formatted(executorId, processors, cores.orElse(1)));
      }
    }
  }

  /**
   * The driver's answer to {@link Join}.
   *
   * @param token the application's
   * @param pe the executor's number
   * @param pesOfHost how many PEs to expect on its host, itself included
   * @param turn how many executors of its machine choose among the GPUs before it
   * @param table who is there
   */
  record Welcome(FolderToken token, int pe, int pesOfHost, int turn, TableChange table)
      implements Message {
    /** Checks the parts. */
    public Welcome {
      requireNonNull(token, "token is null");
      requireNonNull(table, "table is null");
      if (pe < 0 || pesOfHost < 1 || turn < 0) {
        throw new IllegalArgumentException(
            "The driver says PE %d, %d PEs on this host, turn %d".formatted(pe, pesOfHost, turn));
      }
    }

    /** Without the token, which belongs in no log. */
    @Override
    public String toString() {
      return "Welcome[pe=%d, pesOfHost=%d, turn=%d, table=%s]"
          .formatted(pe, pesOfHost, turn, table);
    }
  }

  /**
   * An executor tells how its start went; no answer.
   *
   * @param executorId Spark's id
   * @param heapBytes the size of its heap; 0 if it has none
   * @param heapBase the folder under which the application's folder lies on its host; empty if none
   * @param heapFolder what tells the application's folder there from all others, wherever it is
   *     mounted: two executors that name the same one read each other's heaps; empty if unknown
   * @param trouble a sentence for the log if it works, but not as it should
   */
  record Report(
      String executorId,
      long heapBytes,
      String heapBase,
      String heapFolder,
      Optional<String> trouble)
      implements Message {
    /** Checks the parts. */
    public Report {
      requireNonNull(executorId, "executorId is null");
      requireNonNull(heapBase, "heapBase is null");
      requireNonNull(heapFolder, "heapFolder is null");
      requireNonNull(trouble, "trouble is null");
      if (heapBytes < 0) {
        throw new IllegalArgumentException(
            "Executor %s reports a heap of %d bytes".formatted(executorId, heapBytes));
      }
    }
  }

  /**
   * An executor asks who another one is; the answer is {@link Table}.
   *
   * @param executorId the other one's id
   * @param since the epoch that the asker knows, 0 or more
   */
  record Lookup(String executorId, long since) implements Message {
    /** Checks the parts. */
    public Lookup {
      requireNonNull(executorId, "executorId is null");
      if (since < 0) {
        throw new IllegalArgumentException("An executor asks for changes since epoch " + since);
      }
    }
  }

  /**
   * The driver says what changed in the table, as an answer or of its own accord.
   *
   * @param change the changes
   */
  record Table(TableChange change) implements Message {
    /** Checks that there is one. */
    public Table {
      requireNonNull(change, "change is null");
    }
  }

  /**
   * An executor says how far it is on its way to a device heap; the answer is {@link DeviceReply}.
   *
   * @param executorId Spark's id
   * @param step what it says
   */
  record DeviceReport(String executorId, DeviceStep step) implements Message {
    /** Checks the parts. */
    public DeviceReport {
      requireNonNull(executorId, "executorId is null");
      requireNonNull(step, "step is null");
    }
  }

  /**
   * The driver's answer to {@link DeviceReport}.
   *
   * @param news what the executor has to do
   */
  record DeviceReply(DeviceNews news) implements Message {
    /** Checks that there are some. */
    public DeviceReply {
      requireNonNull(news, "news is null");
    }
  }

  /**
   * The driver says that shuffles are over.
   *
   * @param ids Spark's shuffle ids
   */
  record ShufflesOver(List<Integer> ids) implements Message {
    /** Copies the list. */
    public ShufflesOver {
      ids = List.copyOf(ids);
    }
  }

  /** The driver says that the application ends: nobody will read the heaps any more. */
  record End() implements Message {}

  /**
   * The driver cannot answer. An exception in place of this would have to be of a class that the
   * executor's transport knows.
   *
   * @param reason a sentence
   */
  record Refusal(String reason) implements Message {
    /** Checks that there is a reason. */
    public Refusal {
      requireNonNull(reason, "reason is null");
    }
  }
}
