import { extname, resolve } from 'node:path';

import { locatingData, skipNested } from '../../gateway/body/locate-data.ts';
import { skipBlanks } from '../../runtime/json-syntax/blanks.ts';
import type { NamedEncoding, TextEncoding } from '../../runtime/encoding/decoder.ts';
import { isObject, type JsonObject } from '../../runtime/json-object.ts';
import { runAtOnce } from '../../runtime/time-slice.ts';
import { CommandFailed } from '../console/failure.ts';
import { readJsonFile } from '../console/files/json-file.ts';

/** The data of a job: a file, or JSON text with the encoding of the list that it stands in. */
export type JobData =
  | { readonly path: string; readonly encoding: NamedEncoding | null }
  | { readonly json: Uint8Array<ArrayBuffer>; readonly encoding: TextEncoding };

/** One document to render. `options` is a file name or the value itself. */
export interface FileJob {
  readonly template: string;
  readonly data: JobData;
  readonly out: string;
  readonly options: unknown;
}

const PICTURE = /\.(?:png|jpe?g|tiff?|webp|gif|bmp)$/i;
const OTHER_KIND = /\.(?:json|ndjson|csv|html?|svg|ps|txt|docx?|xlsx?|zip)$/i;

/** Why a document may not be written to a file of this name; null: it may. Every document is a PDF. */
export function outFault(out: string): string | null {
  const stem = out.slice(0, out.length - extname(out).length);
  if (PICTURE.test(out)) {
    return (
      `${out} has the name of a picture, and render writes a PDF: name it ${stem}.pdf; then ` +
      `pdftoppm -r 100 -png ${stem}.pdf ${stem} makes pictures of its pages`
    );
  }
  if (!OTHER_KIND.test(out)) return null;
  return `${out} has the name of another kind of file, and render writes a PDF: name it ${stem}.pdf`;
}

/** Limit of a list of jobs, which may hold the data of all of them. */
const LIST_BYTES_MAX = 512 * 1024 * 1024;
const JOB_KEYS = new Set(['template', 'data', 'out', 'options']);
const OPEN_OBJECT = 0x7b;

/**
 * Reads a JSON list of jobs. Data in the list keeps its characters: numbers would lose digits in
 * JSON.parse.
 */
export function readJobs(path: string, named: NamedEncoding | null): readonly FileJob[] {
  const { bytes, value: list, encoding } = readJsonFile(path, LIST_BYTES_MAX, named);
  if (!Array.isArray(list)) throw new CommandFailed(`${path} must hold a JSON list of jobs`);
  let at = skipBlanks(bytes, 0) + 1;
  const outs = new Set<string>();
  return list.map((item: unknown, index) => {
    const refuse: Refuse = (fault) => {
      throw new CommandFailed(`${path}: job ${index} ${fault}`);
    };
    if (!isObject(item)) return refuse('is not an object');
    // Only blanks and a comma stand between two objects.
    const start = bytes.indexOf(OPEN_OBJECT, at);
    at = skipNested(bytes, start);
    const data = item['data'] ?? null;
    const source: JobData =
      typeof data === 'string'
        ? { path: data, encoding: named }
        : { json: data === null ? EMPTY : textOfData(bytes.subarray(start, at)), encoding };
    const job = toJob(item, source, refuse);
    if (outs.has(resolve(job.out))) {
      return refuse(
        `has the same "out" as an earlier job, and would overwrite its file: ${job.out}`,
      );
    }
    outs.add(resolve(job.out));
    return job;
  });
}

type Refuse = (fault: string) => never;

/** The data of a job that has none. */
const EMPTY: Uint8Array<ArrayBuffer> = new Uint8Array([OPEN_OBJECT, 0x7d]);

/** A copy of the value of `data` in a job, as it stands in the list. */
function textOfData(job: Uint8Array): Uint8Array<ArrayBuffer> {
  const { data } = runAtOnce(locatingData(job));
  if (data === null) throw new Error('the job has data');
  return new Uint8Array(job.subarray(data.start, data.end));
}

function toJob(item: JsonObject, data: JobData, refuse: Refuse): FileJob {
  const unknown = Object.keys(item).find((key) => !JOB_KEYS.has(key));
  if (unknown !== undefined) return refuse(`has an unknown key ${JSON.stringify(unknown)}`);
  const { template, out, options = null } = item;
  if (typeof template !== 'string') return refuse('needs "template", a file name');
  if (typeof out !== 'string') return refuse('needs "out", a file name');
  const fault = outFault(out);
  if (fault !== null) return refuse(`cannot be written: ${fault}`);
  return { template, out, data, options };
}
