"""COV001: a rule that --require names could not be judged."""

from __future__ import annotations

from xoff.lint.rules import Hit, Impact, Iterator, Required, Rule, Scope, Severity


class RequiredRuleNotAssessed(Rule):
    code = "COV001"
    name = "required-rule-not-assessed"
    severity = Severity.ERROR
    impact = Impact.HYGIENE
    scope = Scope.FILE

    def check_coverage(self, required: tuple[Required, ...]) -> Iterator[Hit]:
        for rule in required:
            if not rule.ran:
                yield self.hit(
                    f"{rule.code} is required and did not run: it is deselected, or no rule has that code",
                    at=None,
                    observed="did not run",
                    expected="assessed",
                    why="A gate that does not look is no gate: the fault that this rule is to keep out would pass.",
                    object=rule.code,
                )
            for reason, fact, count in rule.open:
                yield self.hit(
                    f"{rule.code} is required and could not be judged on {count} object{'s' if count != 1 else ''}: {reason}"
                    + (f" (missing: {fact})" if fact is not None else ""),
                    at=None,
                    observed=f"not assessed on {count}",
                    expected="assessed on all",
                    why="What could not be judged is no pass: supply the missing fact, or do not require the rule.",
                    object=f"{rule.code}: {reason}",
                )
