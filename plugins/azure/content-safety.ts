/**
 * `azure.contentSafety`: harm categories by severity, and the resource's own blocklists.
 * Reference: https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text A text may have 10,000
 * characters; a longer text is judged in pieces, in parallel.
 * Errors: Error for an answer that does not judge every category; those of service.ts and split-text.ts.
 */
import type { Check, Json, JsonObject } from '@gateway/contract'
import { type Filled, objectsIn, scope, textOrNull } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { apiVersion, common } from './shared/parameters.ts'
import { createPost } from './shared/service.ts'
import { piecesOf } from './shared/split-text.ts'

const harms = ['Hate', 'SelfHarm', 'Sexual', 'Violence'] as const

const parameters = Type.Object(
  {
    categories: Type.Optional(
      Type.Array(Type.Unsafe<(typeof harms)[number]>({ type: 'string', enum: harms }), {
        minItems: 1,
        uniqueItems: true,
        default: [...harms],
        description: 'The harms that are looked for.',
      }),
    ),
    severity: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 6,
        default: 2,
        description: 'The severity from which a text fails: 2 low, 4 medium, 6 high.',
      }),
    ),
    blocklistNames: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        description: 'Blocklists of the resource; a text that one of them matches fails.',
      }),
    ),
    scope,
    apiVersion: Type.Optional(apiVersion('2024-09-01')),
    ...common,
  },
  { additionalProperties: false },
)

const maxChars = 10_000

export const contentSafety: Check<
  Filled<typeof parameters, 'categories' | 'severity' | 'blocklistNames' | 'scope' | 'apiVersion' | 'timeout'>
> = {
  id: 'contentSafety',
  title: 'Azure content safety',
  description:
    'Fails when the text is harmful at the severity or above it, or a blocklist matches. Texts beyond 200,000 ' +
    'characters are an error. Only the text is sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ categories, severity, blocklistNames, scope, ...own }, settings) {
    const post = createPost('contentSafety', own, settings)
    return {
      async run(input, io) {
        const text = scope === 'last' ? input.lastText : input.text
        if (text.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
        const answers = await Promise.all(
          piecesOf(text, maxChars).map((piece) =>
            post(
              '/contentsafety/text:analyze',
              { text: piece, categories: [...categories], blocklistNames, outputType: 'FourSeverityLevels' },
              io,
            ),
          ),
        )
        const found = categories.map((category) => ({
          category,
          severity: Math.max(...answers.map((answer) => severityOf(answer, category))),
        }))
        const blocklists = answers.flatMap(({ blocklistsMatch }) => matchesOf(blocklistsMatch))
        const isHarmful = found.some((harm) => harm.severity >= severity)
        return {
          verdict: !isHarmful && blocklists.length === 0,
          data: { categories: found, blocklists },
        }
      },
    }
  },
}

function severityOf({ categoriesAnalysis }: JsonObject, category: string): number {
  const judged = objectsIn(categoriesAnalysis).find((analysis) => analysis.category === category)
  if (typeof judged?.severity !== 'number') throw new Error(`Azure did not judge the category ${category}`)
  return judged.severity
}

/** The lists and items that matched. The items' texts are left out, because the prompt contains them. */
function matchesOf(matches: Json | undefined): JsonObject[] {
  return objectsIn(matches).map(({ blocklistName, blocklistItemId }) => ({
    blocklistName: textOrNull(blocklistName),
    blocklistItemId: textOrNull(blocklistItemId),
  }))
}
