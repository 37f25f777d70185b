import type { Route } from './route.ts';

export type Match =
  | { readonly kind: 'found'; readonly found: Found; readonly params: readonly string[] }
  /** The address exists, but not with this method; `allow` lists its methods. */
  | { readonly kind: 'wrong_method'; readonly allow: string }
  | { readonly kind: 'unknown' };

/** A route with the name that metrics give it: method and path. */
export interface Found {
  readonly route: Route;
  readonly name: string;
}

interface Address {
  readonly segments: readonly string[];
  readonly routes: Map<string, Found>;
  readonly allow: string;
}

const UNKNOWN: Match = { kind: 'unknown' };
const NO_PARAMS: readonly string[] = [];

/** Finds the route of a request. HEAD is answered wherever GET is (RFC 9110 §9.1). */
export class Router {
  readonly #exact = new Map<string, Address>();
  readonly #patterns: Address[] = [];

  constructor(routes: readonly Route[]) {
    const byPath = Map.groupBy(routes, (route) => route.path);
    for (const [path, group] of byPath) {
      const methods = new Map<string, Found>();
      for (const route of group) {
        const { method } = route;
        methods.set(method, { route, name: `${method} ${path}` });
      }
      const get = methods.get('GET');
      if (get !== undefined) methods.set('HEAD', { route: get.route, name: `HEAD ${path}` });
      const allow = [...methods.keys()].join(', ');
      const address = { segments: path.split('/'), routes: methods, allow };
      if (path.includes(':')) this.#patterns.push(address);
      else this.#exact.set(path, address);
    }
  }

  match(method: string, path: string): Match {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return choose(exact, method, NO_PARAMS);
    const segments = path.split('/');
    for (const address of this.#patterns) {
      const params = fit(address.segments, segments);
      if (params !== null) return choose(address, method, params);
    }
    return UNKNOWN;
  }
}

function choose(address: Address, method: string, params: readonly string[]): Match {
  const found = address.routes.get(method);
  if (found === undefined) return { kind: 'wrong_method', allow: address.allow };
  return { kind: 'found', found, params };
}

/** The decoded parameters; null when the path does not fit the pattern. */
function fit(pattern: readonly string[], segments: readonly string[]): readonly string[] | null {
  if (pattern.length !== segments.length) return null;
  const params: string[] = [];
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!expected.startsWith(':')) {
      if (segment !== expected) return null;
      continue;
    }
    const value = decode(segment);
    if (value === null || value === '') return null;
    params.push(value);
  }
  return params;
}

function decode(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
