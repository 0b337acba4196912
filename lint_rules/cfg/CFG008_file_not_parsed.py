"""CFG008: a file that cannot be read or parsed; nothing in it was judged."""

from __future__ import annotations

from xoff.lint.rules import FabricView, FileLine, Hit, Impact, Iterator, Line, Rule, Scope, Severity


class FileNotParsed(Rule):
    code = "CFG008"
    name = "file-not-parsed"
    severity = Severity.ERROR
    impact = Impact.HYGIENE
    scope = Scope.FILE

    def check_fabric(self, fabric: FabricView) -> Iterator[Hit]:
        for problem in fabric.problems:
            said = str(problem).partition(": ")[2] or str(problem)
            yield self.hit(
                f"nothing in this file was judged: {said}",
                at=Line((), "not parsed", FileLine(problem.file, problem.line)),
                observed=said,
                expected="a whole, well-formed configuration",
                why="Whatever the file configures went unjudged: a fault in it is as likely as in the files beside it.",
                object=problem.file,
            )
