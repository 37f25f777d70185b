/*
 * Everything that `doctor` examines and that `serve --check` tries, in one list: what prevents a start
 * is found by both, in the same words, with the same remedy.
 */

import { ConfigError, readConfig, type Config } from '../../settings/config.ts';
import { UnusableStorage } from '../../start/storage.ts';
import { mendOfStorage } from './attempt.ts';
import { checkCertificate } from './certificate.ts';
import { checkDiskSpace, checkDiskSync } from './disk.ts';
import { checkEncryption } from './encryption.ts';
import { Examination } from './examination.ts';
import { type Check, type Finding, skipped, type Verdict, withMend } from './finding.ts';
import {
  checkDescriptors,
  checkMemory,
  checkProcessors,
  checkProgram,
  checkQpdf,
  checkSettings,
} from './machine.ts';
import { checkPort } from './port.ts';
import { checkQueue } from './queue.ts';
import { checkRetention } from './retention.ts';
import { checkAuditKey, checkSeals } from './seals.ts';
import { checkSignIn } from './sign-in.ts';
import { checkSigning } from './signers.ts';
import { checkClock, checkDatabase, checkFiles, checkSecrets } from './storage.ts';
import { checkFonts, checkWords } from './typefaces.ts';

export type { Finding } from './finding.ts';

/** In the order of the output: what others need comes first. */
const CHECKS: readonly Check[] = [
  { name: 'settings', askedBy: 'start', examine: checkSettings },
  { name: 'program', askedBy: 'start', examine: checkProgram },
  { name: 'descriptors', askedBy: 'doctor', examine: checkDescriptors },
  { name: 'memory', askedBy: 'doctor', examine: checkMemory },
  { name: 'processors', askedBy: 'doctor', examine: checkProcessors },
  { name: 'port', askedBy: 'start', examine: checkPort },
  { name: 'certificate', askedBy: 'start', examine: checkCertificate },
  { name: 'database', askedBy: 'start', examine: checkDatabase },
  { name: 'clock', askedBy: 'doctor', examine: checkClock },
  { name: 'files', askedBy: 'start', examine: checkFiles },
  { name: 'retention', askedBy: 'start', examine: checkRetention },
  { name: 'disk sync', askedBy: 'doctor', examine: checkDiskSync },
  { name: 'disk space', askedBy: 'doctor', examine: checkDiskSpace },
  { name: 'audit key', askedBy: 'start', examine: checkAuditKey },
  { name: 'audit seals', askedBy: 'doctor', examine: checkSeals },
  { name: 'queue of runs', askedBy: 'start', examine: checkQueue },
  { name: 'link secrets', askedBy: 'start', examine: checkSecrets },
  { name: 'encryption', askedBy: 'start', examine: checkEncryption },
  { name: 'signers', askedBy: 'start', examine: checkSigning },
  { name: 'sign-in', askedBy: 'start', examine: checkSignIn },
  { name: 'fonts', askedBy: 'start', examine: checkFonts },
  { name: 'words', askedBy: 'start', examine: checkWords },
  { name: 'qpdf', askedBy: 'start', examine: checkQpdf },
];

const START_CHECKS = CHECKS.filter(({ askedBy }) => askedBy === 'start');

/** The checks that read no value of a setting, so that a wrong value does not stop them. */
const WITHOUT_VALUES: readonly (() => Verdict)[] = [checkSettings, checkProgram, checkDescriptors];

/** Examines machine and settings; brings the schema of the database up to date, as a start does. */
export async function examineAll(): Promise<readonly Finding[]> {
  const config = readOrFault();
  if (config instanceof ConfigError) return examineWithoutValues(CHECKS, config);
  return examine(CHECKS, new Examination(config, true));
}

/** Examines what a start with the current settings needs, also when some of them are wrong. */
export async function examineCurrentStart(): Promise<readonly Finding[]> {
  const config = readOrFault();
  if (config instanceof ConfigError) return examineWithoutValues(START_CHECKS, config);
  return examineStart(config);
}

function readOrFault(): Config | ConfigError {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** Examines what a start needs; the schema of the database stays as it is. */
export async function examineStart(config: Config): Promise<readonly Finding[]> {
  return examine(START_CHECKS, new Examination(config, false));
}

/**
 * Why a start was refused, with the remedy that the checks name. Storage at fault is not tried again:
 * its disk may hang. Any other fault is looked for among the checks, which cost time only then.
 */
export async function explainRefusal(config: Config, error: ConfigError): Promise<string> {
  const { message } = error;
  if (error instanceof UnusableStorage) return withMend(message, mendOfStorage(error, config));
  const faults = (await examineStart(config)).filter(({ state }) => state === 'fault');
  const same = faults.find(({ detail }) => detail === message);
  if (same !== undefined) return withMend(message, same.mend);
  return [message, ...faults.map(({ detail, mend }) => withMend(detail, mend))].join('\n');
}

async function examine(
  checks: readonly Check[],
  examination: Examination,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    // One after the other, because one of them measures the disk.
    for (const { name, examine: look } of checks) {
      findings.push({ check: name, ...(await look(examination)) });
    }
  } finally {
    await examination.close();
  }
  return findings;
}

/** Reports wrong settings, examines what needs no value of them, and names the other checks as skipped. */
function examineWithoutValues(checks: readonly Check[], error: ConfigError): readonly Finding[] {
  const mend = 'correct it: docs/settings.md has every setting';
  const findings = error.message
    .split('\n')
    .map((detail): Finding => ({ check: 'settings', state: 'fault', detail, mend }));
  for (const { name, examine: look } of checks) {
    const independent = WITHOUT_VALUES.find((one) => one === look);
    const verdict = independent?.() ?? skipped('mend the settings first');
    // The settings are at fault, so that all their names are known is no news.
    if (independent !== checkSettings || verdict.state !== 'ok') {
      findings.push({ check: name, ...verdict });
    }
  }
  return findings;
}
