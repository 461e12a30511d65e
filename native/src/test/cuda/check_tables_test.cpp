// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "check_tables.cu"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "check.h"
#include "emulation.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;
using Blob = std::vector<uint8_t>;

/// A column of a whole table, which is serialized in parts.
struct Column {
  SerializedKind kind{};
  uint32_t width = 0;
  std::vector<bool> valid;  // empty: no nulls
  std::vector<uint32_t> offsets;
  Blob data;
  std::vector<Column> children;
};

Column any_column(Random& random, uint32_t rows, uint32_t depth) {
  Column c;
  c.kind = static_cast<SerializedKind>(below(random, depth == 0 ? 2 : 4));
  if (below(random, 2) == 0) {
    for (uint32_t r = 0; r < rows; ++r) {
      c.valid.push_back(below(random, 3) != 0);
    }
  }
  uint32_t values = rows;
  if (c.kind == SerializedKind::kString || c.kind == SerializedKind::kList) {
    const uint64_t longest = below(random, 4) == 0 ? 1 : 6;
    values = 0;
    c.offsets.push_back(0);
    for (uint32_t r = 0; r < rows; ++r) {
      values += static_cast<uint32_t>(below(random, longest));
      c.offsets.push_back(values);
    }
  }
  switch (c.kind) {
    case SerializedKind::kFixed:
      c.width = 1U << below(random, 5);
      [[fallthrough]];
    case SerializedKind::kString:
      for (uint64_t left = uint64_t{values} * larger(1U, c.width); left != 0; --left) {
        c.data.push_back(static_cast<uint8_t>(random()));
      }
      break;
    case SerializedKind::kList:
      c.children.push_back(any_column(random, values, depth - 1));
      break;
    case SerializedKind::kStruct:
      for (uint64_t left = 1 + below(random, 3); left != 0; --left) {
        c.children.push_back(any_column(random, values, depth - 1));
      }
      break;
  }
  return c;
}

struct Table {
  uint32_t rows = 0;
  std::vector<Column> columns;
  std::vector<CheckColumn> schema;

  Table() = default;
  Table(Random& random, uint32_t row_count, uint32_t column_count, uint32_t depth) : rows(row_count) {
    for (uint32_t i = 0; i < column_count; ++i) {
      add(any_column(random, rows, depth));
    }
  }

  void add(Column column) {
    flatten(column, 0);
    columns.push_back(std::move(column));
  }

  void flatten(const Column& c, uint32_t level) {
    schema.push_back({static_cast<uint32_t>(c.kind), c.width, level, 0});
    for (const Column& child : c.children) {
      flatten(child, level + (c.kind == SerializedKind::kList ? 1 : 0));
    }
  }

  /// Serializes rows [begin, end).
  Blob serialize(uint32_t begin, uint32_t end) const {
    Blob has_validity((schema.size() + 7) / 8);
    Blob validity;
    Blob offsets;
    Blob data;
    uint32_t index = 0;
    for (const Column& c : columns) {
      append(c, begin, end, index, has_validity, validity, offsets, data);
    }
    while ((kSerializedHeaderBytes + has_validity.size() + validity.size()) % 4 != 0) {
      validity.push_back(0);
    }
    data.resize((data.size() + 3) / 4 * 4);
    Blob blob;
    for (const size_t number : {size_t{kSerializedMagic}, size_t{begin}, size_t{end - begin}, validity.size(),
                                offsets.size(), validity.size() + offsets.size() + data.size(), schema.size()}) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        blob.push_back(static_cast<uint8_t>(number >> shift));
      }
    }
    for (const Blob& section : {has_validity, validity, offsets, data}) {
      blob.insert(blob.end(), section.begin(), section.end());
    }
    return blob;
  }

  static void append(const Column& c, uint32_t begin, uint32_t end, uint32_t& index, Blob& has_validity,
                     Blob& validity, Blob& offsets, Blob& data) {
    if (!c.valid.empty() && begin != end) {
      has_validity[index / 8] |= static_cast<uint8_t>(1 << index % 8);
      for (uint32_t byte = begin / 8; byte < (end + 7) / 8; ++byte) {
        uint8_t bits = 0;
        for (uint32_t r = 8 * byte; r < std::min<uint64_t>(c.valid.size(), 8 * byte + 8); ++r) {
          bits |= static_cast<uint8_t>((c.valid[r] ? 1 : 0) << r % 8);
        }
        validity.push_back(bits);
      }
    }
    ++index;
    uint32_t from = begin;
    uint32_t to = end;
    if (!c.offsets.empty()) {
      if (begin != end) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(c.offsets.data());
        offsets.insert(offsets.end(), bytes + 4 * uint64_t{begin}, bytes + 4 * (uint64_t{end} + 1));
      }
      from = c.offsets[begin];
      to = c.offsets[end];
    }
    if (c.kind == SerializedKind::kFixed || c.kind == SerializedKind::kString) {
      const uint64_t width = larger(1U, c.width);
      data.insert(data.end(), c.data.begin() + static_cast<int64_t>(from * width),
                  c.data.begin() + static_cast<int64_t>(to * width));
    }
    for (const Column& child : c.children) {
      append(child, from, to, index, has_validity, validity, offsets, data);
    }
  }
};

/// Checks tables, each in memory of exactly its length, so that the address sanitizer sees a read beyond it.
template <uint32_t kLanes>
std::vector<TableProblem> check(Random& random, const std::vector<CheckColumn>& schema,
                                const std::vector<Blob>& blobs, uint32_t rows, uint32_t parts = 1,
                                uint32_t misaligned = 0) {
  std::vector<std::unique_ptr<uint8_t[]>> memory;
  std::vector<CheckDescriptor> list;
  for (const Blob& blob : blobs) {
    memory.emplace_back(new uint8_t[blob.size() + misaligned]);
    uint8_t* start = memory.back().get() + misaligned;
    std::copy(blob.begin(), blob.end(), start);
    list.push_back({reinterpret_cast<uint64_t>(start), blob.size(), rows, 0});
  }
  std::vector<uint32_t> results(blobs.size() + 1);
  KernelStatus status{};
  CheckArguments a{};
  a.tables = reinterpret_cast<uint64_t>(list.data());
  a.columns = reinterpret_cast<uint64_t>(schema.data());
  a.results = reinterpret_cast<uint64_t>(results.data());
  a.status = reinterpret_cast<uint64_t>(&status);
  a.table_count = static_cast<uint32_t>(list.size());
  a.column_count = static_cast<uint32_t>(schema.size());
  a.parts = parts;
  launch<kLanes>(random(), 1 + static_cast<uint32_t>(below(random, 3)), 2 * kLanes, sizeof(CheckMemory),
                 [&](const EmulatedThread<kLanes>& t, unsigned char* shared) {
                   check_tables(t, a, reinterpret_cast<CheckMemory*>(shared));
                 });
  CHECK(status.code == 0 && results.back() == 0);
  std::vector<TableProblem> problems;
  for (size_t i = 0; i < blobs.size(); ++i) {
    problems.push_back(static_cast<TableProblem>(results[i]));
  }
  return problems;
}

/// Whether RAPIDS' assembly reads only inside of a table, in the 32-bit arithmetic of its kernels, and the strings
/// and lists of the result are inside of its characters and children.
class Assembly {
 public:
  Assembly(const std::vector<CheckColumn>& schema, const Blob& blob) : schema_(schema), blob_(blob) {}

  bool stays_inside() {
    if (!reads(0, kSerializedHeaderBytes + (schema_.size() + 31) / 32 * 4)) {
      return false;
    }
    std::vector<Rows> levels(kMaxSchemaDepth + 1);
    levels[0] = {static_cast<int32_t>(header(1)), static_cast<int32_t>(header(2))};
    const uint64_t validity_start = kSerializedHeaderBytes + (schema_.size() + 7) / 8;
    uint64_t validity = validity_start;
    uint64_t offsets = validity + header(3);
    uint64_t data = offsets + header(4);
    bool inside = offsets % 4 == 0;
    for (size_t c = 0; inside && c < schema_.size(); ++c) {
      const Rows rows = levels[schema_[c].level];
      const auto kind = static_cast<SerializedKind>(schema_[c].kind);
      inside = rows.count >= 0 && rows.first >= 0 && rows.count <= std::numeric_limits<int32_t>::max() - 16;
      if (!inside) {
        break;
      }
      if ((blob_[kSerializedHeaderBytes + c / 8] >> c % 8 & 1) != 0 && rows.count > 0) {
        const uint64_t bytes = static_cast<uint64_t>((rows.count + rows.first % 8 + 7) / 8);
        inside = reads(validity, bytes);
        validity += bytes;
      }
      Rows below{rows.first, 0};
      if ((kind == SerializedKind::kString || kind == SerializedKind::kList) && rows.count > 0) {
        const uint64_t count = static_cast<uint64_t>(rows.count) + 1;
        if (!reads(offsets, 4 * count)) {
          return false;
        }
        below = {offset(offsets), offset(offsets + 4 * (count - 1)) - offset(offsets)};
        for (uint64_t i = 0; i + 1 < count; ++i) {
          inside &= 0 <= offset(offsets + 4 * i) && offset(offsets + 4 * i) <= offset(offsets + 4 * i + 4);
        }
        offsets += 4 * count;
      }
      if (kind == SerializedKind::kList) {
        levels[schema_[c].level + 1] = below;
      } else if (kind != SerializedKind::kStruct) {
        const uint64_t bytes = kind == SerializedKind::kString
                                   ? static_cast<uint64_t>(below.count)
                                   : static_cast<uint64_t>(rows.count) * schema_[c].width;
        inside &= reads(data, bytes);
        data += bytes;
      }
    }
    return inside;
  }

 private:
  struct Rows {
    int32_t first;
    int32_t count;
  };

  bool reads(uint64_t at, uint64_t bytes) const {
    return bytes == 0 || (at <= blob_.size() && bytes <= blob_.size() - at);
  }

  uint32_t header(uint32_t word) const {
    const uint8_t* at = blob_.data() + 4 * word;
    return static_cast<uint32_t>(at[0]) << 24 | static_cast<uint32_t>(at[1]) << 16 |
           static_cast<uint32_t>(at[2]) << 8 | at[3];
  }

  int32_t offset(uint64_t at) const {
    int32_t value;
    std::memcpy(&value, blob_.data() + at, sizeof value);
    return value;
  }

  const std::vector<CheckColumn>& schema_;
  const Blob& blob_;
};

void set_header(Blob& blob, uint32_t word, uint32_t value) {
  for (uint32_t i = 0; i < 4; ++i) {
    blob[4 * word + i] = static_cast<uint8_t>(value >> (24 - 8 * i));
  }
}

/// A table with strings, a list of structs of strings, and numbers.
Table nested_table(Random& random, uint32_t rows) {
  for (;;) {
    Table table(random, rows, 4, 3);
    const auto has = [&](SerializedKind kind, uint32_t level) {
      return std::any_of(table.schema.begin(), table.schema.end(), [&](const CheckColumn& c) {
        return c.kind == static_cast<uint32_t>(kind) && c.level == level;
      });
    };
    const bool is_short = table.serialize(0, rows).size() < 60 * uint64_t{rows};
    if (is_short && table.schema.size() > 8 && has(SerializedKind::kString, 0) && has(SerializedKind::kStruct, 1) &&
        has(SerializedKind::kString, 1) && has(SerializedKind::kFixed, 0)) {
      return table;
    }
  }
}

template <uint32_t kLanes>
void check_valid(Random& random, const Table& table) {
  const auto begin = static_cast<uint32_t>(below(random, table.rows + 1));
  const auto end = begin + static_cast<uint32_t>(below(random, table.rows - begin + 1));
  const Blob blob = table.serialize(begin, end);
  CHECK(Assembly(table.schema, blob).stays_inside());
  const auto parts = static_cast<uint32_t>(1 + below(random, 3));
  for (const TableProblem problem :
       check<kLanes>(random, table.schema, {blob, blob}, end - begin, parts)) {
    CHECK(problem == TableProblem::kNone, static_cast<uint32_t>(problem), begin, end);
  }
}

TEST("serialized tables of all kinds pass the check", random) {
  for (int round = 0; round < 60; ++round) {
    const auto rows = static_cast<uint32_t>(below(random, below(random, 4) == 0 ? 4 : 90));
    const auto columns = static_cast<uint32_t>(1 + below(random, 9));
    check_valid<4>(random, Table(random, rows, columns, static_cast<uint32_t>(below(random, 5))));
  }
  check_valid<32>(random, nested_table(random, 700));
  check_valid<8>(random, Table(random, 3, 70, 1));
  check_valid<4>(random, Table(random, 0, 5, 2));
}

TEST("a serialized table with any byte changed leads nowhere outside of it or fails the check", random) {
  for (int round = 0; round < 2; ++round) {
    const Table table = nested_table(random, 16);
    const Blob valid = table.serialize(5, 12);
    const uint32_t changes = 4;
    std::vector<Blob> blobs;
    for (size_t at = 0; at < valid.size(); ++at) {
      for (uint32_t change = 0; change < changes; ++change) {
        blobs.push_back(valid);
        uint8_t& byte = blobs.back()[at];
        byte = static_cast<uint8_t>(change == 0 ? byte ^ 1 << below(random, 8)
                                                : change == 1 ? random() : change == 2 ? 0xff : 0x80);
      }
    }
    const std::vector<TableProblem> problems = check<4>(random, table.schema, blobs, 7);
    size_t refused = 0;
    for (size_t i = 0; i < blobs.size(); ++i) {
      const bool is_right = problems[i] == TableProblem::kNone;
      CHECK(!is_right || Assembly(table.schema, blobs[i]).stays_inside(), i / changes);
      // Another row_index may be right.
      const bool in_header = i / changes < kSerializedHeaderBytes && i / changes / 4 != 1;
      CHECK(!is_right || !in_header || blobs[i] == valid, i / changes);
      refused += is_right ? 0 : 1;
    }
    CHECK(refused > 40, refused);
  }
}

TEST("a serialized table with several bytes changed leads nowhere outside of it or fails the check", random) {
  for (int round = 0; round < 6; ++round) {
    const Table table = nested_table(random, 12);
    const Blob valid = table.serialize(3, 9);
    std::vector<Blob> blobs;
    for (int i = 0; i < 300; ++i) {
      blobs.push_back(valid);
      for (uint64_t left = 1 + below(random, 5); left != 0; --left) {
        const uint64_t at = below(random, below(random, 3) == 0 ? valid.size() : kSerializedHeaderBytes + 8);
        blobs.back()[at] = static_cast<uint8_t>(below(random, 2) == 0 ? random() : valid[at] + below(random, 9));
      }
    }
    const std::vector<TableProblem> problems = check<4>(random, table.schema, blobs, 6, 2);
    for (size_t i = 0; i < blobs.size(); ++i) {
      CHECK(problems[i] != TableProblem::kNone || Assembly(table.schema, blobs[i]).stays_inside(), i);
    }
  }
}

TEST("a torn serialized table fails the check at any length", random) {
  const Table table = nested_table(random, 20);
  const Blob valid = table.serialize(1, 12);
  std::vector<Blob> blobs;
  for (size_t bytes = 0; bytes < valid.size() + 9; ++bytes) {
    if (bytes != valid.size()) {
      blobs.push_back(valid);
      blobs.back().resize(bytes);
    }
  }
  for (const TableProblem problem : check<4>(random, table.schema, blobs, 11)) {
    CHECK(problem == TableProblem::kShort || problem == TableProblem::kMagic ||
              problem == TableProblem::kSections,
          static_cast<uint32_t>(problem));
  }
}

TEST("each problem of a serialized table is named", random) {
  Table table;
  table.rows = 40;
  Column strings;
  strings.kind = SerializedKind::kString;
  strings.valid.assign(40, true);
  for (uint32_t r = 0; r <= 40; ++r) {
    strings.offsets.push_back(2 * r);
  }
  strings.data.assign(80, 'x');
  table.add(strings);
  const Blob valid = table.serialize(0, 40);  // 29 bytes, 5 and 2 of validity, 164 of offsets, 80 of characters
  const auto problem = [&](const Blob& blob, uint32_t rows = 40, uint32_t misaligned = 0) {
    return check<4>(random, table.schema, {blob}, rows, 3, misaligned)[0];
  };
  const auto with = [&](uint32_t word, uint32_t value) {
    Blob blob = valid;
    set_header(blob, word, value);
    return blob;
  };
  const auto with_offset = [&](uint32_t row, uint32_t value) {
    Blob blob = valid;
    std::memcpy(blob.data() + 36 + 4 * row, &value, sizeof value);
    return blob;
  };
  CHECK(valid.size() == 280 && problem(valid) == TableProblem::kNone, valid.size());
  CHECK(problem(valid, 40, 2) == TableProblem::kMisaligned);
  CHECK(problem(Blob(valid.begin(), valid.begin() + 28)) == TableProblem::kShort);
  CHECK(problem(with(0, kSerializedMagic + 1)) == TableProblem::kMagic);
  CHECK(problem(valid, 41) == TableProblem::kRows);
  CHECK(problem(with(1, 0x7fffffff)) == TableProblem::kRows);
  CHECK(problem(with(2, 0xffffffff), 0xffffffff) == TableProblem::kRows);
  CHECK(problem(with(6, 2)) == TableProblem::kColumns);
  CHECK(problem(with(3, 0xffffffff)) == TableProblem::kSections);
  CHECK(problem(with(3, 8)) == TableProblem::kSections);
  CHECK(problem(with(4, 0xfffffffc)) == TableProblem::kSections);
  CHECK(problem(with(5, 0)) == TableProblem::kSections);
  CHECK(problem(with(3, 11)) == TableProblem::kDataBytes);
  CHECK(problem(with(4, 160)) == TableProblem::kOffsetBytes);
  CHECK(problem(with(4, 168)) == TableProblem::kDataBytes);
  CHECK(problem(with(2, 38), 38) == TableProblem::kOffsetBytes);
  CHECK(problem(with_offset(40, 84)) == TableProblem::kDataBytes);
  CHECK(problem(with_offset(40, 70)) == TableProblem::kDataBytes);
  CHECK(problem(with_offset(40, 0xffffffff)) == TableProblem::kOffsets);
  CHECK(problem(with_offset(0, 81)) == TableProblem::kOffsets);
  for (uint32_t row = 1; row < 40; ++row) {
    CHECK(problem(with_offset(row, 0xfffffff0)) == TableProblem::kOffsets, row);
    CHECK(problem(with_offset(row, 2 * row - 3)) == TableProblem::kOffsets, row);
    CHECK(problem(with_offset(row, 2 * row + 1)) == TableProblem::kNone, row);
  }
  Blob without_validity = valid;
  without_validity[28] = 0;
  CHECK(problem(without_validity) == TableProblem::kValidityBytes);
}

TEST("a list that claims more rows below it than a table can hold fails the check", random) {
  Table table;
  table.rows = 1;
  Column list;
  list.kind = SerializedKind::kList;
  list.offsets = {0, 1};
  Column numbers;
  numbers.kind = SerializedKind::kFixed;
  numbers.width = 16;
  numbers.data.assign(16, 1);
  list.children.push_back(numbers);
  table.add(list);
  const Blob valid = table.serialize(0, 1);
  CHECK(check<4>(random, table.schema, {valid}, 1)[0] == TableProblem::kNone);
  for (const uint32_t rows : {2U, 0x10000001U, 0x7ffffeffU, 0x7fffff00U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    Blob blob = valid;
    std::memcpy(blob.data() + 36, &rows, sizeof rows);
    const TableProblem problem = check<4>(random, table.schema, {blob}, 1)[0];
    CHECK(problem == (rows > kMaxSerializedRows ? TableProblem::kOffsets : TableProblem::kDataBytes), rows);
  }
}

TEST("rows for which the assembly leaves the validity fail the check", random) {
  // A struct without fields has nothing but validity.
  const std::vector<CheckColumn> schema{{static_cast<uint32_t>(SerializedKind::kStruct), 0, 0, 0}};
  for (const uint64_t batches : {1, 2}) {
    const uint64_t all = batches * kAssembledRows;
    for (const uint64_t rows : {all - 8, all - 7, all - 1, all, all + 1}) {
      for (const uint64_t first : {0, 1, 7}) {
        const uint64_t validity = (29 + (first + rows + 7) / 8 + 3) / 4 * 4 - 29;
        Blob blob(29 + validity);
        const uint64_t header[] = {kSerializedMagic, first, rows, validity, 0, validity, 1};
        for (uint32_t word = 0; word < 7; ++word) {
          set_header(blob, word, static_cast<uint32_t>(header[word]));
        }
        blob[28] = 1;
        const TableProblem problem = check<4>(random, schema, {blob}, static_cast<uint32_t>(rows))[0];
        const bool leaves = rows < all && rows + first > all;
        CHECK(problem == (leaves ? TableProblem::kBatch : TableProblem::kNone), rows, first);
      }
    }
  }
}

}  // namespace
}  // namespace symshuffle::test
