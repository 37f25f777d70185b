import { Option } from 'commander';
import { UsageError } from './failure.ts';

/** The option that names a caller's key: its help puts the environment first. */
export function apiKeyOption(): Option {
  const help = 'API key; set INTAGLIO_API_KEY instead: the process list shows arguments';
  return new Option('--key <apiKey>', help).env('INTAGLIO_API_KEY');
}

const NEEDS_KEY = 'needs an API key: set INTAGLIO_API_KEY (or --key, which the process list shows)';

/** The address of the service, without a slash at its end, and the API key; both can be sent. */
export interface Caller {
  readonly url: string;
  readonly apiKey: string;
}

/** Checks the options `--url` and `--key`; throws `UsageError` for what no request can be sent with. */
export function readCaller(options: { readonly url: string; readonly key?: string }): Caller {
  const { url, key = '' } = options;
  if (key === '') throw new UsageError(NEEDS_KEY);
  // A header value cannot hold anything else (RFC 9110 §5.5), and no key has a blank.
  if (!/^[!-~]+$/.test(key)) {
    throw new UsageError('the API key has a blank or a character that no key has: copy it again');
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    // `localhost:8080` parses as a URL of the scheme localhost.
    const meant = /^[^/:@]+(:\d+)?(\/.*)?$/.test(url) ? `http://${url}` : 'http://127.0.0.1:8080';
    throw new UsageError(
      `--url "${url}" does not begin with http:// or https://; such as ${meant}`,
    );
  }
  return { url: baseOf(url), apiKey: key };
}

/** A part of the service's own in an address: the API and the browser application begin there. */
const OWN_PART = /\/(?:v1|studio|docs|openapi\.json)(?:\/.*)?$/;

/** The address that paths are added to; it may have a prefix, such as that of a proxy. */
function baseOf(url: string): string {
  const { origin, pathname, search, hash } = new URL(url);
  if (OWN_PART.test(pathname) || search !== '' || hash !== '') {
    const meant = `${origin}${pathname.replace(OWN_PART, '')}`.replace(/\/+$/, '');
    throw new UsageError(`--url "${url}" is an address within the service: give ${meant}`);
  }
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
