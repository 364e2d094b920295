/** Addresses of the console, as texts: where its pages begin, and the workspace that they keep. */

export const root = '/console'

/** The parameter of the workspace that all pages are narrowed to. */
export const workspaceParameter = 'workspace'

/**
 * An address of the console, with the workspace of the current one unless it names another.
 * @param search the query of the current address
 */
export function inWorkspace(to: string, search: string): string {
  const workspace = new URLSearchParams(search).get(workspaceParameter)
  if (workspace === null || !to.startsWith(root)) return to
  const { pathname, searchParams: query, hash } = new URL(to, 'http://console')
  if (!query.has(workspaceParameter)) query.set(workspaceParameter, workspace)
  return `${pathname}?${query}${hash}`
}
