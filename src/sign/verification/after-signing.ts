import { isOwnUpdate, readSecurityStore } from '../long-term/security-store.ts';
import { compareRevisions, type Update } from './file/changes.ts';
import { demandPlainUpdate } from './file/update.ts';
import type { Revision } from './file/revision.ts';
import { UnreadableFile } from './file/values.ts';
import { openRevision, type SignedFile } from './signed-file.ts';

/** An update of a file, and where it ends. */
export interface UpdateStep extends Update {
  readonly end: number;
  /** True for the form in which this service appends validation data. */
  readonly isOwn: boolean;
}

const LATIN = 'latin1';

/**
 * The updates of a file after its first `length` bytes; null: something else follows them, or the
 * updates cannot be read.
 */
export function updatesAfter(file: SignedFile, length: number): readonly UpdateStep[] | null {
  const { pdf, revision } = file;
  if (length === pdf.length) return [];
  const signed = openRevision(pdf.subarray(0, length));
  if (revision === null || signed === null) return null;
  const ends = endsAfter(revision, signed);
  if (ends === null) return null;
  const steps: UpdateStep[] = [];
  let before = signed;
  for (const end of ends) {
    const after = end === pdf.length ? revision : openRevision(pdf.subarray(0, end));
    if (after === null) return null;
    steps.push(stepBetween(before, after));
    before = after;
  }
  return steps;
}

/** Where each update ends: each one's cross-references name those before it as the previous ones. */
function endsAfter(revision: Revision, signed: Revision): readonly number[] | null {
  const { bytes } = revision;
  const later = revision.sections.filter(({ at }) => at >= signed.bytes.length).toReversed();
  let previous = signed.start;
  const ends: number[] = [];
  for (const section of later) {
    if (section.previous !== previous) return null;
    const rest = bytes.indexOf('startxref', section.at);
    const ending = /^startxref\s+(\d+)\s+%%EOF(\r\n|\r|\n)?/.exec(
      bytes.toString(LATIN, rest, rest + 64),
    );
    if (rest < 0 || ending === null || Number(ending[1]) !== section.at) return null;
    ends.push(rest + ending[0].length);
    previous = section.at;
  }
  // Bytes after the last update belong to none.
  return ends.at(-1) === bytes.length ? ends : null;
}

function stepBetween(before: Revision, after: Revision): UpdateStep {
  const end = after.bytes.length;
  const length = before.bytes.length;
  const isOwn = isOwnUpdate(after.bytes, length);
  try {
    demandPlainUpdate(before, after);
    // The service's own update has one form, so that each changed byte of it is seen.
    const step = isOwn ? readOwn(after, length) : compareRevisions(before, after);
    return { ...step, end, isOwn };
  } catch (error) {
    if (error instanceof UnreadableFile) return { kind: 'changes', draws: false, end, isOwn };
    throw error;
  }
}

function readOwn(after: Revision, length: number): Update {
  const store = readSecurityStore(after.bytes, { length });
  const isMore = store !== null && Object.values(store).some((parts) => parts.length > 0);
  return { kind: isMore ? 'validation data' : 'changes', draws: false };
}
