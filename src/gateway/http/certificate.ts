import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TlsFiles } from './http-server.ts';

/** The certificate in use, for log and metrics. */
interface Certificate {
  readonly subject: string;
  /** Ms since the epoch. */
  readonly validFromMs: number;
  /** Ms since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * The files do not hold a certificate with its private key. The message names the file and holds no
 * secret.
 */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/**
 * Reads the first certificate of the chain and checks that the key belongs to it. Throws
 * CertificateError.
 */
export function readCertificate({ certFile, keyFile }: TlsFiles): Certificate {
  const chain = readPem(certFile);
  const key = readPem(keyFile);
  const certificate = parse(`${certFile} holds no certificate in PEM`, () => {
    return new X509Certificate(chain);
  });
  // A key with a passphrase is refused, because the service could not start unattended.
  const privateKey = parse(`${keyFile} holds no private key in PEM without a passphrase`, () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateError(`${keyFile} is not the key of the certificate in ${certFile}`);
  }
  return {
    subject: certificate.subject.replaceAll('\n', ', '),
    validFromMs: Date.parse(certificate.validFrom),
    expiresAtMs: Date.parse(certificate.validTo),
  };
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new CertificateError(`${path} cannot be read (${code})`);
  }
}

function parse<T>(message: string, read: () => T): T {
  try {
    return read();
  } catch {
    // OpenSSL's own message may quote the file.
    throw new CertificateError(message);
  }
}
