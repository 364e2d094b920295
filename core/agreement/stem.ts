/** Removes the most common English endings of a word, so that one form represents all forms. Not for display. */
export function stemOf(word: string): string {
  if (word.length <= 3) return word
  const plain = withoutPlural(word)
  for (const ending of ['ing', 'ed', 'er', 'est', 'ly', 'or', 'ion'])
    if (plain.endsWith(ending) && plain.length - ending.length >= 3)
      return withoutSilent(plain.slice(0, -ending.length))
  return withoutSilent(plain)
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !/[suí]s$/.test(word) ? word.slice(0, -1) : word
}

/** Reduces `stopped` and `stop`, `enabling` and `enable`, `carried` and `carry` to one form. */
function withoutSilent(word: string): string {
  if (word.length < 4) return word
  if (/([bdgklmnprt])\1$/.test(word)) return word.slice(0, -1)
  return word.replace(/[ei]$/, '').replace(/y$/, '')
}

/** Makes the singular and the plural of a noun one word. */
export const singular = (word: string): string => (word.length > 3 ? withoutPlural(word) : word)
