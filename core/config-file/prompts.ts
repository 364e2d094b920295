/** Prompts and partials of the config file: the errors of their templates, and their documents. */
import { asJson, isObject, type JsonObject } from '@gateway/contract'
import {
  kinds,
  type PromptContent,
  type PromptData,
  type PromptPartialData,
  PromptTextError,
  parsePartialText,
  parsePromptText,
  partialsIn,
  promptKindOf,
  refuseVerbatim,
  splitReference,
  type Template,
  TemplateError,
  templatesOf,
} from '@gateway/domain'
import type { ConfigFile } from './complete.ts'
import type { RuleFault } from './fault.ts'
import { fileId } from './ids.ts'
import type { DeclaredFile } from './schema.ts'

type DeclaredPrompt = NonNullable<DeclaredFile['prompts']>[string]
type Declared = Pick<DeclaredFile, 'prompts' | 'prompt_partials'>

const deepest = 10
/** Prompts of the file have one version. */
const versions: readonly (string | null)[] = [null, '1', 'latest', 'published']

/** Partials are resolved within the file only: stored ones are unknown when it is read. */
export function checkPrompts({ prompts = {}, prompt_partials: partials = {} }: Declared): RuleFault[] {
  const faults: RuleFault[] = []
  const judge = (at: string, read: () => string | null) => {
    const message = messageOf(read)
    if (message !== null) faults.push({ param: at, code: 'invalid_file', message })
  }
  const templates = new Map<string, Template>()
  for (const [slug, { string }] of Object.entries(partials)) {
    judge(`/prompt_partials/${slug}/string`, () => {
      templates.set(slug, parsePartialText(string))
      return null
    })
  }
  for (const slug of templates.keys())
    judge(`/prompt_partials/${slug}/string`, () => faultOfPartials([slug], templates).message)
  for (const [slug, declared] of Object.entries(prompts)) {
    if (modelOf(declared) === null) {
      const message = 'is required, here or in parameters'
      faults.push({ param: `/prompts/${slug}/model`, code: 'invalid_file', message })
    }
    judge(`/prompts/${slug}/string`, () => {
      const kind = promptKindOf(contentOf(declared))
      const own = templatesOf(parsePromptText(declared.string, kind))
      const { message, included } = faultOfPartials(partialsIn(own), templates)
      if (!kind.isRaw) for (const template of included) refuseVerbatim(template)
      return message
    })
  }
  return faults
}

function messageOf(read: () => string | null): string | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof TemplateError || error instanceof PromptTextError) return error.message
    throw error
  }
}

interface Included {
  message: string | null
  included: readonly Template[]
}

function faultOfPartials(references: readonly string[], templates: ReadonlyMap<string, Template>): Included {
  const included = new Set<Template>()
  const message = visit(references, [])
  return { message, included: [...included] }

  function visit(below: readonly string[], way: readonly string[]): string | null {
    for (const reference of below) {
      const { name, version } = splitReference(reference)
      const template = templates.get(name)
      if (template === undefined || !versions.includes(version))
        return `includes the partial "${reference}", which the file does not declare`
      if (way.includes(name)) return `includes the partial "${name}" in itself`
      if (way.length >= deepest) return `nests partials more than ${deepest} deep`
      if (included.has(template)) continue
      const found = visit(partialsIn([template]), [...way, name])
      if (found !== null) return found
      included.add(template)
    }
    return null
  }
}

function modelOf({ model, parameters }: DeclaredPrompt): string | null {
  if (model !== undefined) return model
  const inside = isObject(parameters) ? parameters.model : undefined
  return typeof inside === 'string' && inside !== '' ? inside : null
}

function contentOf(declared: DeclaredPrompt): PromptContent {
  const parameters: JsonObject = { ...(declared.parameters === undefined ? {} : asJson(declared.parameters)) }
  delete parameters.model
  delete parameters.stream
  const metadata = declared.template_metadata ?? {}
  return {
    string: declared.string,
    parameters,
    model: modelOf(declared) ?? '',
    virtual_key: declared.virtual_key ?? null,
    config: declared.config ?? null,
    tools: declared.tools === undefined ? null : asJson(declared.tools),
    functions: declared.functions === undefined ? null : asJson(declared.functions),
    // The value was read from JSON or YAML.
    tool_choice: (declared.tool_choice ?? null) as PromptContent['tool_choice'],
    is_raw_template: declared.is_raw_template === true || declared.is_raw_template === 1 ? 1 : 0,
    template_metadata: {
      ...asJson(metadata),
      template_type: metadata.template_type === 'completion' ? 'completion' : 'chat',
    },
    variables_schema: declared.variables_schema === undefined ? null : asJson(declared.variables_schema),
    version_description: declared.version_description ?? null,
  }
}

const versioned = (versionKind: string, slug: string) => ({
  latest_version: 1,
  version_id: fileId(versionKind, slug),
  published_version: 1,
  used_partials: {},
})

export function promptDrafts({ prompts, prompt_partials: partials }: ConfigFile) {
  return [
    ...Object.entries(prompts).map(([slug, declared]) => {
      const content = contentOf(declared)
      const data: PromptData = {
        ...content,
        ...versioned(kinds.promptVersion, slug),
        collection_id: null,
        published_model: content.model,
        labels: {},
      }
      return { kind: kinds.prompt, slug, name: declared.name ?? slug, data }
    }),
    ...Object.entries(partials).map(([slug, declared]) => {
      const data: PromptPartialData = {
        ...versioned(kinds.promptPartialVersion, slug),
        string: declared.string,
        version_description: declared.version_description ?? null,
      }
      return { kind: kinds.promptPartial, slug, name: declared.name ?? slug, data }
    }),
  ]
}
