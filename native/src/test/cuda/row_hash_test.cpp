// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "column_memory.h"
#include "emulation.h"
#include "row_hash.cu"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

uint64_t rotated(uint64_t value, int bits) {
  return (value << bits) | (value >> (64 - bits));
}

uint64_t little_endian(const std::string& bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  }
  return value;
}

/// XXH64 step by step as its specification describes it, with primes in decimal as there.
uint64_t reference_xxhash64(const std::string& bytes, uint64_t seed) {
  constexpr uint64_t p1 = 11400714785074694791ULL;
  constexpr uint64_t p2 = 14029467366897019727ULL;
  constexpr uint64_t p3 = 1609587929392839161ULL;
  constexpr uint64_t p4 = 9650029242287828579ULL;
  constexpr uint64_t p5 = 2870177450012600261ULL;
  size_t at = 0;
  uint64_t hash = seed + p5;
  if (bytes.size() >= 32) {
    uint64_t lane[4] = {seed + p1 + p2, seed + p2, seed, seed - p1};
    for (; bytes.size() - at >= 32; at += 32) {
      for (size_t i = 0; i < 4; ++i) {
        lane[i] = rotated(lane[i] + little_endian(bytes, at + 8 * i, 8) * p2, 31) * p1;
      }
    }
    hash = rotated(lane[0], 1) + rotated(lane[1], 7) + rotated(lane[2], 12) + rotated(lane[3], 18);
    for (const uint64_t each : lane) {
      hash = (hash ^ rotated(each * p2, 31) * p1) * p1 + p4;
    }
  }
  hash += bytes.size();
  for (; bytes.size() - at >= 8; at += 8) {
    hash = rotated(hash ^ rotated(little_endian(bytes, at, 8) * p2, 31) * p1, 27) * p1 + p4;
  }
  if (bytes.size() - at >= 4) {
    hash = rotated(hash ^ little_endian(bytes, at, 4) * p1, 23) * p2 + p3;
    at += 4;
  }
  for (; at < bytes.size(); ++at) {
    hash = rotated(hash ^ static_cast<uint8_t>(bytes[at]) * p5, 11) * p1;
  }
  hash = (hash ^ (hash >> 33)) * p2;
  hash = (hash ^ (hash >> 29)) * p3;
  return hash ^ (hash >> 32);
}

template <class T>
std::string bytes_of(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// As BigInteger.toByteArray.
std::string big_endian(__int128 value) {
  std::string bytes;
  while (true) {
    bytes.insert(bytes.begin(), static_cast<char>(value));
    const bool negative = (bytes[0] & 0x80) != 0;
    value >>= 8;
    if (value == (negative ? -1 : 0)) {
      return bytes;
    }
  }
}

/// One column, and the bytes that each of its values is hashed as.
struct Column : ColumnMemory {
  std::vector<std::string> hashed;
  std::vector<bool> null;
};

template <class T>
void store_values(Random& random, Column& column, const std::vector<T>& values) {
  column.data = std::make_unique<Bytes>(random, values.size() * sizeof(T), below(random, 8) * 16);
  if (!values.empty()) {
    std::memcpy(column.data->data(), values.data(), values.size() * sizeof(T));
  }
}

template <class T, class Make, class Hashed>
void fill(Random& random, Column& column, uint32_t rows, Make make, Hashed hashed) {
  std::vector<T> values;
  for (uint32_t r = 0; r < rows; ++r) {
    values.push_back(make());
    column.hashed.push_back(hashed(values.back()));
  }
  store_values(random, column, values);
}

/// A random integer of a random number of bits: short ones are as likely as long ones.
template <class T>
T integer(Random& random) {
  constexpr int kBits = 8 * sizeof(T);
  T value;
  uint64_t words[2] = {random(), random()};
  std::memcpy(&value, words, sizeof(T));
  return static_cast<T>(value >> below(random, kBits));
}

template <class Float>
Float real(Random& random) {
  const Float special[] = {0,
                           -Float{0},
                           std::numeric_limits<Float>::infinity(),
                           -std::numeric_limits<Float>::infinity(),
                           std::numeric_limits<Float>::quiet_NaN(),
                           -std::numeric_limits<Float>::quiet_NaN(),
                           std::numeric_limits<Float>::denorm_min(),
                           std::numeric_limits<Float>::max()};
  if (below(random, 2) == 0) {
    return special[below(random, 8)];
  }
  Float value;
  const uint64_t bits = random();
  std::memcpy(&value, &bits, sizeof(Float));
  return value;
}

/// The bits that Java's floatToIntBits and doubleToLongBits return, with one zero.
template <class Float, class Bits>
std::string bits_of(Float value, Bits nan) {
  return std::isnan(value) ? bytes_of(nan) : value == 0 ? bytes_of(Bits{0}) : bytes_of(value);
}

template <class Offset>
void fill_strings(Random& random, Column& column, uint32_t rows, uint64_t max_bytes) {
  std::string characters(below(random, 3), 'x');
  std::vector<Offset> offsets;
  for (uint32_t r = 0; r < rows; ++r) {
    std::string each;
    for (uint64_t left = below(random, max_bytes + 1); left != 0; --left) {
      each.push_back(static_cast<char>(random()));
    }
    offsets.push_back(static_cast<Offset>(characters.size()));
    characters += each;
    column.hashed.push_back(each);
  }
  offsets.push_back(static_cast<Offset>(characters.size()));
  column.data = std::make_unique<Bytes>(random, characters.size(), below(random, 128));
  std::memcpy(column.data->data(), characters.data(), characters.size());
  column.offsets = std::make_unique<Bytes>(random, offsets.size() * sizeof(Offset), below(random, 16) * 8);
  std::memcpy(column.offsets->data(), offsets.data(), offsets.size() * sizeof(Offset));
}

Column make_column(Random& random, ColumnKind kind, uint32_t rows) {
  Column column;
  column.kind = kind;
  const auto as_int = [](auto value) { return bytes_of(static_cast<int32_t>(value)); };
  const auto as_long = [](auto value) { return bytes_of(static_cast<int64_t>(value)); };
  switch (kind) {
    case ColumnKind::kBool:
      fill<uint8_t>(random, column, rows, [&] { return static_cast<uint8_t>(below(random, 3)); },
                    [&](uint8_t value) { return as_int(value != 0); });
      break;
    case ColumnKind::kInt8:
      fill<int8_t>(random, column, rows, [&] { return integer<int8_t>(random); }, as_int);
      break;
    case ColumnKind::kInt16:
      fill<int16_t>(random, column, rows, [&] { return integer<int16_t>(random); }, as_int);
      break;
    case ColumnKind::kInt32:
      fill<int32_t>(random, column, rows, [&] { return integer<int32_t>(random); }, as_int);
      break;
    case ColumnKind::kInt64:
      fill<int64_t>(random, column, rows, [&] { return integer<int64_t>(random); }, as_long);
      break;
    case ColumnKind::kFloat32:
      fill<float>(random, column, rows, [&] { return real<float>(random); },
                  [](float value) { return bits_of(value, uint32_t{0x7fc00000}); });
      break;
    case ColumnKind::kFloat64:
      fill<double>(random, column, rows, [&] { return real<double>(random); },
                   [](double value) { return bits_of(value, uint64_t{0x7ff8000000000000}); });
      break;
    case ColumnKind::kDecimal32:
      fill<int32_t>(random, column, rows, [&] { return integer<int32_t>(random); }, as_long);
      break;
    case ColumnKind::kDecimal128:
      fill<__int128>(random, column, rows, [&] { return integer<__int128>(random); }, big_endian);
      break;
    case ColumnKind::kString:
      fill_strings<uint32_t>(random, column, rows, 1 + below(random, 200));
      break;
    case ColumnKind::kLargeString:
      fill_strings<uint64_t>(random, column, rows, 1 + below(random, 200));
      break;
  }
  column.null.resize(rows);
  if (below(random, 2) == 0) {
    column.validity = std::make_unique<Bytes>(random, (rows + 31) / 32 * 4, below(random, 32) * 4);
    for (uint32_t r = 0; r < rows; ++r) {
      column.null[r] = (column.validity->data()[r / 8] >> (r % 8) & 1) == 0;
    }
  }
  return column;
}

constexpr uint32_t kKinds = 11;

ColumnKind any_kind(Random& random) {
  return static_cast<ColumnKind>(below(random, kKinds));
}

struct Tables {
  std::vector<Column> columns;
  std::vector<HashedTable> tables;
  uint32_t units = 0;
  uint64_t expected = 0;

  void add(Random& random, uint32_t rows, const std::vector<ColumnKind>& kinds) {
    std::vector<Column> made;
    for (const ColumnKind kind : kinds) {
      made.push_back(make_column(random, kind, rows));
    }
    add_columns(random, rows, std::move(made));
  }

  void add_columns(Random& random, uint32_t rows, std::vector<Column> made) {
    HashedTable table{};
    table.seed = random();
    table.rows = rows;
    table.first_column = static_cast<uint32_t>(columns.size());
    table.column_count = static_cast<uint32_t>(made.size());
    table.first_unit = units;
    tables.push_back(table);
    units += HashedRows{rows}.units();
    for (Column& column : made) {
      columns.push_back(std::move(column));
    }
    for (uint32_t r = 0; r < rows; ++r) {
      uint64_t hash = table.seed;
      for (size_t c = table.first_column; c < columns.size(); ++c) {
        hash = columns[c].null[r] ? hash : reference_xxhash64(columns[c].hashed[r], hash);
      }
      expected += hash;
    }
  }
};

struct Result {
  KernelStatus status{};
  uint64_t sum = 0;
};

template <uint32_t kLanes>
Result run(Random& random, const Tables& list, uint32_t ctas, uint32_t warps, uint32_t tile_units) {
  std::vector<TableColumn> columns;
  for (const Column& column : list.columns) {
    columns.push_back(column.descriptor());
  }
  Result result;
  RowHashArguments a{};
  a.tables = reinterpret_cast<uint64_t>(list.tables.data());
  a.columns = reinterpret_cast<uint64_t>(columns.data());
  a.result = reinterpret_cast<uint64_t>(&result.sum);
  a.status = reinterpret_cast<uint64_t>(&result.status);
  a.table_count = static_cast<uint32_t>(list.tables.size());
  a.column_count = static_cast<uint32_t>(columns.size());
  a.unit_count = list.units;
  a.tile_units = tile_units;
  a.pe = 7;
  launch<kLanes>(random(), ctas, warps * kLanes, sizeof(ScanMemory),
                 [&](const EmulatedThread<kLanes>& t, unsigned char* shared) {
                   row_hash(t, a, reinterpret_cast<ScanMemory*>(shared));
                 });
  return result;
}

template <uint32_t kLanes>
void check(Random& random, const Tables& list, uint32_t ctas, uint32_t warps, uint32_t tile_units) {
  const Result result = run<kLanes>(random, list, ctas, warps, tile_units);
  CHECK(result.status.code == 0, result.status.code, result.status.expected, result.status.seen,
        result.status.address);
  CHECK(result.sum == list.expected, result.sum, list.expected);
}

/// Refuses loads of data that is not wholly or partly inside a range, rounded to words.
struct Inside : MemoryWatcher {
  uint64_t begin;
  uint64_t end;
  explicit Inside(Bytes& bytes)
      : begin(bytes.address() / 8 * 8), end((bytes.address() + bytes.size() + 7) / 8 * 8) {
    memory_watcher = this;
  }
  ~Inside() override { memory_watcher = nullptr; }
  void on_load(uint64_t address, uint64_t bytes) override {
    const bool near = address + 200 > begin && address < end + 200;
    CHECK(!near || (begin <= address && address + bytes <= end), begin, end, address, bytes);
  }
  void on_store(uint64_t, uint64_t) override {}
};

TEST("the reference computes the check values of XXH64", random) {
  static_cast<void>(random);
  CHECK(reference_xxhash64("", 0) == 0xef46db3751d8e999ULL);
  CHECK(reference_xxhash64("abc", 0) == 0x44bc2cf5ad770999ULL);
  CHECK(reference_xxhash64("Nobody inspects the spammish repetition", 0) == 0xfbcea83c8a378bf1ULL);
}

TEST("values of each type are hashed as Spark does", random) {
  for (uint32_t kind = 0; kind < kKinds; ++kind) {
    for (const uint32_t rows : {1U, 31U, 32U, 127U, 128U, 129U, 700U}) {
      Tables list;
      list.add(random, rows, {static_cast<ColumnKind>(kind)});
      check<8>(random, list, 1, 2, 1);
    }
  }
}

TEST("strings of all short lengths are hashed at all alignments without reading around them", random) {
  for (uint32_t i = 0; i <= 200 * 8; ++i) {
    const uint32_t length = i / 8;
    const bool large = below(random, 2) == 0;
    Column column;
    column.kind = large ? ColumnKind::kLargeString : ColumnKind::kString;
    column.data = std::make_unique<Bytes>(random, length, i % 8);
    column.hashed.emplace_back(reinterpret_cast<char*>(column.data->data()), length);
    column.null.push_back(false);
    column.offsets = std::make_unique<Bytes>(random, 16, 0);
    std::memset(column.offsets->data(), 0, 16);
    column.offsets->data()[large ? 8 : 4] = static_cast<uint8_t>(length);
    std::vector<Column> columns;
    columns.push_back(std::move(column));
    Tables list;
    list.add_columns(random, 1, std::move(columns));
    const Inside inside(*list.columns[0].data);
    check<4>(random, list, 1, 1, 1);
  }
}

TEST("the hashes of many tables with different columns are added", random) {
  for (int round = 0; round < 12; ++round) {
    Tables list;
    const uint64_t tables = 1 + below(random, 20);
    for (uint64_t i = 0; i < tables; ++i) {
      std::vector<ColumnKind> kinds;
      for (uint64_t left = below(random, 5); left != 0; --left) {
        kinds.push_back(any_kind(random));
      }
      list.add(random, below(random, 4) == 0 ? 0 : static_cast<uint32_t>(below(random, 500)), kinds);
    }
    const auto ctas = static_cast<uint32_t>(1 + below(random, 3));
    const auto warps = static_cast<uint32_t>(1 + below(random, 3));
    check<4>(random, list, ctas, warps, 1 + static_cast<uint32_t>(below(random, 4)));
  }
}

TEST("the hashes of tables are added with 32 lanes per warp", random) {
  Tables list;
  for (int i = 0; i < 12; ++i) {
    list.add(random, static_cast<uint32_t>(below(random, 700)),
             {any_kind(random), any_kind(random), any_kind(random)});
  }
  check<32>(random, list, 2, 2, 2);
}

TEST("a hash launch without tables succeeds", random) {
  const Tables list;
  check<4>(random, list, 2, 1, 1);
}

TEST("damaged offsets of strings are reported, and nothing is read there", random) {
  for (int round = 0; round < 40; ++round) {
    const bool large = round % 2 == 0;
    Tables list;
    list.add(random, 50, {ColumnKind::kInt32, large ? ColumnKind::kLargeString : ColumnKind::kString});
    Column& strings = list.columns[1];
    strings.validity = nullptr;
    const uint64_t row = below(random, 50);
    const uint64_t size = strings.data->size();
    const uint64_t room = large && round % 4 == 0 ? ~0ULL : 0xffffffffULL;
    const uint64_t damage = size + 1 + below(random, room - size);
    const uint64_t bytes = large ? 8 : 4;
    std::memcpy(strings.offsets->data() + (row + 1) * bytes, &damage, bytes);
    const Inside inside(*strings.data);
    const Result result = run<8>(random, list, 1, 1, 1);
    CHECK(result.status.code == static_cast<uint32_t>(Code::kDamagedString), result.status.code, row);
    CHECK(result.status.peer == 1 && result.status.pe == 7);
    const bool starts = result.status.address == row + 1 && result.status.expected == damage;
    const bool ends = result.status.address == row && result.status.seen == damage;
    CHECK(starts || ends, result.status.address, result.status.expected, result.status.seen, row);
  }
}

TEST("a hash launch with inconsistent tables is reported", random) {
  const auto code_of = [&](auto damage) {
    Tables list;
    list.add(random, 300, {ColumnKind::kInt64});
    list.add(random, 200, {ColumnKind::kInt32});
    damage(list);
    return static_cast<Code>(run<4>(random, list, 1, 2, 1).status.code);
  };
  CHECK(code_of([](Tables&) {}) == Code::kOk);
  CHECK(code_of([](Tables& list) { list.tables[1].column_count = 2; }) == Code::kInvalidArgument);
  CHECK(code_of([](Tables& list) { list.tables[0].first_column = 0xffffffff; }) == Code::kInvalidArgument);
  CHECK(code_of([](Tables& list) { list.tables[1].first_unit = 2; }) == Code::kInvalidPlan);
  CHECK(code_of([](Tables& list) { list.tables[0].rows = 100; }) == Code::kInvalidPlan);
  CHECK(code_of([](Tables& list) { list.tables[1].rows = 100; }) == Code::kInvalidPlan);
  CHECK(code_of([](Tables& list) { list.columns[1].kind = static_cast<ColumnKind>(kKinds); }) ==
        Code::kUnsupported);
}

}  // namespace
}  // namespace symshuffle::test
