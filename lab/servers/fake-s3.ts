import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import aws4 from 'aws4';

const KEY = 'key';
const SECRET = 'secret/with+signs=';

export type S3Fault =
  | 'none'
  | 'error 503'
  | 'black hole'
  | 'cut answer'
  | 'refuse'
  /** One bit of a body read is flipped. */
  | 'flipped body'
  /** The connection ends in the middle of a body read. */
  | 'half body'
  /** A proxy in front of the server answers 200, or 404, with a page of its own. */
  | 'page 200'
  | 'page 404'
  | 'no such bucket'
  /** A body written is stored with one bit flipped. */
  | 'flipped write'
  /** Writes are answered without an ETag, or with one that is no MD5, as under encryption by KMS. */
  | 'no etag'
  | 'other etag'
  /** The body of a read never ends. */
  | 'endless body'
  /** Each page of a list names the same next page. */
  | 'same page';

/**
 * A bucket in memory that checks signatures and digests, and has faults that a real server does not
 * show.
 */
export interface FakeS3 {
  readonly url: string;
  readonly objects: Map<string, { body: Buffer; modifiedAtMs: number }>;
  fault: S3Fault;
  /** How many more requests the fault hits. */
  faults: number;
  requests: number;
  stop(): Promise<void>;
}

/** Starts the server; with a certificate it serves `localhost` over TLS. */
export async function startFakeS3(
  certificate: { readonly key: Buffer; readonly cert: Buffer } | null = null,
): Promise<FakeS3> {
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(fake, request, response, Buffer.concat(chunks)));
  };
  const server =
    certificate === null ? createServer(receive) : createTlsServer(certificate, receive);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const login = `${KEY}:${encodeURIComponent(SECRET)}`;
  const host = certificate === null ? '127.0.0.1' : 'localhost';
  const tls = certificate === null ? '&tls=off' : '';
  const fake: FakeS3 = {
    url: `s3://${login}@${host}:${address.port}/bucket/documents?region=th${tls}`,
    objects: new Map(),
    fault: 'none',
    faults: Number.POSITIVE_INFINITY,
    requests: 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

function answer(
  fake: FakeS3,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  fake.requests += 1;
  if (fake.fault !== 'none' && fake.faults > 0) {
    fake.faults -= 1;
    misbehave(fake, request, response, body);
    return;
  }
  const status = refusalOf(request, body);
  if (status !== null) {
    const code = status === 403 ? 'SignatureDoesNotMatch' : 'XAmzContentSHA256Mismatch';
    response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    return;
  }
  serve(fake, request, response, body);
}

function misbehave(
  fake: FakeS3,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  switch (fake.fault) {
    case 'none':
    case 'black hole':
      return;
    case 'error 503':
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return;
    case 'cut answer':
      // The server does the work, but the caller is not told.
      if (request.method === 'PUT') store(fake, request, body);
      if (request.method === 'DELETE') fake.objects.delete(nameOf(request));
      request.socket.destroy();
      return;
    case 'flipped body':
    case 'half body':
      spoil(fake, request, response);
      return;
    case 'refuse':
      request.socket.resetAndDestroy();
      return;
    case 'page 200':
    case 'page 404':
      response.writeHead(fake.fault === 'page 200' ? 200 : 404, { 'content-type': 'text/html' });
      response.end('<html><body>Sign in to the proxy</body></html>');
      return;
    case 'no such bucket':
      response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
      return;
    case 'endless body':
      streamForEver(request, response);
      return;
    case 'same page':
      response.writeHead(200).end(samePage(fake));
      return;
    case 'flipped write':
    case 'no etag':
    case 'other etag':
      writeOddly(fake, request, response, body);
      return;
  }
}

/** Sends zeros until the reader leaves. */
function streamForEver(request: IncomingMessage, response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024);
  response.writeHead(206, { 'content-range': `bytes 0-999999/1000000` });
  const send = (): void => {
    if (request.socket.destroyed) return;
    if (response.write(piece)) setImmediate(send);
    else response.once('drain', send);
  };
  send();
}

function samePage(fake: FakeS3): string {
  const [name = ''] = fake.objects.keys();
  const contents = name === '' ? '' : `<Contents><Key>${name}</Key></Contents>`;
  const token = '<NextContinuationToken>again</NextContinuationToken>';
  return `<?xml version="1.0"?><ListBucketResult>${contents}${token}</ListBucketResult>`;
}

/** A write that is answered 200; other requests are served as always. */
function writeOddly(
  fake: FakeS3,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  if (request.method !== 'PUT') {
    serve(fake, request, response, body);
    return;
  }
  const stored = Buffer.from(body);
  if (fake.fault === 'flipped write') stored[5] = (stored[5] ?? 0) ^ 1;
  store(fake, request, stored);
  const etag = fake.fault === 'other etag' ? `"${'0'.repeat(32)}"` : etagOf(stored);
  response.writeHead(200, fake.fault === 'no etag' ? {} : { etag }).end();
}

function spoil(fake: FakeS3, request: IncomingMessage, response: ServerResponse): void {
  const bytes = Buffer.from(fake.objects.get(nameOf(request))?.body ?? []);
  const range = `bytes 0-${bytes.length - 1}/${bytes.length}`;
  response.writeHead(206, { 'content-range': range, 'content-length': bytes.length });
  if (fake.fault === 'flipped body') {
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    response.end(bytes);
  } else response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
}

/** Verifies the signature as a server of SigV4 does. */
function refusalOf(request: IncomingMessage, body: Buffer): number | null {
  const sent = String(request.headers['x-amz-content-sha256']);
  if (sent !== createHash('sha256').update(body).digest('hex')) return 400;
  const authorization = String(request.headers['authorization']);
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const headers = Object.fromEntries(
    names.map((name) => [name === 'host' ? 'Host' : name, request.headers[name]]),
  );
  headers['X-Amz-Date'] = request.headers['x-amz-date'];
  delete headers['x-amz-date'];
  const signed = aws4.sign(
    {
      service: 's3',
      region: 'th',
      method: request.method ?? '',
      path: request.url ?? '',
      host: String(request.headers.host),
      headers,
    },
    { accessKeyId: KEY, secretAccessKey: SECRET },
  );
  return signed.headers?.['Authorization'] === authorization ? null : 403;
}

function nameOf(request: IncomingMessage): string {
  const { pathname } = new URL(request.url ?? '', 'http://s3');
  return decodeURIComponent(pathname.replace('/bucket/', ''));
}

function store(fake: FakeS3, request: IncomingMessage, body: Buffer): void {
  fake.objects.set(nameOf(request), { body, modifiedAtMs: Date.now() });
}

function serve(
  fake: FakeS3,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  const name = nameOf(request);
  const found = fake.objects.get(name);
  if (request.method === 'PUT') {
    store(fake, request, body);
    response.writeHead(200, { etag: etagOf(body) }).end();
  } else if (request.method === 'DELETE') {
    fake.objects.delete(name);
    response.writeHead(204).end();
  } else if (name === '') {
    response.writeHead(200).end(listOf(fake, request));
  } else if (found === undefined) {
    response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  } else if (request.method === 'HEAD') {
    const modified = new Date(found.modifiedAtMs).toUTCString();
    response.writeHead(200, { 'last-modified': modified }).end();
  } else {
    const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    const part = found.body.subarray(Number(from), Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${found.body.length}`;
    const etag = etagOf(found.body);
    const wanted = request.headers['if-match'] ?? etag;
    if (wanted !== etag) response.writeHead(412).end();
    else response.writeHead(206, { 'content-range': range, etag }).end(part);
  }
}

/** Cached by body: bodies never change, and benches read many ranges of long ones. */
const etags = new WeakMap<Buffer, string>();

function etagOf(body: Buffer): string {
  const etag = etags.get(body) ?? `"${createHash('md5').update(body).digest('hex')}"`;
  etags.set(body, etag);
  return etag;
}

function listOf(fake: FakeS3, request: IncomingMessage): string {
  const query = new URL(request.url ?? '', 'http://s3').searchParams;
  const after = query.get('continuation-token') ?? '';
  const names = [...fake.objects.keys()].filter((name) => name > after).toSorted();
  const page = names.slice(0, Number(query.get('max-keys')));
  const last = page.at(-1);
  const token =
    last !== undefined && names.length > page.length
      ? `<NextContinuationToken>${last}</NextContinuationToken>`
      : '';
  const contents = page.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('');
  return `<?xml version="1.0"?><ListBucketResult>${contents}${token}</ListBucketResult>`;
}
