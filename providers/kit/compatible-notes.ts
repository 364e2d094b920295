/** A compatible provider's notes on the generated page, derived from its rules. */
import { type EndpointId, endpointIds, type InferenceEndpoint, type ProviderNotes } from '@gateway/contract'
import type { ToolCallIds } from './chat/tool-call-ids.ts'
import type { EndpointRules } from './dialect/compatible/dialects.ts'

/** The part of a row from which the notes are derived. */
export interface NotedRow {
  endpoints: readonly InferenceEndpoint[]
  rules?: Partial<Record<EndpointId, EndpointRules>>
  /** The provider's own parameters that callers can send, by endpoint. */
  extras?: Partial<Record<EndpointId, readonly string[]>>
  /** The row's own sentences; Markdown. */
  remarks?: readonly string[]
  notes?: ProviderNotes
}

/** The notes of a row: its own, and those derived from its rules. */
export function compatibleNotes(row: NotedRow): ProviderNotes {
  const drops = Object.fromEntries(
    row.endpoints
      .map((id) => [id, droppedFields(row.rules?.[id])] as const)
      .filter(([, list]) => list.length > 0),
  )
  const read = [
    ...row.endpoints.flatMap((id) => ruleRemarks(id, row.rules?.[id] ?? {})),
    ...endpointIds.flatMap((id) => extraRemarks(id, row.extras?.[id])),
  ]
  const remarks = [...(row.remarks ?? []), ...read, ...(row.notes?.remarks ?? [])]
  return {
    ...row.notes,
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(Object.keys(drops).length === 0 ? {} : { drops: { ...drops, ...row.notes?.drops } }),
  }
}

/** If the usage of a stream is read elsewhere, dropping `stream_options` loses nothing. */
function droppedFields({ drops = [], messageDrops = [], usageIn }: EndpointRules = {}): string[] {
  const lost = usageIn === undefined ? drops : drops.filter((field) => field !== 'stream_options')
  return [...lost, ...messageDrops.map((member) => `messages[].${member}`)]
}

const code = (name: string) => `\`${name}\``
const list = (names: readonly string[]) => names.map(code).join(', ')

function ruleRemarks(endpoint: EndpointId, rules: EndpointRules): string[] {
  const { renames = {}, ranges = {}, values = {}, roles = {}, thinking, size, documentsAsText } = rules
  const { refuses = [], only = {}, toolCallIds = [] } = rules
  const remarks: (string | null)[] = [
    sentence(refuses.map(code), 'refuses'),
    sentence(
      Object.entries(only).map(
        ([field, value]) => `${code(field)} other than ${code(JSON.stringify(value))}`,
      ),
      'refuses',
    ),
    sentence(
      Object.entries(renames).map(([from, to]) => `${code(from)} as ${code(to)}`),
      'sends',
    ),
    sentence(
      Object.entries(ranges).map(([field, [least, greatest]]) => `${code(field)} to ${least}…${greatest}`),
      'brings',
    ),
    sentence(Object.entries(values).flatMap(valueRemarks), 'sends'),
    sentence(
      Object.entries(roles).map(([from, to]) => `messages of the role ${code(from)} as ${code(to)}`),
      'sends',
    ),
    thinking === undefined || thinking === 'own'
      ? null
      : `sends \`thinking\` as ${list([thinking.switch, ...(thinking.budget === undefined ? [] : [thinking.budget])])}.`,
    size === undefined ? null : sizeRemark(size),
    ...toolCallIds.map(idsRemark),
    documentsAsText === true ? 'sends documents that are objects as their `text`.' : null,
  ]
  return remarks.filter((remark) => remark !== null).map((remark) => `${code(endpoint)} ${remark}`)
}

function sentence(parts: readonly string[], verb: string): string | null {
  return parts.length === 0 ? null : `${verb} ${parts.join(', ')}.`
}

function valueRemarks([field, words]: [string, Readonly<Record<string, unknown>>]): string[] {
  const known = Object.entries(words).filter(([, to]) => to !== null)
  const unknown = Object.keys(words).filter((from) => words[from] === null)
  return [
    ...known.map(([from, to]) => `${code(`${field}: ${from}`)} as ${code(String(to))}`),
    ...(unknown.length === 0 ? [] : [`${code(field)} without ${list(unknown)}`]),
  ]
}

function idsRemark({ accepted, models }: ToolCallIds): string {
  const whose = models === undefined ? '' : ' for models of Mistral'
  return `sends ids of tool calls that do not match \`${accepted.source}\` as hashes of them${whose}.`
}

function sizeRemark(size: NonNullable<EndpointRules['size']>): string {
  return 'ratio' in size
    ? `sends \`size\` as the nearest ${code(size.ratio)} of ${size.ratios.join(', ')}.`
    : `sends \`size\` as ${code(size.width)} and ${code(size.height)}.`
}

function extraRemarks(endpoint: EndpointId, extras: readonly string[] | undefined): string[] {
  if (extras === undefined || extras.length === 0) return []
  return [`${code(endpoint)} also accepts: ${list(extras)}.`]
}
