/** `default.modelRules`: which models a request may name depends on its metadata. */
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
            description: 'The models of a request to which no rule of its metadata applies.',
          }),
        ),
        metadata: Type.Optional(
          Type.Record(Type.String(), Type.Record(Type.String(), models), {
            description: 'By metadata key, and by its value letter for letter, the models of such requests.',
          }),
        ),
      },
      {
        additionalProperties: false,
        description:
          'defaults: [model], and metadata: {key: {value: [model]}}. Where several rules of metadata apply, their models ' +
          `count together, and the defaults do not. Model names are ${modelListSyntax}`,
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
    'Passes when the model of the request is among those that the rules name for its metadata, else among the ' +
    'defaults; with not, when it is not. Where neither names a model, none is allowed.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ rules: { defaults = [], metadata = {} }, not }) {
    const rules = Object.entries(metadata).flatMap(([key, byValue]) =>
      Object.entries(byValue).map(([value, models]): Rule => ({ key, value, models })),
    )
    if (rules.length === 0 && defaults.length === 0) throw new Error('rules name no model')
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
