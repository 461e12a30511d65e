// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * The queries on generated tables against the answers that the TPC publishes for scale 1: the
 * number of rows of every query, and the rows of short ones. (The answers in DuckDB's repository,
 * extension/tpch/dbgen/answers/sf1, are the same except for addresses, which newer generators make
 * differently.)
 */
@Tag("long")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class TpchAnswersIT {

  private static final List<Integer> ROWS =
      List.of(4, 100, 10, 5, 5, 1, 4, 2, 175, 20, 1048, 2, 42, 1, 1, 18_314, 1, 57, 1, 186, 100, 7);

  private static final Map<String, List<String>> ANSWERS =
      Map.ofEntries(
          Map.entry(
              "q1",
              List.of(
                  "A|F|37734107.00|56586554400.73|53758257134.87|55909065222.827692|25.522005853257337"
                      + "|38273.129734621674|0.049985295838397614|1478493",
                  "N|F|991417.00|1487504710.38|1413082168.0541|1469649223.194375|25.516471920522985"
                      + "|38284.4677608483|0.0500934266742163|38854",
                  "N|O|74476040.00|111701729697.74|106118230307.6056|110367043872.49701"
                      + "|25.50222676958499|38249.11798890827|0.04999658605370408|2920374",
                  "R|F|37719753.00|56568041380.9|53741292684.604|55889619119.831932|25.50579361269077"
                      + "|38250.85462609966|0.05000940583012706|1478870")),
          Map.entry(
              "q4",
              List.of(
                  "1-URGENT|10594",
                  "2-HIGH|10476",
                  "3-MEDIUM|10410",
                  "4-NOT SPECIFIED|10556",
                  "5-LOW|10487")),
          Map.entry(
              "q5",
              List.of(
                  "INDONESIA|55502041.1697",
                  "VIETNAM|55295086.9967",
                  "CHINA|53724494.2566",
                  "INDIA|52035512.0002",
                  "JAPAN|45410175.6954")),
          Map.entry("q6", List.of("123141078.2283")),
          Map.entry(
              "q7",
              List.of(
                  "FRANCE|GERMANY|1995|54639732.7336",
                  "FRANCE|GERMANY|1996|54633083.3076",
                  "GERMANY|FRANCE|1995|52531746.6697",
                  "GERMANY|FRANCE|1996|52520549.0224")),
          Map.entry("q8", List.of("1995|0.0344358904066548", "1996|0.04148552129353032")),
          Map.entry("q12", List.of("MAIL|6202|9324", "SHIP|6200|9262")),
          Map.entry("q14", List.of("16.380778626395543")),
          Map.entry(
              "q15",
              List.of("8449|Supplier#000008449|Wp34zim9qYFbVctdW|20-469-856-8873|1772627.2087")),
          Map.entry("q17", List.of("348406.0542857143")),
          Map.entry("q19", List.of("3083843.0578")),
          Map.entry(
              "q22",
              List.of(
                  "13|888|6737713.99",
                  "17|861|6460573.72",
                  "18|964|7236687.40",
                  "23|892|6701457.95",
                  "29|948|7158866.63",
                  "30|909|6808436.13",
                  "31|922|6806670.18")));

  @TempDir private Path folder;

  @Test
  void rowsAreThosePublishedForScaleOne() throws Exception {
    Map<String, List<String>> found = run();
    List<Executable> checks =
        found.entrySet().stream().map(query -> (Executable) () -> check(query)).toList();
    assertEquals(22, checks.size());
    assertAll(checks);
  }

  private static void check(Map.Entry<String, List<String>> query) {
    String name = query.getKey();
    int number = Integer.parseInt(name.substring(1));
    List<String> rows = query.getValue();
    assertEquals(ROWS.get(number - 1), rows.size(), name);
    List<String> answer = ANSWERS.getOrDefault(name, List.of());
    for (int row = 0; row < answer.size(); row++) {
      String[] expected = answer.get(row).split("\\|", -1);
      String[] cells = rows.get(row).split("\\|", -1);
      assertEquals(expected.length, cells.length, name + ": " + rows.get(row));
      for (int cell = 0; cell < cells.length; cell++) {
        assertEquals(value(expected[cell]), value(cells[cell]), name + ": " + rows.get(row));
      }
    }
  }

  /** Numbers in four decimals, because systems calculate averages with different precision. */
  private static String value(String cell) {
    return cell.matches("\\d+\\.\\d+")
        ? new BigDecimal(cell).setScale(4, RoundingMode.HALF_UP).toPlainString()
        : cell.strip();
  }

  private Map<String, List<String>> run() throws IOException {
    PrintWriter quiet = new PrintWriter(Writer.nullWriter());
    ApplicationSpec spec =
        new ApplicationSpec(
            "answers",
            new SparkMaster("local-cluster[2,1,2048]"),
            "1g",
            Map.of("spark.plugins", "io.symshuffle.SymShufflePlugin"),
            true,
            List.of(),
            folder.resolve("application"));
    Map<String, List<String>> found = new TreeMap<>();
    try (Application application =
        Application.start(
            spec,
            BuiltCommand.runtime(Files.createDirectories(folder.resolve("runtime"))),
            new Console(quiet, false))) {
      application.awaitReady(BuiltCommand.LIMIT);
      List<String> names = Suite.TPCH.tables().names();
      String tables = folder.resolve("tables").toString();
      ask(application, new Request.Generate("tpch", names, 1, tables));
      ask(application, new Request.Tables("tpch", names, tables));
      for (String query : Suite.TPCH.queries().names()) {
        Path rows = folder.resolve(query);
        Request request =
            new Request.Query(query, Suite.TPCH.queries().text(query), rows.toString());
        assertInstanceOf(Reply.Measured.class, ask(application, request), query);
        found.put(query, Files.readAllLines(rows));
      }
    }
    return found;
  }

  private static Reply ask(Application application, Request request) {
    Reply reply =
        application.ask(
            request, request.getClass().getSimpleName(), BuiltCommand.LIMIT, progress -> {});
    assertFalse(reply instanceof Reply.Failed, () -> request + ": " + reply);
    return reply;
  }
}
