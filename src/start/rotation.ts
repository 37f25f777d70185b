import { SETTINGS, type Config } from '../settings/config.ts';
import type { Log } from '../log/log.ts';
import { watchFiles } from '../runtime/file-watch.ts';
import { fileVariable, readSettingFiles } from '../settings/setting-files.ts';
import { linkSecrets } from './secrets.ts';
import { weakness } from '../settings/weak-secrets.ts';
import type { DatabaseLogin } from '../store/database/mysql.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The current values of secrets that may change; call these functions at each use. */
export interface LiveSecrets {
  /**
   * Returns the same array until the secrets change. The first call may create them (secrets.ts).
   */
  readonly linkSecrets: () => readonly string[];
  readonly databaseLogin: () => DatabaseLogin;
  readonly oidcClientSecret: () => string;
  stop(): void;
}

/** The secrets that may change while the service runs. */
const ROTATED = [SETTINGS.linkSecrets, SETTINGS.databaseUrl, SETTINGS.oidcClientSecret] as const;

/**
 * Reads secrets from files (`INTAGLIO_…_FILE`) again when a file changes. When a file cannot be
 * used, the secret stays and the log says why.
 */
export function watchSecrets(
  config: Config,
  env: Environment,
  log: Log,
  pollMs?: number,
): LiveSecrets {
  let newLinkSecrets: readonly string[] | null = null;
  let databaseUrl = config.databaseUrl;
  let oidcClientSecret = config.oidcClientSecret ?? '';
  // Returns '' or why the new value is not used.
  const take = (variable: string, text: string): string => {
    switch (variable) {
      case SETTINGS.linkSecrets.variable: {
        const secrets = SETTINGS.linkSecrets.read(text);
        if (secrets === undefined || secrets === null) return NOT_ALLOWED;
        if (secrets.some((secret) => weakness(secret) !== null)) return WEAK;
        newLinkSecrets = secrets;
        return '';
      }
      case SETTINGS.databaseUrl.variable: {
        const url = SETTINGS.databaseUrl.read(text);
        if (url === undefined) return NOT_ALLOWED;
        if (withoutLogin(url) !== withoutLogin(databaseUrl)) return ONLY_LOGIN;
        databaseUrl = url;
        return '';
      }
      default:
        if (weakness(text) !== null) return WEAK;
        oidcClientSecret = text;
        return '';
    }
  };
  const stops = ROTATED.flatMap(({ variable }) => {
    const path = env[fileVariable(variable)];
    if (path === undefined || path === '') return [];
    const reread = (): void => {
      const { env: filled, faults } = readSettingFiles(env, [variable]);
      const fault = faults[0] ?? take(variable, filled[variable] ?? '');
      if (fault === '') log.info({ msg: 'secret changed', variable });
      else log.error({ msg: 'changed secret not used; the former one stays', variable, fault });
    };
    return [watchFiles([path], reread, pollMs)];
  });
  return {
    linkSecrets: () => (newLinkSecrets ??= linkSecrets(config)),
    databaseLogin: () => loginOf(databaseUrl),
    oidcClientSecret: () => oidcClientSecret,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

const NOT_ALLOWED = 'its value is not allowed';
const WEAK = 'it is blank or repeats one character';
const ONLY_LOGIN = 'only its user and password may change';

function loginOf(databaseUrl: string): DatabaseLogin {
  if (!databaseUrl.startsWith('mysql:')) return { user: '', password: '' };
  const { username, password } = new URL(databaseUrl);
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** The URL without user and password. */
function withoutLogin(databaseUrl: string): string {
  return databaseUrl.startsWith('mysql:')
    ? databaseUrl.replace(/^mysql:\/\/[^@/]*@/, 'mysql://')
    : databaseUrl;
}
