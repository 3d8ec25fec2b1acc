// Tables of measured rounds as JSON.

#include <cmath>

#include "examples/ladders/matmul_tiles.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "runtime/error.h"

namespace hone {

namespace json = llvm::json;

// Times and rates as whole numbers of a smaller unit: they are as short as they are exact.

static bool map_thousandths(json::ObjectMapper& fields, llvm::StringLiteral name, double& value) {
  int64_t thousandths = 0;
  if (!fields.map(name, thousandths)) return false;
  value = static_cast<double>(thousandths) / 1000;
  return true;
}

static int64_t thousandths(double value) { return std::llround(value * 1000); }

// NOLINTBEGIN(readability-identifier-naming): llvm::json looks for these names.

bool fromJSON(const json::Value& value, TileRound& round, json::Path path) {
  json::ObjectMapper fields(value, path);
  return fields && fields.map("tiles", round.tiles) && fields.map("A_in_bulk", round.bulk.A) &&
         fields.map("B_in_bulk", round.bulk.B) && fields.map("blocks", round.blocks) &&
         map_thousandths(fields, "start_ns", round.start_us) &&
         map_thousandths(fields, "product_ps", round.product_ns);
}

bool fromJSON(const json::Value& value, TilePass& pass, json::Path path) {
  json::ObjectMapper fields(value, path);
  return fields && map_thousandths(fields, "start_ns", pass.start_us) &&
         map_thousandths(fields, "mb_per_s", pass.gb_per_s);
}

bool fromJSON(const json::Value& value, TileTable& table, json::Path path) {
  json::ObjectMapper fields(value, path);
  return fields && fields.map("device", table.device) && fields.map("driver", table.driver) &&
         fields.map("nvrtc", table.nvrtc) && fields.map("date", table.date) &&
         fields.map("multiprocessors", table.multiprocessors) && fields.map("sum", table.sum) &&
         fields.map("copy", table.copy) && fields.map("rounds", table.rounds);
}

json::Value toJSON(const TileRound& round) {
  return json::Object{{"tiles", round.tiles},
                      {"A_in_bulk", round.bulk.A},
                      {"B_in_bulk", round.bulk.B},
                      {"blocks", round.blocks},
                      {"start_ns", thousandths(round.start_us)},
                      {"product_ps", thousandths(round.product_ns)}};
}

json::Value toJSON(const TilePass& pass) {
  return json::Object{{"start_ns", thousandths(pass.start_us)},
                      {"mb_per_s", thousandths(pass.gb_per_s)}};
}

// NOLINTEND(readability-identifier-naming)

TileTable parse_tile_table(llvm::StringRef text) {
  auto table = json::parse<TileTable>(text);
  if (!table) throw RuntimeError("a table of tiles: {}", llvm::toString(table.takeError()));
  return *table;
}

std::string to_json(const TileTable& table) {
  const json::Object object{{"device", table.device},
                            {"driver", table.driver},
                            {"nvrtc", table.nvrtc},
                            {"date", table.date},
                            {"multiprocessors", table.multiprocessors},
                            {"sum", table.sum},
                            {"copy", table.copy},
                            {"rounds", json::Array(table.rounds)}};
  return llvm::formatv("{0:2}\n", json::Value(json::Object(object)));
}

}  // namespace hone
