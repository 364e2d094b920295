/** The context in which a keyword is compiled: its siblings, its place, and the compiler's functions. */
import type { Json, JsonObject, Pattern } from '@gateway/contract'
import type { SchemaFault, Subschema } from './validation.ts'

export type Draft = 6 | 2019 | 2020

export interface Site {
  keyword: string
  value: Json
  /** The schema that has the keyword. */
  siblings: JsonObject
  draft: Draft
  /** Compiles a subschema of the keyword; `names` is its place below the keyword, or below a sibling's name. */
  subschema(value: Json, names: readonly (string | number)[], keyword?: string): Subschema
  /** A subschema that validates the same value. */
  inPlace(value: Json, names: readonly (string | number)[], keyword?: string): Subschema
  /** The subschema that a reference points to; it is filled in when all of them are compiled. */
  reference(target: string): { schema: Subschema | null }
  pattern(source: string): Pattern
  /** An error of the value, with the keyword as its reason. */
  fault(message: string, path?: string): SchemaFault
  /** @throws Error for an invalid value of the keyword */
  refuse(requirement: string): never
}
