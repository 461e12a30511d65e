// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "concat.cu"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.h"
#include "column_memory.h"
#include "emulation.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

using Value = std::optional<std::string>;

bool is_string(ColumnKind kind) {
  return kind == ColumnKind::kString || kind == ColumnKind::kLargeString;
}

/// A column of a part, and its values.
struct Column : ColumnMemory {
  std::vector<Value> values;
};

template <class Offset>
void store_offsets(Random& random, Column& column, const std::vector<uint64_t>& offsets) {
  column.offsets = std::make_unique<Bytes>(random, offsets.size() * sizeof(Offset), below(random, 16) * 8);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const auto offset = static_cast<Offset>(offsets[i]);
    std::memcpy(column.offsets->data() + i * sizeof(Offset), &offset, sizeof(Offset));
  }
}

/// The values of nulls are in the memory too: a null of fixed width has some value, a null string any characters.
Column make_column(Random& random, ColumnKind kind, uint32_t rows, bool nulls) {
  Column column{};
  column.kind = kind;
  const uint64_t longest = below(random, 3) == 0 ? 300 : 12;
  std::string bytes(is_string(kind) ? below(random, 3) : 0, 'x');  // before the first string
  std::vector<uint64_t> offsets;
  for (uint32_t r = 0; r < rows; ++r) {
    std::string value(is_string(kind) ? below(random, longest + 1) : value_bytes(static_cast<uint32_t>(kind)), ' ');
    for (char& c : value) {
      c = static_cast<char>(random());
    }
    offsets.push_back(bytes.size());
    bytes += value;
    column.values.emplace_back(value);
  }
  offsets.push_back(bytes.size());
  const uint64_t align = is_string(kind) ? below(random, 128) : below(random, 8) * 16;
  column.data = std::make_unique<Bytes>(random, bytes.size(), align);
  std::memcpy(column.data->data(), bytes.data(), bytes.size());
  if (kind == ColumnKind::kString) {
    store_offsets<uint32_t>(random, column, offsets);
  } else if (kind == ColumnKind::kLargeString) {
    store_offsets<uint64_t>(random, column, offsets);
  }
  if (nulls) {
    column.validity = std::make_unique<Bytes>(random, (rows + 31) / 32 * 4, below(random, 32) * 4);
    for (uint32_t r = 0; r < rows; ++r) {
      if ((column.validity->data()[r / 8] >> (r % 8) & 1) == 0) {
        column.values[r].reset();
      }
    }
  }
  return column;
}

/// A column of the result.
struct Whole {
  std::unique_ptr<Bytes> data;
  std::unique_ptr<Bytes> validity;
  std::unique_ptr<Bytes> offsets;
};

struct Concatenation {
  std::vector<ConcatPart> parts;
  std::vector<Column> part_columns;
  std::vector<ConcatColumn> columns;
  std::vector<Whole> whole;
  std::vector<uint32_t> starts;
  uint32_t rows = 0;
  uint32_t units = 0;
  KernelStatus status{};

  Concatenation(Random& random, const std::vector<ColumnKind>& kinds, const std::vector<uint32_t>& rows_of_parts) {
    std::vector<bool> nullable;
    for (size_t c = 0; c < kinds.size(); ++c) {
      nullable.push_back(below(random, 2) == 0);
    }
    for (const uint32_t r : rows_of_parts) {
      parts.push_back(ConcatPart{r, rows, units, 0});
      rows += r;
      units += ConcatRows{r}.units();
      for (size_t c = 0; c < kinds.size(); ++c) {
        // Offsets of strings may have 32 bits in one part and 64 in another.
        const bool large = is_string(kinds[c]) && below(random, 2) == 0;
        part_columns.push_back(make_column(random, large ? ColumnKind::kLargeString : kinds[c], r,
                                           nullable[c] && below(random, 3) != 0));
      }
    }
    uint32_t strings = 0;
    for (size_t c = 0; c < kinds.size(); ++c) {
      uint64_t bytes = is_string(kinds[c]) ? below(random, 100) : 0;  // more room than needed
      for (size_t p = 0; p < parts.size(); ++p) {
        bytes += part_columns[p * kinds.size() + c].data->size();
      }
      Whole w;
      w.data = std::make_unique<Bytes>(random, bytes, below(random, 8) * 16);
      ConcatColumn d{};
      d.data = w.data->address();
      d.bytes = bytes;
      d.kind = static_cast<uint32_t>(kinds[c]);
      if (nullable[c]) {
        w.validity = std::make_unique<Bytes>(random, (rows + 31) / 32 * 4, below(random, 8) * 16);
        std::memset(w.validity->data(), 0, w.validity->size());
        d.validity = w.validity->address();
      }
      if (is_string(kinds[c])) {
        w.offsets = std::make_unique<Bytes>(random, (uint64_t{rows} + 1) * 4, below(random, 8) * 16);
        d.offsets = w.offsets->address();
        d.string = strings++;
      }
      whole.push_back(std::move(w));
      columns.push_back(d);
    }
    starts.resize(strings * parts.size());
  }

  template <uint32_t kLanes>
  void run(Random& random, uint32_t ctas, uint32_t warps) {
    std::vector<TableColumn> from;
    for (const Column& column : part_columns) {
      from.push_back(column.descriptor());
    }
    ConcatArguments a{};
    a.parts = reinterpret_cast<uint64_t>(parts.data());
    a.part_columns = reinterpret_cast<uint64_t>(from.data());
    a.columns = reinterpret_cast<uint64_t>(columns.data());
    a.starts = reinterpret_cast<uint64_t>(starts.data());
    a.status = reinterpret_cast<uint64_t>(&status);
    a.part_count = static_cast<uint32_t>(parts.size());
    a.column_count = static_cast<uint32_t>(columns.size());
    a.unit_count = units;
    a.rows = rows;
    a.pe = 7;
    using Thread = EmulatedThread<kLanes>;
    launch<kLanes>(random(), ctas, warps * kLanes, 0,
                   [&](const Thread& t, unsigned char*) { concat_starts(t, a); });
    launch<kLanes>(random(), ctas, warps * kLanes, 0,
                   [&](const Thread& t, unsigned char*) { concat_rows(t, a); });
  }

  uint32_t offset(size_t column, uint32_t row) const {
    uint32_t value;
    std::memcpy(&value, whole[column].offsets->data() + uint64_t{row} * 4, 4);
    return value;
  }

  void check_result() const {
    CHECK(status.code == 0, status.code, status.peer, status.expected, status.seen, status.address);
    for (size_t c = 0; c < columns.size(); ++c) {
      const Whole& w = whole[c];
      const uint64_t width = value_bytes(columns[c].kind);
      uint32_t row = 0;
      for (size_t p = 0; p < parts.size(); ++p) {
        const Column& part = part_columns[p * columns.size() + c];
        for (uint32_t r = 0; r < parts[p].rows; ++r, ++row) {
          const bool valid = !w.validity || (w.validity->data()[row / 8] >> (row % 8) & 1) != 0;
          CHECK(valid == part.values[r].has_value(), c, row, columns[c].kind);
          if (!valid) {
            continue;
          }
          const uint64_t begin = width != 0 ? row * width : offset(c, row);
          const uint64_t end = width != 0 ? begin + width : offset(c, row + 1);
          CHECK(begin <= end && end <= w.data->size(), c, row, begin, end);
          const std::string found(reinterpret_cast<char*>(w.data->data()) + begin, end - begin);
          CHECK(found == *part.values[r], c, row, columns[c].kind);
        }
      }
      if (w.validity) {
        for (uint32_t bit = rows; bit < 8 * w.validity->size(); ++bit) {
          CHECK((w.validity->data()[bit / 8] >> (bit % 8) & 1) == 0, bit);
        }
      }
      if (w.offsets) {
        CHECK(offset(c, 0) == 0 && w.offsets->fences_hold());
      }
      CHECK(w.data->fences_hold() && (!w.validity || w.validity->fences_hold()), c);
    }
  }
};

constexpr uint32_t kKinds = 10;  // large strings become strings

ColumnKind any_kind(Random& random) {
  return static_cast<ColumnKind>(below(random, kKinds));
}

TEST("tables with columns of each kind are concatenated", random) {
  for (uint32_t kind = 0; kind < kKinds; ++kind) {
    Concatenation c(random, {static_cast<ColumnKind>(kind)}, {1, 31, 33, 0, 700, 64, 5, 1100});
    c.run<8>(random, 2, 2);
    c.check_result();
  }
}

TEST("many tables with different columns are concatenated", random) {
  for (int round = 0; round < 15; ++round) {
    std::vector<ColumnKind> kinds;
    for (uint64_t left = 1 + below(random, 7); left != 0; --left) {
      kinds.push_back(any_kind(random));
    }
    std::vector<uint32_t> rows;
    for (uint64_t left = 1 + below(random, 40); left != 0; --left) {
      rows.push_back(static_cast<uint32_t>(below(random, below(random, 8) == 0 ? 1500 : 60)));
    }
    Concatenation c(random, kinds, rows);
    c.run<4>(random, static_cast<uint32_t>(1 + below(random, 3)), static_cast<uint32_t>(1 + below(random, 3)));
    c.check_result();
  }
}

TEST("tables are concatenated with 32 lanes per warp", random) {
  Concatenation c(random, {ColumnKind::kString, ColumnKind::kInt64, any_kind(random)},
                  std::vector<uint32_t>(70, static_cast<uint32_t>(1 + below(random, 60))));
  c.run<32>(random, 2, 2);
  c.check_result();
}

TEST("damaged offsets of strings do not lead a concatenation outside of its memory", random) {
  for (int round = 0; round < 40; ++round) {
    Concatenation c(random, {ColumnKind::kString, ColumnKind::kInt32}, {40, 600, 30});
    const size_t p = below(random, 3);
    Column& strings = c.part_columns[2 * p];
    const bool large = strings.kind == ColumnKind::kLargeString;
    const uint64_t width = large ? 8 : 4;
    const uint64_t row = below(random, c.parts[p].rows + 1);
    const uint64_t room = large && below(random, 2) == 0 ? ~0ULL : 0xffffffffULL;
    const uint64_t size = strings.data->size();
    const uint64_t damage = size + 1 + below(random, room - size);
    std::memcpy(strings.offsets->data() + row * width, &damage, width);
    c.run<8>(random, 2, 1);
    const bool at_unit = row == 0 || row == c.parts[p].rows || row % kConcatUnitRows == 0;
    CHECK(!at_unit || c.status.code == static_cast<uint32_t>(Code::kDamagedString), c.status.code, row);
    for (const Whole& w : c.whole) {
      CHECK(w.data->fences_hold() && (!w.offsets || w.offsets->fences_hold()));
    }
  }
}

TEST("a concatenation with an inconsistent list of tables is reported", random) {
  Concatenation c(random, {ColumnKind::kInt64}, {300, 200});
  c.parts[1].rows = 100'000;
  c.run<4>(random, 1, 2);
  CHECK(c.status.code == static_cast<uint32_t>(Code::kInvalidPlan), c.status.code);
}

}  // namespace
}  // namespace symshuffle::test
