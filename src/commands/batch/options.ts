import { looksBound } from '#engine/light';
import { readJsonFile } from '../console/files/json-file.ts';
import { CommandFailed } from '../console/failure.ts';

const BYTES_MAX = 1_048_576;

/** The options of every request; throws when the file holds anything but such an object. */
export function readOptions(file: string): unknown {
  const { value } = readJsonFile(file, BYTES_MAX, null);
  if (!isObject(value)) {
    throw new CommandFailed(
      `${file} is no JSON object: options are written as {"metadata": {"title": "…"}}`,
    );
  }
  refusePasswordsByRow(file, value['protection']);
  return value;
}

/**
 * Refuses passwords in the form of runs, before anything is sent: a service of an earlier version
 * takes `{{customer}}` as the password of every document.
 */
function refusePasswordsByRow(file: string, protection: unknown): void {
  if (!isObject(protection)) return;
  for (const name of ['userPassword', 'ownerPassword']) {
    const password = protection[name];
    const isByRow = typeof password === 'string' ? looksBound(password) : isObject(password);
    if (!isByRow) continue;
    throw new CommandFailed(
      `${file}: options.protection.${name} asks for a password by row, which only runs make. Use` +
        ' ./intaglio runs create --options with this file (docs/runs.md, Passwords by row)',
    );
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
