/**
 * Estimates the language of a text: first from its script, then, if several languages share it, from small words,
 * letters and endings of a sample. No model, no network; no result if there is too little text.
 */
import { arabic, cyrillic, devanagari, type LanguageProfile, latin, scripts } from './language-profiles.ts'

const profiled = [...latin, ...cyrillic, ...arabic, ...devanagari]
const eastAsian: readonly (readonly [string, string])[] = [
  ['ja', 'jpn'],
  ['zh', 'zho'],
]

/** The two-letter code of each supported language, by both of its codes. */
export const languageCodes: ReadonlyMap<string, string> = new Map(
  [...profiled.map(({ codes }) => codes), ...scripts.map(({ codes }) => codes), ...eastAsian]
    .flatMap(
      ([two, three]) =>
        [
          [two, two],
          [three, two],
        ] as [string, string][],
    )
    .sort(([left], [right]) => left.length - right.length || (left < right ? -1 : 1)),
)

/** The length of the sample of a text: two thirds from its beginning, the rest from its middle. */
export const sampleChars = 600

/** Returns a two-letter code, or null if undecided. */
export function detectLanguage(text: string, chars: number = sampleChars): string | null {
  if (/^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text)) return null
  const sample = sampleOf(text, chars).normalize('NFC').toLowerCase()
  const script = scriptOf(sample)
  if (script === null || typeof script === 'string') return script
  return guess(sample, script)
}

function sampleOf(text: string, chars: number): string {
  if (text.length <= chars) return text
  const beginning = Math.ceil((chars * 2) / 3)
  const middle = Math.floor((beginning + text.length) / 2)
  return `${text.slice(0, beginning)} ${text.slice(middle, middle + chars - beginning)}`
}

/** A letter that represents a syllable or a word counts as several. */
const syllableLetters = 2
const leastLetters = 4

/** The language or the profiles of the script that most letters belong to. */
function scriptOf(sample: string): string | Lexicon | null {
  const counts = { latin: 0, cyrillic: 0, arabic: 0, devanagari: 0, kana: 0, han: 0 }
  const others = new Map<string, number>()
  for (let offset = 0; offset < sample.length; offset += 1) {
    const code = sample.charCodeAt(offset)
    if (code < 0x61) continue
    if (isLatin(code)) counts.latin += 1
    else if (code >= 0x400 && code <= 0x52f) counts.cyrillic += 1
    else if (code >= 0x600 && code <= 0x6ff) counts.arabic += 1
    else if (code >= 0x900 && code <= 0x97f) counts.devanagari += 1
    else if (code >= 0x3041 && code <= 0x30ff) counts.kana += 1
    else if (code >= 0x3400 && code <= 0x9fff) counts.han += 1
    else {
      const script = scripts.find(({ from, to }) => code >= from && code <= to)?.codes[0]
      if (script !== undefined)
        others.set(script, (others.get(script) ?? 0) + (code >= 0xac00 ? syllableLetters : 1))
    }
  }
  const { kana, han } = counts
  const known = lexicons()
  const ranked: [string | Lexicon, number][] = [
    [known.latin, counts.latin],
    [known.cyrillic, counts.cyrillic],
    [known.arabic, counts.arabic],
    [known.devanagari, counts.devanagari],
    // Japanese also uses Chinese characters, but rarely without its own.
    [kana * 10 > han ? 'ja' : 'zh', (kana + han) * syllableLetters],
    ...others,
  ]
  const [script, letters] = ranked.reduce((most, next) => (next[1] > most[1] ? next : most))
  return letters < leastLetters ? null : script
}

const isLatin = (code: number) =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0xdf && code <= 0x24f) || (code >= 0x1ea0 && code <= 0x1ef9)

/** The languages of a script with a feature, and the feature's weight for each. */
interface Evidence {
  languages: readonly number[]
  weight: number
}

/** The profiles of a script, indexed by feature. */
interface Lexicon {
  languages: readonly string[]
  words: ReadonlyMap<string, Evidence>
  letters: ReadonlyMap<string, Evidence>
  endings: ReadonlyMap<string, Evidence>
}

const createLexicons = () => ({
  latin: createLexicon(latin),
  cyrillic: createLexicon(cyrillic),
  arabic: createLexicon(arabic),
  devanagari: createLexicon(devanagari),
})

let created: ReturnType<typeof createLexicons> | undefined

/** Created for the first text, because every start would wait for them. */
function lexicons(): ReturnType<typeof createLexicons> {
  created ??= createLexicons()
  return created
}

function createLexicon(profiles: readonly LanguageProfile[]): Lexicon {
  return {
    languages: profiles.map(({ codes }) => codes[0]),
    words: weigh(
      profiles.map(({ words }) => words.split(' ')),
      1,
    ),
    letters: weigh(
      profiles.map(({ letters = '' }) => [...letters]),
      0.5,
    ),
    endings: weigh(
      profiles.map(({ endings = '' }) => endings.split(' ')),
      0.4,
    ),
  }
}

/** The more languages share a feature, the less it weighs. */
function weigh(lists: readonly (readonly string[])[], weight: number): ReadonlyMap<string, Evidence> {
  const owners = new Map<string, number[]>()
  for (const [language, list] of lists.entries())
    for (const entry of new Set(list))
      if (entry !== '') owners.set(entry, [...(owners.get(entry) ?? []), language])
  return new Map(
    [...owners].map(([entry, languages]) => [entry, { languages, weight: weight / languages.length }]),
  )
}

/** The best score must reach this, lead the next by this factor, and explain this share of the words. */
const leastScore = 1.2
const leastLead = 1.2
const leastShare = 0.1
const longestEnding = 4
/** Common characters that are not letters: a class of all letters would take four times as long. */
const separators = /[\s!-@[-`{-~\u00a1-\u00bf\u060c\u061b\u061f\u06d4\u0964\u2010-\u205e]+/

function guess(sample: string, { languages, words, letters, endings }: Lexicon): string | null {
  const scores = languages.map(() => 0)
  const add = (evidence: Evidence | undefined) => {
    if (evidence === undefined) return
    for (const language of evidence.languages) scores[language] = (scores[language] ?? 0) + evidence.weight
  }
  const found = sample.split(separators).filter((word) => word !== '')
  for (const word of found) {
    const known = words.get(word)
    add(known)
    if (known !== undefined) continue
    for (let length = 2; length <= longestEnding && length + 2 <= word.length; length += 1)
      add(endings.get(word.slice(-length)))
  }
  for (let offset = 0; offset < sample.length; offset += 1)
    if (sample.charCodeAt(offset) >= 0x80) add(letters.get(sample.charAt(offset)))
  const best = Math.max(...scores)
  const next = Math.max(...scores.filter((score) => score < best), 0)
  const isTied = scores.indexOf(best) !== scores.lastIndexOf(best)
  if (isTied || best < Math.max(leastScore, next * leastLead, found.length * leastShare)) return null
  return languages[scores.indexOf(best)] ?? null
}
