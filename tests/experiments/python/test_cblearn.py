"""Scripts of cblearn run with one import changed."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import alidade
from alidade import cblearn

# Parameters of the estimators of cblearn 0.3 in their order.
SIGNATURES = {
    "SOE": "n_components margin n_init verbose random_state max_iter restart_optim backend learning_rate batch_size device",
    "STE": "n_components heavy_tailed verbose random_state max_iter backend learning_rate batch_size device",
    "TSTE": "n_components verbose random_state max_iter backend learning_rate batch_size device",
    "CKL": "n_components mu verbose random_state max_iter backend kernel learning_rate batch_size device",
    "GNMDS": "n_components lambd verbose random_state max_iter backend kernel learning_rate batch_size device",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters_are_those_of_cblearn(name, triplets):
    cls = getattr(cblearn, name)
    assert " ".join(inspect.signature(cls).parameters) == SIGNATURES[name]
    assert list(inspect.signature(cls.fit).parameters) == ["self", "X", "y", "init", "n_objects"]
    model = cls(n_components=2, random_state=42, backend="torch", max_iter=500)
    assert clone(model).get_params() == model.get_params()
    embedding = model.fit_transform(triplets)
    assert embedding.shape == (25, 2) and model.score(triplets) > 0.85
    assert model.n_iter_ >= 1 and np.isfinite(model.stress_)
    queries, answers = triplets[:, [0, 2, 1]], np.zeros(len(triplets), bool)
    assert np.array_equal(cls(2, random_state=42, max_iter=500).fit(queries, answers, None, 25).embedding_, embedding)
    assert model.score(queries, answers) == model.score(triplets)
    assert cross_val_score(model, triplets, cv=3).min() > 0.8
    assert GridSearchCV(model, {"n_components": [1, 2]}, cv=2).fit(triplets).best_params_ == {"n_components": 2}


def test_parameters_have_their_effect(triplets):
    def fit(model):
        return model.fit(triplets)

    engine = alidade.SOE(margin=0.1, n_init=10, max_iter=1000, random_state=1).fit(triplets)
    model = fit(cblearn.SOE(random_state=1))
    assert np.array_equal(model.embedding_, engine.embedding_) and model.stress_ == engine.row_["objective"]
    assert fit(cblearn.SOE(margin=0.5, random_state=1)).row_["problem"]["options"]["margin"] == 0.5
    heavy = fit(cblearn.STE(heavy_tailed=True, random_state=1))
    assert np.array_equal(heavy.embedding_, fit(cblearn.TSTE(random_state=1)).embedding_) and heavy.method_ == "tste"
    assert fit(cblearn.CKL(mu=0.3, random_state=1)).row_["problem"]["options"]["mu"] == 0.3
    assert fit(cblearn.GNMDS(lambd=0.7, random_state=1)).row_["problem"]["options"]["lambda"] == 0.7
    assert fit(cblearn.STE(max_iter=3, random_state=1)).n_iter_ <= 3


def test_what_is_not_supported_is_refused(triplets):
    with pytest.raises(ValueError, match="gnmds_sdp"):
        cblearn.CKL(kernel=True).fit(triplets)
    with pytest.raises(ValueError, match="backend must be"):
        cblearn.SOE(backend="jax").fit(triplets)
    with pytest.raises(ValueError, match="init has 24 rows"):
        cblearn.SOE().fit(triplets, init=np.zeros((24, 2)))
