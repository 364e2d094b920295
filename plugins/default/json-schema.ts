/** `default.jsonSchema`: every choice of an answer contains JSON that is valid under a schema. */
import { type Check, type JsonObject, runInTurns, type Turns, type Verdict } from '@gateway/contract'
import { compileSchema, type Fits, type SchemaFault } from '@gateway/plugin-kit/json-schema'
import { Type } from '@sinclair/typebox'
import { findJson } from './shared/find-json.ts'
import { type Filled, not } from './shared/parameters.ts'
import { choiceTexts } from './shared/parts.ts'

const parameters = Type.Object(
  {
    schema: Type.Unsafe<JsonObject>({
      type: 'object',
      description:
        'A JSON Schema of draft 6, 7, 2019-09 or 2020-12 (without $schema: 2020-12). References must point into ' +
        'it, patterns are RE2 syntax, format is an annotation, and unknown keywords are refused. At most 100,000 ' +
        'characters, 5,000 subschemas and 2,000 references.',
    }),
    not,
  },
  { additionalProperties: false },
)

/** The error of a choice: it has no JSON, or no valid JSON (the error is that of the first). */
type Fault = Omit<SchemaFault, 'path'>
type ChoiceResult = { fits: true } | { fits: false; reason: 'no_json' | 'schema'; fault?: Fault }

export const jsonSchema: Check<Filled<typeof parameters>> = {
  id: 'jsonSchema',
  title: 'JSON Schema',
  description:
    'Passes when every choice is valid JSON under the schema, or has a fenced block of such JSON. ' +
    'A choice that only calls tools fails, because it has no JSON.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ schema, not }) {
    const fits = compileSchema(schema)
    return {
      run: (input, io) => runInTurns(judge(choiceTexts(input), fits, not), io),
    }
  },
}

function* judge(texts: readonly string[], fits: Fits, not: boolean): Turns<Verdict> {
  const choices: ChoiceResult[] = []
  for (const text of texts) choices.push(yield* examine(text, fits))
  const verdict = choices.length > 0 && choices.every((choice) => choice.fits)
  return { verdict: verdict !== not, data: { choices } }
}

function* examine(text: string, fits: Fits): Turns<ChoiceResult> {
  let firstFault: Fault | null = null
  for (const value of findJson(text)) {
    const fault = yield* fits(value)
    if (fault === null) return { fits: true }
    const { keyword, schemaPath, message } = fault
    firstFault ??= { keyword, schemaPath, message }
  }
  return firstFault === null
    ? { fits: false, reason: 'no_json' }
    : { fits: false, reason: 'schema', fault: firstFault }
}
