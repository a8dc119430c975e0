"""openTSNE: t-SNE; features or distances"""
from alidade_task import installed, make_estimator, solve

openTSNE = installed("openTSNE", "openTSNE")


def make(task):
    known = {"n_components": task.d, "random_state": task.seed, "n_jobs": task.threads}
    if "distances" in task:
        known.update(metric="precomputed", initialization="spectral")
    embedding = make_estimator(openTSNE.TSNE, task.options, **known).fit(
        task["distances" if "distances" in task else "features"])
    return embedding, {"objective": getattr(embedding, "kl_divergence", None)}


solve(make, "openTSNE")
