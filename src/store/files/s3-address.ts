/** Where a bucket is, and who reads and writes it. */
export interface S3Address {
  readonly origin: string;
  readonly host: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const BUCKET_LENGTH = { min: 3, max: 63 };

/**
 * The fault of an address `s3://accessKey:secret@host[:port]/bucket[/prefix]`, or null if it has none.
 * The words repeat no part of the address, which holds a secret. `url` must parse as a URL.
 */
export function s3AddressFault(url: string): string | null {
  const address = httpsOf(url);
  if (!URL.canParse(address)) return 'the host is wrong';
  const { username, pathname } = new URL(address);
  if (username === '') return 'access key and secret are missing before the host';
  const { bucket, prefix } = partsOf(pathname);
  const { min, max } = BUCKET_LENGTH;
  if (bucket === '') return 'the bucket is missing after the host';
  if (bucket.length < min || bucket.length > max) {
    return `the name of a bucket has ${min} to ${max} characters`;
  }
  if (!/^[a-z0-9][a-z0-9.-]*$/.test(bucket)) {
    return 'the name of a bucket has small letters, digits, dots and hyphens only';
  }
  if (/^[A-Za-z0-9/_.-]*$/.test(prefix)) return null;
  return 'the prefix after the bucket has letters, digits and / _ . - only';
}

/** Reads an address in which `s3AddressFault` finds nothing wrong. */
export function s3AddressOf(url: string): S3Address {
  const parsed = new URL(httpsOf(url));
  const { bucket, prefix } = partsOf(parsed.pathname);
  const usesTls = parsed.searchParams.get('tls') !== 'off';
  return {
    origin: `${usesTls ? 'https' : 'http'}://${parsed.host}`,
    host: parsed.host,
    region: parsed.searchParams.get('region') ?? 'us-east-1',
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    accessKeyId: decodeURIComponent(parsed.username),
    secretAccessKey: decodeURIComponent(parsed.password),
  };
}

/** URLs of schemes that `URL` does not know keep a host in capitals, which signatures must not have. */
function httpsOf(url: string): string {
  return url.replace(/^s3:/, 'https:');
}

function partsOf(pathname: string): { readonly bucket: string; readonly prefix: string } {
  const [bucket = '', ...rest] = pathname.slice(1).split('/');
  return { bucket, prefix: rest.filter((segment) => segment !== '').join('/') };
}
