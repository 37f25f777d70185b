import type { Completion } from '@codemirror/autocomplete';
import { pickedCompletion, startCompletion } from '@codemirror/autocomplete';
import type { ChangeSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Suggestion } from '../schema.ts';
import type { Scene } from './complete.ts';
import type { Item } from './items.ts';
import type { Placeholder } from './placeholders.ts';

/** What is inserted after a key, by the shape of its value. */
const TAIL = { text: '""', list: '[]', object: '{}', value: '' } as const;
/** Steps between ranks, as CodeMirror weighs them: a better match of what is typed still wins. */
const BOOST_STEP = 20;

function infoOf({ speech }: Scene, text: string): Pick<Completion, 'info'> {
  return text === '' ? {} : { info: speech.note(text) };
}

/** What replaces the token at the cursor. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** Offset of the cursor in `insert`. */
  readonly cursor: number;
  /** Whether the next thing to type can be completed, too. */
  readonly goesOn: boolean;
}

/** Inserts an option, with the comma that is missing before it. */
function put(view: EditorView, completion: Completion, commaAt: number, edit: Edit): void {
  const { from, to, insert, cursor, goesOn } = edit;
  const changes: ChangeSpec[] = [{ from, to, insert }];
  const isMissing = commaAt !== -1 && commaAt <= from;
  if (isMissing) changes.unshift({ from: commaAt, insert: ',' });
  view.dispatch({
    changes,
    selection: { anchor: from + cursor + (isMissing ? 1 : 0) },
    userEvent: 'input.complete',
    scrollIntoView: true,
    annotations: pickedCompletion.of(completion),
  });
  if (goesOn) startCompletion(view);
}

/** The rest of the token behind the cursor, which an option replaces. */
function behind({ text, pos, place }: Scene): number {
  if (place.to <= place.from) return 0;
  // A string that is not closed may have run on over what follows.
  return /^[\w$-]*"?/.exec(text.slice(pos, place.to))?.[0].length ?? 0;
}

/** A comma, where the next member or item follows at once. */
function commaBehind({ text, pos }: Scene, length: number): string {
  return /^\s*["{[\w]/.test(text.slice(pos + length, pos + length + 200)) ? ',' : '';
}

/** `goesOn`: the values of the key are known. */
export function keyOption(scene: Scene, key: Suggestion, goesOn: boolean): Completion {
  const { label, detail, info, shape, rank } = key;
  const { text, pos, place } = scene;
  const length = behind(scene);
  const hasColon = /^\s*:/.test(text.slice(pos + length, pos + length + 20));
  const name = JSON.stringify(label);
  return {
    label: name,
    displayLabel: label,
    detail,
    ...infoOf(scene, info),
    type: 'property',
    boost: (rank - 1) * BOOST_STEP,
    apply: (view, completion, from, to) => {
      const tail = hasColon ? '' : `: ${TAIL[shape]}`;
      const comma = hasColon ? '' : commaBehind(scene, length);
      const inside = hasColon || shape === 'value' ? 0 : 1;
      const insert = name + tail + comma;
      const cursor = name.length + tail.length - inside;
      put(view, completion, place.commaAt, {
        from,
        to: to + length,
        insert,
        cursor,
        goesOn: goesOn && !hasColon,
      });
    },
  };
}

/** A value of a key, as JSON. */
export function valueOption(
  scene: Scene,
  { label, detail, info }: Pick<Suggestion, 'label' | 'detail' | 'info'>,
): Completion {
  const { place } = scene;
  const length = stringBehind(scene);
  return {
    label,
    detail,
    ...infoOf(scene, info),
    type: 'enum',
    apply: (view, completion, from, to) => {
      put(view, completion, place.commaAt, {
        from,
        to: to + length,
        insert: label,
        cursor: label.length,
        goesOn: false,
      });
    },
  };
}

/** The rest of a value behind the cursor. */
function stringBehind({ text, pos, place }: Scene): number {
  if (place.to <= place.from) return 0;
  return /^[^"{},[\]]*"?/.exec(text.slice(pos, place.to))?.[0].length ?? 0;
}

export function placeholderOption(scene: Scene, { name, detail, rank }: Placeholder): Completion {
  const { text, pos, place } = scene;
  const isOpen = /\{\{[^{}"]*$/.test(text.slice(place.from, pos));
  const rest = text.slice(pos, place.to);
  const length = isOpen ? (/^[^{}"\s]*(?=\s*\})/.exec(rest)?.[0].length ?? 0) : 0;
  const closers = isOpen ? (/^\s*(\}{0,2})/.exec(rest.slice(length))?.[1]?.length ?? 0) : 0;
  // In a JSON string.
  const quoted = JSON.stringify(name).slice(1, -1);
  return {
    label: isOpen ? quoted : `{{${quoted}}}`,
    displayLabel: isOpen ? name : `{{${name}}}`,
    detail,
    type: 'variable',
    boost: rank * BOOST_STEP,
    apply: (view, completion, from, to) => {
      const end = closers === 2 ? to + length + rest.slice(length).indexOf('}}') + 2 : to + length;
      const insert = `${isOpen ? '' : '{{'}${quoted}${closers === 1 ? '}' : '}}'}`;
      // One brace that is there already is kept behind the cursor's own.
      put(view, completion, -1, { from, to: end, insert, cursor: insert.length, goesOn: false });
    },
  };
}

/** A whole item, set in the indentation of its line. */
export function itemOption(scene: Scene, { text: item, detail }: Item): Completion {
  const { text, pos, place } = scene;
  const line = text.slice(text.lastIndexOf('\n', pos - 1) + 1, pos);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  const laidOut = item.includes('\n') ? item.replaceAll('\n', `\n${indent}`) : item;
  const cursor = laidOut.includes('|') ? laidOut.indexOf('|') : laidOut.length;
  const insert = laidOut.replace('|', '');
  const short = item.replace('|', '').replaceAll(/\n\s*/g, ' ');
  return {
    label: short,
    displayLabel: short.length > 44 ? `${short.slice(0, 43)}…` : short,
    detail,
    type: 'class',
    apply: (view, completion, from, to) => {
      const whole = insert + commaBehind(scene, 0);
      put(view, completion, place.commaAt, { from, to, insert: whole, cursor, goesOn: false });
    },
  };
}
