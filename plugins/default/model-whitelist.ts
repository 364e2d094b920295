/** `default.modelWhitelist`: the request's model is on a list, or with `not` is not. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { createModelList, modelListSyntax } from './shared/models.ts'
import { type Filled, not } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    models: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: `Model names, ${modelListSyntax}`,
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
    const isListed = createModelList(models)
    return {
      run(input) {
        const listed = isListed(input.request.json.model)
        return { verdict: listed !== not, data: { path: '/model', listed } }
      },
    }
  },
}
