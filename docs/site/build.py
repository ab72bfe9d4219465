#!/usr/bin/env python3
"""Makes a site of the documents, in which the examples play in place of their pictures. Ends with 1 if a link leads nowhere.

  docs/site/build.py OUT PACKAGE RENDER_FRAMES     build.sh makes the other two first

PACKAGE is the folder of the npm package, RENDER_FRAMES the command line, which packs the rigs. Needs markdown-it-py.
"""

import html
import json
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
# The pages in the order of the list at the left. A folder stands for what is in it, in the order of its README.
CHAPTERS = {
    "Begin": ["README.md", "TUTORIAL.md", "docs/live.md", "docs/live-sliders.md", "docs/glossary.md"],
    "Rigs": ["crates/rig-format/FORMAT.md", "docs/recordings.md", "docs/figures.md", "docs/synfig.md", "docs/editors.md", "docs/limits.md"],
    "Frames and files": ["docs/formats.md", "docs/vector.md", "docs/deliveries.md", "docs/archives.md", "docs/farm.md"],
    "Hosts": ["docs/embedding.md", "docs/web.md", "bindings/web/README.md", "bindings/python/README.md", "bindings/c/README.md"],
    "Behind it": ["ARCHITECTURE.md", "docs/security.md", "docs/corpus.md", "docs/resvg-suite.md", "docs/decisions/README.md", "CHANGELOG.md"],
}
# Shorter than their headings, for the list.
SHORT = {"README.md": "bone-layer", "docs/decisions/README.md": "Decisions", "bindings/web/README.md": "The npm package",
         "bindings/python/README.md": "Python", "bindings/c/README.md": "C"}
EXAMPLE = re.compile(r"^assets/gallery/([a-z-]+)\.(?:webp|png)$")
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"

markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def page_of(path):
    """Where the page of a document is: all lie in one folder, so that links are short."""
    return "index.html" if path == "README.md" else path.removesuffix(".md").replace("/", "-").lower() + ".html"


def slug(text, taken):
    """The anchor of a heading, as the readers of repositories make it."""
    plain = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", text).lower().strip()).replace(" ", "-")
    count = taken.get(plain, -1) + 1
    taken[plain] = count
    return f"{plain}-{count}" if count else plain


class Site:
    def __init__(self, out, package, program):
        self.out, self.package, self.program = out, package, program
        decisions = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/decisions").glob("[0-9]*.md"))
        self.documents = [path for pages in CHAPTERS.values() for path in pages] + decisions
        self.anchors, self.titles, self.wanted, self.wrong, self.rigs, self.index = {}, {}, [], [], set(), []
        source = re.search(r'^repository = "(https://[^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M)
        self.source = source and source[1].rstrip("/")

    def target(self, document, link):
        """Where a link of a document leads on the site; none if it leads to a source that is not on it."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document), path)) if path else document
        if path in self.documents:
            self.wanted.append((document, link, path, anchor))
            return page_of(path) + (f"#{anchor}" if anchor else "") if path != document else f"#{anchor}"
        if not (ROOT / path).exists():
            self.wrong.append(f"{document}: {link} is not there")
            return None
        if path.startswith("assets/") or re.search(r"\.(png|webp|svg|jpg)$", path):
            to = self.out / path
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, to)
            return path
        return f"{self.source}/blob/main/{path}" if self.source else None

    def picture(self, document, source, alt, width=None):
        """A picture, or the example that it shows, which plays."""
        at = self.target(document, source)
        if at is None:
            return html.escape(alt)
        size = f' width="{int(width)}"' if width else ""
        image = f'<img src="{html.escape(at)}" alt="{html.escape(alt)}" loading="lazy"{size}>'
        example = EXAMPLE.match(at)
        rig = example and ROOT / "examples" / example[1] / "rig.ron"
        if not rig or not rig.exists():
            return image
        self.rigs.add(example[1])
        return f'<bone-layer src="rigs/{example[1]}.bones" alt="{html.escape(alt)}">{image}</bone-layer>'

    def written(self, document):
        """The inside of a page."""
        tokens, taken, anchors = markdown.parse((ROOT / document).read_text()), {}, set()
        heading = None
        for token in tokens:
            if token.type == "heading_open":
                heading = token
            elif token.type == "inline":
                if heading:
                    text = re.sub(r"[`*]", "", token.content)
                    anchor = slug(text, taken)
                    heading.attrSet("id", anchor)
                    anchors.add(anchor)
                    self.titles.setdefault(document, text)
                    self.index.append([text, page_of(document) + (f"#{anchor}" if heading.tag != "h1" else ""), document])
                    heading = None
                for at, child in enumerate(token.children):
                    if child.type == "link_open":
                        to = self.target(document, child.attrGet("href"))
                        child.attrSet("href", to) if to else child.attrs.pop("href")
                    elif child.type == "image":
                        child.type, child.content = "html_inline", self.picture(document, child.attrGet("src"), child.content)
                    elif child.type == "html_inline":
                        child.content = self.html(document, child.content)
            elif token.type == "html_block":
                token.content = self.html(document, token.content)
        self.anchors[document] = anchors
        # What scrolls can be reached by keys.
        return markdown.renderer.render(tokens, markdown.options, {}).replace("<pre>", '<pre tabindex="0">').replace(
            "<table>", '<table tabindex="0">')

    def html(self, document, text):
        def image(found):
            value = {name: html.unescape(given) for name, given in re.findall(r'(\w+)="([^"]*)"', found[0])}
            made = self.picture(document, value["src"], value.get("alt", ""), value.get("width"))
            return f'<span class="aside">{made}</span>' if value.get("align") == "right" else made
        return re.sub(r"<img [^>]*>", image, text)

    def contents(self, document):
        """The list at the left."""
        parts = []
        for chapter, pages in CHAPTERS.items():
            items = "".join(
                f'<li><a href="{page_of(page)}"{" aria-current=page" if page == document else ""}>'
                f"{html.escape(SHORT.get(page) or self.titles[page])}</a></li>"
                for page in pages
            )
            parts.append(f"<section><h2>{chapter}</h2><ul>{items}</ul></section>")
        return "".join(parts)

    def build(self):
        self.out.mkdir(parents=True, exist_ok=True)
        bodies = {document: self.written(document) for document in self.documents}
        for document, link, path, anchor in self.wanted:
            if anchor and anchor not in self.anchors[path]:
                self.wrong.append(f"{document}: {link} has no such heading")
        for document, body in bodies.items():
            title = self.titles[document] + ("" if document == "README.md" else " · bone-layer")
            at = self.documents.index(document)
            links = [f'<a rel="{rel}" href="{page_of(other)}">{html.escape(self.titles[other])}</a>'
                     for rel, step in (("prev", -1), ("next", 1)) if 0 <= at + step < len(self.documents)
                     for other in [self.documents[at + step]]]
            (self.out / page_of(document)).write_text(f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{html.escape(title)}</title>
<link rel="icon" href="logo.svg">
<link rel="stylesheet" href="site.css">
<script type="module" src="bone-layer/index.js"></script>
<script type="module" src="site.js"></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<nav aria-label="Pages">
<label class="find">Find <input type="search" id="find" autocomplete="off"></label>
<ul id="found" aria-label="Headings that were found" hidden></ul>
<div id="pages">{self.contents(document)}</div>
</nav>
<main id="content" tabindex="-1">
{body}
<footer>{"".join(links)}</footer>
</main>
</body>
</html>
""")
        for path in (HERE / "site.css", HERE / "site.js", ROOT / "assets/logo.svg"):
            shutil.copyfile(path, self.out / path.name)
        found = [[text, at, self.titles[document]] for text, at, document in self.index]
        (self.out / "headings.json").write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
        shutil.copytree(self.package, self.out / "bone-layer", dirs_exist_ok=True, ignore=shutil.ignore_patterns("demo*", "keys*"))
        (self.out / "rigs").mkdir(exist_ok=True)
        for rig in sorted(self.rigs):
            subprocess.run([self.program, "pack", "--force", ROOT / "examples" / rig / "rig.ron", "-o", self.out / "rigs" / f"{rig}.bones"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(f"{self.out}: {len(bodies)} pages, {len(self.wanted)} links between them, {len(self.rigs)} figures")
        for wrong in self.wrong:
            print(wrong, file=sys.stderr)
        return not self.wrong


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(0 if Site(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]).build() else 1)
