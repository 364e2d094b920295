/**
 * Secrets inside the content of documents (configs, guardrails, headers of models): each string is sealed in place, so
 * that everything around it stays readable. Pure; the sealing functions are passed in.
 */
import { isObject, type Json, type JsonObject, type Sealer } from '@gateway/contract'
import { kinds } from '../entities/index.ts'
import { mask } from './mask.ts'
import { isHeaderMap, isSecretName } from './names.ts'

/** The record that a sealed text is bound to; it cannot be opened for any other. */
export const recordOf = ({ kind, id }: { kind: string; id: string }): string => `${kind}/${id}`

/** Returns the same value when no text changes. Numbers under secret names are not secrets. */
export function mapTexts(value: Json, change: (text: string, isSecret: boolean) => string): Json {
  return mapMember(value, { ancestors: [], isSecret: false, change })
}

/** {@link mapTexts} for secrets alone. */
export const mapSecrets = (value: Json, change: (secret: string) => string): Json =>
  mapTexts(value, (text, isSecret) => (isSecret ? change(text) : text))

interface Walk {
  ancestors: readonly string[]
  /** Whether it is under a secret name, which makes every text in it a secret. */
  isSecret: boolean
  change(text: string, isSecret: boolean): string
}

function mapMember(value: Json, walk: Walk): Json {
  if (typeof value === 'string') return walk.change(value, walk.isSecret)
  if (Array.isArray(value)) {
    const items = value.map((item) => mapMember(item, walk))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  return isObject(value) ? mapObject(value, walk) : value
}

function mapObject(object: JsonObject, { ancestors, isSecret, change }: Walk): JsonObject {
  const entries = Object.entries(object).flatMap(([name, member]): [string, Json][] => {
    if (member === undefined) return []
    const below = {
      ancestors: [...ancestors, name],
      isSecret: isSecret || isSecretMember(name, member, ancestors),
      change,
    }
    return [[name, mapMember(member, below)]]
  })
  return entries.every(([name, member]) => member === object[name]) ? object : Object.fromEntries(entries)
}

/** Objects, such as a service account or headers, are searched; texts and lists are secret as a whole. */
export function isSecretMember(name: string, member: Json, ancestors: readonly string[]): boolean {
  if (isHeaderMap(name)) return !isObject(member)
  return isSecretName(name, ancestors) && !(isObject(member) && /json$/i.test(name))
}

/** Seals its secrets for this record. */
export const sealContent = <Content>(
  content: Content,
  sealer: Pick<Sealer, 'seal'>,
  record: string,
): Content =>
  sameShape(
    content,
    mapSecrets(asJson(content), (secret) => sealer.seal(secret, record)),
  )

/** Opens its secrets. Config file documents are never sealed. */
export const openContent = <Content>(
  content: Content,
  sealer: Pick<Sealer, 'open' | 'isSealed'>,
  record: string,
): Content =>
  sameShape(
    content,
    mapSecrets(asJson(content), (text) => (sealer.isSealed(text) ? sealer.open(text, record) : text)),
  )

/** Masks its secrets, as answers show them. */
export const maskContent = <Content>(
  content: Content,
  sealer: Pick<Sealer, 'open' | 'isSealed'>,
  record: string,
): Content =>
  sameShape(
    content,
    mapSecrets(asJson(content), (text) => mask(sealer.isSealed(text) ? sealer.open(text, record) : text)),
  )

/** Texts are replaced by texts, so the type is unchanged. */
const sameShape = <Content>(_before: Content, after: Json): Content => after as Content

/** Parts of documents are JSON, although their types have other names. */
const asJson = (content: unknown): Json => content as Json

/** All secret texts of content in clear. */
export function secretsIn(content: Json): string[] {
  const found: string[] = []
  mapSecrets(content, (secret) => {
    found.push(secret)
    return secret
  })
  return found
}

/** Members of `data` whose secrets are sealed in place, by document kind. */
export const sealedMembers: Readonly<Record<string, readonly string[]>> = {
  [kinds.config]: ['config'],
  [kinds.configVersion]: ['content'],
  [kinds.guardrail]: ['checks'],
  [kinds.guardrailVersion]: ['content'],
  /** Headers of single models. */
  [kinds.integration]: ['models'],
}
