// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils$;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/** A page with the header of Spark's UI. This variant is for Spark 4.2. */
final class SparkPage {
  private SparkPage() {}

  static Seq<Node> render(
      HttpServletRequest request, String title, Seq<Node> content, SparkUITab tab) {
    return UIUtils$.MODULE$.headerSparkPage(
        request, title, () -> content, tab, Option.empty(), false, false, false);
  }
}
