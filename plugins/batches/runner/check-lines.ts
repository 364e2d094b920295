/**
 * Validates the complete input of a batch before anything is sent; reports the first hundred errors with their lines.
 * https://platform.openai.com/docs/api-reference/batch/request-input
 */
import { describeJsonFault, isObject, type JsonObject } from '@gateway/contract'
import type { BatchFault } from '../shared/entities.ts'
import { type InputLine, readLines } from './read-lines.ts'

export interface BatchLine {
  number: number
  customId: string
  body: JsonObject
}

export interface CheckedInput {
  lines: number
  faults: BatchFault[]
}

const maxLines = 50_000
const maxFaults = 100
const maxIdChars = 64

export interface CheckOptions {
  endpoint: string
  maxLineBytes: number
  /** Called for every valid line. */
  each?(line: BatchLine): void
}

export async function checkLines(
  source: AsyncIterable<Uint8Array>,
  { endpoint, maxLineBytes, each }: CheckOptions,
): Promise<CheckedInput> {
  const faults: BatchFault[] = []
  const seen = new Set<string>()
  let lines = 0
  for await (const line of readLines(source, maxLineBytes)) {
    lines += 1
    if (lines > maxLines) {
      const message = `The file has more than ${maxLines} lines.`
      faults.unshift({ code: 'too_many_requests', message, param: null, line: null })
      break
    }
    const { line: sound, faults: found } = readLine(line, endpoint)
    const customId = sound?.customId ?? null
    if (customId !== null) {
      if (seen.has(customId)) found.push(duplicate(line.number, customId))
      seen.add(customId)
    }
    if (faults.length < maxFaults) faults.push(...found)
    if (sound !== null && found.length === 0) each?.(sound)
  }
  if (lines === 0)
    faults.push({ code: 'empty_file', message: 'The file has no lines.', param: null, line: null })
  return { lines, faults: faults.slice(0, maxFaults) }
}

const duplicate = (line: number, customId: string): BatchFault => ({
  code: 'duplicate_custom_id',
  message: `The custom_id "${customId}" is already used in an earlier line.`,
  param: 'custom_id',
  line,
})

/** Parses and validates a line. */
export function readLine(
  { number, text }: InputLine,
  endpoint: string,
): { line: BatchLine | null; faults: BatchFault[] } {
  const faults: BatchFault[] = []
  const fault = (code: string, param: string | null, message: string) =>
    faults.push({ code, message, param, line: number })
  const parsed = text === null ? undefined : parse(text)
  if (!isObject(parsed)) {
    fault('invalid_json_line', null, text === null ? 'The line is too long.' : notAnObject(text, parsed))
    return { line: null, faults }
  }
  const { custom_id: customId, method, url, body } = parsed
  if (typeof customId !== 'string' || customId === '')
    fault('missing_required_parameter', 'custom_id', 'custom_id must be a string.')
  else if (customId.length > maxIdChars)
    fault('invalid_custom_id', 'custom_id', `custom_id has more than ${maxIdChars} characters.`)
  if (typeof method !== 'string') fault('missing_required_parameter', 'method', 'method must be POST.')
  else if (method !== 'POST') fault('invalid_method', 'method', 'method must be POST.')
  if (typeof url !== 'string') fault('missing_required_parameter', 'url', `url must be ${endpoint}.`)
  else if (url !== endpoint)
    fault('mismatched_url', 'url', `url must be ${endpoint}, the endpoint of the batch.`)
  if (!isObject(body)) fault('missing_required_parameter', 'body', 'body must be a JSON object.')
  const isSound = typeof customId === 'string' && isObject(body)
  return { line: isSound ? { number, customId, body } : null, faults }
}

const notAnObject = (text: string, parsed: unknown): string =>
  parsed === undefined ? `The line ${describeJsonFault(text)}.` : 'The line is not a JSON object.'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
