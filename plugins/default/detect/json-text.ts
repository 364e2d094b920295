/**
 * Texts that are JSON and must stay JSON: the arguments of a tool call, the input of a tool. Detectors search the
 * unescaped text, and replacements are escaped again.
 */
import type { TextPart } from '@gateway/contract'
import { isDigit } from './characters.ts'
import type { Finding } from './finding.ts'

/** The text of a JSON document, with its strings unescaped and everything around them unchanged. */
export interface JsonText {
  /** The text that detectors search. */
  text: string
  /** Strings and numbers, in order. */
  leaves: readonly Leaf[]
}

interface Leaf {
  isString: boolean
  /** In the raw text; for a string, including its quotation marks. */
  rawStart: number
  rawEnd: number
  /** In the unescaped text; for a string, without its quotation marks. */
  start: number
  end: number
}

/** Reads a part that is JSON, or returns null. */
export function readJsonText({ path, text }: TextPart): JsonText | null {
  if (!/\/(?:arguments|input|args)$/.test(path) || !/^\s*[[{]/.test(text) || !isJson(text)) return null
  const leaves: Leaf[] = []
  const pieces: string[] = []
  let length = 0
  let copied = 0
  for (let rawStart = leafFrom(text, 0); rawStart >= 0; rawStart = leafFrom(text, copied)) {
    const isString = text[rawStart] === '"'
    const rawEnd = isString ? stringEnd(text, rawStart) : numberEnd(text, rawStart)
    const raw = text.slice(rawStart, rawEnd)
    const said = isString ? `"${JSON.parse(raw)}"` : raw
    pieces.push(text.slice(copied, rawStart), said)
    length += rawStart - copied
    const quote = isString ? 1 : 0
    leaves.push({ isString, rawStart, rawEnd, start: length + quote, end: length + said.length - quote })
    length += said.length
    copied = rawEnd
  }
  return { text: pieces.join('') + text.slice(copied), leaves }
}

/** The offset of the next string or number, or -1. */
function leafFrom(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const letter = text.charAt(at)
    if (letter === '"' || letter === '-' || isDigit(letter.charCodeAt(0))) return at
  }
  return -1
}

function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function numberEnd(text: string, start: number): number {
  let at = start + 1
  while (/[\d.eE+-]/.test(text.charAt(at))) at++
  return at
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the replacement for a piece. */
export type Replace = (finding: Finding, value: string, isNumber: boolean) => string

/** Replaces the findings, which are in order, in a text that is not JSON. */
export function replaceInText(text: string, findings: readonly Finding[], replace: Replace): string {
  const pieces: string[] = []
  let copied = 0
  for (const finding of findings) {
    pieces.push(
      text.slice(copied, finding.start),
      replace(finding, text.slice(finding.start, finding.end), false),
    )
    copied = finding.end
  }
  return pieces.join('') + text.slice(copied)
}

interface ReplaceInJsonOptions {
  findings: readonly Finding[]
  replace: Replace
  bareValue?: ((content: string) => string | undefined) | undefined
}

/**
 * Replaces findings in a JSON text. A finding across several strings is replaced in each. A number becomes a string,
 * unless `bareValue` returns another value for a string that consists only of a placeholder.
 */
export function replaceInJson(
  raw: string,
  json: JsonText,
  { findings, replace, bareValue = () => undefined }: ReplaceInJsonOptions,
): string {
  const pieces: string[] = []
  let copied = 0
  let next = 0
  for (const leaf of json.leaves) {
    while ((findings[next]?.end ?? Number.POSITIVE_INFINITY) <= leaf.start) next++
    const own = clip(findings, next, leaf)
    if (own.length === 0) continue
    const said = json.text.slice(leaf.start, leaf.end)
    const whole = leaf.isString
      ? own
      : own.slice(0, 1).map((finding) => ({ ...finding, start: 0, end: said.length }))
    const written =
      bareValue(said) ??
      JSON.stringify(replaceInText(said, whole, (finding, value) => replace(finding, value, !leaf.isString)))
    pieces.push(raw.slice(copied, leaf.rawStart), written)
    copied = leaf.rawEnd
  }
  return pieces.join('') + raw.slice(copied)
}

/** The findings that overlap with a leaf, clipped to it, as offsets in it. */
function clip(findings: readonly Finding[], first: number, { start, end }: Leaf): Finding[] {
  const own: Finding[] = []
  for (let at = first; ; at++) {
    const finding = findings[at]
    if (finding === undefined || finding.start >= end) return own
    own.push({
      category: finding.category,
      start: Math.max(finding.start, start) - start,
      end: Math.min(finding.end, end) - start,
    })
  }
}
