// Published tables of measurements.
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "experiments/datasets/readers/matlab_file.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/feature_entry.hpp"
#include "experiments/datasets/sets/published_tables.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {

DatasetEntry digits_dataset() {
  return feature_dataset({.name = "digits",
                          .summary = "1,797 handwritten digits, 8 x 8 pixels; the test part of UCI's optdigits, "
                                     "scikit-learn's digits",
                          .citation = "E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine "
                                      "Learning Repository, 1998, doi 10.24432/C50P49",
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
                   "Statistics 23, 1995",
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

}  // namespace alidade::datasets
