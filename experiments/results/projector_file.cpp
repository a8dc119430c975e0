#include "experiments/results/projector_file.hpp"

#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

constexpr std::string_view kFormat = "alidade projector";
constexpr std::int64_t kVersion = 1;

}  // namespace

std::string projector_to_json(const Projector& projector, const std::vector<std::string>& feature_names) {
  Table out;
  out.set("format", std::string(kFormat));
  out.set("version", kVersion);
  if (!feature_names.empty()) out.set("features", Array(feature_names.begin(), feature_names.end()));
  out.set("projector", projector.description());
  return to_json(out) + "\n";
}

std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file,
                                                std::vector<std::string>* feature_names) {
  const Value value = parse_json(datasets::read_text(file), file.string());
  const Table* table = value.get_if<Table>();
  const Value* format = table ? table->find("format") : nullptr;
  require<DataError>(format && *format == Value(std::string(kFormat)),
                     "{} is not a projector that `alidade embed` wrote. Make the map again.", file.string());
  const Value* version = table->find("version");
  require<DataError>(version && *version == Value(kVersion),
                     "{} was written by another version of alidade. Make the map again.", file.string());
  const Value* held = table->find("projector");
  const Table* description = held ? held->get_if<Table>() : nullptr;
  require<DataError>(description != nullptr, "{}: 'projector' is missing. Make the map again.", file.string());
  if (feature_names) {
    feature_names->clear();
    const Value* names = table->find("features");
    if (const Array* list = names ? names->get_if<Array>() : nullptr)
      for (const Value& name : *list)
        if (const std::string* text = name.get_if<std::string>()) feature_names->push_back(*text);
  }
  try {
    return projector_from(*description);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{} is damaged: {} Make the map again.", file.string(), error.what()));
  }
}

}  // namespace alidade
