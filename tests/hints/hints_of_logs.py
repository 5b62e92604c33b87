"""Refusals of logs of evaluations."""

import json
import warnings
import zipfile
from io import BytesIO
from typing import Any

from obeying import Case

ROW = {"item": "q0", "model": "m", "score": 1}


def rows(*changes: dict[str, Any]) -> str:
    """Return lines of items, each changed."""
    return "".join(json.dumps({**ROW, "item": f"q{i}", **c}) + "\n" for i, c in enumerate(changes))


def lm(*changes: dict[str, Any], **more: Any) -> str:
    """Return lines as lm-evaluation-harness writes them."""
    lines = [
        {
            "doc_id": i,
            "doc": {"s": i % 2},
            "filter": "none",
            "metrics": ["acc"],
            "acc": i % 2,
            "doc_hash": f"d{i}",
            "prompt_hash": f"p{i}",
            "target_hash": f"t{i}",
            **more,
            **change,
        }
        for i, change in enumerate(changes)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def log(**header: Any) -> bytes:
    """Return a log as Inspect writes it."""
    about = {
        "model": "m",
        "task": "t",
        "scorers": [{"name": "match", "metrics": [{"name": "accuracy"}]}],
    }
    held = {"version": 2, "status": "success", "eval": about, **header}
    samples = [{"id": i, "epoch": 1, "scores": {"match": {"value": "C"}}} for i in range(3)]
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("_journal/start.json", json.dumps({"eval": about}))
        if "eval" in held:
            file.writestr("header.json", json.dumps(held))
        text = held.pop("summaries", json.dumps(samples))
        if text is not None:
            file.writestr("summaries.json", text)
    return out.getvalue()


def large(n: int) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        about = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}
        file.writestr("header.json", json.dumps(about) + " " * n)
        file.writestr(
            "summaries.json", json.dumps([{"id": 1, "epoch": 1, "scores": {"acc": {"value": 1}}}])
        )
    return out.getvalue()


def twice(archive: bytes) -> bytes:
    """Return an archive whose last member comes twice."""
    out = BytesIO(archive)
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as file:
        warnings.simplefilter("ignore")
        file.writestr(file.namelist()[-1], "{}")
    return out.getvalue()


OPENAI = "".join(
    json.dumps(line) + "\n"
    for line in (
        {"spec": {"completion_fns": ["m"], "eval_name": "t"}},
        {"sample_id": "1", "type": "match", "data": {"correct": True}},
        {"sample_id": "2", "type": "match", "data": {"correct": False}},
        {"sample_id": "3", "type": "error", "data": {}},
        {"final_report": {"accuracy": 0.5}},
    )
)
READ = "op.Items.read('a.jsonl')"
TWO = "op.Items.read('a/samples_t.jsonl', 'b/samples_t.jsonl')"
PLAIN = {"a.jsonl": rows({}, {})}
SAMPLE = {
    "evaluation_id": "e",
    "model_id": "m",
    "evaluation_result_id": "t#acc",
    "sample_id": "1",
    "evaluation": {"score": 1},
}
SUMMARY = {
    "evaluation_id": "e",
    "evaluation_results": [
        {"evaluation_result_id": "t#acc", "metric_config": {"lower_is_better": False}}
    ],
    "detailed_evaluation_results": {"file_path": "e_samples.jsonl", "total_rows": 1},
}
HELM = json.dumps([{"instance_id": "1", "stats": [{"name": {"name": "exact_match"}, "mean": 1}]}])
SPEC = json.dumps({"name": "t:model=m", "adapter_spec": {"model": "m"}})
HASHED = "0" * 64


def eee(**told: Any) -> dict[str, str]:
    about = {
        **SUMMARY,
        "detailed_evaluation_results": {**SUMMARY["detailed_evaluation_results"], **told},
    }
    return {"e.json": json.dumps(about), "e_samples.jsonl": json.dumps(SAMPLE) + "\n"}


def two(first: str, second: str) -> dict[str, str]:
    return {"a/samples_t.jsonl": first, "b/samples_t.jsonl": second}


MATCHED = {"name": "match", "scorer": "match"}
JUDGED = "op.Items.read('j.csv')"
SAID = "item,model_a,model_b,winner\n1,x,y,x\n2,x,y,tie\n"
CASES = [
    # Files
    Case(
        READ,
        "Check that the file is complete",
        READ,
        {"a.jsonl": rows({}, {}) + '{"item": '},
        then=PLAIN,
    ),
    Case(
        "op.Items.read('a.eval')",
        "Check that the file is complete",
        "op.Items.read('a.eval')",
        {"a.eval": log(summaries="{")},
        then={"a.eval": log()},
    ),
    Case(
        "op.Items.read('a.eval')",
        "Download it again",
        "op.Items.read('a.eval')",
        {"a.eval": log()[:-80]},
        then={"a.eval": log()},
    ),
    Case(
        "op.Items.read('a.eval')",
        "it was modified. Download it again",
        "op.Items.read('a.eval')",
        {"a.eval": log(results={"scores": [{**MATCHED, "unscored_samples": 2}]})},
        then={"a.eval": log(results={"scores": [{**MATCHED, "unscored_samples": 0}]})},
    ),
    Case(
        "op.Items.read('a.eval')",
        "raise the limit: «limits={'ratio':»",
        "op.Items.read('a.eval', limits={'ratio': 2000})",
        {"a.eval": large(30_000_000)},
    ),
    Case(
        "from outperform.readers.zip_members import ZipMembers; from outperform.readers.limits "
        "import LIMITS\nwith ZipMembers('a.eval', LIMITS) as log: log.read('b')",
        "Check that the file is complete",
        "from outperform.readers.zip_members import ZipMembers; from outperform.readers.limits "
        "import LIMITS\nwith ZipMembers('a.eval', LIMITS) as log: log.read('header.json')",
        {"a.eval": log()},
    ),
    Case(
        "op.Items.read('a.eval')",
        "Finish the run, then pass its complete log",
        "op.Items.read('a.eval')",
        {"a.eval": log(status="error")},
        then={"a.eval": log()},
    ),
    Case(
        "op.Items.read('a.eval')",
        "Write the file again",
        "op.Items.read('a.eval')",
        {"a.eval": twice(log())},
        then={"a.eval": log()},
    ),
    Case(
        READ,
        "Score its answers first",
        READ,
        {"a.jsonl": rows({"score": None}, {"score": None})},
        then=PLAIN,
    ),
    Case(
        READ,
        "Run these items again, or remove these rows",
        READ,
        {"a.jsonl": rows({"status": "ok"}, {"status": "failed"})},
        then=PLAIN,
    ),
    Case(
        "op.Items.read('a.jsonl')",
        "Run these items again, or leave them out for all models: «errors='drop_pairs'»",
        "op.Items.read('a.jsonl', errors='drop_pairs')",
        {"a.jsonl": OPENAI},
    ),
    Case(
        "op.Items.read('a.jsonl')",
        "Write a table instead, with one row per item and the columns «item», «model», «score»",
        "item = model = score = 1; op.Items.read('a.jsonl')",
        {"a.jsonl": '{"spec": {}}\n{"a": 1}\n'},
        then=PLAIN,
    ),
    Case(
        "op.Items.read('a.jsonl')",
        "has an unexpected structure (AttributeError: \"'str' object has no attribute 'get'\"); it "
        "may be a different version. Write a table instead, with one row per item and the columns "
        "«item», "
        "«model», «score»",
        "item = model = score = 1; op.Items.read('a.jsonl')",
        {"a.jsonl": '{"evalId": 1, "results": "none"}\n'},
        then=PLAIN,
    ),
    Case(
        "op.Items.read('e.json')",
        "Copy that file into the same folder",
        "op.Items.read('e.json')",
        {"e.json": eee()["e.json"]},
        then=eee(),
    ),
    Case(
        "op.Items.read('e.json')",
        "Download both again",
        "op.Items.read('e.json')",
        eee(total_rows=2),
        then=eee(),
    ),
    Case(
        "op.Items.read('e.json')",
        "it was modified. Download both again",
        "op.Items.read('e.json')",
        eee(checksum=HASHED, hash_algorithm="sha256"),
        then=eee(),
    ),
    Case(
        "op.Items.read('a.jsonl', metric='ppl')",
        "Choose a metric with a number",
        "op.Items.read('a.jsonl', metric='acc')",
        {"a.jsonl": lm({"metrics": ["acc", "ppl"], "ppl": [1, 2]}, {})},
    ),
    Case(
        "op.Items.read('h.json')",
        "Copy it into the same folder",
        "op.Items.read('h.json')",
        {"h.json": HELM},
        then={"run_spec.json": SPEC},
    ),
    # Columns and fields
    Case(
        READ,
        "or name the column of scores: score=…",
        "op.Items.read('a.jsonl', score='points')",
        {"a.jsonl": rows({"score": "good", "points": 1}, {"score": "bad", "points": 2})},
    ),
    Case(
        "op.Items.read('a.jsonl', score='meta.x')",
        "Name the columns: item=…, score=…",
        "op.Items.read('a.jsonl', item='id', score='meta.y')",
        {
            "a.jsonl": rows(
                {"id": 1, "meta": {"x": "good", "y": 1}}, {"id": 2, "meta": {"x": "bad", "y": 2}}
            )
        },
    ),
    Case(
        "op.Items.read('a.jsonl', cluster='subjects')",
        "groups of items: cluster=…",
        "op.Items.read('a.jsonl', cluster='subject')",
        {"a.jsonl": rows({"subject": 1}, {"subject": 2})},
    ),
    Case(
        READ,
        "Name them: item=…, score=…",
        "op.Items.read('a.jsonl', item='which', score='how')",
        {"a.jsonl": '{"which": 1, "model": "m", "how": 1}\n{"which": 2, "model": "m", "how": 0}\n'},
    ),
    # Pairing
    Case(
        "op.Items.read('a.jsonl', metric='acq')",
        "did you mean «'acc'»",
        "op.Items.read('a.jsonl', metric='acc')",
        {"a.jsonl": lm({}, {}, filter=None)},
    ),
    Case(
        "op.Items.read('a.jsonl', 'b.jsonl')",
        "Compare logs of the same evaluation",
        "op.Items.read('a.jsonl')",
        {"a.jsonl": rows({}, {}), "b.jsonl": lm({}, {})},
    ),
    Case(
        READ,
        "Name one: «metric='acc,none'»",
        "",
        {"a.jsonl": lm({"metrics": ["acc", "f1"], "f1": 1})},
    ),
    Case(READ, "Pass «lower_is_better=True»", "", {"a.jsonl": lm({"metrics": ["odd"], "odd": 1})}),
    Case(READ, "or «lower_is_better=False»", "", {"a.jsonl": lm({"metrics": ["odd"], "odd": 1})}),
    Case(
        "op.Items.read('a.jsonl', 'b.jsonl')",
        "Give each item its own id",
        "op.Items.read('a.jsonl', 'b.jsonl')",
        {
            "a.jsonl": rows({"item": "q", "hash": "1"}, {"item": "q", "hash": "2"}),
            "b.jsonl": rows({"item": "q", "model": "n"}),
        },
        then={"a.jsonl": rows({"item": "q", "hash": "1"})},
    ),
    Case(
        TWO,
        "Compare logs of the same version",
        TWO,
        two(lm({}, {}), lm({}, {"target_hash": "x"})),
        then=two(lm({}, {}), lm({}, {})),
    ),
    Case(TWO, "pass «allow_other_prompts=True»", "", two(lm({}, {}), lm({}, {"prompt_hash": "x"}))),
    Case(TWO, "«common_items=True»", "", two(lm({}, {}), lm({}, {"doc_hash": "x"}))),
    Case(TWO, "«common_items=True»", "", two(lm({}, {}), lm({}))),
    Case(
        TWO,
        "Compare logs of the same items",
        TWO,
        two(lm({}), lm({"doc_hash": "x", "doc_id": 9})),
        then=two(lm({}), lm({})),
    ),
    Case(
        READ,
        "Check that no log was given twice",
        READ,
        {"a.jsonl": rows({"sample": 0}) + rows({"sample": 0})},
        then={"a.jsonl": rows({})},
    ),
    Case(
        "op.Items.read('a.jsonl', clusters='s')",
        "did you mean «'cluster'»",
        "op.Items.read('a.jsonl', **{'cluster': 's'})",
        {"a.jsonl": rows({"s": 1}, {"s": 1})},
    ),
    Case("op.Items.read()", "pass the paths of one or several logs", READ, PLAIN),
    Case(
        "op.compare({'a': [1, 2], 'b': [2, 3]}, cluster='s')",
        "Use «Items.from_arrays» or «Items.from_frame»",
        "from outperform import Items; Items.from_frame; "
        "op.compare(Items.from_arrays({'a': [1, 2], 'b': [2, 3]}, clusters=['s', 't']))",
    ),
    Case(
        READ,
        "Write one row for each sample",
        READ,
        {"a.jsonl": rows({"score": [1, 0]}, {"score": [1, 1]})},
        then={"a.jsonl": rows({}, {}) + rows({"score": 0}, {})},
    ),
    Case(
        READ,
        "Name the score: «score='of.acc'»",
        "op.Items.read('a.jsonl', score='of.acc')",
        {"a.jsonl": '{"id": 1, "of": {"acc": 1}}\n{"id": 2, "of": {"acc": 0}}\n'},
    ),
    Case(
        READ,
        "Name one of its fields: «score='score.acc'»",
        "op.Items.read('a.jsonl', score='score.acc')",
        {"a.jsonl": rows({"score": {"acc": 1}}, {"score": {"acc": 0}})},
    ),
    Case(
        "op.Items.read('a.jsonl', 'b.jsonl')",
        "If ids number rows, name what identifies items: item=…",
        "op.Items.read('a.jsonl', 'b.jsonl', item='question')",
        {
            "a.jsonl": rows({"question": "x"}, {"question": "y"}),
            "b.jsonl": rows({"question": "y", "model": "n"}, {"question": "x", "model": "n"}),
        },
    ),
    Case(
        READ,
        "Write 1 for right and 0 for wrong answers",
        READ,
        {"a.jsonl": rows({"score": "good"}, {"score": "bad"})},
        then={"a.jsonl": rows({}, {"score": 0})},
    ),
    Case(
        "op.Items.from_frame(pd.DataFrame({'item': [0.5, 2.0**53], 'model': 'm', 'score': 1}))",
        "Write its cells as text",
        "op.Items.from_frame(pd.DataFrame({'item': ['0.5', '9'], 'model': 'm', 'score': 1}))",
    ),
    Case(
        "op.Items.read('a.jsonl', 'b.jsonl')",
        "Compare logs of the same task",
        "op.Items.read('a.jsonl', 'b.jsonl')",
        {
            "a.jsonl": rows({"dataset": "x"}, {"dataset": "x"}),
            "b.jsonl": rows(*[{"dataset": "y", "model": "n"}] * 2),
        },
        then={"b.jsonl": rows(*[{"dataset": "x", "model": "n"}] * 2)},
    ),
    # Judgements
    Case(
        "op.Scores.from_frame(pd.DataFrame({'item': [1, 1], 'winner': ['x', 'tie']}))",
        "Use «op.Items.from_frame» in Python, or save the table as CSV",
        "op.Items.from_frame(pd.DataFrame({'item': [1, 1, 2], 'winner': ['x', 'tie', 'y']}))",
    ),
    Case(
        "op.Items.read('j.csv', 'k.csv')",
        "Put all judgements into that file",
        JUDGED,
        {"j.csv": SAID, "k.csv": SAID},
    ),
    Case(
        JUDGED,
        "Fill in the winner, or remove the row",
        JUDGED,
        {"j.csv": SAID + "3,x,y,\n"},
        then={"j.csv": SAID},
    ),
    Case(
        JUDGED,
        "has no columns «model_a» and «model_b»; add these",
        "model_a = model_b = 0; op.Items.read('j.csv')",
        {"j.csv": "item,winner\n1,x\n2,y\n3,z\n"},
        then={"j.csv": SAID},
    ),
    Case(
        JUDGED,
        "Add columns «model_a» and «model_b»",
        "model_a = model_b = 0; op.Items.read('j.csv')",
        {"j.csv": "item,winner\n1,x\n2,tie\n"},
        then={"j.csv": SAID},
    ),
    Case(
        JUDGED,
        "Write one of the two, model_a, model_b, or tie",
        JUDGED,
        {"j.csv": SAID + "3,x,y,z\n"},
        then={"j.csv": SAID + "3,x,y,model_b\n"},
    ),
    # On the command line
    Case(
        "$ outperform compare a.jsonl b.jsonl --design 10cv",
        "--design does not apply to logs of items; remove it",
        "$ outperform compare a.jsonl b.jsonl",
        {"a.jsonl": rows({}, {"score": 0}), "b.jsonl": rows({"model": "n"}, {"model": "n"})},
    ),
]

TOPICS = "item,model_a,model_b,winner,topic\n1,x,y,x,s\n2,x,y,y,t\n3,x,y,x,t\n4,x,y,x,s\n"
THREE = {"j.csv": TOPICS + "5,x,z,z,s\n6,x,z,x,t\n"}
WEIGHED = "question_id,subject,a,b,weight\n1,s,0,1,1.5\n2,t,1,1,2\n3,t,0,1,1\n4,s,1,0,1\n"
CLUSTERED = "op.compare('j.csv', cluster='topic')"
CASES += [
    Case(CLUSTERED, "Keep the rows for two models", CLUSTERED, THREE, then={"j.csv": TOPICS}),
    Case(
        CLUSTERED,
        "or leave the clusters out",
        "op.methods.bradley_terry(op.Items.read('j.csv'))",
        THREE,
    ),
    Case(
        "op.Items.read('w.csv', cluster='subject')",
        "list the others: «learner=['a', 'b']»",
        "",
        {"w.csv": WEIGHED},
    ),
    Case(
        "op.Items.read('w.csv', cluster='subject')",
        "list them all: «learner=['a', 'b', 'weight']»",
        "",
        {"w.csv": WEIGHED},
    ),
    Case(
        "$ outperform compare a.jsonl",
        "Add the log of another model: outperform compare FILE1 FILE2",
        "$ outperform compare a.jsonl b.jsonl",
        {
            "a.jsonl": rows({}, {"score": 0}, {}, {}),
            "b.jsonl": rows(*[{"model": "n", "score": s} for s in (0, 1, 0, 1)]),
        },
    ),
    Case(
        "$ outperform compare a.jsonl",
        "For one model alone use «op.estimate» in Python",
        "op.estimate(op.Items.read('a.jsonl'))",
        {"a.jsonl": rows({}, {"score": 0}, {}, {})},
    ),
]
