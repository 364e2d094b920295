/** Attributes in the JSON form of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
import type { ByteWriter } from './byte-writer.ts'
import { cacheByValues, type RepeatedValue, type RepeatedValues } from './cache-by-values.ts'

type AttributeValue = string | number | boolean | readonly string[]

/** Writes an attribute with a leading comma, or nothing if the value is unknown. */
export type WriteAttribute<Of> = (out: ByteWriter, of: Of) => void

/** An attribute whose values recur independently of the other attributes. */
export function attribute<Of>(name: string, read: (of: Of) => RepeatedValue): WriteAttribute<Of> {
  const bytesOf = cacheByValues(
    (of: Of) => ({ value: read(of) }),
    (of) => attributeBytes(name, read(of)),
  )
  return (out, of) => out.raw(bytesOf(of))
}

/** A list attribute. Lists of one member are cached. */
export function listAttribute<Of>(name: string, read: (of: Of) => readonly string[]): WriteAttribute<Of> {
  const bytesOf = cacheByValues(
    (list: readonly string[]) => ({ value: list[0] ?? null }),
    (list) => attributeBytes(name, list.length === 0 ? null : list),
  )
  return (out, of) => {
    const list = read(of)
    out.raw(list.length > 1 ? attributeBytes(name, list) : bytesOf(list))
  }
}

/** An attribute whose values differ between requests, or are long. */
export function distinctAttribute<Of>(
  name: string,
  read: (of: Of) => string | number | null,
): WriteAttribute<Of> {
  const head = `,{"key":${JSON.stringify(name)},"value":{`
  const textHead = Buffer.from(`${head}"stringValue":`)
  const intHead = Buffer.from(`${head}"intValue":`)
  const doubleHead = Buffer.from(`${head}"doubleValue":`)
  return (out, of) => {
    const value = read(of)
    if (value === null) return
    if (typeof value === 'string') {
      out.raw(textHead)
      out.quoted(value)
    } else {
      out.raw(Number.isInteger(value) ? intHead : doubleHead)
      out.ascii(String(value))
    }
    out.raw(distinctTail)
  }
}

const distinctTail = Buffer.from('}}')

const attributeBytes = (name: string, value: AttributeValue | null): Buffer =>
  Buffer.from(value === null ? '' : `,${attributeText(name, value)}`)

/** The attributes with known values, separated by commas. */
export const attributesText = (values: RepeatedValues): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : attributeText(name, value)))
    .join()

export const attributeText = (name: string, value: AttributeValue): string =>
  `{"key":${JSON.stringify(name)},"value":${valueText(value)}}`

function valueText(value: AttributeValue): string {
  switch (typeof value) {
    case 'string':
      return `{"stringValue":${JSON.stringify(value)}}`
    case 'number':
      return Number.isInteger(value) ? `{"intValue":${value}}` : `{"doubleValue":${value}}`
    case 'boolean':
      return `{"boolValue":${value}}`
    default:
      return `{"arrayValue":{"values":[${value.map(valueText).join()}]}}`
  }
}
