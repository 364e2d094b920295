/**
 * Conditions on documents as SQL: every value is a bound parameter. An attribute is looked up in its own index first,
 * so that equality finds few ids without scanning the documents.
 */
import type { DocumentCondition, TextTest } from '@gateway/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from './database.ts'
import { clean } from './values.ts'

type Condition = RawBuilder<unknown>

const comparisons = {
  equals: sql`=`,
  above: sql`>`,
  from: sql`>=`,
  below: sql`<`,
  to: sql`<=`,
} as const

export function toCondition(engine: Engine, kind: string, condition: DocumentCondition): Condition {
  const nested = (list: readonly DocumentCondition[]) => list.map((one) => toCondition(engine, kind, one))
  if ('all' in condition) return joined(nested(condition.all), sql` and `, sql`1 = 1`)
  if ('any' in condition) return joined(nested(condition.any), sql` or `, sql`1 = 0`)
  if ('not' in condition) return sql`not (${toCondition(engine, kind, condition.not)})`
  if ('member' in condition) return textTest(engine, sql.ref(condition.member), condition.test)
  if ('time' in condition) {
    return sql`${sql.ref(condition.time)} ${comparisons[condition.op]} ${condition.value}`
  }
  const { attribute, test } = condition
  const passes = test === undefined ? sql`1 = 1` : textTest(engine, sql`sought.value`, test)
  return sql`documents.id in (select sought.id from document_attributes as sought
    where sought.kind = ${kind} and sought.name = ${clean(attribute)} and ${passes})`
}

function joined(list: readonly Condition[], word: Condition, empty: Condition): Condition {
  return list.length === 0 ? empty : sql`(${sql.join(list, word)})`
}

function textTest(engine: Engine, column: Condition, { op, value }: TextTest): Condition {
  const text = clean(value)
  // Both engines count characters, not UTF-16 units.
  const length = [...text].length
  switch (op) {
    case 'contains':
      return sql`${engine === 'sqlite' ? sql`instr` : sql`strpos`}(${column}, ${text}) > 0`
    case 'starts':
      return sql`substr(${column}, 1, ${length}) = ${text}`
    case 'ends':
      // An empty text is a suffix of every text; SQLite would treat a length of 0 from the end as the whole text.
      if (length === 0) return sql`1 = 1`
      return engine === 'sqlite'
        ? sql`substr(${column}, ${-length}) = ${text}`
        : sql`right(${column}, ${length}) = ${text}`
    default:
      return sql`${column} ${comparisons[op]} ${text}`
  }
}
