# %% [markdown]
# Several aspects: what do answers about one aspect say about another?

# %%
import numpy as np

import alidade

rng = np.random.default_rng(0)
common = rng.normal(size=(20, 3))
views = {"taste": common[:, :2], "looks": common[:, 1:], "price": common[:, [0, 2]]}

# %% Few answers for each aspect: the shared model gains most.
for count in (150, 600):
    rows = np.vstack([alidade.triplets_of(p, count, random_state=i) for i, p in enumerate(views.values())])
    aspects = np.repeat(list(views), count)
    test = np.vstack([alidade.triplets_of(p, 2000, random_state=9) for p in views.values()])
    of_test = np.repeat(list(views), 2000)
    for method in ("common_space", "disjoint", "pooled"):
        model = alidade.AspectEmbedding(method=method, holdout=0, random_state=0).fit(rows, aspects=aspects)
        print(f"{count} answers an aspect, {method}: {100 * (1 - model.score(test, aspects=of_test)):.1f} % wrong")
