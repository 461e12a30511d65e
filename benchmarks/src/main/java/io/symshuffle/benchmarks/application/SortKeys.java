// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The columns by which a query orders its result. Two results are equal in order if these columns
 * are equal row for row; rows that tie in them may come in any order.
 */
final class SortKeys {
  private SortKeys() {}

  /**
   * Returns the result columns, from 0, of the outermost ORDER BY, up to the first one that is not
   * in the result, on which the following ones depend.
   */
  static List<Integer> of(LogicalPlan analyzed) {
    LogicalPlan plan = analyzed;
    while (!(plan instanceof Sort)) {
      switch (plan) {
        case GlobalLimit limit -> plan = limit.child();
        case LocalLimit limit -> plan = limit.child();
        case Project project -> plan = project.child();
        case WithCTE with -> plan = with.plan();
        default -> {
          return List.of();
        }
      }
    }
    List<Attribute> output = CollectionConverters.asJava(analyzed.output());
    List<Integer> columns = new ArrayList<>();
    for (SortOrder order : CollectionConverters.asJava(((Sort) plan).order())) {
      int column = indexOf(output, order);
      if (column < 0) {
        break;
      }
      columns.add(column);
    }
    return columns;
  }

  private static int indexOf(List<Attribute> output, SortOrder order) {
    for (int i = 0; i < output.size(); i++) {
      if (output.get(i).semanticEquals(order.child())) {
        return i;
      }
    }
    return -1;
  }
}
