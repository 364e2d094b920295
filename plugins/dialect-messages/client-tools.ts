/**
 * Tools that the vendor defines and the client runs. A chat provider receives a function for each, with the schema that
 * the vendor documents. Its calls are returned as `tool_use` blocks with the same name.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
import type { JsonObject } from '@gateway/contract'

export interface ClientTool {
  /** The `type` of the tool without its date. */
  type: string
  description: string
  parameters: JsonObject
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const oneOf = (...values: string[]): JsonObject => ({ type: 'string', enum: values })
const object = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})

/** Members of the commands that the editor and the memory share. */
const edits: JsonObject = {
  path: text('The absolute path of the file or folder.'),
  view_range: {
    type: 'array',
    items: { type: 'integer' },
    description: 'For view: the first and the last line, counted from 1; -1 is the end of the file.',
  },
  file_text: text('For create: the content of the file.'),
  old_str: text('For str_replace: the text to replace. It must occur exactly once.'),
  new_str: text('For str_replace: the text that replaces it.'),
  insert_line: { type: 'integer', description: 'For insert: the line after which to insert; 0 is the top.' },
  insert_text: text('For insert: the text.'),
}

export const clientTools: readonly ClientTool[] = [
  {
    type: 'bash',
    description:
      "Runs a command in a bash session on the user's machine, which keeps its state between calls.",
    parameters: object(
      {
        command: text('The command. Required unless the session is restarted.'),
        restart: { type: 'boolean', description: 'Starts a new session.' },
      },
      [],
    ),
  },
  {
    type: 'text_editor',
    description: "Shows, creates and changes files on the user's machine.",
    parameters: object({ command: oneOf('view', 'create', 'str_replace', 'insert', 'undo_edit'), ...edits }, [
      'command',
      'path',
    ]),
  },
  {
    type: 'memory',
    description:
      'Keeps notes in files below /memories that last between conversations. View the folder before a task.',
    parameters: object(
      {
        command: oneOf('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
        ...edits,
        old_path: text('For rename: the path before.'),
        new_path: text('For rename: the path after.'),
      },
      ['command'],
    ),
  },
]

/** The tool of this type, in any version. */
export const clientToolOf = ({ type }: JsonObject): ClientTool | undefined =>
  typeof type === 'string' ? clientTools.find((tool) => type.replace(/_\d{8}$/, '') === tool.type) : undefined
