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
   * @param executorId Spark's id
   * @param host where it runs
   * @param processors the number of cores that it sees there
   * @param cores how many of them the cluster gave to it; 0 if unknown
   */
  record Join(String executorId, HostIdentity host, int processors, int cores) implements Message {
    /** Checks the parts. */
    public Join {
      requireNonNull(executorId, "executorId is null");
      requireNonNull(host, "host is null");
      if (processors < 1 || cores < 0) {
        throw new IllegalArgumentException(
            "Executor %s reports %d processors and %d cores"
                .formatted(executorId, processors, cores));
      }
    }
  }

  /**
   * The driver's answer to {@link Join}.
   *
   * @param token the application's
   * @param pe the executor's number
   * @param pesOfHost how many PEs to expect on its host, itself included
   * @param localRank how many executors of its machine choose among the GPUs before it
   * @param members all PEs that have joined so far
   */
  record Welcome(FolderToken token, int pe, int pesOfHost, int localRank, MembershipChange members)
      implements Message {
    /** Checks the parts. */
    public Welcome {
      requireNonNull(token, "token is null");
      requireNonNull(members, "members is null");
      if (pe < 0 || pesOfHost < 1 || localRank < 0) {
        throw new IllegalArgumentException(
            "The driver assigned PE %d, %d PEs on this host, local rank %d"
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
   * @param executorId Spark's id
   * @param heapBytes the size of its heap; 0 if it has none
   * @param heapBase the folder that contains the application's folder on its host; empty if none
   * @param heapFolder identifies the application's folder there, regardless of where it is mounted:
   *     executors with the same value can read each other's heaps; empty if unknown
   * @param problem a sentence for the log if it does not work as it should; empty if it does
   */
  record StartReport(
      String executorId, long heapBytes, String heapBase, String heapFolder, String problem)
      implements Message {
    /** Checks the parts. */
    public StartReport {
      requireNonNull(executorId, "executorId is null");
      requireNonNull(heapBase, "heapBase is null");
      requireNonNull(heapFolder, "heapFolder is null");
      requireNonNull(problem, "problem is null");
      if (heapBytes < 0) {
        throw new IllegalArgumentException(
            "Executor %s reports a heap of %d bytes".formatted(executorId, heapBytes));
      }
    }

    /** {@return whether SymShuffle could not start, so that tasks which need it fail} */
    public boolean hasFailed() {
      return heapBase.isEmpty();
    }
  }

  /**
   * An executor reports that it cannot keep RAPIDS' tables on its GPU; no answer.
   *
   * @param executorId Spark's id
   * @param reason why
   */
  record TablesUnavailable(String executorId, String reason) implements Message {
    /** Checks the parts. */
    public TablesUnavailable {
      requireNonNull(executorId, "executorId is null");
      requireNonNull(reason, "reason is null");
    }
  }

  /**
   * An executor reports a problem that it noticed after its start; no answer.
   *
   * @param executorId Spark's id
   * @param problem a sentence for the log
   */
  record Warning(String executorId, String problem) implements Message {
    /** Checks the parts. */
    public Warning {
      requireNonNull(executorId, "executorId is null");
      requireNonNull(problem, "problem is null");
    }
  }

  /**
   * The driver reports that RAPIDS copies its tables to the host from now on; no answer.
   *
   * @param reason why
   */
  record TablesOnHost(String reason) implements Message {
    /** Checks that there is one. */
    public TablesOnHost {
      requireNonNull(reason, "reason is null");
    }
  }

  /**
   * An executor asks about another one; the answer is {@link Update}.
   *
   * @param executorId the other one's id
   * @param since the last epoch that the sender knows, 0 or more
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
   * The driver reports changes of the membership, in answer to {@link Lookup} or unasked.
   *
   * @param change the changes
   */
  record Update(MembershipChange change) implements Message {
    /** Checks that there is one. */
    public Update {
      requireNonNull(change, "change is null");
    }
  }

  /**
   * An executor reports a step of its device heap's start; the answer is {@link DeviceReply}.
   *
   * @param executorId Spark's id
   * @param step the step
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
   * @param instruction what the executor has to do
   */
  record DeviceReply(DeviceInstruction instruction) implements Message {
    /** Checks that there are some. */
    public DeviceReply {
      requireNonNull(instruction, "instruction is null");
    }
  }

  /**
   * An executor reports what it holds and has done, for the UI; no answer.
   *
   * @param report the numbers
   */
  record Usage(UsageReport report) implements Message {
    /** Checks that there is one. */
    public Usage {
      requireNonNull(report, "report is null");
    }
  }

  /**
   * The driver reports that shuffles have ended.
   *
   * @param shuffles which
   */
  record ShufflesEnded(List<EndedShuffle> shuffles) implements Message {
    /** Copies the list and checks the types of its elements. */
    public ShufflesEnded {
      shuffles = List.copyOf(shuffles);
      for (EndedShuffle shuffle : shuffles) {
        requireNonNull(shuffle, "shuffle is null");
      }
    }
  }

  /**
   * The end of one shuffle. Spark may run it again under the same id, with higher task ids.
   *
   * @param shuffleId Spark's id
   * @param lastTaskId the highest id of a task that Spark started before the end; -1 if none
   */
  record EndedShuffle(int shuffleId, long lastTaskId) implements Serializable {
    /** Checks the ids. */
    public EndedShuffle {
      if (shuffleId < 0 || lastTaskId < -1) {
        throw new IllegalArgumentException(
            "The driver reports the end of shuffle %d after task %d"
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
  record Refusal(String reason) implements Message {
    /** Checks that there is a reason. */
    public Refusal {
      requireNonNull(reason, "reason is null");
    }
  }
}
