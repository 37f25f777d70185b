import { callJson, path, query } from '../api/client.ts';
import type { CreateUserRequest, Role, User, UserList } from '../api/types.ts';

/** Users on a page of the list. */
const LIMIT = 50;

export type UserAction = 'deactivate' | 'reactivate' | 'sign-out';

export async function listUsers(
  after: string | null,
  signal: AbortSignal,
): Promise<{ items: readonly User[]; next: string | null }> {
  const asked = query({ after, limit: LIMIT });
  const page = await callJson<UserList>(`/v1/users${asked}`, { signal });
  return { items: page.users, next: page.next };
}

export function createUser(user: CreateUserRequest): Promise<User> {
  return callJson<User>('/v1/users', { method: 'POST', body: user });
}

/** Refused with 412 if the user's role is not `was` any more: another Admin changed it. */
export function setRole(userId: string, role: Role, was: Role): Promise<User> {
  const body = { role, was };
  return callJson<User>(path`/v1/users/${userId}/role`, { method: 'POST', body });
}

export function actOnUser(userId: string, action: UserAction): Promise<User> {
  return callJson<User>(path`/v1/users/${userId}/${action}`, { method: 'POST', body: {} });
}
