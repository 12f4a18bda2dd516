"""Write ecm.json: the masses of evclust's evidential c-means on every fourth Iris flower.

Run with `python tests/golden/ecm.py` in an environment of its own, since evclust's pins do not go with ours:
`pip install evclust`. It is started near three flowers, not on them, where evclust divides by zero; its
stopping rule is an absolute change of its objective, set here so that masses have settled to 6 digits. The
flowers are those of scikit-learn's copy of Iris.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

EVERY, STARTS, OFFSET = 4, [0, 15, 30], 1e-3
SETTINGS = [(1, 2, 10), (1, 1.4, 10), (2, 2, 10), (5, 5, 10), (1, 2, 0.8)]
SMALLEST_CHANGE = 1e-12


def main() -> None:
    from evclust.ecm import ecm

    X = load_iris().data[::EVERY]
    start = X[STARTS] + OFFSET
    fits = []
    for alpha, beta, delta in SETTINGS:
        found = ecm(X, 3, g0=start, alpha=alpha, beta=beta, delta=delta, epsi=SMALLEST_CHANGE, disp=False)
        fits.append(
            {
                "alpha": alpha,
                "beta": beta,
                "delta": delta,
                "centers": np.round(found["g"], 6).tolist(),
                "masses": np.round(found["mass"], 6).tolist(),
            }
        )
    golden = {
        "made_by": f"tests/golden/{Path(__file__).name}",
        "versions": {name: version(name) for name in ("evclust", "numpy", "scikit-learn")},
        "content": "ECM of iris.data[::every] by evclust, started at these rows of it plus offset",
        "every": EVERY,
        "starts": STARTS,
        "offset": OFFSET,
        "focal_sets": found["F"].astype(int).tolist(),
        "fits": [],
    }
    lines = ",\n    ".join(json.dumps(fit) for fit in fits)
    text = json.dumps(golden, indent=2).replace('"fits": []', f'"fits": [\n    {lines}\n  ]')
    Path(__file__).with_name("ecm.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
