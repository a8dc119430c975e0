#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "experiments/datasets/readers/idx_file.hpp"
#include "experiments/datasets/readers/matlab_file.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/feature_entry.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/npy_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

FeatureData features_of(NumericTable table) {
  FeatureData out{std::move(table.values), std::move(table.objects), std::move(table.labels), {}};
  out.precise = std::move(table.precise);
  return out;
}

/// Images stored in the columns of a MATLAB variable.
FeatureMatrix columns_as_rows(const Matrix& values) { return values.transpose().cast<float>(); }

void require_shape(const std::filesystem::path& path, std::string_view what, Index rows, Index columns, Index rows_due,
                   Index columns_due) {
  require<DataError>(rows == rows_due && columns == columns_due,
                     "'{}' holds {} as {} x {}, not {} x {}, so it is not the published file. Download that one.",
                     path.string(), what, rows, columns, rows_due, columns_due);
}

// ---- data in two parts ----

struct PartOptions : SubsetOptions {
  std::string part = "both";
  static OptionList<PartOptions> list() {
    return OptionList<PartOptions>()
        .text("part", &PartOptions::part, {"both", "train", "test"},
              "which of the two files: test or train; both: one after the other")
        .include(SubsetOptions::list());
  }
};

/// The requested parts of two files, train before test.
FeatureData read_parts(const PartOptions& options, std::span<const std::filesystem::path> paths,
                       const NumericTableSpec& spec) {
  FeatureData out;
  for (std::size_t i = 0; i < 2; ++i) {
    if (options.part == (i == 0 ? "test" : "train")) continue;
    NumericTable table = read_numeric_table(paths[i], spec);
    if (out.labels.empty()) {
      out.features = std::move(table.values);
      out.labels = std::move(table.labels);
      continue;
    }
    const Index before = out.features.rows();
    out.features.conservativeResize(before + table.values.rows(), Eigen::NoChange);
    out.features.bottomRows(table.values.rows()) = table.values;
    out.labels.insert(out.labels.end(), table.labels.begin(), table.labels.end());
  }
  return out;
}

}  // namespace

DatasetEntry digits_dataset() {
  return feature_dataset({.name = "digits",
                          .summary = "1,797 handwritten digits, 8 x 8 pixels; the test part of UCI's optdigits, "
                                     "scikit-learn's digits",
                          .citation = "E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine "
                                      "Learning "
                                      "Repository, 1998, doi 10.24432/C50P49",
                          .licence = "UCI states CC BY 4.0",
                          .format = "text, comma-separated, no header: 64 pixels from 0 to 16 by rows, then the digit",
                          .files = {{.path = "digits/optdigits.tes",
                                     .sha256 = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
                                     .url = "https://archive.ics.uci.edu/dataset/80/"
                                            "optical+recognition+of+handwritten+digits",
                                     .bytes = 264712,
                                     .downloads = {{"https://archive.ics.uci.edu/static/public/80/"
                                                    "optical+recognition+of+handwritten+digits.zip",
                                                    "optdigits.tes"}}}},
                          .counts = {.objects = 1797, .features = 64, .classes = 10}},
                         [](const std::filesystem::path& path) {
                           NumericTable table = read_numeric_table(
                               path, {.header = NumericTableSpec::Header::absent, .label = "65", .columns = 65});
                           table.objects.clear();
                           return features_of(std::move(table));
                         });
}

DatasetEntry wine_dataset() {
  return feature_dataset(
      {.name = "wine",
       .summary = "178 wines of three cultivars by 13 measurements in different units; set scale "
                  "= \"standard\"",
       .citation = "S. Aeberhard, M. Forina, Wine, UCI Machine Learning Repository, 1992, doi "
                   "10.24432/C5PC7J",
       .licence = "UCI states CC BY 4.0",
       .format = "text, comma-separated, no header: cultivar, then 13 measurements",
       .files = {{.path = "wine/wine.data",
                  .sha256 = "6be6b1203f3d51df0b553a70e57b8a723cd405683958204f96d23d7cd6aea659",
                  .url = "https://archive.ics.uci.edu/dataset/109/wine",
                  .bytes = 10782,
                  .downloads = {{"https://archive.ics.uci.edu/static/public/109/wine.zip", "wine.data"}}}},
       .counts = {.objects = 178, .features = 13, .classes = 3}},
      [](const std::filesystem::path& path) {
        return features_of(
            read_numeric_table(path, {.header = NumericTableSpec::Header::absent, .label = "1", .columns = 14}));
      });
}

DatasetEntry phoneme_dataset() {
  return feature_dataset(
      {.name = "phoneme",
       .summary = "4,509 spoken phonemes of five kinds, as log-periodograms of length 256",
       .citation = "T. Hastie, A. Buja, R. Tibshirani, Penalized discriminant analysis, Annals of "
                   "Statistics 23, "
                   "1995",
       .licence = "GPL 2 or later for the R package ElemStatLearn; none stated for the data",
       .format = "gzipped text, comma-separated, with a header: number, 256 values, phoneme, "
                 "speaker",
       .files = {{.path = "phoneme/phoneme.data.gz",
                  .sha256 = "6a8ea201b3968bac1adbff917136e2c95a23abd4a4269688b01509e226f31832",
                  .url = "https://hastie.su.domains/ElemStatLearn/datasets/phoneme.data",
                  .unpacked_sha256 = "cabfa337bf2b90d8be1966efe641a991ea00d2749b96b5b71cc68b47b2002d29",
                  .bytes = 4323881,
                  .downloads = {{"https://hastie.su.domains/ElemStatLearn/datasets/phoneme.data", ""}},
                  .by_hand = "the hashes are those of the table in the R package ElemStatLearn, "
                             "written as text. It is not known whether the published text has the same "
                             "bytes. If it has not, put it there as phoneme.data: it is read as well, "
                             "and `alidade data verify` reports that it differs"}},
       .counts = {.objects = 4509, .features = 256, .classes = 5}},
      [](const std::filesystem::path& path) {
        return features_of(read_numeric_table(path, {.header = NumericTableSpec::Header::there,
                                                     .name = "row.names",
                                                     .label = "g",
                                                     .not_read = {"speaker"},
                                                     .columns = 259}));
      });
}

DatasetEntry usps_dataset() {
  const std::string by_hand =
      "the file at that address has the same numbers, written with other decimals. Put it there: "
      "it is read as well, and `alidade data verify` reports that it differs";
  return feature_dataset(
      {.name = "usps",
       .summary = "9,298 digits from envelopes, 16 x 16 pixels: 7,291 to train and 2,007 to test",
       .citation = "Y. LeCun and others, Handwritten digit recognition with a back-propagation network, "
                   "NIPS 1989; "
                   "J. Hull, A database for handwritten text recognition research, IEEE PAMI 16(5), 1994",
       .licence = "GPL 2 or later for the R package ElemStatLearn; none stated for the data",
       .format = "gzipped text, separated by blanks: digit, then 256 pixels from -1 to 1 by rows",
       .files = {{.path = "usps/zip.train.gz",
                  .sha256 = "07761427723f92ad50668def9880af295183cc0c042dd5990762288a161bfe99",
                  .url = "https://hastie.su.domains/ElemStatLearn/datasets/zip.train.gz",
                  .unpacked_sha256 = "650c830d14b68410477727891affb110537c54e14640249e926bc12183f20983",
                  .bytes = 1480070,
                  .by_hand = by_hand},
                 {.path = "usps/zip.test.gz",
                  .sha256 = "f57032d870930f2a695934d25d6566531c306c29c85f56118afcb3341cb93da0",
                  .url = "https://hastie.su.domains/ElemStatLearn/datasets/zip.test.gz",
                  .unpacked_sha256 = "70b81e50cecc01354ac87f1dfb003e47ec378706f5ba244f8f68e0e4c7636b70",
                  .bytes = 410063,
                  .by_hand = by_hand}},
       .counts = {.objects = 9298, .features = 256, .classes = 10}},
      PartOptions::list(), [](const PartOptions& options, const auto& paths) {
        FeatureData data = read_parts(options, paths,
                                      {.separator = NumericTableSpec::Separator::blanks,
                                       .header = NumericTableSpec::Header::absent,
                                       .label = "1",
                                       .columns = 257});
        // The authors' files write the digits as 6.0000.
        for (std::string& label : data.labels) label = label.substr(0, label.find('.'));
        return data;
      });
}

DatasetEntry landsat_dataset() {
  const std::string url = "https://archive.ics.uci.edu/dataset/146/statlog+landsat+satellite";
  const std::string zip = "https://archive.ics.uci.edu/static/public/146/statlog+landsat+satellite.zip";
  const std::string raw =
      "https://raw.githubusercontent.com/dirichletcal/experiments_neurips/"
      "634337e6690e3508e2f57214a931ac4a96ea70f6/datasets/";
  return feature_dataset(
      {.name = "landsat",
       .summary = "6,435 patches of 3 x 3 pixels in four bands of a satellite image; labels are "
                  "kinds of soil",
       .citation = "A. Srinivasan, Statlog (Landsat Satellite), UCI Machine Learning Repository, 1993, doi "
                   "10.24432/C55887",
       .licence = "UCI states CC BY 4.0",
       .format = "text, separated by blanks, no header: 36 pixels of four bands, then the class",
       .files = {{.path = "landsat/sat.trn",
                  .sha256 = "6da888aa398f4dd56a85bb7114f7206896a360b7af1d790450f64dbdb8493fc5",
                  .url = url,
                  .bytes = 530265,
                  .downloads = {{zip, "sat.trn"}, {raw + "sat.trn", ""}}},
                 {.path = "landsat/sat.tst",
                  .sha256 = "0045be0391420a35a69e8d2b0a4ff4b032a4aa03feebba0d89b9aa3e2d42c212",
                  .url = url,
                  .bytes = 238745,
                  .downloads = {{zip, "sat.tst"}, {raw + "sat.tst", ""}}}},
       .counts = {.objects = 6435, .features = 36, .classes = 6}},
      PartOptions::list(), [](const PartOptions& options, const auto& paths) {
        FeatureData data = read_parts(options, paths,
                                      {.separator = NumericTableSpec::Separator::blanks,
                                       .header = NumericTableSpec::Header::absent,
                                       .label = "37",
                                       .columns = 37});
        // The files number the classes; 6, mixtures, does not occur.
        constexpr std::array<std::string_view, 7> kSoils = {
            "red soil", "cotton crop",        "grey soil", "damp grey soil", "soil with vegetation stubble",
            "mixture",  "very damp grey soil"};
        for (std::string& label : data.labels)
          if (label.size() == 1 && label[0] >= '1' && label[0] <= '7')
            label = kSoils[static_cast<std::size_t>(label[0] - '1')];
        return data;
      });
}

DatasetEntry mnist_dataset() {
  const std::string url = "http://yann.lecun.com/exdb/mnist/";
  // Same content; the authors' server rarely answers. The second address has the bytes with the known hash.
  const std::string cloud = "https://ossci-datasets.s3.amazonaws.com/mnist/";
  const std::string raw = "https://raw.githubusercontent.com/kelas/mnist/283b387221ab46655e600cfcc25d843bb14292b9/";
  return feature_dataset(
      {.name = "mnist",
       .summary = "the 10,000 handwritten digits of MNIST's test set, 28 x 28 pixels",
       .citation = "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, Gradient-based learning applied to "
                   "document "
                   "recognition, Proceedings of the IEEE 86, 1998",
       .licence = "none stated by the authors; often distributed as CC BY-SA 3.0",
       .format = "gzipped IDX: the pixels by rows, one byte each, and the digits",
       .files = {{.path = "mnist/t10k-images-idx3-ubyte.gz",
                  .sha256 = "167310007f03058885c7e95e6c0b19c20de5c7fd3031f4cbdadc9014a523d80b",
                  .url = url,
                  .unpacked_sha256 = "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                  .bytes = 1648877,
                  .downloads = {{cloud + "t10k-images-idx3-ubyte.gz", ""}, {raw + "t10k-images-idx3-ubyte.gz", ""}}},
                 {.path = "mnist/t10k-labels-idx1-ubyte.gz",
                  .sha256 = "fc607395669ec21321ea83e4b82c0544b7e8e63ff5b34337c06bc0a17cc0da3c",
                  .url = url,
                  .unpacked_sha256 = "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
                  .bytes = 4542,
                  .downloads = {{cloud + "t10k-labels-idx1-ubyte.gz", ""}, {raw + "t10k-labels-idx1-ubyte.gz", ""}}}},
       .counts = {.objects = 10'000, .features = 784, .classes = 10}},
      SubsetOptions::list(), [](const SubsetOptions&, const auto& paths) {
        FeatureData out{.features = read_idx(paths[0]), .objects = {}, .labels = {}, .truth = {}};
        const FeatureMatrix digits = read_idx(paths[1]);
        require_shape(paths[1], "labels", digits.rows(), digits.cols(), out.features.rows(), 1);
        for (Index i = 0; i < digits.rows(); ++i) out.labels.push_back(std::to_string(static_cast<int>(digits(i, 0))));
        return out;
      });
}

namespace {

struct CoilOptions : SubsetOptions {
  Index object = 0;
  static OptionList<CoilOptions> list() {
    return OptionList<CoilOptions>()
        .integer("object", &CoilOptions::object, between(0, 20),
                 "use only the views of this object; the true map is then the ring of angles. 0: views "
                 "of all objects")
        .include(SubsetOptions::list());
  }
};

}  // namespace

DatasetEntry coil20_dataset() {
  constexpr Index kViews = 72;
  return feature_dataset(
      {.name = "coil20",
       .summary = "1,440 pictures of 20 objects on a turntable, 72 views each, 32 x 32 pixels",
       .citation = "S. Nene, S. Nayar, H. Murase, Columbia Object Image Library (COIL-20), "
                   "CUCS-005-96, 1996",
       .licence = "for research, by Columbia University",
       .format = "MATLAB 5: X, one picture per row with its pixels by columns, and Y, the objects",
       .files = {{.path = "coil20/COIL20.mat",
                  .sha256 = "4595ebdda07f47b0eb014fcfaddc22b452f9aed9c1d9261a0d5bc336c1ee1344",
                  .url = "https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
                  .bytes = 3024549,
                  .downloads = {{"https://raw.githubusercontent.com/farhadabedinzadeh/AutoUFSTool/"
                                 "70ee7d29e66d69e5ed94b36b62cf940b7e7a75e3/COIL20.mat",
                                 ""}}}},
       .counts = {.objects = 1440, .features = 1024, .classes = 20}},
      CoilOptions::list(), [](const CoilOptions& chosen, const auto& paths) {
        const std::filesystem::path& path = paths[0];
        const Matrix pictures = read_matlab(path, "X"), objects = read_matlab(path, "Y");
        require_shape(path, "X", pictures.rows(), pictures.cols(), 1440, 1024);
        require_shape(path, "Y", objects.rows(), objects.cols(), 1440, 1);
        // Rows are grouped by object, its views 5 degrees apart.
        const Index first = chosen.object > 0 ? kViews * (chosen.object - 1) : 0;
        const Index count = chosen.object > 0 ? kViews : pictures.rows();
        FeatureData out;
        out.features = pictures.middleRows(first, count).cast<float>();
        // Objects far apart: while k < 72, the nearest by pose are views of the same object.
        constexpr double kApart = 10;
        out.pose.resize(count, 3);
        for (Index i = 0; i < count; ++i) {
          const double object = objects(first + i, 0);
          const double angle = 2 * std::numbers::pi * static_cast<double>(i % kViews) / kViews;
          out.pose.row(i) << std::cos(angle), std::sin(angle), kApart * object;
          out.labels.push_back(std::to_string(static_cast<int>(object)));
          out.objects.push_back(fmt::format("object {} at {} degrees", out.labels.back(), 5 * (i % kViews)));
        }
        if (chosen.object > 0) out.truth = out.pose.leftCols(2);
        return out;
      });
}

DatasetEntry olivetti_dataset() {
  return feature_dataset({.name = "olivetti",
                          .summary = "400 photographs of 40 faces, ten of each, 64 x 64 pixels",
                          .citation = "F. Samaria, A. Harter, Parameterisation of a stochastic model for human face "
                                      "identification, "
                                      "IEEE WACV 1994 (AT&T Laboratories Cambridge)",
                          .licence = "none stated; AT&T Laboratories ask for a citation",
                          .format = "MATLAB 5: faces, one picture per column with its pixels by columns",
                          .files = {{.path = "olivetti/olivettifaces.mat",
                                     .sha256 = "b1988d02c72fe5b8ee82b5ef3bb7982eafc74f1e1ff0ae0ade35061ad0af534d",
                                     .url = "https://cs.nyu.edu/~roweis/data/olivettifaces.mat",
                                     .bytes = 1432511,
                                     .downloads = {{"https://raw.githubusercontent.com/sjgershm/DBM/"
                                                    "f2c3daacb880342847ed24283fb5a753c006b5d6/olivettifaces.mat",
                                                    ""}}}},
                          .counts = {.objects = 400, .features = 4096, .classes = 40}},
                         [](const std::filesystem::path& path) {
                           const Matrix faces = read_matlab(path, "faces");
                           require_shape(path, "faces", faces.rows(), faces.cols(), 4096, 400);
                           FeatureData out{
                               .features = columns_as_rows(faces), .objects = {}, .labels = {}, .truth = {}};
                           for (Index i = 0; i < faces.cols(); ++i) {
                             out.labels.push_back(std::to_string(i / 10 + 1));
                             out.objects.push_back(fmt::format("person {}, photo {}", i / 10 + 1, i % 10 + 1));
                           }
                           return out;
                         });
}

DatasetEntry isomap_faces_dataset() {
  return feature_dataset(
      {.name = "isomap_faces",
       .summary = "698 rendered pictures of one head, 32 x 32 pixels; the true coordinates are "
                  "light, pan and tilt, standardised",
       .citation = "J. Tenenbaum, V. de Silva, J. Langford, A global geometric framework for nonlinear "
                   "dimensionality reduction, Science 290, 2000",
       .licence = "none stated",
       .format = "MATLAB 5: dataY, one picture per column with its pixels by columns, and dataT",
       .files = {{.path = "isomap-faces/face_1024.mat",
                  .sha256 = "f375b7b3a46afea330157bee5811298efb58a24eece870de9a9b154367a9e96f",
                  .url = "http://isomap.stanford.edu/datasets.html",
                  .bytes = 2123336,
                  .downloads = {{"https://raw.githubusercontent.com/chunchentu/smogllim/"
                                 "17435779cc3bca64fa08bcd307e4cbaf6bb0e0b8/gen_sim_data/face_1024.mat",
                                 ""}}}},
       .counts = {.objects = 698, .features = 1024}},
      [](const std::filesystem::path& path) {
        const Matrix faces = read_matlab(path, "dataY"), parameters = read_matlab(path, "dataT");
        require_shape(path, "dataY", faces.rows(), faces.cols(), 1024, 698);
        require_shape(path, "dataT", parameters.rows(), parameters.cols(), 3, 698);
        return FeatureData{
            .features = columns_as_rows(faces), .objects = {}, .labels = {}, .truth = parameters.transpose()};
      });
}

DatasetEntry swiss_roll_dataset() {
  return feature_dataset(
      {.name = "swiss_roll",
       .summary = "20,000 points of a rolled-up sheet in space; the true map is the sheet, 100 by "
                  "50",
       .citation = "J. Tenenbaum, V. de Silva, J. Langford, A global geometric framework for nonlinear "
                   "dimensionality reduction, Science 290, 2000",
       .licence = "none stated",
       .format = "MATLAB 5: X_data, one point per column, and Y_data, its position on the sheet",
       .files = {{.path = "swiss-roll/swiss_roll_data.mat",
                  .sha256 = "cba9de7548f8d7c23cfdeacd23587a8825c06366da8817e030abe3666063a849",
                  .url = "http://isomap.stanford.edu/datasets.html",
                  .bytes = 800256,
                  .downloads = {{"http://isomap.stanford.edu/swiss_roll_data.mat", ""},
                                {"https://raw.githubusercontent.com/covartech/PRT/master/dataGen/"
                                 "dataStorage/swissRoll/swiss_roll_data.mat",
                                 ""}}}},
       .counts = {.objects = 20'000, .features = 3}},
      [](const std::filesystem::path& path) {
        const Matrix points = read_matlab(path, "X_data"), sheet = read_matlab(path, "Y_data");
        require_shape(path, "X_data", points.rows(), points.cols(), 3, 20000);
        require_shape(path, "Y_data", sheet.rows(), sheet.cols(), 2, 20000);
        return FeatureData{
            .features = columns_as_rows(points), .objects = {}, .labels = {}, .truth = sheet.transpose()};
      });
}

namespace {

struct SceneOptions : SubsetOptions {
  std::string tables = "all", scenes = "all";
  static OptionList<SceneOptions> list() {
    return OptionList<SceneOptions>()
        .text("tables", &SceneOptions::tables, {"all", "1", "2", "3"},
              "which table: that of 20, 59 or 40 features; all: the three side by side")
        .text("scenes", &SceneOptions::scenes, {"all", "outdoor"},
              "all 15 kinds, or the 8 outdoor kinds (2,688 photographs), the MIT scenes")
        .include(SubsetOptions::list());
  }
};

/// The file numbers the kinds of scene. Their sizes, all different, match the published list.
struct SceneKind {
  std::string_view name;
  Index photographs;
};
constexpr std::array<SceneKind, 15> kSceneKinds = {{{"suburb", 241},
                                                    {"coast", 360},
                                                    {"forest", 328},
                                                    {"highway", 260},
                                                    {"inside city", 308},
                                                    {"mountain", 374},
                                                    {"open country", 410},
                                                    {"street", 292},
                                                    {"tall building", 356},
                                                    {"office", 215},
                                                    {"bedroom", 216},
                                                    {"industrial", 311},
                                                    {"kitchen", 210},
                                                    {"living room", 289},
                                                    {"store", 315}}};
constexpr Index kFirstOutdoor = 1, kOutdoorKinds = 8;

FeatureData read_scenes(const SceneOptions& chosen, const std::filesystem::path& path) {
  constexpr std::array<Index, 3> kWidths = {20, 59, 40};
  const std::vector<Matrix> tables = read_matlab_cells(path, "X");
  const Matrix kinds = read_matlab(path, "Y");
  Index rows = 0, width = 0;
  for (const SceneKind& kind : kSceneKinds) rows += kind.photographs;
  require_shape(path, "Y", kinds.rows(), kinds.cols(), rows, 1);
  require_shape(path, "the tables of X", std::ssize(tables), 1, std::ssize(kWidths), 1);
  for (std::size_t t = 0; t < kWidths.size(); ++t)
    require_shape(path, "a table of X", tables[t].rows(), tables[t].cols(), rows, kWidths[t]);

  // Rows are grouped by kind.
  FeatureData out;
  Index first = 0, count = 0, row = 0;
  for (Index k = 0; k < std::ssize(kSceneKinds); ++k) {
    const SceneKind& kind = kSceneKinds[static_cast<std::size_t>(k)];
    const bool taken = chosen.scenes == "all" || (k >= kFirstOutdoor && k < kFirstOutdoor + kOutdoorKinds);
    if (taken && count == 0) first = row;
    for (Index i = 0; i < kind.photographs; ++i, ++row) {
      require<DataError>(kinds(row, 0) == static_cast<double>(k + 1),
                         "'{}' has photograph {} in class {}, not {}, so it is not the published "
                         "file. Download that one.",
                         path.string(), row + 1, kinds(row, 0), k + 1);
      if (!taken) continue;
      out.labels.emplace_back(kind.name);
      out.objects.push_back(fmt::format("{} {}", kind.name, i + 1));
      ++count;
    }
  }
  const auto taken = [&](std::size_t t) { return chosen.tables == "all" || chosen.tables == std::to_string(t + 1); };
  for (std::size_t t = 0; t < kWidths.size(); ++t) width += taken(t) ? kWidths[t] : 0;
  out.features.resize(count, width);
  Index column = 0;
  for (std::size_t t = 0; t < kWidths.size(); ++t) {
    if (!taken(t)) continue;
    out.features.middleCols(column, kWidths[t]) = tables[t].middleRows(first, count).cast<float>();
    column += kWidths[t];
  }
  return out;
}

}  // namespace

DatasetEntry scene_15_dataset() {
  return feature_dataset({.name = "scene_15",
                          .summary = "4,485 photographs of 15 kinds of scenes as 119 features; the 8 outdoor kinds are "
                                     "the MIT scenes",
                          .citation = "A. Oliva, A. Torralba, Modeling the shape of the scene, IJCV 42, 2001 (the "
                                      "outdoor kinds); S. Lazebnik, C. Schmid, J. Ponce, Beyond bags of features, CVPR "
                                      "2006 (all 15)",
                          .licence = "none stated",
                          .format = "MATLAB 5: X, a list of three tables of 20, 59 and 40 features, and Y, the kinds "
                                    "of scene by number. The source does not say which descriptors these are; by "
                                    "their sizes they may be GIST, LBP and PHOG. The names of the kinds are inferred "
                                    "from their sizes",
                          .files = {{.path = "scene-15/scene-15.mat",
                                     .sha256 = "477a7b7dcb5113890aa62b64d53768d93af5140117e0a378b665143199a09808",
                                     .url = "https://github.com/kunzhan/SDSNE",
                                     .bytes = 3384483,
                                     .downloads = {{"https://raw.githubusercontent.com/kunzhan/SDSNE/"
                                                    "8566a0f4fa5dc9aaaafbb63073ceffad5f4848a0/data/scene-15.mat",
                                                    ""}}}},
                          .counts = {.objects = 4485, .features = 119, .classes = 15}},
                         SceneOptions::list(),
                         [](const SceneOptions& chosen, const auto& paths) { return read_scenes(chosen, paths[0]); });
}

DatasetEntry nerv_sphere_dataset() {
  return feature_dataset({.name = "nerv_sphere",
                          .summary = "the 1,000 points of a sphere that come with the original NeRV program",
                          .citation = "J. Venna, J. Peltonen, K. Nybo, H. Aidos, S. Kaski, Information retrieval "
                                      "perspective to nonlinear dimensionality reduction for data visualization, JMLR "
                                      "11, 2010",
                          .licence = "LGPL for the program dredviz 1.0.2; none stated for the data",
                          .format = "text, separated by blanks: a line with the number of dimensions, then one point "
                                    "per line",
                          .files = {{.path = "nerv-sphere/spheredata.dat",
                                     .sha256 = "c13ad68163318c94670403f7b2282e6c13ecbf7a8ca9a24b1c8c751f7db875a9",
                                     .url = "https://github.com/ziyuang/pynerv",
                                     .bytes = 28507,
                                     .downloads = {{"https://raw.githubusercontent.com/ziyuang/pynerv/"
                                                    "9c0b38afe63e0bd8f53592673ca0bbed4e9990da/dredviz-1.0.2/"
                                                    "spheredata.dat",
                                                    ""}}}},
                          .counts = {.objects = 1000, .features = 3}},
                         [](const std::filesystem::path& path) {
                           NumericTable table =
                               read_numeric_table(path, {.separator = NumericTableSpec::Separator::blanks,
                                                         .header = NumericTableSpec::Header::absent,
                                                         .columns = 3,
                                                         .lines_before = 1});
                           require_shape(path, "points", table.values.rows(), table.values.cols(), 1000, 3);
                           FeatureData out;
                           out.truth = table.values.cast<double>();
                           out.features = std::move(table.values);
                           return out;
                         });
}

// ---- generated ----

namespace {

struct SphereOptions : FeatureOptions {
  Index n = 1000;
  std::string sampling = "area";
};

struct MixtureOptions : FeatureOptions {
  Index n = 1000, dimensions = 50, clusters = 10;
  double separation = 10;
};

}  // namespace

DatasetEntry sphere_dataset() {
  OptionList<SphereOptions> options;
  options.integer("n", &SphereOptions::n, between(3, 1e7), "number of points")
      .text("sampling", &SphereOptions::sampling, {"area", "angles"},
            "area: uniform on the sphere; angles: uniform in latitude and longitude, which is "
            "denser at the poles")
      .include(FeatureOptions::list());
  return with_load({.name = "sphere",
                    .summary = "points of the unit sphere in space; their coordinates are both the features "
                               "and the truth",
                    .citation = "generated",
                    .random = true},
                   options, [](const SphereOptions& chosen, const DatasetContext& context) {
                     Rng rng = data_stream(context, "sphere", "points");
                     FeatureData out;
                     out.truth.resize(chosen.n, 3);
                     for (Index i = 0; i < chosen.n; ++i) {
                       if (chosen.sampling == "angles") {
                         const double polar = std::numbers::pi * rng.uniform01();
                         const double turn = 2 * std::numbers::pi * rng.uniform01();
                         out.truth.row(i) << std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn),
                             std::cos(polar);
                         continue;
                       }
                       double norm = 0;
                       while (!(norm > 1e-6)) {
                         for (Index c = 0; c < 3; ++c) out.truth(i, c) = rng.normal();
                         norm = out.truth.row(i).norm();
                       }
                       out.truth.row(i) /= norm;
                     }
                     out.features = out.truth.cast<float>();
                     return observations_of(std::move(out), chosen, context, "sphere");
                   });
}

DatasetEntry gaussian_mixture_dataset() {
  OptionList<MixtureOptions> options;
  options.integer("n", &MixtureOptions::n, between(3, 1e7), "number of points")
      .integer("dimensions", &MixtureOptions::dimensions, between(1, 1e4), "number of dimensions")
      .integer("clusters", &MixtureOptions::clusters, between(1, 1e4), "number of clusters of equal size")
      .real("separation", &MixtureOptions::separation, at_least(0),
            "root mean square distance of two centres; around its centre, a cluster has variance "
            "1 in every dimension")
      .include(FeatureOptions::list());
  return with_load({.name = "gaussian_mixture",
                    .summary = "points of normal clusters around random centres; labels are the clusters",
                    .citation = "generated",
                    .random = true},
                   options, [](const MixtureOptions& chosen, const DatasetContext& context) {
                     Rng centre_rng = data_stream(context, "gaussian_mixture", "centres");
                     Rng rng = data_stream(context, "gaussian_mixture", "points");
                     // E |a - b|^2 = 2 dimensions deviation^2
                     const double deviation = chosen.separation / std::sqrt(2 * static_cast<double>(chosen.dimensions));
                     Matrix centres(chosen.clusters, chosen.dimensions);
                     for (Index i = 0; i < centres.size(); ++i) centres.data()[i] = deviation * centre_rng.normal();
                     FeatureData out;
                     out.features.resize(chosen.n, chosen.dimensions);
                     for (Index i = 0; i < chosen.n; ++i) {
                       const Index cluster = i % chosen.clusters;
                       for (Index c = 0; c < chosen.dimensions; ++c)
                         out.features(i, c) = static_cast<float>(centres(cluster, c) + rng.normal());
                       out.labels.push_back(std::to_string(cluster + 1));
                     }
                     return observations_of(std::move(out), chosen, context, "gaussian_mixture");
                   });
}

// ---- the user's own ----

namespace {

struct OwnFeaturesOptions : SubsetOptions {
  // Not `name`, which in a configuration is that of the dataset.
  std::string file, name_column, label_column, labels, header = "auto", skip;
};

FeatureData read_own(const OwnFeaturesOptions& options, const std::filesystem::path& path,
                     const DatasetContext& context) {
  const std::string text = read_text(path);
  FeatureData out;
  if (is_npy(text)) {
    require<ConfigError>(options.name_column.empty() && options.label_column.empty() && options.skip.empty(),
                         "'{}' is a .npy file, so it has no columns to name, label or skip. Give names and labels "
                         "by the option 'labels'.",
                         path.string());
    out.features = parse_npy(text, path.string(), &out.precise);
  } else {
    NumericTableSpec spec{.name = options.name_column, .label = options.label_column};
    if (options.header != "auto")
      spec.header = options.header == "yes" ? NumericTableSpec::Header::there : NumericTableSpec::Header::absent;
    for (std::size_t at = 0; at < options.skip.size();) {
      const std::size_t comma = std::min(options.skip.find(',', at), options.skip.size());
      spec.not_read.emplace_back(trim(std::string_view(options.skip).substr(at, comma - at)));
      at = comma + 1;
    }
    NumericTable table = parse_numeric_table(text, path.string(), spec);
    std::vector<std::size_t> lines = std::move(table.lines);
    out = features_of(std::move(table));
    out.name_file = path.string();
    out.name_lines = std::move(lines);
  }
  if (!options.labels.empty()) {
    require<ConfigError>(options.label_column.empty() && options.name_column.empty(),
                         "dataset 'features': names and labels come from the table or from the file '{}', not from "
                         "both. Leave out name_column and label_column, or labels.",
                         options.labels);
    const std::filesystem::path label_file = own_file(options.labels, "features", context);
    LabelList list = read_labels(label_file);
    require<DataError>(static_cast<Index>(list.names.size()) == out.features.rows(),
                       "'{}' labels {} objects, but '{}' has {} rows. Give one line per row, in the same order.",
                       options.labels, list.names.size(), path.string(), out.features.rows());
    out.objects = std::move(list.names);
    out.labels = std::move(list.labels);
    out.name_file = label_file.string();
    out.name_lines = std::move(list.lines);
  }
  return out;
}

OptionList<OwnFeaturesOptions> own_options() {
  OptionList<OwnFeaturesOptions> options;
  options
      .text("file", &OwnFeaturesOptions::file, {},
            "your file: a table with one object per row (CSV, TSV or semicolon-separated; also "
            "gzipped), or a .npy matrix")
      .text("name_column", &OwnFeaturesOptions::name_column, {},
            "column of object names, by its header or its number from 1; empty: objects are "
            "called 1, 2, ...")
      .text("label_column", &OwnFeaturesOptions::label_column, {},
            "column of labels, which is then not a feature; empty: none")
      .text("skip", &OwnFeaturesOptions::skip, {}, "other columns to leave out of the features, separated by commas")
      .text("header", &OwnFeaturesOptions::header, {"auto", "yes", "no"},
            "whether the first line names the columns; auto: yes if none of its fields is a number")
      .text("labels", &OwnFeaturesOptions::labels, {},
            "a file with the columns name and label, one line per row and in the same order; "
            "empty: none")
      .include(SubsetOptions::list());
  return options;
}

}  // namespace

FeatureData read_own_features(const Table& options) {
  const auto list = own_options();
  const auto known = list.infos();
  Table own;  // without options of every data set, such as train_noise
  for (const auto& [key, value] : options)
    if (find_option(known, key)) own.set(key, value);
  const OwnFeaturesOptions chosen = list.parse(own, "dataset 'features'");
  const DatasetContext context;
  FeatureData out = read_own(chosen, own_file(chosen.file, "features", context), context);
  name_by_number(out);
  return out;
}

DatasetEntry features_dataset() {
  return with_load(
      {.name = "features", .summary = "your own table or matrix of numbers, one object per row", .random = true},
      own_options(), [](const OwnFeaturesOptions& chosen, const DatasetContext& context) {
        const auto path = own_file(chosen.file, "features", context);
        FeatureData data = read_own(chosen, path, context);
        require<DataError>(data.features.rows() >= 3, "'{}' has {} objects. A map needs at least 3.", path.string(),
                           data.features.rows());
        Observations out =
            observations_of(std::move(data), static_cast<const SubsetOptions&>(chosen), context, "features");
        out.name = path.stem().string();
        return out;
      });
}

}  // namespace alidade::datasets
