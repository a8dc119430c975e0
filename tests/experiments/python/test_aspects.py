"""AspectEmbedding: the maps of the command, by every method."""

import numpy as np
import pandas
import pytest

import alidade


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(1)
    views = {"taste": rng.normal(size=(15, 2)), "looks": rng.normal(size=(15, 2)), "price": rng.normal(size=(15, 2))}
    rows = np.vstack([alidade.triplets_of(p, 500, random_state=i) for i, p in enumerate(views.values())])
    order = rng.permutation(len(rows))
    return rows[order], np.repeat(list(views), 500)[order]


@pytest.mark.parametrize("method, options, more", [
    ("common_space", [], {}),
    ("common_space", ["--set", "choose.problem.lambda=[0.01,0.1]"], {"choose": {"problem.lambda": [0.01, 0.1]}}),
    ("disjoint", ["--set", "problem.problem={name=\"ste\",n_components=2}"], {"method_options": {"problem": "ste"}}),
    ("mvte", ["--set", "problem.views=3"], {"method_options": {"views": 3}}),
    ("score", ["--solver", "ceres"], {"solver": "ceres"}),
])
def test_maps_have_the_bits_of_the_command(command, tmp_path, answers, method, options, more):
    rows, aspects = answers
    table = pandas.DataFrame(rows, columns=["anchor", "near", "far"]).assign(aspect=aspects)
    table.to_csv(tmp_path / "answers.csv", index=False)
    said = command("embed", tmp_path / "answers.csv", "--problem", method, "--seed", 3, "-o", tmp_path / "map", *options)
    assert said.returncode == 0, said.stderr
    model = alidade.AspectEmbedding(method=method, random_state=3, **more).fit(rows, aspects=aspects)
    assert set(model.embeddings_) == {"taste", "looks", "price"}
    for aspect in model.aspects_:
        assert np.array_equal(model.embeddings_[aspect], np.load(tmp_path / "map" / f"embedding.{aspect}.npy"))
    assert np.array_equal(alidade.AspectEmbedding(method=method, random_state=3, **more).fit(table).transform(),
                          model.transform())
    assert 0 <= model.error_ < 0.5 and model.error_interval_[0] <= model.error_ <= model.error_interval_[1]
    score = model.score(rows, aspects=aspects)
    assert score == np.mean(model.predict(rows, aspects=aspects)) and score > 0.7


def test_one_map_of_all_is_worse_and_can_be_had(answers):
    rows, aspects = answers
    pooled = alidade.AspectEmbedding(method="pooled", random_state=0).fit(rows, aspects=aspects)
    apart = alidade.AspectEmbedding(random_state=0).fit(rows, aspects=aspects)
    assert np.array_equal(pooled.embeddings_["taste"], pooled.embeddings_["price"])
    assert apart.error_ < pooled.error_
    assert apart.transform().shape == (15, 6) and "taste" in apart._repr_html_()


def test_ellipses_are_those_of_each_map(answers):
    rows, aspects = answers
    model = alidade.AspectEmbedding(random_state=0, bootstrap=8).fit(rows, aspects=aspects)
    assert {a: e.shape for a, e in model.ellipses_.items()} == dict.fromkeys(model.aspects_, (15, 3))


def test_bad_aspects_are_refused(answers):
    rows, aspects = answers
    with pytest.raises(ValueError, match="what each answer is about"):
        alidade.AspectEmbedding().fit(rows)
    with pytest.raises(ValueError, match="one entry per answer"):
        alidade.AspectEmbedding().fit(rows, aspects=aspects[:-1])
    with pytest.raises(ValueError, match="no problem 'commonspace'"):
        alidade.AspectEmbedding(method="commonspace").fit(rows, aspects=aspects)
    model = alidade.AspectEmbedding(random_state=0).fit(rows, aspects=aspects)
    with pytest.raises(ValueError, match="no map of the aspect 'smell'"):
        model.score(rows[:1], aspects=["smell"])
    with pytest.raises(ValueError, match="what each answer is about"):
        model.score(rows)


def test_tables_of_dissimilarities_go_by_their_names():
    places = np.random.default_rng(0).normal(size=(15, 2))
    names = [f"o{i}" for i in range(15)]
    frame = pandas.DataFrame(np.linalg.norm(places[:, None] - places, axis=2), index=names, columns=names)
    want = alidade.MultiviewMDS(random_state=0).fit([frame.to_numpy(), 2 * frame.to_numpy()])
    other = np.random.default_rng(1).permutation(names)
    for second in (2 * frame.loc[other, other], 2 * frame.loc[other], (2 * frame.loc[other, other]).set_axis(range(15), axis=1)):
        model = alidade.MultiviewMDS(random_state=0).fit({"taste": frame, "looks": second})
        assert np.array_equal(model.embedding_, want.embedding_) and list(model.to_frame().index) == names
    assert model.n_features_in_ == 15 and set(model.alpha_) == {"taste", "looks"} and sum(model.alpha_.values()) == pytest.approx(1)
    for X, words in (([frame, frame.iloc[:14, :14]], "'1' names other objects"), ([frame, frame.iloc[:, :14]], r"shape \(15, 14\)"),
                     ([frame, frame.to_numpy()], "some tables are frames"), (frame, "several tables")):
        with pytest.raises(ValueError, match=words):
            alidade.MultiviewMDS().fit(X)
