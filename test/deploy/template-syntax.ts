/** The syntax of Go's text/template, as far as the chart uses it. */

/** Something with a value; `path` are the fields that follow it. */
export type Term =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'dot'; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'group'; readonly pipe: Pipe; readonly path: readonly string[] };

type Pipe = readonly (readonly Term[])[];

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  /** `assigns`: the variable that gets the value; '' prints it. */
  | { readonly kind: 'value'; readonly pipe: Pipe; readonly assigns: string }
  | {
      readonly kind: 'if' | 'with';
      readonly pipe: Pipe;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | {
      readonly kind: 'range';
      readonly pipe: Pipe;
      readonly names: readonly string[];
      readonly body: readonly Node[];
    };

type Piece = { readonly text: string } | { readonly action: string };

const ACTION = /\{\{(-\s)?\s*([^]*?)\s*(\s-)?\}\}/g;

/** Parses a file; its `define`d blocks are added to `blocks`. */
export function parseTemplate(source: string, blocks: Map<string, readonly Node[]>): Node[] {
  const pieces = piecesOf(source);
  const state = { at: 0 };
  const nodes = parseUntilEnd(pieces, state, blocks);
  if (state.at < pieces.length) throw new Error('an end without a beginning');
  return nodes;
}

function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trims = false;
  const addText = (end: number, trimsEnd: boolean): void => {
    let text = source.slice(at, end);
    if (trims) text = text.trimStart();
    if (trimsEnd) text = text.trimEnd();
    pieces.push({ text });
  };
  for (const match of source.matchAll(ACTION)) {
    addText(match.index, match[1] !== undefined);
    pieces.push({ action: match[2] ?? '' });
    at = match.index + match[0].length;
    trims = match[3] !== undefined;
  }
  addText(source.length, false);
  return pieces;
}

/** Parses up to an `else` or `end`, which it leaves. */
function parseUntilEnd(
  pieces: readonly Piece[],
  state: { at: number },
  blocks: Map<string, readonly Node[]>,
): Node[] {
  const nodes: Node[] = [];
  while (state.at < pieces.length) {
    const piece = pieces[state.at];
    if (piece === undefined) break;
    if ('action' in piece && /^(?:end|else)\b/.test(piece.action)) break;
    state.at += 1;
    if ('text' in piece) nodes.push({ kind: 'text', text: piece.text });
    else if (!piece.action.startsWith('/*'))
      nodes.push(...parseAction(piece.action, pieces, state, blocks));
  }
  return nodes;
}

function parseAction(
  action: string,
  pieces: readonly Piece[],
  state: { at: number },
  blocks: Map<string, readonly Node[]>,
): Node[] {
  const [word = ''] = /^\w+/.exec(action) ?? [];
  const rest = action.slice(word.length).trim();
  const body = (): Node[] => parseUntilEnd(pieces, state, blocks);
  switch (word) {
    case 'define': {
      const inner = body();
      endOf(pieces, state);
      blocks.set(JSON.parse(rest) as string, inner);
      return [];
    }
    case 'if':
    case 'with': {
      const inner = body();
      const otherwise = endOf(pieces, state) === 'else' ? body() : [];
      if (otherwise.length > 0) endOf(pieces, state);
      return [{ kind: word, pipe: pipeOf(rest), body: inner, otherwise }];
    }
    case 'range': {
      const [, names = '', list = rest] = /^(\$[\w$, ]+?)\s*:=\s*([^]*)$/.exec(rest) ?? [];
      const inner = body();
      endOf(pieces, state);
      const variables = names.split(',').map((name) => name.trim());
      return [
        {
          kind: 'range',
          pipe: pipeOf(list),
          names: variables.filter((name) => name !== ''),
          body: inner,
        },
      ];
    }
    default: {
      const [, assigns = '', value = action] = /^(\$\w+)\s*:=\s*([^]*)$/.exec(action) ?? [];
      return [{ kind: 'value', pipe: pipeOf(value), assigns }];
    }
  }
}

/** Takes the `else` or `end` that comes next. */
function endOf(pieces: readonly Piece[], state: { at: number }): 'else' | 'end' {
  const piece = pieces[state.at];
  const word = piece !== undefined && 'action' in piece ? piece.action : '';
  if (word !== 'else' && word !== 'end') throw new Error(`end expected, not ${word}`);
  state.at += 1;
  return word;
}

const TOKEN =
  /\s*("(?:[^"\\]|\\.)*"|\$\w*(?:\.\w+)*|\.(?:\w+(?:\.\w+)*)?|-?\d+|[a-zA-Z]\w*|\(|\)(?:\.\w+)*|\|)/y;

function pipeOf(source: string): Pipe {
  const tokens: string[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < source.trimEnd().length;) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null) throw new Error(`cannot read ${source.slice(at)}`);
    tokens.push(match[1] ?? '');
  }
  const state = { at: 0 };
  const pipe = parsePipe(tokens, state);
  if (state.at < tokens.length) throw new Error(`cannot read all of ${source}`);
  return pipe;
}

function parsePipe(tokens: readonly string[], state: { at: number }): Pipe {
  const commands: Term[][] = [[]];
  while (state.at < tokens.length) {
    const token = tokens[state.at] ?? '';
    if (token.startsWith(')')) break;
    state.at += 1;
    if (token === '|') commands.push([]);
    else commands.at(-1)?.push(token === '(' ? parseGroup(tokens, state) : termOf(token));
  }
  return commands;
}

function parseGroup(tokens: readonly string[], state: { at: number }): Term {
  const pipe = parsePipe(tokens, state);
  const end = tokens[state.at] ?? '';
  if (!end.startsWith(')')) throw new Error('a parenthesis is open');
  state.at += 1;
  return { kind: 'group', pipe, path: fieldsOf(end.slice(1)) };
}

function termOf(token: string): Term {
  if (token.startsWith('"')) return { kind: 'literal', value: JSON.parse(token) as string };
  if (/^-?\d/.test(token)) return { kind: 'literal', value: Number(token) };
  if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' };
  if (token.startsWith('.')) return { kind: 'dot', path: fieldsOf(token) };
  if (!token.startsWith('$')) return { kind: 'name', name: token };
  const [name = '', ...path] = token.split('.');
  return { kind: 'variable', name, path };
}

function fieldsOf(text: string): readonly string[] {
  return text.split('.').filter((field) => field !== '');
}
