// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * A pull as a JDK Flight Recorder event, with the bytes moved and the GPU time. The event's
 * duration is from the launch until a task has waited for it; a pull that nothing waits for is not
 * recorded. Map tasks also use pulls to copy tables into their own window; those have no remote
 * bytes.
 */
@Name("io.symshuffle.Pull")
@Label("Pull")
@Category("SymShuffle")
@Description("A kernel that copied pieces of shuffle data into this GPU's memory")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class PullEvent extends Event {
  @Label("Pieces")
  private int pieces;

  @Label("Bytes")
  @DataAmount
  private long bytes;

  @Label("Bytes of Other PEs")
  @Description("Bytes read from other PEs")
  @DataAmount
  private long foreignBytes;

  @Label("Other PEs")
  private int peers;

  @Label("GPU Time")
  @Description("From the kernel's start to its end")
  @Timespan(Timespan.NANOSECONDS)
  private long gpuTime;

  /** Sets the pieces that are pulled. */
  void of(List<Piece> pulled, int myPe) {
    pieces = pulled.size();
    bytes = pulled.stream().mapToLong(Piece::bytes).sum();
    List<Piece> foreign = pulled.stream().filter(piece -> piece.pe() != myPe).toList();
    foreignBytes = foreign.stream().mapToLong(Piece::bytes).sum();
    peers = (int) foreign.stream().mapToInt(Piece::pe).distinct().count();
  }

  void took(double microseconds) {
    gpuTime = Math.round(microseconds * 1e3);
  }
}
