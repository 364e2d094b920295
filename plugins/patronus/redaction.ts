/** Evaluators that locate their findings, so that they can be redacted. */
import type { Check, TextPart } from '@gateway/contract'
import { type Change, type Filled, isStreaming, replaceTexts } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { createEvaluate } from './evaluate.ts'
import { common } from './parameters.ts'

const parameters = Type.Object(
  {
    redact: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Replaces findings with [REDACTED], and passes.',
      }),
    ),
    ...common,
  },
  { additionalProperties: false },
)

type Parameters = Filled<typeof parameters, 'redact' | 'timeout'>

/** Creates a check that fails when the evaluator finds something, or redacts it. */
export function createRedaction(
  evaluator: string,
  { title, what }: { title: string; what: string },
): Check<Parameters> {
  return {
    id: evaluator,
    title,
    description:
      `Fails when the answer contains ${what}. With redact, findings that the vendor locates are replaced instead. ` +
      'Only the answer’s texts are sent to the vendor.',
    kind: 'guardrail',
    phases: ['after'],
    parameters,
    prepare({ redact, ...own }, settings) {
      const evaluate = createEvaluate(own, settings)
      return {
        transforms: redact,
        async run(input, io) {
          const { text, parts } = input
          if (text.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
          const { isPassed, positions } = await evaluate({ evaluator }, { output: text }, io)
          const data = { found: isPassed ? 0 : Math.max(1, positions.length) }
          if (isPassed || !redact || isStreaming(input)) return { verdict: isPassed, data }
          return replaceTexts(withoutSpans(parts, unitsOf(text, positions)), data)
        },
      }
    },
  }
}

type Span = [start: number, end: number]

/** Converts offsets from code points to UTF-16 units. */
function unitsOf(text: string, positions: readonly Span[]): Span[] {
  const starts: number[] = []
  let unit = 0
  for (const character of text) {
    starts.push(unit)
    unit += character.length
  }
  const at = (point: number) => starts[Math.max(0, Math.floor(point))] ?? text.length
  return positions.map(([start, end]) => [at(start), at(end)])
}

/** The texts that a span overlaps. Spans refer to all texts joined with newlines. */
function withoutSpans(parts: readonly TextPart[], spans: readonly Span[]): Change[] {
  const changes: Change[] = []
  let offset = 0
  for (const { path, text } of parts) {
    const own = spans
      .map(([start, end]): Span => [Math.max(0, start - offset), Math.min(text.length, end - offset)])
      .filter(([start, end]) => start < end)
    if (own.length > 0) changes.push({ path, before: text, after: redacted(text, own) })
    offset += text.length + 1
  }
  return changes
}

function redacted(text: string, spans: readonly Span[]): string {
  let result = ''
  let from = 0
  for (const [start, end] of [...spans].sort(([left], [right]) => left - right)) {
    if (start >= from) result += `${text.slice(from, start)}[REDACTED]`
    from = Math.max(from, end)
  }
  return result + text.slice(from)
}
