import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { CertBag, id_ContentType_EncryptedData, PFX, PKCS8ShroudedKeyBag } from 'pkijs';

/** A private key with its certificate chain, the signer's certificate first. */
export interface Credentials {
  readonly key: KeyObject;
  readonly chain: readonly X509Certificate[];
}

/** The file is not PKCS#12, the password is wrong, or the key or its certificate is missing. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** Reads a PKCS#12 file (RFC 7292) with AES encryption, as OpenSSL 3 writes it. */
export async function readPkcs12(file: Uint8Array, password: string): Promise<Credentials> {
  const secret = Buffer.from(password, 'utf8');
  const keys: KeyObject[] = [];
  const certificates: X509Certificate[] = [];
  try {
    for (const bag of await openBags(file, toArrayBuffer(secret))) {
      if (bag instanceof PKCS8ShroudedKeyBag && bag.parsedValue !== undefined) {
        const der = Buffer.from(bag.parsedValue.toSchema().toBER(false));
        keys.push(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
        der.fill(0);
      } else if (bag instanceof CertBag && bag.parsedValue !== undefined) {
        const der = Buffer.from(bag.parsedValue.toSchema().toBER(false));
        certificates.push(new X509Certificate(der));
      }
    }
  } catch {
    // The library's message is dropped because it may quote the file.
    throw new CredentialsError('it is not a PKCS#12 file, or the password is wrong');
  } finally {
    secret.fill(0);
  }
  return credentialsOf(keys[0], certificates);
}

/** Decrypts the content of a PKCS#12 file: bags with keys and certificates. */
async function openBags(file: Uint8Array, password: ArrayBuffer): Promise<readonly unknown[]> {
  const pfx = PFX.fromBER(toArrayBuffer(file));
  await pfx.parseInternalValues({ checkIntegrity: true, password });
  const safe = pfx.parsedValue?.authenticatedSafe;
  if (safe === undefined) throw new CredentialsError('it has no content');
  const parameters = safe.safeContents.map(({ contentType }) =>
    contentType === id_ContentType_EncryptedData ? { password } : {},
  );
  await safe.parseInternalValues({ safeContents: parameters });
  const contents = safe.parsedValue as {
    safeContents: readonly { value: { safeBags: readonly { bagValue: unknown }[] } }[];
  };
  const bags = contents.safeContents.flatMap(({ value }) =>
    value.safeBags.map(({ bagValue }) => bagValue),
  );
  for (const bag of bags) {
    if (bag instanceof PKCS8ShroudedKeyBag) {
      // The library's types declare this private, but its examples call it.
      const opener = bag as unknown as {
        parseInternalValues(parameters: { password: ArrayBuffer }): Promise<void>;
      };
      await opener.parseInternalValues({ password });
    }
  }
  return bags;
}

/** Finds the certificate of the key and those of its issuers. */
function credentialsOf(
  key: KeyObject | undefined,
  certificates: readonly X509Certificate[],
): Credentials {
  const own = certificates.find(
    (certificate) => key !== undefined && certificate.checkPrivateKey(key),
  );
  if (key === undefined || own === undefined) {
    throw new CredentialsError('it has no private key with its certificate');
  }
  return { key, chain: orderChain(own, certificates) };
}

/** The chain of a certificate: itself, its issuer, that one's issuer, and so on. */
export function orderChain(
  own: X509Certificate,
  certificates: readonly X509Certificate[],
): readonly X509Certificate[] {
  const chain = [own];
  let last = own;
  for (;;) {
    const subject = last;
    const issuer = certificates.find((one) => !chain.includes(one) && subject.checkIssued(one));
    if (issuer === undefined) return chain;
    chain.push(issuer);
    last = issuer;
  }
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
