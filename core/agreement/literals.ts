/**
 * Literals that must match character by character: quoted strings, code, identifiers, paths, addresses and operators.
 */

export interface Split {
  literals: string[]
  /** The text without its literals. */
  rest: string
}

/**
 * Each pattern takes time linear in the length of the text: a match begins only where no character of the same kind
 * precedes it.
 */
const patterns: readonly RegExp[] = [
  // Code.
  /```[^\n`]*\n([\s\S]*?)```/g,
  /``([^\n]+?)``|`([^`\n]+)`/g,
  // Quoted strings. A single quote can be an apostrophe.
  /"([^"\n]{1,500})"|“([^“”\n]{1,500})”|„([^„“”\n]{1,500})[“”]|«([^«»\n]{1,500})»|「([^「」\n]{1,500})」|『([^『』\n]{1,500})』/g,
  /(?<=^|[\s([{:,])['‘]([^'’\n]{1,200})['’](?=$|[\s)\]},.:;!?])/gm,
  // Addresses, paths and names of files.
  /(?<![a-z\d+.-])[a-z][a-z\d+.-]{0,20}:\/\/[^\s<>"')\]]{1,2000}(?<![.,;:!?])/gi,
  /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g,
  /(?<![\w/.~])(?:~|\.{1,2})?(?:\/[\w.@%+-]+)+\/?|(?<![\w.@%+/-])[\w.@%+-]+(?:\/[\w.@%+-]+)+\.\w+\b/g,
  /(?<![\w.-])\.?[A-Za-z][\w-]*(?:\.[A-Za-z_][\w-]+)+|(?<![\w.-])\.[A-Za-z][\w-]+/g,
  // Flags, variables, mentions, and numbers in hexadecimal.
  /(?<![\w-])--?[A-Za-z][\w-]*(?:=\S+)?/g,
  /(?<!\w)[$@#%][A-Za-z_]\w*|\b0[xX][\dA-Fa-f]+\b/g,
  // Identifiers: with underscores, digits among letters, or signs.
  /\b[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}\b/g,
  /\b(?=\w*_)\w*[A-Za-z]\w*\b/g,
  /\b[A-Za-z]+[-.]?\d\w*(?:[-.]\w+)*\b|\b\d+[A-Za-z]+\d\w*\b/g,
  /\b[A-Za-z](?:\+\+|#)(?!\w)/g,
  // Operators.
  /(?<=[\w)\]][ \t]{0,9})(?:[=!<>]=+>?|[-=]>|<-|&&|\|\||\+\+|<<|>>|[=<>^~*+])(?=[\w\s([-])/g,
]

/** @param text with normalised characters */
export function splitLiterals(text: string): Split {
  const literals: { at: number; text: string }[] = []
  let rest = text
  for (const pattern of patterns)
    rest = rest.replace(pattern, (...found: unknown[]) => {
      const whole = String(found[0])
      const groups = found.slice(1, -2)
      const inner = groups.find((group): group is string => typeof group === 'string') ?? whole
      literals.push({ at: Number(found.at(-2)), text: canonical(inner, inner !== whole) })
      // Literals are replaced by the same number of characters, so positions in the text are unchanged.
      return whole.replace(/[^\n]/g, ' ')
    })
  return { literals: literals.sort((one, other) => one.at - other.at).map((literal) => literal.text), rest }
}

/**
 * Normalises identifiers with digits, which are written in either case and with or without hyphens: `GPT-4`, `gpt4`.
 */
function canonical(text: string, isQuoted: boolean): string {
  const plain = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<=\w)[.,]$/, '')
  return !isQuoted && /^[A-Za-z]+-?\d+$/.test(plain) ? plain.toLowerCase().replace('-', '') : plain
}
