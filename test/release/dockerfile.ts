/** Reads a Dockerfile: its stages, each with its instructions. https://docs.docker.com/reference/dockerfile/ */

interface Instruction {
  /** The instruction in capitals, such as `RUN`. */
  name: string
  /** Options such as `--from=build`, by their names. */
  options: Readonly<Record<string, string>>
  /** The arguments, with continued lines joined. */
  text: string
}

export interface Stage {
  base: string
  /** The name; empty for a stage without a name. */
  name: string
  instructions: Instruction[]
}

/** @param build arguments of the build, which replace the defaults of `ARG` */
export function readDockerfile(text: string, build: Readonly<Record<string, string>> = {}): Stage[] {
  const stages: Stage[] = []
  const variables: Record<string, string> = {}
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
  for (const line of lines.filter((written) => written.trim() !== '')) {
    const { name, options, text: rest } = readInstruction(line)
    if (name === 'FROM') {
      const [base = '', , stage = ''] = rest.split(/\s+/)
      const image = base.replace(/\$\{(\w+)\}/g, (_, variable: string) => variables[variable] ?? '')
      stages.push({ base: image, name: stage, instructions: [] })
    } else if (name === 'ARG' && stages.length === 0) {
      const [variable = '', value = ''] = rest.split('=')
      variables[variable] = build[variable] ?? value
    } else {
      const stage = stages.at(-1)
      if (stage === undefined) throw new Error(`"${line}" comes before FROM.`)
      stage.instructions.push({ name, options, text: rest })
    }
  }
  return stages
}

function readInstruction(line: string): Instruction {
  const [, name = '', rest = ''] = /^\s*(\w+)\s+(.*)$/.exec(line) ?? []
  const options: Record<string, string> = {}
  let text = rest.trim()
  for (;;) {
    const found = /^--([a-z-]+)=(\S+)\s+/.exec(text)
    if (found === null) return { name: name.toUpperCase(), options, text }
    const [whole, option = '', value = ''] = found
    options[option] = value
    text = text.slice(whole.length)
  }
}

/** The variables of an ENV instruction. */
export function readVariables(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

/** The words of an instruction in its exec form, such as `["node", "-e", "…"]`. */
export function readWords(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[]
}

/** Whether a path is left out of the build by the lines of a .dockerignore, which may have stars. */
export function ignoredBy(text: string): (path: string) => boolean {
  const patterns = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const isAnywhere = line.startsWith('**/')
      const name = line.replace('**/', '').replaceAll('.', '\\.').replaceAll('*', '[^/]*')
      return new RegExp(`^${isAnywhere ? '(?:.*/)?' : ''}${name}$`)
    })
  return (path) => patterns.some((pattern) => pattern.test(path))
}
