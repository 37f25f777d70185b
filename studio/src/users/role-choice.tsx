import type { Role } from '../api/types.ts';
import { t } from '../i18n/i18n.ts';

const ROLES: readonly Role[] = ['Viewer', 'Editor', 'Admin'];

interface Props {
  readonly role: Role;
  readonly onChange: (role: Role) => void;
}

/** The roles, each with what it may do. */
export function RoleChoice({ role, onChange }: Props) {
  return (
    <fieldset class="field plain">
      <legend class="field-label">{t('users.role')}</legend>
      {ROLES.map((one) => (
        <label class="choice top" key={one}>
          <input
            type="radio"
            name="role"
            value={one}
            checked={one === role}
            onChange={() => onChange(one)}
          />
          <span>
            <strong>{t(`role.${one}`)}</strong>
            <br />
            <span class="small soft regular">{t(`users.may_${one}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
