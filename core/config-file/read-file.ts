/**
 * Reads a config file: text, environment, schema, rules, defaults. Every error is found in one pass,
 * each with its line, its column and its JSON path.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { isObject } from '@gateway/contract'
import { slugPattern } from '@gateway/domain'
import { type ErrorObject, toFaults } from '@gateway/validation'
import { type ConfigFile, completeFile } from './complete.ts'
import { type FileDocument, type FileFormat, formatOf, maxFileBytes, parseFileText } from './document.ts'
import { convert, type Environment } from './environment.ts'
import { type FileFault, type Locate, sortFaults, toFileFaults, unknownKeyOf } from './fault.ts'
import { pathNames } from './locate.ts'
import { checkFile, checkOmissions, type RuleFault } from './rules.ts'
import { type DeclaredFile, fileSections } from './schema.ts'
import { type ValidSubset, validSubset } from './valid-subset.ts'
import { customProviders, validateFile } from './validate.ts'

export type { FileFault } from './fault.ts'

/** The inputs for reading a file. */
export interface FileContext {
  /** Names of the providers that need no credential; those of `custom_providers` are added. */
  keyless: readonly string[]
}

export interface FileResult {
  /** The complete settings; null if the file has errors. */
  file: ConfigFile | null
  /** The valid rest of a file with errors, for further validation; null when nothing is left. */
  sound: { file: ConfigFile; isCertain: ValidSubset['isCertain'] } | null
  /** The file as written, with variables substituted; null if the file has errors. */
  declared: DeclaredFile | null
  /** In file order; includes settings that are declared but not enforced. */
  faults: FileFault[]
  /** Settings that have no effect. */
  warnings: FileFault[]
  /** Locates errors that are found later, such as unknown slugs. */
  locate: Locate
  /** Whether the scalar at a path was one variable, so that its text may represent a number or a boolean. */
  isSubstituted(param: string): boolean
}

/** @param keyless names of the providers that need no credential */
export function createFileContext(keyless: readonly string[]): FileContext {
  return { keyless }
}

/** Reads and checks the file at `path`. Never rejects: a file that cannot be read is an error at line 1. */
export async function readConfigFile(
  path: string,
  environment: Environment,
  context: FileContext,
): Promise<FileResult> {
  const read = await readFileText(path)
  if (typeof read === 'string') return checkConfigText(read, environment, { context, format: formatOf(path) })
  return { ...unreadable, faults: [read] }
}

/** The text of a config file, or an error when it cannot be read. */
export async function readFileText(path: string): Promise<string | FileFault> {
  const fault = (message: string): FileFault => ({
    line: 1,
    column: 1,
    param: '',
    code: 'unreadable_file',
    message,
  })
  let handle: FileHandle | undefined
  try {
    handle = await open(path)
    const { size } = await handle.stat()
    if (size > maxFileBytes)
      return fault(`is larger than ${maxFileBytes / 1_048_576} MB, the limit of a config file`)
    const bytes = await handle.readFile()
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return fault(reasons[String(code)] ?? 'cannot be read')
  } finally {
    await handle?.close()
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: correct --config or GATEWAY_CONFIG, or create the file with "gateway init FILE"',
  EACCES: 'cannot be read: the user that runs the gateway has no permission',
  EISDIR: 'is a folder: name the config file in it',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text: save it in this encoding',
}

const unreadable: FileResult = {
  file: null,
  sound: null,
  declared: null,
  faults: [],
  warnings: [],
  locate: () => ({ line: 1, column: 1 }),
  isSubstituted: () => false,
}

/** Checks the text of a config file. */
export function checkConfigText(
  text: string,
  environment: Environment,
  { context, format = 'yaml' }: { context: FileContext; format?: FileFormat },
): FileResult {
  const document = parseFileText(text, environment, format)
  const { locate, isSubstituted } = document
  const declared = withoutEmptySections(document.value)
  if (document.value === undefined) {
    return { ...unreadable, faults: document.faults, locate, isSubstituted }
  }
  const errors = validate(declared, document, context) ?? []
  const found = [...document.faults, ...plainFaults(errors)]
  const part = found.length === 0 ? whole(declared) : partOf(declared, found, context)
  const rules = part === null ? [] : checkFile(part.declared)
  const certain = rules.filter(({ param }) => !document.isUnresolved(param))
  const faults = [...document.faults, ...describe(errors, document), ...toFileFaults(certain, locate)]
  const common = {
    faults: sortFaults(faults),
    warnings: toFileFaults(faults.length > 0 ? [] : checkOmissions(declared as DeclaredFile), locate),
    locate,
    isSubstituted,
  }
  if (faults.length > 0) {
    const sound = part === null ? null : completeSound(part, certain)
    return { file: null, sound, declared: null, ...common }
  }
  const valid = declared as DeclaredFile
  return { file: completeFile(valid), sound: null, declared: valid, ...common }
}

const plainFaults = (errors: readonly ErrorObject[]): RuleFault[] => toFaults(errors, 'invalid_config')

const whole = (declared: unknown): ValidSubset => ({
  declared: declared as DeclaredFile,
  isCertain: () => true,
})

/** Null if the file is invalid even without the invalid parts. */
function partOf(
  declared: unknown,
  faults: readonly RuleFault[],
  { keyless }: FileContext,
): ValidSubset | null {
  if (!isObject(declared)) return null
  const part = validSubset(declared, faults)
  return validateFile(part.declared, [...keyless, ...customProviders(declared)]) === null ? part : null
}

function completeSound(part: ValidSubset, rules: readonly RuleFault[]): FileResult['sound'] {
  const { declared, isCertain } = validSubset(part.declared, rules)
  return {
    file: completeFile(declared),
    isCertain: (fault) => part.isCertain(fault) && isCertain(fault),
  }
}

/** A section that contains only comments, such as `guardrails:`, counts as absent; so does an empty file. */
function withoutEmptySections(value: unknown): unknown {
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(([name, section]) => section !== null || !fileSections.has(name)),
  )
}

/** Validates a value and converts it in place: substituted strings become numbers where the schema requires numbers. */
function validate(
  value: unknown,
  document: FileDocument,
  { keyless }: FileContext,
): readonly ErrorObject[] | null {
  const errors = validateFile(value, keyless)
  if (errors === null || !convertVariables(value, errors, document)) return errors
  return validateFile(value, keyless)
}

function describe(errors: readonly ErrorObject[], document: FileDocument): FileFault[] {
  const faults = plainFaults(errors).filter(({ param }) => !document.isUnresolved(param))
  return toFileFaults(faults, document.locate).map((fault) => ({
    ...fault,
    code: /^\/(configs|guardrails)\//.test(fault.param) ? 'invalid_config' : 'invalid_file',
    message: explainSlug(fault) ?? explainIndent(fault, document.value) ?? fault.message,
  }))
}

/** Entries of a section that are not indented are keys of the file, and the section is empty. */
function explainIndent(fault: FileFault, file: unknown): string | null {
  const key = unknownKeyOf(fault)
  if (key === null || fault.param !== '' || !isObject(file)) return null
  const before = Object.entries(file).slice(0, Object.keys(file).indexOf(key))
  const [section] = before.findLast(([name]) => fileSections.has(name)) ?? []
  return section !== undefined && file[section] === null
    ? `has the unknown key "${key}". If it belongs to "${section}", which is empty, indent it`
    : null
}

const slugSections =
  /^\/(providers|custom_providers|configs|guardrails|prompts|prompt_partials|workspaces|mcp_servers|agent_servers)$/

function explainSlug(fault: FileFault): string | null {
  const key = unknownKeyOf(fault)
  return key !== null && slugSections.test(fault.param)
    ? `has the key "${key}", which must match ${slugPattern}`
    : null
}

function convertVariables(value: unknown, errors: readonly ErrorObject[], document: FileDocument): boolean {
  let changed = false
  for (const error of errors) {
    if (error.keyword !== 'type' || typeof error.data !== 'string') continue
    if (!document.isSubstituted(error.instancePath)) continue
    const converted = convert(error.data, [error.schema].flat().map(String))
    if (converted === undefined) continue
    changed = replaceAt(value, error.instancePath, converted) || changed
  }
  return changed
}

function replaceAt(root: unknown, param: string, value: unknown): boolean {
  const names = pathNames(param)
  const last = names.pop()
  let holder = root
  for (const name of names) holder = (holder as Record<string, unknown> | undefined)?.[name]
  if (last === undefined || typeof holder !== 'object' || holder === null) return false
  return Reflect.set(holder, last, value)
}
