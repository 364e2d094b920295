/** Reads members of unvalidated bodies with the expected types. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** A string, or the empty one. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** A count, or 0. */
export const countOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)

/** An object, or the empty one. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** The objects in a list; empty without a list. */
export const objectsOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** A JSON text as an object; null when it is not one. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The members of a body that have a value, unchanged. */
export function pick(body: JsonObject, names: readonly string[]): JsonObject {
  const given = names.filter((name) => body[name] !== undefined && body[name] !== null)
  return Object.fromEntries(given.map((name) => [name, body[name]]))
}

/** A number clamped to limits; undefined for other values. */
export function clamped(value: Json | undefined, least: number, greatest: number): number | undefined {
  return typeof value === 'number' ? Math.min(Math.max(value, least), greatest) : undefined
}

/** The members that have a value, for objects whose optional members may not be undefined. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Defined<Members>
}

type Defined<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }
