"""A study without a random number: rates of the designed population as finite sums (D-36)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import inputs
from ..errors import MethodError
from .designed import DesignedPopulation
from .exact import judged_readings, rejection_rates
from .outcomes import Asked, Told
from .rates import ExactRate, ExactRates
from .scenarios import Scenario

__all__ = ["ExactStudy", "exact_study"]


@dataclass(frozen=True, slots=True)
class ExactStudy(Told):
    """What methods do in the designed population, as probabilities.

    A t that is infinite rejects, as in the paper.
    """

    scenario: DesignedPopulation
    asked: tuple[Asked, ...]
    effects: tuple[float, ...]

    def rates(self, alpha: float = 0.05) -> ExactRates:
        """Return the probability that each method rejects at α, for each effect."""
        alpha = inputs.fraction(alpha, "alpha")
        rows = []
        for effect in self.effects:
            found: dict[Asked, float] = {}
            for some in _apart(self.asked):
                designs = {one.method: one.design for one in some}
                rates = rejection_rates(self.scenario, designs, alpha=alpha, effect=effect)
                found.update({one: rates[one.method] for one in some})
            rows += [
                ExactRate(one.label, effect, found[one], found[one], found[one])
                for one in self.asked
            ]
        return ExactRates(tuple(rows), f"rejected at α = {alpha:g}")

    def power(self, alpha: float = 0.05) -> ExactRates:
        """Return the probabilities over the effects."""
        return self.rates(alpha)

    def to_frame(self, alpha: float = 0.05) -> Any:
        """Return the rates as a polars data frame."""
        return self.rates(alpha).to_frame()

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Draw the rates by effect, or for one effect by method."""
        from ..report import study_figures

        inputs.choice(kind or "rates", "kind", ("rates", "power"))
        return study_figures.draw(self, kind, **options)

    def __repr__(self) -> str:
        return (
            f"<ExactStudy {self.scenario.name}: {len(self.asked)} methods × "
            f"{len(self.effects)} effects, as finite sums>"
        )


def exact_study(
    scenario: Scenario, asked: tuple[Asked, ...], effects: tuple[float, ...]
) -> ExactStudy:
    """Return the study, or refuse what finite sums do not settle."""
    if not isinstance(scenario, DesignedPopulation):
        raise MethodError(
            f"exact=True was asked of {scenario.name!r}; finite sums settle the designed "
            "population alone. Leave exact=True out to simulate"
        )
    for one in asked:
        if one.options:
            raise MethodError(
                f"{one.label} was asked with exact=True; methods are summed without options. "
                "Leave exact=True out to simulate it"
            )
        judged_readings({one.method: one.design}, scenario.n)
    for effect in effects:
        scenario.kinds(effect)
    return ExactStudy(scenario, asked, effects)


def _apart(asked: tuple[Asked, ...]) -> list[list[Asked]]:
    """Put methods into groups in which each stands once, as few groups as can be."""
    groups: list[list[Asked]] = []
    for one in asked:
        for group in groups:
            if all(other.method != one.method for other in group):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups
