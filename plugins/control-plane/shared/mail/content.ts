/** The text of each message. */
import { isObject, type Json, type JsonObject, type StoredDocument } from '@gateway/contract'
import { type Content, plainName } from './message.ts'

export interface Occasion {
  type: string
  /** `data` of the event. */
  data: JsonObject
  /** The API key at that time. Null if the event does not concern a key. */
  key: StoredDocument | null
  /** The display name of the object with the limit. Null if unknown. */
  subjectName: string | null
}

type Writer = (occasion: Occasion, publicUrl: string) => Content

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** `2026-01-31 09:00 UTC`. */
const timeOf = (value: Json | undefined): string =>
  typeof value === 'string' ? `${value.slice(0, 16).replace('T', ' ')} UTC` : 'an unknown time'

const keyName = ({ key }: Occasion): string => `"${plainName(key?.name ?? 'without a name')}"`

const linkToKey = ({ key }: Occasion, publicUrl: string): Content['link'] =>
  key === null ? null : { label: 'Show the API key', url: `${publicUrl}/console/keys/${key.id}` }

const keyFacts = ({ key }: Occasion): [string, string][] =>
  key === null
    ? []
    : [
        ['API key', plainName(key.name ?? '')],
        ['Id', key.id],
      ]

/** @param sentence follows the name of the key */
const aboutKey =
  (subjectOf: (name: string, at: string) => string, introOf: (name: string, at: string) => string): Writer =>
  (occasion, publicUrl) => {
    const at = timeOf(occasion.data.at)
    const name = keyName(occasion)
    return {
      subject: subjectOf(name, at),
      intro: introOf(name, at),
      facts: keyFacts(occasion),
      link: linkToKey(occasion, publicUrl),
    }
  }

const consolePages: Readonly<Record<string, string>> = {
  'api-key': 'keys',
  workspace: 'workspaces',
  provider: 'providers',
  'policy-usage-limits': 'policies',
}

const subjectTitles: Readonly<Record<string, string>> = {
  'api-key': 'API key',
  workspace: 'workspace',
  provider: 'provider',
  integration: 'integration',
  'policy-usage-limits': 'policy',
}

const aboutLimit =
  (subjectOf: (name: string) => string, introOf: (name: string) => string): Writer =>
  ({ data, subjectName }, publicUrl) => {
    const subject = isObject(data.subject) ? data.subject : {}
    const limit = isObject(data.limit) ? data.limit : {}
    const type = textOf(subject.type)
    const id = textOf(subject.id)
    const name = `${subjectTitles[type] ?? 'object'} "${plainName(subjectName ?? id)}"`
    const unit = limit.type === 'cost' ? ' US dollars' : ` ${textOf(limit.type)}`
    const page = consolePages[type]
    const amount = (value: Json | undefined): string => `${String(value ?? '?')}${unit}`
    return {
      subject: subjectOf(name),
      intro: introOf(name),
      facts: [
        ['Used', amount(data.current_usage)],
        ['Limit', amount(limit.credit_limit)],
        ...(limit.alert_threshold === null || limit.alert_threshold === undefined
          ? []
          : [['Threshold', amount(limit.alert_threshold)] as const]),
        ...(typeof limit.value_key === 'string' ? [['Group', plainName(limit.value_key)] as const] : []),
      ],
      link:
        page === undefined ? null : { label: 'Show the limit', url: `${publicUrl}/console/${page}/${id}` },
    }
  }

const writers: Readonly<Record<string, Writer>> = {
  'api_key.rotation_upcoming': aboutKey(
    (name, at) => `API key ${name} will be rotated on ${at}`,
    (name, at) => `The API key ${name} will be rotated automatically on ${at}.`,
  ),
  'api_key.rotated': aboutKey(
    (name) => `API key ${name} was rotated`,
    (name) =>
      `The API key ${name} was rotated. Its former secret works until the end of the transition period, if it has one.`,
  ),
  'api_key.transition_expiring': aboutKey(
    (name, at) => `The former secret of API key ${name} ends on ${at}`,
    (name, at) => `The former secret of the API key ${name} stops working on ${at}. Use the new one.`,
  ),
  'api_key.expiring': aboutKey(
    (name, at) => `API key ${name} expires on ${at}`,
    (name, at) => `The API key ${name} stops working on ${at}.`,
  ),
  'usage_limit.threshold': aboutLimit(
    (name) => `Usage limit of ${name} has reached its threshold`,
    (name) => `The usage limit of ${name} has reached its alert threshold. Requests are still served.`,
  ),
  'usage_limit.exhausted': aboutLimit(
    (name) => `Usage limit of ${name} is used up`,
    (name) => `The usage limit of ${name} is used up. Requests are refused until it is reset or raised.`,
  ),
}

/** Null for events without mail. */
export function contentOf(occasion: Occasion, publicUrl: string): Content | null {
  return writers[occasion.type]?.(occasion, publicUrl) ?? null
}

export const isMailed = (type: string): boolean => writers[type] !== undefined
