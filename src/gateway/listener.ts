import { CertificateError, readCertificate } from './http/certificate.ts';
import type { OnRequest, TlsFiles } from './http/http-server.ts';
import { HttpServer, ListenError } from './http/http-server.ts';
import { clearSocket, removeSocket, socketIdentity } from './http/unix-socket.ts';
import type { Log } from '../log/log.ts';
import { watchFiles } from '../runtime/file-watch.ts';
import type { GatewayOptions } from './types.ts';

const UNIX = 'unix:';
/** Read and write for the owner and the group, to which the proxy's account belongs. */
const SOCKET_MODE = 0o660;
/** A certificate that expires within this time is reported; the alert has the same bound. */
const EXPIRES_SOON_MS = 14 * 24 * 3_600_000;

/** The settings that say where and how the gateway listens. */
type Address = Pick<GatewayOptions, 'host' | 'port' | 'tls' | 'socketMode' | 'baseUrl'>;

/** An HttpServer at the configured address that reloads its certificate when the files change. */
export class Listener {
  readonly http: HttpServer;
  readonly #address: Address;
  readonly #log: Log;
  readonly #endWatch: () => void;
  #expiresAtMs = Number.NaN;
  /** Why the files of the certificate are not those in use; '': they are. */
  #renewalFault = '';
  /** Whether that may change although the files stay the same. */
  #isReadAgain = false;
  #socket: { readonly path: string; readonly identity: string } | null = null;

  /** Throws ListenError when the certificate or its key cannot be used. */
  constructor(connectionsMax: number, address: Address, log: Log, onRequest: OnRequest) {
    this.#address = address;
    this.#log = log;
    const { tls } = address;
    if (tls === undefined || tls === null) {
      this.#endWatch = () => undefined;
      this.http = new HttpServer(connectionsMax, onRequest);
      return;
    }
    const files = [tls.certFile, tls.keyFile];
    const renew = (): void => this.#renew(tls);
    this.#endWatch = watchFiles(files, renew, tls.lookMs, () => !this.#isReadAgain);
    try {
      this.#expiresAtMs = readCertificate(tls).expiresAtMs;
      this.#warnOfExpiry();
      this.#warnOfScheme();
      this.http = new HttpServer(connectionsMax, onRequest, tls);
    } catch (error) {
      this.#endWatch();
      if (!(error instanceof CertificateError)) throw error;
      throw new ListenError('HTTPS', error.message);
    }
  }

  /** Expiry of the current certificate, in ms since the epoch; NaN without one. */
  get expiresAtMs(): number {
    return this.#expiresAtMs;
  }

  /** Whether the files of the certificate can be used and are those in use. */
  get isCertificateCurrent(): boolean {
    return this.#renewalFault === '';
  }

  /** Starts listening and returns the URL. Rejects with ListenError. */
  async listen(): Promise<string> {
    const { host, port, socketMode } = this.#address;
    const scheme = this.#address.tls === undefined || this.#address.tls === null ? 'http' : 'https';
    if (host.startsWith(UNIX)) {
      const path = host.slice(UNIX.length);
      await clearSocket(path);
      await this.http.listenUnix(path, socketMode ?? SOCKET_MODE);
      this.#socket = { path, identity: socketIdentity(path) };
      return `${scheme}://localhost`;
    }
    const bound = await this.http.listen(host, port);
    const name = host.includes(':') ? `[${host}]` : host;
    return `${scheme}://${name}:${bound}`;
  }

  stopListening(): void {
    this.#endWatch();
    this.http.stopListening();
    if (this.#socket !== null) removeSocket(this.#socket.path, this.#socket.identity);
    this.#socket = null;
  }

  close(): void {
    this.stopListening();
    this.http.close();
  }

  /** The service starts nevertheless: a new certificate is used as soon as it is in its file. */
  #warnOfExpiry(): void {
    const leftMs = this.#expiresAtMs - Date.now();
    if (leftMs > EXPIRES_SOON_MS) return;
    const msg = leftMs > 0 ? 'the certificate expires soon' : 'the certificate has expired';
    this.#log.warn({ msg, expires: new Date(this.#expiresAtMs).toISOString() });
  }

  /** The service starts nevertheless: a proxy in front may take plain HTTP. */
  #warnOfScheme(): void {
    if (this.#address.baseUrl?.startsWith('http:') !== true) return;
    const msg =
      'INTAGLIO_BASE_URL begins with http:, and the port speaks HTTPS only:' +
      ' links work if a proxy in front takes plain HTTP';
    this.#log.warn({ msg });
  }

  /**
   * Loads the new certificate; one that cannot be used is ignored, because the old one may be valid
   * for weeks. The log says so once for each reason.
   */
  #renew(tls: TlsFiles): void {
    try {
      const { subject, expiresAtMs } = readCertificate(tls);
      this.http.renewCertificate();
      this.#expiresAtMs = expiresAtMs;
      this.#renewalFault = '';
      this.#isReadAgain = false;
      const expires = new Date(expiresAtMs).toISOString();
      this.#log.info({ msg: 'certificate renewed', subject, expires });
    } catch (error) {
      this.#isReadAgain = error instanceof CertificateError;
      const reason = error instanceof CertificateError ? error.message : 'it does not load';
      if (reason === this.#renewalFault) return;
      this.#renewalFault = reason;
      this.#log.error({ msg: 'new certificate not used; the former one stays', reason });
    }
  }
}
