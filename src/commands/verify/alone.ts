import type { FileKind } from '../../runtime/encoding/file-kind.ts';
import { SETTINGS } from '../../settings/config.ts';
import type { Verdict } from '../../sign/verification/verify-signature.ts';
import { CommandFailed } from '../console/failure.ts';
import { show } from '../console/output.ts';
import { endWith } from '../console/terminal.ts';
import { describeSignatures, isSignature, isValid, signatureJson } from './signatures.ts';

/**
 * What the signatures alone tell of a file, for those who have the institution's root certificate but
 * not the database of its service.
 */
export interface Unasked {
  readonly path: string;
  readonly kind: FileKind;
  readonly sha256: string;
  readonly signatures: readonly Verdict[];
  /** Where the database would be. */
  readonly place: string;
  readonly json: boolean | undefined;
}

/**
 * Shows the verdict. Exit code 0: every signature is valid and leads to a certificate of `--trust`.
 * Throws `CommandFailed` for a file without a signature, which nothing here can judge.
 */
export function showAlone({ path, kind, sha256, signatures, place, json }: Unasked): void {
  if (kind !== 'pdf') throw new CommandFailed(`${path} ${OTHER_KIND[kind]}`);
  if (!signatures.some(isSignature)) {
    throw new CommandFailed(`${path} has no signature, and ${noDatabase(place)}: ${CANNOT_JUDGE}`);
  }
  const areValid = signatures.every(isValid);
  const isVerified = areValid && signatures.every(({ isTrusted }) => isTrusted === true);
  if (!isVerified) endWith(1);
  const result = { issued: null, sha256, signatures: signatures.map(signatureJson) };
  show(json, result, () =>
    [
      `Only the signatures are checked, because ${noDatabase(place)}.`,
      ...describeSignatures(signatures),
      ...(isVerified ? [MEANING] : []),
      ...(areValid && !isVerified ? [NOBODY_VOUCHES] : []),
    ].join('\n'),
  );
}

function noDatabase(place: string): string {
  return `there is no database ${place} to tell whether this service issued the file`;
}

/** What a file is that is no PDF. */
export const OTHER_KIND = {
  zip: 'is a ZIP file, which is no document: unpack it, and verify its documents one by one.',
  other: 'is no PDF: is it the right file?',
} as const;
const { variable } = SETTINGS.databaseUrl;
const CANNOT_JUDGE =
  'it cannot be judged here. The institution that issued it can judge it: by Verify in its Studio, or' +
  ` by this command with ${variable} set as it is for the service`;
const NOBODY_VOUCHES =
  'NOT VERIFIED: anybody can make a certificate with any name in it. Give the root certificate of the' +
  ' institution, which comes from the institution itself: --trust roots.pem';
const MEANING = `This shows who signed the file and that it has not changed since, not that the service has a record
of it. To ask for that, too, set ${variable} as it is for the service.`;
