# %% [markdown]
# Maps with a proof: how far can each be from the best?

# %%
import numpy as np
from sklearn.datasets import make_s_curve

import alidade

ring = np.roll(np.eye(20), 1, axis=1)
ring += ring.T
X, along = make_s_curve(80, random_state=0)

# %%
psde = alidade.PSDE(affinity="graph", random_state=0).fit(ring)
print(f"PSDE of a ring: objective {psde.objective_:.6g}, at least {psde.lower_bound_:.6g}")
mvu = alidade.MaximumVarianceUnfolding(random_state=0).fit(X)
print(f"unfolding: objective {mvu.objective_:.6g}, at least {mvu.lower_bound_:.6g};",
      f"correlation with the true coordinate {abs(np.corrcoef(mvu.embedding_[:, 0], along)[0, 1]):.3f}")

# %% Max-cut of the ring as a program: the relaxation is exact for an even ring.
n = len(ring)
laplacian = np.diag(ring.sum(axis=1)) - ring
diagonals = [np.diag(row) for row in np.eye(n)]
found = alidade.sdp.solve(-laplacian / 4, diagonals, np.ones(n))
print(f"max-cut at most {-found.lower_bound_:.6f} (proven: {found.rigorous_}), by {found.solver}")
