// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.usage.UsageReport;
import java.io.Serializable;
import java.util.List;

/**
 * The messages between the driver and its executors. Each record checks itself, so a message that
 * {@link MessageSerializer} has read can be used without further checks.
 */
public sealed interface Message extends Serializable {

  /**
   * An executor asks to become a PE; the answer is {@link Welcome}.
   *
   * @param processors the number of cores that it sees there
   * @param cores how many of them the cluster gave to it; 0 if unknown
   */
  record Join(String executorId, HostIdentity host, int processors, int cores) implements Message {
    public Join {
      if (processors < 1 || cores < 0) {
        throw new IllegalArgumentException(
            "executor %s reports %d processors and %d cores"
                .formatted(executorId, processors, cores));
      }
    }
  }

  /**
   * The driver's answer to {@link Join}.
   *
   * @param pesOfHost how many PEs to expect on its host, itself included
   * @param localRank how many executors of its machine choose among the GPUs before it
   * @param members all PEs that have joined so far
   */
  record Welcome(FolderToken token, int pe, int pesOfHost, int localRank, MembershipChange members)
      implements Message {
    public Welcome {
      if (pe < 0 || pesOfHost < 1 || localRank < 0) {
        throw new IllegalArgumentException(
            "the driver assigned PE %d, %d PEs on this host, local rank %d"
                .formatted(pe, pesOfHost, localRank));
      }
    }

    /** Omits the token, which must not be logged. */
    @Override
    public String toString() {
      return "Welcome[pe=%d, pesOfHost=%d, localRank=%d, members=%s]"
          .formatted(pe, pesOfHost, localRank, members);
    }
  }

  /**
   * An executor reports how its start went; no answer.
   *
   * @param heapBytes the size of its heap; 0 if it has none
   * @param heapBase the folder that contains the application's folder on its host; empty if none
   * @param heapFolder identifies the application's folder there, regardless of where it is mounted:
   *     executors with the same value can read each other's heaps; empty if unknown
   * @param problem a sentence for the log if it does not work as it should; empty if it does
   */
  record StartReport(
      String executorId, long heapBytes, String heapBase, String heapFolder, String problem)
      implements Message {
    public StartReport {
      if (heapBytes < 0) {
        throw new IllegalArgumentException(
            "executor %s reports a heap of %d bytes".formatted(executorId, heapBytes));
      }
    }

    /** Returns whether SymShuffle could not start, so that tasks which need it fail. */
    public boolean hasFailed() {
      return heapBase.isEmpty();
    }
  }

  /** An executor reports that it cannot keep RAPIDS' tables on its GPU; no answer. */
  record TablesUnavailable(String executorId, String reason) implements Message {}

  /** The driver reports that RAPIDS copies its tables to the host from now on; no answer. */
  record TablesOnHost(String reason) implements Message {}

  /**
   * An executor asks about another one; the answer is {@link Update}.
   *
   * @param executorId the other one's id
   * @param since the last epoch that the sender knows, 0 or more
   */
  record Lookup(String executorId, long since) implements Message {
    public Lookup {
      if (since < 0) {
        throw new IllegalArgumentException("an executor asks for changes since epoch " + since);
      }
    }
  }

  /** The driver reports changes of the membership, in answer to {@link Lookup} or unasked. */
  record Update(MembershipChange change) implements Message {}

  /** An executor reports a step of its device heap's start; the answer is {@link DeviceReply}. */
  record DeviceReport(String executorId, DeviceStep step) implements Message {}

  /** The driver's answer to {@link DeviceReport}. */
  record DeviceReply(DeviceInstruction instruction) implements Message {}

  /**
   * An executor reports what it holds and has done, for the UI; no answer.
   *
   * @param epoch the last epoch of the membership that it knows, 0 or more: it gets later changes
   *     again, since a push may have been lost
   * @param ends how many ends of shuffles it knows, 0 or more: it gets the others again
   */
  record Usage(UsageReport report, long epoch, long ends) implements Message {
    public Usage {
      if (epoch < 0 || ends < 0) {
        throw new IllegalArgumentException(
            "an executor reports to know epoch %d and %d ends of shuffles".formatted(epoch, ends));
      }
    }
  }

  /**
   * The driver reports that shuffles have ended.
   *
   * @param before how many ends it has reported before these; 0 if these include them
   * @param total how many ends it has reported with these
   */
  record ShufflesEnded(List<EndedShuffle> shuffles, long before, long total) implements Message {
    public ShufflesEnded {
      if (before < 0 || total < before) {
        throw new IllegalArgumentException(
            "the driver reports the ends of shuffles from %d to %d".formatted(before, total));
      }
      shuffles = List.copyOf(shuffles);
      for (EndedShuffle shuffle : shuffles) {
        requireNonNull(shuffle, "shuffle is null");
      }
    }
  }

  /**
   * The end of one shuffle. Spark may run it again under the same id, with higher task ids.
   *
   * @param lastTaskId the highest id of a task that Spark started before the end; -1 if none
   */
  record EndedShuffle(int shuffleId, long lastTaskId) implements Serializable {
    public EndedShuffle {
      if (shuffleId < 0 || lastTaskId < -1) {
        throw new IllegalArgumentException(
            "the driver reports the end of shuffle %d after task %d"
                .formatted(shuffleId, lastTaskId));
      }
    }
  }

  /** The driver reports that the application ends: nobody will read the heaps anymore. */
  record ApplicationEnding() implements Message {}

  /**
   * The driver cannot answer. It does not throw instead, because the executor's transport may not
   * know the class of the exception.
   *
   * @param reason a sentence
   */
  record Refusal(String reason) implements Message {}
}
