import { SETTINGS } from '../../settings/config.ts';
import { counted } from '../console/output.ts';
import { attempt } from './attempt.ts';
import type { Examination } from './examination.ts';
import { fault, ok, type Verdict } from './finding.ts';
import { withStore } from './storage.ts';

/** Checks whether new files are encrypted, and whether stored files need keys that are missing. */
export function checkEncryption(examination: Examination): Promise<Verdict> {
  const { encryptionKeys, encryptionKeysCommand } = SETTINGS;
  const isCommand = examination.config.encryptionKeysCommand !== null;
  const { variable } = isCommand ? encryptionKeysCommand : encryptionKeys;
  return attempt({ variable, place: 'the keys' }, async () => {
    const { length } = (await examination.keys()).keys();
    // Without the tables of this version, nothing can be asked about stored files.
    if (!examination.migrates) return ok(counted(length, 'key'));
    return withStore(examination, async (store) => {
      return judge(store.fileKeys.listed(), await store.fileKeys.missing());
    });
  });
}

function judge(listed: readonly string[], missing: readonly string[]): Verdict {
  const [first, ...others] = listed;
  const detail =
    first === undefined
      ? 'new files are not encrypted'
      : `new files are encrypted under ${first}; also to decrypt: ${counted(others.length, 'key')}`;
  if (missing.length === 0) return ok(detail);
  return fault(
    `${detail}; files may need ${missing.join(', ')}, which is not listed`,
    `list it in ${SETTINGS.encryptionKeys.variable}, or see ./intaglio encryption status`,
  );
}
