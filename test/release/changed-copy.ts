/** A copy of the built tree, to which recipes can be applied: compiled files and all, with the packages of this checkout. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Recipe } from './recipes.ts'

const copied = [
  'core',
  'providers',
  'plugins',
  'config',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]

const run = promisify(execFile)

export async function copyTree(root: string, copy: string): Promise<void> {
  await run('cp', ['-a', ...copied, copy], { cwd: root })
  await linkModules(join(root, 'node_modules'), join(copy, 'node_modules'))
}

/** The checkout's own packages are those of the copy: npm links them relative to `node_modules`. */
async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(to)
  for (const name of await readdir(from)) {
    const target = join(from, name)
    if (name === '@gateway') await cp(target, join(to, name), { recursive: true, verbatimSymlinks: true })
    else await symlink(target, join(to, name))
  }
}

/** @returns the paths that it touched */
export async function applyRecipe(copy: string, { files, lines }: Recipe): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await writeFile(join(copy, path), text, { flag: 'wx' })
  }
  for (const [path, added] of Object.entries(lines)) {
    let text = await readFile(join(copy, path), 'utf8')
    for (const line of added) {
      const at = text.indexOf(line.before)
      if (at === -1)
        throw new Error(`${path} has no "${line.before}": the example of the recipe is outdated.`)
      text = text.slice(0, at) + line.text + text.slice(at)
    }
    await writeFile(join(copy, path), text)
  }
  return [...Object.keys(files), ...Object.keys(lines)]
}
