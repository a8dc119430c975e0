// The part of alidade._core for experiments, semidefinite programs, and problems and solvers written in Python.
// Matrices of a program come as lists of their entries on and above the diagonal.
// Calls into Python from a solve take the interpreter's lock, which the waiting thread has given up.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/python/arrays.hpp"
#include "experiments/python/interpreter.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/page_data.hpp"
#include "experiments/report/point_names.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/map_solve.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/core/text.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "solvers/catalog.hpp"
#include "solvers/public/sdp.hpp"

namespace py = pybind11;
using namespace py::literals;

namespace alidade::python {

namespace {

using Doubles = ArrayOf<double>;
using Indices = ArrayOf<std::int64_t>;
using Program = std::shared_ptr<SemidefiniteProgram>;

/// `places`: m x 4, of each entry: its matrix (-1: the cost, else a constraint), block, row and column.
Program program_of(const std::vector<Index>& sizes, const std::vector<bool>& diagonal, const Indices& places,
                   const Doubles& values, const std::string& relations, const std::vector<double>& bounds,
                   std::optional<double> trace_bound) {
  if (places.ndim() != 2 || places.shape(1) != 4 || values.size() != places.shape(0) ||
      diagonal.size() != sizes.size() || relations.size() != bounds.size())
    throw py::value_error("entries, blocks or constraints do not fit");
  auto out = std::make_shared<SemidefiniteProgram>();
  for (std::size_t b = 0; b < sizes.size(); ++b) out->blocks.push_back({"", sizes[b], diagonal[b]});
  out->constraints.resize(bounds.size());
  for (std::size_t r = 0; r < bounds.size(); ++r) {
    out->constraints[r].bound = bounds[r];
    out->constraints[r].relation = relations[r] == '<'   ? Relation::at_most
                                   : relations[r] == '>' ? Relation::at_least
                                                         : Relation::equal;
  }
  for (Index k = 0; k < places.shape(0); ++k) {
    const std::int64_t matrix = places.at(k, 0);
    auto& entries = matrix < 0 ? out->cost : out->constraints.at(static_cast<std::size_t>(matrix)).entries;
    entries.push_back({places.at(k, 1), places.at(k, 2), places.at(k, 3), values.data()[k]});
  }
  out->trace_bound = trace_bound;
  require_valid(*out);
  return out;
}

/// As program_of takes them.
py::tuple parts_of(const SemidefiniteProgram& program) {
  std::vector<std::array<std::int64_t, 4>> places;
  std::vector<double> values, bounds;
  std::string relations;
  const auto add = [&](std::int64_t matrix, const std::vector<SymmetricEntry>& entries) {
    for (const SymmetricEntry& e : entries) {
      places.push_back({matrix, e.block, e.row, e.col});
      values.push_back(e.value);
    }
  };
  add(-1, program.cost);
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    const SemidefiniteConstraint& row = program.constraints[r];
    add(static_cast<std::int64_t>(r), row.entries);
    bounds.push_back(row.bound);
    relations += row.relation == Relation::equal ? '=' : row.relation == Relation::at_most ? '<' : '>';
  }
  std::vector<Index> sizes;
  std::vector<bool> diagonal;
  for (const SemidefiniteBlock& block : program.blocks) {
    sizes.push_back(block.size);
    diagonal.push_back(block.diagonal);
  }
  Indices entries(std::vector<Index>{std::ssize(places), 4});
  if (!places.empty()) std::copy_n(places.front().data(), 4 * places.size(), entries.mutable_data());
  return py::make_tuple(sizes, diagonal, entries, Doubles(values.data(), std::ssize(values)), relations, bounds);
}

template <class T>
Doubles array_of(const T& values) {
  Doubles out(std::vector<Index>{values.rows(), values.cols()});
  Eigen::Map<Matrix>(out.mutable_data(), values.rows(), values.cols()) = values;
  return out;
}
Doubles array_of(const Vector& values) { return {values.data(), values.size()}; }

py::dict solve_program(const Program& program, const std::string& solver, const std::string& options, int threads,
                       const std::string& timeout, const py::object& progress) {
  const ValueTable table = table_of_json(options);
  sdp::Options how{.solver = solver, .options = {table.begin(), table.end()}, .threads = threads, .may_fork = true};
  if (!timeout.empty()) how.time_limit = seconds_of(value_from_text(timeout));
  const auto here = interpreter(progress.ptr());
  const auto [solved, errors, proven] = interruptible<sdp::Solved>(
      [program, how](const std::stop_token& stop, const Progress&) {
        const std::scoped_lock alone(process_wide());
        sdp::Options stopping = how;
        stopping.stop = stop;
        return sdp::solve(*program, stopping);
      },
      *here);
  const Summary& summary = solved.summary;
  const SemidefiniteSolution& x = solved.solution;
  const auto arrays = [](const auto& blocks) {
    py::list list;
    for (const auto& block : blocks) list.append(array_of(block.dense()));
    return list;
  };
  py::list slacks;
  for (const Matrix& z : x.dual_blocks) slacks.append(array_of(z));
  py::dict out("status"_a = std::string(to_string(summary.termination)), "message"_a = summary.message,
               "usable"_a = summary.usable(), "solver"_a = solved.solver, "choice"_a = solved.choice,
               "n_iter"_a = summary.counts.iterations, "seconds"_a = summary.solve_seconds, "X"_a = arrays(x.blocks),
               "Z"_a = slacks, "y"_a = array_of(x.multipliers), "proven_lower_bound"_a = proven);
  if (summary.certificate) {
    out["lower_bound"] = summary.certificate->lower_bound;
    out["upper_bound"] = summary.certificate->upper_bound;
    out["not_feasible"] = summary.certificate->excludes_point();
  }
  if (errors) {
    out["primal"] = errors->primal_objective;
    out["dual"] = errors->dual_objective;
    out["errors"] = errors->dimacs;
  }
  if (x.ray) {
    out["ray_y"] = array_of(x.ray->multipliers);
    out["ray_X"] = arrays(x.ray->blocks);
  }
  return out;
}

// ---- problems ----

Manifold manifold_of(const std::string& domain) {
  const ValueTable options = table_of_json(domain);
  const Value* name = options.find("name");
  const std::string text = name && name->get_if<std::string>() ? *name->get_if<std::string>() : "";
  const auto allow = [&](const std::vector<std::string>& keys) {
    for (const auto& [key, value] : options)
      require<ConfigError>(key == "name" || std::ranges::find(keys, key) != keys.end(),
                           "The domain '{}' has no number '{}'.{}", text, key, suggestion(key, keys));
  };
  const auto number = [&](const char* key, double usual) {
    const Value* value = options.find(key);
    if (!value) return usual;
    require<ConfigError>(value->number().has_value(), "The domain's '{}' must be a number, not {}.", key,
                         value->to_text());
    return *value->number();
  };
  if (text == "euclidean") return allow({}), Euclidean{};
  if (text == "oblique") return allow({"radius"}), Oblique{number("radius", 1)};
  if (text == "positive") return allow({}), Positive{};
  if (text == "box") return allow({"lower", "upper"}), Box{};
  throw ConfigError(fmt::format("There is no domain '{}'.{}", text,
                                suggestion(text, std::vector<std::string>{"euclidean", "oblique", "box", "positive"})));
}

Doubles array_of(const Point& x) {
  if (x.layout()->size() == 1) return array_of(x.block(0));
  return {x.flat().data(), x.size()};
}

/// Copies numbers into a point. @throws ValueError of Python, which names `what`, unless they have its shape
void fill(const Doubles& from, const char* what, Point& to) {
  const bool single = to.layout()->size() == 1;
  const bool fits = single ? from.ndim() == 2 && from.shape(0) == to.layout()->front().rows &&
                                 from.shape(1) == to.layout()->front().cols
                           : from.ndim() == 1 && from.shape(0) == to.size();
  if (!fits) {
    const auto text = [](const std::vector<Index>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); };
    const BlockShape& block = to.layout()->front();
    throw py::value_error(fmt::format("{} has another shape than the problem: {} instead of {}", what,
                                      text(from.shape()),
                                      single ? text({block.rows, block.cols}) : fmt::format("({},)", to.size())));
  }
  std::copy_n(from.data(), from.size(), to.flat().begin());
}

/// @throws TypeError of Python unless it is a number
double number_of(const py::object& value) {
  const double out = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred()) throw py::error_already_set();
  return out;
}

/// What the Python object raised: a solve does not keep its best point then, as it does for other exceptions.
class Raised : public Error {
 public:
  explicit Raised(std::exception_ptr raised)
      : Error("the problem raised", std::source_location::current()), raised_(std::move(raised)) {}
  [[noreturn]] void again() const { std::rethrow_exception(raised_); }

 private:
  std::exception_ptr raised_;
};

/// Calls what may throw Raised, and raises what was raised.
template <class Call>
auto unwrapped(const Call& call) {
  try {
    return call();
  } catch (const Raised& raised) {
    raised.again();
  }
}

template <class Call>
double raising(const Call& call) {
  try {
    return call();
  } catch (const std::exception&) {
    throw Raised(std::current_exception());
  }
}

/// A problem whose objective and gradient a Python object computes.
class PythonProblem {
 public:
  /// `computes` has value_and_gradient(Y); `value` is what it has to compute the value alone, or None.
  PythonProblem(py::object value_and_gradient, py::object value, std::shared_ptr<const Domain> domain)
      : held_(new Held{std::move(value_and_gradient), std::move(value)},
              [](const Held* held) {
                const py::gil_scoped_acquire lock;
                delete held;
              }),
        domain_(std::move(domain)) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    const py::gil_scoped_acquire lock;
    if (held_->value.is_none()) {
      Point unused = domain_->zero();
      return value_and_gradient(x, unused, evaluation);
    }
    return raising([&] { return number_of(held_->value(array_of(x))); });
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const {
    const py::gil_scoped_acquire lock;
    return raising([&] { return computed(x, gradient); });
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", Matrix(std::get<Point>(x).block(0))}}}; }

 private:
  double computed(const Point& x, Point& gradient) const {
    const py::object result = held_->value_and_gradient(array_of(x));
    if (!py::isinstance<py::tuple>(result) || py::len(result) != 2)
      throw py::type_error("value_and_gradient must return a pair: a number and an array");
    const auto pair = result.cast<py::tuple>();
    fill(gradient_in(pair[1]), "the gradient", gradient);
    const double value = number_of(pair[0]);
    // A value that is not finite may mean that a step was too long, which solvers shorten.
    if (std::isfinite(value) && !std::ranges::all_of(gradient.flat(), [](double g) { return std::isfinite(g); }))
      throw py::value_error(
          fmt::format("value_and_gradient returned the value {} with a gradient that contains NaN or infinity", value));
    return value;
  }

  static Doubles gradient_in(const py::handle& returned) {
    try {
      return Doubles(returned);
    } catch (const py::error_already_set&) {
      throw py::type_error("the gradient must be an array");
    }
  }

  struct Held {
    py::object value_and_gradient, value;
  };
  std::shared_ptr<const Held> held_;
  std::shared_ptr<const Domain> domain_;
};
static_assert(SmoothProblem<PythonProblem>);

/// A problem with what it was made of.
class HeldProblem {
 public:
  HeldProblem(std::shared_ptr<const Observations> observations, Problem problem)
      : observations_(std::move(observations)), problem_(std::move(problem)) {}
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Domain& domain() const {
    const Domain* domain = problem_.domain();
    require<UnsupportedPair>(domain != nullptr, "{} has no points: its solution is no array.", problem_.name());
    return *domain;
  }
  /// What objectives are multiplied by to be in units of the data, as points are: 1 where points are in units of the
  /// problem's own.
  [[nodiscard]] double objective_factor() const {
    const auto [map, objective, rounding] = problem_.unit_factors();
    return map == 1 ? objective : 1;
  }

 private:
  std::shared_ptr<const Observations> observations_;
  Problem problem_;
};

std::shared_ptr<HeldProblem> python_problem(const py::object& value_and_gradient, const py::object& value, Index rows,
                                            Index cols, const std::string& domain, const std::optional<Doubles>& lower,
                                            const std::optional<Doubles>& upper) {
  const auto numbers = [](const Doubles& from) { return std::vector<double>(from.data(), from.data() + from.size()); };
  Manifold manifold = manifold_of(domain);
  if (lower && upper) manifold = Box{numbers(*lower), numbers(*upper)};
  auto where = std::make_shared<const Domain>(std::vector<DomainBlock>{{"Y", rows, cols, std::move(manifold)}});
  return std::make_shared<HeldProblem>(nullptr,
                                       Problem("python", PythonProblem(value_and_gradient, value, std::move(where))));
}

std::shared_ptr<HeldProblem> engine_problem(const std::string& name, const std::shared_ptr<Observations>& evidence,
                                            const std::string& options, int threads) {
  const ProblemEntry& entry = problem_catalog().at(name);
  const ValueTable resolved = resolve_options(entry.options, table_of_json(options), "problem '" + name + "'");
  const py::gil_scoped_release others_run;
  Executor executor(threads);
  return std::make_shared<HeldProblem>(evidence, entry.make(*evidence, resolved, executor));
}

double value_at(const HeldProblem& held, const Doubles& Y, int threads) {
  Point x = held.domain().zero();
  fill(Y, "Y", x);
  const py::gil_scoped_release others_run;
  Executor executor(threads);
  Evaluation evaluation(executor);
  return held.objective_factor() * unwrapped([&] { return held.problem().objective(Solution(x), evaluation); });
}

py::tuple value_and_gradient_at(const HeldProblem& held, const Doubles& Y, int threads) {
  Point x = held.domain().zero(), gradient = held.domain().zero();
  fill(Y, "Y", x);
  double value = 0;
  {
    const py::gil_scoped_release others_run;
    Executor executor(threads);
    Evaluation evaluation(executor);
    const SmoothFace& face = held.problem().face<SmoothFace>();
    value = held.objective_factor() * unwrapped([&] { return face.value_and_gradient(x, gradient, evaluation); });
    gradient.vector() *= held.objective_factor();
  }
  return py::make_tuple(value, array_of(gradient));
}

Point start_of(const HeldProblem& held, std::uint64_t seed) {
  static_cast<void>(held.domain());
  Rng rng = Rng::stream(seed, "init");
  return std::get<Point>(held.problem().start(rng));
}

/// The SVG of a map as the report's figures are. `places`: n x d; NaN where an object has none.
std::string map_svg(const Doubles& places, const std::vector<std::string>& names,
                    const std::vector<std::string>& labels) {
  ReportModel all;
  all.rows.emplace_back();
  all.object_lists.push_back({names, labels, {}});
  ReportModel::MapView view;
  view.dimensions = static_cast<std::size_t>(places.shape(1));
  for (Index c = 0; c < places.shape(1); ++c)
    for (Index i = 0; i < places.shape(0); ++i) view.coordinates.push_back(static_cast<float>(places.at(i, c)));
  all.maps.push_back(std::move(view));
  return report::map_figures(all).front().svg;
}

/// `frame`: left, top, right and bottom. Of each name with a place: its point, its place, the side of it that is there,
/// and whether it stands apart.
py::list place_names(const std::vector<double>& widths, const std::vector<std::array<double, 2>>& points, double radius,
                     const std::array<double, 4>& frame, double size, double reach) {
  std::vector<report::Pixel> places;
  for (const auto& [x, y] : points) places.push_back({x, y});
  const auto [left, top, right, bottom] = frame;
  py::list out;
  for (const auto& [point, anchor, at, end] :
       report::place_names(widths, places, radius, {left, top, right, bottom}, {.size = size, .reach = reach}))
    out.append(py::make_tuple(point, at.x, at.y,
                              anchor == report::Anchor::start ? "left"
                              : anchor == report::Anchor::end ? "right"
                                                              : "center",
                              end.has_value()));
  return out;
}

class ProgressObserver final : public Observer {
 public:
  explicit ProgressObserver(Progress tell) : tell_(std::move(tell)) {}
  [[nodiscard]] bool wants(Index) const override { return static_cast<bool>(tell_); }
  void observe(const Solution&, TraceRecord& record) override { tell_(record); }

 private:
  Progress tell_;
};

py::dict minimize(const std::shared_ptr<HeldProblem>& held, const std::optional<Doubles>& start,
                  const std::string& solver, const std::string& options, std::uint64_t seed, int threads,
                  const std::string& timeout, const py::object& progress) {
  const std::shared_ptr<const Solver> by = solver_catalog().at(solver).make(table_of_json(options));
  std::optional<double> limit;
  if (!timeout.empty()) limit = seconds_of(value_from_text(timeout));
  Point x = start_of(*held, seed);
  if (start) {
    fill(*start, "start", x);
    const double off = held->domain().residual(x),
                 size = std::ranges::max(x.flat(), {}, [](double v) { return std::abs(v); });
    require<DataError>(off <= 1e-9 * (1 + std::abs(size)),
                       "start lies outside the problem's domain, by {:.3g}. Give a point of the domain.", off);
    held->domain().repair(x);
  }
  const auto here = interpreter(progress.ptr());
  auto [point, summary] = interruptible<std::pair<Point, Summary>>(
      [held, by, x, seed, threads, limit](const std::stop_token& stop, const Progress& tell) {
        Executor executor(threads);
        ProgressObserver observer(tell);
        SolveContext context(executor);
        context.rng = Rng::stream(seed, "solver");
        context.stop = stop;
        context.deadline = RunClock::deadline(limit);
        if (tell) context.observer = &observer;
        Solution solution(x);
        Summary ended = unwrapped([&] { return by->solve(held->problem(), solution, context); });
        return std::pair(std::get<Point>(std::move(solution)), std::move(ended));
      },
      *here);
  const double unit = held->objective_factor();
  return py::dict("x"_a = array_of(point), "status"_a = std::string(to_string(summary.termination)),
                  "message"_a = summary.message, "usable"_a = summary.usable(),
                  "objective"_a = unit * summary.objective, "initial_objective"_a = unit * summary.initial_objective,
                  "gradient_norm"_a = unit * summary.gradient_norm, "n_iter"_a = summary.counts.iterations,
                  "n_evaluations"_a = summary.counts.evaluations, "seconds"_a = summary.solve_seconds);
}

py::list maps_at(const HeldProblem& held, const Doubles& Y) {
  Point x = held.domain().zero();
  fill(Y, "Y", x);
  py::list out;
  for (const AspectMap& map : held.problem().decode(Solution(x)).maps)
    out.append(py::make_tuple(map.name, array_of(map.coordinates)));
  return out;
}

}  // namespace

void add_programs(void* module) {
  auto m = py::reinterpret_borrow<py::module_>(static_cast<PyObject*>(module));
  const py::call_guard<py::gil_scoped_release> unlocked;
  py::class_<SemidefiniteProgram, Program>(m, "Program")
      .def(py::init(&program_of))
      .def_property_readonly("parts", &parts_of)
      .def_property_readonly("trace_bound", [](const SemidefiniteProgram& program) { return program.trace_bound; })
      .def("to_sdpa", [](const SemidefiniteProgram& program) { return to_sdpa(program); });
  m.def(
      "read_program",
      [](const std::string& path) { return std::make_shared<SemidefiniteProgram>(commands::read_program(path)); },
      unlocked);
  m.def("solve_program", &solve_program);

  py::class_<HeldProblem, std::shared_ptr<HeldProblem>>(m, "Problem")
      .def_property_readonly("name", [](const HeldProblem& p) { return p.problem().name(); })
      .def_property_readonly(
          "blocks",
          [](const HeldProblem& p) {
            py::list out;
            for (const DomainBlock& b : p.domain().blocks())
              out.append(py::make_tuple(b.name, b.rows, b.cols,
                                        std::visit([](const auto& manifold) { return manifold.name(); }, b.manifold)));
            return out;
          })
      .def("value", &value_at)
      .def("value_and_gradient", &value_and_gradient_at)
      .def("start", [](const HeldProblem& p, std::uint64_t seed) { return array_of(start_of(p, seed)); })
      .def("maps", &maps_at);
  m.def("python_problem", &python_problem);
  m.def("engine_problem", &engine_problem);
  m.def("minimize", &minimize);

  m.def("checked_config", [](const std::string& config) { return interpret(table_of_json(config)).name; });
  m.def("checked_file", [](const std::string& file, const std::vector<std::string>& overrides) {
    return interpret(read_config(file, overrides)).name;
  });
  m.def("to_toml", [](const std::string& config) { return to_toml(table_of_json(config)); });
  // `alidade run`, in a process of its own: it forks. Says what is wrong before status 2.
  m.def(
      "run_command",
      [](const std::string& options) {
        constexpr int kBadInput = 2;
        const ValueTable table = table_of_json(options);
        try {
          return commands::run_with(table);
        } catch (const Error& error) {
          say("{}\n", error.what());
          return kBadInput;
        }
      },
      unlocked);
  // The rows that meet all conditions, each as JSON, of those that a table takes; then notes on rows left out.
  m.def("rows", [](const std::string& folder, const std::vector<std::string>& where) {
    std::vector<std::string> rows, notes;
    const std::vector<Row> found = rows_where(read_rows_on_last_data(folder, where, notes), where);
    for (const Row& row : found) rows.push_back(to_json(row.table()));
    if (std::string damage = damage_in(folder, found).note(folder); !damage.empty()) notes.push_back(std::move(damage));
    return std::pair(std::move(rows), std::move(notes));
  });
  m.def("table", [](const std::string& options) {
    std::vector<std::string> notes;
    std::string text = commands::table_text(table_of_json(options), notes);
    return std::pair(std::move(text), std::move(notes));
  });
  m.def(
      "write_page", [](const std::string& folder, const std::string& page) { write_report(folder, page); }, unlocked);

  m.attr("palette") = py::cast(report::kPalette);
  m.attr("unknown_colour") = py::cast(report::kFaintColour);
  m.attr("mark_shapes") = py::cast(report::kMarkShapes);
  m.def("categories", [](const std::vector<std::string>& labels) { return report::kind_of(labels).categories; });
  m.def("place_names", &place_names);
  m.def("map_svg", &map_svg);
}

}  // namespace alidade::python
