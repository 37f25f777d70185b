import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Config } from '../../settings/config.ts';
import { fail, type FieldDefect, type Outcome } from '../../errors.ts';
import { readEnvelope, type Envelope } from '../../gateway/body/envelope.ts';
import type { RenderedDocument } from '#engine';
import type { Pool } from '../../workers/pool/pool.ts';
import type { Protector } from '../../protect/protector.ts';
import { asTemplate, readTemplate, withRenderers, type TemplateFile } from '../engine.ts';
import { CommandFailed } from '../console/failure.ts';
import type { TextEncoding } from '../../runtime/encoding/decoder.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { FileJob, JobData } from './job-list.ts';
import { writeOutput } from '../console/files/output-file.ts';
import { demandJson, readJsonFile } from '../console/files/json-file.ts';

export interface FileResult {
  readonly out: string;
  readonly ok: boolean;
  readonly pages: number;
  readonly bytes: number;
  /** '' when it failed. */
  readonly sha256: string;
  readonly durationMs: number;
  /** Characters of its data that no font has. */
  readonly missingCharacters: number;
  /** How the text of its data was read; 'utf-8' when it failed. */
  readonly encoding: TextEncoding;
  /** '' when it did not fail. */
  readonly code: string;
  readonly message: string;
  readonly fields: readonly FieldDefect[];
}

/** Data files may be larger than request bodies. */
const DATA_BYTES_MAX = 256 * 1024 * 1024;
const OPTIONS_BYTES_MAX = 1024 * 1024;

/** What all jobs share. */
interface Engine {
  readonly pool: Pool;
  readonly atMs: number;
  /** Started when the first job asks for protection. */
  readonly protector: () => Promise<Protector>;
  readonly template: (path: string) => TemplateFile;
}

export interface RunOptions {
  readonly atMs: number;
  /** Writes documents uncompressed, whatever their templates say. */
  readonly isReadable: boolean;
}

/** The threads that render, and the settings by which they were started. */
export interface Renderers {
  readonly pool: Pool;
  readonly config: Config;
}

/** Renders all jobs, one per thread at a time; the results have the order of the jobs. */
export async function renderAll(
  jobs: readonly FileJob[],
  run: RunOptions,
  onResult: (result: FileResult) => void,
): Promise<readonly FileResult[]> {
  return withRenderers(jobs.length, async (pool, config) =>
    renderWith({ pool, config }, jobs, run, onResult),
  );
}

/** As `renderAll`, with renderers that the caller has. */
export async function renderWith(
  { pool, config }: Renderers,
  jobs: readonly FileJob[],
  { atMs, isReadable }: RunOptions,
  onResult: (result: FileResult) => void,
): Promise<readonly FileResult[]> {
  const templates = new Map<string, TemplateFile>();
  const started: { protector: Promise<Protector> | null } = { protector: null };
  const engine: Engine = {
    pool,
    atMs,
    // Jobs that ask at the same time share one protector, because its promise is kept.
    protector: async () => (started.protector ??= startProtector(config)),
    template: (path) => {
      const template = templates.get(path) ?? loadTemplate(path, isReadable);
      templates.set(path, template);
      return template;
    },
  };
  try {
    return await mapConcurrently(jobs, config.poolThreads, async (job) => {
      const result = await renderFile(job, engine);
      onResult(result);
      return result;
    });
  } finally {
    await (await started.protector)?.close();
  }
}

/** Throws `CommandFailed` with place and cause if the file is not JSON. */
function loadTemplate(path: string, isReadable: boolean): TemplateFile {
  const template = readTemplate(path);
  demandJson(template.bytes, path);
  return isReadable ? asTemplate(withoutCompression(template.bytes)) : template;
}

/**
 * Sets `compress: false` in a template. A template without a `document` is returned unchanged; its
 * compilation reports the defect.
 */
function withoutCompression(bytes: Uint8Array): Uint8Array {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return bytes;
    throw error;
  }
  const document: unknown = isObject(file) ? Reflect.get(file, 'document') : null;
  if (!isObject(file) || !isObject(document)) return bytes;
  const readable = { ...file, document: { ...document, compress: false } };
  return new TextEncoder().encode(JSON.stringify(readable));
}

async function startProtector(config: Config): Promise<Protector> {
  const { createProtector } = await import('../../protect/protector.ts');
  return createProtector({
    qpdf: config.qpdf,
    timeoutMs: config.renderTimeoutMs,
    concurrencyMax: config.poolThreads,
  });
}

/** Maps items concurrently, at most `concurrencyMax` at a time. */
async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrencyMax: number,
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  // All lanes draw from one iterator, so each item is mapped once.
  const entries = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: concurrencyMax }, lane));
  return results;
}

async function renderFile(job: FileJob, engine: Engine): Promise<FileResult> {
  const startMs = performance.now();
  const made = await make(job, engine);
  const { out } = job;
  const durationMs = Math.round((performance.now() - startMs) * 10) / 10;
  if (!made.ok) {
    const { code, message, fields = [] } = made;
    const nothing = { ok: false, pages: 0, bytes: 0, sha256: '', missingCharacters: 0 } as const;
    return { out, ...nothing, encoding: 'utf-8', durationMs, code, message, fields };
  }
  const { pdf, pages, missingCharacters, encoding } = made.value;
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  const bytes = pdf.byteLength;
  const read = { missingCharacters, encoding, code: '', message: '', fields: [] };
  return { out, ok: true, pages, bytes, sha256, durationMs, ...read };
}

interface Made extends RenderedDocument {
  readonly encoding: TextEncoding;
}

async function make(job: FileJob, engine: Engine): Promise<Outcome<Made>> {
  try {
    demandFolder(job.out);
    const envelope = readOptions(job.options);
    if (!envelope.ok) return envelope;
    const { json, encoding } = readData(job.data);
    const rendered = await submit(job.template, json, engine, envelope.value);
    if (!rendered.ok) return rendered;
    writeOutput(job.out, rendered.value.pdf);
    return { ok: true, value: { ...rendered.value, encoding } };
  } catch (error) {
    // A file that cannot be read or written fails only its job.
    if (error instanceof CommandFailed) return fail('bad_request', error.message);
    if (error instanceof Error && 'syscall' in error) return fail('bad_request', error.message);
    throw error;
  }
}

/**
 * Throws when the folder of an output file does not exist. It is not created, because the path may
 * be mistyped.
 */
function demandFolder(out: string): void {
  const folder = dirname(out);
  if (existsSync(folder)) return;
  throw new CommandFailed(`there is no folder ${folder}; make it first: mkdir -p ${folder}`);
}

async function submit(
  path: string,
  body: Uint8Array<ArrayBuffer>,
  { pool, atMs, protector, template }: Engine,
  { watermark, metadata, protection, signature }: Envelope,
): Promise<Outcome<RenderedDocument>> {
  const rendered = await pool.submit(
    {
      kind: 'render',
      template: template(path).shared,
      body,
      dataStart: 0,
      dataEnd: body.byteLength,
      atMs,
      attachments: [],
      watermark,
      metadata,
      checkOnly: false,
      isProtected: protection !== null,
      // Signers belong to the service: what must be signed is refused here.
      signature: { isAsked: signature, bytesMax: 0, signer: '' },
      digest: false,
      isPreview: false,
    },
    'command',
  ).result;
  if (!rendered.ok || protection === null) return rendered;
  const protectedPdf = await (await protector()).protect(rendered.value.pdf, protection);
  if (!protectedPdf.ok) return protectedPdf;
  return { ok: true, value: { ...rendered.value, pdf: protectedPdf.value } };
}

/** The data of a job as the text of a JSON object. */
function readData(data: JobData): { json: Uint8Array<ArrayBuffer>; encoding: TextEncoding } {
  if ('json' in data) return data;
  const { bytes, value, encoding } = readJsonFile(data.path, DATA_BYTES_MAX, data.encoding);
  if (!isObject(value)) throw new CommandFailed(`${data.path} must hold a JSON object`);
  return { json: bytes, encoding };
}

function readOptions(options: unknown): Outcome<Envelope> {
  const value = typeof options === 'string' ? readOptionsFile(options) : options;
  // `readEnvelope` reads a whole request, so the options are put into a minimal one.
  const request = { templateId: 'file', mode: 'sync', data: {} };
  const envelope = readEnvelope(value === null ? request : { ...request, options: value });
  if (envelope.ok && envelope.value.attach.length > 0) {
    return fail('bad_request', 'attach names stored documents; it needs a running service.');
  }
  return envelope;
}

/** The options of a file; null when it holds no object. */
function readOptionsFile(path: string): object | null {
  const { value } = readJsonFile(path, OPTIONS_BYTES_MAX, null);
  return isObject(value) ? value : null;
}
