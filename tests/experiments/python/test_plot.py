"""Pictures: what is drawn, where names stand, and what cannot be drawn."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.manifold import MDS

import alidade

matplotlib.use("Agg")


@pytest.fixture
def ax():
    figure, ax = plt.subplots(figsize=(4, 3))
    yield ax
    plt.close(figure)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    config = {"name": "drawn", "repeats": 3, "dataset": [{"name": "europe", "triplets": 2500, "noise": [0.0, 0.1]}],
              "method": [{"id": "STE", "problem": "ste"}, {"id": "CKL", "problem": "ckl"},
                         {"id": "none", "problem": "ste", "solver": "csdp"}]}
    with pytest.warns(UserWarning, match="6 of 18 runs failed"):
        return alidade.run(config, tmp_path_factory.mktemp("plot") / "drawn")


def boxes(ax):  # without the lines that lead to some of them
    renderer = ax.figure.canvas.get_renderer()
    return [matplotlib.text.Text.get_window_extent(t, renderer) for t in ax.texts]


def test_a_map_has_points_names_and_ellipses(ax, triplets):
    names = np.array([f"object {i}" for i in range(25)])
    model = alidade.TripletEmbedding(method="ste", random_state=0, bootstrap=10).fit(names[triplets])
    assert alidade.plot.map(model, ax=ax) is ax
    assert np.array_equal(np.vstack([c.get_offsets() for c in ax.collections]), model.embedding_)
    assert len(ax.patches) == 25
    ellipse = ax.patches[3]
    major, minor, angle = model.ellipses_[3]
    assert np.allclose([ellipse.width, ellipse.height, ellipse.angle], [2 * major, 2 * minor, angle])
    assert np.allclose(ellipse.center, model.embedding_[3])
    assert 5 < len(ax.texts) <= 25 and {t.get_text() for t in ax.texts} <= set(names)


@pytest.mark.parametrize("count", [12, 60, 150])
def test_names_cover_neither_names_nor_points(ax, count):
    places = np.random.default_rng(count).normal(size=(count, 2))
    alidade.plot.map(places, ax=ax, names=[f"a longer name {i}" for i in range(count)])
    ax.figure.canvas.draw()
    found = boxes(ax)
    pixels = ax.transData.transform(places)
    assert 3 < len(found) <= count
    for i, a in enumerate(found):
        for b in found[:i]:
            assert not (a.x0 < b.x1 - 1 and b.x0 < a.x1 - 1 and a.y0 < b.y1 - 1 and b.y0 < a.y1 - 1)
        inside = (pixels > [a.x0 + 1, a.y0 + 1]).all(axis=1) & (pixels < [a.x1 - 1, a.y1 - 1]).all(axis=1)
        assert not inside.any()


def test_labels_are_colours_with_a_legend(ax):
    places = np.random.default_rng(0).normal(size=(9, 3))
    with pytest.warns(UserWarning, match="has 3 components, and the first 2 are drawn"):
        alidade.plot.map(places, ax=ax, labels=["b", "a", ""] * 3, show_names=False)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b", "unknown"]
    assert [matplotlib.colors.to_hex(c.get_facecolor()[0]) for c in ax.collections] == ["#0072b2", "#d55e00", "#8b949e"]
    assert not ax.texts


def test_three_components_are_drawn_in_three_dimensions():
    places = np.random.default_rng(0).normal(size=(9, 3))
    ax = plt.figure().add_subplot(projection="3d")
    alidade.plot.map(pandas.DataFrame(places, index=list("abcdefghi")), ax=ax, labels=["b", "a", ""] * 3)
    ax.figure.canvas.draw()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b", "unknown"]
    assert [np.column_stack(c._offsets3d).tolist() for c in ax.collections] == [places[k::3].tolist() for k in (1, 0, 2)]
    assert [(t.get_text(), *t.get_position_3d()) for t in ax.texts] == [(n, *p) for n, p in zip("abcdefghi", places)]
    assert ax._box_aspect[0] / ax._box_aspect[1] == pytest.approx(np.ptp(places[:, 0]) / np.ptp(places[:, 1]))
    with pytest.warns(UserWarning, match="has 4 components, and the first 3 are drawn"):
        alidade.plot.map(np.eye(60)[:, :4], ax=ax, values=range(60))
    assert len(ax.texts) == 9  # more than 50 have no names
    plt.close("all")


def test_objects_without_a_label_are_grey(ax):
    alidade.plot.map([[0.0, 1.0], [1.0, 2.0], [2.0, 0.0], [3.0, 3.0]], labels=["a", None, float("nan"), ""], ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "unknown"]
    assert [len(points.get_offsets()) for points in ax.collections] == [1, 3]


NAMES = ["oak", "ash", "fir", "elm"]


def test_what_is_given_by_names_follows_the_map():
    frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(4, 2)), index=NAMES)
    model = alidade.PCA(random_state=0).fit(pandas.DataFrame(np.random.default_rng(0).normal(size=(4, 3)), index=NAMES))
    group = pandas.Series({"ash": "a", "elm": "a", "fir": "b", "oak": "b"})
    height = pandas.Series({"fir": 3.0, "elm": 2.0, "ash": 0.0, "oak": 1.0})
    for source in (frame, model):
        embedding = source.to_numpy() if source is frame else model.embedding_
        for by_name in (group, dict(group)):
            _, ax = plt.subplots()
            alidade.plot.map(source, ax=ax, labels=by_name)
            assert np.allclose(ax.collections[0].get_offsets(), embedding[[1, 3]])
        for by_name in (height, dict(height)):
            _, ax = plt.subplots()
            alidade.plot.map(source, ax=ax, values=by_name, legend=False)
            _, by_place = plt.subplots()
            alidade.plot.map(source, ax=by_place, values=[1, 0, 3, 2], legend=False)
            assert np.array_equal(*(each.collections[0].get_facecolors() for each in (ax, by_place)))
        alidade.plot.map(source, ax=ax, labels=["a"] * 4, names={name: name.upper() for name in NAMES})
        for given, words in ((group[:3], "lacks 1 of 4, such as 'oak'"), (dict(group[1:]), "lacks 1 of 4"),
                             (pandas.concat([group, group]), "has one of them twice")):
            with pytest.raises(ValueError, match=words):
                alidade.plot.map(source, ax=ax, labels=given)
    shuffled = pandas.Series(["a", "b"] * 2, index=[2, 0, 3, 1])
    alidade.plot.map(frame.to_numpy(), ax=ax, labels=shuffled)  # an array has no names
    with pytest.raises(ValueError, match=r"labels.sort_index\(\).*labels.to_numpy\(\)"):
        alidade.plot.map(alidade.PCA(random_state=0).fit(frame.to_numpy()), ax=ax, labels=shuffled)
    plt.close("all")


@pytest.mark.parametrize("more, words", [
    ({"label": ["a"] * 4}, "no parameter 'label'. Did you mean 'labels'"), ({"title": "T"}, "Titles and limits are of the axes"),
    ({"figsize": (3, 3)}, r"plt.subplots\(figsize"), ({"labels": "species"}, "one entry for each object"),
    ({"vmin": 0}, "vmin: a scale of colours goes with values="), ({"ax": plt.Figure()}, "one Axes of matplotlib.*not Figure"),
    ({"ax": np.array([None, None])}, "one Axes of matplotlib.*not ndarray"),
    ({"ax": plt.Figure().add_subplot(projection="3d")}, "ax has three dimensions")])
def test_a_mistake_in_a_parameter_is_one_sentence(ax, more, words):
    with pytest.raises(TypeError, match=words):
        alidade.plot.map(np.eye(4)[:, :2], **{"ax": ax, **more})


def test_limits_and_norms_scale_the_values(ax):
    from matplotlib.colors import LogNorm

    def colors(**scale):
        ax.clear()
        alidade.plot.map(np.eye(3)[:, :2], values=[1.0, 10.0, 100.0], ax=ax, legend=False, show_names=False, **scale)
        return ax.collections[0].get_facecolors().tolist()

    viridis = matplotlib.colormaps["viridis"]
    for found, want in ((colors(vmin=-98, vmax=298), (0.25, 3 / 11, 0.5)), (colors(norm=LogNorm()), (0, 0.5, 1))):
        assert np.allclose(found, [viridis(float(share)) for share in want], atol=0.01)
    with pytest.raises(ValueError, match="norm has limits of its own"):
        colors(norm=LogNorm(), vmin=1)


def test_labels_stand_as_they_are_in_a_legend_that_fits(tmp_path):
    figure, ax = plt.subplots()
    alidade.plot.map(np.random.default_rng(0).normal(size=(4, 2)), ax=ax, labels=["_a", r"$\frac$", "b", "_a"],
                     names=[r"$\frac$", "$x$", "a_b", "_"])
    assert sorted(text.get_text() for text in ax.get_legend().get_texts()) == [r"$\frac$", "_a", "b"]
    figure.savefig(tmp_path / "map.png")
    figure, ax = plt.subplots()
    alidade.plot.map(np.random.default_rng(0).normal(size=(60, 2)), ax=ax, labels=[f"label {i}" for i in range(60)])
    box, area = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert len(ax.get_legend().get_texts()) == 60 and box.height <= area.height and box.width <= area.width
    figure, ax = plt.subplots(figsize=(2, 2))
    with pytest.warns(UserWarning, match="legend of 60 labels does not fit and is left out"):
        alidade.plot.map(np.zeros((60, 2)), ax=ax, labels=[f"a long label {i}" for i in range(60)], show_names=False)
    plt.close("all")


def test_errors_without_a_value_takes_a_measure_that_there_is(ax, tmp_path):
    results = alidade.run({"name": "features", "method": [{"problem": "pca"}]}, tmp_path / "features",
                          datasets={"normal": np.random.default_rng(0).normal(size=(30, 4))})
    alidade.plot.errors(results, ax=ax)
    assert len(ax.containers) == 1 and ax.get_xlabel() == json.loads(results.table(format="json"))["value"].split(".")[-1]


def test_objects_without_a_place_and_maps_of_one_component_are_drawn(ax):
    places = np.array([[0.0], [1.0], [np.nan], [3.0]])
    alidade.plot.map(places, ax=ax)
    assert len(ax.collections[0].get_offsets()) == 3


def test_a_map_of_a_run_and_one_of_an_aspect_are_drawn(ax, results, triplets):
    one = results.maps("method=STE")[0]
    alidade.plot.map(one, ax=ax, show_names=False)
    assert sum(len(c.get_offsets()) for c in ax.collections) == 121
    model = alidade.AspectEmbedding(random_state=0).fit(triplets, aspects=np.arange(3000) % 2)
    alidade.plot.map(model, ax=ax, aspect="0")
    for aspect in (None, "2"):
        with pytest.raises(ValueError, match="aspect"):
            alidade.plot.map(model, ax=ax, aspect=aspect)


def test_errors_are_drawn_with_their_intervals(ax, results):
    alidade.plot.errors(results, ax=ax)
    assert [t.get_text() for t in ax.get_yticklabels()][:2] == ["STE", "CKL"]
    assert ax.get_xlabel() == "heldout_error"
    frame = results.table("heldout_error")
    for container, dataset in zip(ax.containers, ["europe[noise=0.0]", "europe[noise=0.1]"]):
        assert container.get_label() == dataset
        cells = frame[(frame["dataset"] == dataset) & (frame["n"] > 0)]
        assert np.allclose(container.lines[0].get_xdata().astype(float), cells["mean"].astype(float))
        widths = [np.ptp(s[:, 0]) / 2 for s in container.lines[2][0].get_segments()]
        assert np.allclose(widths, cells["half_width"].astype(float))


def test_a_profile_is_that_of_the_table(ax, results):
    alidade.plot.profile(results, "objective", ax=ax)
    table = json.loads(results.table("objective", profile=True, format="json"))
    lines = {line.get_label(): line for line in ax.lines}
    for row in table["rows"]:
        line = lines[row["key"][0]]
        x, y = line.get_xdata(), line.get_ydata()
        for factor, share in zip(table["factors"], row["shares"]):
            assert (y[x <= factor][-1] if (x <= factor).any() else 0) == pytest.approx(share)


def test_what_cannot_be_drawn_is_refused(ax, results, triplets):
    model = alidade.STE(random_state=0).fit(triplets)
    with pytest.raises(TypeError, match="not str"):
        alidade.plot.map("map.csv", ax=ax)
    with pytest.raises(ValueError, match="2 names for 25"):
        alidade.plot.map(model, ax=ax, names=["a", "b"])
    with pytest.raises(ValueError, match="2 labels for 25"):
        alidade.plot.map(model, ax=ax, labels=["a", "b"])
    with pytest.raises(ValueError, match="bootstrap=50"):
        alidade.plot.map(model, ax=ax, ellipses=True)
    with pytest.raises(ValueError, match="Too many labels"):
        alidade.plot.map(np.zeros((61, 2)), ax=ax, labels=range(61))
    with pytest.raises(ValueError, match="beauty"):
        alidade.plot.errors(results, "beauty", ax=ax)
    for places in (np.zeros((2, 3, 4)), np.zeros((0, 2)), []):
        with pytest.raises(ValueError, match="one row per object"):
            alidade.plot.map(places, ax=ax)
    with pytest.raises(NotFittedError):
        alidade.plot.map(alidade.STE(), ax=ax)
    for draw in (alidade.plot.errors, alidade.plot.profile):
        with pytest.raises(TypeError, match="results are those of alidade.run"):
            draw(3, ax=ax)


def test_values_colour_from_low_to_high_and_frames_have_their_names():
    places = np.random.default_rng(0).normal(size=(30, 2))
    figure, ax = plt.subplots()
    values = np.arange(30.0)
    values[3] = np.nan
    alidade.plot.map(places, values=values, cmap="magma", ax=ax, show_names=False)
    colors = {tuple(color) for color in ax.collections[0].get_facecolors()}
    assert len(colors) == 30 and len(figure.axes) == 2
    with pytest.raises(ValueError, match="give one of them"):
        alidade.plot.map(places, values=values, labels=["a"] * 30, ax=ax)
    with pytest.raises(ValueError, match="30 objects"):
        alidade.plot.map(places, values=values[:5], ax=ax)
    _, ax = plt.subplots()
    frame = pandas.DataFrame(places[:4], index=["ash", "elm", "fir", "oak"])
    alidade.plot.map(frame, ax=ax)
    assert {text.get_text() for text in ax.texts} <= set(frame.index) and ax.texts
    _, ax = plt.subplots()
    alidade.plot.map(MDS(n_init=1, max_iter=5, normalized_stress="auto").fit(places), ax=ax)
    assert len(ax.collections[0].get_offsets()) == 30
    both = pandas.concat({"taste": frame, "looks": 2 * frame}, axis=1)
    _, ax = plt.subplots()
    alidade.plot.map(both, aspect="looks", ax=ax)
    assert np.allclose(ax.collections[0].get_offsets(), 2 * places[:4])
    with pytest.raises(ValueError, match="name one of taste, looks"):
        alidade.plot.map(both, ax=ax)
