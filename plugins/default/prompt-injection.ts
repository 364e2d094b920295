/** `default.promptInjection`: rules that recognise common attempts to override the model's instructions. */
import { type Check, runInTurns, type TextPart, type Turns, type Verdict } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { chunkChars, findInChunks } from './detect/chunks.ts'
import { findInjection } from './detect/injection/find-injection.ts'
import { type Hit, scoreOf } from './detect/injection/hit.ts'
import { type Filled, scope } from './shared/parameters.ts'
import { partsInScope } from './shared/parts.ts'

const parameters = Type.Object(
  {
    threshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.5,
        description:
          'The score from which the check fails. A rule has a weight from 0 to 1; if several match within 2000 ' +
          'characters, the score is the probability that not all of them are wrong. 0 fails on every match.',
      }),
    ),
    scope,
  },
  { additionalProperties: false },
)

/** Written by the application's developer, or by a model. */
const trustedRoles = new Set(['system', 'developer', 'assistant'])
/** The most rules that are reported. */
const maxRules = 20

export const promptInjection: Check<Filled<typeof parameters>> = {
  id: 'promptInjection',
  title: 'Prompt injection (rules)',
  description:
    'Passes when no text looks like an attempt to inject instructions: a set of weighted rules for overriding ' +
    'instructions, role play that removes restrictions, requests for the system prompt, prompt delimiters, encoded or ' +
    'invisible text, and misuse of tools, in English and for the most common phrases in a dozen other languages. ' +
    'It is a rule set, not a model: it recognises common attempts, and new wordings pass. System, developer and assistant ' +
    'messages are not checked; tool results and documents are.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ threshold, scope }) {
    return {
      run(input, io) {
        const parts = partsInScope(input, scope).filter(({ role }) => !trustedRoles.has(role))
        const decide = (judged: readonly Judged[]): Verdict => {
          const score = judged.reduce((most, { hits }) => Math.max(most, scoreOf(hits)), 0)
          const rules = judged.flatMap(({ part, hits }) => describe(part, hits))
          return {
            verdict: score === 0 || score < threshold,
            data: { score: Math.round(score * 100) / 100, threshold, rules: rules.slice(0, maxRules) },
          }
        }
        const judged = runInTurns(judge(parts), io)
        return judged instanceof Promise ? judged.then(decide) : decide(judged)
      },
    }
  },
}

interface Judged {
  part: TextPart
  hits: readonly Hit[]
}

function* judge(parts: readonly TextPart[]): Turns<Judged[]> {
  const all: Judged[] = []
  let charsOfTurn = 0
  for (const part of parts) {
    charsOfTurn += part.text.length
    if (charsOfTurn > chunkChars) {
      yield
      charsOfTurn = part.text.length
    }
    const hits = yield* findInChunks(findInjection, part.text)
    if (hits.length > 0) all.push({ part, hits })
  }
  return all
}

/** The first match of each rule. */
function describe({ path }: TextPart, hits: readonly Hit[]): (Omit<Hit, never> & { path: string })[] {
  const firsts = new Map<string, Hit>()
  for (const hit of hits.toSorted((left, right) => left.start - right.start))
    if (!firsts.has(hit.id)) firsts.set(hit.id, hit)
  return [...firsts.values()].map(({ id, weight, start, end }) => ({ id, weight, path, start, end }))
}
