#!/usr/bin/env python3
"""Prints the figures of the sources. Reads the sources only; builds nothing.

  python3 tests/house.py [ROOT]           tables for people; --ties, --probes, --public: the places
  python3 tests/house.py [ROOT] --json    the same as one JSON object
  python3 tests/house.py [ROOT] --bar     exit status 1 if a figure is above its bar

product: lines of crates/*/src without test modules and test files, blank and comment lines counted.
code:    the same without blank lines and lines that are only a comment.
"""
import json, os, re, sys
from collections import defaultdict

# Figure: its bar, which no change may exceed, and the goal, to which the bar is lowered with each figure that falls.
BARS = {
    "code": (137_506, 87_000), "files_in_circles": (0, 0), "largest_file": (780, 800), "longest_function": (118, 120),
    "consts_import": (116, 120), "unused_public": (66, 40), "names_shared": (60, 60), "architecture_bytes": (20_000, 20_000),
    "repeated_windows": (12, 20), "files_of_keyed_property": (3, 4), "files_of_ease": (1, 1),
    "files_of_skin_blend": (1, 3), "files_of_exporter": (2, 2), "files_of_importer": (2, 2), "files_of_page_edit": (3, 3),
}

root = next((a for a in sys.argv[1:] if not a.startswith("-")), ".")

def strip(text):
    """Text with comments and literals blanked, of the same length; braces outside of them stay."""
    out, i, n = list(text), 0, len(text)
    def blank(a, b):
        for k in range(a, b):
            if out[k] != "\n":
                out[k] = " "
    while i < n:
        c = text[i]
        if text.startswith("//", i):
            j = text.find("\n", i); j = n if j < 0 else j
            blank(i, j); i = j
        elif text.startswith("/*", i):
            depth, j = 1, i + 2
            while j < n and depth:
                if text.startswith("/*", j): depth += 1; j += 2
                elif text.startswith("*/", j): depth -= 1; j += 2
                else: j += 1
            blank(i, j); i = j
        elif c == '"':
            j = i + 1
            while j < n and text[j] != '"':
                j += 2 if text[j] == "\\" else 1
            blank(i + 1, min(j, n)); i = j + 1
        elif c == "r" and (m := re.match(r'r(#*)"', text[i:i + 8])) and (i == 0 or not (text[i-1].isalnum() or text[i-1] == "_")):
            j = text.find('"' + m[1], i + len(m[0])); j = n if j < 0 else j
            blank(i + len(m[0]), j); i = j + 1 + len(m[1])
        elif c == "'" and (m := re.match(r"'(\\.[^']*|[^'\\])'", text[i:i + 14])):
            blank(i + 1, i + len(m[0]) - 1); i += len(m[0])
        else:
            i += 1
    return "".join(out)

def end_of_block(s, start):
    """Index after the block or `;` of the item that starts at `start`."""
    depth, k = 0, start
    while k < len(s):
        c = s[k]
        if c == "{" : depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0: return k + 1
        elif c == ";" and depth == 0: return k + 1
        k += 1
    return len(s)

class File:
    def __init__(self, crate, path, test):
        self.crate, self.path = crate, path
        self.text = open(os.path.join(root, path), encoding="utf-8").read()
        self.clean = strip(self.text)
        lines = self.text.count("\n")
        self.tests = [] if not test else [(0, len(self.text))]
        self.test_modules = []
        if not test:
            for m in re.finditer(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*", self.clean):
                e = end_of_block(self.clean, m.end())
                self.tests.append((m.start(), e))
                if (x := re.match(r"(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", self.clean[m.end():])):
                    self.test_modules.append(x[1])
        self.lines = lines
    def settle(self):
        keep = [True] * (self.lines + 2)
        for a, b in self.tests:
            for l in range(self.text.count("\n", 0, a), self.text.count("\n", 0, b) + 1):
                keep[l] = False
        rows, clean = self.text.split("\n")[:self.lines], self.clean.split("\n")
        self.product = sum(keep[:self.lines])
        self.test = self.lines - self.product
        self.code = sum(1 for i, r in enumerate(rows) if keep[i] and clean[i].strip())
        self.keep = keep

def collect():
    files = {}
    for crate in sorted(os.listdir(os.path.join(root, "crates"))):
        for top, _, names in os.walk(os.path.join(root, "crates", crate)):
            rel = os.path.relpath(top, root)
            if "/target" in rel: continue
            for name in sorted(names):
                if not name.endswith(".rs"): continue
                path = os.path.join(rel, name)
                inside = rel.startswith(f"crates/{crate}/src")
                test = not inside or "/tests/" in path or name == "tests.rs"
                files[path] = File(crate, path, test)
    # Modules that are declared under cfg(test) in files of their own.
    for f in list(files.values()):
        base = os.path.dirname(f.path) if os.path.basename(f.path) in ("mod.rs", "lib.rs", "main.rs") else f.path[:-3]
        for name in f.test_modules:
            for g in files.values():
                if g.path == f"{base}/{name}.rs" or g.path.startswith(f"{base}/{name}/"):
                    g.tests = [(0, len(g.text))]
    for f in files.values(): f.settle()
    return files

def module_of(path):
    """crates/x/src/a/b.rs -> ("a", "b")"""
    parts = path.split("/src/", 1)[1][:-3].split("/")
    if parts[-1] in ("mod", "lib", "main"): parts.pop()
    return tuple(parts)

def uses(f):
    """Paths named in `use` and in the code: lists of segments, product lines only."""
    s = f.clean
    for a, b in f.tests: s = s[:a] + re.sub(r"[^\n]", " ", s[a:b]) + s[b:]
    found, passed = [], []
    def tree(prefix, text):
        text = text.strip()
        depth, start, items = 0, 0, []
        for k, c in enumerate(text + ","):
            if c == "{": depth += 1
            elif c == "}": depth -= 1
            elif c == "," and depth == 0:
                items.append(text[start:k].strip()); start = k + 1
        for it in items:
            if not it: continue
            if "{" in it:
                head, rest = it.split("{", 1)
                tree(prefix + [x for x in head.strip().split("::") if x.strip()], rest.rsplit("}", 1)[0])
            else:
                found.append(prefix + [x.strip() for x in it.split(" as ")[0].split("::") if x.strip()])
    body = re.sub(r"\b(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]+;", "", s)
    for m in re.finditer(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", s):
        before = len(found)
        tree([], m[2])
        if m[1]:  # Handed on: an import only if the file names it as well.
            handed = found[before:]
            del found[before:]
            passed.extend(handed)
            found.extend(x for x in handed if re.search(rf"\b{x[-1]}\b", body))
    s2 = re.sub(r"\b(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]+;", lambda m: re.sub(r"[^\n]", " ", m[0]), s)
    for m in re.finditer(r"\b(?:crate|super|self)(?:::\w+)+", s2):
        found.append(m[0].split("::"))
    return found, passed

def graph(files):
    """File -> files of the same crate that it names. A face (mod.rs that re-exports) passes names on to where they are."""
    edges = defaultdict(lambda: defaultdict(set))
    for crate in sorted({f.crate for f in files.values()}):
        own = {p: f for p, f in files.items() if f.crate == crate and f.product and "/src/" in p}
        mods = {module_of(p): p for p in own}
        defs, reexports = {}, defaultdict(dict)
        for p, f in own.items():
            s = f.clean
            for m in re.finditer(r"\b(?:fn|struct|enum|trait|type|const|static|macro_rules!|union)\s+(\w+)", s):
                defs[(module_of(p), m[1])] = p
        parsed = {p: uses(f) for p, f in own.items()}
        def absolute(p, segs):
            here = list(module_of(p))
            if segs[0] == "crate": return segs[1:]
            if segs[0] == "self": return here + segs[1:]
            if segs[0] == "super":
                while segs and segs[0] == "super": here = here[:-1]; segs = segs[1:]
                return here + segs
            if tuple(here + segs[:1]) in mods: return here + segs
            return None
        for p in own:
            for segs in parsed[p][0] + parsed[p][1]:
                a = absolute(p, segs)
                if a: reexports[module_of(p)][a[-1]] = a
        def resolve(a, depth=0):
            if depth > 8: return None
            for k in range(len(a), -1, -1):
                if tuple(a[:k]) in mods:
                    rest = a[k:]
                    home = mods[tuple(a[:k])]
                    if not rest: return home
                    if (tuple(a[:k]), rest[0]) in defs: return defs[(tuple(a[:k]), rest[0])]
                    via = reexports[tuple(a[:k])].get(rest[0])
                    if via and via != a: return resolve(via + rest[1:], depth + 1)
                    return home
            return None
        for p in own:
            for segs in parsed[p][0]:
                a = absolute(p, segs)
                t = resolve(a) if a else None
                if t and t != p: edges[p][t].add(segs[-1])
            # A parent that declares modules and re-exports them only is a face: its arrows are no imports.
        for p in own:
            f = own[p]
            if os.path.basename(p) in ("lib.rs",) or (os.path.basename(p) == "mod.rs" and not re.search(r"\b(?:fn|struct|enum|trait|impl)\s", f.clean)):
                edges[p] = defaultdict(set)
    return edges

def circles(edges):
    index, low, stack, on, out, n = {}, {}, [], set(), [], [0]
    sys.setrecursionlimit(10_000)
    def visit(v):
        index[v] = low[v] = n[0]; n[0] += 1; stack.append(v); on.add(v)
        for w in edges.get(v, {}):
            if w not in index: visit(w); low[v] = min(low[v], low[w])
            elif w in on: low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = []
            while True:
                w = stack.pop(); on.discard(w); part.append(w)
                if w == v: break
            if len(part) > 1: out.append(sorted(part))
    for v in sorted(edges):
        if v not in index: visit(v)
    return sorted(out, key=len, reverse=True)

def functions(files):
    rows = []
    for f in files.values():
        if not f.product: continue
        for m in re.finditer(r"\bfn\s+(\w+)", f.clean):
            line = f.text.count("\n", 0, m.start())
            if not f.keep[line]: continue
            e = end_of_block(f.clean, m.end())
            rows.append((f.text.count("\n", 0, e) - line + 1, f"{f.path}:{line + 1}", m[1]))
    return sorted(rows, reverse=True)

def public(files):
    """Public names, and those that no other crate, test, example or document names. Textual."""
    everything = {}
    for top in ("crates", "examples", "tests", "fuzz", "bindings"):
        for d, _, names in os.walk(os.path.join(root, top)):
            if "/target" in d: continue
            for name in names:
                if name.endswith(".rs"):
                    p = os.path.relpath(os.path.join(d, name), root)
                    everything[p] = set(re.findall(r"\w+", files[p].clean if p in files else strip(open(os.path.join(root, p)).read())))
    product = {p for p, f in files.items() if f.product and "/src/" in p}
    items, seen = [], defaultdict(list)
    for p in sorted(product):
        f = files[p]
        for m in re.finditer(r"^\s*pub (?:const |unsafe |async )*(fn|struct|enum|trait|type|const|static|mod)\s+(\w+)", f.clean, re.M):
            line = f.text.count("\n", 0, m.end())
            if f.keep[line]: items.append((f.crate, p, line + 1, m[1], m[2]))
    for p, words in everything.items():
        crate = p.split("/")[1] if p.startswith("crates/") else "outside"
        if crate == "bone-layer" and p.endswith("/src/lib.rs"): crate = "facade"
        inside = p in product
        for w in words: seen[w].append((crate, inside))
    unused, only_tests = [], []
    for crate, p, line, kind, name in items:
        others = [(c, i) for c, i in seen[name] if c != crate or not i]
        if not others: unused.append((p, line, kind, name))
        elif not any(i and c != "facade" for c, i in others): only_tests.append((p, line, kind, name))
    return items, unused, only_tests

# A word of one thing of each kind. The product files and page modules that have it are what one more would cost.
PROBES = {
    "keyed_property": r"\bsetup_angle\b(?!\()|SetupAngle",
    "ease": r"\bTcb\b", "skin_blend": r"\bRotationCenters\b",
    "exporter": r"\bApng\w*|\bapng\b", "importer": r"\btrc\b|\bTrc\w*", "page_edit": r"SetExtend|set_extend",
}

def spread(files):
    found = {}
    texts = {p: "\n".join(l for l, k in zip(f.text.split("\n"), f.keep) if k) for p, f in files.items() if f.product}
    texts = {p: re.sub(r"//[^\n]*", "", t) for p, t in texts.items()}
    page = os.path.join(root, "crates/live/page")
    for n in sorted(os.listdir(page)):
        if n.endswith((".js", ".ts")): texts[f"crates/live/page/{n}"] = open(os.path.join(page, n)).read()
    for name, word in PROBES.items():
        found[name] = sorted(p for p, t in texts.items() if re.search(word, t))
    return found

def repeats(files, window=6):
    """Runs of `window` equal code lines in two places of the product: how many such windows."""
    seen = defaultdict(list)
    for p, f in files.items():
        if not f.product: continue
        rows = [" ".join(r.split()) for r, c, k in zip(f.text.split("\n"), f.clean.split("\n"), f.keep) if k and c.strip() and not c.strip().startswith(("use ", "pub use ", "mod "))]
        rows = [r for r in rows if len(r) > 3]
        for i in range(len(rows) - window + 1): seen["\n".join(rows[i:i + window])].append((p, i))
    return sum(len(v) - 1 for v in seen.values() if len(v) > 1)

def main():
    files = collect()
    probes = spread(files)
    by = defaultdict(lambda: [0, 0, 0, 0, 0])
    for f in files.values():
        b = by[f.crate]
        b[0] += f.product; b[1] += f.code; b[2] += f.test; b[3] += 1 if f.product else 0
        for m in re.finditer(r"^\s*(?:pub(?:\([^)]*\))? )?(?:const|static) (?:mut )?[A-Z_0-9]+\s*:", f.clean, re.M):
            if f.keep[f.text.count("\n", 0, m.end())]: b[4] += 1
    modules = defaultdict(int)
    for f in files.values():
        if not f.product: continue
        parts = f.path.split("/src/")[-1].split("/")
        for k in range(1, len(parts)): modules[f"{f.crate}::{'::'.join(parts[:k])}"] += f.product
        stem = "::".join(parts)[:-3]
        if f"{f.path[:-3]}" and os.path.isdir(os.path.join(root, f.path[:-3])): modules[f"{f.crate}::{stem}"] += f.product
    edges = graph(files)
    rings = circles(edges)
    longest = functions(files)
    items, unused, only_tests = public(files)
    names = defaultdict(list)
    for f in files.values():
        for m in re.finditer(r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type)\s+(\w+)", f.clean, re.M):
            if f.keep[f.text.count("\n", 0, m.end())]: names[m[1]].append(f.path)
    shared = {n: p for n, p in names.items() if len(p) > 1}
    deps, packages = {}, set()
    for crate in by:
        toml = open(os.path.join(root, "crates", crate, "Cargo.toml")).read()
        packages.add(re.search(r'^name = "(.+)"', toml, re.M)[1])
        section = re.split(r"^\[", toml, flags=re.M)
        body = next((s for s in section if s.startswith("dependencies]")), "")
        deps[crate] = re.findall(r"^([\w-]+)(?:\.workspace|\s*=)", body, re.M)
    page = sum(open(os.path.join(root, "crates/live/page", n)).read().count("\n") for n in os.listdir(os.path.join(root, "crates/live/page")))
    figures = {
        "files": sum(b[3] for b in by.values()), "product": sum(b[0] for b in by.values()), "code": sum(b[1] for b in by.values()),
        "tests_in_crates": sum(b[2] for b in by.values()), "page_lines": page,
        "circles": len(rings), "files_in_circles": sum(map(len, rings)), "largest_circle": max(map(len, rings), default=0),
        "largest_file": max(f.product for f in files.values()), "files_above_500": sum(f.product > 500 for f in files.values()),
        "longest_function": longest[0][0], "functions_above_80": sum(r[0] > 80 for r in longest),
        "consts": sum(b[4] for b in by.values()), "consts_import": by["import"][4],
        "public": len(items), "unused_public": len(unused), "public_for_tests": len(only_tests),
        "types": sum(map(len, names.values())), "names_shared": len(shared),
        "repeated_windows": repeats(files),
        **{f"files_of_{k}": len(v) for k, v in probes.items()},
        "architecture_bytes": os.path.getsize(os.path.join(root, "ARCHITECTURE.md")),
    }
    if "--json" in sys.argv:
        print(json.dumps({"figures": figures, "crates": {c: dict(zip(("product", "code", "tests", "files", "consts"), b)) for c, b in by.items()}, "circles": rings}, indent=1)); return
    print("| crate | product | code | tests | files | constants | uses |"); print("|---|---|---|---|---|---|---|")
    for c, b in sorted(by.items(), key=lambda x: -x[1][0]): print(f"| {c} | {b[0]} | {b[1]} | {b[2]} | {b[3]} | {b[4]} | {' '.join(d for d in deps[c] if d in packages)} |")
    print("\nmodules above 800:"); [print(f"  {v:6} {k}") for k, v in sorted(modules.items(), key=lambda x: -x[1]) if v > 800]
    print("\nlongest files:"); [print(f"  {f.product:5} {f.path}") for f in sorted(files.values(), key=lambda f: -f.product)[:20]]
    print("\nlongest functions:"); [print(f"  {n:4} {p} {name}") for n, p, name in longest[:25]]
    print("\ncircles:")
    for r in rings:
        print(f"  {len(r)}: {' '.join(x.removeprefix('crates/').replace('/src', '', 1) for x in r)}")
        if "--ties" in sys.argv:
            for a in r:
                for b, w in edges[a].items():
                    if b in r: print(f"      {a} -> {b}: {', '.join(sorted(w))}")
    if "--public" in sys.argv:
        print("\npublic, named nowhere outside:"); [print("  %s:%d %s %s" % x) for x in unused]
        print("\npublic, for tests and the facade alone:"); [print("  %s:%d %s %s" % x) for x in only_tests]
    if "--probes" in sys.argv:
        for k, v in probes.items(): print(f"\n{k}:", *(x.removeprefix("crates/") for x in v), sep="\n  ")
    print("\nmost shared names:", ", ".join(f"{n} {len(p)}" for n, p in sorted(shared.items(), key=lambda x: -len(x[1]))[:20]))
    print("\n" + "\n".join(f"{k} {v}" + (" (bar {}, goal {})".format(*BARS[k]) if k in BARS else "") for k, v in figures.items()))
    if "--bar" in sys.argv:
        over = [k for k, (bar, _) in BARS.items() if figures[k] > bar]
        if over: print("above the bar:", ", ".join(over)); sys.exit(1)
main()
