import { createHash } from 'node:crypto';
import type { KeyRing } from '../encryption/key-ring.ts';
import {
  decryptSegment,
  encryptedBytes,
  segmentCount,
  segmentOffset,
} from '../encryption/segments.ts';
import { digestOf, type LivingFile } from './folder.ts';

/** `unchecked`: the file is encrypted and its key is not available. */
export type Verdict = 'whole' | 'damaged' | 'unchecked';

/** The size and digest that a row holds for its file. */
export type StoredRow = Pick<LivingFile, 'id' | 'bytes' | 'sha256' | 'wrappedKey'>;

/** Compares a file, with its bytes as they are stored, with the size and digest in its row. */
export async function checkFile(
  ring: KeyRing,
  { id, bytes, sha256, wrappedKey }: StoredRow,
  content: Uint8Array,
): Promise<Verdict> {
  if (wrappedKey === null) {
    if (content.byteLength !== bytes) return 'damaged';
    return sha256 === null || digestOf(content) === sha256 ? 'whole' : 'damaged';
  }
  if (content.byteLength !== encryptedBytes(bytes)) return 'damaged';
  const key = await ring.unwrap(wrappedKey);
  if (key === null) return 'unchecked';
  const hash = createHash('sha256');
  const count = segmentCount(bytes);
  for (let index = 0; index < count; index += 1) {
    const segment = content.subarray(segmentOffset(index), segmentOffset(index + 1));
    const plain = decryptSegment({ key, fileId: id }, index, index === count - 1, segment);
    if (plain === null) return 'damaged';
    hash.update(plain);
  }
  return sha256 === null || hash.digest('hex') === sha256 ? 'whole' : 'damaged';
}
