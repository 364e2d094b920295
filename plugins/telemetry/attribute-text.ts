/**
 * Attributes in the JSON form of OTLP, written as text without creating objects. Most values recur, so their text is
 * cached. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export type AttributeValue = string | number | boolean | readonly string[] | null

/** Returns the text of an attribute with a leading comma, or an empty string if the value is unknown. */
export type WriteAttribute<Of> = (of: Of) => string

/** The most cached texts per attribute, and the longest value whose text is cached. */
const maxKept = 1000
const maxKeptLength = 100

/** Text that needs no escaping in JSON. */
const plain = /^[^"\\\p{Cc}\p{Cs}]*$/u

/** An attribute whose values recur. */
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

/** An attribute whose values differ between requests, or are long. */
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

/** The list of all attributes with known values. */
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
