/** Attributes as OTLP has them in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
import type { ByteWriter } from './byte-writer.ts'
import { type RepeatedValue, repeatedBytes } from './repeated-bytes.ts'

type AttributeValue = string | number | boolean | readonly string[]

/** Attributes whose values come again, in combinations that come again. */
export type RepeatedAttributes<Of> = Readonly<Record<string, (of: Of) => RepeatedValue>>

/** Writes an attribute after a comma; nothing where the value is not known. */
export type WriteAttribute<Of> = (out: ByteWriter, of: Of) => void

/** An attribute whose values come again, while those of other attributes differ. */
export function attribute<Of>(name: string, read: (of: Of) => RepeatedValue): WriteAttribute<Of> {
  const bytesOf = repeatedBytes([read], (of: Of) => attributeBytes(name, read(of)))
  return (out, of) => out.raw(bytesOf(of))
}

/** An attribute of a list, which mostly has one member that comes again. */
export function listAttribute<Of>(name: string, read: (of: Of) => readonly string[]): WriteAttribute<Of> {
  const bytesOf = repeatedBytes([(list: readonly string[]) => list[0] ?? null], (list) =>
    attributeBytes(name, list.length === 0 ? null : list),
  )
  return (out, of) => {
    const list = read(of)
    out.raw(list.length > 1 ? attributeBytes(name, list) : bytesOf(list))
  }
}

/** An attribute whose values differ from request to request, or are long. */
export function distinctAttribute<Of>(
  name: string,
  read: (of: Of) => string | number | null,
): WriteAttribute<Of> {
  const textHead = Buffer.from(`,{"key":${JSON.stringify(name)},"value":{"stringValue":`)
  return (out, of) => {
    const value = read(of)
    if (value === null) return
    if (typeof value === 'string') {
      out.raw(textHead)
      out.quoted(value)
      out.raw(textTail)
    } else out.text(`,${attributeText(name, value)}`)
  }
}

const textTail = Buffer.from('}}')

const attributeBytes = (name: string, value: AttributeValue | null): Buffer =>
  Buffer.from(value === null ? '' : `,${attributeText(name, value)}`)

/** Those that are known, with commas between them. */
export const attributesText = <Of>(attributes: RepeatedAttributes<Of>, of: Of): string =>
  Object.entries(attributes)
    .flatMap(([name, read]) => {
      const value = read(of)
      return value === null ? [] : attributeText(name, value)
    })
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
