/** `default.modelWhitelist`: the request names a model of a list, or with `not` none of it. */
import type { Check, Json } from '@gateway/core/contract'
import { Type } from '@sinclair/typebox'
import { type Filled, not } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    models: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description:
        'Model names, compared letter for letter. A * at the end stands for any rest: "gpt-4o*". A model written ' +
        '"@slug/model" is on the list when the list has it so, or has its name without the slug.',
    }),
    not,
  },
  { additionalProperties: false },
)

export const modelWhitelist: Check<Filled<typeof parameters>> = {
  id: 'modelWhitelist',
  title: 'Model whitelist',
  description: 'Passes when the model of the request is on the list; with not, when it is not.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ models, not }) {
    const names = new Set(models.filter((model) => !model.endsWith('*')))
    const prefixes = models.filter((model) => model.endsWith('*')).map((model) => model.slice(0, -1))
    const isListed = (name: string) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
    return {
      run(input) {
        const listed = spellings(input.request.json.model).some(isListed)
        return { verdict: listed !== not, data: { path: '/model', listed } }
      },
    }
  },
}

/** A model's name as it is written, and without the slug of a stored credential. */
function spellings(model: Json | undefined): string[] {
  if (typeof model !== 'string') return []
  const slash = model.indexOf('/')
  return model.startsWith('@') && slash > 0 ? [model, model.slice(slash + 1)] : [model]
}
