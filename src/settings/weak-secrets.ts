/** Secrets that have the right length but that anybody guesses first. */

const REPEATED = 'is blank or repeats one character, so that anybody can guess it';
const MEND = 'set a secret that only this installation knows (openssl rand -hex 24 makes one)';

/** Returns the fault of a secret and its cure, as the end of a sentence; null when it has none. */
export function weakness(secret: string): string | null {
  const isVaried = new Set(secret.replaceAll(/\s/gu, '')).size > 1;
  return isVaried ? null : `${REPEATED}; ${MEND}`;
}

/**
 * Returns the fault of the first key, which encrypts new files; null when it has none. The keys after
 * it only decrypt, so that files under a weak key can be read once a better one stands before it.
 */
export function weaknessOfKeys([first]: readonly Uint8Array[]): string | null {
  if (first?.every((byte) => byte === first[0]) !== true) return null;
  return (
    'begins with a key of equal bytes, which anybody can guess; put a random key before it ' +
    '(./intaglio encryption new-key prints one)'
  );
}

/** The secrets among the settings. */
interface Secrets {
  readonly linkSecrets: readonly string[] | null;
  readonly auditKey: string | null;
  readonly oidcClientSecret: string | null;
  readonly encryptionKeys: readonly Uint8Array[] | null;
}

/** A sentence for each setting that holds a weak secret. */
export function weakSecretFaults(secrets: Secrets): string[] {
  const { linkSecrets, auditKey, oidcClientSecret, encryptionKeys } = secrets;
  const weaknesses: readonly (readonly [string, string | null])[] = [
    ...(linkSecrets ?? []).map((secret) => ['INTAGLIO_LINK_SECRETS', weakness(secret)] as const),
    ['INTAGLIO_AUDIT_KEY', auditKey === null ? null : weakness(auditKey)],
    ['INTAGLIO_OIDC_CLIENT_SECRET', oidcClientSecret === null ? null : weakness(oidcClientSecret)],
    ['INTAGLIO_ENCRYPTION_KEYS', weaknessOfKeys(encryptionKeys ?? [])],
  ];
  return weaknesses.flatMap(([variable, weak]) => (weak === null ? [] : [`${variable} ${weak}`]));
}
