/**
 * Secrets inside the content of documents (configs, guardrails, headers of models): sealed text by text where they
 * stand, so that everything around them stays readable. Pure; what seals and opens is passed in.
 */
import { isObject, type Json, type JsonObject, type Sealer } from '@gateway/contract'
import { kinds } from '../entities/index.ts'
import { isMasked, mask } from './mask.ts'
import { isHeaderMap, isSecretName } from './names.ts'

/** What a sealed text is bound to: it cannot be opened as part of another record. */
export const recordOf = ({ kind, id }: { kind: string; id: string }): string => `${kind}/${id}`

/** The same value where no text changes. A number under a secret's name is none. */
export function mapTexts(value: Json, change: (text: string, isSecret: boolean) => string): Json {
  return mapMember(value, { ancestors: [], isSecret: false, change })
}

/** {@link mapTexts} for secrets alone. */
export const mapSecrets = (value: Json, change: (secret: string) => string): Json =>
  mapTexts(value, (text, isSecret) => (isSecret ? change(text) : text))

interface Walk {
  ancestors: readonly string[]
  /** Whether it stands under a secret name: then every text of it is one. */
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

/** An object of named members, such as a service account or headers, is looked into; a text or a list is secret as a whole. */
export function isSecretMember(name: string, member: Json, ancestors: readonly string[]): boolean {
  if (isHeaderMap(name)) return !isObject(member)
  return isSecretName(name, ancestors) && !(isObject(member) && /json$/i.test(name))
}

/** Its secrets sealed for this record. */
export const sealContent = <Content>(
  content: Content,
  sealer: Pick<Sealer, 'seal'>,
  record: string,
): Content =>
  sameShape(
    content,
    mapSecrets(asJson(content), (secret) => sealer.seal(secret, record)),
  )

/** In clear again. What the config file declares never was sealed. */
export const openContent = <Content>(
  content: Content,
  sealer: Pick<Sealer, 'open' | 'isSealed'>,
  record: string,
): Content =>
  sameShape(
    content,
    mapSecrets(asJson(content), (text) => (sealer.isSealed(text) ? sealer.open(text, record) : text)),
  )

/** As answers show it. */
export const maskContent = <Content>(
  content: Content,
  sealer: Pick<Sealer, 'open' | 'isSealed'>,
  record: string,
): Content =>
  sameShape(
    content,
    mapSecrets(asJson(content), (text) => mask(sealer.isSealed(text) ? sealer.open(text, record) : text)),
  )

/** Texts are replaced by texts: the shape stays. */
const sameShape = <Content>(_before: Content, after: Json): Content => after as Content

/** Parts of documents are JSON, whatever their types are called. */
const asJson = (content: unknown): Json => content as Json

/** Every secret text, of content that is in clear. */
export function secretsIn(content: Json): string[] {
  const found: string[] = []
  mapSecrets(content, (secret) => {
    found.push(secret)
    return secret
  })
  return found
}

/** Whether a mask stands where a secret should. */
export const hasMasks = (content: Json): boolean => secretsIn(content).some(isMasked)

/** Members of `data` whose secrets are sealed where they stand, by the kind of document. */
export const sealedMembers: Readonly<Record<string, readonly string[]>> = {
  [kinds.config]: ['config'],
  [kinds.configVersion]: ['content'],
  [kinds.guardrail]: ['checks'],
  [kinds.guardrailVersion]: ['content'],
  /** Headers of single models. */
  [kinds.integration]: ['models'],
}
