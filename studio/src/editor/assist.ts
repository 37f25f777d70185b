import { syntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState, Text } from '@codemirror/state';
import type { Finding } from '../api/types.ts';

/**
 * Maps a finding to the range of the value it names, cut at the end of the value's first line.
 *
 * @param message What it says, in the language of the reader.
 */
export function diagnosticOf(
  state: EditorState,
  finding: Finding,
  message = finding.message,
): Diagnostic {
  const { severity, path } = finding;
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
