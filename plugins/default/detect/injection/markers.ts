/** Delimiters of turns and roles in the prompts of models: in a text, they indicate an attempt to leave the turn. */
import type { Hit } from './hit.ts'

interface Marker {
  id: string
  weight: number
  signs: readonly string[]
  /** Matches only at the beginning of a line. */
  isLine?: boolean
}

/** In lower case; matching ignores case. */
const markers: readonly Marker[] = [
  {
    id: 'delimiter.role_token',
    weight: 0.7,
    signs: [
      '<|im_start|>',
      '<|im_end|>',
      '<|system|>',
      '<|assistant|>',
      '<|user|>',
      '<|endoftext|>',
      '<|eot_id|>',
      '<|start_header_id|>',
      '<|begin_of_text|>',
      '<|end_of_turn|>',
      '<|start|>',
      '<|message|>',
      '<|channel|>',
    ],
  },
  {
    id: 'delimiter.role_token',
    weight: 0.7,
    signs: ['<start_of_turn>', '<end_of_turn>', '<<sys>>', '<</sys>>'],
  },
  { id: 'delimiter.role_token', weight: 0.6, signs: ['[inst]', '[/inst]', '[system]', '[/system]'] },
  {
    id: 'delimiter.system_tag',
    weight: 0.5,
    signs: ['<system>', '</system>', '<system_prompt>', '</user_input>'],
  },
  {
    id: 'delimiter.fake_turn',
    weight: 0.5,
    isLine: true,
    signs: ['### system', '## system:', '### instruction', '# system prompt', '[system message]'],
  },
  { id: 'delimiter.fake_turn', weight: 0.35, isLine: true, signs: ['system:', 'system message:'] },
  { id: 'delimiter.fake_turn', weight: 0.3, isLine: true, signs: ['human:', 'assistant:'] },
  {
    id: 'delimiter.role_json',
    weight: 0.45,
    signs: ['"role":"system"', '"role": "system"', '"role":"developer"', '"role": "developer"'],
  },
]

/** Delimiters that may occur anywhere begin with one of these characters and have few continuations. */
const anchored = ['<', '[', '"'].map((anchor) => {
  const own = markers.filter(
    ({ signs, isLine }) => isLine !== true && signs.some((sign) => sign.startsWith(anchor)),
  )
  const seconds = own.flatMap(({ signs }) => signs.map((sign) => sign[1] ?? ''))
  return {
    anchor,
    markers: own,
    seconds: new Set(seconds.flatMap((letter) => [letter, letter.toUpperCase()])),
  }
})
const lineMarkers = markers.filter(({ isLine }) => isLine === true)
const longestSign = 24

/** The most hits for the same delimiter in sequence. */
const mostHits = 20

export function findMarkers(text: string): Hit[] {
  const hits: Hit[] = []
  for (const { anchor, markers: own, seconds } of anchored)
    for (let at = text.indexOf(anchor); at >= 0 && hits.length < mostHits; at = text.indexOf(anchor, at + 1))
      if (seconds.has(text.charAt(at + 1))) addAt(text, at, { candidates: own, hits })
  for (let at = 0; at >= 0 && hits.length < 2 * mostHits; ) {
    let start = at
    while (text[start] === ' ' || text[start] === '\t' || text[start] === '*') start++
    const letter = text.charCodeAt(start)
    // All of them begin with a Markdown character, a bracket or one of three letters.
    if (lineStarts.has(letter)) addAt(text, start, { candidates: lineMarkers, hits })
    const next = text.indexOf('\n', start)
    at = next < 0 ? -1 : next + 1
  }
  return [...hits, ...findLeakyImages(text)]
}

const lineStarts = new Set([...'#sSaAhH['].map((letter) => letter.charCodeAt(0)))

function addAt(
  text: string,
  start: number,
  { candidates, hits }: { candidates: readonly Marker[]; hits: Hit[] },
): void {
  const written = text.slice(start, start + longestSign).toLowerCase()
  for (const { id, weight, signs } of candidates) {
    const sign = signs.find((candidate) => written.startsWith(candidate))
    if (sign !== undefined) hits.push({ id, weight, start, end: start + sign.length })
  }
}

const longestImage = 500

/** An image whose URL has a gap for data: displaying it sends the data away. */
function findLeakyImages(text: string): Hit[] {
  const hits: Hit[] = []
  for (
    let start = text.indexOf('![');
    start >= 0 && hits.length < mostHits;
    start = text.indexOf('![', start + 2)
  ) {
    const image = /^!\[[^\]\n]{0,100}\]\(https?:\/\/[^\s)]{1,200}\?[^\s)]{0,150}[[{<]/.exec(
      text.slice(start, start + longestImage),
    )
    if (image !== null)
      hits.push({ id: 'tools.leaky_image', weight: 0.5, start, end: start + image[0].length })
  }
  return hits
}
