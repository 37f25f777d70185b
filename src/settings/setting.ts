/** Kinds of settings, with the parser and the documentation of each. */

import { s3AddressFault } from '../store/files/s3-address.ts';

export const DAY_SECONDS = 86_400;

/** An environment variable with its parser and its documentation. */
export interface Setting<T> {
  readonly variable: string;
  readonly unit: string;
  /** The default as the documentation shows it; '' when there is none. */
  readonly preset: string;
  readonly allowed: string;
  readonly help: string;
  /** The value is never printed, not even in an error. */
  readonly secret: boolean;
  /** Parses the text; undefined: it is not allowed. */
  readonly read: (text: string) => T | undefined;
  /** The value when the variable is unset or empty. */
  readonly absent: () => T;
}

/** An integer between two inclusive bounds. */
export function integer(
  variable: string,
  unit: string,
  preset: number,
  [min, max]: readonly [number, number],
  help: string,
): Setting<number> {
  const read = (text: string): number | undefined => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  const allowed = `integer, ${min} to ${max}`;
  const absent = (): number => preset;
  return { variable, unit, preset: String(preset), allowed, help, secret: false, read, absent };
}

/** An integer whose default depends on the machine or on other settings: null when it is unset. */
export function derivedInteger(
  variable: string,
  unit: string,
  preset: string,
  range: readonly [number, number],
  help: string,
): Setting<number | null> {
  return { ...integer(variable, unit, 0, range, help), preset, absent: () => null };
}

/** A text that `fits` accepts. */
export function textMatching<T extends string | null>(
  variable: string,
  preset: T,
  allowed: string,
  help: string,
  fits: (value: string) => boolean,
  secret = false,
): Setting<string | T> {
  return {
    variable,
    unit: '',
    preset: preset ?? '',
    allowed,
    help,
    secret,
    read: (value) => (fits(value) ? value : undefined),
    absent: () => preset,
  };
}

/** One of several words. */
export function choice<const T extends string>(
  variable: string,
  preset: T,
  values: readonly T[],
  help: string,
): Setting<T> {
  const read = (text: string): T | undefined => values.find((value) => value === text);
  const allowed = values.join(', ');
  return { variable, unit: '', preset, allowed, help, secret: false, read, absent: () => preset };
}

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/**
 * Whether this is an address, which may contain a login. Without `//`, the login would be part of
 * the path.
 */
function isAddress(value: string, protocols: readonly string[]): boolean {
  if (!isUrl(value, protocols) || !/^\w+:\/\//.test(value)) return false;
  const { username, password, hash } = new URL(value);
  // An unencoded # in the password would end the address there.
  return isDecodable(username) && isDecodable(password) && hash === '';
}

/** Whether each % begins two hexadecimal digits, and they are UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return false;
  }
}

const ESCAPES =
  '; in user and password write % as %25, @ as %40, : as %3A, / as %2F, ? as %3F, # as %23';

/** A hint at the likely mistake in a URL, which the message must not show; '' for other values. */
export function addressHint(value: string): string {
  // The list of sources of runs has several addresses, each perhaps of one team.
  for (const entry of [value, ...value.split(',')]) {
    const address = entry.trim().replace(/^[^/=]*=(?=s3:)/, '');
    const fault = isAddress(address, ['s3:']) ? s3AddressFault(address) : null;
    if (fault === null) continue;
    // Other than one @ before the path: a character of the login is not escaped.
    return /^s3:\/\/[^@/]*@[^@]*$/.test(address) ? `; ${fault}` : `; ${fault}${ESCAPES}`;
  }
  if (!/^(?:mysql|s3|rediss?):/.test(value)) return '';
  return value.includes('://') ? ESCAPES : '; // is missing after the first colon';
}

/** Whether a text has no control characters, so that it stays on one line of a log. */
export const isPlain = (value: string): boolean => /^[^\p{Cc}]+$/u.test(value);
/** Without a login: such an address is shown. */
export const isHttpUrl = (value: string): boolean => {
  if (!isUrl(value, ['http:', 'https:'])) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
};
/**
 * Refuses a misspelt value of `tls`, which would otherwise mean a connection without TLS. Refuses
 * an address without a database, too: an unencoded ? in the password would cut it off.
 */
const isMysqlUrl = (value: string): boolean =>
  isAddress(value, ['mysql:']) &&
  /^\/[^/]+$/.test(new URL(value).pathname) &&
  isDecodable(new URL(value).pathname) &&
  ['require', null].includes(new URL(value).searchParams.get('tls'));
export const isDatabaseUrl = (value: string): boolean =>
  value.startsWith('sqlite:') ? value.length > 'sqlite:'.length : isMysqlUrl(value);
const isS3Url = (value: string): boolean =>
  isAddress(value, ['s3:']) && s3AddressFault(value) === null;
export const isFilesUrl = (value: string): boolean =>
  value.startsWith('s3:') ? isS3Url(value) : /^file:[^\p{Cc}]+$/u.test(value);
const SOURCE =
  /^(?:[^/=\s]{1,128}=)?(?:\/[^\p{Cc},]*[^\p{Cc},/][^\p{Cc},]*|s3:\/\/[^\s/@]+@[^\s/]+\/[^\s/]\S*)$/u;
/** `[teamId=]/folder` or `[teamId=]s3://…@host/bucket…`. */
export const isRunSource = (value: string): boolean => {
  if (!SOURCE.test(value)) return false;
  const address = /^(?:[^/=]*=)?(s3:.*)$/u.exec(value)?.[1];
  return address === undefined || isS3Url(address);
};
export const isQueueUrl = (value: string): boolean =>
  isAddress(value, ['redis:', 'rediss:']) && /^(?:\/\d{0,4})?$/.test(new URL(value).pathname);
