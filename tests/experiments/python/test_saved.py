"""Maps in folders: what `save` writes and `load` reads, and what the command writes."""

import json

import numpy as np
import pandas
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

import alidade


@pytest.fixture(scope="module")
def wine():
    return pandas.DataFrame(StandardScaler().fit_transform(load_wine().data)[::2], columns=load_wine().feature_names)


@pytest.mark.parametrize("name", ["PCA", "TSNE", "Isomap", "LLE", "ClassicalMDS", "WeightedETE", "MDS"])
def test_a_map_of_features_comes_back(tmp_path, wine, name):
    old, new = wine[:70], wine[70:]
    model = getattr(alidade, name)(random_state=3).fit(old)
    model.save(tmp_path / "map")
    with pytest.raises(ValueError, match="holds a map already. Replace it by overwrite=True, or"):
        model.save(tmp_path / "map")
    model.save(tmp_path / "map", overwrite=True)
    again = type(model).load(tmp_path / "map")
    assert again.row_["run_id"] == model.row_["run_id"]
    again.save(tmp_path / "map", overwrite=True)
    again = type(model).load(tmp_path / "map")
    assert np.array_equal(again.embedding_, model.embedding_) and again.get_params() == model.get_params()
    for attribute in ("objective_", "termination_", "method_", "solver_", "n_iter_", "trace_", "n_features_in_"):
        assert repr(getattr(again, attribute)) == repr(getattr(model, attribute)), attribute
    if hasattr(model, "transform"):
        assert np.array_equal(again.transform(new), model.transform(new))
        assert list(again.feature_names_in_) == list(wine.columns)
    if name == "PCA":
        assert np.allclose(again.inverse_transform(again.embedding_), model.inverse_transform(model.embedding_))
    assert again.fit(old).objective_ == model.objective_
    assert "<svg" in again._repr_html_() and (tmp_path / "map" / "report.html").stat().st_size > 5000
    other = alidade.NeRV if name != "NeRV" else alidade.PCA
    with pytest.raises(ValueError, match="which is not of"):
        other.load(tmp_path / "map")


def test_maps_of_answers_come_back(tmp_path, triplets):
    names = np.array([f"o{i}" for i in range(25)])
    model = alidade.TripletEmbedding(method="ste", random_state=0, bootstrap=5).fit(names[triplets])
    model.save(tmp_path / "named")
    again = alidade.TripletEmbedding.load(tmp_path / "named")
    assert list(again.objects_) == list(model.objects_) and again.score(names[triplets]) == model.score(names[triplets])
    assert again.error_ == model.error_ and again.error_interval_ == model.error_interval_
    assert np.array_equal(again.ellipses_, model.ellipses_, equal_nan=True)
    numbered = alidade.SOE(random_state=0).fit(triplets)
    numbered.save(tmp_path / "numbered")
    again = alidade.SOE.load(tmp_path / "numbered")
    assert again.score(triplets) == numbered.score(triplets) and again.objects_.dtype == numbered.objects_.dtype
    aspects = np.repeat(["taste", "looks"], len(triplets))
    both = np.vstack([triplets, triplets])
    maps = alidade.AspectEmbedding(random_state=0).fit(both, aspects=aspects)
    maps.save(tmp_path / "aspects")
    again = alidade.AspectEmbedding.load(tmp_path / "aspects")
    assert again.aspects_ == maps.aspects_ and again.score(both, aspects=aspects) == maps.score(both, aspects=aspects)
    pooled = alidade.AspectEmbedding(method="pooled", random_state=0, bootstrap=2).fit(both, aspects=aspects)
    pooled.save(tmp_path / "pooled")
    again = alidade.AspectEmbedding.load(tmp_path / "pooled")
    assert again.aspects_ == pooled.aspects_ and list(again.ellipses_) == list(pooled.ellipses_)
    judged = alidade.SameDifferent(random_state=0).fit(triplets[:, :2], triplets[:, 2] > 12)
    judged.save(tmp_path / "judged")
    assert list(alidade.SameDifferent.load(tmp_path / "judged").objects_) == list(judged.objects_)


def test_the_command_and_the_package_read_each_other(command, tmp_path, wine, triplets):
    wine.to_csv(tmp_path / "wine.csv", index=False)
    said = command("embed", "--features", tmp_path / "wine.csv", "--scale", "standard", "-p", "isomap", "--seed", 2, "-o",
                   tmp_path / "map")
    assert said.returncode == 0, said.stderr
    model = alidade.Isomap.load(tmp_path / "map")
    assert np.allclose(model.transform(wine), model.embedding_, atol=1e-4)
    alidade.Isomap().fit(wine).save(tmp_path / "ours")
    wine[:5].to_csv(tmp_path / "new.csv", index=False)
    said = command("embed", "--features", tmp_path / "new.csv", "--onto", tmp_path / "ours", "-o", tmp_path / "two")
    assert said.returncode == 0, said.stderr
    first = alidade.STE(random_state=0).fit(triplets)
    first.save(tmp_path / "ste")
    np.save(tmp_path / "answers.npy", triplets)
    said = command("embed", tmp_path / "answers.npy", "-p", "ste", "--init", tmp_path / "ste", "--holdout", 0, "-o",
                   tmp_path / "three")
    assert said.returncode == 0, said.stderr
    row = json.loads((tmp_path / "three" / "runs.jsonl").read_text())
    assert row["counts"]["iterations"] < first.n_iter_ / 4 and row["objective"] == pytest.approx(first.objective_, rel=1e-6)
    places = tmp_path / "ste" / "embedding.csv"
    places.write_text(places.read_text().replace("\n3,", "\n33,"))
    with pytest.warns(UserWarning, match="ste: 1 file was changed after it was written, such as embedding.csv"):
        alidade.STE.load(tmp_path / "ste")


def test_answers_start_where_they_are_told(triplets, places):
    names = np.array([f"o{i:02d}" for i in range(25)])
    first = alidade.STE(random_state=0).fit(names[triplets])
    again = alidade.STE(random_state=1).fit(names[triplets], init=first.to_frame()[::-1])
    assert again.n_iter_ < first.n_iter_ / 4 and again.objective_ == pytest.approx(first.objective_, rel=1e-6)
    with pytest.raises(ValueError, match="no row of o03"):
        alidade.STE().fit(names[triplets], init=first.to_frame().drop("o03"))
    more = alidade.STE(random_state=0).fit(triplets, n_objects=27, init=np.vstack([places, places[:2]]))
    assert np.isnan(more.embedding_[25:]).all() and np.isfinite(more.embedding_[:25]).all()


def test_a_metric_that_a_file_cannot_tell_has_its_default_again(tmp_path, wine):
    alidade.MDS(metric=lambda a, b: abs(a - b).sum(), random_state=0).fit(wine[:20]).save(tmp_path / "map")
    again = alidade.MDS.load(tmp_path / "map")
    assert again.metric == "euclidean" and again.fit(wine[:20]).embedding_.shape == (20, 2)


def test_a_map_of_many_objects_shows_a_sample_that_says_so():
    model = alidade.PCA(random_state=0).fit(np.random.default_rng(0).normal(size=(20000, 3)))
    page = model._repr_html_()
    assert "A random sample of 3000 of 20000 objects" in page and page.count("<title>") == 3000 and len(page) < 600_000


def test_what_is_not_fitted_has_no_frame():
    for model in (alidade.MDS(), alidade.AspectEmbedding()):
        with pytest.raises(NotFittedError):
            model.to_frame()
