import { SETTINGS } from '../../settings/config.ts';
import { type ProviderFault, probeProvider } from '../../gateway/callers/oidc.ts';
import type { Examination } from './examination.ts';
import { ok, type Verdict, warning } from './finding.ts';

const { oidcIssuer: ISSUER, oidcClientId: ID, oidcClientSecret: SECRET } = SETTINGS;

/**
 * Checks the OpenID Connect provider and this service's account there. It finds no faults, only
 * warnings: documents are made without anybody signing in.
 */
export async function checkSignIn({ config }: Examination): Promise<Verdict> {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = config;
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) {
    return ok('no provider is set up');
  }
  const found = await probeProvider(oidcIssuer, oidcClientId, oidcClientSecret);
  return found === null ? ok(`${oidcIssuer} knows this service`) : judge(oidcIssuer, found);
}

function judge(issuer: string, { fault, status }: ProviderFault): Verdict {
  const answer = status === undefined ? '' : ` (${status})`;
  switch (fault) {
    case 'client refused':
      return warning(
        `${SECRET.variable}: ${issuer} refuses this service${answer}: nobody can sign in`,
        `correct ${ID.variable} and ${SECRET.variable}, or set them at the provider`,
      );
    case 'unreachable':
      return warning(
        `${ISSUER.variable}: ${issuer} cannot be reached: nobody can sign in`,
        `correct ${ISSUER.variable}, open the way in firewalls, or name the provider's authority in` +
          ' NODE_EXTRA_CA_CERTS',
      );
    case 'slow':
      return warning(
        `${ISSUER.variable}: ${issuer} does not answer in time`,
        'look at the provider, and at proxies and firewalls on the way',
      );
    case 'too large':
    case 'not an answer':
      return warning(
        `${ISSUER.variable}: ${issuer} gives no metadata of OpenID Connect${answer}`,
        `set ${ISSUER.variable} to the issuer in its /.well-known/openid-configuration`,
      );
  }
}
