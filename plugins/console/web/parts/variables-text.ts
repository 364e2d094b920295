/**
 * Converts the JSON Schema of a prompt's variables to rows of fields, and back. Members without a field are preserved.
 */
import type { Row } from '../api.ts'
import { rowOf } from '../json.ts'

export interface Variable {
  name: string
  /** `enum`: one of the choices; empty: any value, or a type that only the schema can express. */
  type: string
  isRequired: boolean
  description: string
  /** One choice per line. */
  choices: string
  /** Further members of its schema. */
  rest: Row
}

export const variableTypes = [
  ['string', 'Text'],
  ['number', 'Number'],
  ['integer', 'Whole number'],
  ['boolean', 'Yes or no'],
  ['enum', 'One of'],
  ['array', 'List'],
  ['object', 'Object'],
  ['', 'Any'],
] as const

const known: readonly unknown[] = variableTypes.map(([type]) => type)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

export const newVariable = (name = ''): Variable => ({
  name,
  type: 'string',
  isRequired: true,
  description: '',
  choices: '',
  rest: {},
})

/** Null if the text is not a JSON object. */
export function schemaOfText(text: string): Row | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? rowOf(value) : null
  } catch {
    return null
  }
}

function variableOf(name: string, schema: Row, isRequired: boolean): Variable {
  const { type, enum: choices, description, ...others } = schema
  const isChoice = isTexts(choices)
  const isKnown = typeof type === 'string' && known.includes(type)
  return {
    name,
    type: isChoice ? 'enum' : isKnown ? type : '',
    isRequired,
    description: typeof description === 'string' ? description : '',
    choices: isChoice ? choices.join('\n') : '',
    rest: {
      ...(type !== undefined && (isChoice || !isKnown) ? { type } : {}),
      ...(choices !== undefined && !isChoice ? { enum: choices } : {}),
      ...others,
    },
  }
}

export function variablesOf(schema: Row): Variable[] {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(rowOf(schema.properties)).map(([name, one]) =>
    variableOf(name, rowOf(one), required.includes(name)),
  )
}

function schemaOf({ type, description, choices, rest }: Variable): Row {
  const { type: other, ...members } = rest
  const lines = choices.split('\n').filter((line) => line.trim() !== '')
  return {
    ...(type === 'enum'
      ? { ...(other === undefined ? {} : { type: other }), enum: lines }
      : type === ''
        ? other === undefined
          ? {}
          : { type: other }
        : { type }),
    ...(description === '' ? {} : { description }),
    ...members,
  }
}

/** @param schema the schema to change, whose other members are preserved. Without variables it may be empty. */
export function textOfVariables(schema: Row, variables: readonly Variable[]): string {
  const { type: _type, properties: _properties, required: _required, ...others } = schema
  const named = variables.filter(({ name }) => name !== '')
  if (named.length === 0 && Object.keys(others).length === 0) return ''
  const required = named.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return JSON.stringify(
    {
      type: 'object',
      properties: Object.fromEntries(named.map((one) => [one.name, schemaOf(one)])),
      ...(required.length === 0 ? {} : { required }),
      ...others,
    },
    null,
    2,
  )
}

/** The names that a template uses at its top level, in order. */
export const namesInTemplate = (template: string): string[] => [
  ...new Set([...template.matchAll(/\{\{[{#^&]?\s*([A-Za-z_]\w*)/g)].map(([, name = '']) => name)),
]
