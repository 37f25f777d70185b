import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Test } from 'tap';

import { noPool, startTestService } from '../../lab/service/gateway.ts';

/** The parts of an operation in /openapi.json that concern a client. */
interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { in: string; name: string; schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, Media>> }>>;
}

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation extends Described {
  readonly method: string;
  readonly path: string;
}

/** A server that implements the description, and a record of what its client sent. */
export interface DescribedApi {
  readonly url: string;
  /** The operations that an API key may call: `METHOD path` by operationId. */
  readonly operations: Readonly<Record<string, string>>;
  /** The operationIds of the requests received, in order. */
  readonly called: readonly string[];
  /** Differences between the requests and the description. */
  readonly faults: readonly string[];
}

export const API_KEY = 'ik_of-a-test';
export const PDF = Buffer.from('%PDF-1.7 of the description\n%%EOF\n');
/** An empty archive: the record that ends its directory. */
export const ZIP = Buffer.from(`PK\u0005\u0006${'\0'.repeat(18)}`);
export const PDF_TYPE = { 'content-type': 'application/pdf' };
/** A PDF of about 300 KB, which comes in several chunks. */
export function pdfOf(filling: string): Buffer {
  return Buffer.from(`%PDF-1.7\n${filling.repeat(300_000)}\n%%EOF\n`);
}
export const PDF_SHA256 = createHash('sha256').update(PDF).digest('hex');

/** The record of a document, as far as clients look at it. */
export function recordText(documentId: string): string {
  const url = 'http://127.0.0.1:8080/v1/files/a.link';
  return JSON.stringify({ documentId, url, sha256: PDF_SHA256 });
}

/**
 * Starts a server that implements /openapi.json alone: it compares each request with its operation,
 * and responds with the example of that operation.
 */
export async function serveDescription(t: Test): Promise<DescribedApi> {
  const service = await startTestService(t, { parts: { pool: noPool } });
  // This is the shape of an OpenAPI description.
  const api = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
  };
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Operation => ({
      ...one,
      path,
      method: method.toUpperCase(),
    })),
  );
  const reached = operations.filter(isReached);
  const called: string[] = [];
  const faults: string[] = [];
  const defects = validator(api);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const url = new URL(request.url ?? '', 'http://any');
    const found = reached.find((one) => isFor(one, request.method ?? '', url.pathname));
    if (found === undefined) faults.push(`no operation: ${request.method} ${url.pathname}`);
    else {
      called.push(found.operationId);
      faults.push(...compare(found, request, url, body, defects));
      answer(found, url, body, response);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const names = reached.map(({ operationId, method, path }) => [operationId, `${method} ${path}`]);
  return {
    url: `http://127.0.0.1:${port}`,
    operations: Object.fromEntries(names) as Record<string, string>,
    called,
    faults,
  };
}

/** Whether a client with an API key, or without one, may call the operation. */
function isReached({ security }: Described): boolean {
  return security.length === 0 || security.some((one) => 'apiKey' in one);
}

function isFor(operation: Operation, method: string, path: string): boolean {
  const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return operation.method === method && pattern.test(path);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

type Defects = (schema: object, value: unknown) => string;

function validator(api: object): Defects {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(api, 'api');
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
    return ajv.validate(JSON.parse(text) as object, value) ? '' : ajv.errorsText();
  };
}

function compare(
  { operationId, security, parameters = [], requestBody }: Operation,
  { headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  defects: Defects,
): string[] {
  const wrong: string[] = [];
  const isKeyed = headers['x-api-key'] === API_KEY;
  if (isKeyed !== security.length > 0) wrong.push(isKeyed ? 'the key is sent' : 'no key');
  for (const [name, value] of url.searchParams) {
    const known = parameters.find((one) => one.in === 'query' && one.name === name);
    const typed = /^\d+$/.test(value) ? Number(value) : value;
    wrong.push(known === undefined ? `query ${name}` : defects(known.schema, typed));
  }
  for (const name of ['Idempotency-Key', 'Content-Digest']) {
    const value = headers[name.toLowerCase()];
    const known = parameters.find((one) => one.in === 'header' && one.name === name);
    if (value === undefined) continue;
    wrong.push(known === undefined ? `header ${name}` : defects(known.schema, value));
  }
  const type = headers['content-type'] ?? '';
  const media = requestBody?.content[type];
  if (requestBody !== undefined && media === undefined) wrong.push(`Content-Type ${type}`);
  if (requestBody === undefined && body.length > 0) wrong.push('a body');
  if (media !== undefined && type === 'application/json') {
    wrong.push(defects(media.schema, JSON.parse(body.toString())));
  }
  return wrong.filter((one) => one !== '').map((one) => `${operationId}: ${one}`);
}

function answer(operation: Operation, url: URL, body: Buffer, response: ServerResponse): void {
  const isPdf = url.searchParams.has('download') || body.includes('"mode":"sync"');
  const isStored = body.includes('"mode":"async"');
  const replies = Object.entries(operation.responses).filter(([status]) => status < '300');
  const [status = '', reply] =
    replies.find(([code]) => code === '201' && isStored) ?? replies[0] ?? [];
  const content = Object.entries(reply?.content ?? {});
  const [type = '', media] =
    content.find(([one]) => isPdf && one.endsWith('/pdf')) ?? content[0] ?? [];
  const example = media?.example;
  const isText = typeof example === 'string';
  const file = type.endsWith('/zip') ? ZIP : PDF;
  const sent = example === undefined ? file : isText ? example : JSON.stringify(example);
  const isFile = operation.operationId === 'getFile' || url.searchParams.has('download');
  response.writeHead(Number(status), {
    'content-type': type,
    'x-request-id': 'a-request',
    ...(isFile ? { etag: `"${PDF_SHA256}"` } : {}),
  });
  response.write(sent);
}
