import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';

import {
  checkIdempotencyKey,
  checkOptions,
  checkPath,
  checkReference,
  checkSha256,
  kindOf,
} from './arguments.ts';
import { fileError, InvalidArgumentError } from './errors.ts';
import {
  checkTarget,
  type Demand,
  readPdf,
  writeBody,
  type Pdf,
  type WrittenFile,
} from './pdf-file.ts';
import { Runs } from './runs.ts';
import type { CallOptions, ClientOptions, FileOptions, KeyRate, Refusals } from './options.ts';
import { recordOf, storedRecord } from './reading.ts';
import { Transport, type Sending } from './transport.ts';
import { checkJsonText, refuseUnsendable, writeJson } from './json-body.ts';
import type {
  Acknowledgement,
  DocumentRecord,
  FieldContract,
  GenerateRequest,
  Identities,
  IdentityCounts,
  SyncIdentitiesRequest,
  Verification,
} from './types.ts';

/** A document to make. */
export interface DocumentRequest extends Omit<GenerateRequest, 'mode' | 'draft' | 'data'> {
  /** Keys and values per the field contract, or their JSON text, whose digits are sent as they are. */
  readonly data: GenerateRequest['data'] | string;
}

/** Names a call that stores something, so that a repetition stores it once. */
export interface StoreOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters, kept for 24 hours in the team. One of chance when omitted:
   * it covers the repetitions that the client makes by itself, not those of a program that ended.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A service, called with one API key. Connections are kept and used again. */
export class Intaglio {
  readonly runs: Runs;
  readonly identities: IdentitySync;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.runs = new Runs(this.#transport);
    this.identities = new IdentitySync(this.#transport);
  }

  /** How often a request was refused because the key sent too many, or the service was busy. */
  get refusals(): Refusals {
    return this.#transport.refusals;
  }

  /** The rate limit of the key; null: no document or run has been answered yet. */
  get rate(): KeyRate | null {
    return this.#transport.rate;
  }

  /** Milliseconds that a document or run begun now would wait for the limit of the key; 0: none. */
  get rateWaitMs(): number {
    return this.#transport.rateWaitMs;
  }

  /**
   * Ends the client: calls that wait end at once with CancelledError, those under way after `graceMs`,
   * and then the connections that were kept. Resolves when nothing is under way.
   */
  async close({ graceMs = 0 }: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    await this.#transport.close(graceMs);
  }

  /** Makes a PDF that the service does not store (mode sync). */
  async generate(request: DocumentRequest, options: CallOptions = {}): Promise<Pdf> {
    return this.#transport.send(sync(request, options), readPdf);
  }

  /** As `generate`, written to a file while it comes. */
  async generateToFile(
    request: DocumentRequest,
    path: string,
    options: CallOptions = {},
  ): Promise<WrittenFile> {
    checkTarget(path);
    return this.#transport.send(sync(request, options), (answer) => writeBody(answer, path));
  }

  /** Makes a PDF that the service stores (mode async), once however often the call is repeated. */
  async store(request: DocumentRequest, options: StoreOptions = {}): Promise<Acknowledgement> {
    checkOptions('options', options, ['idempotencyKey', 'signal']);
    const { signal, idempotencyKey = randomUUID() } = options;
    checkIdempotencyKey(idempotencyKey);
    const stored = await this.#transport.json<Acknowledgement>({
      operation: 'generateDocument',
      headers: { 'Idempotency-Key': idempotencyKey },
      body: bodyOf(request, 'async'),
      signal,
    });
    return storedRecord(stored);
  }

  /** The fields of a published version; of the latest when `version` is omitted. */
  async fieldContract(
    templateId: string,
    options: CallOptions & { readonly version?: number | undefined } = {},
  ): Promise<FieldContract> {
    checkOptions('options', options, ['signal', 'version']);
    const { signal, version } = options;
    const operation = 'getFieldContract';
    return this.#transport.json({ operation, places: [templateId], query: { version }, signal });
  }

  /** JSON Schema 2020-12 of the data of a published version; of the latest without `version`. */
  async dataSchema(
    templateId: string,
    options: CallOptions & { readonly version?: number | undefined } = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    checkOptions('options', options, ['signal', 'version']);
    const { signal, version } = options;
    const operation = 'getDataSchema';
    return this.#transport.json({ operation, places: [templateId], query: { version }, signal });
  }

  /** The record of a stored document, with a fresh link. */
  async document(documentId: string, { signal }: CallOptions = {}): Promise<DocumentRecord> {
    const operation = 'getDocument';
    const record = await this.#transport.json<DocumentRecord>({
      operation,
      places: [documentId],
      signal,
    });
    return recordOf(documentId, record);
  }

  /**
   * The file of a stored document. Throws DigestError when another file arrives than the one whose
   * `sha256` is given, or told by the answer.
   */
  async download(documentId: string, options: FileOptions = {}): Promise<Pdf> {
    const demand = demandOf(options);
    return this.#transport.send(file(documentId, options), (answer) => readPdf(answer, demand));
  }

  /** As `download`, written to a file while it comes. */
  async downloadToFile(
    documentId: string,
    path: string,
    options: FileOptions = {},
  ): Promise<WrittenFile> {
    return this.#toFile(file(documentId, options), path, options);
  }

  /** The file behind the `url` of a document. The API key is not sent. */
  async fetchLink(link: string, options: FileOptions = {}): Promise<Pdf> {
    const demand = demandOf(options);
    const { signal } = options;
    const sending = { operation: 'getFile', link, signal } as const;
    return this.#transport.send(sending, (answer) => readPdf(answer, demand));
  }

  /** As `fetchLink`, written to a file while it comes. */
  async fetchLinkToFile(
    link: string,
    path: string,
    options: FileOptions = {},
  ): Promise<WrittenFile> {
    const { signal } = options;
    return this.#toFile({ operation: 'getFile', link, signal }, path, options);
  }

  async #toFile(sending: Sending, path: string, options: FileOptions): Promise<WrittenFile> {
    checkTarget(path);
    const demand = demandOf(options);
    return this.#transport.send(sending, (answer) => writeBody(answer, path, 'pdf', demand));
  }

  /** Whether a file with this SHA-256 was made for the team. */
  async verify(sha256: string, { signal }: CallOptions = {}): Promise<Verification> {
    const body = { sha256: checkSha256(sha256) };
    return this.#transport.json({ operation: 'verifyFile', body, signal });
  }

  /**
   * Finds the stored documents with this reference, newest first, when only a printed document is
   * at hand. To check a file, use `verifyFile`. References of expired documents are forgotten: that
   * none is found does not prove that none was issued.
   */
  async verifyReference(reference: string, { signal }: CallOptions = {}): Promise<Verification> {
    const body = { reference: checkReference(reference) };
    return this.#transport.json({ operation: 'verifyFile', body, signal });
  }

  /** As `verify`, of a file on this disk; only its SHA-256 is sent. */
  async verifyFile(path: string, options: CallOptions = {}): Promise<Verification> {
    checkPath(path);
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    } catch (error) {
      throw fileError(path, error, 'read');
    }
    return this.verify(hash.digest('hex'), options);
  }
}

/** Teams and users, for a key with the scope `identity-sync`. */
export class IdentitySync {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All teams and users. */
  async list({ signal }: CallOptions = {}): Promise<Identities> {
    return this.#transport.json({ operation: 'listIdentities', signal });
  }

  /** Makes teams and users what is listed. */
  async sync(body: SyncIdentitiesRequest, { signal }: CallOptions = {}): Promise<IdentityCounts> {
    return this.#transport.json({ operation: 'syncIdentities', body, signal });
  }
}

function sync(request: DocumentRequest, options: CallOptions): Sending {
  checkOptions('options', options, ['signal']);
  const { signal } = options;
  return { operation: 'generateDocument', body: bodyOf(request, 'sync'), signal };
}

function file(documentId: string, { signal }: CallOptions): Sending {
  return { operation: 'getDocument', places: [documentId], query: { download: 1 }, signal };
}

function demandOf(options: FileOptions): Demand {
  checkOptions('options', options, ['requireDigest', 'sha256', 'signal']);
  const { sha256, requireDigest = false } = options;
  return { sha256: checkSha256(sha256), requireDigest };
}

const MEMBERS = {
  templateId: true,
  version: true,
  data: true,
  options: true,
} as const satisfies Record<keyof DocumentRequest, true>;

/** A `mode` would make another document than the method: stored, and refused as no PDF. */
function refuseOtherMembers(request: DocumentRequest): void {
  const odd = Object.entries(request).find(
    ([name, value]) => !Object.hasOwn(MEMBERS, name) && value !== undefined,
  );
  if (odd === undefined) return;
  const [name] = odd;
  const message =
    name === 'mode'
      ? 'has "mode", which the method says: generate and generateToFile make a document that is not' +
        ' stored (sync), store makes one that is (async)'
      : `has no member ${JSON.stringify(name)}, but ${Object.keys(MEMBERS).join(', ')}`;
  throw new InvalidArgumentError('request', message);
}

/** A text is inserted as it is, so that the digits of its numbers do not change. */
function bodyOf(request: DocumentRequest, mode: 'sync' | 'async'): unknown {
  // Programs in JavaScript have no types.
  const given = request as DocumentRequest | null | undefined;
  if (given === null || given === undefined)
    throw new InvalidArgumentError('request', kindOf(given));
  refuseOtherMembers(given);
  const { templateId, version, data, options } = given;
  if (typeof data === 'string') checkJsonText('data', data);
  else if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new InvalidArgumentError('data', `${kindOf(data)}, neither an object nor its JSON text`);
  }
  const head = { templateId, version, mode, options };
  // The head is small, so it is always checked. `data` is checked only if its JSON text shows a
  // need.
  refuseUnsendable(head);
  return typeof data === 'string'
    ? `${writeJson(head).slice(0, -1)},"data":${data}}`
    : { ...head, data };
}
