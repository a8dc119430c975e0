"""umap-learn: UMAP; features or distances"""
from alidade_task import installed, make_estimator, solve

umap = installed("umap", "umap-learn", "apt install umap-learn, or pip install umap-learn")


def make(task):
    known = {"n_components": task.d, "random_state": task.seed, "n_jobs": 1}  # a seed takes one thread
    if "distances" in task:
        known["metric"] = "precomputed"
    return make_estimator(umap.UMAP, task.options, **known).fit_transform(
        task["distances" if "distances" in task else "features"])


solve(make, "umap-learn")
