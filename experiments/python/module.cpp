// The module alidade._core: Python's values to and from those of the libraries, threads, and the interpreter's lock.
// Tables travel as JSON text, so that this file knows no option; arrays travel as they lie in memory where both sides
// agree on it. What users meet is Python, in the package beside this file.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <condition_variable>
#include <mutex>

#include "experiments/commands/map_folder.hpp"
#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/external/command_method.hpp"
#include "experiments/files/json.hpp"
#include "experiments/public/evidence.hpp"
#include "experiments/python/arrays.hpp"
#include "experiments/python/interpreter.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/run/map_solve.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/annotator_estimates.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"

namespace py = pybind11;
using namespace py::literals;

namespace alidade::python {
namespace {

// ---- arrays ----

/// A matrix that an array looks at.
struct HeldMatrix {
  Matrix values;
};

/// A matrix as an array that owns it; nothing is copied.
ArrayOf<double> array_of(Matrix matrix) { return ArrayOf<double>(py::cast(HeldMatrix{std::move(matrix)})); }

template <class Real>
auto matrix_in(const Array& a) {
  return Eigen::Map<const RowMajorMatrix<Real>>(static_cast<const Real*>(a.data()), a.shape(0), a.shape(1));
}

/// @pre Python has made it two-dimensional
datasets::IntegerArray integers_in(const Array& a) {
  const bool is_signed = a.holds('i');
  if (!is_signed && !a.holds('u')) throw py::type_error("an array of integers in the machine's byte order is needed");
  if (a.ndim() != 2) throw py::value_error("a two-dimensional array is needed");
  return {static_cast<const std::byte*>(a.data()), a.shape(0), a.shape(1), a.strides(0), a.strides(1),
          static_cast<int>(a.itemsize()),          is_signed};
}

using Doubles = ArrayOf<double>;
using Codes = ArrayOf<std::uint32_t>;
using Names = std::vector<std::string>;

std::vector<std::uint32_t> codes_in(const std::optional<Codes>& codes) {
  if (!codes) return {};
  return {codes->data(), codes->data() + codes->size()};
}

// ---- tables ----

ValueArray of_options(const std::vector<OptionInfo>& infos) {
  ValueArray out;
  for (const OptionInfo& info : infos)
    out.emplace_back(table_with({{"name", info.name},
                                 {"kind", info.kind},
                                 {"default", info.default_value},
                                 {"bounds", info.bounds.to_text()},
                                 {"choices", ValueArray(info.choices.begin(), info.choices.end())},
                                 {"doc", info.doc}}));
  return out;
}

/// What the catalogs know, as JSON: problems and solvers with their options.
std::string catalogs() {
  ValueArray problems, solvers;
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    ValueArray needs;
    for (const ObservationKind kind : entry.needs) needs.emplace_back(std::string(to_string(kind)));
    const NamedSolver usual = recommended_solver(entry);
    ValueTable solver = usual.options;
    solver.set("name", usual.name);
    problems.emplace_back(table_with({{"name", entry.name},
                                      {"summary", entry.summary},
                                      {"reference", entry.reference},
                                      {"equation", entry.equation},
                                      {"needs", std::move(needs)},
                                      {"solver", solver},
                                      {"class", entry.python},
                                      {"places_objects", entry.places_objects},
                                      {"products", entry.similarity == Similarity::scalar_product},
                                      {"starts", entry.starts_on_small_data},
                                      {"options", of_options(entry.options)}}));
  }
  for (const SolverEntry& entry : solver_catalog().entries())
    solvers.emplace_back(table_with({{"name", entry.name},
                                     {"summary", entry.summary},
                                     {"reference", entry.reference},
                                     {"options", of_options(entry.options)},
                                     {"by_schedule", entry.by_schedule}}));
  return to_json(table_with({{"problems", problems}, {"solvers", solvers}, {"auto", of_options(auto_options())}}));
}

// ---- evidence ----

using Evidence = std::shared_ptr<Observations>;
constexpr Index kManyRows = 500'000;  // which are read in more than a moment

/// Readers that go on alone after an interruption, and whose arrays only the interpreter can free. It waits for them
/// before it ends.
class LoneReaders {
 public:
  void begin() {
    const std::scoped_lock lock(mutex_);
    ++count_;
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    --count_;
    none_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    none_.wait(lock, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int count_ = 0;
};
LoneReaders& lone_readers() {
  static LoneReaders all;
  return all;
}

Evidence shared(Observations observations) { return std::make_shared<Observations>(std::move(observations)); }

Evidence indexed_answers(const Array& rows, std::optional<Index> count, Names names,
                         const std::optional<Doubles>& weights, const std::optional<Codes>& aspects, Names aspect_names,
                         const std::optional<Codes>& annotators, Names annotator_names, bool drop_degenerate) {
  datasets::IndexedAnswers answers;
  answers.rows = integers_in(rows);
  if (answers.rows.cols != 3) throw py::value_error("triplets have three columns: anchor, near, far");
  answers.count = count;
  answers.names = std::move(names);
  if (weights) answers.weights = {weights->data(), subscript(weights->size())};
  answers.aspects = {codes_in(aspects), std::move(aspect_names)};
  answers.annotators = {codes_in(annotators), std::move(annotator_names)};
  answers.drop_degenerate = drop_degenerate;
  const auto fits = [&](std::size_t size) { return size == 0 || size == subscript(answers.rows.rows); };
  if (!fits(answers.weights.size()) || !fits(answers.aspects.codes.size()) || !fits(answers.annotators.codes.size()))
    throw py::value_error("weights, aspects and annotators need one entry per triplet");
  if (answers.rows.rows < kManyRows) {
    const py::gil_scoped_release others_run;
    return shared(datasets::answers_of_indices(answers));
  }
  // The arrays live on until they are read, though Ctrl-C may end the wait before.
  struct Arrays {
    py::object rows, weights;
  };
  lone_readers().begin();
  const std::shared_ptr<const Arrays> held(new Arrays{rows.object(), py::cast(weights)}, [](const Arrays* arrays) {
    {
      const py::gil_scoped_acquire lock;
      delete arrays;
    }
    lone_readers().end();
  });
  const auto here = interpreter(Py_None);
  return interruptible<Evidence>(
      [answers = std::move(answers), held](const std::stop_token& stop, const Progress&) {
        return shared(datasets::answers_of_indices(answers, stop));
      },
      *here);
}

Evidence text_answers(const std::string& text, const std::string& name, const std::string& options) {
  const ValueTable table = table_of_json(options, "options");
  const py::gil_scoped_release others_run;
  return shared(datasets::answers_of_text(text, name, table));
}

/// In float, and in double where floats lose digits.
std::pair<FeatureMatrix, Matrix> features_in(const Array& a) {
  if (!a.is_c_array(2)) throw py::value_error("a two-dimensional array in C order is needed");
  if (a.holds('f') && a.itemsize() == sizeof(float)) return {FeatureMatrix(matrix_in<float>(a)), Matrix()};
  if (!a.holds('f') || a.itemsize() != sizeof(double)) throw py::type_error("an array of float64 or float32 is needed");
  const auto values = matrix_in<double>(a);
  FeatureMatrix rounded = values.cast<float>();
  require<DataError>(rounded.allFinite() || !values.allFinite(),
                     "X has a value beyond {:.1e}, the largest of single precision. Scale X, for example with "
                     "StandardScaler.",
                     std::numeric_limits<float>::max());
  Matrix precise;
  if (!(rounded.cast<double>() == values)) precise = values;
  return {std::move(rounded), std::move(precise)};
}

Evidence features(const Array& a, Names names, Names labels, const std::string& options, std::uint64_t seed) {
  const ValueTable table = table_of_json(options, "options");
  const py::gil_scoped_release others_run;
  auto [rounded, precise] = features_in(a);
  return shared(datasets::evidence_of_features(std::move(rounded), std::move(precise), std::move(names),
                                               std::move(labels), table, seed));
}

Evidence dissimilarities(const Doubles& a, Names names, bool take_mean) {
  if (a.ndim() != 2) throw py::value_error("a two-dimensional array is needed");
  const py::gil_scoped_release others_run;
  return shared(datasets::evidence_of_dissimilarities(Matrix(matrix_in<double>(a)), std::move(names), take_mean));
}

Evidence dissimilarity_views(const std::vector<std::pair<std::string, Doubles>>& views) {
  std::vector<std::pair<std::string, Matrix>> matrices;
  for (const auto& [name, values] : views) {
    if (values.ndim() != 2) throw py::value_error("a two-dimensional array is needed");
    matrices.emplace_back(name, matrix_in<double>(values));
  }
  return shared(datasets::evidence_of_views(std::move(matrices)));
}

Evidence file(const std::string& name, const std::string& options) {
  const ValueTable table = table_of_json(options, "options");
  const py::gil_scoped_release others_run;
  return shared(datasets::evidence_of_file(name, table));
}

/// n x n of the only table of dissimilarities, NaN where a pair has no weight.
ArrayOf<double> known_dissimilarities(const Observations& observations) {
  const auto& [name, values, weights] = observations.dissimilarities.front();
  if (weights.size() == 0) return array_of(values);
  return array_of((weights.array() > 0).select(values, std::nan("")));
}

Evidence judgements(const std::string& text) { return shared(datasets::judgements_of_text(text, "answers")); }

Evidence pairs(const Array& rows, const ArrayOf<std::int8_t>& signs, Index count, Names names, bool graph) {
  const datasets::IntegerArray pairs = integers_in(rows);
  if (pairs.cols != 2 || signs.size() != pairs.rows) throw py::value_error("pairs need two columns and one sign each");
  return shared(
      datasets::evidence_of_pairs(pairs, {signs.data(), subscript(signs.size())}, count, std::move(names), graph));
}

/// The same evidence with pairs that belong together, those of `signs`.
Evidence with_pairs(const Evidence& evidence, const Evidence& signs) {
  if (evidence->object_count() != signs->object_count()) throw py::value_error("the signs are of other objects");
  Observations out = *evidence;
  out.pair_signs = signs->pair_signs;
  return shared(std::move(out));
}

/// The triplets as an array m x 3, with aspects and weights; for tests and for those who want what answers imply.
py::tuple triplets_of(const Observations& observations) {
  if (!observations.triplets) throw py::value_error("there are no triplets");
  const TripletSource& triplets = *observations.triplets;
  const auto count = static_cast<Index>(triplets.size());
  Codes rows(std::vector<Index>{count, 3}), aspects(std::vector<Index>{count});
  Doubles weights(std::vector<Index>{count});
  for (Index i = 0; i < count; ++i) {
    const Triplet t = triplets.at(static_cast<std::uint64_t>(i));
    std::ranges::copy(std::array<std::uint32_t, 3>{t.anchor, t.near, t.far}, rows.mutable_data() + 3 * i);
    aspects.mutable_data()[i] = t.aspect;
    weights.mutable_data()[i] = t.weight;
  }
  return py::make_tuple(std::move(rows), std::move(aspects), std::move(weights));
}

// ---- the interpreter ----

py::dict of_record(const TraceRecord& record) {
  py::dict out("iteration"_a = record.iteration, "seconds"_a = record.seconds, "objective"_a = record.objective,
               "gradient_norm"_a = record.gradient_norm);
  for (const auto& [name, value] : record.metrics) out[py::str(name)] = value;
  return out;
}

class ThisInterpreter final : public Interpreter {
 public:
  explicit ThisInterpreter(py::object progress) : progress_(std::move(progress)) {}
  [[nodiscard]] bool wants_progress() const override { return !progress_.is_none(); }
  void unlocked(const std::function<void()>& wait) override {
    const py::gil_scoped_release others_run;
    wait();
  }
  [[nodiscard]] bool serve(const std::vector<TraceRecord>& records) override {
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      for (const TraceRecord& record : records) progress_(of_record(record));
      return true;
    } catch (py::error_already_set& error) {
      raised_.emplace(std::move(error));
      return false;
    }
  }
  [[noreturn]] void raise() override { throw std::move(*raised_); }

 private:
  py::object progress_;
  std::optional<py::error_already_set> raised_;
};

// ---- maps ----

using SharedProjector = std::shared_ptr<const Projector>;

/// Holds a projector, since pybind11 takes no pointer to const.
struct Placer {
  SharedProjector projector;
  std::optional<FeatureScaling> range{};  // of the rows that made the map
};

datasets::FeatureData rows_of(const Doubles& X) {
  datasets::FeatureData out;
  out.precise = matrix_in<double>(X);
  out.features = out.precise.cast<float>();
  return out;
}

Array place(const Placer& placer, const Array& X) {
  if (!X.is_c_array(2)) throw py::value_error("a two-dimensional array in C order is needed");
  const Projector& projector = *placer.projector;
  const FeatureFrame frame = projector.frame();
  const bool is_float = X.holds('f') && X.itemsize() == sizeof(float);
  if (!is_float && (!X.holds('f') || X.itemsize() != sizeof(double)))
    throw py::type_error("an array of float64 is needed");
  Matrix places;
  {
    const py::gil_scoped_release others_run;
    if (is_float && frame.is_identity())
      places = projector.project(matrix_in<float>(X));
    else if (is_float)
      places = projector.project(in_frame(FeatureMatrix(matrix_in<float>(X)), frame));
    else if (frame.is_identity())
      places = projector.project(FeatureMatrix(matrix_in<double>(X).cast<float>()));
    else
      places = projector.project(in_frame(Matrix(matrix_in<double>(X)), frame));
  }
  return array_of(std::move(places));
}

FinishedMap finished_map(const std::string& row_text, const Doubles& coordinates, Names objects, Names labels) {
  FinishedMap out;
  ResultRow row = row_of(table_of_json(row_text, "row"));
  out.problem = std::move(row.problem);
  out.solver = std::move(row.solver);
  out.dataset = std::move(row.dataset);
  out.coordinates = matrix_in<double>(coordinates);
  out.objects = std::move(objects);
  out.labels = std::move(labels);
  return out;
}

py::dict of_result(RunResult result) {
  py::list maps, trace, uncertainty, warnings;
  for (AspectMap& map : result.embedding.maps)
    maps.append(py::make_tuple(map.name, array_of(std::move(map.coordinates))));
  for (const TraceRecord& record : result.trace) trace.append(of_record(record));
  for (MapUncertainty& u : result.uncertainty)
    uncertainty.append(py::make_tuple(array_of(std::move(u.covariance)),
                                      ArrayOf<Index>(u.replicates.data(), std::ssize(u.replicates))));
  for (const RowWarning warning : warnings_of(result.row))
    if (is_grave(warning) && warning != RowWarning::not_feasible)  // which classes with bounds tell
      warnings.append(warning_text(warning, result.row));
  py::dict out("row"_a = to_line(result.row), "warnings"_a = warnings,
               "cancelled"_a = result.row.status == RunStatus::cancelled, "objects"_a = result.observations.objects,
               "labels"_a = result.observations.labels, "maps"_a = maps, "trace"_a = trace,
               "uncertainty"_a = uncertainty);
  if (result.embedding.annotators) {
    py::list annotators;
    for (const AnnotatorEstimate& one : result.embedding.annotators->annotators)
      annotators.append(py::dict("annotator"_a = one.name, "answers"_a = one.answers, "guess_rate"_a = one.guess_rate,
                                 "standard_error"_a = one.standard_error, "sharpness"_a = one.sharpness,
                                 "agreement"_a = one.agreement, "likely_guesser"_a = one.likely_guesser,
                                 "reversed"_a = one.reversed, "group"_a = one.group));
    out["annotators"] = std::move(annotators);
  }
  if (result.embedding.projector) out["projector"] = Placer{result.embedding.projector};
  return out;
}

py::dict solve_map(const std::string& config, const Evidence& evidence, int threads, const py::object& progress,
                   bool default_holdout, const std::optional<FinishedMap>& onto, const std::optional<Doubles>& start) {
  require_process_count("n_jobs", threads);
  MapRequest request{table_of_json(config, "config"), evidence, threads, default_holdout, onto};
  if (start) request.start = matrix_in<double>(*start);
  ThisInterpreter interpreter(progress);
  return of_result(interruptible<RunResult>(
      [request = std::move(request)](const std::stop_token& stop, const Progress& tell) mutable {
        request.progress = tell;
        return make_map(request, stop);
      },
      interpreter));
}

/// The folder of a finished map, as `alidade embed` writes it.
void save_map(const std::string& place, bool replace, const std::string& config, const std::string& row,
              const std::vector<std::pair<std::string, Doubles>>& maps, Names objects, Names labels,
              const std::vector<std::pair<Doubles, std::vector<Index>>>& uncertainty,
              const std::optional<Placer>& projector, Names features) {
  RunResult result;
  result.row = row_of(table_of_json(row, "row"));
  result.observations.objects = std::move(objects);
  result.observations.labels = std::move(labels);
  for (const auto& [name, coordinates] : maps) result.embedding.maps.push_back({name, matrix_in<double>(coordinates)});
  for (const auto& [covariance, replicates] : uncertainty)
    result.uncertainty.push_back({matrix_in<double>(covariance), replicates});
  if (projector) result.embedding.projector = projector->projector;
  result.projected_features = {std::move(features), std::nullopt, projector ? projector->range : std::nullopt};
  const Experiment experiment = interpret(table_of_json(config));
  const py::gil_scoped_release others_run;
  commands::MapFolder folder(place, replace);
  const commands::WrittenMap written = commands::write_map(folder, experiment, result, {"alidade.save"});
  folder.commit();
  require<DataError>(written.without_page.empty(), "{}", written.without_page);
}

/// The projector beside a map, the names of its features, and how they are scaled: None, or (shift, width).
py::tuple load_projector(const std::string& file) {
  ProjectedFeatures features;
  Placer placer{read_projector(file, &features)};
  placer.range = features.range;
  py::object scaling = py::none();
  if (features.scaling)
    scaling = py::make_tuple(array_of(Matrix(features.scaling->shift.transpose())),
                             array_of(Matrix(features.scaling->width.transpose())));
  return py::make_tuple(std::move(placer), features.names, scaling);
}

py::tuple ellipse(double v1, double c12, double v2, double share) {
  const Ellipse e = ellipse_of(v1, c12, v2, share);
  return py::make_tuple(e.semi_major, e.semi_minor, e.angle);
}

}  // namespace

std::unique_ptr<Interpreter> interpreter(void* progress) {
  return std::make_unique<ThisInterpreter>(py::reinterpret_borrow<py::object>(static_cast<PyObject*>(progress)));
}

ValueTable table_of_json(const std::string& text, const std::string& name) {
  Value value = parse_json(text, name);
  auto* table = value.get_if<ValueTable>();
  if (!table) throw py::type_error(name + " must be a dictionary");
  return std::move(*table);
}

void add_programs(void* module);

PYBIND11_MODULE(_core, m) {
  m.doc() = "The libraries of Alidade; use the package `alidade`.";
  offer_commands();
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    const py::gil_scoped_release others_run;
    lone_readers().wait();
  }));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  m.def("version", &version);
  m.def("build_details", &build_details);
  m.def("catalogs", &catalogs);

  py::class_<Observations, std::shared_ptr<Observations>>(m, "Evidence")
      .def_property_readonly("objects", [](const Observations& o) { return o.objects; })
      .def_property_readonly("object_count", &Observations::object_count)
      .def_property_readonly("aspects", [](const Observations& o) { return o.aspects; })
      .def_property_readonly("notes", [](const Observations& o) { return o.notes; })
      .def_property_readonly("guesses", [](const Observations& o) { return o.guesses; })
      .def_property_readonly("triplet_count", [](const Observations& o) { return o.triplets ? o.triplets->size() : 0; })
      .def_property_readonly("triplets", &triplets_of)
      .def_property_readonly("dissimilarities", &known_dissimilarities);
  m.def("indexed_answers", &indexed_answers);
  m.def("answer_columns", &datasets::answer_columns);
  m.def("text_answers", &text_answers);
  m.def("features", &features);
  m.def("dissimilarities", &dissimilarities);
  m.def("dissimilarity_views", &dissimilarity_views);
  m.def("file", &file);
  m.def("judgements", &judgements);
  m.def("pairs", &pairs);
  m.def("with_pairs", &with_pairs);

  py::class_<HeldMatrix>(m, "HeldMatrix", py::buffer_protocol()).def_buffer([](HeldMatrix& held) {
    const Index rows = held.values.rows(), cols = held.values.cols(), size = sizeof(double);
    return py::buffer_info(held.values.data(), {rows, cols}, {size * cols, size});
  });
  py::class_<Placer>(m, "Projector")
      .def("place", &place)
      .def_property_readonly("feature_count", [](const Placer& p) { return p.projector->feature_count(); })
      .def("know", [](Placer& p, const Doubles& X) { p.range = datasets::scaling_of(rows_of(X), "range"); })
      .def("note_on_far",
           [](const Placer& p, const Doubles& X, const Names& names) {
             const bool distances = p.projector->takes_dissimilarities();
             return p.range ? datasets::note_on_far_rows(rows_of(X), *p.range, names, distances) : "";
           })
      .def(py::pickle([](const Placer& p) { return projector_to_json(*p.projector, {{}, std::nullopt, p.range}); },
                      [](const std::string& text) {
                        ProjectedFeatures features;
                        auto projector = parse_projector(text, "projector", &features);
                        return Placer{std::move(projector), features.range};
                      }));
  py::class_<FinishedMap>(m, "FinishedMap").def(py::init(&finished_map));
  m.def("solve_map", &solve_map);
  m.def("save_map", &save_map);
  m.def("read_config", [](const std::string& file) { return to_json(read_config(file, {})); });
  m.def("load_projector", &load_projector);
  m.def("ellipse", &ellipse);
  add_programs(m.ptr());
}

}  // namespace alidade::python
