/**
 * Requirements for the parameters of every check: described, closed, with enforced limits and values that the check
 * supports.
 */
import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import {
  type Check,
  contractVersion,
  type GuardrailPlugin,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import type { DiscoveryFault } from '@gateway/core/harness'
import { emptyParts, registerPackage } from '@gateway/core/harness'
import type { TSchema } from '@sinclair/typebox'
import { oddValues, valuesBeyond } from './parameter-values.ts'
import { type CheckRun, prepareCheck } from './run-check.ts'
import { HangError, runWithin } from './run-within.ts'

/** The plugin and its settings are accepted by discovery. */
export function isLoaded(plugin: GuardrailPlugin): void {
  const faults: DiscoveryFault[] = []
  const info = {
    kind: 'guardrail',
    name: plugin.name,
    version: '0.0.0',
    directory: '.',
    entry: '.',
    provides: [],
  } as const
  registerPackage({ info, named: null, module: { default: plugin } }, emptyParts(), { disabled: [], faults })
  deepEqual(
    faults.map(({ message }) => message),
    [],
    `fits contract ${contractVersion}`,
  )
  ok(/^[a-z][a-z0-9-]*$/.test(plugin.name), `the name "${plugin.name}" is small letters, digits and hyphens`)
  ok(plugin.title.length > 0, 'has a title')
  if (plugin.settings !== undefined) isDescribed(plugin.settings, 'its settings')
}

/** The check and each of its parameters have a description. */
export function describesItself(check: Check): void {
  ok(/^[A-Za-z][A-Za-z0-9_-]*$/.test(check.id), `the id "${check.id}" is a word`)
  ok(check.title.length > 0 && check.description.length > 0, 'has a title and a description')
  ok(check.phases.length > 0, 'runs in some phase')
  isDescribed(check.parameters, 'its schema')
}

function isDescribed(schema: TSchema, what: string): void {
  equal(schema.type, 'object', `${what} is an object`)
  equal(schema.additionalProperties, false, `${what} refuses unknown keys`)
  for (const [name, member] of Object.entries(membersOf(schema)))
    ok(typeof member.description === 'string' && member.description !== '', `${name} has a description`)
}

/** The members of an object schema. */
function membersOf(schema: TSchema): Record<string, JsonObject> {
  return (schema.properties ?? {}) as Record<string, JsonObject>
}

/** Unknown keys, missing keys and values of another type are refused; defaults are valid. */
export function refusesBadParameters(check: Check, sample: CheckRun): void {
  const valid = sample.parameters ?? {}
  const refused = (parameters: JsonObject, what: string) =>
    throws(() => prepareCheck(check, parameters, sample.io?.settings), /^Error: parameters/, what)
  prepareCheck(check, valid, sample.io?.settings)
  refused({ ...valid, unknown_key: true }, 'an unknown key is refused')
  const required = (check.parameters.required ?? []) as string[]
  for (const name of required) {
    const { [name]: _, ...rest } = valid
    refused(rest, `${name} is required`)
  }
  const least = Object.fromEntries(required.map((name) => [name, valid[name]]))
  ok(!isRefused(check, least, sample), 'the defaults fit the schema')
  const values: Json[] = [null, true, 0.5, 'text', ['text'], {}]
  for (const name of Object.keys(membersOf(check.parameters))) {
    const wrong = values.some((value) => isRefused(check, { ...valid, [name]: value }, sample))
    ok(wrong, `${name} refuses a value of the wrong type`)
  }
}

/** Every number has a minimum, and values that are too small, too long or not listed never reach the check. */
export function refusesValuesBeyondBounds(check: Check, sample: CheckRun): void {
  const valid = sample.parameters ?? {}
  for (const [name, schema] of Object.entries(membersOf(check.parameters))) {
    const { type, minimum = schema.exclusiveMinimum } = schema
    ok(!['integer', 'number'].includes(String(type)) || minimum !== undefined, `${name} has a minimum`)
    for (const value of valuesBeyond(schema, valid[name]))
      ok(
        isRefused(check, { ...valid, [name]: value }, sample),
        `${name} refuses ${shorten(value)}, which is beyond its bounds`,
      )
  }
}

/** Whether the schema refuses parameters, regardless of `prepare`. */
function isRefused(check: Check, parameters: JsonObject, sample: CheckRun): boolean {
  try {
    prepareCheck(check, parameters, sample.io?.settings)
    return false
  } catch (error) {
    return error instanceof Error && error.message.startsWith('parameters')
  }
}

/**
 * Values that the schema accepts either work or are refused by `prepare` with a message: a TypeError or a RangeError is
 * a bug that would show only once the config is used.
 */
export async function copesWithItsParameters(check: Check, sample: CheckRun): Promise<void> {
  const valid = sample.parameters ?? {}
  for (const [name, schema] of Object.entries(membersOf(check.parameters))) {
    for (const value of oddValues(schema)) {
      const parameters = { ...valid, [name]: value }
      try {
        await runWithin(check, { ...sample, parameters })
      } catch (error) {
        ok(
          !isSlip(error) && !(error instanceof HangError),
          `with ${name} ${shorten(value)}: ${String(error)}`,
        )
      }
    }
  }
}

/** Errors raised by the language have no code; those of Node's own functions do, and have readable messages. */
const isSlip = (error: unknown): boolean =>
  !(error instanceof Error) ||
  ((error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) &&
    !('code' in error))

function shorten(value: Json): string {
  const text = JSON.stringify(isObject(value) ? { ...value } : value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
