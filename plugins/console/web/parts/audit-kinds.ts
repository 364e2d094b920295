/** Converts kinds of objects in the audit log to the words of the console's pages, and back. */

/** Kinds whose words cannot be derived from their names. */
const words: Readonly<Record<string, string>> = {
  policy_usage_limits: 'usage policy',
  policy_rate_limits: 'rate limit',
  policy_usage_limits_entity: 'group of a usage policy',
  usage_limit_entity: 'group of a usage policy',
  'log-export': 'export',
  'prompt-partial': 'partial',
  'prompt-partial-version': 'partial version',
  'workspace-user': 'workspace member',
  totp: 'second factor',
}

const capitals = /\b(?:ai|api|jwt|mcp|scim)\b/g

export const kindText = (kind: string): string =>
  words[kind] ?? kind.replaceAll(/[-_.]/g, ' ').replaceAll(capitals, (word) => word.toUpperCase())

/** @param text a kind as the API or as a page writes it */
export function kindOf(text: string): string {
  const known = Object.entries(words).find(([, word]) => word === text.toLowerCase())
  return known?.[0] ?? text.replaceAll(' ', '-').toLowerCase()
}
