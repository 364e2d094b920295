/**
 * Acuvity's findings in a text. An extraction has maps from names to scores (0 to 1): `exploits`, `malcontents`,
 * `languages`, `PIIs`, `secrets`; a name that is absent was not found. `detections` lists findings with a position in
 * the text.
 * Reference: the models of https://github.com/acuvity/api-go (apex/jsonschema/extraction.json). Older
 * deployments use `jail_break`, and list malcontents among the topics (`content/toxic`).
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { objectsIn } from '@gateway/plugin-kit'

/** The detectors that return one score, with the members and names under which the score may appear. */
export const scoredDetectors = [
  { flag: 'prompt_injection', maps: ['exploits'], names: ['prompt_injection'] },
  { flag: 'jail_break', maps: ['exploits'], names: ['jailbreak', 'jail_break'] },
  { flag: 'malicious_url', maps: ['exploits'], names: ['malicious_url'] },
  { flag: 'toxic', maps: ['malcontents', 'topics'], names: ['toxic', 'toxicity', 'content/toxic'] },
  { flag: 'biased', maps: ['malcontents', 'topics'], names: ['biased', 'bias', 'content/biased'] },
  { flag: 'harmful', maps: ['malcontents', 'topics'], names: ['harmful', 'content/harmful'] },
] as const

/** The highest score under one of the names; null when none was found. */
export function scoreOf(
  extraction: JsonObject,
  maps: readonly string[],
  names: readonly string[],
): number | null {
  const scores = maps.flatMap((map) => names.map((name) => member(extraction[map], name)))
  const found = scores.filter((score) => typeof score === 'number')
  return found.length === 0 ? null : Math.max(...found)
}

/** The kinds of personal data or secrets that were found, in lower case; all kinds if none are requested. */
export function kindsOf(extraction: JsonObject, of: 'PIIs' | 'secrets', asked: readonly string[]): string[] {
  const type = of === 'PIIs' ? 'PII' : 'Secret'
  const listed = objectsIn(extraction.detections).flatMap((found) =>
    found.type === type && typeof found.name === 'string' ? [found.name] : [],
  )
  const mapped = Object.keys(isObject(extraction[of]) ? extraction[of] : {})
  const kinds = new Set([...mapped, ...listed].map((kind) => kind.toLowerCase()))
  const wanted = new Set(asked.map((kind) => kind.toLowerCase()))
  return [...kinds].filter((kind) => wanted.size === 0 || wanted.has(kind))
}

function member(map: Json | undefined, name: string): Json | undefined {
  return isObject(map) && Object.hasOwn(map, name) ? map[name] : undefined
}
