/** Derives the data for engines and answers from the columns of a log entry (`@gateway/contract`). */
import {
  type LogColumnKind,
  type LogField,
  type LogFields,
  type LogSource,
  logColumns,
} from '@gateway/contract'

// The keys of a constant.
export const logFieldNames = Object.keys(logColumns) as readonly (keyof LogFields)[]

/** The kind of a column. */
export const columnKind = (name: LogField): LogColumnKind => logColumns[name].kind

export const isLogField = (name: string): name is LogField => Object.hasOwn(logColumns, name)

/**
 * Columns kept of pruned entries besides hour, organisation and workspace, for filters and groups beyond the retention.
 */
export const aggregateFields = [
  'api_key_id',
  'user_id',
  'ai_org',
  'ai_model',
  'provider',
  'provider_id',
  'config',
  'config_id',
  'prompt_slug',
  'prompt_id',
  'response_status_code',
  'endpoint_type',
  'cache_status',
  'source',
] as const satisfies readonly LogField[]

/** Sources of requests that no caller waited for: left out unless a filter names them. */
export const hiddenSources: readonly LogSource[] = ['replay', 'shadow']

/** Longer names are truncated, because engines limit index entries. */
export const maxLogNameChars = 500
