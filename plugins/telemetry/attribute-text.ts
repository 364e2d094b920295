/**
 * Attributes as OTLP has them in JSON, written without an object for each: most of their values come again and again, so
 * that their text is made once. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export type AttributeValue = string | number | boolean | readonly string[] | null

/** Gives the text of an attribute with a comma before it; nothing where the value is not known. */
export type WriteAttribute<Of> = (of: Of) => string

/** Texts that are kept of one attribute, and how long a value may be whose text is kept. */
const maxKept = 1000
const maxKeptLength = 100

/** Of text that JSON has as it is. */
const plain = /^[^"\\\p{Cc}\p{Cs}]*$/u

/** An attribute whose values come again. */
export function attribute<Of>(name: string, read: (of: Of) => AttributeValue): WriteAttribute<Of> {
  const kept = new Map<AttributeValue, string>()
  return (of) => {
    const value = read(of)
    if (value === null) return ''
    const known = kept.get(value)
    if (known !== undefined) return known
    const text = attributeText(name, value)
    if (typeof value === 'string' && value.length > maxKeptLength) return text
    if (kept.size >= maxKept) kept.clear()
    kept.set(value, text)
    return text
  }
}

/** An attribute whose values differ from request to request, or are long. */
export function distinctAttribute<Of>(name: string, read: (of: Of) => AttributeValue): WriteAttribute<Of> {
  const head = attributeHead(name)
  const textHead = `${head}{"stringValue":"`
  return (of) => {
    const value = read(of)
    if (value === null) return ''
    if (typeof value === 'string' && plain.test(value)) return `${textHead}${value}"}}`
    return `${head}${valueText(value)}}`
  }
}

/** The list of all that are known. */
export function attributesText<Of>(attributes: readonly WriteAttribute<Of>[], of: Of): string {
  let text = ''
  for (const write of attributes) {
    const one = write(of)
    text += text === '' ? one.slice(1) : one
  }
  return text
}

export const attributeText = (name: string, value: Exclude<AttributeValue, null>): string =>
  `${attributeHead(name)}${valueText(value)}}`

const attributeHead = (name: string) => `,{"key":${quoted(name)},"value":`

function valueText(value: Exclude<AttributeValue, null>): string {
  switch (typeof value) {
    case 'string':
      return `{"stringValue":${quoted(value)}}`
    case 'number':
      return Number.isInteger(value) ? `{"intValue":${value}}` : `{"doubleValue":${value}}`
    case 'boolean':
      return `{"boolValue":${value}}`
    default:
      return `{"arrayValue":{"values":[${value.map(valueText).join()}]}}`
  }
}

export const quoted = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text))
