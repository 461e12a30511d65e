// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.result;

import io.symshuffle.it.record.Recording;
import java.util.List;
import org.apache.spark.sql.Row;

/** One execution of a query. */
public record QueryRun(List<Row> rows, ExecutedPlan plan, Recording<List<Row>> recording) {}
