#include "experiments/results/projector_file.hpp"

#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"

namespace alidade {
namespace {

constexpr std::string_view kFormat = "alidade projector";
constexpr std::int64_t kVersion = 1;

std::optional<FeatureScaling> scaling_from(const ValueTable& file, Index feature_count) {
  const Value* held = file.find("scaling");
  if (!held) return std::nullopt;
  const ValueTable* table = held->get_if<ValueTable>();
  require<DataError>(table != nullptr, "'scaling' is no table.");
  const auto column = [&](const char* name) {
    const Matrix numbers = matrix_from_table(table->find(name), name);
    require<DataError>(numbers.cols() == 1 && numbers.rows() == feature_count && numbers.allFinite(),
                       "'{}' has {} x {} numbers for {} features.", name, numbers.rows(), numbers.cols(),
                       feature_count);
    return Vector(numbers.col(0));
  };
  const Value* of_double = table->find("of_double");
  return FeatureScaling{column("shift"), column("width"), of_double && *of_double == Value(true)};
}

}  // namespace

std::string projector_to_json(const Projector& projector, const ProjectedFeatures& features) {
  ValueTable out;
  out.set("format", std::string(kFormat));
  out.set("version", kVersion);
  if (!features.names.empty()) out.set("features", ValueArray(features.names.begin(), features.names.end()));
  if (features.scaling) {
    ValueTable scaling;
    scaling.set("shift", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(features.scaling->shift))));
    scaling.set("width", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(features.scaling->width))));
    scaling.set("of_double", features.scaling->of_double);
    out.set("scaling", std::move(scaling));
  }
  out.set("projector", projector.description());
  return to_json(out) + "\n";
}

std::shared_ptr<const Projector> read_projector(const std::filesystem::path& file, ProjectedFeatures* features) {
  const Value value = parse_json(read_text(file), file.string());
  const ValueTable* table = value.get_if<ValueTable>();
  const Value* format = table ? table->find("format") : nullptr;
  require<DataError>(format && *format == Value(std::string(kFormat)),
                     "{} is not a projector that `alidade embed` wrote. Make the map again.", file.string());
  const Value* version = table->find("version");
  require<DataError>(version && *version == Value(kVersion),
                     "{} was written by another version of alidade. Make the map again.", file.string());
  const Value* held = table->find("projector");
  const ValueTable* description = held ? held->get_if<ValueTable>() : nullptr;
  require<DataError>(description != nullptr, "{}: 'projector' is missing. Make the map again.", file.string());
  if (features) {
    *features = {};
    const Value* names = table->find("features");
    if (const ValueArray* list = names ? names->get_if<ValueArray>() : nullptr)
      for (const Value& name : *list)
        if (const std::string* text = name.get_if<std::string>()) features->names.push_back(*text);
  }
  try {
    auto out = projector_from(*description);
    if (features) features->scaling = scaling_from(*table, out->feature_count());
    return out;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{} is damaged: {} Make the map again.", file.string(), error.what()));
  }
}

}  // namespace alidade
