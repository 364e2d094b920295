/** Addresses of the console as strings: the root of its pages, and the workspace parameter that they keep. */

export const root = '/console'

/** The parameter with the workspace that all pages are filtered by. */
export const workspaceParameter = 'workspace'

/**
 * Returns an address of the console with the workspace of the current address, unless it names another.
 * @param search the query of the current address
 */
export function inWorkspace(to: string, search: string): string {
  const workspace = new URLSearchParams(search).get(workspaceParameter)
  if (workspace === null || !to.startsWith(root)) return to
  const { pathname, searchParams: query, hash } = new URL(to, 'http://console')
  if (!query.has(workspaceParameter)) query.set(workspaceParameter, workspace)
  return `${pathname}?${query}${hash}`
}
