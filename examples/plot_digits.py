"""
Every pair: classifiers of digits
=================================

Install: ``pip install "rivals[plot]" scikit-learn``.

Six classifiers learn handwritten digits from some writers and are judged on others.
``result.pairs`` and ``plot_probability`` show how probably each beats each other.
"""

from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import rivals
from rivals.plots import plot_probability
from rivals.read import classifier

images, digits = load_digits(return_X_y=True)
images /= 16  # grey values from 0 to 1
half = len(digits) // 2  # digits of one writer are neighbours: no random split

# %%
# The loss is minus the log of the probability of the true digit. ``floor=0.001`` keeps
# probabilities away from zero: neighbours and trees are otherwise certain of wrong digits,
# and their loss is infinite.

estimators = {
    "10 neighbours": KNeighborsClassifier(10),
    "logistic": LogisticRegression(max_iter=200),
    "stiff logistic": LogisticRegression(C=0.01, max_iter=200),
    "discriminant": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(var_smoothing=0.1),
    "tree": DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
}
models = {
    name: classifier(
        estimator.fit(images[:half], digits[:half]), images[half:], floor=0.001
    )
    for name, estimator in estimators.items()
}
result = rivals.compare(models, (images[half:], digits[half:]), c=2**-4, rng=0)
print(result)

# %%
# The model of a row beats that of a column with the probability in the cell. The best
# comes first. A frame marks the pair that rejects the model of its column: here the
# neighbours reject all others. Of the pairs below the first row, several are undecided:
# neither model is better with a probability above 0.95.

plot_probability(result)

# %%
# Read the note at the neighbours before you trust them: "ties" and "largest losses: do not
# trust". They give most digits no loss at all, and a few the largest that the floor
# allows. Their mean loss depends on these few, and on the floor. Look at them:

for row in result.losses["10 neighbours"].observed.argsort()[:-4:-1]:
    print(f"image {half + row}: a {digits[half + row]}")
