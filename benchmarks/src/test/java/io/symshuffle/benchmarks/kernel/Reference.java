// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Expected results of kernels, computed on the CPU. */
final class Reference {
  private Reference() {}

  /** Reduces element by element, in the order of the inputs. */
  static byte[] reduce(ElementType type, ReduceOperation operation, byte[][] inputs) {
    byte[] bytes = inputs[0].clone();
    ByteBuffer result = buffer(bytes);
    for (int p = 1; p < inputs.length; p++) {
      ByteBuffer next = buffer(inputs[p]);
      for (int at = 0; at < inputs[p].length; at += type.bytes()) {
        switch (type) {
          case I32 -> result.putInt(at, apply(operation, result.getInt(at), next.getInt(at)));
          case I64 -> result.putLong(at, apply(operation, result.getLong(at), next.getLong(at)));
          case F32 -> result.putFloat(at, apply(operation, result.getFloat(at), next.getFloat(at)));
          case F64 ->
              result.putDouble(at, apply(operation, result.getDouble(at), next.getDouble(at)));
        }
      }
    }
    return bytes;
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  private static int apply(ReduceOperation operation, int a, int b) {
    return switch (operation) {
      case SUM -> a + b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }

  private static long apply(ReduceOperation operation, long a, long b) {
    return switch (operation) {
      case SUM -> a + b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }

  private static float apply(ReduceOperation operation, float a, float b) {
    return switch (operation) {
      case SUM -> a + b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }

  private static double apply(ReduceOperation operation, double a, double b) {
    return switch (operation) {
      case SUM -> a + b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
    };
  }
}
