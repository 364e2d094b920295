/** `default.modelRules`: the models that a request may use, depending on its metadata. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { createModelList, modelListSyntax } from './shared/models.ts'
import { type Filled, not } from './shared/parameters.ts'

const models = Type.Array(Type.String({ minLength: 1 }), { description: `Model names, ${modelListSyntax}` })

const parameters = Type.Object(
  {
    rules: Type.Object(
      {
        defaults: Type.Optional(
          Type.Array(Type.String({ minLength: 1 }), {
            description: 'The allowed models for requests without a matching metadata rule.',
          }),
        ),
        metadata: Type.Optional(
          Type.Record(Type.String(), Type.Record(Type.String(), models), {
            description: 'Allowed models by metadata key and its value (case-sensitive).',
          }),
        ),
      },
      {
        additionalProperties: false,
        description:
          'defaults: [model], and metadata: {key: {value: [model]}}. If several metadata rules match, their models ' +
          `are combined, and the defaults do not apply. Model names are ${modelListSyntax}`,
      },
    ),
    not,
  },
  { additionalProperties: false },
)

interface Rule {
  key: string
  value: string
  models: readonly string[]
}

export const modelRules: Check<Filled<typeof parameters>> = {
  id: 'modelRules',
  title: 'Model rules',
  description:
    'Passes when the model of the request is among those that the rules allow for its metadata, otherwise among the ' +
    'defaults; with not, when it is not. If neither contains a model, none is allowed.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ rules: { defaults = [], metadata = {} }, not }) {
    const rules = Object.entries(metadata).flatMap(([key, byValue]) =>
      Object.entries(byValue).map(([value, models]): Rule => ({ key, value, models })),
    )
    if (rules.length === 0 && defaults.length === 0) throw new Error('rules must contain at least one model')
    const isDefault = createModelList(defaults)
    const lists = rules.map((rule) => ({ ...rule, isListed: createModelList(rule.models) }))
    return {
      run({ metadata, request: { json } }) {
        const applying = lists.filter(
          ({ key, value }) => Object.hasOwn(metadata, key) && metadata[key] === value,
        )
        const listed =
          applying.length === 0
            ? isDefault(json.model)
            : applying.some(({ isListed }) => isListed(json.model))
        const keys = applying.map(({ key }) => key)
        return { verdict: listed !== not, data: { path: '/model', listed, keys } }
      },
    }
  },
}
