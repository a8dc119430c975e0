# %% [markdown]
# Maps of a table: the same digits by several methods, and new digits placed on a finished map.

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

import alidade

X, y = load_digits(return_X_y=True)
X, y = X[:400], y[:400]

# %%
figure, axes = plt.subplots(1, 4, figsize=(16, 4))
for ax, name in zip(axes, ("TSNE", "WeightedETE", "Isomap", "PCA")):
    model = getattr(alidade, name)(random_state=0, measures=("trustworthiness",)).fit(X)
    alidade.plot.map(model, ax=ax, labels=y, show_names=False, legend=False)
    ax.set_title(f"{name}: {model.measures_['trustworthiness']:.3f}")
figure.savefig("tables.png")

# %% Half of the digits make the map; the others are placed on it.
model = alidade.TSNE(random_state=0).fit(X[:200])
neighbors = KNeighborsClassifier().fit(model.embedding_, y[:200])
print(f"right labels on the map: {100 * neighbors.score(model.transform(X[200:]), y[200:]):.0f} %")
