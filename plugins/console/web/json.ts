/** Members of answers, whose types nobody promised: what has another form counts as empty. */
import type { Json, Row } from './api.ts'

export const rowOf = (value: Json | undefined): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

export const rowsOf = (value: Json | undefined): Row[] =>
  Array.isArray(value)
    ? value.filter((one): one is Row => typeof one === 'object' && one !== null && !Array.isArray(one))
    : []

export const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
