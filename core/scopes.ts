/** The scopes of this build: what a key may be given. Spellings with `:` or `-` are the same ones. */

export const scopes: readonly string[] = ['completions.write', 'models.list']

/** The scope in its own spelling; null when there is no such scope. `*` holds every one. */
export function normaliseScope(written: string): string | null {
  const scope = written.trim().replaceAll(':', '.').replaceAll('-', '_')
  return scope === '*' || scopes.includes(scope) ? scope : null
}
