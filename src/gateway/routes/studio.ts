import { randomBytes } from 'node:crypto';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { Reply } from '../reply/reply.ts';
import { type Call, type PublicRoute, type Services, undescribedRoute } from '../route.ts';
import type { StudioPage } from '../studio-files.ts';
import { StudioFiles } from '../studio-files.ts';

/** Addresses inside the application. All get the same page, which reads its address. */
const PAGES = ['/studio', '/studio/:a', '/studio/:a/:b', '/studio/:a/:b/:c'];
/** An asset's name holds the digest of its content. */
const FOREVER = 'public, max-age=31536000, immutable';
/** Placeholder in the built page, which each response replaces by its nonce. */
const NONCE = '__NONCE__';
const SIGN_IN = '__SIGN_IN__';

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="refresh" content="2"><title>Intaglio Studio</title>
<h1>The Studio is being made ready</h1>
<p>This page tries again every two seconds. If it stays, the log of the service says why.</p></html>`;

/** The browser application: its page at every address below /studio, and its assets. */
export function studioRoutes(services: Services): readonly PublicRoute[] {
  const { studioFolder, oidc } = services.options;
  if (studioFolder === null) return [];
  const files = new StudioFiles(studioFolder);
  const signIn = oidc === null ? 'link' : 'oidc';
  return [
    undescribedRoute({
      method: 'GET',
      path: '/studio/assets/:name',
      run: (call) => sendAsset(files, call),
    }),
    ...PAGES.map((path) =>
      undescribedRoute({
        method: 'GET',
        path,
        run: () => sendPage(files, signIn),
      }),
    ),
  ];
}

async function sendPage(files: StudioFiles, signIn: string): Promise<Outcome<Reply>> {
  const page = await builtPage(files, 'index.html', signIn);
  return succeed(page ?? html(503, NOT_BUILT, ''));
}

/** A page of the application; null when it is not built. */
export async function builtPage(
  files: StudioFiles,
  name: StudioPage,
  signIn: string,
): Promise<Reply | null> {
  const page = await files.page(name);
  if (page === null) return null;
  const nonce = randomBytes(16).toString('base64');
  const body = page.replaceAll(NONCE, nonce).replaceAll(SIGN_IN, signIn);
  return html(200, body, nonce);
}

function html(status: number, body: string, nonce: string): Reply {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy(nonce),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
  return { status, headers, body };
}

/**
 * Allows only the service itself as a source. The editor creates style sheets at run time, which carry
 * the nonce. Pictures of a form are shown from the data URLs in which they are sent.
 */
function policy(nonce: string): string {
  const own = nonce === '' ? "'none'" : "'self'";
  return [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${nonce === '' ? "'none'" : `'self' 'nonce-${nonce}'`}`,
    "img-src 'self' data: blob:",
    `font-src ${own}`,
    `connect-src ${own}`,
    `worker-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A script that runs as a thread has its own policy: it reads PDFs, and fetches nothing else. */
const THREAD_POLICY = "default-src 'none'; worker-src 'self'";

async function sendAsset(files: StudioFiles, { exchange, params }: Call): Promise<Outcome<Reply>> {
  const found = await files.asset(params[0] ?? '', exchange.headers.acceptEncoding);
  if (found === null) return fail('not_found', 'There is no such address.');
  const { type, encoding, bytes } = found;
  const headers: Record<string, string> = {
    'Content-Type': type,
    'Cache-Control': FOREVER,
    Vary: 'Accept-Encoding',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': THREAD_POLICY,
  };
  if (encoding !== '') headers['Content-Encoding'] = encoding;
  return succeed({ status: 200, headers, body: bytes });
}
