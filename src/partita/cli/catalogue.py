"""Commands on the catalogue of indices, and the demonstration."""

from __future__ import annotations

import click

from partita.cli.options import form_option

AGAINST_SPECIES = ["ARI", "NMI", "VI", "RI", "purity"]


@click.command()
@click.argument("name", required=False)
@form_option
def indices(name: str | None, form: str) -> None:
    """List every index, or show one: partita indices ARI."""
    from partita.results.catalogue import card, catalogue

    click.echo((catalogue() if name is None else card(name)).write(form))


@click.command()
def demo() -> None:
    """Ask of Iris how many clusters there are, and how stable."""
    from sklearn.datasets import load_iris

    from partita.cluster import GaussianMixtureEM
    from partita.comparison import compare
    from partita.selection import choose_k, stability

    iris = load_iris()
    species = iris.target_names[iris.target]
    click.echo("Iris: 150 flowers of 3 species, 4 features.\n\n1. How many clusters, by which indices?\n")
    indices = ["BIC", "ICL", "PNC", "silhouette", "CH", "gap"]
    choice = choose_k(iris.data, GaussianMixtureEM(), range(1, 7), n_runs=5, indices=indices, random_state=0)
    click.echo(str(choice))
    click.echo("\n2. Are they found again in a part of the flowers?\n")
    steady = stability(iris.data, GaussianMixtureEM(n_init=5), range(2, 7), n_repeats=10, random_state=0)
    click.echo(str(steady))
    k = choice.k or 3
    model = choice.model_at(k)
    click.echo(f"\n3. How does the mixture of {k} compare with the species? Memberships are kept soft.\n")
    click.echo(f"mixture: {model.partition_}\n")
    click.echo(str(compare(species, model, indices=AGAINST_SPECIES)))
    if k != 3:
        click.echo("\nAnd with 3 components:\n")
        click.echo(str(compare(species, choice.model_at(3), indices=AGAINST_SPECIES)))
