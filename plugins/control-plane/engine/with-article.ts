/** Puts `a` or `an` before a title, by its sound: an API key, an MCP server, a user, a SCIM token. */
export function withArticle(title: string): string {
  const soundsLikeVowel = /^(MCP|[AEFHILMNORSX](?![A-Za-z])|[aeio]|u(?!s[aei]))/i.test(title)
  return `${soundsLikeVowel ? 'an' : 'a'} ${title}`
}
