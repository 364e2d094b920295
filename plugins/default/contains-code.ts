/** `default.containsCode`: an answer contains a block of code in a language. */
import { type Check, compilePattern } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { type CodeFormat, type CodeFormatName, codeFormats } from './shared/code-formats.ts'
import { type FencedBlock, fencedBlocks } from './shared/fenced-blocks.ts'
import { type Filled, not } from './shared/parameters.ts'
import { choiceContents } from './shared/parts.ts'

const parameters = Type.Object(
  {
    format: Type.Unsafe<CodeFormatName>({
      type: 'string',
      enum: Object.keys(codeFormats),
      description: 'The language.',
    }),
    not,
  },
  { additionalProperties: false },
)

/** Labels that name no language. */
const noLanguage = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'code', 'output', 'none'])
/** The maximum length that is examined of a block without a label. */
const maxSignChars = 8192
/** The most blocks that are reported. */
const maxReported = 10

export const containsCode: Check<Filled<typeof parameters>> = {
  id: 'containsCode',
  title: 'Contains code',
  description:
    'Passes when a choice of the answer has a fenced block of code (```) in the language. The label after the fence ' +
    'names the language; a block without one is recognised by a small set of rules, which can be wrong. Code outside ' +
    'of fenced blocks is not checked.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ format, not }) {
    const isCode = createDetector(codeFormats[format], format === 'JSON')
    return {
      run(input) {
        const found = choiceContents(input)
          .flat()
          .flatMap(({ path, text }) =>
            fencedBlocks(text)
              .filter(isCode)
              .map(({ start, label }) => ({ path, start, by: noLanguage.has(label) ? 'signs' : 'label' })),
          )
        return { verdict: found.length > 0 !== not, data: { found: found.slice(0, maxReported) } }
      },
    }
  },
}

function createDetector(format: CodeFormat, isJson: boolean): (block: FencedBlock) => boolean {
  const labels = new Set(format.labels)
  const signs = format.signs.map(compilePattern)
  const others = (format.others ?? []).map(compilePattern)
  return ({ label, text }) => {
    if (text.trim() === '') return false
    if (!noLanguage.has(label)) return labels.has(label)
    if (isJson) return isJsonText(text)
    const beginning = text.slice(0, maxSignChars)
    return signs.some((sign) => sign.test(beginning)) && !others.some((other) => other.test(beginning))
  }
}

/** An object or a list; a number or a word alone is not code. */
function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
