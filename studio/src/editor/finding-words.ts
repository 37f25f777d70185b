import type { Finding } from '../api/types.ts';
import { sayDefect, type TextKey } from '../form/defects.ts';
import { fill } from '../i18n/fill.ts';
import { FINDINGS_TH, KINDS_TH } from '../i18n/findings-th.ts';

/** The end of a message about a name that resembles a known one. */
const MEANT = /; did you mean (".*")\?$/s;
/** A part of a message that differs: `{name}`. `{{{name}}}` is one in the braces of a placeholder. */
const PART = /\{(\w+)\}/g;

type Say = (key: TextKey, parameters: Readonly<Record<string, string>>) => string;

interface Known {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly thai: string;
}

const KNOWN: readonly Known[] = FINDINGS_TH.map(([english, thai]) => {
  const names = Array.from(english.matchAll(PART), ([, name = '']) => name);
  const literal = english.split(/\{\w+\}/).map(escaped);
  return { pattern: new RegExp(`^${literal.join('(.+?)')}$`, 's'), names, thai };
});

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/**
 * What the check of a template says, in Thai; null: it has no translation.
 *
 * @param say Gives a Thai text by its key.
 */
export function thaiFinding(
  { path, message }: Pick<Finding, 'path' | 'message'>,
  say: Say,
): string | null {
  const meant = MEANT.exec(message);
  if (meant !== null) {
    const told = thaiSentence(message.slice(0, meant.index));
    return told === null ? null : `${told} หมายถึง ${meant[1] ?? ''} หรือไม่`;
  }
  if (path.startsWith('samples[')) {
    const said = sayDefect(message.replace(/\.$/, ''));
    if (said !== null) return say(said.key, said.parameters);
  }
  return thaiSentence(message) ?? thaiSentence(message.replace(/\.$/, ''));
}

/** A cell of a sample that a sum cannot read, and the place of that sum. */
const UNREAD =
  /^plain amount expected in row (\d+), column (\d+) \(from 0\)(?:: (.+) adds up the column)?\.$/s;

/**
 * What the check says of a cell that is no amount, with its row counted from 1, as the form and the
 * preview do, and its column from 0, as the template does; null: the finding is another one.
 *
 * @param say Gives a text in the reader's language by its key.
 */
export function unreadCell({ message }: Pick<Finding, 'message'>, say: Say): string | null {
  const [, row, column, place] = UNREAD.exec(message) ?? [];
  if (row === undefined || column === undefined) return null;
  const cell = { row: String(Number(row) + 1), column };
  return place === undefined
    ? say('form.reason_amount_cell', cell)
    : say('form.reason_amount_summed', { ...cell, place });
}

/** A refusal to draw a template that has a fault, with the place and what the check finds there. */
const FAULT = /^The template has a fault(?: at (.+?))?: (.+)$/s;

/** Why a template is not drawn, in Thai; null: the message is another one, or has no translation. */
export function thaiFault(message: string, say: Say): string | null {
  const [, path = '', found] = FAULT.exec(message) ?? [];
  if (found === undefined) return null;
  const told = thaiFinding({ path, message: found }, say);
  if (told === null) return null;
  return path === '' ? `เทมเพลตมีข้อผิดพลาด: ${told}` : `เทมเพลตมีข้อผิดพลาดที่ ${path}: ${told}`;
}

function thaiSentence(message: string): string | null {
  for (const { pattern, names, thai } of KNOWN) {
    const found = pattern.exec(message);
    if (found === null) continue;
    const parts = Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? '']));
    const { kind } = parts;
    if (kind === undefined) return fill(thai, parts);
    const kindInThai = thaiKind(kind);
    return kindInThai === null ? null : fill(thai, { ...parts, kind: kindInThai });
  }
  return null;
}

function thaiKind(kind: string): string | null {
  if (Object.hasOwn(KINDS_TH, kind)) return KINDS_TH[kind] ?? null;
  return kind.startsWith('one of ') ? `ค่าใดค่าหนึ่งใน ${kind.slice('one of '.length)}` : null;
}
