/** Reads members of untyped answers; values of another type count as empty. */
import type { Row } from './api.ts'

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const rowOf = (value: unknown): Row => (isRow(value) ? value : {})

export const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isRow) : [])

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
