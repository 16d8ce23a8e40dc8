"""Differences gathered by class, and how they are printed."""

import json


class Report:
    def __init__(self, explained):
        self.explained = explained      # line, request -> reason or None
        self.classes = {}               # line -> Class
        self.reasons = {}               # reason -> count

    def add(self, difference, example):
        """Count it; True if it is the first of its class, unexplained."""
        line = difference.line()
        reason = self.explained(line, example["request"])
        if reason:
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
            return False
        entry = self.classes.get(line)
        if entry:
            entry["count"] += 1
            return False
        self.classes[line] = {"count": 1, "kind": difference.kind,
                              "line": line, "example": example}
        return True

    def unexplained(self):
        return sum(entry["count"] for entry in self.classes.values()
                   if entry["kind"] != "text")

    def write(self, out, texts=True):
        by_count = sorted(self.classes.values(), key=lambda e: -e["count"])
        for kinds, title in (
                (("type", "result", "state"), "Unexplained differences"),
                (("text",), "Texts that differ (informative)")):
            if kinds == ("text",) and not texts:
                continue
            entries = [e for e in by_count if e["kind"] in kinds]
            print(f"== {title}: {len(entries)} classes,"
                  f" {sum(e['count'] for e in entries)} requests", file=out)
            for entry in entries:
                _print(entry, out)
        print("== Explained", file=out)
        for reason, count in sorted(self.reasons.items(),
                                    key=lambda pair: -pair[1]):
            print(f"{count:6}  {reason}", file=out)


def _print(entry, out):
    example = entry["example"]
    print(f"\n{entry['count']:6}  {entry['line']}", file=out)
    print(f"        request {example['number']}: {example['operation']}"
          f" {compact(example['request'])}", file=out)
    if example.get("items"):
        print(f"        items: {compact(example['items'])}", file=out)
    print(f"        extension: {compact(example['ours'])}", file=out)
    print(f"        local:     {compact(example['theirs'])}", file=out)


def compact(node):
    text = json.dumps(node, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) < 1500 else text[:1500] + "…"
