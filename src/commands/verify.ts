import type { Command } from 'commander';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

import type { AuditRecord, DocumentRecord, Store } from '../store/store.ts';
import { kindOfFile } from '../runtime/encoding/file-kind.ts';
import { readConfig } from '../settings/config.ts';
import { placeWithoutDatabase, searched, withStore } from './console/context.ts';
import { documentsWithReference } from './console/documents.ts';
import { CommandFailed, unreadable, UsageError } from './console/failure.ts';
import { demandTeam } from './console/names.ts';
import { isoTime, show } from './console/output.ts';
import { endWith } from './console/terminal.ts';
import { OTHER_KIND, showAlone } from './verify/alone.ts';
import { earlierDigests, namesProducer } from './verify/resaved.ts';
import {
  describeSignatures,
  isSignature,
  isValid,
  signatureJson,
  verifySignatures,
} from './verify/signatures.ts';

/** Limit of the stored documents, and of the sync responses, that the output names. */
const NAMED_MAX = 20;
/** Limit of a file; documents of this service have at most 64 MB. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** How far the audit record of a document may lie from its time. */
const RECORDED_MS = 15 * 60_000;

export default function define(command: Command): void {
  command
    .argument('[pdf]', 'the file to check')
    .option(
      '--reference <text>',
      'name the stored documents with this reference, in place of a file',
    )
    .option('--team <teamId>', 'only documents of this team')
    .option('--trust <pem>', 'certificates that a signature must lead to')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Compares the SHA-256 of the file with those of the stored documents, and with those of the answers
in mode sync, whose audit records stay. Names at most 20 of each. A preview of a draft does not count
as made by this service: nobody has published what it was made from. Then checks the signatures of the
file: signed bytes, what was done after signing, certificate, time stamp. Exit code 1 when the file is
no document of this service, or when a signature does not hold or cannot be read. A file may have
256 MB.

Where no database is configured, and none lies at the default place, only the signatures are checked,
and the output says so. Exit code 0 then means that each signature is valid, covers the file and leads
to a certificate of --trust. A file without a signature cannot be judged there (exit code 1). A
database that is configured and cannot be reached is a failure, never a reason to check less: a script
that has to ask it sets INTAGLIO_DATABASE_URL.

A file to which another program has only added, such as a comment, is told as changed, with the document
that it begins with. One that a program has written anew is told as not issued: fetch the original.

A merged print file of a run is no document, so it is told as not issued although this service made
it: verify the documents in it.

A stored document whose digest is not the one that the audit recorded when it was made is named as
altered: its file and its row were changed together, and it does not count as made here.

With --reference it names the stored documents that have it, the newest first: for a paper with a
number on it. Whether a file is one of them, only its bytes say. That none is found does not prove that
none was issued: documents that were only shown, or made without storing (mode sync), have no stored
reference, and the reference of a stored document is forgotten when it expires. The file itself can
still be verified.

Examples:
  $ ./intaglio verify statement.pdf
  $ ./intaglio verify --trust roots.pem statement.pdf
  $ ./intaglio verify --reference RC-2569-0011872`,
    )
    .action(async (path: string | undefined, options: Options) => {
      const { reference } = options;
      if ((path === undefined) === (reference === undefined)) {
        throw new UsageError('give either a file or --reference');
      }
      if (path !== undefined) await verifyFile(path, options);
      if (reference !== undefined) await nameDocuments(reference, options);
    });
}

interface Options {
  readonly reference?: string;
  readonly team?: string;
  readonly trust?: string;
  readonly json?: boolean;
}

async function verifyFile(path: string, { team, trust, json }: Options): Promise<void> {
  const pdf = await readBounded(path);
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  const kind = kindOfFile(pdf);
  // Signatures inside an archive belong to its documents, not to the archive.
  const signatures = kind === 'pdf' ? await verifySignatures(pdf, trust ?? null) : [];
  // A team can be asked about only in a database.
  const absent = team === undefined ? placeWithoutDatabase(readConfig(process.env)) : null;
  if (absent !== null) {
    return showAlone({ path, kind, sha256, signatures, place: absent, json });
  }
  const { matches, original, place } = await withStore(async (store, config) => {
    if (team !== undefined) await demandTeam(store, team);
    const found = await find(store, team, sha256);
    const earlier = isMadeHere(found) ? null : await findEarlier(store, team, pdf);
    return { matches: found, original: earlier, place: searched(config) };
  });
  const wasMadeHere = isMadeHere(matches);
  if (!wasMadeHere || !signatures.every(isValid)) endWith(1);
  const result = {
    ...toJson(sha256, matches),
    ...(original === null ? {} : { changedFrom: toJson(original.sha256, original.matches) }),
    signatures: signatures.map(signatureJson),
  };
  show(json, result, () => {
    // Neither a program that saves a file anew nor a print file leaves a signature valid.
    const isAsSigned = signatures.some((one) => isSignature(one) && isValid(one));
    const other = kind === 'pdf' || wasMadeHere ? [] : [`${path} ${OTHER_KIND[kind]}`];
    const isKnown = wasMadeHere || matches.sync.length > 0 || original !== null;
    const unknown = isKnown ? [] : [place];
    const saved = wasMadeHere || kind !== 'pdf' ? [] : describeSaved(pdf, original, isAsSigned);
    const mayBePrint = kind === 'pdf' && saved.length === 0 && !isAsSigned;
    return [
      ...other,
      describe(matches, mayBePrint),
      ...(kind === 'pdf' ? describeSignatures(signatures) : []),
      ...saved,
      ...unknown,
    ].join('\n');
  });
}

/** A document that the file begins with. */
interface Original {
  readonly sha256: string;
  readonly matches: Matches;
}

/** Finds a document to which another program has added something; null: there is none. */
async function findEarlier(
  store: Store,
  teamId: string | undefined,
  pdf: Buffer,
): Promise<Original | null> {
  for (const sha256 of earlierDigests(pdf)) {
    const matches = await find(store, teamId, sha256);
    if (isMadeHere(matches)) return { sha256, matches };
  }
  return null;
}

function isMadeHere({ documents, sync }: Matches): boolean {
  return documents.length > 0 || sync.some(({ draft }) => !draft);
}

/** Says how another program changed an issued file, and how to go on. */
function describeSaved(
  pdf: Buffer,
  original: Original | null,
  isAsSigned: boolean,
): readonly string[] {
  if (original !== null) {
    const { matches } = original;
    const isStored = matches.documents.some(({ gone }) => !gone);
    return [ADDED_TO, describe(matches, false), ...(isStored ? [FETCH] : [])];
  }
  return !isAsSigned && namesProducer(pdf) ? [SAVED_AGAIN] : [];
}

/** Names the documents with a reference; exit code 1 when there is none. */
async function nameDocuments(reference: string, { team, json }: Options): Promise<void> {
  const countMax = NAMED_MAX + 1;
  const { found, place } = await withStore(async (store, config) => {
    if (team !== undefined) await demandTeam(store, team);
    const documents = await documentsWithReference(store, { team, reference, countMax });
    return { found: documents, place: searched(config) };
  });
  if (found.length === 0) endWith(1);
  const named = found.slice(0, NAMED_MAX);
  const hasMore = found.length > NAMED_MAX;
  show(json, { documents: named.map(describeDocument), hasMore }, () => {
    if (named.length === 0) return `${NONE_NAMED}\n${place}`;
    const more = hasMore ? [`There are more: the newest ${NAMED_MAX} are named.`] : [];
    return [...named.map(issuedLine), ...more, ONLY_FILE_SHOWS].join('\n');
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Reads the file unless it is too large to be checked. */
async function readBounded(path: string): Promise<Buffer> {
  const failed = (error: unknown): never => {
    const failure = unreadable(path, error);
    // A number was meant as the reference.
    const isNumber = isMissing(error) && !/[./\\]/.test(path);
    if (!isNumber) throw failure;
    throw new CommandFailed(
      `${failure.message}. If it is a number on a document: verify --reference ${path}`,
    );
  };
  const { size } = await stat(path).catch(failed);
  if (size <= FILE_BYTES_MAX) return readFile(path).catch(failed);
  const limit = FILE_BYTES_MAX / 1024 ** 2;
  throw new CommandFailed(`${path} has over ${limit} MB, which is the most that verify checks`);
}

/** Documents that this service made and whose digest is the given one. */
interface Matches {
  readonly documents: readonly DocumentRecord[];
  /** Stored documents whose audit record has another digest. */
  readonly altered: readonly DocumentRecord[];
  /** Responses in mode sync, of which only the audit record is stored. */
  readonly sync: readonly AuditRecord[];
  /** There are more than those named. */
  readonly hasMore: boolean;
}

async function find(store: Store, teamId: string | undefined, sha256: string): Promise<Matches> {
  const teams =
    teamId === undefined ? (await store.teams.list()).map((team) => team.teamId) : [teamId];
  const documents: DocumentRecord[] = [];
  const sync: AuditRecord[] = [];
  for (const team of teams) {
    documents.push(...(await store.documents.findBySha256(team, sha256, NAMED_MAX + 1)));
    sync.push(...(await store.audit.findBySha256(team, sha256, NAMED_MAX + 1)));
  }
  const named = documents.slice(0, NAMED_MAX);
  const altered: DocumentRecord[] = [];
  for (const document of named) if (await isAltered(store, document)) altered.push(document);
  // Drafts come last: previews with the same bytes must not hide a document of a version.
  const versions = sync.filter(({ draft }) => !draft);
  const drafts = sync.filter(({ draft }) => draft);
  const hasMore = [documents, versions, drafts].some(({ length }) => length > NAMED_MAX);
  return {
    documents: named.filter((document) => !altered.includes(document)),
    altered,
    sync: [...versions.slice(0, NAMED_MAX), ...drafts.slice(0, NAMED_MAX)],
    hasMore,
  };
}

/**
 * Whether the audit recorded another digest when the document was made. False, too, when its record is
 * not among those that the audit looks at around this time; `scrub` goes through all.
 */
async function isAltered(store: Store, document: DocumentRecord): Promise<boolean> {
  const { teamId, documentId, createdAtMs, sha256 } = document;
  const { records } = await store.audit.page({
    teamId,
    documentId,
    action: 'generate',
    outcome: 'succeeded',
    sinceMs: createdAtMs - RECORDED_MS,
    untilMs: createdAtMs + RECORDED_MS,
    countMax: 1,
  });
  return records.some((record) => record.sha256 !== '' && record.sha256 !== sha256);
}

function toJson(sha256: string, matches: Matches): Record<string, unknown> {
  const documents = matches.documents.map(describeDocument);
  const madeHere = matches.sync
    .filter(({ draft }) => !draft)
    .map(({ atMs, requestId, teamId, templateId, version }) => {
      const at = isoTime(atMs);
      return { at, requestId, teamId, templateId, version };
    });
  const drafts = matches.sync
    .filter(({ draft }) => draft)
    .map(({ atMs, requestId, teamId, templateId }) => {
      return { at: isoTime(atMs), requestId, teamId, templateId };
    });
  const [first] = documents;
  const { hasMore } = matches;
  const altered = matches.altered.map(describeDocument);
  const found = { documents, altered, madeHere, drafts, hasMore };
  return { issued: first !== undefined, sha256, ...first, ...found };
}

function describeDocument(document: DocumentRecord): Record<string, unknown> {
  const { documentId, teamId, templateId, version, createdAtMs, expiresAtMs, gone, damaged } =
    document;
  const createdAt = isoTime(createdAtMs);
  const expiresAt = isoTime(expiresAtMs);
  return {
    documentId,
    teamId,
    templateId,
    version,
    createdAt,
    expiresAt,
    available: !gone && !damaged,
  };
}

function describe({ documents, altered, sync, hasMore }: Matches, mayBePrint: boolean): string {
  const lines = [
    ...documents.map(issuedLine),
    ...sync.map(({ atMs, requestId, teamId, templateId, version, draft }) => {
      const made = `Made here at ${isoTime(atMs)} by team ${teamId}`;
      return draft
        ? `${made} from a draft of template ${templateId}, which is no published version: ` +
            `request ${requestId}.`
        : `${made} in mode sync, not stored: request ${requestId}, ` +
            `template ${templateId}@${version}.`;
    }),
  ];
  const changed = altered.map(
    ({ documentId }) =>
      `ALTERED: document ${documentId} has these bytes now, but the audit recorded others when it was` +
      ' made. Its file and its row were changed; run ./intaglio scrub and ./intaglio audit verify.',
  );
  if (lines.length === 0) {
    const hint = mayBePrint && changed.length === 0 ? ` ${PRINT_FILE}` : '';
    return [...changed, `${NOT_ISSUED}${hint}`].join('\n');
  }
  lines.unshift(...changed);
  if (hasMore) lines.push(`There are more: at most ${NAMED_MAX} of each kind are named.`);
  return lines.length === 1 ? lines.join('') : [...lines, SAME_BYTES].join('\n');
}

function issuedLine(document: DocumentRecord): string {
  const { documentId, teamId, templateId, version, createdAtMs, expiresAtMs, gone } = document;
  const template = `${templateId}@${version}`;
  const issued = `Issued ${isoTime(createdAtMs)} by team ${teamId}: document ${documentId}, template ${template}.`;
  if (gone) return `${issued} It expired ${isoTime(expiresAtMs)}: its file is gone.`;
  if (!document.damaged) return issued;
  return `${issued} Its stored file is ${document.missing ? 'lost' : 'damaged'}: see ./intaglio scrub.`;
}

const NONE_NAMED = `No stored document has this reference.
That does not prove that it was never issued: documents that were only shown, or made without
storing (mode sync), have no stored reference, and the reference of a stored document is forgotten
when it expires. The file itself can still be verified: ./intaglio verify FILE.pdf`;
const ONLY_FILE_SHOWS = `Any paper can bear this reference: only the file shows whether it is one of these documents.
Verify it: ./intaglio verify FILE.pdf; or compare a paper with the document.`;
const NOT_ISSUED = 'Not issued by this service: it made no document with these bytes.';
const ADDED_TO =
  'CHANGED: the file begins with the bytes of the document below. What another program has added, such as' +
  ' a comment, is not from this service, and may change what the pages show.';
const FETCH = 'Fetch the original: in the Studio, Documents, or GET /v1/documents/ID.';
const SAVED_AGAIN =
  'The file names Intaglio as the program that made it. A document that another program has saved again' +
  ' has other bytes than were issued, and nothing shows whether its contents are the same: fetch the' +
  ' original, which ./intaglio verify --reference NUMBER finds by a number on it. A merged print file of' +
  ' a run is no document either: verify the documents in it.';
const PRINT_FILE =
  'A merged print file of a run is no document, even if this service made it: verify the documents in it.';
const SAME_BYTES =
  'These have the same bytes, so the file alone does not show which of them it is.';
