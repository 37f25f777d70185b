/** The `code` of an error of Node or a driver, such as ENOENT; '' when it has none. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
