/**
 * A guardrail's findings: the policy, its kind, and the action. Reference:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_GuardrailAssessment.html
 */
import { isObject, type Json } from '@gateway/contract'
import { objectsIn, textOrNull } from '@gateway/plugin-kit'

/** Matched words and passages quote the prompt, so they are not reported. */
export interface Finding {
  policy: string
  /** The kind of harm or entity, or the guardrail's name of a topic or expression. */
  kind: string | null
  /** `BLOCKED` or `ANONYMIZED`; `NONE` for findings that were only detected. */
  action: string | null
}

const lists: Readonly<Record<string, readonly string[]>> = {
  topicPolicy: ['topics'],
  contentPolicy: ['filters'],
  wordPolicy: ['customWords', 'managedWordLists'],
  sensitiveInformationPolicy: ['piiEntities', 'regexes'],
  contextualGroundingPolicy: ['filters'],
}

/** Collects the findings of all assessments, except those of automated reasoning, which trigger no action. */
export function findingsOf(assessments: Json | undefined): Finding[] {
  return objectsIn(assessments).flatMap((assessment) =>
    Object.entries(lists).flatMap(([policy, names]) => {
      const found = assessment[policy]
      return isObject(found) ? names.flatMap((name) => findingsIn(policy, found[name])) : []
    }),
  )
}

function findingsIn(policy: string, list: Json | undefined): Finding[] {
  return objectsIn(list).map(({ type, name, action }) => ({
    policy,
    kind: textOrNull(name) ?? textOrNull(type),
    action: textOrNull(action),
  }))
}
