"""Configurations that say everything on one line (Onyx: `interface ethernet 1/1-1/2 qos trust L3`) as a tree.

Each line stands for itself, whatever its indentation; headers are the block paths of nos.yaml, the rest of the line is a line
below them. A prompt in front of a command is dropped, so that a session reads like the configuration that it enters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xoff.nos.junosscan import Statement
from xoff.nos.junostext import Grammar, plant
from xoff.nos.splitter import Node, Opaque, Span, Tree
from xoff.nos.splitter import split as lines

#: `switch [standalone: master] (config) # `, `switch > `.
_PROMPT = re.compile(r"[A-Za-z][\w.-]*(?: \[[^\]]*\])?(?: \(config[^)]*\))? [#>](?: |\Z)")


def split(text: str, grammar: Grammar, comments: Sequence[str] = ("#",), opaque: Sequence[Opaque] = ()) -> Tree:
    """The tree of a text. The cost is linear in its length."""
    flat = lines(text, comments, opaque)
    root = Node(0, "")
    tree = Tree(root, flat.comments, flat.spans, flat.total)
    statements = []
    for node in flat.lines():
        prompt = _PROMPT.match(node.text)
        words = (node.text[prompt.end() :] if prompt else node.text).split()
        if prompt and not words:
            tree.spans.append(Span(node.line, node.line, "prompt"))
            continue
        if words[:2] == ["no", "interface"] and len(words) > 4:
            words = [*words[1:4], "no", *words[4:]]  # what is taken back is what stands behind the name
        statements.append(Statement(tuple(words), node.line))
    plant(root, statements, grammar, {}, set())
    return tree
