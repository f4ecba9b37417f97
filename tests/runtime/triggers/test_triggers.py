"""Triggers: the scores of section 3, what explains them, and their order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.manifest.values import Triggers
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.triggers.file_index import FileIndex
from skillbag.runtime.triggers.triggers import PartKind, Score, ScorePart, TriggerContext, reaching, scores
from tests.rows import each_row
from tests.runtime.found import found

FILES = FileIndex(["Dockerfile", "deploy/k8s/web.yaml", "src/main.go"])
KUBERNETES = found(
    "kubernetes",
    triggers=Triggers(
        files=("Dockerfile", "*.k8s.yaml", "k8s/"),
        keywords=("kubernetes", "Helm Chart"),
        modes=("interactive", "headless"),
        languages=("dockerfile", "go"),
    ),
)


def score(skill: FoundSkill, context: TriggerContext) -> Score:
    return scores([skill], context)[0].score


def total(context: TriggerContext) -> int:
    return score(KUBERNETES, context).total


EMPTY = FileIndex([])


def test_every_trigger_has_the_points_of_the_specification() -> None:
    assert total(TriggerContext(EMPTY)) == 0
    assert total(TriggerContext(FILES)) == 2 * 100
    assert total(TriggerContext(EMPTY, languages=FILES.languages)) == 2 * 60
    assert total(TriggerContext(EMPTY, mode="interactive")) == 40
    assert total(TriggerContext(EMPTY, message="a KUBERNETES cluster")) == 80
    assert total(TriggerContext(EMPTY, message="the helm charts of kubernetes")) == 2 * 80
    assert total(TriggerContext(EMPTY, current_path="app/Dockerfile")) == 150
    assert total(TriggerContext(EMPTY, current_path="k8s/a.yaml")) == 100
    assert total(TriggerContext(EMPTY, current_path="a.k8s.yaml")) == 100
    everything = TriggerContext(FILES, FILES.languages, "headless", "k8s/Dockerfile", "kubernetes, a helm chart")
    assert total(everything) == 150 + 200 + 160 + 120 + 40


def test_a_named_skill_has_a_thousand_points_and_nothing_more() -> None:
    context = TriggerContext(FILES, FILES.languages, "interactive", "Dockerfile", "kubernetes")
    named = score(KUBERNETES._replace(inline=True), context)
    assert named.total == 1000
    assert named.parts == (ScorePart(PartKind.EXPLICIT, "kubernetes", 1000, "kubernetes"),)


def test_a_score_names_its_patterns_and_what_they_matched() -> None:
    context = TriggerContext(FILES, frozenset({"go"}), "headless", "deploy/k8s/web.yaml", "Kubernetes?")
    assert score(KUBERNETES, context).parts == (
        ScorePart(PartKind.CURRENT_PATH, "k8s/", 100, "deploy/k8s/web.yaml"),
        ScorePart(PartKind.FILES, "Dockerfile", 100, "Dockerfile"),
        ScorePart(PartKind.FILES, "k8s/", 100, "deploy/k8s/"),
        ScorePart(PartKind.KEYWORDS, "kubernetes", 80, "kubernetes"),
        ScorePart(PartKind.LANGUAGES, "go", 60, "go"),
        ScorePart(PartKind.MODES, "headless", 40, "headless"),
    )


def test_a_trigger_that_is_written_twice_counts_once() -> None:
    twice = found(triggers=Triggers(("*.go", "*.go"), ("Go", "go"), ("wiki", "wiki"), ("go", "go")))
    assert score(twice, TriggerContext(FILES, FILES.languages, "wiki", message="GO")).total == 100 + 80 + 60 + 40


@each_row(
    ("patterns", "points"), [(("*.go", "main.go"), 150), (("src/main.go",), 150), (("*.go", "src/"), 100), (("a",), 0)]
)
def test_only_the_best_pattern_counts_for_the_current_path(patterns: tuple[str, ...], points: int) -> None:
    assert (
        score(found(triggers=Triggers(files=patterns)), TriggerContext(EMPTY, current_path="src/main.go"))[0] == points
    )


def test_a_skill_without_triggers_is_never_activated() -> None:
    context = TriggerContext(FILES, FILES.languages, "interactive", "Dockerfile", "everything")
    for threshold in (1, 0, -5):
        assert reaching(scores([found()], context), threshold) == ()


def test_the_threshold_decides() -> None:
    go = found(triggers=Triggers(languages=("go",)))
    context = TriggerContext(FILES, FILES.languages)
    assert reaching(scores([go], context), 60) == (go.name,)
    assert reaching(scores([go], context), 61) == ()


def test_the_order_is_score_then_priority_then_name() -> None:
    skills = [
        found("c", triggers=Triggers(keywords=("x",))),
        found("a", triggers=Triggers(keywords=("x",))),
        found("z", triggers=Triggers(keywords=("x",)), priority=1),
        found("y", triggers=Triggers(keywords=("x", "xy"))),
        found("b", triggers=Triggers(keywords=("x",)), priority=-1),
        found("q", inline=True),
    ]
    scored = scores(skills, TriggerContext(EMPTY, message="xy"))
    assert [item.skill.name for item in scored] == ["q", "y", "z", "a", "c", "b"]


SKILLS = st.builds(
    lambda name, words, priority: found(name, triggers=Triggers(keywords=tuple(words)), priority=priority),
    st.text("abc", min_size=1, max_size=3),
    st.lists(st.sampled_from(["x", "y", "z"]), max_size=3),
    st.integers(-2, 2),
)


@given(st.lists(SKILLS, unique_by=lambda skill: skill.name), st.text("xyz ", max_size=5), st.integers(-1, 200))
def test_the_order_is_total_and_independent_of_the_input(
    skills: list[FoundSkill], message: str, threshold: int
) -> None:
    context = TriggerContext(EMPTY, message=message)
    scored = scores(skills, context)
    assert scored == scores(reversed(skills), context)
    assert all(item.score.total == sum(part.points for part in item.score.parts) for item in scored)
    enough = {item.skill.name for item in scored if item.score.total >= max(1, threshold)}
    assert {*reaching(scored, threshold)} == enough
    for one, other in pairwise(scored):
        key = (-one.score.total, -one.skill.manifest.priority, one.skill.name)
        assert key < (-other.score.total, -other.skill.manifest.priority, other.skill.name)
