"""Keys of parameters that extend the standard: discovery, conditions, confirmation and persistence.

```yaml
required:
  - name: input-path
    discover: "docs/*.md"          # or a list of patterns, from the workspace's root
optional:
  - name: format
    values: [pdf, html]
    confirm: html                  # a value, a list of values, or "*" for any
  - name: page-size
    required-if: {format: pdf}     # all of them hold; a list is any of its values, "*" any value
    persist: true                  # worth keeping, or (false) not to be kept
confirm: It publishes the page     # the skill as a whole: why it asks first
```
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, core_value
from skillbag.kernel.standard.blocks import BlockFault, fault_at, is_empty, kind_of, values_of
from skillbag.kernel.standard.context_blocks import is_nothing
from skillbag.kernel.standard.parameters import LISTS, ParameterNode, declared_parameters
from skillbag.kernel.workspace.skill import Skill

KEYS = ("discover", "required-if", "confirm", "persist")

_DISCOVER = 'write `discover: "docs/*.md"`, a pattern within the workspace, or a list of such'
_REQUIRED_IF = "write `required-if: {another-parameter: its value}`"
_CONFIRM = 'write `confirm: a value`, a list of values, or `"*"` for any'
_RESERVED = "give the parameter another name, such as `confirmed`"
_PERSIST = "write `persist: true` or `persist: false`"
_RISK = "write `confirm: why it asks first`, or list it with a parameter"
_TRUTHS = ("true", "false")


def key_faults(skill: Skill) -> Iterator[BlockFault]:
    """What is malformed in these keys, in all parameters of a skill."""
    kinds = (discover_faults, condition_faults, confirm_faults, reserved_faults, persist_faults)
    yield from sorted(fault for faults in kinds for fault in faults(skill))


def parameter_mappings(skill: Skill) -> Iterator[Mapping]:
    """The blocks under `Parameters` that declare parameters, or only a risk."""
    for block in skill.parameter_blocks:
        if isinstance(block.value, Mapping):
            lists = any(block.value.get(key) is not None for key in LISTS)
            if lists or block.value.keys() == ("confirm",):
                yield block.value


def is_safe_pattern(pattern: str) -> bool:
    """Whether a pattern of `discover` stays within the workspace: relative, with `/`, without `..`."""
    if not pattern.strip() or pattern.startswith(("/", "~")) or "\\" in pattern or ":" in pattern.split("/")[0]:
        return False
    return ".." not in pattern.split("/") and pattern.isprintable()


def discover_faults(skill: Skill) -> Iterator[BlockFault]:
    """Values of `discover` that are not patterns within the workspace."""
    for node in _given(skill, "discover"):
        for item in values_of(node) or (node,):
            if not (isinstance(item, Scalar) and isinstance(core_value(item), str) and is_safe_pattern(item.value)):
                reason = f"`discover` has {_shown(item)}, which is not a pattern within the workspace"
                yield fault_at(item, reason, _DISCOVER)


def condition_faults(skill: Skill) -> Iterator[BlockFault]:
    """Values of `required-if` that are not a mapping from other parameters of the skill to values."""
    parameters = list(declared_parameters(skill))
    names = {parameter.name.value for parameter in parameters}
    for parameter in parameters:
        yield from _condition_faults(parameter, names)


def confirm_faults(skill: Skill) -> Iterator[BlockFault]:
    """Values of `confirm` that name no values (in a parameter) or no reason (beside the lists)."""
    for node in _given(skill, "confirm"):
        if not _are_values(node):
            yield fault_at(node, "`confirm` names no values", _CONFIRM)
    for risk in _risks(skill):
        if not isinstance(core_value(risk), str) or is_empty(risk):
            yield fault_at(risk, "the reason to ask first is not text", _RISK)


def reserved_faults(skill: Skill) -> Iterator[BlockFault]:
    """Parameters named `confirm` in a skill that asks first: its question could never be answered."""
    asks = [*_risks(skill), *_given(skill, "confirm")]
    for name, *_ in declared_parameters(skill) if asks else ():
        if name.value == "confirm":
            reason = "a parameter cannot be named `confirm`: `--set confirm=NAME` answers a confirmation"
            yield fault_at(name, reason, _RESERVED)


def persist_faults(skill: Skill) -> Iterator[BlockFault]:
    """Values of `persist` that are neither true nor false."""
    for node in _given(skill, "persist"):
        if not (isinstance(node, Scalar) and node.value.lower() in _TRUTHS):
            yield fault_at(node, "`persist` is neither true nor false", _PERSIST)


def _condition_faults(parameter: ParameterNode, names: set[str]) -> Iterator[BlockFault]:
    entry = parameter.item.entry("required-if")
    if entry is None:
        return
    key, node = entry
    if not isinstance(node, Mapping) or not node.entries:
        what = "empty" if isinstance(node, Mapping) or is_empty(node) else kind_of(node)
        yield fault_at(key, f"`required-if` is {what}, not a mapping of parameters to values", _REQUIRED_IF)
        return
    for other, value in node.entries:
        if other.value not in names or other.value == parameter.name.value:
            reason = f"`required-if` names `{other.value[:80]}`, which is no other parameter of this skill"
            yield fault_at(other, reason, _REQUIRED_IF)
        elif not _are_values(value):
            yield fault_at(other, f"`required-if` has no value for `{other.value[:80]}`", _REQUIRED_IF)


def _given(skill: Skill, key: str) -> Iterator[Node]:
    """The values of a key in all parameters of a skill."""
    values = (parameter.item.get(key) for parameter in declared_parameters(skill))
    return (value for value in values if value is not None)


def _risks(skill: Skill) -> Iterator[Node]:
    for mapping in parameter_mappings(skill):
        if (risk := mapping.get("confirm")) is not None:
            yield risk


def _are_values(node: Node) -> bool:
    """Whether a node is a value, or a list of some."""
    items = values_of(node)
    return bool(items) and all(isinstance(item, Scalar) and not is_nothing(item) for item in items)


def _shown(node: Node) -> str:
    if isinstance(node, Scalar):
        return f"`{node.value[:80]}`" if node.value else "nothing"
    return kind_of(node)
