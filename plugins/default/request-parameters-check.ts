/** `default.requestParametersCheck`: rules for the tools, keys and values of a request's body. */
import type { Check, Json } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'
import { spellings } from './shared/models.ts'
import { type Tool, toolsOf } from './shared/tools.ts'

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { default: [], description }))

const values = (description: string) =>
  Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { default: [], description }),
  )

const valueRules = Type.Object(
  {
    allowedValues: values('The only values that pass.'),
    blockedValues: values('Values that do not pass.'),
  },
  { additionalProperties: false },
)

const parameters = Type.Object(
  {
    tools: Type.Optional(
      Type.Object(
        {
          allowedTypes: names('The only types of tools that pass, such as function, mcp or web_search.'),
          blockedTypes: names('Types of tools that do not pass.'),
          allowedFunctionNames: names('The only names of tools that pass.'),
          blockedFunctionNames: names('Names of tools that do not pass.'),
        },
        {
          additionalProperties: false,
          default: {},
          description:
            'Rules for the tools of the request: allowedTypes, blockedTypes, allowedFunctionNames, ' +
            'blockedFunctionNames. A tool without a type is a function; rules for names apply to tools that have one. ' +
            'An empty list has no effect.',
        },
      ),
    ),
    params: Type.Optional(
      Type.Object(
        {
          allowedKeys: names('The only keys that the body may have.'),
          blockedKeys: names('Keys that the body may not have.'),
          values: Type.Optional(
            Type.Record(Type.String(), valueRules, { default: {}, description: 'Rules by key of the body.' }),
          ),
        },
        {
          additionalProperties: false,
          default: {},
          description:
            'Rules for the keys of the body: allowedKeys, blockedKeys, and values: {key: {allowedValues, ' +
            'blockedValues}}. For a list each item is checked; an absent key passes. An empty list has no effect.',
        },
      ),
    ),
  },
  { additionalProperties: false },
)

type Given = Static<typeof parameters>

interface Lists<Value> {
  allowed: readonly Value[] | undefined
  blocked: readonly Value[] | undefined
}

/** A violation of a rule: its position, and the rule. */
interface Violation {
  path: string
  reason: string
}

/** The most violations that are reported. */
const maxReported = 20

export const requestParametersCheck: Check<Given> = {
  id: 'requestParametersCheck',
  title: 'Request parameters',
  description:
    'Passes when the tools of the request, the keys of its body and their values comply with all rules. A model ' +
    'of the form "@slug/model" is compared with its slug and without it.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ tools = {}, params = {} }) {
    const types = { allowed: tools.allowedTypes, blocked: tools.blockedTypes }
    const functions = { allowed: tools.allowedFunctionNames, blocked: tools.blockedFunctionNames }
    const keys = { allowed: params.allowedKeys, blocked: params.blockedKeys }
    const rules = Object.entries(params.values ?? {}).map(([key, { allowedValues, blockedValues }]) => ({
      key,
      lists: { allowed: allowedValues, blocked: blockedValues },
    }))
    if (![types, functions, keys, ...rules.map(({ lists }) => lists)].some(isRule))
      throw new Error('tools or params must contain at least one rule')

    const ofTool = ({ path, type, name }: Tool) => [
      ...broken(path, 'type', { spelled: [type], lists: types }),
      ...broken(path, 'name', { spelled: name === null ? [] : [name], lists: functions }),
    ]
    return {
      run({ request: { json } }) {
        const violations = [
          ...toolsOf(json).flatMap(ofTool),
          ...Object.keys(json).flatMap((key) =>
            broken(pointerTo(key), 'key', { spelled: [key], lists: keys }),
          ),
          ...rules.flatMap(({ key, lists }) =>
            Object.hasOwn(json, key)
              ? itemsOf(json[key]).flatMap((value) => brokenValue(key, value, lists))
              : [],
          ),
        ]
        return { verdict: violations.length === 0, data: { violations: violations.slice(0, maxReported) } }
      },
    }
  },
}

const isRule = ({ allowed = [], blocked = [] }: Lists<unknown>) => allowed.length > 0 || blocked.length > 0

interface BrokenOptions<Value> {
  spelled: readonly unknown[]
  lists: Lists<Value>
}

/** @param spelled the spellings of one value: none may be blocked, and one must be allowed */
function broken<Value>(
  path: string,
  what: string,
  { spelled, lists: { allowed = [], blocked = [] } }: BrokenOptions<Value>,
): Violation[] {
  if (spelled.length === 0) return []
  const has = (list: readonly unknown[]) => spelled.some((one) => list.includes(one))
  if (has(blocked)) return [{ path, reason: `${what}_blocked` }]
  return allowed.length === 0 || has(allowed) ? [] : [{ path, reason: `${what}_not_allowed` }]
}

function brokenValue(
  key: string,
  value: Json | undefined,
  lists: Lists<string | number | boolean>,
): Violation[] {
  const spelled = key === 'model' && typeof value === 'string' ? spellings(value) : [value]
  return broken(pointerTo(key), 'value', { spelled, lists })
}

const itemsOf = (value: Json | undefined): (Json | undefined)[] => (Array.isArray(value) ? value : [value])

const pointerTo = (key: string) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
