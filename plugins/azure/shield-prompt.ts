/**
 * `azure.shieldPrompt`: detects attacks in user messages (jailbreaks) and in the output of tools and documents.
 * Reference: https://learn.microsoft.com/rest/api/contentsafety/text-operations/shield-prompt,
 * https://learn.microsoft.com/azure/ai-services/content-safety/overview (limits) One call accepts a prompt of 10,000
 * characters, and five documents with 10,000 in total; longer input is split into parallel calls. System and developer
 * messages are not checked, because instructions look like attacks.
 * Errors: Error for an answer that does not judge all sent texts; those of service.ts and split-text.ts.
 */
import { type Check, type CheckInput, isObject, type Json, type JsonObject } from '@gateway/contract'
import { type Filled, scope } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { apiVersion, common } from './shared/parameters.ts'
import { createPost } from './shared/service.ts'
import { piecesOf } from './shared/split-text.ts'

const parameters = Type.Object(
  { scope, apiVersion: Type.Optional(apiVersion('2024-09-01')), ...common },
  { additionalProperties: false },
)

const maxChars = 10_000

export const shieldPrompt: Check<Filled<typeof parameters, 'scope' | 'apiVersion' | 'timeout'>> = {
  id: 'shieldPrompt',
  title: 'Azure prompt shields',
  description:
    'Fails when the prompt or a document is an attack. Texts of tools and documents count as documents, those of ' +
    'system and developer messages are not checked. Texts beyond 200,000 characters are an error. ' +
    'Only the texts are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ scope, ...own }, settings) {
    const post = createPost('contentSafety', own, settings)
    return {
      async run(input, io) {
        const bodies = bodiesOf(input, scope === 'last')
        if (bodies.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const found = await Promise.all(
          bodies.map(async (body) =>
            attacksIn(await post('/contentsafety/text:shieldPrompt', body, io), body),
          ),
        )
        const data = {
          userPrompt: found.some(({ prompt }) => prompt),
          documents: found.some(({ documents }) => documents),
        }
        return { verdict: !data.userPrompt && !data.documents, data }
      },
    }
  },
}

type Body = { userPrompt?: string; documents?: string[] }

const trusted: ReadonlySet<string> = new Set(['system', 'developer'])
const foreign: ReadonlySet<string> = new Set(['tool', 'tool_definition', 'function', 'document'])

/** One call for each piece of the prompt, and one for each piece of the documents' text: a piece fills a call. */
function bodiesOf({ parts, lastParts }: CheckInput, isLast: boolean): Body[] {
  const textOf = (has: (role: string) => boolean) =>
    (isLast ? lastParts : parts)
      .filter(({ role }) => has(role))
      .map(({ text }) => text)
      .join('\n')
  const cut = (text: string) => (text.trim() === '' ? [] : piecesOf(text, maxChars))
  const prompts = cut(textOf((role) => !trusted.has(role) && !foreign.has(role)))
  const documents = cut(textOf((role) => foreign.has(role)))
  return Array.from({ length: Math.max(prompts.length, documents.length) }, (_, index) => {
    const [userPrompt, document] = [prompts[index], documents[index]]
    return {
      ...(userPrompt === undefined ? {} : { userPrompt }),
      ...(document === undefined ? {} : { documents: [document] }),
    }
  })
}

function attacksIn(answer: JsonObject, body: Body): { prompt: boolean; documents: boolean } {
  const { userPromptAnalysis, documentsAnalysis } = answer
  const documents = Array.isArray(documentsAnalysis) ? documentsAnalysis : []
  if (documents.length < (body.documents?.length ?? 0)) throw unread()
  return {
    prompt: body.userPrompt !== undefined && isAttack(userPromptAnalysis),
    documents: body.documents !== undefined && documents.map(isAttack).includes(true),
  }
}

function isAttack(analysis: Json | undefined): boolean {
  if (!isObject(analysis) || typeof analysis.attackDetected !== 'boolean') throw unread()
  return analysis.attackDetected
}

const unread = () => new Error('Azure did not judge all that was sent')
