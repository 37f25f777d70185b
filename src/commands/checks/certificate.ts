import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

import { type Config, SETTINGS } from '../../settings/config.ts';
import { CertificateError, readCertificate } from '../../gateway/http/certificate.ts';
import { HttpServer, type TlsFiles } from '../../gateway/http/http-server.ts';
import { counted } from '../console/output.ts';
import type { Examination } from './examination.ts';
import { fault, ok, type Verdict, warning } from './finding.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Certificates that expire sooner are a warning; the alert of the same name has the same bound. */
const DAYS_LEFT_MIN = 14;
const { tlsCertFile: CERT, tlsKeyFile: KEY } = SETTINGS;

/** Checks certificate and key of HTTPS: they load, belong together, and callers accept them. */
export function checkCertificate({ config }: Examination): Verdict {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = config;
  if (certFile === null || keyFile === null) return ok('the service speaks HTTP');
  const files = { certFile, keyFile };
  try {
    const { expiresAtMs, validFromMs } = readCertificate(files);
    const defect = loadingDefect(files);
    if (defect !== null) return defect;
    return (
      judgeTimes(validFromMs, expiresAtMs, Date.now()) ??
      judgeScheme(config) ??
      judgeName(config, certFile)
    );
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    const mend =
      `name the PEM files of one pair in ${CERT.variable} and ${KEY.variable}, and let the user of` +
      ' the service read them (openssl pkey -in KEY -pubout and openssl x509 -in CERT -noout -pubkey' +
      ' print the same for a pair)';
    return fault(`${CERT.variable}, ${KEY.variable}: ${error.message}`, mend);
  }
}

/** The listener loads the whole chain, of which `readCertificate` reads the first certificate only. */
function loadingDefect(files: TlsFiles): Verdict | null {
  try {
    new HttpServer(0, () => undefined, files).close();
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fault(
      `${CERT.variable}: the chain in ${files.certFile} does not load`,
      'write it anew: the certificate first, then the authorities between it and the root, all in PEM',
    );
  }
}

/** null: the certificate is valid, and for a while. */
export function judgeTimes(
  validFromMs: number,
  expiresAtMs: number,
  nowMs: number,
): Verdict | null {
  const mend = `renew it and replace the file of ${CERT.variable}: it is used without a restart`;
  const expiry = new Date(expiresAtMs).toISOString();
  if (nowMs >= expiresAtMs) {
    return fault(`${CERT.variable}: the certificate expired ${expiry}: callers refuse it`, mend);
  }
  if (nowMs < validFromMs) {
    const start = new Date(validFromMs).toISOString();
    const detail = `${CERT.variable}: the certificate is valid from ${start} on: callers refuse it`;
    return fault(detail, `${mend}; or set the clock of this machine`);
  }
  if (expiresAtMs - nowMs > DAYS_LEFT_MIN * DAY_MS) return null;
  const left = leftText(expiresAtMs - nowMs);
  return warning(`${CERT.variable}: the certificate expires ${expiry}, in ${left}`, mend);
}

/** Whole days, or hours of the last day. */
function leftText(leftMs: number): string {
  if (leftMs >= DAY_MS) return counted(Math.floor(leftMs / DAY_MS), 'day');
  if (leftMs < HOUR_MS) return 'less than an hour';
  return counted(Math.floor(leftMs / HOUR_MS), 'hour');
}

/** null: callers may reach the service by the scheme of its address. */
function judgeScheme({ baseUrl }: Config): Verdict | null {
  if (baseUrl === null || !baseUrl.startsWith('http:')) return null;
  const { variable } = SETTINGS.baseUrl;
  return warning(
    `${variable} begins with http:, and with ${CERT.variable} the port speaks HTTPS only: links to` +
      ' files and sign-in links do not work',
    `unless a proxy in front takes plain HTTP: let ${variable} begin with https:`,
  );
}

/** Compares the certificate with the name by which callers reach the service. */
function judgeName({ baseUrl }: Config, certFile: string): Verdict {
  const certificate = new X509Certificate(readFileSync(certFile));
  const detail = `certificate and key belong together; it expires ${certificate.validTo}`;
  if (baseUrl === null || !baseUrl.startsWith('https:')) return ok(detail);
  const host = new URL(baseUrl).hostname.replaceAll(/[[\]]/g, '');
  const fits = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  if (fits !== undefined) return ok(detail);
  const { variable } = SETTINGS.baseUrl;
  return warning(
    `${CERT.variable}: the certificate is not for ${host}, the host of ${variable}`,
    `unless a proxy in front has its own: take a certificate for ${host}, or correct ${variable}`,
  );
}
