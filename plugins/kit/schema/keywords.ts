/** All keywords: how each is compiled, in the order in which they validate a value, and the drafts that have them. */
import { applicators, type CompileKeyword } from './applicators.ts'
import { arrayKeywords, unevaluatedRest } from './arrays.ts'
import { objectKeywords, unevaluatedMembers } from './objects.ts'
import type { Draft } from './site.ts'

/** Keywords that need more than the value, in order. */
export const keywordCompilers: ReadonlyMap<string, CompileKeyword> = new Map(
  [applicators, objectKeywords, arrayKeywords, unevaluatedMembers, unevaluatedRest].flatMap((table) =>
    Object.entries(table),
  ),
)

/** Keywords that validate nothing by themselves. Those that are compiled with another keyword are among them. */
const silent = new Set(
  (
    '$schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment $defs definitions title description ' +
    'default examples deprecated readOnly writeOnly format contentEncoding contentMediaType contentSchema nullable ' +
    'then else minContains maxContains'
  ).split(' '),
)

/** The first and the last draft of keywords that some drafts lack. */
const drafts: Readonly<Record<string, readonly [Draft, Draft]>> = {
  $anchor: [2019, 2020],
  $recursiveAnchor: [2019, 2019],
  $recursiveRef: [2019, 2019],
  $dynamicAnchor: [2020, 2020],
  $dynamicRef: [2020, 2020],
  prefixItems: [2020, 2020],
  additionalItems: [6, 2019],
  dependentRequired: [2019, 2020],
  dependentSchemas: [2019, 2020],
  minContains: [2019, 2020],
  maxContains: [2019, 2020],
  unevaluatedItems: [2019, 2020],
  unevaluatedProperties: [2019, 2020],
}

export function isKeyword(name: string, draft: Draft): boolean {
  const [first, last] = drafts[name] ?? [6, 2020]
  return draft >= first && draft <= last
}

export const isSilent = (name: string): boolean =>
  silent.has(name) || name.startsWith('x-') || name === 'example'
