/** Derives the fields of a form from the JSON Schema of an object, such as a provider's credential. */
import type { Json, Row } from '../api.ts'
import { rowOf, textsOf } from '../json.ts'

export interface SchemaField {
  name: string
  label: string
  kind: 'text' | 'secret' | 'json' | 'choice'
  /** The options of a choice. */
  options: readonly string[]
  hint: string | undefined
}

/** Words with another spelling in a label than in a name. */
const spelt: Readonly<Record<string, string>> = {
  api: 'API',
  arn: 'ARN',
  aws: 'AWS',
  azure: 'Azure',
  id: 'ID',
  json: 'JSON',
  oci: 'OCI',
  s3: 'S3',
  uri: 'URI',
  url: 'URL',
  vertex: 'Vertex',
}

/** Formats `aws_region` as "AWS region". */
function labelOf(name: string): string {
  const words = name.split('_').map((word) => (Object.hasOwn(spelt, word) ? spelt[word] : word))
  const label = words.join(' ')
  return label.charAt(0).toUpperCase() + label.slice(1)
}

const isSecret = (name: string) => /secret|token$|password|private_key|passphrase/.test(name)

function fieldOf(name: string, schema: Row, isRequired: boolean): SchemaField {
  const { description, type, enum: values, anyOf } = schema
  const options = values === undefined && type === 'boolean' ? ['true', 'false'] : textsOf(values)
  const isText = type === 'string' || (type === undefined && anyOf === undefined)
  const kind =
    options.length > 0
      ? 'choice'
      : name.endsWith('_json') || !isText
        ? 'json'
        : isSecret(name)
          ? 'secret'
          : 'text'
  const shown = [
    ...(typeof description === 'string' ? [description] : []),
    ...(isRequired ? ['Required.'] : []),
    ...(kind === 'json' ? [`As JSON${exampleOf(schema)}.`] : []),
  ]
  return {
    name,
    label: labelOf(name),
    kind,
    options,
    hint: shown.length === 0 ? undefined : shown.join(' '),
  }
}

/** An example of a list of objects: one object with its members. */
function exampleOf({ items }: Row): string {
  const members = Object.keys(rowOf(rowOf(items).properties))
  return members.length === 0 ? '' : `: [{${members.map((one) => `"${one}": …`).join(', ')}}]`
}

export function fieldsOf(schema: unknown): readonly SchemaField[] {
  const { properties, required } = rowOf(schema)
  const needed = new Set(textsOf(required))
  return Object.entries(rowOf(properties)).map(([name, member]) =>
    fieldOf(name, rowOf(member), needed.has(name)),
  )
}

/** Converts a field's text to its value. Errors: `SyntaxError` if it is not valid JSON. */
export function valueOfText({ kind, options }: SchemaField, text: string): Json {
  const isYesNo = kind === 'choice' && options.join() === 'true,false'
  return kind === 'json' || isYesNo ? JSON.parse(text) : text
}
