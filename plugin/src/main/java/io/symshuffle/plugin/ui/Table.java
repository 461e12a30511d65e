// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

/**
 * A table of the page, built cell by cell. The first row also names the columns; the others must
 * have the same ones.
 */
final class Table {
  private final StringBuilder heads = new StringBuilder();
  private final StringBuilder rows = new StringBuilder();
  private final StringBuilder row = new StringBuilder();

  Table cell(String head, String content) {
    return cell(head, "", content);
  }

  /**
   * Adds a cell.
   *
   * @param explanation of the column, shown when the pointer is on its name; may be empty
   */
  Table cell(String head, String explanation, String content) {
    if (rows.isEmpty()) {
      heads.append("<th");
      if (!explanation.isEmpty()) {
        heads.append(" title=\"").append(Html.escape(explanation)).append('"');
      }
      heads.append('>').append(head).append("</th>");
    }
    // On a phone each cell is a separate line with its name.
    row.append("<td data-head=\"").append(head).append("\">").append(content).append("</td>");
    return this;
  }

  /**
   * Adds a cell if its column is shown.
   *
   * @param shown the same for all rows
   */
  Table cell(boolean shown, String head, String explanation, String content) {
    return shown ? cell(head, explanation, content) : this;
  }

  /**
   * Ends a row.
   *
   * @param css class of the row; may be empty
   */
  void endRow(String css) {
    rows.append("<tr").append(css.isEmpty() ? "" : " class=\"" + css + "\"");
    rows.append('>').append(row).append("</tr>");
    row.setLength(0);
  }

  String html() {
    return "<div class=\"sym-scroll\"><table class=\"sym-table\"><thead><tr>"
        + heads
        + "</tr></thead><tbody>"
        + rows
        + "</tbody></table></div>";
  }
}
