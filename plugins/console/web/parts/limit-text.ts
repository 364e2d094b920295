/** The owner of a limit in words, as errors and decisions name it: `policies/rate-limits/ID`, `api-keys/ID`. */

const owners: readonly (readonly [prefix: string, words: string])[] = [
  ['policies/usage-limits/', 'usage policy '],
  ['policies/rate-limits/', 'rate limit '],
  ['api-keys/', 'limit of the key '],
  ['workspaces/', 'limit of the workspace '],
  ['providers/', 'limit of the provider '],
  ['integrations/', 'limit of the integration '],
]

/** @param param with a name or an id at its end */
export function limitText(param: string): string {
  const [prefix = '', words = 'limit '] = owners.find(([start]) => param.startsWith(start)) ?? []
  return `${words}${param.slice(prefix.length)}`
}
