import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { HOME } from './home.ts';

export interface SourceFile {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const LEFT_OUT =
  /(?:^|\/)(?:node_modules|\.[^/]+|var|coverage|studio\/dist[^/]*|(?:clients\/node|packages\/engine)\/dist|clients\/(?:python|java)\/build)\//;

/** Whether a file of the checkout was written by people: neither installed nor generated. */
export function isWritten(path: string): boolean {
  return !LEFT_OUT.test(path);
}

/** Files of the checkout by glob, without what is installed or generated. */
export function sourceFiles(...globs: readonly string[]): readonly SourceFile[] {
  return globSync([...globs], { cwd: HOME })
    .map((path) => path.replaceAll('\\', '/'))
    .filter(isWritten)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(HOME, path), 'utf8') }));
}

/**
 * The modules that a module imports, statically or dynamically, or starts as threads or processes.
 */
export function importsOf({ path, text }: SourceFile): readonly string[] {
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\b[^;]*?from\s+'([^']+)'/gms),
    ...text.matchAll(/^import\s+'([^']+)'/gm),
    ...text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g),
    ...text.matchAll(/new URL\(\s*'(\.[^']+)',\s*import\.meta\.url/g),
  ].map((match) => match[1] ?? '');
  return specifiers.map((specifier) => resolveFrom(path, specifier));
}

/** The modules that must be evaluated before this one: static imports of more than types. */
export function valueImportsOf({ path, text }: SourceFile): readonly string[] {
  const statements = text.matchAll(/^(?:import|export)\b([^;]*?)from\s+'([^']+)'/gms);
  return [...statements].flatMap(([, clause = '', specifier = '']) =>
    isTypeOnly(clause.trim()) ? [] : [resolveFrom(path, specifier)],
  );
}

/** `type { A }` or `{ type A, type B }`: nothing of the import is left when types are stripped. */
function isTypeOnly(clause: string): boolean {
  if (clause.startsWith('type ')) return true;
  const names = /^\{([^}]*)\}$/s.exec(clause)?.[1];
  if (names === undefined) return false;
  return names.split(',').every((name) => /^\s*(?:type\s.*)?$/s.test(name));
}

/** `#engine` and its like, by the `imports` of package.json. */
const ALIASES = readAliases();

function readAliases(): Readonly<Record<string, string>> {
  const { imports } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as {
    imports: Record<string, string>;
  };
  return Object.fromEntries(
    Object.entries(imports).map(([name, path]) => [name, posix.normalize(path)]),
  );
}

function resolveFrom(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(dirname(path), specifier);
  return ALIASES[specifier] ?? specifier;
}
