/**
 * Tools that the vendor defines and the client runs. A chat provider receives a function for each. Its calls are
 * returned as the items that the client expects, and the client's results become tool messages.
 * Reference: https://platform.openai.com/docs/api-reference/responses/create, `tools` and `input`
 */
import { isObject, type Json, type JsonObject, ownMember, parseJson } from '@gateway/contract'

export interface ClientTool {
  /** The `type` of the tool, which is also the name of its function. */
  type: string
  /** The `type` of its calls. */
  call: string
  /** The prefix of the calls' ids. */
  prefix: string
  /** The `type` of its results. */
  output: string
  /** Whether the client runs this tool. Some tools can also run at the vendor. */
  isLocal(tool: JsonObject): boolean
  /** The condition of `isLocal` for the documentation, in Markdown; empty if there is none. */
  where: string
  description: string
  parameters: JsonObject
  /** Converts the function's arguments to members of a call. */
  write(args: JsonObject): JsonObject
  /** Converts members of a call to the function's arguments. */
  read(item: JsonObject): JsonObject
  /** The text of a result. */
  result(item: JsonObject): string
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const texts = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description })
const count = (description: string): JsonObject => ({ type: 'integer', description })
const object = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

const given = (members: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = ownMember(members, name)
      return value === undefined || value === null ? [] : [[name, value]]
    }),
  )

/** The names of tools that a search has found. Those in a namespace include its name. */
const foundNames = (tools: Json | undefined): string[] =>
  (Array.isArray(tools) ? tools : []).filter(isObject).flatMap(({ name, tools: members }) => {
    const own = typeof name === 'string' ? [name] : []
    return Array.isArray(members) ? foundNames(members).map((member) => [...own, member].join('.')) : own
  })

const diff = 'The change in the V4A diff format: context lines, and lines that begin with - or +.'

export const clientTools: readonly ClientTool[] = [
  {
    type: 'tool_search',
    call: 'tool_search_call',
    prefix: 'tsc',
    output: 'tool_search_output',
    isLocal: ({ execution }) => execution === 'client',
    where: 'with `execution: "client"`',
    description: 'Finds further tools. Those found can be called afterwards.',
    parameters: object({ query: text('What the tools should do.') }, ['query']),
    write: (args) => ({ execution: 'client', arguments: args }),
    read: ({ arguments: args }) =>
      isObject(args) ? args : objectOf(typeof args === 'string' ? parseJson(args) : null),
    result: ({ tools }) => {
      const names = foundNames(tools)
      return names.length === 0
        ? 'No tools were found.'
        : `These tools can be called now: ${names.join(', ')}`
    },
  },
  {
    type: 'local_shell',
    call: 'local_shell_call',
    prefix: 'lsc',
    output: 'local_shell_call_output',
    isLocal: () => true,
    where: '',
    description: "Runs a command on the user's machine and returns its output.",
    parameters: object(
      {
        command: texts('The program and its arguments.'),
        working_directory: text('The folder to run it in.'),
        timeout_ms: count('Milliseconds after which it is stopped.'),
      },
      ['command'],
    ),
    write: (args) => ({
      action: {
        type: 'exec',
        command: Array.isArray(args.command) ? args.command : [],
        env: {},
        ...given(args, ['working_directory', 'timeout_ms']),
      },
    }),
    read: ({ action }) => given(objectOf(action), ['command', 'working_directory', 'timeout_ms']),
    result: ({ output }) => textOf(output),
  },
  {
    type: 'shell',
    call: 'shell_call',
    prefix: 'sc',
    output: 'shell_call_output',
    isLocal: ({ environment }) => !isObject(environment) || environment.type === 'local',
    where: 'on the local machine',
    description: "Runs shell commands on the user's machine and returns what each printed.",
    parameters: object(
      {
        commands: texts('The commands.'),
        timeout_ms: count('Milliseconds after which they are stopped.'),
        max_output_length: count('The most characters of output to return.'),
      },
      ['commands'],
    ),
    write: ({ commands, timeout_ms, max_output_length }) => ({
      action: {
        commands: Array.isArray(commands) ? commands : [],
        timeout_ms: timeout_ms ?? null,
        max_output_length: max_output_length ?? null,
      },
      environment: { type: 'local' },
    }),
    read: ({ action }) => given(objectOf(action), ['commands', 'timeout_ms', 'max_output_length']),
    result: ({ output }) => textOf(output),
  },
  {
    type: 'apply_patch',
    call: 'apply_patch_call',
    prefix: 'apc',
    output: 'apply_patch_call_output',
    isLocal: () => true,
    where: '',
    description: "Creates, changes or deletes a file on the user's machine.",
    parameters: object(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text('The file.'),
        diff: text(`${diff} Not for deleting.`),
      },
      ['type', 'path'],
    ),
    write: (args) => ({
      operation: { type: 'update_file', path: '', ...given(args, ['type', 'path', 'diff']) },
    }),
    read: ({ operation }) => given(objectOf(operation), ['type', 'path', 'diff']),
    result: ({ status, output }) => [status, output].filter((part) => typeof part === 'string').join('\n'),
  },
]

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '')

/** The tool of this type, if the client runs it. */
export const clientToolOf = (tool: Json | undefined): ClientTool | undefined =>
  isObject(tool) ? clientTools.find(({ type, isLocal }) => type === tool.type && isLocal(tool)) : undefined

/** The tool whose calls have this type. */
export const clientToolOfCall = (type: string): ClientTool | undefined =>
  clientTools.find(({ call }) => call === type)

/** The tool whose results have this type. */
export const clientToolOfOutput = (type: string): ClientTool | undefined =>
  clientTools.find(({ output }) => output === type)

/** The function of a tool. The client's own description and schema take precedence. */
export function clientFunction(made: ClientTool, { description, parameters }: JsonObject): JsonObject {
  return {
    name: made.type,
    description: typeof description === 'string' && description !== '' ? description : made.description,
    parameters: isObject(parameters) ? parameters : made.parameters,
  }
}

/** The arguments that a model wrote; an empty object if they are not a JSON object. */
export const writtenArguments = (written: string): JsonObject => objectOf(parseJson(written))
