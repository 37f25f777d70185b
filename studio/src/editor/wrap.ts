import type { Extension } from '@codemirror/state';
import { RangeSetBuilder } from '@codemirror/state';
import type { DecorationSet, ViewUpdate } from '@codemirror/view';
import { Decoration, EditorView, ViewPlugin } from '@codemirror/view';

/** Deeper lines go on where these do. */
const INDENT_MAX = 40;
/** How much farther in than its line the rest of a line begins, in characters. */
const HANG = 2;

const LINES = Array.from({ length: INDENT_MAX + 1 }, (_, indent) =>
  Decoration.line({ class: `cm-indent-${indent}` }),
);

/** By classes, because the content security policy allows no style attributes. */
const THEME = EditorView.theme(
  Object.fromEntries(
    LINES.map((_, indent) => [
      `.cm-line.cm-indent-${indent}`,
      { textIndent: `-${indent + HANG}ch`, paddingLeft: `calc(${indent + HANG}ch + 6px)` },
    ]),
  ),
);

function indents(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      // A line may have megabytes.
      const head = view.state.sliceDoc(line.from, Math.min(line.to, line.from + INDENT_MAX));
      const indent = /^ */.exec(head)?.[0].length ?? 0;
      const decoration = LINES[indent];
      if (decoration !== undefined) builder.add(line.from, line.from, decoration);
      at = line.to + 1;
    }
  }
  return builder.finish();
}

const hanging = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = indents(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = indents(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Wraps long lines; what goes on below stands farther in than the line's beginning. */
export const wrapping: Extension = [EditorView.lineWrapping, THEME, hanging];
