"""scikit-learn: TSNE, MDS, Isomap, LocallyLinearEmbedding or SpectralEmbedding (options.method); features or distances"""
from alidade_task import installed, make_estimator, solve

manifold = installed("sklearn.manifold", "scikit-learn", "apt install python3-sklearn, or pip install scikit-learn")


def make(task):
    options = dict(task.options)
    kind = getattr(manifold, options.pop("method", "TSNE"))
    known = {"n_components": task.d, "random_state": task.seed, "n_jobs": task.threads}
    given = "distances" in task
    if given:
        known.update(metric="precomputed", dissimilarity="precomputed", init="random")
    if given and kind not in (manifold.TSNE, manifold.MDS, manifold.Isomap):
        raise SystemExit(f"{kind.__name__} takes features, not distances.")
    if kind is manifold.MDS:
        known.pop("metric", None)  # there it says whether MDS is metric
    estimator = make_estimator(kind, options, **known)
    embedding = estimator.fit_transform(task["distances" if given else "features"])
    objectives = [getattr(estimator, name, None) for name in ("kl_divergence_", "stress_", "reconstruction_error_")]
    objective = next((value for value in objectives if value is not None and not callable(value)), None)
    return embedding, {"objective": objective, "iterations": getattr(estimator, "n_iter_", None)}


solve(make, "scikit-learn")
