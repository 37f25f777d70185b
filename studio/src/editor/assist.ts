import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState, Text } from '@codemirror/state';
import type { Finding } from '../api/types.ts';
import type { Path, Suggestion } from './schema.ts';
import { keysAt, valuesAt } from './schema.ts';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** The path of `node` in the file: keys and indexes from the root. */
export function pathOf(state: EditorState, node: SyntaxNode): Path {
  const path: (string | number)[] = [];
  for (let at: SyntaxNode = node; at.parent !== null; at = at.parent) {
    const { parent } = at;
    if (parent.name === 'Array') path.unshift(indexIn(parent, at));
    if (parent.name === 'Property' && at.name !== 'PropertyName') {
      const name = parent.getChild('PropertyName');
      if (name !== null) path.unshift(textOf(state, name));
    }
  }
  return path;
}

function indexIn(list: SyntaxNode, node: SyntaxNode): number {
  return itemsOf(list).filter((item) => item.from < node.from).length;
}

/** The items of a list without brackets, commas and errors. */
function itemsOf(list: SyntaxNode): readonly SyntaxNode[] {
  const items: SyntaxNode[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    if (!['[', ']', ',', '⚠'].includes(child.name)) items.push(child);
  }
  return items;
}

/** The text of a key, without its quotes. */
export function textOf(state: EditorState, name: SyntaxNode): string {
  const text = state.sliceDoc(name.from, name.to);
  try {
    return String(JSON.parse(text));
  } catch (error) {
    // The user is still typing this string.
    if (error instanceof SyntaxError) return text.replaceAll('"', '');
    throw error;
  }
}

/** Completes with the keys and values that the schema allows at the cursor. */
export function completeTemplate(context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  const word = context.matchBefore(/"?[\w$-]*/);
  const node = syntaxTree(state).resolveInner(pos, -1);
  const isTyped = word !== null && word.to > word.from;
  const isQuoted = ['String', 'PropertyName'].includes(node.name);
  // Behind a closing quote nothing is being typed: Enter must end the line, not take an option.
  const isClosed = isQuoted && node.to === pos;
  if ((!isTyped || isClosed) && !context.explicit) return null;
  const from = isClosed ? node.from : (word?.from ?? pos);
  const rest = isQuoted ? state.sliceDoc(pos, node.to) : '';
  const behind = /^[\w$-]*"?/.exec(rest)?.[0].length ?? 0;
  const property = enclosing(node, 'Property');
  const name = property?.getChild('PropertyName') ?? null;
  const isValue = name !== null && pos > name.to && property !== null && pos <= property.to;
  if (isValue && node.name !== 'Object') {
    const path = [...pathOf(state, property), textOf(state, name)];
    const options = valuesAt(path).map((value) => valueOption(value, behind));
    return { from, options, validFor: /^"?[\w$-]*$/ };
  }
  const object = node.name === 'Object' ? node : enclosing(node, 'Object');
  if (object === null) return null;
  const hasColon = /^\s*:/.test(state.sliceDoc(pos + behind, pos + behind + 20));
  const options = keysAt(pathOf(state, object)).map((key) => keyOption(key, hasColon, behind));
  return { from, options, validFor: /^"?[\w$-]*$/ };
}

function enclosing(node: SyntaxNode, name: string): SyntaxNode | null {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (at.name === name) return at;
  }
  return null;
}

/** What is inserted after a key, by the shape of its value. */
const TAIL = { text: '""', list: '[]', object: '{}', value: '' } as const;

/** `behind`: characters after the cursor that the option replaces. */
function keyOption(key: Suggestion, hasColon: boolean, behind: number): Completion {
  const { label, detail, info, shape } = key;
  return {
    label: `"${label}"`,
    displayLabel: label,
    detail,
    info,
    type: 'property',
    apply: (view, _completion, from, to) => {
      const tail = hasColon ? '' : `: ${TAIL[shape]}`;
      const insert = `"${label}"${tail}`;
      const inside = hasColon || shape === 'value' ? 0 : 1;
      view.dispatch({
        changes: { from, to: to + behind, insert },
        selection: { anchor: from + insert.length - inside },
        userEvent: 'input.complete',
      });
    },
  };
}

/** `behind`: characters after the cursor that the option replaces. */
function valueOption({ label, info }: Suggestion, behind: number): Completion {
  return {
    label,
    info,
    type: 'enum',
    apply: (view, _completion, from, to) => {
      view.dispatch({
        changes: { from, to: to + behind, insert: label },
        selection: { anchor: from + label.length },
        userEvent: 'input.complete',
      });
    },
  };
}

/** Maps a finding to the range of the value it names, cut at the end of the value's first line. */
export function diagnosticOf(state: EditorState, finding: Finding): Diagnostic {
  const { severity, message, path } = finding;
  const from = positionOf(state.doc, finding);
  const node = syntaxTree(state).resolveInner(from, 1);
  const lineEnd = state.doc.lineAt(from).to;
  const to = Math.max(from, Math.min(node.from === from ? node.to : lineEnd, lineEnd));
  return { from, to, severity, message: path === '' ? message : `${path}: ${message}` };
}

function positionOf(doc: Text, { line = 1, column = 1 }: Finding): number {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(at.from + column - 1, at.to);
}
